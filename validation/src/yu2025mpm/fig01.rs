mod arms;
mod fold;

use signorini_core::na::{Point3, Vector3};
use signorini_geometry::TriangleMesh;
use signorini_mpm::shirt;

use self::arms::{BOARD, Plan, seen_boards};
use self::fold::{CLOTH, CONTACT, FADING, Folded, HOLDING, Look, SKIN, Size, TOLERANCE, fold};
use super::fast::Fabric;
use super::statistics::{self, Statistics};
use signorini_report::claim::number;
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot};

/// Fig. 1: a T-shirt that two arms fold and unfold.
pub(super) struct Fig01;

const PAPER: Size = Size { spacing: 1.0 / 128.0, step: 2e-3, substeps: 4, pads: 1e3, boards: 3e2 };
const STANDARD: Size = Size { spacing: 1.0 / 33.0, step: 1.8e-3, substeps: 1, pads: 2.5e3, boards: 4.5e2 };
const QUICK: Size = Size { spacing: 1.0 / 25.0, step: 2.37e-3, ..STANDARD };
/// Edges of the made-up shirt \[m\]: quick, standard, and for as many vertices as the paper's.
const EDGES: [f64; 3] = [0.0395, 0.03, 0.0151];
/// The mesh of a real shirt, worn, below the models; the scaling that lays it flat: factors across, along and of its depth.
const MESH: &str = "meshes/newton_shirt/unisex_shirt.obj";
const FLAT: Vector3<f64> = Vector3::new(1.55, 1.05, 0.25);

/// Why particles may be deeper than asked for.
const WHY_DEEP: &str =
    "boards are soft: where grippers lay the cloth down they press single vertices on them";
/// Why few may be held.
const WHY_FEW: &str = "pads hold a few particles of the quick shirt; some slip to the edge of the pads on the way, and the others hold";

/// Why it may be longer than asked for where it is folded, and its corners end elsewhere.
const WHY_LONG: &str = "tips of the sleeves may lie nearer the hem than the line of folding, and stay there";
const WHY_APART: &str = "the shirt slides along on its boards, and its hem is drawn in between the grippers";

/// Places at which hands pinch: 2 cm from the sides, 5 cm from the hem, a little over the table \[m\].
const PINCH: Vector3<f64> = Vector3::new(0.25, 0.05, 0.005);
/// The line along which the shirt is folded \[m\].
const LINE: f64 = 0.37;

fn plan(ctx: &Context) -> Plan {
    let small = [0.2, 0.2, 1.2, 0.1, 0.2, 0.2];
    let durations = ctx.sized([[0.2, 0.2, 1.2, 0.1, 0.1, 0.1], small, [0.5, 0.4, 2.0, 0.3, 0.3, 0.5]]);
    Plan {
        rounds: ctx.sized([1, 2, 2]),
        durations,
        rest: ctx.sized([0.1, 0.1, 0.3]),
        pinch: PINCH,
        line: LINE,
        arc: 0.95,
        back: 0.12,
    }
}

fn moved(mesh: &TriangleMesh, to: impl Fn(&Point3<f64>) -> Point3<f64>) -> Result<TriangleMesh, PageError> {
    TriangleMesh::new(mesh.vertices().iter().map(to).collect(), mesh.triangles().to_vec())
        .map_err(PageError::from_error)
}

/// The made-up shirt on the table, its layers as far apart as a fifth of the edge.
fn made_up(edge: f64) -> Result<TriangleMesh, PageError> {
    let mesh = shirt(edge).map_err(PageError::from_error)?;
    moved(&mesh, |x| Point3::new(x.x, x.y, 0.2 * (x.z + 0.5 * edge) + 1e-4))
}

/// The real shirt, laid flat on the table; none without its file.
fn real(ctx: &Context) -> Result<Option<TriangleMesh>, PageError> {
    let Some(file) = ctx.models.as_ref().map(|m| m.join(MESH)).filter(|f| f.is_file()) else {
        return Ok(None);
    };
    let mesh = TriangleMesh::load(&file).map_err(PageError::from_error)?;
    let low = mesh.vertices().iter().fold(Vector3::repeat(f64::INFINITY), |a, x| a.inf(&x.coords));
    let place = |x: &Point3<f64>| FLAT.component_mul(&Vector3::new(x.x, x.y - low.y, x.z - low.z));
    moved(&mesh, |x| Point3::from(place(x) + 1e-4 * Vector3::z())).map(Some)
}

