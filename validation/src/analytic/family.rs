//! Comparison of one family of closed forms: cases, tables, claims.

use serde_json::Value;

use signorini_report::claim::number;
use signorini_report::{Claim, Context, PageOutput, Table};

/// Measured against closed form, case by case, and the closed form against the file of evaluated ones.
pub(super) struct Family {
    key: &'static str,
    table: Table,
    worst: Vec<(&'static str, f64, String)>,
    /// Quantities that are yes or no, with their numbers of cases and of those as expected.
    events: Vec<(&'static str, [usize; 2])>,
    file: Option<Vec<Value>>,
    matched: usize,
    file_difference: f64,
}

/// Rule that judges a quantity.
pub(super) struct Rule {
    /// Quantity.
    pub quantity: &'static str,
    /// The claim.
    pub claim: &'static str,
    /// Largest error, in the unit stated by `compare` (relative when that was 1).
    pub tolerance: f64,
    /// Why no smaller.
    pub why: &'static str,
}

/// A rule.
pub(super) fn rule(quantity: &'static str, claim: &'static str, tolerance: f64, why: &'static str) -> Rule {
    Rule { quantity, claim, tolerance, why }
}

impl Family {
    /// The family named `key` in `validation/data/contact/closed_form.json`.
    pub(super) fn new(ctx: &Context, key: &'static str, caption: &str) -> Self {
        let read = || {
            let path = ctx.root.join("validation/data/contact/closed_form.json");
            let v: Value = serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok()?;
            v["problems"][key].as_array().cloned()
        };
        let head = ["case", "quantity", "unit", "closed form", "measured", "error"];
        Self {
            key,
            table: Table::new(caption, &head),
            worst: Vec::new(),
            events: Vec::new(),
            file: read(),
            matched: 0,
            file_difference: 0.0,
        }
    }

    /// Entry of the file with these inputs.
    pub(super) fn entry(&self, inputs: &[(&str, f64)]) -> Option<&Value> {
        let agrees = |e: &&Value| {
            let inside = |(k, x): &(&str, f64)| {
                e["inputs"][*k].as_f64().is_some_and(|y| (x - y).abs() <= 1e-12 * x.abs().max(1.0))
            };
            inputs.iter().all(inside)
        };
        self.file.as_ref()?.iter().find(agrees)
    }

    /// Entry of the file that `f` selects.
    pub(super) fn find(&self, f: impl Fn(&Value) -> bool) -> Option<Value> {
        self.file.as_ref()?.iter().find(|e| f(e)).cloned()
    }

    /// States the closed form of one case as evaluated here; compared with the file when it is there.
    pub(super) fn theory(&mut self, inputs: &[(&str, f64)], outputs: &[(&str, f64)]) {
        let Some(entry) = self.entry(inputs).cloned() else { return };
        self.matched += 1;
        for (k, x) in outputs {
            let y = entry["outputs"][*k].as_f64().unwrap_or(f64::NAN);
            let difference = (x - y).abs() / y.abs().max(1e-3);
            // A missing key must show.
            self.file_difference =
                if difference.is_nan() { f64::INFINITY } else { self.file_difference.max(difference) };
        }
    }

    /// Adds the difference of a curve from the file's.
    pub(super) fn theory_difference(&mut self, difference: f64) {
        self.matched += 1;
        self.file_difference = self.file_difference.max(difference);
    }

    /// Unit of the values of a quantity.
    fn unit(&self, quantity: &str) -> &'static str {
        match quantity {
            // Of the rod, relative to its first value.
            "normal force" if self.key == "sliding_rod_no_painleve" => "–",
            "angle" | "nutation" | "stop angle" => "rad",
            "precession" | "rolling spin" | "spin" => "rad/s",
            "impact time" | "stop time" | "time to belt speed" | "time to roll" | "time to travel" => "s",
            "normal impulse" | "tangential impulse" => "N·s",
            "upper" | "lower" => "m/s²",
            "energy lost" => "J",
            "restitution" => "–",
            "friction" | "load" | "reaction" | "squeeze" => "N",
            q if q.contains("force") || q.starts_with("friction per") => "N",
            q if q.contains("speed") => "m/s",
            _ => "m",
        }
    }

    /// A measured value; error = |measured − expected| / scale.
    pub(super) fn compare(&mut self, case: &str, quantity: &'static str, values: [f64; 2], scale: f64) {
        let [expected, measured] = values;
        let raw = (measured - expected).abs() / scale;
        let error = if raw.is_nan() { f64::INFINITY } else { raw };
        self.table.row([
            case.to_owned(),
            quantity.trim_end_matches(" [m]").to_owned(),
            self.unit(quantity).to_owned(),
            number(expected),
            number(measured),
            format!("{error:.1e}"),
        ]);
        match self.worst.iter_mut().find(|w| w.0 == quantity) {
            Some(w) if w.1 >= error => {}
            Some(w) => *w = (quantity, error, case.to_owned()),
            None => self.worst.push((quantity, error, case.to_owned())),
        }
    }

    /// A measured value; error relative to the expected one.
    pub(super) fn relative(&mut self, case: &str, quantity: &'static str, expected: f64, measured: f64) {
        self.compare(case, quantity, [expected, measured], expected.abs());
    }

    /// A yes or no; error 0 or 1.
    pub(super) fn event(&mut self, case: &str, quantity: &'static str, expected: &str, measured: &str) {
        let error = f64::from(u8::from(expected != measured));
        let right = usize::from(expected == measured);
        match self.events.iter_mut().find(|e| e.0 == quantity) {
            Some((_, [all, good])) => (*all, *good) = (*all + 1, *good + right),
            None => self.events.push((quantity, [1, right])),
        }
        self.table.row([case, quantity, "–", expected, measured, if error == 0.0 { "–" } else { "differs" }]);
        match self.worst.iter_mut().find(|w| w.0 == quantity) {
            Some(w) if w.1 >= error => {}
            Some(w) => *w = (quantity, error, case.to_owned()),
            None => self.worst.push((quantity, error, case.to_owned())),
        }
    }

    /// Table and claims of the family.
    pub(super) fn finish(self, out: &mut PageOutput, rules: &[Rule]) {
        for r in rules {
            let id = format!("{}/{}", self.key, r.quantity.replace(' ', "_"));
            let found = self.worst.iter().find(|w| w.0 == r.quantity);
            let Some((_, error, case)) = found else {
                out.claim(Claim::skipped(&id, r.claim, "no case was run at these sizes"));
                continue;
            };
            let mut c = match self.events.iter().find(|e| e.0 == r.quantity) {
                Some((_, [all, good])) => Claim::at_least(&id, r.claim, *all as f64, *good as f64, "cases")
                    .rule("every case has the predicted outcome, which is yes or no"),
                None => {
                    let (text, unit) = r.claim.strip_suffix(" [m]").map_or((r.claim, ""), |t| (t, "m"));
                    let c = Claim::at_most(&id, text, r.tolerance, *error, unit);
                    let rule = format!("the largest error over the cases is {}: {}", c.rule, r.why);
                    c.rule(&rule)
                }
            };
            if *error > r.tolerance {
                c = c.because(&format!("The error is largest in the case {case}."));
            }
            out.claim(c);
        }
        let id = format!("{}/file", self.key);
        let claim = "the closed forms that this page evaluates agree with independently evaluated ones (closed_form.json)";
        out.claim(match &self.file {
            None => Claim::skipped(&id, claim, "the file validation/data/contact/closed_form.json is absent or damaged"),
            Some(_) if self.matched == 0 => Claim::skipped(&id, claim, "no case of the file was run"),
            Some(_) => {
                let (most, why) = match self.key {
                    "hunt_crossley_drop" => (1e-6, "at most 1e-6, the error that the file itself states for its integrated curves"),
                    "sliding_rod_no_painleve" => (1e-8, "at most 1e-8, because two programs integrate one smooth motion"),
                    _ => (2e-13, "relative difference of at most 2e-13, from the round-off of equal formulas and of roots by bisection"),
                };
                Claim::at_most(&id, claim, most, self.file_difference, "").rule(why)
            }
        });
        out.table(self.table);
    }
}
