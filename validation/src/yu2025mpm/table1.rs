use signorini_report::claim::number;
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};

use super::fig01::Fig01;
use super::fig03::Fig03;
use super::fig04;
use super::fig05::Fig05;
use super::fig06::Fig06;
use super::statistics::{self, Statistics};

/// Table I: sizes, contacts and times of the scenes.
pub(super) struct Table1;

/// A scene of the paper's table: its name here, the page that runs it, and its row there: h \[m\], particles, nodes, Δt \[ms\], substeps, contacts (mean and most), \[ms\] per step on an RTX 4090.
struct Row {
    scene: &'static str,
    page: &'static dyn Page,
    paper: [&'static str; 8],
}

const ROWS: [Row; 4] = [
    Row {
        scene: "box bagging",
        page: &Fig05,
        paper: ["0.0156", "2582", "2975", "5", "10", "19.6", "45", "45.3"],
    },
    Row {
        scene: "laundry",
        page: &Fig06,
        paper: ["0.0078", "14904", "17296", "5", "5", "163", "617", "18.9"],
    },
    Row {
        scene: "T-shirt",
        page: &Fig01,
        paper: ["0.0078", "12160", "8300", "2", "4", "534", "1307", "21.5"],
    },
    Row {
        scene: "close, lift, shake",
        page: &Fig03,
        paper: ["0.01", "3456", "1576", "0.1", "10", "571", "576", "231"],
    },
];

/// The paper's row of the dough, whose statistics come from the fast path.
const DOUGH: [&str; 8] = ["0.02", "5920", "2229", "10", "10", "17.8", "101", "21.7"];

/// Name of a scene in the names of claims.
fn key(scene: &Statistics) -> String {
    scene.scene().replace(", ", "_").replace(' ', "_")
}

/// Times of a substep, and of one of its particles, in a row of the paper's table \[ms\].
fn per_substep(row: &[&str; 8]) -> [f64; 2] {
    let of = |i: usize| row[i].parse::<f64>().unwrap_or(f64::NAN);
    [of(7) / of(4), of(7) / of(4) / of(1)]
}

impl Page for Table1 {
    fn id(&self) -> &'static str {
        "yu2025mpm/table1"
    }
    fn title(&self) -> &'static str {
        "Sizes, contacts and computing times of the scenes"
    }
    fn lead(&self) -> &'static str {
        "The tables list particles, contacts, substeps and computing time of each scene here and in the paper."
    }
    fn cost(&self) -> [f64; 3] {
        // Its own scene: the others are those of pages that ran before.
        [1.0, 1.0, 5.0]
    }
    fn alone(&self) -> bool {
        true
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let mut scenes = vec![fig04::statistics()?];
        for row in &ROWS {
            let found = match statistics::kept(row.page, row.scene, ctx)? {
                Some(s) => s,
                None => {
                    row.page.run(ctx)?;
                    let missing = || std::io::Error::other(format!("{} kept no statistics", row.page.id()));
                    statistics::kept(row.page, row.scene, ctx)?
                        .ok_or_else(|| PageError::from_error(missing()))?
                }
            };
            scenes.push(found);
        }
        let mut paper = Table::new(
            "Sizes and computing times of the paper, on an RTX 4090",
            &[
                "scene",
                "grid spacing h [m]",
                "particles",
                "grid nodes",
                "time step Δt [ms]",
                "substeps per step",
                "contacts (mean)",
                "contacts (max.)",
                "time per step [ms]",
                "time per substep [ms]",
            ],
        );
        let rows = std::iter::once(("dough", DOUGH)).chain(ROWS.iter().map(|r| (r.scene, r.paper)));
        for (scene, row) in rows {
            let cells = std::iter::once(scene.to_owned()).chain(row.map(str::to_owned));
            paper.row(cells.chain([number(per_substep(&row)[0])]));
        }
        let mut out = PageOutput::new([
            "The dough has the box, the time step and the substeps of the paper, 2³ particles per cell, and the stopping rule of the paper with ε = 0.01. \
             It runs in single precision (f32) under a pin with prescribed motion. \
             It has two thirds of the particles and nodes of the paper. The reason for this difference is not known. \
             As in the paper, the pin keeps its place within a step. It therefore moves forward by 2 mm at once, touches the dough in the first of ten \
             substeps and throws it off. The following substeps have fewer contacts.",
            "The other scenes are the scenes of their pages, which run first if necessary. They are smaller and shorter than in the paper, unless --full is \
             given. The comparison with the paper therefore uses times per particle.",
            "Contacts are particles inside a body at the start of a substep. The table has the mean over all substeps and the maximum of a step. \
             The solver also includes particles that move into a body during the substep. \
             Most contacts of the bag and the laundry belong to the eight plates, which hold the sheet by friction (the tables of fig05 and fig06 list them \
             by body). The paper has so few contacts that its sheet must be held in another way. \
             Times are measured on the machine that made this page and include the effect of all its other work.",
        ]);
        let mut plot = Plot::new(
            "times",
            "Time of a substep per particle: this machine beside the RTX 4090 of the paper. Points on the dashed line are equal to the paper's.",
            "paper [ns]",
            "this run [ns]",
        )
        .log(true, true);
        let mut beside = Table::new(
            "Computing time of a substep per particle. Two threads of a processor and a graphics processor are unlike machines, so that no claim is made.",
            &["scene", "this run [ns]", "paper, RTX 4090 [ns]", "ratio [–]"],
        );
        let rows = std::iter::once(&DOUGH).chain(ROWS.iter().map(|r| &r.paper));
        for (s, row) in scenes.iter().zip(rows) {
            let own = s.milliseconds() / s.particles() as f64;
            let theirs = per_substep(row)[1];
            plot.add(s.scene(), Mark::Points, vec![(1e6 * theirs, 1e6 * own)]);
            beside.row([s.scene().to_owned(), number(1e6 * own), number(1e6 * theirs), number(own / theirs)]);
        }
        plot.add("equal", Mark::Dashed, vec![(1e2, 1e2), (1e4, 1e4)]);
        out.plot(plot);
        out.table(Statistics::table(&scenes));
        out.table(paper);
        out.table(beside);
        out.extend(scenes.iter().map(|s| {
            let id = format!("converged.{}", key(s));
            let claim = format!("{}: share of the contact solves that do not converge", s.scene());
            Claim::at_most(&id, &claim, 1e-3, s.unconverged(), "").required()
        }));
        let touched = scenes.iter().map(Statistics::contacts).fold(f64::INFINITY, f64::min);
        let claim = "all scenes: smallest mean number of particles inside bodies per substep";
        out.claim(Claim::at_least("contacts", claim, 1.0, touched, ""));
        Ok(out)
    }
}
