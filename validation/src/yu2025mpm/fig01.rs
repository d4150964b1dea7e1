mod arms;
mod fold;

use signorini_core::na::{Point3, Vector3};
use signorini_geometry::TriangleMesh;
use signorini_mpm::shirt;

use self::arms::{BOARD, Plan, seen_boards};
use self::fold::{CLOTH, CONTACT, FADING, Folded, HOLDING, Look, SKIN, Size, TOLERANCE, fold};
use super::fast::Fabric;
use super::statistics::{self, Statistics};
use signorini_report::claim::{counted, number};
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot};

/// Fig. 1: a T-shirt that two arms fold and unfold.
pub(super) struct Fig01;

const PAPER: Size =
    Size { spacing: 1.0 / 128.0, step: 2e-3, substeps: 4, pads: 1e3, boards: 3e2, part: 0.25 };
const STANDARD: Size =
    Size { spacing: 1.0 / 33.0, step: 1.8e-3, substeps: 1, pads: 2.5e3, boards: 4.5e2, part: f64::INFINITY };
const QUICK: Size = Size { spacing: 1.0 / 25.0, step: 2.37e-3, ..STANDARD };
/// Edges of the made-up shirt \[m\]: quick, standard, and for as many vertices as the paper's.
const EDGES: [f64; 3] = [0.0395, 0.03, 0.0151];
/// The mesh of a real shirt, worn, below the models; the scaling that lays it flat: factors across, along and of its depth.
const MESH: &str = "meshes/newton_shirt/unisex_shirt.obj";
const FLAT: Vector3<f64> = Vector3::new(1.55, 1.05, 0.25);

/// Why particles may be deeper than asked for.
const WHY_DEEP: &str = "The contact of the table is soft. Where the grippers lay the cloth down, they press single vertices into the table.";
/// Why few may be held.
const WHY_FEW: &str = "The pads hold only a few particles of the quick shirt. Some particles slip to the edge of the pads during the motion. \
    The other particles stay between the pads.";

/// Why it may be longer than asked for where it is folded, and its corners end elsewhere.
const WHY_LONG: &str = "The tips of the sleeves may lie closer to the hem than the folding line. They stay there during folding.";
const WHY_APART: &str = "The shirt slides along the table, and the hem between the grippers is drawn inward.";

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
        let caption = format!(
            "Cloth vertices and finger pads, seen from {from} at {:.2} s ({}). Dashed lines are the plates of the table.",
            look.t, look.name
        );
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
        "Two-arm folding and unfolding of a T-shirt"
    }
    fn lead(&self) -> &'static str {
        "Two robot arms fold a T-shirt of cloth. Larger sizes of this page unfold it again."
    }
    fn cost(&self) -> [f64; 3] {
        [6.0, 30.0, 10800.0]
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
            if plan.rounds > 1 { "Two arms fold and unfold the shirt" } else { "Two arms fold the shirt" };
        out.film(run.film.attachment("shirt"), caption);
        for look in &run.seen.looks {
            out.extend(views(look, &run.seen.looks[0].x));
        }
        account(&run, &plan, &size, &mut out);
        out.extend(run.seen.statistics.claim_of_contacts("contacts"));
        if !known {
            let what = "The paper's shirt mesh is not public. A synthetic shirt mesh replaces it.";
            out.claims_mut().for_each(|c| c.substitute = Some(what.to_owned()));
        }
        out.heading("Contacts and computing time");
        out.plot(run.seen.statistics.contact_plot());
        out.extend([run.seen.bounds.table(), Statistics::table([&run.seen.statistics])]);
        statistics::keep(&run.seen.statistics, ctx)?;
        Ok(out)
    }
}

