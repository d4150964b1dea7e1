mod rubber;
mod setup;

use std::time::Instant;

use signorini_core::State;
use signorini_core::na::{Quaternion, UnitQuaternion, Vector3};
use signorini_coupling::obstacles;
use signorini_mpm::{MpmEngine, MpmOptions, Particles};
use signorini_scene::{LoadOptions, Scene};

use self::rubber::{CLOSED, LOSS, RUBBER, Rubber, SIDE};
use super::bounds::Bounds;
use super::fast::{Surface, TOLERANCE, beside, law, solved_to};
use super::film::{Film, balls};
use super::statistics::{self, Statistics};
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot};

/// Fig. 3: two rubber cubes between panels grip a heavy one, lift it and shake it.
pub(super) struct Fig03;

/// Density of the rigid cube and the panels \[kg/m³\].
const HEAVY: f64 = 15_000.0;
/// Step of the bodies \[s\].
const STEP: f64 = 1e-3;
/// Thickness of a panel \[m\].
const THICK: f64 = SIDE / 6.0;
/// Contact of particles with panels, 12 along a cube; of fewer it is as stiff on an area.
const CONTACT: Surface = Surface { stiffness: 1e4, dissipation: 100.0, friction: 1.0, stiction_speed: 1e-3 };
/// Gains of the panels' joints \[N/m\], \[N·s/m\].
const GAINS: (f64, f64) = (1e7, 1.0);
/// Height of the wave \[m\] and a quarter of its period \[s\].
const WAVE: (f64, f64) = (0.018, 0.08);

/// Joints of the panels, as bodies have them: places of the heavy cube come behind.
const JOINTS: [&str; 6] = ["left_in", "left_along", "left_up", "right_in", "right_along", "right_up"];

/// Why the cube turns, slips and sinks over four waves from one panel to the other.
const WHY_ROCKS: &str = "The grip holds the cube during one wave. Over four waves from one panel to the other the cube moves down between the faces, \
    further in each wave. \
    It also rocks at 15 Hz about the axis along the faces. A tolerance of 1e-3 changes neither of these motions. \
    Without a loss factor and with 14 substeps the cube moves half as far.";

/// Steps from one look at the faces to the next.
const SLIP_EVERY: u32 = 5;

/// Direction in which panels shake: upward, along their faces, or from one to the other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wave {
    Up,
    Along,
    Across,
}

impl Wave {
    fn name(self) -> &'static str {
        match self {
            Self::Up => "up",
            Self::Along => "along",
            Self::Across => "across",
        }
    }

    fn direction(self) -> Vector3<f64> {
        match self {
            Self::Up => Vector3::z(),
            Self::Along => Vector3::y(),
            Self::Across => Vector3::x(),
        }
    }
}

/// Part of h/(c + |v|) that a substep may take.
const COURANT: f64 = 0.75;

/// Size of the cubes' particles, when panels are closed, when lifting ends, how high \[m\], when shaking starts, in how many quarters.
#[derive(Clone, Copy)]
struct Plan {
    /// Particles along a rubber cube.
    along: usize,
    /// Fewest substeps of a step.
    substeps: u32,
    closed: f64,
    lifted: f64,
    height: f64,
    shaken: f64,
    quarters: u32,
}

const PAPER: Plan =
    Plan { along: 12, substeps: 10, closed: 0.4, lifted: 2.0, height: 0.2, shaken: 2.2, quarters: 16 };
const QUICK: Plan =
    Plan { along: 7, substeps: 6, closed: 0.08, lifted: 0.24, height: 0.04, shaken: 0.4, quarters: 3 };
const STANDARD: Plan = Plan { along: 9, quarters: 4, ..QUICK };
/// Quarters of the waves to the sides, quick and standard.
const ASIDE: u32 = 2;

impl Plan {
    fn end(&self) -> f64 {
        self.shaken + f64::from(self.quarters) * WAVE.1
    }

    /// Way of the panels inward, and where the middle between them is, at a time \[m\].
    fn at(&self, t: f64, to: Wave) -> (f64, Vector3<f64>) {
        let up = self.height * ((t - self.closed) / (self.lifted - self.closed)).clamp(0.0, 1.0);
        let phase = ((t - self.shaken) / WAVE.1).clamp(0.0, f64::from(self.quarters)) % 4.0;
        let wave = if phase < 1.0 {
            phase
        } else if phase < 3.0 {
            2.0 - phase
        } else {
            phase - 4.0
        };
        (CLOSED * (t / self.closed).min(1.0), up * Vector3::z() + WAVE.0 * wave * to.direction())
    }
}

