use std::f64::consts::{FRAC_PI_2, PI};

use signorini_core::na::{Isometry3, Point3, SMatrix, SVector, UnitQuaternion, Vector3};
use signorini_multibody::{Kinematics, Model};
use signorini_scene::{LoadOptions, Scene};

use signorini_report::PageError;

/// Bases of the arms \[m\]: across from the middle, along, down from the table.
const BASE: Vector3<f64> = Vector3::new(0.75, 0.37, -0.65);
/// The middle between the pads of a gripper, on its hand \[m\]: the site tcp of the model.
const TCP: Vector3<f64> = Vector3::new(0.0, 0.0, -0.093);
/// Posture of arms where they have a choice: of many, those angles that keep joints slow and the links clear of the table.
const REST: [f64; JOINTS] = [1.95, 0.65, -0.48, -2.69, -0.34, 1.82, 1.43];
/// Part of the way to there in an iteration.
const LEAN: f64 = 0.02;
/// Joints of an arm, and with both of its fingers.
const JOINTS: usize = 7;
const COORDINATES: usize = JOINTS + 2;
/// Highest target of a finger \[m\], and the lowest: beyond its stop, so that its motor presses with the rest.
const OPEN: f64 = 0.04;
const SHUT: f64 = -0.004;

/// Boards of the table, the middle one and those of the right side, by lowest and highest x and y \[m\]: with slots at both places where grippers pinch, and room for the wrists beside them.
const MIDDLE: [f64; 4] = [-0.225, 0.225, -0.1, 0.85];
const SIDES: [[f64; 4]; 5] = [
    [0.225, 0.32, -0.1, 0.01],
    [0.225, 0.32, 0.08, 0.3],
    [0.225, 0.41, 0.3, 0.57],
    [0.225, 0.32, 0.57, 0.66],
    [0.225, 0.32, 0.73, 0.85],
];
/// Thickness of boards \[m\].
pub(super) const BOARD: f64 = 0.06;

/// Plan of the motors, by time.
#[derive(Clone, Copy)]
pub(super) struct Plan {
    /// Rounds: one folds, the second unfolds.
    pub rounds: u32,
    /// Reaching in, closing, carrying, holding still, opening, drawing back \[s\] of each round.
    pub durations: [f64; 6],
    /// Rest at the end \[s\].
    pub rest: f64,
    /// Places at which the grippers pinch: distance from the middle, along \[m\], height over the table.
    pub pinch: Vector3<f64>,
    /// The line along which the shirt is folded \[m\].
    pub line: f64,
    /// Height of the arc beside that of a half circle.
    pub arc: f64,
    /// Way that grippers draw back \[m\].
    pub back: f64,
}

/// Target of a gripper: the middle between its pads \[m\] (of the left arm; across is mirrored for the right one), how far it has turned over, and the target of its fingers \[m\].
struct Place {
    at: Vector3<f64>,
    over: f64,
    fingers: f64,
}

/// From 0 to 1 with no speed and acceleration at both ends.
fn smooth(u: f64) -> f64 {
    let u = u.clamp(0.0, 1.0);
    u * u * u * (10.0 + u * (6.0 * u - 15.0))
}

impl Plan {
    pub(super) fn end(&self) -> f64 {
        f64::from(self.rounds) * self.durations.iter().sum::<f64>() + self.rest
    }

    /// The end \[s\] of a stage (0: reaching in, to 5: drawing back) of folding (0) or unfolding (1).
    pub(super) fn after(&self, round: usize, stage: usize) -> f64 {
        let whole: f64 = self.durations.iter().sum();
        round as f64 * whole + self.durations[..=stage].iter().sum::<f64>()
    }

    fn place(&self, t: f64) -> Place {
        let stage = |round: usize, stage: usize| {
            smooth((t - self.after(round, stage) + self.durations[stage]) / self.durations[stage])
        };
        let over = PI * (stage(0, 2) - stage(1, 2));
        let out = 1.0 - stage(0, 0) + stage(0, 5) - stage(1, 0) + stage(1, 5);
        let shut = stage(0, 1) - stage(0, 4) + stage(1, 1) - stage(1, 4);
        let arm = self.line - self.pinch.y;
        let at = Vector3::new(
            -self.pinch.x - self.back * out,
            self.line - arm * over.cos(),
            self.pinch.z + self.arc * arm * over.sin(),
        );
        Place { at, over, fingers: OPEN + shut * (SHUT - OPEN) }
    }
}

/// Text of a copy of the arm, its names behind a prefix, which carries its own weight; and its actuators, equalities and exclusions.
struct Copy {
    bodies: String,
    contact: String,
    equality: String,
    actuator: String,
}

fn between<'a>(text: &'a str, from: &str, to: &str) -> Result<&'a str, PageError> {
    let missing = || PageError::Run(format!("arm_gripper.xml has no '{from}' before '{to}'"));
    let start = text.find(from).ok_or_else(missing)?;
    let end = text[start..].find(to).ok_or_else(missing)?;
    Ok(&text[start..start + end])
}

