#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests; each file uses a part"
)]

pub mod oracle;

use signorini_core::na::{
    Isometry3, Matrix3, Point3, Quaternion, Translation3, Unit, UnitQuaternion, Vector3,
};
use signorini_geometry::{MassProperties, Shape};
use signorini_multibody::{
    ActuatorInput, ActuatorState, Dynamics, EqualityInput, Kinematics, Model, TendonState, TreeFactor,
};
use signorini_scene::{Body, Joint, JointKind, Place, Pose, Scene, Site};

/// A small deterministic generator (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// Uniform in [-1, 1].
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
    pub fn vector(&mut self) -> Vector3<f64> {
        Vector3::new(self.unit(), self.unit(), self.unit())
    }
    pub fn rotation(&mut self) -> UnitQuaternion<f64> {
        UnitQuaternion::from_quaternion(Quaternion::new(
            self.unit(),
            self.unit(),
            self.unit(),
            self.unit() + 1e-3,
        ))
    }
    pub fn pose(&mut self) -> Pose {
        Isometry3::from_parts(Translation3::from(self.vector() * 0.4), self.rotation())
    }
    pub fn mass(&mut self) -> MassProperties {
        let r = self.rotation().to_rotation_matrix();
        // Moments of a box: they satisfy the triangle inequality.
        let (a, b, c) = (0.1 + self.unit().abs(), 0.1 + self.unit().abs(), 0.1 + self.unit().abs());
        let mass = 0.2 + self.unit().abs();
        let d = Matrix3::from_diagonal(&Vector3::new(b * b + c * c, a * a + c * c, a * a + b * b))
            * (mass / 30.0);
        MassProperties {
            mass,
            com: (self.vector() * 0.2).into(),
            inertia: r.matrix() * d * r.matrix().transpose(),
        }
    }
}

pub fn world() -> Scene {
    let mut s = Scene::default();
    s.bodies.push(body("world", 0, Pose::identity(), None));
    s
}

pub fn body(name: &str, parent: usize, pose: Pose, mass: Option<MassProperties>) -> Body {
    let place = Place { element: format!("body '{name}'"), ..Place::default() };
    Body { mass, ..Body::massless(name, parent, pose, place) }
}

pub fn joint(name: &str, body: usize, kind: JointKind, anchor: Vector3<f64>, axis: Vector3<f64>) -> Joint {
    Joint {
        anchor: anchor.into(),
        place: Place { element: format!("joint '{name}'"), ..Place::default() },
        ..Joint::new(name, body, kind, Unit::new_normalize(axis))
    }
}

pub fn site(scene: &mut Scene, body: usize, at: Vector3<f64>) -> usize {
    let name = format!("site{}", scene.sites.len());
    let place = Place { element: format!("site '{name}'"), ..Place::default() };
    let shape = Shape::Sphere { radius: 0.1 };
    scene.sites.push(Site {
        name,
        body,
        pose: Pose::from_parts(at.into(), UnitQuaternion::identity()),
        shape,
        place,
    });
    scene.sites.len() - 1
}

/// Trees with every kind of joint, several joints per body, fixed bodies in between, and the base of one tree on a mocap body.
pub fn random_scene(seed: u64) -> Scene {
    let mut r = Random(seed);
    let mut s = world();
    let trees = 1 + r.below(3);
    for t in 0..trees {
        let mut base = 0;
        if t == 1 {
            let mut b = body(&format!("mocap{t}"), 0, r.pose(), None);
            b.mocap = true;
            s.bodies.push(b);
            base = s.bodies.len() - 1;
        }
        // Depth-first: every body hangs on one of the last path.
        let mut path = vec![base];
        for i in 0..2 + r.below(5) {
            if i > 0 {
                let keep = 1 + r.below(path.len() - 1);
                path.truncate(keep + 1);
            }
            let parent = path[path.len() - 1];
            let b = s.bodies.len();
            let mass = r.mass();
            s.bodies.push(body(&format!("body{b}"), parent, r.pose(), Some(mass)));
            path.push(b);
            let count = if i == 0 { 1 } else { [0, 1, 1, 2, 3][r.below(5)] };
            for k in 0..count {
                use JointKind::{Ball, Free, Hinge, Slide};
                let kind = match i {
                    0 if base == 0 && r.below(2) == 0 => Free,
                    // Two balls of one body share the rotation about the line through their anchors.
                    _ => [Ball, Hinge, Hinge, Slide][if k == 0 { r.below(4) } else { 1 + r.below(3) }],
                };
                let mut j = joint(&format!("joint{b}_{k}"), b, kind, r.vector() * 0.3, r.vector());
                j.reference = 0.3 * r.unit();
                j.armature = 0.05 * r.unit().max(0.0);
                s.joints.push(j);
            }
        }
    }
    s
}