fn scene() -> Result<Scene, PageError> {
    let panel = |name: &str, side: f64| {
        let x = side * (1.5 * SIDE + 0.5 * THICK);
        format!(
            "<body name='{name}' pos='{x} 0 {h}'><joint name='{name}_in' type='slide' axis='{} 0 0'/><joint name='{name}_along' type='slide' axis='0 1 0'/><joint name='{name}_up' type='slide' axis='0 0 1'/>\
             <geom name='{name}' type='box' size='{} .07 {h}' density='{HEAVY}' contype='0' conaffinity='0'/></body>",
            -side,
            0.5 * THICK,
            h = 0.5 * SIDE
        )
    };
    let motor = |joint: &str| format!("<position joint='{joint}' kp='{}' kv='{}'/>", GAINS.0, GAINS.1);
    let text = format!(
        "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/>{}{}\
         <body name='red' pos='0 0 {h}'><freejoint/><geom name='red' type='box' size='{h} {h} {h}' density='{HEAVY}'/></body></worldbody>\
         <actuator>{}</actuator></mujoco>",
        panel("left", -1.0),
        panel("right", 1.0),
        JOINTS.map(motor).concat(),
        h = 0.5 * SIDE
    );
    Scene::from_mjcf(&text, "shake.xml", &LoadOptions::default()).map_err(PageError::from_error)
}

/// Mean places \[m\] of the faces of rubber on panels, and of those on the heavy cube.
fn faces(p: &Particles, along: usize) -> [Vector3<f64>; 2] {
    let layer = along * along;
    let mean = |cube: usize, number: usize| {
        let first = cube * along.pow(3) + number * layer;
        p.x[first..first + layer].iter().sum::<Vector3<f64>>() / layer as f64
    };
    [0.5 * (mean(0, 0) + mean(1, along - 1)), 0.5 * (mean(0, along - 1) + mean(1, 0))]
}

/// Height of a mass beside panels that shake it upward on springs of `k` \[N/m\], `more` \[N/m\] of them fading in a time t₁ \[s\], \[m\] over time, from where it hangs at rest on.
///
/// ```text
/// m z̈ = k (w − z) + s − m g,   ṡ = more (ẇ − ż) − s/t₁
/// ```
fn oscillator(plan: &Plan, [k, more, fading]: [f64; 3], mass: f64) -> Vec<(f64, f64)> {
    let (dt, panels) = (1e-4, |t: f64| plan.at(t, Wave::Up).1.z);
    let (mut z, mut v, mut s, mut out) = (panels(plan.shaken) - mass * 9.81 / k, 0.0, 0.0, Vec::new());
    for n in 0..((plan.end() - plan.shaken) / dt) as u32 {
        let t = plan.shaken + f64::from(n) * dt;
        v += dt * ((k * (panels(t) - z) + s) / mass - 9.81);
        z += dt * v;
        s += more * (panels(t + dt) - panels(t) - dt * v) - dt * s / fading;
        if n % 10 == 0 {
            out.push((t, z - panels(t)));
        }
    }
    out
}

/// A side view: time \[s\], particles, height of the middle of the heavy cube.
type View = (f64, Vec<(f64, f64)>, f64);

/// A state of points and bodies, to go on from.
type Hung = (Particles, State);

/// Places of all bodies at a time \[s\].
struct Place {
    t: f64,
    /// The middle between panels, and the heavy cube, beside their start \[m\].
    at: Vector3<f64>,
    red: Vector3<f64>,
    /// Turn of the heavy cube, along its axis \[rad\].
    turn: Vector3<f64>,
}

impl Place {
    /// The heavy cube beside the panels \[m\].
    fn apart(&self) -> Vector3<f64> {
        self.red - self.at
    }
}

/// Results of a run.
struct Shaken {
    places: Vec<Place>,
    /// Force across on the left panel and on the right one \[N\].
    across: [Vec<(f64, f64)>; 2],
    views: Vec<View>,
    /// Largest way that faces of rubber went along a panel and along the heavy cube since panels closed or shaking started \[m\].
    slip: [f64; 2],
    deepest: f64,
    film: Film,
    /// Limits of weak coupling, and the columns of Table I.
    bounds: Bounds,
    statistics: Statistics,
    /// State when shaking started.
    hung: Option<Hung>,
}