fn copy(text: &str, prefix: &str) -> Result<Copy, PageError> {
    let own = |part: &str| {
        ["name", "joint", "joint1", "joint2", "body1", "body2"]
            .iter()
            .fold(part.to_owned(), |t, key| t.replace(&format!(" {key}=\""), &format!(" {key}=\"{prefix}_")))
    };
    let section = |key: &str| {
        let part = between(text, &format!("<{key}>"), &format!("</{key}>"))?;
        Ok::<_, PageError>(own(&part[key.len() + 2..]))
    };
    let bodies = own(between(text, "<body name=\"base\"", "<body name=\"box\"")?);
    let actuator = section("actuator")?;
    let (gripper, rest) =
        (actuator.find("kp=\"2000\" kv=\"100\" forcerange=\"-70 70\""), "inheritrange=\"1\"/>");
    let Some(gripper) = gripper else {
        return Err(PageError::Run("arm_gripper.xml has another motor of the gripper".into()));
    };
    let tail = actuator[gripper..].replace(rest, &format!("ctrlrange=\"{SHUT} {OPEN}\"/>"));
    Ok(Copy {
        bodies: bodies.replace("<body ", "<body gravcomp=\"1\" "),
        contact: section("contact")?,
        equality: section("equality")?,
        actuator: actuator[..gripper].to_owned() + &tail,
    })
}

fn board(name: &str, [x0, x1, y0, y1]: [f64; 4]) -> String {
    format!(
        "<geom name='{name}' type='box' pos='{} {} {}' size='{} {} {}'/>",
        0.5 * (x0 + x1),
        0.5 * (y0 + y1),
        -0.5 * BOARD,
        0.5 * (x1 - x0),
        0.5 * (y1 - y0),
        0.5 * BOARD
    )
}

/// Lowest and highest x and y of all boards \[m\].
pub(super) fn seen_boards() -> impl Iterator<Item = [f64; 4]> {
    let sides = SIDES.into_iter().flat_map(|[x0, x1, y0, y1]| [[x0, x1, y0, y1], [-x1, -x0, y0, y1]]);
    std::iter::once(MIDDLE).chain(sides)
}

/// Two arms at a table.
pub(super) struct Arms {
    pub scene: Scene,
    /// Numbers of the boards, of hands and links, and of each gripper's pads.
    pub boards: Vec<usize>,
    pub links: Vec<usize>,
    pub pads: [[usize; 2]; 2],
    hands: [usize; 2],
}

impl Arms {
    /// Arms from the description of one (`models/arm_gripper/arm_gripper.xml`).
    pub(super) fn new(text: &str) -> Result<Self, PageError> {
        let (left, right) = (copy(text, "left")?, copy(text, "right")?);
        let boards: String =
            seen_boards().enumerate().map(|(i, seen)| board(&format!("board_{i}"), seen)).collect();
        let whole = format!(
            "<mujoco model='two arms'><compiler angle='radian' autolimits='true'/>{}</default>\
             <worldbody>{boards}<body name='left' pos='{} {y} {z}'>{}</body><body name='right' pos='{} {y} {z}' euler='0 0 {PI}'>{}</body></worldbody>\
             <contact>{}{}</contact><equality>{}{}</equality><actuator>{}{}</actuator></mujoco>",
            between(text, "<default>", "</default>\n\n")?,
            -BASE.x,
            left.bodies,
            BASE.x,
            right.bodies,
            left.contact,
            right.contact,
            left.equality,
            right.equality,
            left.actuator,
            right.actuator,
            y = BASE.y,
            z = BASE.z,
        );
        let scene = Scene::from_mjcf(&whole, "two_arms.xml", &LoadOptions::default())
            .map_err(PageError::from_error)?;
        let missing = |name: &str| PageError::Run(format!("the arm has no '{name}'"));
        let geom =
            |name: String| scene.geoms.iter().position(|g| g.name == name).ok_or_else(|| missing(&name));
        let body =
            |name: String| scene.bodies.iter().position(|b| b.name == name).ok_or_else(|| missing(&name));
        let pads = |side: &str| {
            Ok::<_, PageError>([geom(format!("{side}_left_pad"))?, geom(format!("{side}_right_pad"))?])
        };
        let (pads, hands) =
            ([pads("left")?, pads("right")?], [body("left_hand".into())?, body("right_hand".into())?]);
        let (boards, arms): (Vec<usize>, Vec<usize>) =
            (0..scene.geoms.len()).partition(|g| scene.geoms[*g].name.starts_with("board"));
        let links = arms.into_iter().filter(|g| !pads.as_flattened().contains(g)).collect();
        Ok(Self { scene, boards, links, pads, hands })
    }

