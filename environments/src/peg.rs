use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use signorini_core::na::{Isometry3, Vector3};
use signorini_core::{OneStep, State, Tolerance};
use signorini_geometry::TriangleMesh;
use signorini_integrators::ContactStep;
use signorini_ipc::{
    AffineBody, AffineSystem, Invariants, IpcOptions, IpcSolver, Joint, JointAction, JointKind, Motor,
};

use crate::EnvironmentError;

/// A peg over a hole with a funnel. The paper states radii, length, motors, observation and the end; the rest is ours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PegOptions {
    /// Radius of the peg \[m\]; 0.035 in the paper, 0.039 for the hard one.
    pub peg_radius: f64,
    /// Length of the peg \[m\]; 0.2 in the paper.
    pub peg_length: f64,
    /// Radius of the hole \[m\]; 0.040 in the paper.
    pub hole_radius: f64,
    /// Depth of the hole \[m\]; the episode ends well when the peg is nine tenths in.
    pub hole_depth: f64,
    /// Radius of the mouth of the funnel \[m\], and its height above the hole \[m\].
    pub funnel: [f64; 2],
    /// Sides of the peg and of the hole. Corners of both lie on their radii and face each other: the peg cannot leave the axis by more than the clearance.
    pub sides: u32,
    /// Starts lie within this distance of the axis in x and in y \[m\].
    pub start_radius: f64,
    /// Least and largest height of the lower end of the peg above the hole at the start \[m\].
    pub start_height: [f64; 2],
    /// S: steps of an episode.
    pub steps: u32,
    /// Time of a step of the environment \[s\], in as many steps of the simulation as fit `dt`.
    pub period: f64,
    /// Step of the simulation \[s\].
    pub dt: f64,
    /// Largest speed of a motor \[m/s\]: actions are cut to it.
    pub speed: f64,
    /// Gain \[N·s/m\] and largest force \[N\] of the motors.
    pub motor: [f64; 2],
    /// Coefficient of friction.
    pub friction: f64,
    /// Largest error of each number of an observation \[m\], drawn anew for every one; 0 in the paper.
    pub noise: f64,
    /// d̂ \[m\]; None: an eighth of the clearance.
    pub range: Option<f64>,
}

impl Default for PegOptions {
    fn default() -> Self {
        Self {
            peg_radius: 0.035,
            peg_length: 0.2,
            hole_radius: 0.040,
            hole_depth: 0.1,
            funnel: [0.08, 0.05],
            sides: 32,
            start_radius: 0.05,
            start_height: [0.03, 0.1],
            steps: 100,
            period: 0.05,
            dt: 0.01,
            speed: 0.1,
            motor: [200.0, 40.0],
            friction: 0.2,
            noise: 0.0,
            range: None,
        }
    }
}

impl PegOptions {
    /// The hard one of section V-E: a clearance of 1 mm.
    pub fn hard() -> Self {
        Self { peg_radius: 0.039, ..Self::default() }
    }

    /// Radius of the hole less that of the peg \[m\].
    pub fn clearance(&self) -> f64 {
        self.hole_radius - self.peg_radius
    }

    /// Depth at which an episode ends well \[m\].
    pub fn goal(&self) -> f64 {
        0.9 * self.hole_depth
    }

