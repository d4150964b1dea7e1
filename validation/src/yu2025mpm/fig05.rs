use super::bag::{Setup, bag};
use super::bag_report::text;
use signorini_report::{Context, Page, PageError, PageOutput};

/// Fig. 5: boxes fall onto a sheet whose corners are then brought together.
pub(super) struct Fig05;

/// Two boxes, one after the other, not quite upright.
const BOXES: &[([f64; 3], [f64; 3])] =
    &[([-0.05, 0.005, 0.06], [10.0, 5.0, 20.0]), ([0.05, -0.005, 0.10], [-5.0, 12.0, -10.0])];

/// Side in cells as in the paper: 30² vertices and 2·29² centres are its 2582 particles.
const PAPER: Setup = Setup {
    name: "box bagging",
    spacing: 1.0 / 64.0,
    cells: 29,
    stiffness: 5e3,
    second: None,
    boxes: BOXES,
    closing: (0.1, 0.8),
    wait: 2.0,
    end: 5.0,
    part: 0.25,
};
/// A third of the particles, with the stiffness of the paper's on an area, and plates twice as fast.
pub(super) const QUICK: Setup = Setup {
    spacing: 1.0 / 35.0,
    cells: 16,
    stiffness: 1.64e4,
    closing: (0.2, 0.4),
    wait: 0.3,
    end: 1.1,
    part: f64::INFINITY,
    ..PAPER
};

impl Page for Fig05 {
    fn id(&self) -> &'static str {
        "yu2025mpm/fig05"
    }
    fn title(&self) -> &'static str {
        "Bagging of boxes in a sheet of cloth"
    }
    fn lead(&self) -> &'static str {
        "Boxes fall onto a sheet of cloth, whose corners are then moved together to form a bag."
    }
    fn cost(&self) -> [f64; 3] {
        [6.0, 13.0, 250.0]
    }
    // Its time is that of a row of table 1.
    fn alone(&self) -> bool {
        true
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let setup = if ctx.full() { PAPER } else { QUICK };
        let stages = [0.0, 0.2, setup.wait, setup.wait + setup.closing.1];
        let run = bag(&setup, &stages, ctx)?;
        let mut out = PageOutput::new(text(&setup));
        run.show(&mut out);
        out.film(
            run.film.attachment("bagging"),
            "Boxes fall onto the sheet, and plates close the sheet to a bag",
        );
        run.account(&setup, &mut out);
        Ok(out)
    }
}
