use signorini_core::{AcceptedStep, StepObserver, System};
use signorini_scene::{LoadOptions, Scene};

use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};
use signorini_run::film::Attachment;
use signorini_run::recorder::Recorder;
use signorini_run::{MassScale, Method};

/// Robots of this project, and of others from their files, standing or held by their motors.
pub(super) struct Robots;

struct Robot {
    name: &'static str,
    file: &'static str,
    /// Its file is in this project.
    own: bool,
    /// It folds or falls, because its motors are torques and the keyframe has none.
    falls: bool,
    /// It touches nothing.
    free: bool,
    /// Keyframe; the drawn configuration with zero controls when the file has none.
    keyframe: Option<&'static str>,
}

const fn of_others(name: &'static str, file: &'static str, keyframe: Option<&'static str>) -> Robot {
    Robot { name, file, own: false, falls: false, free: false, keyframe }
}

const fn of_ours(name: &'static str, file: &'static str, keyframe: Option<&'static str>) -> Robot {
    Robot { own: true, ..of_others(name, file, keyframe) }
}

const ROBOTS: [Robot; 9] = [
    of_ours("own hand", "leap_hand/cube.xml", Some("home")),
    of_ours("own arm", "arm_gripper/arm_gripper.xml", Some("home")),
    of_ours("own quadruped", "quadruped/quadruped.xml", Some("home")),
    of_ours("own humanoid", "g1/g1.xml", None),
    of_others("LEAP hand", "leap_hand/scene.xml", None),
    of_others("Allegro hand", "allegro_hand/scene_right.xml", None),
    Robot { free: true, ..of_others("Panda", "panda/scene.xml", Some("home")) },
    of_others("Spot", "boston_dynamics_spot/scene.xml", Some("home")),
    Robot { falls: true, ..of_others("G1", "unitree_g1/scene.xml", Some("stand")) },
];

const TIME: f64 = 1.0;
const DT: f64 = 2e-3;
/// Part of the run whose contacts count as at rest \[s\].
const LAST: f64 = 0.2;
/// Depth that a user sees \[m\], as for the other engines in `cross/robots`.
const DEPTH: f64 = 2e-3;
/// Depth of contacts at rest \[m\]: the gap that sweeps may leave open in a step, 1e-4 m/s × 2 ms.
const RESTING_DEPTH: f64 = 2e-7;
/// Kinetic energy of a robot that still moves a little, over the mass that can move \[J/kg\]: 6 cm/s. One that falls for a second has 48 J/kg.
const STILL: f64 = 2e-3;
/// Kinetic energy of a robot that its motors hold \[J/kg\]: 1e-5 m/s, the residual at which sweeps end.
const HELD: f64 = 5e-11;

/// Robots that still move a little after a second, of those that do not fall.
const STIRRING: [&str; 3] = ["LEAP hand", "own quadruped", "own humanoid"];

/// Robots that the page shows.
const FILMED: [&str; 2] = ["own humanoid", "own quadruped"];

/// Why a robot that falls stays deep for a while.
const SLOW: &str = "The motors of this robot are torques and its keyframe has none, so that it folds and falls. \
                    All contacts and joint limits of a robot share the mass of its one kinematic tree, which keeps λ_max at 0.12 to 0.18 \
                    where 1 is allowed. The sweeps of a step may then not stop a hard impact completely, and the last one reduces the remaining depth only a little.";

/// Contacts that carry something, and depths.
#[derive(Default)]
struct Seen {
    dim: usize,
    steps: usize,
    carrying: usize,
    /// Deepest contact of the run and of its last part \[m\].
    deepest: [f64; 2],
    from: f64,
    /// (t, deepest contact \[mm\]).
    curve: Vec<(f64, f64)>,
}

impl StepObserver for Seen {
    fn accepted(&mut self, step: &AcceptedStep<'_>) {
        let gamma = &step.last.solution.gamma;
        let carries = |c: usize| gamma[c * self.dim..(c + 1) * self.dim].iter().any(|g| *g != 0.0);
        self.steps += 1;
        self.carrying += step.last.contacts.iter().filter(|c| carries(c.constraint as usize)).count();
        let deepest = step.last.contacts.iter().map(|c| -c.gap).fold(0.0, f64::max);
        self.deepest[0] = self.deepest[0].max(deepest);
        if step.x0.t >= self.from {
            self.deepest[1] = self.deepest[1].max(deepest);
        }
        // Open contacts have a depth too, below what is drawn: a line would bridge the time without depth.
        self.curve.push((step.x0.t, 1e3 * deepest.max(1e-12)));
    }
}

struct Outcome {
    seen: Seen,
    /// Kinetic energy at the end over the mass that can move \[J/kg\].
    kinetic: f64,
    /// Largest distance of a joint with a motor from where it started \[rad or m\].
    moved: f64,
    wall_s: f64,
}

