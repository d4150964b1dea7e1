//! Statements that can fail.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Decision on a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Within the stated tolerance.
    Holds,
    /// Outside it; `why` gives the reason as far as it is known.
    Deviates,
    /// Not run: something it needs is absent, or it is too long for this budget.
    Skipped,
}

/// Origin of the number that a claim is held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// A number that a paper published.
    Published,
    /// A closed form, an invariant, another method or an independent reference.
    Theory,
    /// A bound that this project chose.
    Own,
}

/// Bound or value that a measured number is compared with.
///
/// In JSON one of `{"at_most": 1.0}`, `{"at_least": 1.0}`, `{"between": [0.0, 1.0]}`, `{"value": 1.0, "relative": 0.01}` and
/// `{"value": 1.0, "absolute": 0.01}`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expected {
    /// Upper bound: measured ≤ bound.
    AtMost(f64),
    /// Lower bound: measured ≥ bound.
    AtLeast(f64),
    /// Range with both ends: low ≤ measured ≤ high.
    Between([f64; 2]),
    /// Value with a relative tolerance: |measured − value| ≤ relative·|value|.
    #[serde(untagged)]
    Value {
        /// Value of the paper or the theory.
        value: f64,
        /// Relative tolerance.
        relative: f64,
    },
    /// Value with an absolute tolerance: |measured − value| ≤ absolute.
    #[serde(untagged)]
    Near {
        /// Value of the paper or the theory.
        value: f64,
        /// Absolute tolerance, in the claim's unit.
        absolute: f64,
    },
}

impl Expected {
    /// Whether a measured number agrees; NaN never does.
    pub fn admits(self, measured: f64) -> bool {
        match self {
            Self::AtMost(bound) => measured <= bound,
            Self::AtLeast(bound) => measured >= bound,
            Self::Between([low, high]) => (low..=high).contains(&measured),
            Self::Value { value, relative } => (measured - value).abs() <= relative * value.abs(),
            Self::Near { value, absolute } => (measured - value).abs() <= absolute,
        }
    }

    /// The rule in words.
    fn rule(self) -> String {
        match self {
            Self::AtMost(bound) => format!("at most {}", number(bound)),
            Self::AtLeast(bound) => format!("at least {}", number(bound)),
            Self::Between(_) => format!("in {self}"),
            Self::Value { relative, .. } => format!("within {} %", number(100.0 * relative)),
            Self::Near { absolute, .. } => format!("within {}", number(absolute)),
        }
    }

    /// Bound or value in another unit, `factor` times as large a number.
    fn times(self, factor: f64) -> Self {
        match self {
            Self::AtMost(bound) => Self::AtMost(factor * bound),
            Self::AtLeast(bound) => Self::AtLeast(factor * bound),
            Self::Between(ends) => Self::Between(ends.map(|x| factor * x)),
            Self::Value { value, relative } => Self::Value { value: factor * value, relative },
            Self::Near { value, absolute } => {
                Self::Near { value: factor * value, absolute: factor * absolute }
            }
        }
    }

    /// Largest of the numbers that are compared with the measured one.
    fn size(self) -> f64 {
        match self {
            Self::AtMost(x) | Self::AtLeast(x) => x.abs(),
            Self::Between([low, high]) => low.abs().max(high.abs()),
            Self::Value { value, .. } | Self::Near { value, .. } => value.abs(),
        }
    }

    /// The bound or value itself where all of its numbers are finite, which JSON can hold.
    fn finite(self) -> Option<Self> {
        let all = match self {
            Self::AtMost(x) | Self::AtLeast(x) => x.is_finite(),
            Self::Between(ends) => ends.iter().all(|x| x.is_finite()),
            Self::Value { value, relative } => value.is_finite() && relative.is_finite(),
            Self::Near { value, absolute } => value.is_finite() && absolute.is_finite(),
        };
        all.then_some(self)
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::AtMost(bound) => write!(f, "≤ {}", number(bound)),
            Self::AtLeast(bound) => write!(f, "≥ {}", number(bound)),
            Self::Between([low, high]) => write!(f, "{} … {}", number(low), number(high)),
            Self::Value { value, .. } | Self::Near { value, .. } => f.write_str(&number(value)),
        }
    }
}

/// One statement of a page that can fail.
///
/// Numbers are kept in full, and as text of at most four digits for people. A claim decided by words has texts alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// Figure name, or `<figure>/<claim>`; in a report with the page's id before it.
    pub id: String,
    /// The statement.
    pub claim: String,
    /// Bound or value of the paper or the theory; none where words decide or a number is not finite.
    pub expected: Option<Expected>,
    /// Bound or value as text.
    pub expected_text: String,
    /// Number that this run gave; none where words decide or it is not finite.
    pub measured: Option<f64>,
    /// Outcome of this run as text.
    pub measured_text: String,
    /// Unit of both.
    pub unit: String,
    /// The rule that decides, stated before the run; it begins with "required" where no theory gives the bound.
    pub rule: String,
    /// The decision.
    pub verdict: Verdict,
    /// Stand-in for data of the paper, when there is one.
    pub substitute: Option<String>,
    /// Reason of a deviation or of a skip.
    pub why: Option<String>,
    /// Number that the paper states for this quantity, with its unit, where the bound is another one or to be told apart from a theory's.
    #[serde(default)]
    pub paper: Option<String>,
    /// Wall time of the page \[s\].
    pub wall_s: f64,
    /// Whether it judges times of this machine: other work may decide it, so that it never counts as regressed.
    #[serde(default)]
    pub timed: bool,
}

