use super::bag::{Setup, bag};
use super::bag_report::text;
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot};

/// Fig. 6: a second sheet falls into the one that becomes a bag, and a box onto both.
pub(super) struct Fig06;

const BOXES: &[([f64; 3], [f64; 3])] = &[([0.01, 0.005, 0.16], [8.0, -6.0, 25.0])];

/// Side of the second sheet \[m\], its cells, how high over the first it starts \[m\].
const SECOND: (f64, usize, f64) = (0.282, 39, 0.06);

/// As many particles as in the paper, but for 53 of 14 904.
const PAPER: Setup = Setup {
    name: "laundry",
    spacing: 1.0 / 128.0,
    cells: 58,
    stiffness: 5e3,
    second: Some(SECOND),
    boxes: BOXES,
    closing: (0.1, 0.8),
    wait: 2.0,
    end: 5.0,
    part: 0.25,
};
/// The sheets of fig. 5, and its motion.
const QUICK: Setup = Setup {
    name: PAPER.name,
    second: Some((SECOND.0, 10, SECOND.2)),
    boxes: BOXES,
    end: 1.02,
    part: f64::INFINITY,
    ..super::fig05::QUICK
};

impl Page for Fig06 {
    fn id(&self) -> &'static str {
        "yu2025mpm/fig06"
    }
    fn title(&self) -> &'static str {
        "Laundry: bagging of a second sheet of cloth"
    }
    fn lead(&self) -> &'static str {
        "A sheet of cloth and a box fall onto another sheet, whose corners are then moved together to form a bag."
    }
    fn cost(&self) -> [f64; 3] {
        [7.0, 12.0, 3000.0]
    }
    // Its time is that of a row of table 1.
    fn alone(&self) -> bool {
        true
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let setup = if ctx.full() { PAPER } else { QUICK };
        let stages = [0.0, 0.3, setup.wait, setup.wait + setup.closing.1];
        let run = bag(&setup, &stages, ctx)?;
        let mut apart = Plot::new(
            "apart",
            "Smallest distance between a vertex of the second sheet and the bag",
            "time [s]",
            "distance [mm]",
        );
        apart.add("", Mark::LinePoints, run.seen.apart.iter().map(|(t, d)| (*t, 1e3 * d)).collect());
        let why = format!(
            "Only the grid and the fibres across the sheets keep the sheets apart. Under a constant load their distance keeps shrinking. \
             At most {} vertices were on the wrong side at once, by up to {:.2} mm.",
            run.seen.second.through,
            1e3 * run.seen.second.furthest
        );
        let (length, cells, above) = SECOND;
        let second = format!(
            "A second sheet of {length} m starts {above} m above the first sheet. It has the same material and {} cells per side. \
             The box falls onto both sheets. \
             The two sheets interact only through the grid. Grid nodes that both sheets reach have a single velocity. \
             The sheets therefore approach each other in proportion to their distance and stick to each other. Fibres across the sheets push back. \
             This interaction keeps the sheets apart if substeps are short, but it guarantees no distance. \
             The page therefore measures the smallest distance, the crossing edges and the vertices on the wrong side every 0.1 s.",
            setup.second.map_or(cells, |s| s.1)
        );
        let claims = [
            Claim::at_least(
                "second",
                "no vertex of the second sheet passes through the bag: smallest solid angle of the upper side of the bag, seen from a vertex at any snapshot",
                0.0,
                run.seen.second.seen,
                "of the sphere",
            )
            .because(&why),
            Claim::at_most(
                "crossings",
                "number of edges of one sheet that pass through the other sheet, all snapshots",
                0.0,
                run.seen.crossings as f64,
                "",
            )
            .because(&why),
        ];
        let mut out = PageOutput::new(text(&setup).into_iter().chain([second]));
        run.show(&mut out);
        out.film(
            run.film.attachment("laundry"),
            "A sheet and then a box fall onto the sheet that becomes a bag",
        );
        run.account(&setup, &mut out);
        out.heading("Distance of the sheets");
        out.plot(apart);
        out.extend(claims);
        Ok(out)
    }
}
