//! The problems that every solver is tried on.

use signorini_core::na::{Matrix3, Rotation3, Vector3};
use signorini_core::{ContactMaterial, DenseProblem, Pool, ProblemError, Slot, State, StepProblem, System};

use crate::random_problem::random_dense_problem;
use crate::toys::{Body, Cube, FreeBodies, Ground, Material, MaterialBlock, Slider, SoftContact, TwoCubes};

/// A step problem with a name: a system, a state to prepare and a step size.
pub struct Animal {
    /// Name, for messages.
    pub name: String,
    /// The system.
    pub system: Box<dyn System>,
    /// Start of the step.
    pub x0: State,
    /// Step size δt \[s\].
    pub dt: f64,
}

impl Animal {
    fn new(name: &str, system: impl System + 'static, x0: State, dt: f64) -> Self {
        Self { name: format!("{name} at {dt} s"), system: Box::new(system), x0, dt }
    }

    /// The problem, prepared afresh.
    ///
    /// # Errors
    /// As [`System::prepare`] and [`System::problem`].
    pub fn problem(&mut self) -> Result<&mut dyn StepProblem, ProblemError> {
        self.system.prepare(Slot::Start, &self.x0, self.dt)?;
        self.system.problem(Slot::Start, self.dt)
    }

    /// The warm start v₀ in the unknowns of the problem; call [`Animal::problem`] before.
    pub fn guess(&self) -> Vec<f64> {
        let mut guess = Vec::new();
        self.system.guess(Slot::Start, &self.x0, &mut guess);
        guess
    }
}

fn ground(stiffness: f64, dissipation: f64, friction: f64) -> Ground {
    let material = ContactMaterial {
        stiction_speed: 1e-3,
        ..ContactMaterial::compliant(stiffness, dissipation, friction)
    };
    Ground { material, ..Ground::default() }
}

fn slider() -> Slider {
    Slider { mass: 0.7, stiffness: 20.0, damping: 0.4, stops: [-0.2, 0.3], stop: [1e4, 20.0] }
}

fn pool() -> Pool<SoftContact, 3> {
    Pool::new(SoftContact)
}

fn turned(q: &mut [f64], axis: Vector3<f64>) {
    let r = signorini_core::na::UnitQuaternion::from_scaled_axis(axis);
    q.copy_from_slice(&[r.w, r.i, r.j, r.k]);
}

/// Rigid bodies over a ground, frozen and convex.
///
/// # Errors
/// Never, unless a toy is broken.
pub fn free_bodies() -> Result<Vec<Animal>, ProblemError> {
    let mut list = Vec::new();
    for dt in [1e-4, 1e-3, 1e-2] {
        let world = |bodies, g| FreeBodies::new(bodies, slider(), g, &pool());
        let cuboid = || Body::cuboid(Vector3::new(0.1, 0.06, 0.04), 2.0);
        let sphere = || Body::sphere(0.1, 1.0);

        let sys = world(vec![sphere(), cuboid()], ground(1e4, 10.0, 0.5))?;
        let mut x = sys.rest(&[Vector3::new(0.0, 0.0, 1.0), Vector3::new(1.0, 0.0, 2.0)]);
        x.v.iter_mut().enumerate().for_each(|(i, v)| *v = (i as f64).sin());
        list.push(Animal::new("flight", sys, x, dt));

        let sys = world(vec![sphere()], ground(1e5, 10.0, 0.5))?;
        let mut x = sys.rest(&[Vector3::new(0.0, 0.0, 0.0999)]);
        x.v[3..6].copy_from_slice(&[1.0, 0.3, -0.2]);
        list.push(Animal::new("sliding sphere", sys, x, dt));

        let sys = world(vec![cuboid(), cuboid(), sphere()], ground(1e6, 5.0, 0.8))?;
        let mut x = sys.rest(&[
            Vector3::new(0.0, 0.0, 0.0399),
            Vector3::new(1.0, 0.0, 0.0599),
            Vector3::new(2.0, 0.0, 0.0999),
        ]);
        turned(&mut x.q[10..14], Vector3::new(0.0, 0.3, 0.1));
        list.push(Animal::new("resting and tilted boxes", sys, x, dt));

        let belt = Ground { velocity: Vector3::new(0.5, 0.0, 0.0), ..ground(1e5, 0.0, 0.5) };
        let mut sys = world(vec![cuboid()], belt)?;
        sys.control = 40.0;
        let mut x = sys.rest(&[Vector3::new(0.0, 0.0, 0.0398)]);
        x.q[7] = 0.305;
        x.v[6] = 0.8;
        list.push(Animal::new("belt and stop", sys, x, dt));
    }
    Ok(list)
}

/// Two cubes before, during and at the end of an approach: re-queried, with barriers and nearly parallel edges.
pub fn two_cubes() -> Vec<Animal> {
    let cube = Cube { half: 0.1, mass: 1.0, stiffness: 1e3, acceleration: Vector3::zeros() };
    let axes = |x, y, z| Rotation3::from_euler_angles(x, y, z).into_inner();
    let mut list = Vec::new();
    for dt in [1e-3, 1e-2] {
        for (name, turn, height) in [
            ("face to face", Matrix3::identity(), 0.203),
            ("nearly parallel edges", axes(0.002, -0.001, 0.003), 0.203),
            ("edge to edge", axes(std::f64::consts::FRAC_PI_4, 0.0, 0.1), 0.2445),
            ("corner to face", axes(0.6, 0.6, 0.0), 0.274),
            ("far", axes(0.3, 0.2, 0.1), 1.0),
        ] {
            let sys = TwoCubes::new([cube, cube], 5e-3, 1e5);
            let mut x = sys
                .rest([(Vector3::zeros(), Matrix3::identity()), (Vector3::new(0.001, 0.002, height), turn)]);
            x.v[12..15].copy_from_slice(&[0.2, 0.1, -1.0]);
            list.push(Animal::new(name, sys, x, dt));
        }
    }
    list
}

/// A material block that touches the ground: many unknowns, blocks of three.
pub fn material_block() -> Vec<Animal> {
    let material = Material { density: 1000.0, lame: [4e4, 4e4] };
    let corner = Vector3::new(0.013, 0.027, -0.026);
    let (sys, mut x) = MaterialBlock::new(3, 0.1, corner, material, ground(1e4, 5.0, 0.3), &pool());
    x.v.chunks_exact_mut(3).for_each(|v| v.copy_from_slice(&[0.5, 0.0, -1.0]));
    vec![Animal::new("material block", sys, x, 1e-3)]
}

/// Random dense problems of 1 to 13 unknowns and 0 to 9 contacts, in some of them more rows than unknowns; all under one law.
pub fn dense() -> Vec<DenseProblem> {
    let sizes = [(1, 0), (1, 1), (3, 2), (6, 4), (7, 1), (12, 9), (13, 5), (4, 6)];
    (0..).zip(sizes).map(|(seed, (nv, nc))| random_dense_problem(seed, nv, nc)).collect()
}

/// All systems.
///
/// # Errors
/// Never, unless a toy is broken.
pub fn all() -> Result<Vec<Animal>, ProblemError> {
    let mut list = free_bodies()?;
    list.extend(two_cubes());
    list.extend(material_block());
    Ok(list)
}