/// Edges of a pad, drawn in one line.
fn outline(corners: &[Vector3<f64>; 8], view: impl Fn(&Vector3<f64>) -> (f64, f64)) -> Vec<(f64, f64)> {
    [0, 1, 3, 2, 0, 4, 5, 7, 6, 4, 5, 1, 3, 7, 6, 2].iter().map(|i| view(&corners[*i])).collect()
}

fn views(look: &Look, start: &[Vector3<f64>]) -> [Plot; 2] {
    let slug = look.name.replace([' ', '-'], "_");
    let top = |x: &Vector3<f64>| (x.x, x.y);
    let side = |x: &Vector3<f64>| (x.y, x.z);
    let make = |kind: &str, from: &str, labels: [&str; 2], view: &dyn Fn(&Vector3<f64>) -> (f64, f64)| {
        let caption =
            format!("{}, {:.2} s: vertices and pads from {from}; dashed: boards", look.name, look.t);
        let mut plot = Plot::new(&format!("{kind}_{slug}"), &caption, labels[0], labels[1]);
        plot.equal_scales = true;
        for (name, lower) in [("lower half", true), ("upper half", false)] {
            let part = look.x.iter().zip(start).filter(|(_, s)| (s.y < LINE) == lower);
            plot.add(name, Mark::Points, part.map(|(x, _)| view(x)).collect());
        }
        for [x0, x1, y0, y1] in seen_boards() {
            let corners = [(x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0)];
            let edges = [(y0, 0.0), (y1, 0.0), (y1, -BOARD), (y0, -BOARD), (y0, 0.0)];
            plot.add_colored("", Mark::Dashed, 6, if kind == "top" { corners } else { edges }.to_vec());
        }
        for pad in &look.pads {
            plot.add_colored("", Mark::Line, 6, outline(pad, view));
        }
        plot
    };
    [make("top", "above", ["x [m]", "y [m]"], &top), make("side", "the side", ["y [m]", "z [m]"], &side)]
}

impl Page for Fig01 {
    fn id(&self) -> &'static str {
        "yu2025mpm/fig01"
    }
    fn title(&self) -> &'static str {
        "A T-shirt that two arms fold and unfold"
    }
    fn lead(&self) -> &'static str {
        "Two arms fold a T-shirt of cloth and unfold it again."
    }
    fn cost(&self) -> [f64; 3] {
        [9.0, 30.0, 10800.0]
    }
    // Its time is that of a row of table 1.
    fn alone(&self) -> bool {
        true
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let (plan, size) = (plan(ctx), ctx.sized([QUICK, STANDARD, PAPER]));
        let file = ctx.root.join("models/arm_gripper/arm_gripper.xml");
        let arm = std::fs::read_to_string(&file)
            .map_err(|source| PageError::Io { path: file.display().to_string(), source })?;
        let found = if ctx.full() { real(ctx)? } else { None };
        let known = found.is_some();
        let mesh = match found {
            Some(mesh) => mesh,
            None => made_up(ctx.sized(EDGES))?,
        };
        let run = fold(&mesh, &plan, &size, &arm, ctx)?;
        let mut out = PageOutput::new(text(&run, &plan, &size, known));
        out.heading("Shapes");
        let caption =
            if plan.rounds > 1 { "Two arms fold the shirt and unfold it" } else { "Two arms fold the shirt" };
        out.film(run.film.attachment("shirt"), caption);
        for look in &run.looks {
            out.extend(views(look, &run.looks[0].x));
        }
        account(&run, &plan, &size, &mut out);
        if !known {
            let what = "a made-up shirt for the paper's mesh, which is not public";
            out.claims_mut().for_each(|c| c.substitute = Some(what.to_owned()));
        }
        out.extend([run.bounds.table(), Statistics::table([&run.statistics])]);
        statistics::keep(&run.statistics, ctx)?;
        Ok(out)
    }
}