    fn check(&self) -> Result<(), EnvironmentError> {
        let [mouth, rise] = self.funnel;
        let [low, high] = self.start_height;
        let [gain, cap] = self.motor;
        let fields = [
            ("the radius of the peg", self.peg_radius, self.peg_radius > 0.0, "m > 0"),
            (
                "the length of the peg",
                self.peg_length,
                self.peg_length > self.hole_depth,
                "more than the depth of the hole",
            ),
            ("the radius of the hole", self.hole_radius, self.clearance() > 0.0, "more than that of the peg"),
            ("the depth of the hole", self.hole_depth, self.hole_depth > 0.0, "m > 0"),
            ("the mouth of the funnel", mouth, mouth > self.hole_radius, "more than the radius of the hole"),
            ("the height of the funnel", rise, rise > 0.0, "m > 0"),
            ("the radius of starts", self.start_radius, self.start_radius >= 0.0, "m ≥ 0"),
            ("the least height of starts", low, low > 0.0 && low <= high, "m > 0, at most the largest"),
            ("the largest height of starts", high, high.is_finite(), "a finite number of metres"),
            ("the number of steps", f64::from(self.steps), self.steps > 0, "1 or more"),
            (
                "the step of the simulation",
                self.dt,
                self.dt > 0.0 && self.dt <= self.period,
                "s > 0, at most the period",
            ),
            ("the speed of the motors", self.speed, self.speed > 0.0, "m/s > 0"),
            ("the gain of the motors", gain, gain > 0.0, "N·s/m > 0"),
            ("the force of the motors", cap, cap > 0.0, "N > 0"),
            ("the error of observations", self.noise, self.noise >= 0.0, "m ≥ 0"),
            ("friction", self.friction, self.friction >= 0.0, "a number ≥ 0"),
        ];
        match fields.into_iter().find(|(_, value, holds, _)| !(*holds && value.is_finite())) {
            Some((what, value, _, range)) => Err(EnvironmentError::Value { what, value, range }),
            None => Ok(()),
        }
    }
}

/// End of an episode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PegEnd {
    /// The peg is in.
    Inserted,
    /// S steps were taken.
    OutOfSteps,
}

/// Observation, reward and end of a step of the environment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PegStep {
    /// Lower end of the axis of the peg, from the middle of the hole's upper end \[m\], with its errors.
    pub observation: [f64; 3],
    /// Reward of this step.
    pub reward: f64,
    /// The end, when this was the last step.
    pub end: Option<PegEnd>,
}

/// A peg that three velocity motors move above a hole, after chen2022midas (figs. 6 to 9, section V-E): a gantry of three slides keeps it upright.
///
/// - Observation: where the lower end of the peg is, three numbers \[m\].
/// - Action: velocities that the motors want \[m/s\], x, y, z.
/// - Reward: R₁, ten per metre that the peg goes down (less than two in all), and once R₂ = 100 + 100 (1 − s/S) when it is in after s steps.
/// - End: nine tenths of the hole are reached, or S steps are taken.
///
/// Starts are drawn at random until the peg touches nothing. An episode depends on the seed and the actions alone.
pub struct PegEnvironment {
    options: PegOptions,
    system: AffineSystem,
    step: ContactStep<IpcSolver>,
    x: State,
    next: State,
    taken: u32,
    ended: Option<PegEnd>,
    worst: Invariants,
    unconverged: u32,
    random: Xoshiro256PlusPlus,
}

/// A number between two.
fn between(random: &mut Xoshiro256PlusPlus, a: f64, b: f64) -> f64 {
    // The upper 53 bits as a number in [0, 1).
    a + (b - a) * ((random.next_u64() >> 11) as f64 * 0.5f64.powi(53))
}

/// The peg among the bodies.
const PEG: usize = 3;
/// Starts that are tried.
const TRIES: u32 = 1000;
/// R₁ per metre.
const PER_METRE: f64 = 10.0;

impl PegEnvironment {
    /// With the peg at the middle of the starts.
    ///
    /// # Errors
    /// A number out of its range, named.
    pub fn new(options: PegOptions) -> Result<Self, EnvironmentError> {
        options.check()?;
        let system = system(&options)?;
        let x = system.initial_state();
        // A hundredth of the speed of the motors.
        let tolerance = Tolerance { relative: 1e-2 * options.speed, max_iterations: 200 };
        Ok(Self {
            options,
            system,
            step: ContactStep::new(IpcSolver::default()).with_tolerance(tolerance),
            x,
            next: State::default(),
            taken: 0,
            ended: None,
            worst: Invariants::default(),
            unconverged: 0,
            random: Xoshiro256PlusPlus::seed_from_u64(0),
        })
    }

    /// The settings.
    pub fn options(&self) -> &PegOptions {
        &self.options
    }