fn text(run: &Folded, plan: &Plan, size: &Size, known: bool) -> Vec<String> {
    let shirt = if known {
        format!(
            "The shirt is the mesh of a worn shirt ({MESH}). The mesh is scaled by {} across, {} along and {} in depth, which lays it flat and keeps \
             its girth.",
            FLAT.x, FLAT.y, FLAT.z
        )
    } else {
        "The paper's shirt mesh is not public. A synthetic shirt replaces it. It has two layers, which are sewn together at the sides, sleeves and \
         shoulders.".to_owned()
    };
    let Fabric { young, poisson, density, thickness } = CLOTH;
    let (dissipation, friction) = CONTACT;
    let [reach, close, carry, hold, open, back] = plan.durations;
    let speed = std::f64::consts::PI * (plan.line - plan.pinch.y) * 1.875 / carry;
    vec![
        format!(
            "{shirt} The shirt has {} vertices and a mass of {} kg. Its particles are computed in single precision (f32). \
             It lies on a table between two robot arms. Both arms are copies of models/arm_gripper with gravity compensation. \
             The table consists of rigid plates. It has slots for the lower fingers where the grippers pinch the shirt.",
            run.vertices,
            number(run.mass),
        ),
        format!(
            "The arms fold the shirt along a line {} m from its hem. The grippers reach in from both sides ({reach} s). \
             They pinch the shirt {} m from its middle and {} m from its hem ({close} s). They carry it over on an arc and turn by 180° ({carry} s, up to \
             {speed:.1} m/s). \
             They hold still ({hold} s), open ({open} s) and draw back by {} m ({back} s). In the standard and full sizes they then pinch the shirt again \
             and unfold it with the reversed motion.",
            plan.line, plan.pinch.x, plan.pinch.y, plan.back
        ),
        "Damped least squares give the joint angles for each time step. The motor targets lead these angles to compensate for the damping of the joints. \
         The fingers open to 0.08 m and close to 0.001 m. Closed fingers press with up to 8 N."
            .to_owned(),
        format!(
            "The cloth has E = {} Pa, ν = {poisson}, a density of {density} kg/m³ and a thickness of {thickness} m, which gives {} kg/m². \
             The paper states no thickness. The authors' released code uses the grid spacing as thickness. \
             Strain rates decay with a time constant of {FADING} s, as in the released code. \
             The grid spacing is {} m.",
            number(young),
            thickness * density,
            number(size.spacing),
        ),
        format!(
            "The cloth touches the pads, the hands, all links of both arms and the table. Each contact of a particle with a pad has a stiffness of {} N/m, \
             a dissipation of {dissipation} s/m and a friction coefficient of {friction}. \
             The paper and the full size use 10³ N/m. The quick and standard sizes have a seventh and a quarter of the particles between the pads and use \
             2.5·10³ N/m. A higher stiffness makes the pad forces chatter at this time step. \
             Contacts with the table, hands and links have {} N/m. In the released code the ground is a boundary of the grid. \
             The stiction speed is {} m/s for pads and {} m/s for all other bodies. \
             Pads have a soft skin of {SKIN} m. Closed pads are 1 mm apart, and the skin lets them press the cloth between them. \
             Contact is solved to a relative tolerance of {TOLERANCE}.",
            number(size.pads),
            number(size.boards),
            HOLDING[0],
            HOLDING[1]
        ),
        "Layers of cloth interact only through the grid. Two layers stop each other as soon as they reach common grid nodes. \
         This happens at a distance of up to two grid spacings if nothing else presses them together."
            .to_owned(),
        format!(
            "Rigid bodies take time steps of {} s. The particles take {} in each time step (paper and full size: 2 ms and 4 substeps). \
             Bodies move at constant velocity within a time step. The paper keeps them in place during the step. \
             A pad at {speed:.1} m/s would then lag by {:.1} mm in the last of the paper's substeps. This lag exceeds the thickness of the skin.",
            size.step,
            counted(u64::from(size.substeps), "substep"),
            1e3 * speed * PAPER.step * (1.0 - 1.0 / f64::from(PAPER.substeps)),
        ),
        format!(
            "A particle has crossed a pad if it moves from one side of the pad to the other between two time steps. \
             The penetration depth into a pad without its skin is at most {:.2} mm for vertices and {:.2} mm for triangle centres. \
             The drawings show vertices as dots, whose colour shows the half of the shirt. Pads are grey.",
            1e3 * run.seen.inside[0],
            1e3 * run.seen.inside[1]
        ),
    ]
}

/// Extent, force on the pads, particles between them.
fn curves(run: &Folded) -> [Plot; 3] {
    let of =
        |f: &dyn Fn(&fold::Sample) -> f64| run.seen.samples.iter().map(|s| (s.t, f(s))).collect::<Vec<_>>();
    let mut extent = Plot::new(
        "extent",
        "Extent of the shirt along the folding direction, and its mean height",
        "time [s]",
        "length [m]",
    );
    extent.add("extent", Mark::Line, of(&|s| s.extent));
    extent.add("mean height", Mark::Line, of(&|s| s.height));
    let mut press = Plot::new(
        "press",
        "Normal force of the cloth on the pads of each gripper (mean of its two pads)",
        "time [s]",
        "force [N]",
    );
    let mut held = Plot::new(
        "held",
        "Number of particles between the pads of each gripper",
        "time [s]",
        "particles [–]",
    );
    for (a, name) in ["left", "right"].into_iter().enumerate() {
        press.add(name, Mark::Line, of(&|s| s.press[a]));
        held.add(name, Mark::Line, of(&|s| s.held[a] as f64));
    }
    [extent, press, held]
}

/// Height of the upper half above the lower one where it lies folded \[m\], by medians of its vertices.
fn layers(run: &Folded) -> f64 {
    let Some(look) = run.seen.looks.iter().find(|l| l.name == "folded") else { return f64::NAN };
    let median = |lower: bool| {
        let part = look.x.iter().zip(&run.seen.looks[0].x).filter(|(_, s)| (s.y < LINE) == lower);
        let mut heights: Vec<f64> = part.map(|(x, _)| x.z).collect();
        heights.sort_by(f64::total_cmp);
        heights.get(heights.len() / 2).copied().unwrap_or(f64::NAN)
    };
    median(true) - median(false)
}

