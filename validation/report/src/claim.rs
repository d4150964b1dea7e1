//! Statements that can fail.

use serde::{Deserialize, Serialize};

/// Whether a claim came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Within the stated tolerance.
    Holds,
    /// Outside it; `why` says what is known of the reason.
    Deviates,
    /// Not run: something it needs is absent, or it is too long for this budget.
    Skipped,
}

/// One statement of a page that can fail.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// Figure name, or `<figure>/<claim>`.
    pub id: String,
    /// The statement.
    pub claim: String,
    /// What the paper or the theory says.
    pub expected: String,
    /// What came out in this run.
    pub measured: String,
    /// Unit of both.
    pub unit: String,
    /// The rule that decides, stated before the run.
    pub tolerance: String,
    /// The decision.
    pub verdict: Verdict,
    /// What stands in for what, when something does.
    pub substitute: Option<String>,
    /// Reason of a deviation or of a skip.
    pub why: Option<String>,
    /// Wall time of the page \[s\].
    pub wall_s: f64,
}

impl Claim {
    /// A claim decided by `holds`; `id` is appended to the page's.
    pub fn decided(id: &str, claim: &str, holds: bool) -> Self {
        Self {
            id: id.to_owned(),
            claim: claim.to_owned(),
            expected: String::new(),
            measured: String::new(),
            unit: String::new(),
            tolerance: String::new(),
            verdict: if holds { Verdict::Holds } else { Verdict::Deviates },
            substitute: None,
            why: None,
            wall_s: 0.0,
        }
    }

    /// A claim that was not run, with the reason.
    pub fn skipped(id: &str, claim: &str, why: &str) -> Self {
        Self { verdict: Verdict::Skipped, why: Some(why.to_owned()), ..Self::decided(id, claim, false) }
    }

    /// |measured − expected| ≤ tolerance·|expected|.
    pub fn relative(id: &str, claim: &str, expected: f64, measured: f64, tolerance: f64, unit: &str) -> Self {
        let holds = (measured - expected).abs() <= tolerance * expected.abs();
        Self::decided(id, claim, holds)
            .values(number(expected), number(measured), unit)
            .rule(&format!("within {} %", number(100.0 * tolerance)))
    }

    /// measured ≤ bound.
    pub fn at_most(id: &str, claim: &str, bound: f64, measured: f64, unit: &str) -> Self {
        Self::decided(id, claim, measured <= bound)
            .values(format!("≤ {}", number(bound)), number(measured), unit)
            .rule(&format!("at most {}", number(bound)))
    }

    /// measured ≥ bound.
    pub fn at_least(id: &str, claim: &str, bound: f64, measured: f64, unit: &str) -> Self {
        Self::decided(id, claim, measured >= bound)
            .values(format!("≥ {}", number(bound)), number(measured), unit)
            .rule(&format!("at least {}", number(bound)))
    }

    /// low ≤ measured ≤ high.
    pub fn between(id: &str, claim: &str, range: [f64; 2], measured: f64, unit: &str) -> Self {
        let text = format!("{} … {}", number(range[0]), number(range[1]));
        Self::decided(id, claim, (range[0]..=range[1]).contains(&measured))
            .values(text.clone(), number(measured), unit)
            .rule(&format!("in {text}"))
    }

    /// Sets expected and measured values.
    pub fn values(mut self, expected: String, measured: String, unit: &str) -> Self {
        self.expected = expected;
        self.measured = measured;
        self.unit = unit.to_owned();
        self
    }

    /// Sets the rule that decides.
    pub fn rule(mut self, tolerance: &str) -> Self {
        self.tolerance = tolerance.to_owned();
        self
    }

    /// Says what stands in for what.
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

/// A number for people: four significant digits.
pub fn number(x: f64) -> String {
    if x == 0.0 {
        return "0".into();
    }
    let a = x.abs();
    if !(1e-3..1e6).contains(&a) {
        return format!("{x:.3e}");
    }
    let digits = (3 - a.log10().floor() as i32).clamp(0, 6) as usize;
    let s = format!("{x:.digits$}");
    if s.contains('.') { s.trim_end_matches('0').trim_end_matches('.').to_owned() } else { s }
}
