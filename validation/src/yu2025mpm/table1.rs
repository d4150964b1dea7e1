use signorini_report::claim::number;
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};

use super::fig01::Fig01;
use super::fig03::Fig03;
use super::fig04;
use super::fig05::Fig05;
use super::fig06::Fig06;
use super::statistics::{self, Published, Statistics};

/// Table I: sizes, contacts and times of the scenes.
pub(super) struct Table1;

/// Scenes of the paper's table that have pages here.
const SCENES: [(&str, &dyn Page); 4] =
    [("box bagging", &Fig05), ("laundry", &Fig06), ("T-shirt", &Fig01), ("close, lift, shake", &Fig03)];

/// Name of a scene in the names of claims.
fn key(scene: &Statistics) -> String {
    scene.scene().replace(", ", "_").replace(' ', "_")
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
        for (scene, page) in SCENES {
            let found = match statistics::kept(page, scene, ctx)? {
                Some(s) => s,
                None => {
                    page.run(ctx)?;
                    let missing = || std::io::Error::other(format!("{} kept no statistics", page.id()));
                    statistics::kept(page, scene, ctx)?.ok_or_else(|| PageError::from_error(missing()))?
                }
            };
            scenes.push(found);
        }
        let mut out = PageOutput::new([
            "The dough has the box, the time step and the substeps of the paper, 2³ particles per cell, and the stopping rule of the paper with ε = 0.01. \
             It runs in single precision (f32) under a pin with prescribed motion. \
             It has two thirds of the particles and nodes of the paper. The reason for this difference is not known. \
             As in the paper, the pin keeps its place within a step. It therefore moves forward by 2 mm at once, touches the dough in the first of ten \
             substeps and throws it off. The following substeps have fewer contacts.",
            "The other scenes are the scenes of their pages, which run first if necessary. They are smaller and shorter than in the paper, unless --full is \
             given. The comparison with the paper therefore uses times per particle.",
            "Contacts are particles inside a body at the start of a substep, and triangles of the cloth with corners and edges of boxes and plates. \
             The table has the mean over all substeps and the maximum of a step. \
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
        let mut contacts = Plot::new(
            "contacts",
            "Contacts over the number of particles: this run beside Table I of the paper, mean over the run and largest number of a step. \
             Points on the dashed line are equal to the paper's.",
            "contacts, paper [% of the particles]",
            "contacts, this run [% of the particles]",
        )
        .log(true, true);
        for s in &scenes {
            let Some(paper) = Published::of(s.scene()) else { continue };
            let own = s.milliseconds() / s.particles() as f64;
            let theirs = paper.milliseconds() / paper.particles();
            plot.add(s.scene(), Mark::Points, vec![(1e6 * theirs, 1e6 * own)]);
            beside.row([s.scene().to_owned(), number(1e6 * own), number(1e6 * theirs), number(own / theirs)]);
            let shares = paper.contacts().into_iter().zip([s.contacts(), f64::from(s.most_contacts())]);
            let points = shares.map(|(a, b)| (100.0 * a / paper.particles(), s.share(b)));
            contacts.add(s.scene(), Mark::Points, points.collect());
        }
        plot.add("equal", Mark::Dashed, vec![(1e2, 1e2), (1e4, 1e4)]);
        contacts.add("equal", Mark::Dashed, vec![(0.05, 0.05), (50.0, 50.0)]);
        out.extend([plot, contacts]);
        out.table(Statistics::table(&scenes));
        out.table(beside);
        out.extend(scenes.iter().map(|s| {
            let id = format!("converged.{}", key(s));
            let claim = format!("{}: share of the contact solves that do not converge", s.scene());
            Claim::at_most(&id, &claim, 1e-3, s.unconverged(), "")
                .required_since("one solve in a thousand may end early")
        }));
        let touched = scenes.iter().map(Statistics::contacts).fold(f64::INFINITY, f64::min);
        let claim = "all scenes: smallest mean number of particles inside bodies per substep";
        out.claim(
            Claim::at_least("contacts", claim, 1.0, touched, "particles")
                .rule("at least one, without which a scene has no contact to measure"),
        );
        let why = "The pin keeps its place within a step, as in the paper. It touches the dough in the first of ten substeps and throws it off.";
        let each = scenes.iter().filter_map(|s| s.claim_of_contacts(&format!("contacts.{}", key(s))));
        out.extend(each.map(|c| if c.id.ends_with("dough") { c.because(why) } else { c }));
        let bag = scenes.iter().find(|s| s.scene() == "box bagging");
        out.extend(bag.and_then(|s| s.claim_of_no_more_contacts("more_contacts.box_bagging")));
        Ok(out)
    }
}