fn text(run: &Folded, plan: &Plan, size: &Size, known: bool) -> Vec<String> {
    let shirt = if known {
        format!(
            "The mesh of a worn shirt ({MESH}), laid flat by factors of {} across, {} along and {} of its depth, which keeps its girth",
            FLAT.x, FLAT.y, FLAT.z
        )
    } else {
        "A shirt that was made up, for the paper's mesh is not public: two layers, sewn at sides, sleeves and shoulders".to_owned()
    };
    let Fabric { young, poisson, density, thickness } = CLOTH;
    let (dissipation, friction) = CONTACT;
    let [reach, close, carry, hold, open, back] = plan.durations;
    let speed = std::f64::consts::PI * (plan.line - plan.pinch.y) * 1.875 / carry;
    vec![
        format!(
            "{shirt}; {} vertices, {} kg, f32. It lies on a table between two arms (two copies of models/arm_gripper, which carry their own weight) and is folded along a line {} m from its hem and unfolded again: \
             the grippers reach in from both sides ({reach} s), pinch it {} m from its middle and {} m from the hem ({close} s), carry it over on an arc, turned by 180° ({carry} s, up to {speed:.1} m/s), hold still ({hold} s), open ({open} s) and draw back by {} m ({back} s); then, in standard and full sizes, they pinch it again and do the same backwards. \
             The table has slots for the lower fingers at both places. Motors are told the angles that damped least squares give for each step, ahead by what their dampers hold back; fingers open to 0.08 m and close to 0.001 m, where they press with up to 8 N.",
            run.vertices,
            number(run.mass),
            plan.line,
            plan.pinch.x,
            plan.pinch.y,
            plan.back
        ),
        format!(
            "Cloth of E = {} Pa, ν = {poisson}, {density} kg/m³, {thickness} m thick (the paper has no thickness, its release takes the spacing of the grid; this is {} kg/m²); strain rates fade in {FADING} s, as in the release. Grid of {} m. \
             Contacts with pads of {} N/m and {dissipation} s/m for each particle, friction {friction} (paper, and --full: 10³ N/m; quick and standard, with a seventh and a quarter of the particles between pads: 2.5·10³ N/m, beyond which their forces chatter at its step), with boards, hands and links of {} N/m (the ground of the release is a border of its grid), holding below {} and {} m/s. Pads have a soft skin of {SKIN} m, so that closed ones, 1 mm apart, press what is between them. Solves to {TOLERANCE}. \
             The cloth meets pads, hands, all links of both arms, and boards. Its layers meet each other on the grid alone: one stops over the other as soon as the grid carries both, up to two spacings away, where nothing else holds it.",
            number(young),
            thickness * density,
            number(size.spacing),
            number(size.pads),
            number(size.boards),
            HOLDING[0],
            HOLDING[1]
        ),
        format!(
            "Bodies take steps of {} s, points {} in each of them (paper, and --full: 2 ms and 4). Bodies go on at their velocity within a step: kept in place through it, as in the paper, a pad would lag by {:.1} mm at its {speed:.1} m/s in the last of the paper's substeps, more than its skin. \
             A particle is on the wrong side of a gripper if it goes from one side of a pad to the other across it between two steps. In pads without their skin vertices are at most {:.2} mm deep, centres of triangles {:.2} mm. Dots: vertices, by what half of the shirt they belong to; grey: the pads.",
            size.step,
            size.substeps,
            1e3 * speed * PAPER.step * (1.0 - 1.0 / f64::from(PAPER.substeps)),
            1e3 * run.inside[0],
            1e3 * run.inside[1]
        ),
    ]
}

/// Extent, force on the pads, particles between them.
fn curves(run: &Folded) -> [Plot; 3] {
    let of = |f: &dyn Fn(&fold::Sample) -> f64| run.samples.iter().map(|s| (s.t, f(s))).collect::<Vec<_>>();
    let mut extent =
        Plot::new("extent", "Extent along the way of folding, and mean height", "time [s]", "[m]");
    extent.add("extent", Mark::Line, of(&|s| s.extent));
    extent.add("mean height", Mark::Line, of(&|s| s.height));
    let mut press = Plot::new(
        "press",
        "Force across of the cloth on the pads of each gripper, mean of both",
        "time [s]",
        "force [N]",
    );
    let mut held = Plot::new("held", "Particles between the pads of each gripper", "time [s]", "particles");
    for (a, name) in ["left", "right"].into_iter().enumerate() {
        press.add(name, Mark::Line, of(&|s| s.press[a]));
        held.add(name, Mark::Line, of(&|s| s.held[a] as f64));
    }
    [extent, press, held]
}

/// Height of the upper half above the lower one where it lies folded \[m\], by medians of its vertices.
fn layers(run: &Folded) -> f64 {
    let Some(look) = run.looks.iter().find(|l| l.name == "folded") else { return f64::NAN };
    let median = |lower: bool| {
        let part = look.x.iter().zip(&run.looks[0].x).filter(|(_, s)| (s.y < LINE) == lower);
        let mut heights: Vec<f64> = part.map(|(x, _)| x.z).collect();
        heights.sort_by(f64::total_cmp);
        heights.get(heights.len() / 2).copied().unwrap_or(f64::NAN)
    };
    median(true) - median(false)
}

