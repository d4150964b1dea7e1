//! Records that scripts of `benches/peers` wrote.

use std::io::ErrorKind;
use std::path::Path;

use serde::de::DeserializeOwned;
use signorini_report::PageError;

/// A record of the repository; the default without a file.
///
/// # Errors
/// A file that cannot be read or is none.
pub(crate) fn read<T: DeserializeOwned + Default>(root: &Path, file: &str) -> Result<T, PageError> {
    let failed = |e: &dyn std::fmt::Display| PageError::from_error(format!("{file}: {e}"));
    match std::fs::read_to_string(root.join(file)) {
        Ok(text) => serde_json::from_str(&text).map_err(|e| failed(&e)),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(T::default()),
        Err(e) => Err(failed(&e)),
    }
}
