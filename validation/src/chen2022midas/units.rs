use super::scenes::{Track, seen};
use super::{classics, degenerate, structures, thread};
use crate::{Claim, Context, Page, PageError, PageOutput, Table};

/// Unit scenes of incremental potential contact, a row each.
pub(super) struct Units;

/// A scene that was run.
pub(super) struct Row {
    /// What it is.
    pub name: String,
    /// Every parameter.
    pub parameters: String,
    /// What came out.
    pub result: String,
    /// What is stated of it.
    pub claims: Vec<Claim>,
    /// What was seen on the way.
    pub track: Track,
}

impl Page for Units {
    fn id(&self) -> &'static str {
        "chen2022midas/units"
    }
    fn title(&self) -> &'static str {
        "Unit scenes: impact, friction, degenerate contacts, structures, chains, a thread"
    }
    fn cost(&self) -> (f64, f64) {
        (30.0, 300.0)
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let mut results = seen("What came out", &["scene", "result"]);
        let mut parameters = Table::new("Parameters of each scene", &["scene", "parameters"]);
        let mut claims = Vec::new();
        let families = [classics::rows, degenerate::rows, structures::rows, thread::rows];
        for family in families {
            for row in family(ctx)? {
                results.row([row.name.clone(), row.result].into_iter().chain(row.track.cells()));
                parameters.row([row.name, row.parameters]);
                claims.extend(row.claims);
            }
        }
        Ok(PageOutput {
            text: vec![
                "Scenes that are common in tests of contact, at our sizes. Bodies are affine, steps implicit Euler; nothing is tuned per scene but what the second table shows. Distances and overlaps are looked at \
                 after every step."
                    .into(),
            ],
            tables: vec![results, parameters],
            claims,
            ..PageOutput::default()
        })
    }
}