fn simulate(scene: &Scene, method: &Method, keyframe: Option<&str>) -> Result<Outcome, PageError> {
    let mut sys = method.system(scene).map_err(PageError::from_error)?;
    let mut x = sys.initial_state(keyframe.and_then(|k| scene.keyframe(k))).map_err(PageError::from_error)?;
    let start = x.clone();
    let mut seen = Seen { dim: sys.contact_dim(), from: x.t + TIME - LAST, ..Seen::default() };
    let clock = std::time::Instant::now();
    let end = x.t + TIME;
    let mut integrator = method.integrator().map_err(PageError::from_error)?;
    integrator.advance(&mut sys, &mut x, end, &mut seen).map_err(PageError::from_error)?;
    let wall_s = clock.elapsed().as_secs_f64();
    let model = sys.model();
    let mass: f64 = model.bodies.iter().filter(|b| b.tree.is_some()).map(|b| b.mass).sum();
    let joints = model.joints.iter().filter(|j| j.kind.nq() == 1);
    let moved = joints.map(|j| (x.q[j.q] - start.q[j.q]).abs()).fold(0.0, f64::max);
    Ok(Outcome { seen, kinetic: sys.energy(&x).kinetic / mass, moved, wall_s })
}

/// The run once more, to watch: from the keyframe and with its controls, as [`simulate`] has it.
fn film(slug: &str, scene: &Scene, method: &Method, keyframe: Option<&str>) -> Result<Attachment, PageError> {
    let failed = |e| PageError::from_error(e);
    let mut sys = method.system(scene).map_err(PageError::from_error)?;
    let mut x = sys.initial_state(keyframe.and_then(|k| scene.keyframe(k))).map_err(PageError::from_error)?;
    let mut recorder = Recorder::new(scene, method, &x, sys.held()).map_err(failed)?;
    let mut integrator = method.integrator().map_err(failed)?;
    let end = x.t + TIME;
    integrator.advance(&mut sys, &mut x, end, &mut recorder).map_err(PageError::from_error)?;
    Ok(Attachment::new(format!("{slug}.html"), &recorder.recording, None))
}