    /// The bodies: gantry, peg, container.
    pub fn system(&self) -> &AffineSystem {
        &self.system
    }

    /// State of the bodies.
    pub fn state(&self) -> &State {
        &self.x
    }

    /// End of the episode; None while it goes on.
    pub fn ended(&self) -> Option<PegEnd> {
        self.ended
    }

    /// Steps taken.
    pub fn taken(&self) -> u32 {
        self.taken
    }

    /// The worst of the ends of all steps since the start: smallest distance, crossings.
    pub fn invariants(&self) -> &Invariants {
        &self.worst
    }

    /// Solves that did not converge since the start.
    pub fn unconverged(&self) -> u32 {
        self.unconverged
    }

    /// Starts an episode; returns the observation.
    ///
    /// # Errors
    /// [`EnvironmentError::NoStart`].
    pub fn reset(&mut self, seed: u64) -> Result<[f64; 3], EnvironmentError> {
        self.random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let (r, [low, high]) = (self.options.start_radius, self.options.start_height);
        (self.taken, self.ended, self.worst, self.unconverged) = (0, None, Invariants::default(), 0);
        for _ in 0..TRIES {
            let mut draw = |a, b| between(&mut self.random, a, b);
            let to = Vector3::new(draw(-r, r), draw(-r, r), draw(low, high));
            let x = self.placed(&to);
            if self.system.smallest_distance(&x).is_none() && self.system.crossing(&x).is_none() {
                self.x = x;
                return Ok(self.observation());
            }
        }
        Err(EnvironmentError::NoStart(TRIES))
    }

    /// Takes one step with the velocities that the motors want \[m/s\].
    ///
    /// # Errors
    /// [`EnvironmentError::Ended`]; an action that is not finite; a step that fails.
    pub fn step(&mut self, action: [f64; 3]) -> Result<PegStep, EnvironmentError> {
        if self.ended.is_some() {
            return Err(EnvironmentError::Ended);
        }
        let o = self.options;
        let [gain, cap] = o.motor;
        for (joint, speed) in action.into_iter().enumerate() {
            if !speed.is_finite() {
                return Err(EnvironmentError::Value {
                    what: "an action",
                    value: speed,
                    range: "a finite speed",
                });
            }
            let motor = Motor::Velocity { speed: speed.clamp(-o.speed, o.speed), gain, cap };
            self.system.act(joint, JointAction { motor, ..JointAction::default() })?;
        }
        let before = self.position()[2];
        let count = (o.period / o.dt).round().max(1.0);
        for _ in 0..count as u32 {
            let report =
                self.step.step(&mut self.system, &self.x, o.period / count, false, &mut self.next)?;
            std::mem::swap(&mut self.x, &mut self.next);
            self.unconverged += report.unconverged;
        }
        let seen = self.system.invariants(&self.x);
        self.worst.add(&seen);
        self.taken += 1;
        let depth = -self.position()[2];
        let mut reward = PER_METRE * (before + depth);
        if depth >= o.goal() {
            self.ended = Some(PegEnd::Inserted);
            reward += 100.0 + 100.0 * (1.0 - f64::from(self.taken) / f64::from(o.steps));
        } else if self.taken == o.steps {
            self.ended = Some(PegEnd::OutOfSteps);
        }
        Ok(PegStep { observation: self.observation(), reward, end: self.ended })
    }

    /// The position with its errors.
    fn observation(&mut self) -> [f64; 3] {
        let noise = self.options.noise;
        self.position().map(|x| x + between(&mut self.random, -noise, noise))
    }

    /// Lower end of the axis of the peg, from the middle of the hole's upper end \[m\].
    pub fn position(&self) -> [f64; 3] {
        let at = self.system.coordinates_of(PEG).unwrap_or(0);
        let q = &self.x.q[at..at + 12];
        // p + A X with X along the axis.
        std::array::from_fn(|i| q[i] - 0.5 * self.options.peg_length * q[5 + 3 * i])
    }

