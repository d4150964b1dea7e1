//! The papers' figures and tables, drawn from runs, as an HTML report.
