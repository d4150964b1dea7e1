//! Figs. 15 to 17 and Table I: an arm empties a dish rack.

mod artefacts;
mod cells;
mod runs;

use signorini_report::claim::{counted, number};
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Picture, Plot, Table};

use super::failed;
use crate::motion::Motion;
use crate::scenes::dish_rack::{DishRack, Kit, kit};
use artefacts::{COUNTED, STILL, TURNS, WINDOW};
use cells::{CELLS, Cell, Summary};
use runs::Run;

/// Table I: artefacts and real-time rates over accuracies and steps.
pub(super) struct Table1;

/// Stand-in for the recording of the paper.
const SUBSTITUTE: &str = "a scripted motion of an arm and dishes of this project, in place of the recording of the paper, which is not public";
/// Cells whose motion is shown.
const FILMED: [&str; 2] = ["1e-3", "10ms"];

impl Page for Table1 {
    fn id(&self) -> &'static str {
        "kurtz2025cenic/table1"
    }
    fn title(&self) -> &'static str {
        "A dish rack is emptied, over accuracies and steps"
    }
    fn lead(&self) -> &'static str {
        "An arm tips a rack of dishes over a sink. Runs with error control and with fixed steps are searched for dishes that pass through things or rattle, and their real-time rates are compared."
    }
    fn cost(&self) -> [f64; 3] {
        [15.0, 35.0, 450.0]
    }
    fn alone(&self) -> bool {
        true
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let kit = kit(ctx.models.as_deref());
        let mut out = PageOutput::new(prose(&kit));
        let mut films = Vec::new();
        let seeds = ctx.sized([1, 1, 3]);
        let small = DishRack::small(&kit).map_err(failed)?;
        let summaries =
            run_cells(ctx, &small, seeds, |cell| ctx.sized([cell.quick, !cell.fine, true]), &mut films)?;
        show(films, ("small", "Five dishes"), &dump_times(&small), &mut out);
        out.table(table("Five dishes", &summaries));
        plots(&summaries, "small", &mut out);
        claims(&summaries, &mut out);
        if ctx.full() {
            full(ctx, &kit, &mut out)?;
        }
        out.claims_mut().for_each(|c| *c = c.clone().with_substitute(SUBSTITUTE));
        Ok(out)
    }
}

/// All dishes, with the whole path.
fn full(ctx: &Context, kit: &Kit, out: &mut PageOutput) -> Result<(), PageError> {
    let rack = DishRack::full(kit).map_err(failed)?;
    let mut films = Vec::new();
    let summaries = run_cells(ctx, &rack, 1, |cell| !cell.fine, &mut films)?;
    out.heading("Thirteen dishes");
    out.prose(
        "Five plates, two mugs, two forks, two knives and two spoons are in the rack. The arm lifts the rack, turns to the sink, and goes on as with five dishes.",
    );
    show(films, ("full", "Thirteen dishes"), &dump_times(&rack), out);
    out.table(table("Thirteen dishes", &summaries));
    plots(&summaries, "full", out);
    let at = summaries.iter().find(|s| s.cell.id == "1e-3");
    if let Some(s) = at {
        out.claim(passes("full/passes/1e-3", "thirteen dishes", s));
    }
    Ok(())
}

/// Films with their stills.
fn show(films: Vec<(Cell, Motion)>, (name, dishes): (&str, &str), times: &[f64], out: &mut PageOutput) {
    for (cell, motion) in films {
        let name = format!("{name}_{}", cell.id);
        let stills = motion.stills(times).into_iter().enumerate().map(|(i, s)| Picture {
            name: format!("{name}_{}", i + 1),
            caption: format!("{:.2} s", s.t),
            svg: s.svg,
        });
        let caption = format!("{dishes}, {}", cell.words());
        out.film_with_stills(motion.attachment(&name), caption, stills.collect());
    }
}

/// Times of stills: before, while the rack is emptied, and at the end \[s\].
fn dump_times(rack: &DishRack) -> [f64; 5] {
    let p = &rack.path;
    [0.0, p.tips + 1.0, p.tips + 1.4, p.tips + 1.8, p.end]
}