/// Why claims on the way back are skipped.
const FOLDED_ALONE: &str = "This size only folds the shirt. The larger sizes also unfold it.";

/// Claims on the way back.
fn unfolding() -> [(&'static str, &'static str); 4] {
    [
        (
            "held/unfold",
            "smallest number of particles between the pads, relative to the number when pinched, during unfolding",
        ),
        ("unfolded", "extent along the folding direction at the end, relative to the extent at the start"),
        ("flat", "mean height of the shirt at the end is at most one grid spacing"),
        ("corners", "mean distance of the pinched particles from their initial positions at the end"),
    ]
}

/// Sections on the extent, the grip and contact.
fn account(run: &Folded, plan: &Plan, size: &Size, out: &mut PageOutput) {
    let [spread, press, between] = curves(run);
    let at = |t: f64| run.seen.samples.iter().min_by(|a, b| (a.t - t).abs().total_cmp(&(b.t - t).abs()));
    let extent = |t: f64| at(t).map_or(f64::NAN, |s| s.extent);
    let first = run.seen.samples.first().map_or(f64::NAN, |s| s.extent);
    let end = run.seen.samples.last();
    // The fewest of the way, beside those pinched at its start.
    let held = |round: usize| {
        let (from, to) = (plan.after(round, 1), plan.after(round, 2));
        let first = at(from).map_or([0; 2], |s| s.held);
        let way = run.seen.samples.iter().filter(|s| s.t >= from && s.t <= to);
        // Who holds none at first holds none.
        let parts = way.flat_map(|s| [0, 1].map(|a| s.held[a] as f64 / first[a].max(1) as f64));
        parts.fold(f64::INFINITY, f64::min)
    };
    out.heading("Extent and height");
    out.plot(spread);
    out.extend([
        Claim::at_most(
            "folded",
            "extent of the folded shirt along the folding direction, relative to the extent at the start",
            0.6,
            extent(plan.after(0, 5)) / first,
            "",
        ).required_since("half of the extent, and a tenth for the bend at the folding line")
        .because(WHY_LONG),
        Claim::at_most(
            "layers",
            "distance of the two halves of the folded shirt (difference of their median heights), in grid spacings; two sheets share no grid node beyond \
             three spacings",
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
                "smallest number of particles between the pads, relative to the number when pinched, during unfolding",
                0.5,
                held(1),
                "",
            )
            .required_since("half of the pinched particles hold the cloth")
            .because(WHY_FEW),
            Claim::at_least(
                "unfolded",
                "extent along the folding direction at the end, relative to the extent at the start",
                0.9,
                end.map_or(f64::NAN, |s| s.extent) / first,
                "",
            )
            .required_since("nine tenths of the extent"),
            Claim::at_most(
                "flat",
                "mean height of the shirt at the end is at most one grid spacing",
                size.spacing,
                end.map_or(f64::NAN, |s| s.height),
                "m",
            ),
            Claim::at_most(
                "corners",
                "mean distance of the pinched particles from their initial positions at the end",
                0.05,
                run.apart,
                "m",
            )
            .required_since("the distance of the pinched places from the hem")
            .because(WHY_APART),
        ],
    });
    out.heading("Grip");
    out.extend([press, between]);
    out.extend([
        Claim::at_least(
            "held/fold",
            "smallest number of particles between the pads, relative to the number when pinched, during folding",
            0.5,
            held(0),
            "",
        )
        .required_since("half of the pinched particles hold the cloth")
        .because(WHY_FEW),
        Claim::at_most(
            "side",
            "number of particles that cross a pad from one side to the other",
            0.0,
            run.seen.passed as f64,
            "",
        ),
        Claim::at_most(
            "inside",
            "largest penetration depth of a particle into a pad without its skin",
            1e-4,
            run.seen.inside[0].max(run.seen.inside[1]),
            "m",
        )
        .required_since("a tenth of the gap between closed pads"),
    ]);
    out.heading("Contact and convergence");
    out.extend([
        Claim::at_most(
            "deepest",
            "largest penetration depth of a particle into the table, a hand, a link or the skin of a pad",
            2e-3,
            run.seen.deepest,
            "m",
        )
        .required_since("twice the thickness of the skin of a pad")
        .because(WHY_DEEP),
        Claim::at_most(
            "momentum",
            "error of the momentum balance in a time step, relative to the impulse of the weight",
            1e-2,
            run.seen.lost,
            "",
        )
        .required_since("twice the tolerance of the solves"),
        Claim::at_most(
            "converged",
            "share of the contact solves that do not converge",
            1e-3,
            run.seen.statistics.unconverged(),
            "",
        )
        .required_since("one solve in a thousand may end early"),
        Claim::at_most(
            "reached",
            "largest distance of a gripper from its planned path, computed from the planned joint angles",
            1e-3,
            run.missed,
            "m",
        )
        .required_since("the gap between closed fingers"),
    ]);
}
