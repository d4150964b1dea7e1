//! Templates of pages and index.

use minijinja::{AutoEscape, Environment as Templates, Value};

use crate::PageError;

pub(crate) fn templates() -> Result<Templates<'static>, PageError> {
    let mut t = Templates::new();
    t.set_auto_escape_callback(|_| AutoEscape::Html);
    t.add_filter("code", code);
    t.add_filter("day", |date: String| date.chars().take(10).collect::<String>());
    t.add_template("style", include_str!("templates/style.html")).map_err(PageError::from_error)?;
    t.add_template("page", include_str!("templates/page.html")).map_err(PageError::from_error)?;
    t.add_template("index", include_str!("templates/index.html")).map_err(PageError::from_error)?;
    Ok(t)
}

/// Text with the parts in backticks as code.
fn code(text: String) -> Value {
    let escape = |s: &str| s.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let parts = text.split('`').enumerate();
    let html = parts.map(|(i, s)| if i % 2 == 1 { format!("<code>{}</code>", escape(s)) } else { escape(s) });
    Value::from_safe_string(html.collect())
}
