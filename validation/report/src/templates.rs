//! Templates of pages and index.

use minijinja::{AutoEscape, Environment as Templates, Value};

use crate::PageError;

pub(crate) fn templates() -> Result<Templates<'static>, PageError> {
    let mut t = Templates::new();
    t.set_auto_escape_callback(|_| AutoEscape::Html);
    t.add_filter("code", |text: String| code(&text, |_| None));
    t.add_filter("day", |date: String| date.chars().take(10).collect::<String>());
    t.add_template("style", include_str!("templates/style.html")).map_err(PageError::from_error)?;
    t.add_template("page", include_str!("templates/page.html")).map_err(PageError::from_error)?;
    t.add_template("index", include_str!("templates/index.html")).map_err(PageError::from_error)?;
    Ok(t)
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