impl Page for Robots {
    fn id(&self) -> &'static str {
        "borse2026comfree/robots"
    }
    fn title(&self) -> &'static str {
        "Robots from model files"
    }
    fn lead(&self) -> &'static str {
        "Robots stand, or their motors hold them, and the penetration depth, the kinetic energy and the contacts are measured for four methods."
    }
    fn cost(&self) -> [f64; 3] {
        [2.0, 2.0, 2.0]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let methods = [
            ("default", Method::comfree().with_step(DT)),
            ("one", Method::comfree_sweeping(1).with_step(DT)),
            ("paper", Method::comfree_paper(0.1, 0.001, MassScale::Mean).with_step(DT)),
            ("icf", Method::icf().with_step(DT)),
        ];
        let mut table = Table::new(
            &format!("Runs of {TIME} s with time steps of 2 ms in which the motors hold the robots"),
            &[
                "robot",
                "method",
                "friction cone of the file",
                "contacts with a force, per step",
                "largest depth [mm]",
                "largest depth in the last 0.2 s [mm]",
                "kinetic energy at the end [J/kg]",
                "largest joint motion [rad or m]",
                "wall time [s]",
            ],
        );
        let mut plot = Plot::new(
            "depth",
            "Largest penetration depth of each robot over time, with projected Gauss–Seidel. Depths below 0.01 µm are not drawn.",
            "time [s]",
            "penetration depth [mm]",
        )
        .log(false, true);
        let (mut claims, mut films) = (Vec::new(), Vec::new());
        for r in ROBOTS {
            let slug = r.name.to_lowercase().replace(' ', "_");
            let own = ctx.root.join("models");
            let folder = if r.own { Some(&own) } else { ctx.models.as_ref() };
            let path = folder.map(|m| m.join(r.file)).filter(|p| p.is_file());
            let Some(path) = path else {
                let why = format!(
                    "the file {} is absent (set SIGNORINI_MODELS to the folder of the models)",
                    r.file
                );
                claims.push(Claim::skipped(&slug, &format!("{} runs", r.name), &why));
                continue;
            };
            let scene = Scene::load(&path, &LoadOptions::default()).map_err(PageError::from_error)?;
            let cone = scene.options.unused.iter().find(|u| u.0 == "cone");
            let cone = cone.map_or("pyramidal", |u| u.1.as_str());
            for (mode, method) in &methods {
                ctx.say(format!("{}, {}", r.name, method.describe()));
                let done = simulate(&scene, method, r.keyframe);
                if ["default", "paper"].contains(mode) {
                    let name =
                        if *mode == "paper" { "ComFree (mean mass)" } else { "projected Gauss–Seidel" };
                    let text =
                        format!("{}, {name}: the simulation runs for {TIME} s without an error", r.name);
                    let result = if done.is_ok() { "it runs" } else { "it stops" };
                    let ran = Claim::decided(&format!("{slug}/{mode}/runs"), &text, done.is_ok())
                        .values("it runs".into(), result.into(), "")
                        .rule("the solver reports no error");
                    claims.push(match &done {
                        Ok(_) => ran,
                        Err(e) => ran.because(&e.to_string()),
                    });
                }
                let Ok(o) = done else { continue };
                table.row([
                    r.name.to_owned(),
                    method.describe(),
                    cone.to_owned(),
                    format!("{:.1}", o.seen.carrying as f64 / o.seen.steps.max(1) as f64),
                    format!("{:.3}", 1e3 * o.seen.deepest[0]),
                    format!("{:.3}", 1e3 * o.seen.deepest[1]),
                    format!("{:.1e}", o.kinetic),
                    format!("{:.4}", o.moved),
                    format!("{:.2}", o.wall_s),
                ]);
                if *mode != "default" {
                    continue;
                }
                // The colours repeat after eight curves.
                let mark = if plot.series.len() < 8 { Mark::Line } else { Mark::Dashed };
                plot.add(r.name, mark, o.seen.curve);
                if FILMED.contains(&r.name) {
                    let caption = format!("The {} over {TIME} s, with projected Gauss–Seidel", r.name);
                    films.push((film(&slug, &scene, method, r.keyframe)?, caption));
                }
                let text = format!(
                    "{}, projected Gauss–Seidel: largest penetration depth in the last {LAST} s",
                    r.name
                );
                let (depth, touched) = (o.seen.deepest[1], o.seen.carrying);
                let falls = r.falls;
                let (most, rule) = if falls {
                    (
                        DEPTH,
                        "at most 2 mm, a depth that a user sees. The robot folds and falls, and lies as it fell.",
                    )
                } else {
                    (
                        RESTING_DEPTH,
                        "at most 0.2 µm, the residual distance that the sweeps allow in a step (1e-4 m/s × 2 ms)",
                    )
                };
                let id = format!("{slug}/default/depth");
                claims.push(if r.free {
                    let text =
                        format!("{}, projected Gauss–Seidel: contacts with a force, over all steps", r.name);
                    Claim::at_most(&id, &text, 0.0, touched as f64, "")
                        .rule("none: the robot touches nothing in its keyframe, and its motors hold it there")
                } else {
                    let claim = Claim::at_most(&id, &text, most, depth, "m").rule(rule).because(SLOW);
                    if falls { claim.required() } else { claim }
                });
                let text = format!(
                    "{}, projected Gauss–Seidel: kinetic energy at the end, per mass of the robot",
                    r.name
                );
                let id = format!("{slug}/default/still");
                let stirs = falls || STIRRING.contains(&r.name);
                let (most, rule) = if stirs {
                    (
                        STILL,
                        "at most 0.002, the energy of 6 cm/s. The robot still moves. A robot that falls for a second has 48 J/kg.",
                    )
                } else {
                    (HELD, "at most 5e-11, the energy of 1e-5 m/s, the residual at which the sweeps end")
                };
                let why = "The robot stands on its servos alone and has not come to rest after a second.";
                let claim = Claim::at_most(&id, &text, most, o.kinetic, "J/kg").rule(rule).because(why);
                claims.push(if stirs { claim.required() } else { claim });
            }
        }
        let mut out = PageOutput::new([
            "The robots are those of this project, and those of other projects where their model files are installed. A robot starts from its \
             keyframe, or from its drawn configuration if it has no keyframe. The motors receive the controls of the keyframe, or zero. Hands carry \
             the objects of their scenes.",
            "Position motors hold a robot. The motors of G1 are torques, so that G1 folds and falls on the floor.",
            "The claims are about projected Gauss–Seidel over ComFree's impedance. The table has three other methods for comparison: ComFree with \
             one evaluation of the law of this project, ComFree (mean mass) of the paper with k = 0.1 and d = 0.001, and the implicit solver ICF. Heavy \
             robots sink into the floor with one evaluation, and the command `run` warns of it.",
            "Some files ask for elliptic friction cones. They run with polygons inside these cones. The law of this project has eight directions \
             and at least 0.92 of the friction. The published law has four directions and at least 0.71. The commands `run` and `inspect` report \
             this.",
        ]);
        let deepest = plot.series.iter().flat_map(|s| &s.points).map(|p| p.1).fold(1.0, f64::max);
        plot.y_range = Some([1e-5, 1.5 * deepest]);
        films.into_iter().for_each(|(film, caption)| out.film(film, caption));
        out.plot(plot);
        out.extend(claims);
        out.table(table);
        Ok(out)
    }
}
