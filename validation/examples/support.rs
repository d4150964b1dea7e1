//! Prints the tables of what is supported: `cargo run -p signorini-validation --example support > SUPPORT.md`.

/// Asks and prints.
fn main() -> Result<(), signorini_validation::PageError> {
    print!("{}", signorini_validation::support::document()?);
    Ok(())
}
