//! Templates of pages and index.

use minijinja::{AutoEscape, Environment as Templates, Value};

use crate::PageError;

pub(crate) fn templates() -> Result<Templates<'static>, PageError> {
    let mut t = Templates::new();
    t.set_auto_escape_callback(|_| AutoEscape::Html);
    t.add_filter("code", |text: String| code(&text, |_| None));
    // The rule of a claim; nothing where it only repeats the bound, and "our bound" where no theory and no paper gives it.
    t.add_filter("rule", |c: Value| {
        let text = |key| c.get_attr(key).map(|v| v.to_string()).unwrap_or_default();
        short_rule(&text("rule"), &text("expected_text"))
    });
    t.add_filter("accepted", |c: Value| {
        let text = |key| c.get_attr(key).map(|v| v.to_string()).unwrap_or_default();
        accepted(&text("rule"), &text("expected_text"), &text("unit"))
    });
    t.add_filter("day", |date: String| date.chars().take(10).collect::<String>());
    t.add_template("style", include_str!("templates/style.html")).map_err(PageError::from_error)?;
    t.add_template("page", include_str!("templates/page.html")).map_err(PageError::from_error)?;
    t.add_template("index", include_str!("templates/index.html")).map_err(PageError::from_error)?;
    Ok(t)
}

/// Words for a bound that no theory and no paper gives.
const OWN: &str = "our bound";

/// A rule beside its bound: without the bound itself.
fn short_rule(rule: &str, bound: &str) -> String {
    let (required, rest) = match rule.strip_prefix("required: ") {
        Some(rest) => (true, rest),
        None => (false, rule),
    };
    let said = [("≤ ", "at most "), ("≥ ", "at least ")];
    let words = said.iter().find_map(|(sign, word)| Some(format!("{word}{}", bound.strip_prefix(sign)?)));
    let words = words.unwrap_or_else(|| format!("in {bound}"));
    match rest.strip_prefix(words.as_str()) {
        Some("") => if required { OWN } else { "" }.to_owned(),
        _ if required => format!("{OWN}: {rest}"),
        _ => rest.to_owned(),
    }
}

/// Numbers that a claim accepts: its bound with the unit, else its value and the tolerance.
fn accepted(rule: &str, expected: &str, unit: &str) -> String {
    let bare = rule.strip_prefix("required: ").unwrap_or(rule);
    let with_unit = format!("{expected} {unit}");
    // The dot of a number is followed by a digit.
    let ends = [". ", ", ", ": ", "; "].iter().filter_map(|end| bare.find(end)).min();
    let tolerance = ends.map_or(bare.trim_end_matches('.'), |end| &bare[..end]);
    if bare.starts_with("within ") {
        format!("{} {tolerance}", with_unit.trim())
    } else {
        with_unit.trim().to_owned()
    }
}

/// Text with the parts in backticks as code, as links where `link` has an address for the part.
pub(crate) fn code(text: &str, link: impl Fn(&str) -> Option<String>) -> Value {
    let escape =
        |s: &str| s.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
    let parts = text.split('`').enumerate();
    let html = parts.map(|(i, s)| match (i % 2 == 1).then(|| link(s)) {
        None => escape(s),
        Some(None) => format!("<code>{}</code>", escape(s)),
        Some(Some(to)) => format!("<a href=\"{}\"><code>{}</code></a>", escape(&to), escape(s)),
    });
    Value::from_safe_string(html.collect())
}

#[cfg(test)]
mod tests {
    use super::{accepted, short_rule};

    #[test]
    fn conformance_a_claim_accepts_a_bound_or_a_value_with_its_tolerance() {
        assert_eq!(accepted("required: at most 0.6", "≤ 0.6", "mm"), "≤ 0.6 mm");
        assert_eq!(
            accepted("required: within 50 %. The scene is not stated.", "1", "mm"),
            "1 mm within 50 %"
        );
        assert_eq!(accepted("required: within 0.005", "10", "N"), "10 N within 0.005");
        assert_eq!(accepted("within 0.5 %, half of it.", "2", ""), "2 within 0.5 %");
        assert_eq!(accepted("all three, as in the paper", "≥ 3", "beams"), "≥ 3 beams");
    }

    #[test]
    fn conformance_a_rule_does_not_repeat_its_bound() {
        assert_eq!(short_rule("required: at most 0.6", "≤ 0.6"), "our bound");
        assert_eq!(
            short_rule("required: at most 5 % of the speed", "≤ 0.6"),
            "our bound: at most 5 % of the speed"
        );
        assert_eq!(short_rule("at least 1", "≥ 1"), "");
        assert_eq!(short_rule("in 0.85 … 1.15", "0.85 … 1.15"), "");
        for rule in ["at most 4e-11. Round-off is less.", "within 1 %"] {
            assert_eq!(short_rule(rule, "≤ 4e-11"), rule);
        }
    }
}
