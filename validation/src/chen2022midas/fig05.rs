use signorini_core::na::{Isometry3, Vector3};
use signorini_geometry::{MeshDefect, TriangleMesh};
use signorini_ipc::{AffineSystem, IpcOptions};

use super::gripper::{Gripper, carry, press};
use super::scenes::{G, Settings, Track, at, seen, solid};
use super::shapes::{nested, turned};
use signorini_report::claim::number;
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot};

/// A gripper pushes a USB-A plug into its port.
pub(super) struct Fig05;

const MU: f64 = 0.3;
/// Friction of the jaws: a pair has the larger coefficient.
const GRIP_MU: f64 = 0.8;
const DENSITY: f64 = 3000.0;
const FORCE: f64 = 10.0;
const SPEED: f64 = 0.05;
const DT: f64 = 2e-3;
/// Start of the plug beside the middle of the port, across and up \[m\]: within the room, and beyond it, where bevels have to lead.
const OFFSETS: [[f64; 2]; 2] = [[1.5e-4, 3e-5], [4e-4, 1.5e-4]];
/// Least way from one wall to the other, and of that half: plug in the opening across and up, tongue in the plug across and up \[mm\].
const ROOM: [f64; 4] = [0.25, 0.31, 0.15, 0.055];

/// y₀, y₁, z₀, z₁ in millimetres.
fn mm(x: f64, [y, low, high]: [f64; 3]) -> (f64, [f64; 4]) {
    (1e-3 * x, [-1e-3 * y, 1e-3 * y, 1e-3 * low, 1e-3 * high])
}

/// The plug along +x: a handle of 30 × 16 × 8 mm, a shell of 12 × 4.5 mm with the front edge at x = 12 mm, in it a slot of 11.4 × 1.95 mm and 9.5 mm depth above the part that carries its contacts.
fn plug() -> Result<TriangleMesh, MeshDefect> {
    nested(&[
        mm(-30.0, [8.0, -4.0, 4.0]),
        mm(0.0, [8.0, -4.0, 4.0]),
        mm(0.0, [6.0, -2.25, 2.25]),
        mm(11.7, [6.0, -2.25, 2.25]),
        mm(12.0, [5.85, -2.1, 2.1]),
        mm(12.0, [5.7, 0.0, 1.95]),
        mm(2.5, [5.7, 0.0, 1.95]),
    ])
}

/// The port, open to −x with its mouth at x = 0: a block of 14 × 16 × 9 mm, an opening of 12.5 × 5.12 mm with a bevel, a tongue of 11.1 × 1.84 mm and 8.5 mm in it.
fn port() -> Result<TriangleMesh, MeshDefect> {
    let (low, high) = (ROOM[3], 1.95 - ROOM[3]);
    let mesh = nested(&[
        mm(-14.0, [8.0, -4.5, 4.5]),
        mm(0.0, [8.0, -4.5, 4.5]),
        mm(0.0, [6.75, -3.06, 3.06]),
        mm(-0.5, [6.25, -2.56, 2.56]),
        mm(-12.5, [6.25, -2.56, 2.56]),
        mm(-12.5, [5.55, low, high]),
        mm(-4.5, [5.55, low, high]),
        mm(-4.0, [5.3, low + 0.3, high - 0.3]),
    ])?;
    Ok(turned(&mesh))
}

fn settings() -> Settings {
    let options = IpcOptions { range: 1e-5, orthogonality: 1e9, ..IpcOptions::default() };
    Settings { dt: DT, tolerance: 1e-4, options: options.carrying(2.5) }
}

/// A way from one place of the plug's frame to another \[m\].
struct Task {
    id: &'static str,
    name: &'static str,
    offset: [f64; 2],
    from: f64,
    to: f64,
    substitute: Option<&'static str>,
}

struct Outcome {
    track: Track,
    /// Place of the plug over time, and that of the palm \[s, mm\].
    places: Vec<(f64, f64)>,
    commanded: Vec<(f64, f64)>,
    /// Off the middle, across and up, against place \[mm\].
    beside: [Vec<(f64, f64)>; 2],
    /// Off the middle of the port at the end \[m\].
    end: Vector3<f64>,
    triangles: [usize; 2],
}

