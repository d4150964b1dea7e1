//! Robots from files: closed loops, resting depth, energy.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use signorini_multibody::Closure;
use signorini_scene::{LoadOptions, Scene};

use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};
use signorini_run::Method;
use signorini_run::film::Attachment;
use signorini_run::recorder::Recorder;
use signorini_run::recording::Recording;

/// Robots run for some seconds under error control and with fixed steps.
pub struct Robots;

struct Robot {
    name: &'static str,
    file: &'static str,
    /// Written for this project, under `models/`.
    own: bool,
    /// Depth of contacts at rest, at most, held, free and full \[mm\]: the weight over 2e5 N/m for each of a few points; none where nothing touches.
    deep: [f64; 3],
    /// Its file states solref or solimp of contacts: its depth is compared with MuJoCo's.
    soft: bool,
    /// Caption of its film without motors, where it has one.
    film: Option<&'static str>,
}

/// A robot of another project.
const fn robot(name: &'static str, file: &'static str, deep: [f64; 3]) -> Robot {
    Robot { name, file, own: false, deep, soft: false, film: None }
}

const ROBOTS: [Robot; 6] = [
    // Held and full, a box of 0.15 kg lies on four points, 1.8 µm deep.
    Robot { own: true, ..robot("arm with gripper", "arm_gripper/arm_gripper.xml", [4e-3, 1.0, 4e-3]) },
    Robot {
        own: true,
        film: Some("The quadruped without motors falls from its home keyframe (time steps of 2 ms)"),
        ..robot("quadruped", "quadruped/quadruped.xml", [0.5; 3])
    },
    robot("Panda", "panda/scene.xml", [0.0, 2.0, 0.0]),
    Robot { soft: true, ..robot("Spot", "boston_dynamics_spot/scene.xml", [2.0; 3]) },
    robot("G1", "unitree_g1/scene.xml", [2.0; 3]),
    Robot { soft: true, ..robot("Robotiq 2F-85", "robotiq_2f85/2f85.xml", [0.0, 0.04, 0.2]) },
];

/// Where the bounds on depths at rest come from.
const DEEP: &str = "the weight over 2e5 N/m for each of a few points, rounded up; none where nothing touches";

fn failed(e: impl std::fmt::Display) -> PageError {
    PageError::from_error(e)
}

/// Drive of the motors.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Drive {
    /// The controls of the keyframe.
    Hold,
    /// Nothing: the robot falls.
    Free,
    /// Every control jumps to the upper end of its range: grippers close.
    Full,
}

impl Drive {
    fn name(self) -> &'static str {
        match self {
            Self::Hold => "driven",
            Self::Free => "free",
            Self::Full => "full",
        }
    }
}

struct Outcome {
    steps: u64,
    wall_s: f64,
    /// Largest opening of a loop or coupling at any accepted step beyond that of the start \[m or rad\].
    opening: f64,
    /// Deepest contact of a state: median over the time of the last fifth of the run, and largest \[m\].
    depth: [f64; 2],
    /// Largest rise of the kinetic and potential energy above the least total energy before, over the range of the total \[–\].
    rise: f64,
    energy: Vec<(f64, f64)>,
    recording: Recording,
}

fn simulate(scene: &Scene, method: &Method, drive: Drive, time: f64) -> Result<Outcome, PageError> {
    let mut scene = scene.clone();
    scene.options.switches.actuation = drive != Drive::Free;
    let mut sys = method.system(&scene).map_err(failed)?;
    let mut x = sys.initial_state(scene.keyframe("home")).map_err(failed)?;
    if drive == Drive::Full {
        for (u, a) in sys.control_mut().iter_mut().zip(&scene.actuators) {
            *u = a.control_range.map_or(1.0, |r| r[1]);
        }
    }
    let mut integrator = method.integrator().map_err(failed)?;
    let mut recorder = Recorder::new(&scene, method, &x, sys.held()).map_err(failed)?;
    let start = std::time::Instant::now();
    let end = x.t + time;
    let report = integrator.advance(&mut sys, &mut x, end, &mut recorder).map_err(failed)?;
    let r = recorder.recording;
    let wall_s = start.elapsed().as_secs_f64();
    let from = r.t[0] + 0.8 * time;
    // (time that a state stands for, deepest contact), deepest last.
    let mut depths: Vec<(f64, f64)> =
        (1..r.len()).filter(|i| r.t[*i] > from).map(|i| (r.t[i] - r.t[i - 1], 0.0)).collect();
    let first = r.len() - depths.len();
    // Gaps at the start of a step's last solve.
    let of_end = r.contact_row.iter().zip(&r.contact_gap).enumerate().filter(|(k, _)| r.is_of_end(*k));
    for (_, (row, gap)) in of_end {
        if let Some(d) = (*row as usize).checked_sub(first).and_then(|i| depths.get_mut(i)) {
            d.1 = d.1.max(-gap);
        }
    }
    depths.sort_by(|a, b| a.1.total_cmp(&b.1));
    let whole: f64 = depths.iter().map(|d| d.0).sum();
    let mut below = 0.0;
    let median = depths.iter().find(|d| {
        below += d.0;
        2.0 * below >= whole
    });
    let depth = [median.map_or(0.0, |d| d.1), depths.last().map_or(0.0, |d| d.1)];
    let energy: Vec<(f64, f64)> =
        (0..r.len()).map(|i| (r.t[i], r.energy[3 * i..3 * i + 3].iter().sum())).collect();
    // The elastic energy of a patch is not a function of the state alone: it jumps with the number of its points. It counts when it comes
    // out again, as motion.
    let (mut least, mut rise, mut range) = (f64::INFINITY, 0.0_f64, 1e-9_f64);
    for (i, (_, e)) in energy.iter().enumerate() {
        rise = rise.max(r.energy[3 * i] + r.energy[3 * i + 1] - least);
        least = least.min(*e);
        range = range.max(energy[0].1 - least);
    }
    let (mut closure, nq) = (Closure::new(sys.model()), sys.model().nq);
    let mut at = |q: &[f64]| closure.opening(sys.model(), q, sys.held().mocap);
    let first = at(&r.q[..nq]);
    let opening = r.q.chunks_exact(nq).map(|q| at(q) - first).fold(0.0, f64::max);
    Ok(Outcome { steps: report.steps, wall_s, opening, depth, rise: rise / range, energy, recording: r })
}