fn prose(kit: &Kit) -> Vec<String> {
    use crate::scenes::dish_rack as scene;
    let dishes = match kit {
        Kit::Made => "All dishes are made of convex parts in code.".to_owned(),
        Kit::Scanned(_) => "Mugs and knives are the convex parts of models of other projects (`dishes/object_sim`); plates, forks and spoons are made of convex parts in code.".to_owned(),
    };
    vec![
        "A rack of wires of 5 mm is welded to the hand of an arm of four joints. Plates stand between tines, mugs stand upside down, and cutlery stands in a cup with walls of 3 mm. The motors of the arm are \
         stiff position servos, whose targets move along a scripted path. The arm tips the rack by 115° over a sink, shakes it five times between 112° and 130°, turns it back, and rests for 2 s."
            .to_owned(),
        format!(
            "Dishes, rack, sink and table meet over areas (hydroelastic contact). Dishes are compliant with a modulus of {:e} Pa and a dissipation of {} s/m. Rack, sink and table are rigid. The friction coefficient is {}, and the \
             stiction speed is 1 mm/s. Nothing meets in points. The links of the arm do not collide. {dishes}",
            scene::MODULUS, scene::DISSIPATION, scene::FRICTION
        ),
        "Rule for passing through: a geom is a wall if its thickness is at most 0.6 of its next larger side. A dish passes if between two accepted states a point of one body goes through the middle plane of a wall of another body, at least half the \
         thickness of the wall inside of its outline. Points are corners, rims and middles of all parts, and points every 8 mm along wires and handles. The middle of a dish must also stay in the rack until the rack tips, and above \
         the table and the floor of the sink at all times."
            .to_owned(),
        format!(
            "Rule for rattling: in the last {WINDOW} s of a run, when the arm has rested for 1 s, a dish has a mean of √(2K/m) above {} mm/s with its kinetic energy K and mass m, this mean is in the second half more than half of that of \
             the whole, and its vertical velocity changes sign {TURNS} times or more, counted from {} mm/s on. Both rules were written before the first run.",
            number(1e3 * STILL), number(1e3 * COUNTED)
        ),
        "The real-time rate is the simulated time over the processor time of one core, without the search for artefacts. The rates of the paper are from another machine and another scene."
            .to_owned(),
    ]
}

/// Runs of cells, over seeds from 0 on; the first seed of some is filmed.
fn run_cells(
    ctx: &Context,
    rack: &DishRack,
    seeds: u64,
    wanted: impl Fn(&Cell) -> bool,
    films: &mut Vec<(Cell, Motion)>,
) -> Result<Vec<Summary>, PageError> {
    let mut out = Vec::new();
    for cell in CELLS.into_iter().filter(|c| wanted(c)) {
        let mut summary = Summary::new(cell, rack.path.end);
        for seed in 0..seeds {
            ctx.say(format!("{}, seed {seed}", cell.words()));
            let placed = if seed == 0 { rack.clone() } else { rack.clone().jittered(seed) };
            let scene = placed.scene().map_err(failed)?;
            let filmed = seed == 0 && FILMED.contains(&cell.id);
            let mut run = Run::new(&placed, &scene, &cell.method(), filmed)?;
            films.extend(run.motion.take().map(|m| (cell, m)));
            summary.add(&run);
        }
        out.push(summary);
    }
    Ok(out)
}