/// Why claims on the way back are skipped.
const FOLDED_ALONE: &str = "the shirt is folded alone; larger sizes unfold it again";

/// Claims on the way back.
fn unfolding() -> [(&'static str, &'static str); 4] {
    [
        ("held/unfold", "fewest particles between the pads on the way back, beside those pinched"),
        ("unfolded", "extent along the way of folding at the end, as a part of that at the start"),
        ("flat", "mean height at the end: one spacing of the grid"),
        ("corners", "mean distance of the pinched particles from their places at the start, at the end"),
    ]
}

/// Sections on the extent, the grip and contact.
fn account(run: &Folded, plan: &Plan, size: &Size, out: &mut PageOutput) {
    let [spread, press, between] = curves(run);
    let at = |t: f64| run.samples.iter().min_by(|a, b| (a.t - t).abs().total_cmp(&(b.t - t).abs()));
    let extent = |t: f64| at(t).map_or(f64::NAN, |s| s.extent);
    let first = run.samples.first().map_or(f64::NAN, |s| s.extent);
    let end = run.samples.last();
    // The fewest of the way, beside those pinched at its start.
    let held = |round: usize| {
        let (from, to) = (plan.after(round, 1), plan.after(round, 2));
        let first = at(from).map_or([0; 2], |s| s.held);
        let way = run.samples.iter().filter(|s| s.t >= from && s.t <= to);
        // Who holds none at first holds none.
        let parts = way.flat_map(|s| [0, 1].map(|a| s.held[a] as f64 / first[a].max(1) as f64));
        parts.fold(f64::INFINITY, f64::min)
    };
    out.heading("Extent and height");
    out.plot(spread);
    out.extend([
        Claim::at_most(
            "folded",
            "extent along the way of folding, folded, as a part of that at the start",
            0.6,
            extent(plan.after(0, 5)) / first,
            "",
        ).required()
        .because(WHY_LONG),
        Claim::at_most(
            "layers",
            "folded: median height of the half that was carried over, above that of the half below, in spacings of the grid; beyond three splines of two sheets share no node",
            3.0,
            layers(run) / size.spacing,
            "",
        ),
    ]);
    out.extend(match plan.rounds {
        1 => unfolding().map(|(id, claim)| Claim::skipped(id, claim, FOLDED_ALONE)).to_vec(),
        _ => vec![
            Claim::at_least(
                "held/unfold",
                "fewest particles between the pads on the way back, beside those pinched",
                0.5,
                held(1),
                "",
            )
            .required()
            .because(WHY_FEW),
            Claim::at_least(
                "unfolded",
                "extent along the way of folding at the end, as a part of that at the start",
                0.9,
                end.map_or(f64::NAN, |s| s.extent) / first,
                "",
            )
            .required(),
            Claim::at_most(
                "flat",
                "mean height at the end: one spacing of the grid",
                size.spacing,
                end.map_or(f64::NAN, |s| s.height),
                "m",
            ),
            Claim::at_most(
                "corners",
                "mean distance of the pinched particles from their places at the start, at the end",
                0.05,
                run.apart,
                "m",
            )
            .required()
            .because(WHY_APART),
        ],
    });
    out.heading("Grip");
    out.extend([press, between]);
    out.extend([
        Claim::at_least(
            "held/fold",
            "fewest particles between the pads on the way over, beside those pinched",
            0.5,
            held(0),
            "",
        )
        .required()
        .because(WHY_FEW),
        Claim::at_most(
            "side",
            "particles that went across a pad from one side to the other",
            0.0,
            run.passed as f64,
            "",
        ),
        Claim::at_most(
            "inside",
            "no particle is deeper in a pad without its skin",
            1e-4,
            run.inside[0].max(run.inside[1]),
            "m",
        )
        .required(),
    ]);
    out.heading("Contact and solves");
    out.extend([
        Claim::at_most(
            "deepest",
            "no particle is deeper in a board, a hand, a link or the skin of a pad",
            2e-3,
            run.deepest,
            "m",
        )
        .required()
        .because(WHY_DEEP),
        Claim::at_most(
            "momentum",
            "change of momentum in a step beside what gravity and obstacles give, as a part of the weight's",
            1e-2,
            run.lost,
            "",
        )
        .required(),
        Claim::at_most(
            "converged",
            "part of the solves that did not converge",
            1e-3,
            run.statistics.unconverged(),
            "",
        )
        .required(),
        Claim::at_most(
            "reached",
            "distance of grippers from their way by the angles that the motors are told",
            1e-3,
            run.missed,
            "m",
        )
        .required(),
    ]);
}