/// Shakes, from the start of the scene or from where the cube hung.
fn shake(
    plan: &Plan,
    rubber: &Rubber,
    to: Wave,
    from: Option<&Hung>,
    ctx: &Context,
) -> Result<Shaken, PageError> {
    let scene = scene()?;
    let geoms: Vec<usize> = (0..scene.geoms.len()).collect();
    let stiffness = CONTACT.stiffness * (PAPER.along as f64 / rubber.along as f64).powi(2);
    let met = obstacles(&scene, &geoms, Surface { stiffness, ..CONTACT }.material())
        .map_err(PageError::from_error)?;
    let number_of = |name: &str| scene.geoms.iter().position(|g| g.name == name);
    let (Some(left), Some(right)) = (number_of("left"), number_of("right")) else {
        return Err(PageError::from_error(std::io::Error::other("the scene has no panels")));
    };
    let options = MpmOptions { spacing: rubber.spacing(), courant: COURANT, ..MpmOptions::default() };
    let engine = MpmEngine::<f32>::new(
        from.map_or_else(|| rubber.particles(), |(p, _)| p.clone()),
        rubber.materials(),
        vec![],
        met,
        law()?,
        options,
    )
    .map_err(PageError::from_error)?;
    let (c, mut y) = beside(&scene, &geoms, solved_to(TOLERANCE, engine), plan.substeps)?;
    if let Some((_, hung)) = from {
        y.clone_from(hung);
    }
    // As published, but for substeps where stretched rubber asks for more.
    let mut c = c.with_moving_bodies(false).with_shorter_substeps();
    let count = rubber.along.pow(3);
    let cubes = [0, 1].map(|i| balls("rubber", i * count..(i + 1) * count, rubber.apart()));
    let mut out = Shaken {
        places: Vec::new(),
        across: Default::default(),
        views: Vec::new(),
        slip: [0.0; 2],
        deepest: 0.0,
        film: Film::new(&scene, &mut c, &y, cubes.to_vec()),
        bounds: Bounds::new(scene.geoms.iter().map(|g| g.name.clone()), STEP),
        statistics: Statistics::new("close, lift, shake", STEP).beside_others(rubber.elastic_count()),
        hung: None,
    };
    let looks = [0.0, plan.closed, plan.lifted, plan.shaken + 2.0 * WAVE.1, plan.end()];
    let steps = |t: f64| (t / STEP).round() as u32;
    let mut gripped: Option<[Vector3<f64>; 2]> = None;
    for k in steps(y.t)..=steps(plan.end()) {
        let t = f64::from(k) * STEP;
        if looks.iter().any(|l| (t - l).abs() < 0.5 * STEP) {
            ctx.say(format!("{t:.2} s"));
            let p = c.points_mut().engine_mut().particles();
            let seen = p.x[..rubber.elastic_count()].iter().map(|x| (x.x, x.z)).collect();
            out.views.push((t, seen, y.q[JOINTS.len() + 2]));
        }
        if k == steps(plan.end()) {
            break;
        }
        if k == steps(plan.shaken) {
            out.hung = Some((c.points_mut().engine_mut().particles().clone(), y.clone()));
        }
        let (inward, at) = plan.at(t + STEP, to);
        let targets = [inward + at.x, at.y, at.z, inward - at.x, at.y, at.z];
        c.rigid_mut().control_mut().copy_from_slice(&targets);
        let start = Instant::now();
        let r = c.step(&mut (), &mut y, STEP).map_err(PageError::from_error)?;
        out.statistics.add(c.points().engine(), &r, start);
        out.film.see(&mut c, &y);
        out.bounds.add(&c.limits(), &r);
        // Free bodies have their places first, then their turn as w, x, y, z, behind the joints.
        let red = &y.q[JOINTS.len()..];
        let (place, turn) = (Vector3::new(red[0], red[1], red[2]), &red[3..7]);
        let turn = UnitQuaternion::from_quaternion(Quaternion::new(turn[0], turn[1], turn[2], turn[3]));
        let red = place - 0.5 * SIDE * Vector3::z();
        out.places.push(Place { t: t + STEP, at, red, turn: turn.scaled_axis() });
        for (list, geom) in out.across.iter_mut().zip([left, right]) {
            list.push((t + STEP, r.impulses[geom][0].x / STEP));
        }
        out.deepest = r.deepest.iter().fold(out.deepest, |a, b| a.max(*b));
        if t + STEP >= plan.closed && k % SLIP_EVERY == 0 {
            let now = faces(c.points_mut().engine_mut().particles(), rubber.along);
            let apart = [now[0] - at, now[1] - place];
            let before = *gripped.get_or_insert(apart);
            // Along the faces.
            let way = |i: usize| (apart[i] - before[i]).yz().norm();
            out.slip = [0, 1].map(|i| out.slip[i].max(way(i)));
        }
    }
    Ok(out)
}