    /// Angles of all joints and targets of all motors at each time of the plan, steps of `step` \[s\] from 0 on, and the largest distance of a gripper from its place \[m\].
    pub(super) fn follow(&self, model: &Model, plan: &Plan, step: f64) -> Result<Path, PageError> {
        let mut kin = Kinematics::new(model);
        let count = (plan.end() / step).round() as usize;
        let mut q = vec![0.0; model.nq];
        let mut far = 0.0f64;
        // An elbow that is bent, then the way to the start.
        for arm in 0..2 {
            q[COORDINATES * arm..][..JOINTS].copy_from_slice(&REST);
            let lead = 60;
            for k in 0..=lead {
                let mut place = plan.place(0.0);
                place.over = FRAC_PI_2 * (1.0 - k as f64 / lead as f64);
                place.at.z += 0.25 * place.over.sin();
                place.at.y += (plan.line - place.at.y) * place.over.sin();
                far = self.reach(model, &mut kin, &mut q, arm, &place, if k == 0 { 300 } else { 20 });
            }
            if far > 1e-3 {
                return Err(PageError::Run(format!("arm {arm} misses its start by {far:.3} m at {q:?}")));
            }
        }
        let mut path = Path { start: q.clone(), targets: Vec::with_capacity(count + 1), missed: far };
        (0..2).for_each(|arm| path.start[COORDINATES * arm + JOINTS..][..2].fill(OPEN));
        for k in 0..=count {
            let place = plan.place(step * k as f64);
            let mut targets = Vec::with_capacity(2 * (JOINTS + 1));
            for arm in 0..2 {
                path.missed = path.missed.max(self.reach(model, &mut kin, &mut q, arm, &place, 8));
                targets.extend_from_slice(&q[COORDINATES * arm..][..JOINTS]);
                targets.push(place.fingers);
            }
            path.targets.push(targets);
        }
        // Dampers hold joints back, by as much at a steady speed.
        for k in 0..count {
            for m in (0..2 * (JOINTS + 1)).filter(|m| m % (JOINTS + 1) < JOINTS) {
                let f = &self.scene.actuators[m].force;
                let damping = self.scene.joints[m / (JOINTS + 1) * COORDINATES + m % (JOINTS + 1)].damping;
                let speed = (path.targets[k + 1][m] - path.targets[k][m]) / step;
                path.targets[k][m] += speed * (damping - f.bias[2]) / f.gain[0];
            }
        }
        Ok(path)
    }

    /// Damped least squares for the place and turn of a gripper; the remaining freedom goes toward the middle of joints. Returns the distance that remains \[m\].
    ///
    /// ```text
    /// dq = Jᵀ (J Jᵀ + λ² 1)⁻¹ (e − J z) + z
    /// ```
    fn reach(
        &self,
        model: &Model,
        kin: &mut Kinematics,
        q: &mut [f64],
        arm: usize,
        place: &Place,
        most: u32,
    ) -> f64 {
        let side = [1.0, -1.0][arm];
        let at = Vector3::new(side * place.at.x, place.at.y, place.at.z);
        let turn = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), FRAC_PI_2 - place.over)
            * UnitQuaternion::from_axis_angle(&Vector3::y_axis(), -side * FRAC_PI_2)
            * UnitQuaternion::from_axis_angle(&Vector3::z_axis(), PI * arm as f64);
        let first = COORDINATES * arm;
        let mut left = f64::INFINITY;
        for k in 0..=most {
            kin.set_positions(model, q, &model.mocap_poses);
            let hand: &Isometry3<f64> = &kin.x_wb[self.hands[arm]];
            let tcp = hand * Point3::from(TCP);
            let (apart, round) = (at - tcp.coords, (turn * hand.rotation.inverse()).scaled_axis());
            left = apart.norm().max(0.1 * round.norm());
            if k == most || left < 1e-7 {
                break;
            }
            let (linear, angular) = kin.jacobian(model, self.hands[arm], &tcp);
            let j = SMatrix::<f64, 6, JOINTS>::from_fn(|r, c| {
                if r < 3 { linear[3 * (first + c) + r] } else { angular[3 * (first + c) + r - 3] }
            });
            let range = |c: usize| self.scene.joints[first + c].range.unwrap_or([-PI, PI]);
            let lean = SVector::<f64, JOINTS>::from_fn(|c, _| LEAN * (REST[c] - q[first + c]));
            let error =
                SVector::<f64, 6>::from_iterator(apart.iter().chain(round.iter()).copied()) - j * lean;
            let damped = j * j.transpose() + 1e-5 * SMatrix::<f64, 6, 6>::identity();
            let Some(x) = damped.cholesky().map(|c| c.solve(&error)) else { break };
            let dq = j.transpose() * x + lean;
            for c in 0..JOINTS {
                let [low, high] = range(c);
                q[first + c] = (q[first + c] + dq[c].clamp(-0.2, 0.2)).clamp(low + 0.02, high - 0.02);
            }
        }
        left
    }
}

/// Commands to the arms.
pub(super) struct Path {
    /// Coordinates of all joints at the start.
    pub start: Vec<f64>,
    /// Targets of all motors, by steps.
    pub targets: Vec<Vec<f64>>,
    /// Furthest that the angles leave a gripper from its place, in metres or tenths of a radian.
    pub missed: f64,
}