fn table(dishes: &str, summaries: &[Summary]) -> Table {
    let runs = summaries.iter().map(|s| s.runs).max().unwrap_or(0);
    let mut table = Table::new(
        &format!("{dishes}: artefacts and work, over {}", counted(runs, "run")),
        &[
            "stepping",
            "artefacts",
            "passings",
            "dishes that rattle",
            "dishes in the sink at the end",
            "largest mean speed of a dish at the end, those that fall included [mm/s]",
            "real-time rate [%]",
            "accepted steps",
            "rejected",
            "Newton iterations",
            "contacts per step",
            "paper: artefacts",
            "paper: real-time rate [%]",
        ],
    );
    for s in summaries {
        let yes = |b: bool| if b { "yes" } else { "no" }.to_owned();
        let of = |x: f64| format!("{:.0}", x / s.runs as f64);
        let paper =
            s.cell.paper.map_or(["–".to_owned(), "–".to_owned()], |(a, rate)| [yes(a), rate.to_string()]);
        table.row(
            [
                s.cell.words(),
                yes(s.shows_artefacts()),
                s.passings.len().to_string(),
                s.rattling.to_string(),
                s.in_sink.to_string(),
                number(1e3 * s.liveliest),
                format!("{:.0}", 100.0 * s.rate()),
                of(s.steps),
                of(s.rejected),
                of(s.iterations),
                of(s.contacts),
            ]
            .into_iter()
            .chain(paper),
        );
    }
    table
}

/// Real-time rate against accuracy and against step, artefacts marked.
fn plots(summaries: &[Summary], name: &str, out: &mut PageOutput) {
    for (key, what, unit, controlled) in
        [("accuracy", "accuracy of error control", "[m or rad]", true), ("step", "fixed step", "[s]", false)]
    {
        let mut plot = Plot::new(
            &format!("{name}_{key}"),
            &format!("Real-time rate over the {what}. Runs with artefacts are marked."),
            &format!("{what} {unit}"),
            "real-time rate [%]",
        )
        .log(true, true);
        let these = || summaries.iter().filter(|s| s.cell.controlled == controlled);
        let points = |artefacts: bool| {
            these()
                .filter(|s| s.shows_artefacts() == artefacts)
                .map(|s| (s.cell.value, 100.0 * s.rate()))
                .collect()
        };
        plot.add("this run", Mark::Line, these().map(|s| (s.cell.value, 100.0 * s.rate())).collect());
        plot.add("without artefacts", Mark::Points, points(false));
        plot.add("with artefacts", Mark::Points, points(true));
        let known = CELLS.iter().filter(|c| c.controlled == controlled && c.known);
        plot.add_paper("", known.filter_map(|c| Some((c.value, c.paper?.1))).collect());
        out.plot(plot);
    }
}

fn passes(id: &str, dishes: &str, s: &Summary) -> Claim {
    let text = format!("{dishes}, {}: number of passings through walls", s.cell.words());
    Claim::at_most(id, &text, 0.0, s.passings.len() as f64, "")
        .required_since("by the rule for passing through")
        .because(&s.passings.join("; "))
}

fn claims(summaries: &[Summary], out: &mut PageOutput) {
    let at = |id: &str| summaries.iter().find(|s| s.cell.id == id);
    if let Some(s) = at("1e-3") {
        out.claim(passes("passes/1e-3", "five dishes", s));
        let text = format!("five dishes, {}: number of dishes that rattle", s.cell.words());
        out.claim(
            Claim::at_most("rattles/1e-3", &text, 0.0, s.rattling as f64, "")
                .required_since("by the rule for rattling"),
        );
    }
    for cell in CELLS {
        let Some((paper, _)) = cell.paper else { continue };
        let word = |b: bool| if b { "artefacts" } else { "no artefacts" }.to_owned();
        let id = format!("cell/{}", cell.id);
        let text = format!("{}: artefacts as in the paper", cell.words());
        let Some(s) = at(cell.id) else {
            out.claim(Claim::skipped(&id, &text, "this cell is run in larger sizes of the suite"));
            continue;
        };
        let found = s.shows_artefacts();
        let mut claim = Claim::decided(&id, &text, found == paper)
            .values(word(paper), word(found), "")
            .rule("as the paper has it");
        claim = claim.published(&word(paper)).because(&s.reason());
        out.claim(claim);
    }
    if let (Some(a), Some(b)) = (at("1e-3"), at("1ms")) {
        let text = "five dishes: real-time rate under error control at 1e-3 over that with steps of 1 ms";
        out.claim(
            Claim::at_least("faster", text, 1.0, a.rate() / b.rate(), "")
                .rule("required: error control is faster than the fixed step at which the paper has no artefacts")
                .published("16 times")
                .timed(),
        );
    }
}