impl Claim {
    /// A claim decided by `holds`; `id` is appended to the page's.
    pub fn decided(id: &str, claim: &str, holds: bool) -> Self {
        Self {
            id: id.to_owned(),
            claim: claim.to_owned(),
            expected: None,
            expected_text: String::new(),
            measured: None,
            measured_text: String::new(),
            unit: String::new(),
            rule: String::new(),
            verdict: if holds { Verdict::Holds } else { Verdict::Deviates },
            substitute: None,
            why: None,
            paper: None,
            wall_s: 0.0,
            timed: false,
        }
    }

    /// A claim that was not run, with the reason.
    pub fn skipped(id: &str, claim: &str, why: &str) -> Self {
        Self { verdict: Verdict::Skipped, why: Some(why.to_owned()), ..Self::decided(id, claim, false) }
    }

    /// A claim decided by a number. Lengths in metres or millimetres that are short become millimetres or micrometres.
    ///
    /// ```
    /// # use signorini_report::Claim;
    /// let claim = Claim::at_most("depth", "deepest particle", 2e-3, 4e-4, "m");
    /// assert_eq!([&*claim.expected_text, &*claim.measured_text, &*claim.unit], ["≤ 2", "0.4", "mm"]);
    /// ```
    pub fn compared(id: &str, claim: &str, expected: Expected, measured: f64, unit: &str) -> Self {
        let holds = expected.admits(measured);
        let (factor, unit) = readable(unit, expected.size().max(measured.abs()));
        let (expected, measured) = (expected.times(factor), factor * measured);
        Self {
            expected: expected.finite(),
            expected_text: expected.to_string(),
            measured: measured.is_finite().then_some(measured),
            measured_text: number(measured),
            unit: unit.to_owned(),
            rule: expected.rule(),
            ..Self::decided(id, claim, holds)
        }
    }

    /// A claim that |measured − expected| ≤ tolerance·|expected|.
    pub fn relative(id: &str, claim: &str, expected: f64, measured: f64, tolerance: f64, unit: &str) -> Self {
        Self::compared(id, claim, Expected::Value { value: expected, relative: tolerance }, measured, unit)
    }

    /// A claim that |measured − expected| ≤ tolerance, in the unit.
    pub fn near(id: &str, claim: &str, expected: f64, measured: f64, tolerance: f64, unit: &str) -> Self {
        Self::compared(id, claim, Expected::Near { value: expected, absolute: tolerance }, measured, unit)
    }

    /// A claim that measured ≤ bound.
    pub fn at_most(id: &str, claim: &str, bound: f64, measured: f64, unit: &str) -> Self {
        Self::compared(id, claim, Expected::AtMost(bound), measured, unit)
    }

    /// A claim that measured ≥ bound.
    pub fn at_least(id: &str, claim: &str, bound: f64, measured: f64, unit: &str) -> Self {
        Self::compared(id, claim, Expected::AtLeast(bound), measured, unit)
    }

    /// A claim that low ≤ measured ≤ high.
    pub fn between(id: &str, claim: &str, range: [f64; 2], measured: f64, unit: &str) -> Self {
        Self::compared(id, claim, Expected::Between(range), measured, unit)
    }

    /// Sets the texts of expected and measured, and the unit; numbers stay.
    pub fn values(mut self, expected: String, measured: String, unit: &str) -> Self {
        self.expected_text = expected;
        self.measured_text = measured;
        self.unit = unit.to_owned();
        self
    }

    /// Sets the rule that decides, in words.
    pub fn rule(mut self, rule: &str) -> Self {
        self.rule = rule.to_owned();
        self
    }

    /// Marks a bound that this project requires, with no theory that gives it: its rule begins with "required".
    ///
    /// ```
    /// # use signorini_report::Claim;
    /// let claim = Claim::at_most("rest", "speed at the end", 0.05, 0.01, "m/s").required();
    /// assert_eq!(claim.rule, "required: at most 0.05");
    /// ```
    #[must_use]
    pub fn required(mut self) -> Self {
        self.rule.insert_str(0, "required: ");
        self
    }