fn insert(task: &Task, plug: TriangleMesh, port: TriangleMesh) -> Result<Outcome, PageError> {
    let settings = settings();
    let triangles = [plug.triangles().len(), port.triangles().len()];
    let start = Vector3::new(task.from, task.offset[0], task.offset[1]);
    let gripper = Gripper {
        // Around the handle, in its middle.
        center: start + Vector3::new(-0.02, 0.0, 5e-4),
        closing: Vector3::y(),
        opening: 8e-3 + 0.5 * settings.options.range,
        jaw: [8e-3, 5e-3, 6e-3],
        palm: Vector3::new(-0.05, 0.0, 0.0),
        friction: GRIP_MU,
    };
    let (mut bodies, rails, excluded) = gripper.make(0)?;
    bodies.push((solid("plug", Ok(plug), DENSITY, MU)?, at(start.x, start.y, start.z)));
    bodies.push((solid("port", Ok(port), DENSITY, MU)?.held(), Isometry3::identity()));
    let system = AffineSystem::articulated(bodies, &rails, &excluded, settings.options)
        .map_err(PageError::from_error)?;
    let mut track = Track::new(system, &settings);
    press(&mut track, FORCE)?;
    let first = track.center(3) - start;
    let mut places = Vec::new();
    let mut commanded = Vec::new();
    let mut beside = [Vec::new(), Vec::new()];
    let steps = ((task.to - task.from) / (SPEED * DT)).round() as usize;
    for (speed, steps) in [(0.0, 10), (SPEED, steps), (0.0, 20)] {
        carry(&mut track, 0, Vector3::new(speed, 0.0, 0.0))?;
        track.run(steps, |t| {
            places.push((t.time(), 1e3 * (t.center(3).x - first.x)));
            let off = 1e3 * (t.center(3) - first);
            for (curve, value) in beside.iter_mut().zip([off.y, off.z]) {
                curve.push((off.x, value));
            }
            commanded.push((t.time(), 1e3 * (task.from + t.center(0).x - (start.x - 0.07))));
        })?;
    }
    let end = track.center(3) - first;
    Ok(Outcome { track, places, commanded, beside, end, triangles })
}

/// The plug and port of the models, when they are there.
fn models(ctx: &Context) -> Option<Result<(TriangleMesh, TriangleMesh), PageError>> {
    let folder = ctx.models.as_ref()?.join("peg_and_usb").join("usb_parametric");
    let load = |name: &str| TriangleMesh::load(folder.join(name)).map_err(PageError::from_error);
    folder.is_dir().then(|| Ok((load("usb_a_plug.obj")?, load("usb_a_port.obj")?)))
}