/// A random state: q, v.
pub fn random_state(model: &Model, r: &mut Random) -> (Vec<f64>, Vec<f64>) {
    let step: Vec<f64> = (0..model.nv()).map(|_| 2.0 * r.unit()).collect();
    let mut q = vec![0.0; model.nq];
    model.integrate(&model.reference_q, &step, 1.0, &mut q);
    (q, (0..model.nv()).map(|_| r.unit()).collect())
}

pub fn kinematics(model: &Model, q: &[f64], v: &[f64]) -> Kinematics {
    let mut k = Kinematics::new(model);
    k.set_positions(model, q, &model.mocap_poses);
    k.set_velocities(model, v);
    k
}

/// Dense mass matrix, row-major rows.
pub fn mass_matrix(model: &Model, kin: &Kinematics) -> Vec<Vec<f64>> {
    let mut m = vec![vec![0.0; model.nv()]; model.nv()];
    Dynamics::new(model).mass_matrix(model, kin, |i, j, x| {
        m[i][j] = x;
        m[j][i] = x;
    });
    m
}

pub fn bias(model: &Model, kin: &Kinematics, acceleration: Option<&[f64]>) -> Vec<f64> {
    let mut tau = vec![0.0; model.nv()];
    Dynamics::new(model).inverse_dynamics(model, kin, &model.gravity, acceleration, &mut tau);
    tau
}

pub fn point(x: &[f64]) -> Point3<f64> {
    Point3::new(x[0], x[1], x[2])
}

/// Largest difference relative to max(1, largest entry).
pub fn apart(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let scale = b.iter().fold(1.0f64, |m, x| m.max(x.abs()));
    a.iter().zip(b).fold(0.0f64, |m, (x, y)| m.max((x - y).abs())) / scale
}

/// A model at a state, with forces of actuators at controls of one half.
pub struct AtState {
    pub kin: Kinematics,
    pub tendons: TendonState,
    pub actuators: ActuatorState,
    pub forces: Vec<f64>,
    pub tau: Vec<f64>,
}

impl AtState {
    pub fn new(m: &Model, q: &[f64], v: &[f64]) -> Self {
        let mut kin = Kinematics::new(m);
        kin.set_positions(m, q, &m.mocap_poses);
        kin.set_velocities(m, v);
        let (mut tendons, mut actuators) = (TendonState::new(m), ActuatorState::new(m));
        tendons.set_positions(m, &kin, q);
        tendons.set_velocities(m, v);
        actuators.set_positions(m, &kin, &tendons, q);
        actuators.set_velocities(m, v);
        let (mut forces, mut tau) = (vec![0.0; m.actuators.len()], vec![0.0; m.nv()]);
        let control = vec![0.5; m.actuators.len()];
        let input = ActuatorInput { z: &vec![0.0; m.nz], control: &control, dt: 1e-3 };
        m.actuator_forces(&kin, &actuators, input, &mut forces, &mut tau);
        Self { kin, tendons, actuators, forces, tau }
    }
}

/// Takes a model through the work of a step; false where its random state cannot be taken.
pub fn work(m: &Model) -> bool {
    let (q, v) = random_state(m, &mut Random(1));
    if m.check_state(&q, &v).is_err() {
        return false;
    }
    let AtState { kin, tendons, mut tau, .. } = AtState::new(m, &q, &v);
    for e in 0..m.equalities.len() {
        let at = EqualityInput { q: &q, kin: &kin, tendons: &tendons };
        m.equality(e, at, &mut [0.0; 6], |_, _| {});
    }
    // Huge masses or a singular pose may fail to factor, with an error.
    let _ = Dynamics::new(m).forward_dynamics(m, &kin, &m.gravity, &mut TreeFactor::new(m), &mut tau);
    true
}