    /// Marks a bound that this project requires, and tells how it was chosen, in a clause or in sentences.
    ///
    /// ```
    /// # use signorini_report::Claim;
    /// let claim = Claim::at_most("slip", "way of a face", 0.01, 0.002, "").required_since("a tenth of the side");
    /// assert_eq!(claim.rule, "required: at most 0.01, a tenth of the side");
    /// ```
    #[must_use]
    pub fn required_since(mut self, choice: &str) -> Self {
        let joint = if choice.starts_with(char::is_uppercase) { ". " } else { ", " };
        self.rule = format!("{}{joint}{choice}", self.rule);
        self.required()
    }

    /// The number that the paper states, with its unit; none where the paper has words alone.
    pub fn published_number(&self) -> Option<&str> {
        let text = self.paper.as_deref()?;
        let words = ["about ", "up to ", "at most ", "at least ", "slope "];
        let bare = words.iter().find_map(|w| text.strip_prefix(w)).unwrap_or(text);
        let bare = bare.trim_start_matches(['≤', '≥', '<', '>', '~', '−', '-', ' ']);
        bare.starts_with(|c: char| c.is_ascii_digit()).then_some(text)
    }

    /// Origin of the number that decides.
    ///
    /// ```
    /// # use signorini_report::{Claim, claim::Source};
    /// let claim = Claim::at_most("depth", "mean depth", 2.0, 1.1, "mm").required();
    /// assert_eq!(claim.source(), Source::Own);
    /// assert_eq!(claim.clone().published("no penetration").source(), Source::Own);
    /// assert_eq!(claim.published("1 mm").source(), Source::Published);
    /// ```
    pub fn source(&self) -> Source {
        if self.published_number().is_some() {
            Source::Published
        } else if self.rule.starts_with("required") {
            Source::Own
        } else {
            Source::Theory
        }
    }

    /// Adds the number that the paper states, with its unit.
    #[must_use]
    pub fn published(mut self, number: &str) -> Self {
        self.paper = Some(number.to_owned());
        self
    }

    /// Marks a claim on times of the machine: it is no part of the baseline, since other work may decide it.
    #[must_use]
    pub fn timed(mut self) -> Self {
        self.timed = true;
        self
    }

    /// Names the stand-in for data of the paper.
    pub fn with_substitute(mut self, text: &str) -> Self {
        self.substitute = Some(text.to_owned());
        self
    }

    /// Gives the reason, printed when the claim deviates.
    pub fn because(mut self, why: &str) -> Self {
        if self.verdict != Verdict::Holds {
            self.why = Some(why.to_owned());
        }
        self
    }
}

/// Lengths \[m\] below which claims are in millimetres, in micrometres, and in metres again: round-off of positions.
const SHORT: [f64; 3] = [0.1, 1e-4, 1e-9];

/// Factor and unit in which a length of this size reads without a power of ten; one and the unit itself for all else.
fn readable(unit: &str, size: f64) -> (f64, &str) {
    match unit {
        "m" if (SHORT[1]..SHORT[0]).contains(&size) => (1e3, "mm"),
        "m" if (SHORT[2]..SHORT[1]).contains(&size) => (1e6, "µm"),
        "mm" if (1e3 * SHORT[2]..1e3 * SHORT[1]).contains(&size) => (1e3, "µm"),
        _ => (1.0, unit),
    }
}

/// A length \[m\] with its unit, as claims print it.
///
/// ```
/// # use signorini_report::claim::length;
/// assert_eq!([0.5, 2e-3, 6.1e-8].map(length), ["0.5 m", "2 mm", "0.061 µm"]);
/// ```
pub fn length(x: f64) -> String {
    let (factor, unit) = readable("m", x.abs());
    format!("{} {unit}", number(factor * x))
}

/// A count with its noun, which gets an "s" unless the count is one.
///
/// ```
/// # use signorini_report::claim::counted;
/// assert_eq!([0, 1, 2].map(|n| counted(n, "solve")), ["0 solves", "1 solve", "2 solves"]);
/// ```
pub fn counted(n: u64, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// A number for people: four significant digits, three where a power of ten follows, and no zeros at the end of decimals.
///
/// ```
/// # use signorini_report::claim::number;
/// assert_eq!([9.537e-10, 1e-8, 2.5e-4, 0.1, 1234.6].map(number), ["9.54e-10", "1e-8", "2.5e-4", "0.1", "1235"]);
/// ```
pub fn number(x: f64) -> String {
    if x == 0.0 {
        return "0".into();
    }
    let a = x.abs();
    if !(1e-3..1e6).contains(&a) {
        let s = format!("{x:.2e}");
        return match s.split_once('e') {
            Some((mantissa, power)) if mantissa.contains('.') => {
                format!("{}e{power}", mantissa.trim_end_matches('0').trim_end_matches('.'))
            }
            _ => s,
        };
    }
    let digits = (3 - a.log10().floor() as i32).clamp(0, 6) as usize;
    let s = format!("{x:.digits$}");
    if s.contains('.') { s.trim_end_matches('0').trim_end_matches('.').to_owned() } else { s }
}