/// Numbers of a robot in MuJoCo, by `benches/peers/robots.py`.
#[derive(Deserialize)]
struct PeerRow {
    file: String,
    drive: String,
    depth_mm: f64,
    opening_mm: f64,
    rise: f64,
}

#[derive(Deserialize)]
struct Peer {
    engine: String,
    date: String,
    rows: Vec<PeerRow>,
}

impl Peer {
    fn load(root: &Path) -> Result<Self, PageError> {
        let text = std::fs::read_to_string(root.join("benches/records/robots.json")).map_err(failed)?;
        serde_json::from_str(&text).map_err(failed)
    }

    fn of(&self, robot: &Robot, drive: Drive) -> Result<&PeerRow, PageError> {
        let row = self.rows.iter().find(|r| r.file == robot.file && r.drive == drive.name());
        row.ok_or_else(|| {
            failed(format!("benches/records/robots.json has no row of {}, {}", robot.file, drive.name()))
        })
    }
}

impl Page for Robots {
    fn id(&self) -> &'static str {
        "cross/robots"
    }
    fn title(&self) -> &'static str {
        "Robots from files: closed loops, resting depth, energy"
    }
    fn lead(&self) -> &'static str {
        "Robots from files run under error control and with fixed time steps, and the opening of closed loops, the penetration depth at rest and the energy are measured."
    }
    fn cost(&self) -> [f64; 3] {
        [6.0, 6.0, 6.0]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let time = 5.0;
        let mut table = Table::new(
            &format!("{time} s from the home keyframe"),
            &[
                "robot",
                "method",
                "motors",
                "steps",
                "wall [s]",
                "loop opening [mm]",
                "depth in the last second [mm]: median",
                "largest",
                "energy gained / range",
            ],
        );
        let mut plot = Plot::new(
            "energy",
            "Total energy without motors, accuracy 1e-2. Energies below 10 mJ are not drawn.",
            "t [s]",
            "energy above its minimum [J]",
        )
        .log(false, true);
        let (mut claims, mut films) = (Vec::new(), Vec::new());
        let peer = Peer::load(&ctx.root)?;
        for robot in ROBOTS {
            let folder: Option<PathBuf> =
                if robot.own { Some(ctx.root.join("models")) } else { ctx.models.clone() };
            let path = folder.map(|f| f.join(robot.file)).filter(|p: &PathBuf| Path::is_file(p));
            let slug = robot.name.to_lowercase().replace([' ', '-'], "_");
            let Some(path) = path else {
                let why = format!("{} is absent (set SIGNORINI_MODELS)", robot.file);
                claims.push(Claim::skipped(&slug, &format!("{} runs", robot.name), &why));
                continue;
            };
            let scene = Scene::load(&path, &LoadOptions::default()).map_err(failed)?;
            for (kind, method) in
                [("accuracy", Method::cenic(1e-2)), ("fixed", Method::icf().with_step(2e-3))]
            {
                let loops = scene.equalities.iter().any(|e| e.active);
                for drive in [Drive::Hold, Drive::Free, Drive::Full] {
                    if drive == Drive::Full && !loops {
                        continue;
                    }
                    ctx.say(format!("{}, {}, {}", robot.name, method.describe(), drive.name()));
                    let id = |what: &str| format!("{slug}_{kind}_{}_{what}", drive.name());
                    let text = format!("{} runs for {time} s ({kind}, {})", robot.name, drive.name());
                    let done = simulate(&scene, &method, drive, time);
                    let measured = if done.is_ok() { "it ends" } else { "it fails" };
                    let ran = Claim::decided(&id("runs"), &text, done.is_ok());
                    let ran =
                        ran.values("it ends".into(), measured.into(), "").rule("no error before the end");
                    claims.push(match &done {
                        Ok(_) => ran,
                        Err(e) => ran.because(&e.to_string()),
                    });
                    let o = match done {
                        Ok(o) => o,
                        Err(_) => continue,
                    };
                    if let Some(caption) = robot.film.filter(|_| kind == "fixed" && drive == Drive::Free) {
                        let file = format!("{slug}_{}.html", drive.name());
                        films.push((Attachment::new(file, &o.recording, None), caption));
                    }
                    table.row([
                        robot.name.to_owned(),
                        method.describe(),
                        drive.name().into(),
                        o.steps.to_string(),
                        format!("{:.2}", o.wall_s),
                        format!("{:.4}", 1e3 * o.opening),
                        format!("{:.3}", 1e3 * o.depth[0]),
                        format!("{:.3}", 1e3 * o.depth[1]),
                        format!("{:.1e}", o.rise),
                    ]);
                    let beside = peer.of(&robot, drive)?;
                    if loops {
                        let text = format!(
                            "{}: opening of closed loops, largest over the run ({kind}, {})",
                            robot.name,
                            drive.name()
                        );
                        // Steps of 2 ms, as MuJoCo's, follow closing fingers closer than steps that may be off by 10 mm.
                        let part = if kind == "fixed" { 1.25 } else { 2.0 };
                        let rule = format!("at most {part} times that of {}, and 1 µm", peer.engine);
                        let most = part * beside.opening_mm + 1e-3;
                        claims.push(
                            Claim::at_most(&id("loop"), &text, most, 1e3 * o.opening, "mm").rule(&rule),
                        );
                    }
                    let text = format!("{}: depth at rest ({kind}, {})", robot.name, drive.name());
                    let (deep, depth) = (robot.deep[drive as usize], 1e3 * o.depth[0]);
                    claims.push(match (robot.soft, loops || drive == Drive::Hold) {
                        (false, _) => {
                            Claim::at_most(&id("depth"), &text, deep, depth, "mm").required_since(DEEP)
                        }
                        (true, true) => {
                            let most = 0.05 * beside.depth_mm + 1e-3;
                            Claim::near(&id("depth"), &text, beside.depth_mm, depth, most, "mm")
                                .rule(&format!("within 5 % of {}, and 1 µm", peer.engine))
                        }
                        // A robot that falls down comes to rest in another pose.
                        (true, false) => {
                            Claim::at_most(&id("depth"), &text, 1.5 * beside.depth_mm, depth, "mm")
                                .rule(&format!("at most 1.5 times that of {}", peer.engine))
                        }
                    });
                    if drive == Drive::Free {
                        let text = format!(
                            "{}: energy gained without motors, relative to the range of the energy ({kind})",
                            robot.name
                        );
                        let claim = |most| Claim::at_most(&id("energy"), &text, most, o.rise, "");
                        claims.push(match (loops, kind) {
                            (false, _) => claim(1e-9)
                                .rule("at most 1e-9, round-off of sums: implicit steps lose energy"),
                            // Springs of limits and loops give back what they hold, which is not counted.
                            (true, _) => claim(1.25 * beside.rise + 1e-4)
                                .rule(&format!("at most 1.25 times that of {}, and 1e-4", peer.engine)),
                        });
                        if kind == "accuracy" {
                            let least = o.energy.iter().map(|p| p.1).fold(f64::INFINITY, f64::min);
                            plot.add(
                                robot.name,
                                Mark::Line,
                                o.energy.iter().map(|p| (p.0, p.1 - least)).collect(),
                            );
                        }
                    }
                }
            }
        }
        let mut out = PageOutput::new([
            "Each robot runs from its home keyframe, or from its drawn configuration. Its motors hold the controls of the keyframe (driven), or are off \
             (free). A robot with closed loops or couplings also runs with every control at the upper end of its range, so that grippers close (full). \
             The 2F-85 runs without its scene file, whose hanging box starts 21 mm beyond the limit of its tendon. The energy of that violation is \
             not counted, and the total would rise while the limit pulls the box in. Surfaces that state no softness have a stiffness of 4e5 N/m \
             (2e5 N/m in contact) and a dissipation of 20 s/m. The depth at rest is that of the deepest contact of a state, as the median over the time of \
             the last second. The largest depth beside it includes impacts of bodies that still fall.",
            &format!(
                "Couplings of these files, and contacts of Spot and of the 2F-85, state softness in MuJoCo's terms. Their openings and depths are compared with those of {} of {} \
                 on the same files with elliptic cones (benches/peers/robots.py).",
                peer.engine, peer.date
            ),
            "The energy gained is the rise of the kinetic and potential energy above the least total energy before. The total itself may jump when a \
             patch gets more points, because the elastic energy ½ Σ k φ² is then that of more springs. At accuracy 1e-2 the error of a step may be \
             10 mm, and falling robots are chaotic. Rows of this table therefore change with every change of round-off.",
        ]);
        let highest = plot.series.iter().flat_map(|s| &s.points).map(|p| p.1).fold(1.0, f64::max);
        plot.y_range = Some([0.01, 1.5 * highest]);
        films.into_iter().for_each(|(film, caption)| out.film(film, caption));
        out.plot(plot);
        out.extend(claims);
        out.table(table);
        Ok(out)
    }
}
