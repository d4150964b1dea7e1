//! Prints the tables of support: `cargo run -p signorini-validation --example support > SUPPORT.md`.

/// Asks and prints.
fn main() -> Result<(), signorini_report::PageError> {
    print!("{}", signorini_validation::support::document()?);
    Ok(())
}