impl Shaken {
    /// Time \[s\] and how far the heavy cube is from where it hung beside the panels \[m\], while they shake.
    fn swing(&self, plan: &Plan) -> Vec<(f64, Vector3<f64>)> {
        let Some((_, hung)) = &self.hung else { return Vec::new() };
        let (_, at) = plan.at(plan.shaken, Wave::Up);
        let start = Vector3::new(hung.q[JOINTS.len()], hung.q[JOINTS.len() + 1], hung.q[JOINTS.len() + 2]);
        let start = start - 0.5 * SIDE * Vector3::z() - at;
        self.shaking(plan).map(|p| (p.t, p.apart() - start)).collect()
    }

    fn furthest(&self, plan: &Plan) -> f64 {
        self.swing(plan).iter().map(|(_, d)| d.norm()).fold(0.0, f64::max)
    }

    fn shaking(&self, plan: &Plan) -> impl Iterator<Item = &Place> {
        let shaken = plan.shaken;
        self.places.iter().filter(move |p| p.t > shaken)
    }

    /// Largest turn \[rad\].
    fn tilt(&self) -> f64 {
        self.places.iter().map(|p| p.turn.norm()).fold(0.0, f64::max)
    }
}

impl Page for Fig03 {
    fn id(&self) -> &'static str {
        "yu2025mpm/fig03"
    }
    fn title(&self) -> &'static str {
        "A heavy cube gripped between two rubber cubes"
    }
    fn lead(&self) -> &'static str {
        "Two rubber cubes grip a heavy cube, lift it and shake it, and the heavy cube should stay in the grip."
    }
    fn cost(&self) -> [f64; 3] {
        [7.0, 20.0, 1000.0]
    }
    // Its time is that of a row of table 1.
    fn alone(&self) -> bool {
        true
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let plan = ctx.sized([QUICK, STANDARD, PAPER]);
        let mass = HEAVY * SIDE.powi(3);
        let rubber = Rubber::new(plan.along).map_err(PageError::from_error)?;
        let run = shake(&plan, &rubber, Wave::Up, None, ctx)?;
        let hung = run.hung.as_ref();
        let aside = Plan { quarters: if ctx.full() { plan.quarters } else { ASIDE }, ..plan };
        let across = shake(&aside, &rubber, Wave::Across, hung, ctx)?;
        let mut runs = vec![(Wave::Up, &run), (Wave::Across, &across)];
        let along = if ctx.full() { Some(shake(&plan, &rubber, Wave::Along, hung, ctx)?) } else { None };
        runs.extend(along.iter().map(|along| (Wave::Along, along)));
        let mut out = PageOutput::new(setup::text(&plan, &aside, &rubber));
        let mut heights = Plot::new(
            "height",
            "Height of the heavy cube above its start. The dashed line is the height of the panels.",
            "time [s]",
            "height [m]",
        );
        heights.add("heavy cube", Mark::Line, run.places.iter().map(|p| (p.t, p.red.z)).collect());
        heights.add("panels", Mark::Dashed, run.places.iter().map(|p| (p.t, p.at.z)).collect());
        let mut apart =
            Plot::new("apart", "Height of the heavy cube relative to the panels", "time [s]", "height [mm]");
        apart.add("heavy cube", Mark::Line, run.places.iter().map(|p| (p.t, 1e3 * p.apart().z)).collect());
        let mut swing = Plot::new(
            "swing",
            "Displacement of the heavy cube relative to the panels, along the direction of shaking",
            "time [s]",
            "displacement [mm]",
        );
        for (to, shaken) in &runs {
            let way = |p: &Place| (p.t, 1e3 * p.apart().dot(&to.direction()));
            swing.add(to.name(), Mark::Line, shaken.shaking(&plan).map(way).collect());
        }
        let mut leaves = Plot::new(
            "leaves",
            "Displacement of the heavy cube relative to the panels since the start of shaking, for shaking from one panel to the other",
            "time [s]",
            "displacement [mm]",
        );
        let mut turns = Plot::new(
            "turns",
            "Rotation of the heavy cube about each axis, for shaking from one panel to the other",
            "time [s]",
            "rotation [rad]",
        );
        for way in [Wave::Across, Wave::Along, Wave::Up] {
            let n = way.direction();
            leaves.add(
                way.name(),
                Mark::Line,
                across.swing(&plan).iter().map(|(t, d)| (*t, 1e3 * d.dot(&n))).collect(),
            );
            turns.add(way.name(), Mark::Line, across.shaking(&plan).map(|p| (p.t, p.turn.dot(&n))).collect());
        }
        let mut force =
            Plot::new("across", "Normal force of the rubber on each panel", "time [s]", "force [N]");
        for (list, name) in run.across.iter().zip(["left", "right"]) {
            force.add(name, Mark::Line, list.clone());
        }
        let gripped = || run.places.iter().filter(|p| p.t > plan.closed);
        let furthest = gripped().map(|p| p.apart().z.abs()).fold(0.0, f64::max);
        let grip = |list: &[(f64, f64)]| {
            let kept: Vec<f64> =
                list.iter().filter(|f| f.0 > plan.lifted && f.0 < plan.shaken).map(|f| f.1).collect();
            kept.iter().sum::<f64>() / kept.len() as f64
        };
        let (left, right) = (grip(&run.across[0]), grip(&run.across[1]));
        let resting = run.places.iter().filter(|p| p.t > plan.lifted && p.t < plan.shaken);
        let still: Vec<f64> = resting.map(|p| -p.apart().z).collect();
        let sag = still.iter().sum::<f64>() / still.len() as f64;
        let [k, fast] = [false, true].map(|f| rubber.stiffness(f, right));
        let expected = mass * 9.81 / k;
        let swung = oscillator(&plan, [k, fast - k, rubber.forgets.time()], mass);
        let swings = swung.iter().map(|p| p.1.abs()).fold(0.0, f64::max);
        let swung = swung.into_iter().map(|(t, z)| (t, 1e3 * z)).collect();
        apart.add("one mass on two beams", Mark::Dashed, swung);
        // η = μ tan δ/ω.
        let viscosity = LOSS.0 * rubber.elastic.mu / (k / mass).sqrt();
        let most = |of: &dyn Fn(&Shaken) -> f64| runs.iter().map(|r| of(r.1)).fold(0.0, f64::max);
        statistics::keep(&run.statistics, ctx)?;
        out.heading("Lifting and vertical shaking");
        out.extend([heights, apart]);
        out.film(
            run.film.attachment("close lift shake up"),
            "The panels close, lift the cubes and shake them vertically",
        );
        for (t, view, z) in &run.views {
            let name = format!("view_{}", (1e3 * t).round());
            let mut plot = Plot::new(
                &name,
                &format!("Rubber particles and the heavy cube, seen from the side at {t:.2} s"),
                "x [m]",
                "z [m]",
            );
            plot.equal_scales = true;
            plot.add("rubber", Mark::Points, view.clone());
            let corner = |(x, up): (f64, f64)| (0.5 * SIDE * x, z + 0.5 * SIDE * up);
            let around = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0)];
            plot.add("heavy cube", Mark::Line, around.map(corner).to_vec());
            out.plot(plot);
        }
        out.prose(format!(
            "The rubber is soft for this weight. A model treats each rubber cube as a short beam in shear and bending, whose end faces stay parallel. \
             The beams have {}/{} of the section of a cube, because the outer particles lie on the faces. Two beams pressed by {right:.0} N have a \
             stiffness of {:.1} kN/m. The model predicts that the cube hangs {:.1} mm below the panels and swings at {:.1} Hz. The shaking wave has {:.1} Hz. \
             In the simulation the cube hangs {:.1} mm below the panels between lift and shaking.",
            plan.along - 1,
            plan.along,
            1e-3 * k,
            1e3 * expected,
            (k / mass).sqrt() / std::f64::consts::TAU,
            0.25 / WAVE.1,
            1e3 * sag,
        ));
        out.prose(format!(
            "Panels that close further make the sag larger, because the pressing force softens a block of rubber sideways (−6N/5L). \
             The scene of the released code closes by 50 mm. The blocks then give way, and the cube stays on the floor under 2 to 3 kN of pressing force. \
             The beam model also predicts a rocking frequency of {:.1} Hz about the axis along the faces. The fifth harmonic of the triangle wave has {:.1} \
             Hz. Shaking from one panel to the other drives this rocking because of the sag. \
             The cube then rocks and sinks further in each wave, because the faces creep along it one after the other (last two figures of the next section).",
            rubber.rocking(right, mass),
            1.25 / WAVE.1,
        ));
        out.prose(format!(
            "The loss factor corresponds to a viscosity of {viscosity:.0} Pa·s in addition to the elastic stress, at the swing frequency. \
             An explicit step with this viscosity would have to be {:.0e} s or shorter. The relaxing stress (signorini_mpm::Maxwell) gives the loss factor \
             with substeps of {:.0e} s. \
             The dashed curve of one mass on two beams uses the springs of slow rubber and, in parallel, the springs with relaxing stress.",
            RUBBER * rubber.spacing().powi(2) / (8.0 * viscosity),
            STEP / f64::from(plan.substeps),
        ));

        out.extend([
            Claim::relative("sag", "sag of the cube below the panels between lift and shaking, compared with two short \
                beams", expected, sag, 0.25, "m").required_since("because blocks as long as they are wide are no slender beams"),
            Claim::at_most("held", "the heavy cube is securely held during lift and shaking: its faces overlap the rubber faces by at least half (largest \
                height difference to the panels)", 0.5 * SIDE, furthest, "m").required_since("the faces overlap by at least half").published("securely held"),
            Claim::relative("swing", "largest height difference between the cube and the panels, compared with one mass that is shaken on these \
                beams", swings, furthest, 0.25, "m").required_since("as for the sag"),
        ]);
        out.heading("Horizontal shaking");
        out.extend([swing, leaves, turns]);
        out.film(
            across.film.attachment("close lift shake across"),
            "The panels shake the cubes from one panel to the other",
        );
        out.extend([Claim::at_most(
            "held.across",
            "the heavy cube is securely held during shaking from one panel to the other: it stays within half a side of its position before shaking",
            0.5 * SIDE,
            across.furthest(&plan),
            "m",
        )
        .required_since("the faces overlap by at least half")
        .because(WHY_ROCKS)]);
        if let Some(along) = &along {
            let claim = "the heavy cube is securely held during shaking along the faces: it stays within half a side of its position before shaking";
            out.claim(
                Claim::at_most("held.along", claim, 0.5 * SIDE, along.furthest(&plan), "m")
                    .required_since("the faces overlap by at least half"),
            );
            out.film(
                along.film.attachment("close lift shake along"),
                "The panels shake the cubes along their faces",
            );
        }
        out.claim(
            Claim::at_most(
                "tilt",
                "largest rotation of the heavy cube in this symmetric scene",
                0.05,
                most(&Shaken::tilt),
                "rad",
            )
            .required_since("a face of 0.1 m then rises by a twentieth of itself")
            .because(WHY_ROCKS),
        );
        out.heading("Contact");
        out.plot(force);
        out.extend([
            Claim::relative("balance", "normal forces on both panels are equal", -left, right, 0.02, "N").required_since("the scene is symmetric but for the grid"),
            Claim::at_most("slip.panels", "largest slip of the rubber faces along the panels", 0.01, most(&|r| r.slip[0]), "m").required_since("a tenth of a side"),
            Claim::at_most("slip.cube", "largest slip of the rubber faces along the heavy cube", 0.01, most(&|r| r.slip[1]), "m").required_since("a tenth of a side").because(WHY_ROCKS),
            Claim::at_most("deepest", "largest penetration depth of a particle into a body", 2e-3, most(&|r| r.deepest), "m").required_since("seven times the depth of 0.3 mm under a uniform pressure").because(
                "Each particle has a contact spring of 1e4 N/m. A uniform pressure would give a depth of 0.3 mm. \
                 The faces tilt while the cube swings, and their edges carry most of the load.",
            ),
        ]);
        out.claim(
            Claim::at_most(
                "converged",
                "share of the contact solves that do not converge",
                1e-3,
                most(&|r| r.statistics.unconverged()),
                "",
            )
            .required_since("one solve in a thousand may end early"),
        );
        out.heading("Limits of weak coupling and computing time");
        out.plot(run.statistics.contact_plot());
        out.extend(run.statistics.claim_of_contacts("contacts"));
        out.extend([run.bounds.table(), Statistics::table([&run.statistics])]);
        Ok(out)
    }
}