impl Page for Fig05 {
    fn id(&self) -> &'static str {
        "chen2022midas/fig05"
    }
    fn title(&self) -> &'static str {
        "Insertion of a USB-A plug into its port"
    }
    fn lead(&self) -> &'static str {
        "A gripper pushes a USB-A plug into its port without jamming and without intersection."
    }
    fn cost(&self) -> [f64; 3] {
        [0.1, 0.1, 0.1]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let own = |id, name, offset| Task { id, name, offset, from: -13e-3, to: -0.3e-3, substitute: None };
        let ours = own("own", "own meshes", OFFSETS[0]);
        let beside = own("beside", "own meshes, larger offset", OFFSETS[1]);
        let theirs = Task {
            id: "files",
            name: "meshes from files",
            offset: OFFSETS[0],
            from: -13e-3,
            to: -0.5e-3,
            substitute: Some(
                "The paper's meshes are not public. The meshes usb_parametric of the models replace them. They were generated from nominal outline sizes.",
            ),
        };
        let meshes = || Ok((plug().map_err(PageError::from_error)?, port().map_err(PageError::from_error)?));
        let mut table = seen(
            "Final state of the plug",
            &[
                "meshes",
                "triangles (plug, port)",
                "distance to the commanded position [µm]",
                "offset of the centre of mass from the middle (lateral, vertical) [µm]",
            ],
        );
        let mut plot = Plot::new(
            "place",
            "Depth of the front edge of the plug in the port, and the depth commanded by the palm",
            "time [s]",
            "depth of the front edge [mm]",
        );
        let mut lead = Plot::new(
            "beside",
            "Offset of the centre of mass of the plug from the middle of the port. Bevels guide the plug laterally. \
             Friction of the jaws limits its vertical motion.",
            "depth of the front edge [mm]",
            "offset from the middle [mm]",
        );
        let mut newton = Plot::new(
            "newton",
            "Newton iterations of each time step",
            "time [s]",
            "Newton iterations per step [–]",
        );
        let (mut claims, mut films) = (Vec::new(), Vec::new());
        for (task, meshes) in [(ours, Some(meshes())), (beside, Some(meshes())), (theirs, models(ctx))] {
            let what = format!("plug insertion, {}", task.name);
            let Some(meshes) = meshes else {
                claims.push(Claim::skipped(
                    task.id,
                    &what,
                    "The meshes peg_and_usb are missing in the models.",
                ));
                continue;
            };
            ctx.say(task.name);
            let (plug, port) = meshes?;
            let front = 1e3 * plug.vertices().iter().map(|p| p.x).fold(f64::NEG_INFINITY, f64::max);
            let o = insert(&task, plug, port)?;
            films.push((
                o.track.film.attachment(task.name),
                format!("The gripper pushes the plug into its port ({})", task.name),
            ));
            let short = task.to - o.end.x;
            let cells = [
                task.name.to_owned(),
                format!("{}, {}", o.triangles[0], o.triangles[1]),
                number(1e6 * short),
                format!("{}, {}", number(1e6 * o.end.y), number(1e6 * o.end.z)),
            ];
            table.row(cells.into_iter().chain(o.track.cells()));
            let mut seated = Claim::at_most(
                &format!("{}/seated", task.id),
                &format!("{what}: distance of the plug to the commanded position"),
                if task.id == "beside" { 20.0 } else { 1e6 * 1e-4 * DT },
                1e6 * short.abs(),
                "µm",
            )
            .rule("at most the residual that the Newton tolerance allows in a step, 1e-4 m/s × 2 ms, so that the plug follows the palm and does not jam; \
                for the larger offset at most two d̂, because the bevels push the plug back in the jaws");
            seated = seated.published("goes in (Bullet: does not)");
            let mut intact = o.track.claim(&format!("{}/intact", task.id), &what);
            if let Some(s) = task.substitute {
                seated = seated.with_substitute(s);
                intact = intact.with_substitute(s);
            }
            claims.extend([seated, intact]);
            let deep = |p: &(f64, f64)| (p.0, p.1 + front);
            let ahead = |p: &(f64, f64)| (p.0 + front, p.1);
            if task.id != "beside" {
                plot.add(task.name, Mark::Line, o.places.iter().map(deep).collect());
            }
            if task.id == "own" {
                plot.add("palm", Mark::Dashed, o.commanded.iter().map(deep).collect());
            }
            if task.substitute.is_none() {
                for (way, curve) in ["lateral", "vertical"].iter().zip(&o.beside) {
                    let points = curve.iter().map(ahead).collect();
                    lead.add(&format!("{way}, {}", task.name), Mark::Line, points);
                }
            }
            newton.add(
                task.name,
                Mark::Points,
                o.track.iterations.iter().zip(&o.places).map(|(n, p)| (p.0, f64::from(*n))).collect(),
            );
        }
        let mut out = PageOutput::new([
            format!(
                "Plug and port are one closed concave mesh each. The USB-A sizes are a shell of 12.0 × 4.5 mm, an opening of 12.5 × 5.12 mm and a tongue of \
                 1.84 mm thickness. The slot of the plug, the width of the tongue and the lengths are chosen here. \
                 The clearance on each side is {} mm laterally and {} mm vertically between shell and opening. \
                 It is {} mm laterally and {} mm vertically between tongue and slot. \
                 The plug starts {} µm to the side and {} µm above the middle. A second run starts at {} and {} µm, which is beyond the clearance, so that \
                 bevels must guide the plug. The opening and the front edges of tongue and shell have bevels of 0.15 to 0.5 mm.",
                ROOM[0],
                ROOM[1],
                ROOM[2],
                ROOM[3],
                number(1e6 * OFFSETS[0][0]),
                number(1e6 * OFFSETS[0][1]),
                number(1e6 * OFFSETS[1][0]),
                number(1e6 * OFFSETS[1][1])
            ),
            format!(
                "Two jaws of 16 × 10 × 12 mm on rails of a palm press with {FORCE} N on the handle. The plug can move laterally along the rails, and \
                 friction holds it in the vertical and in the insertion direction. \
                 The palm has a prescribed motion at {SPEED} m/s over 12.7 mm and then stops. The port is fixed. \
                 The friction coefficient is {MU}, and {GRIP_MU} for the jaws. The density is {DENSITY} kg/m³, and gravity is {G} m/s². The settings are {}. \
                 The barrier range d̂ is less than a fifth of the smallest clearance on a side. The paper shows an insertion and states no numbers.",
                settings().sentence()
            ),
        ]);
        out.heading("Insertion");
        out.plot(plot);
        out.plot(lead);
        out.table(table);
        out.extend(claims);
        films.into_iter().for_each(|(page, caption)| out.film(page, caption));
        out.heading("Newton iterations");
        out.plot(newton);
        Ok(out)
    }
}