    /// The start with the lower end of the peg at a point, at rest.
    fn placed(&self, to: &Vector3<f64>) -> State {
        let mut x = self.system.initial_state();
        // The carriages follow along their axes.
        for (body, follows) in [(1, [1.0, 0.0, 0.0]), (2, [1.0, 1.0, 0.0]), (PEG, [1.0; 3])] {
            let Some(at) = self.system.coordinates_of(body) else { continue };
            for i in 0..3 {
                x.q[at + i] += follows[i] * (to[i] - middle(&self.options)[i]);
            }
        }
        x
    }
}

/// Place of the lower end of the peg when the system is made.
fn middle(o: &PegOptions) -> Vector3<f64> {
    Vector3::new(0.0, 0.0, o.start_height[1])
}

/// Carriage on a held beam along x, carriage along y, peg along z; the container.
fn system(o: &PegOptions) -> Result<AffineSystem, EnvironmentError> {
    let range = o.range.unwrap_or(0.125 * o.clearance());
    let peg = TriangleMesh::revolved(
        o.sides,
        &[[o.peg_radius, -0.5 * o.peg_length], [o.peg_radius, 0.5 * o.peg_length]],
        [-0.5 * o.peg_length, 0.5 * o.peg_length],
    )?;
    let part = TriangleMesh::cuboid(&Vector3::repeat(0.02))?;
    let above = middle(o) + Vector3::new(0.0, 0.0, o.peg_length + 0.2);
    let at = |v: Vector3<f64>| Isometry3::translation(v.x, v.y, v.z);
    let solid = |name: &str, mesh: &TriangleMesh| AffineBody::solid(name, mesh, 1000.0);
    let bodies = vec![
        (solid("beam", &part)?.held(), at(above)),
        (solid("carriage", &part)?, at(above)),
        (solid("cross carriage", &part)?, at(above)),
        (
            solid("peg", &peg)?.with_friction(o.friction),
            at(middle(o) + Vector3::new(0.0, 0.0, 0.5 * o.peg_length)),
        ),
        (solid("container", &container(o)?)?.held().with_friction(o.friction), Isometry3::identity()),
    ];
    let slide =
        |name: &str, a: usize, axis: Vector3<f64>| Joint::new(name, [a, a + 1], JointKind::Sliding { axis });
    let joints = [slide("x", 0, Vector3::x()), slide("y", 1, Vector3::y()), slide("z", 2, Vector3::z())];
    let apart = [[0, 2], [0, 3], [0, 4], [1, 3], [1, 4], [2, 4]];
    // A pair at half the range carries the force of a motor.
    let options = IpcOptions { range, ..IpcOptions::default() }.carrying(o.motor[1]);
    Ok(AffineSystem::articulated(bodies, &joints, &apart, options)?)
}

/// The hole with its funnel: up the inside, over the rim, down the outside.
fn container(o: &PegOptions) -> Result<TriangleMesh, EnvironmentError> {
    let ([mouth, rise], hole, wall) = (o.funnel, o.hole_radius, 0.02);
    let inside = [[hole, -o.hole_depth], [hole, 0.0], [mouth, rise]];
    let outside = [[mouth + wall, rise], [mouth + wall, -o.hole_depth - wall]];
    let rings = [&inside[..], &outside].concat();
    Ok(TriangleMesh::revolved(o.sides, &rings, [-o.hole_depth, -o.hole_depth - wall])?)
}

/// A policy that succeeds: towards the axis all the time, and down as soon as the funnel catches the peg.
pub fn scripted(o: &PegOptions, [x, y, z]: [f64; 3]) -> [f64; 3] {
    let toward = |from: f64| (-from / (2.0 * o.period)).clamp(-o.speed, o.speed);
    // The edge of the peg is within the funnel at the height it is at.
    let [mouth, rise] = o.funnel;
    let open = o.hole_radius + (mouth - o.hole_radius) * (z / rise).clamp(0.0, 1.0);
    let within = x.hypot(y) + o.peg_radius < open;
    let down = if within || z > rise + o.speed * o.period { -o.speed } else { 0.0 };
    [toward(x), toward(y), down]
}
