//! Forces of a medium on moving bodies, by the two models of MuJoCo's documentation ("Passive forces, fluid").
//!
//! Both take the velocity of a body against the medium at a centre, in the axes of a shape: ω and v. The box of the inertia, with sides s, the mean side d,
//! density ρ and viscosity β, has
//!
//! ```text
//! f_i = −3π d β v_i − ½ ρ s_j s_k |v_i| v_i
//! τ_i = −π d³ β ω_i − ρ s_i (s_j⁴ + s_k⁴) |ω_i| ω_i / 64
//! ```
//! An ellipsoid has the forces of its added mass, Magnus and Kutta lift, and drag, as [`Ellipsoid::wrench`] states them.

use std::f64::consts::PI;

use signorini_core::na::{UnitQuaternion, Vector3};
use signorini_geometry::Shape;
use signorini_scene::{GeomShape, Pose, Scene};

/// Least divisor, MuJoCo's.
const LEAST: f64 = 1e-15;
/// Nodes of the Kronrod rule of 15 points on (0, 1), with its weights; both with the eight digits of MuJoCo, whose numbers depend on them.
const NODES: [[f64; 2]; 8] = [
    [0.00427231, 0.01146766],
    [0.02544604, 0.03154605],
    [0.06756779, 0.05239501],
    [0.12923441, 0.07032663],
    [0.20695638, 0.08450236],
    [0.29707742, 0.09517529],
    [0.39610752, 0.10221647],
    [0.5, 0.10474107],
];

/// A medium and what of the model it acts on.
#[derive(Clone, Debug)]
pub(crate) struct MediumModel {
    density: f64,
    viscosity: f64,
    /// Velocity \[m/s\], world axes.
    pub wind: Vector3<f64>,
    /// Shapes with their bodies.
    pub parts: Vec<(usize, Part)>,
}

/// A shape on a body that the medium acts on.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// Axes in the body frame and sides \[m\] of the box of the inertia, about the centre of mass.
    Box {
        axes: UnitQuaternion<f64>,
        sides: Vector3<f64>,
    },
    Ellipsoid {
        pose: Pose,
        shape: Ellipsoid,
    },
}

/// An ellipsoid in a medium.
#[derive(Clone, Debug)]
pub(crate) struct Ellipsoid {
    /// Half axes \[m\].
    half: Vector3<f64>,
    /// Drag of blunt and slender parts, angular drag, Kutta lift, Magnus lift \[–\].
    coefficients: [f64; 5],
    /// Volume \[m³\] of the medium that moves along with each axis.
    mass: Vector3<f64>,
    /// Second moment \[m⁵\] of the medium that turns along.
    inertia: Vector3<f64>,
}

fn each(f: impl Fn(usize, usize, usize) -> f64) -> Vector3<f64> {
    Vector3::new(f(0, 1, 2), f(1, 2, 0), f(2, 0, 1))
}

impl MediumModel {
    /// None where there is no medium.
    pub(crate) fn new(scene: &Scene) -> Option<Box<Self>> {
        let m = Some(&scene.options.medium).filter(|m| m.acts())?;
        let mut parts = Vec::new();
        for e in &m.ellipsoids {
            let Some(geom) = scene.geoms.get(e.geom) else { continue };
            let own = match &geom.shape {
                GeomShape::Solid(shape) => half_axes(shape).map(|half| (Pose::identity(), half)),
                GeomShape::MissingMesh(_) => None,
            };
            if let Some((pose, half)) = e.fitted.or(own) {
                let shape = Ellipsoid::new(half, e.coefficients);
                parts.push((geom.body, Part::Ellipsoid { pose: geom.pose * pose, shape }));
            }
        }
        let as_ellipsoid: Vec<usize> = parts.iter().map(|p| p.0).collect();
        for (b, body) in scene.bodies.iter().enumerate().filter(|(b, _)| !as_ellipsoid.contains(b)) {
            let Some(mass) = body.mass.filter(|m| m.mass >= LEAST) else { continue };
            let axes = match m.axes.iter().find(|a| a.0 == b) {
                Some(a) => a.1,
                None => UnitQuaternion::from_rotation_matrix(&mass.principal().1),
            };
            let r = axes.to_rotation_matrix();
            let i = (r.matrix().transpose() * mass.inertia * r.matrix()).diagonal();
            let sides = each(|x, y, z| ((i[y] + i[z] - i[x]).max(LEAST) / mass.mass * 6.0).sqrt());
            parts.push((b, Part::Box { axes, sides }));
        }
        parts.retain(|(b, _)| {
            let weight = scene.bodies.get(*b).and_then(|b| b.mass).map_or(0.0, |m| m.mass);
            weight >= LEAST
        });
        Some(Box::new(Self { density: m.density, viscosity: m.viscosity, wind: m.wind, parts }))
    }
}

impl Part {
    /// Force and torque at velocity v against the medium and rate ω, in the axes of the shape.
    pub(crate) fn wrench(&self, m: &MediumModel, v: Vector3<f64>, w: Vector3<f64>) -> [Vector3<f64>; 2] {
        match self {
            Self::Box { sides, .. } => box_wrench(m, sides, v, w),
            Self::Ellipsoid { shape, .. } => shape.wrench(m, v, w),
        }
    }
}

/// Force and torque on a box with sides `s` at velocity v and rate ω.
fn box_wrench(m: &MediumModel, s: &Vector3<f64>, v: Vector3<f64>, w: Vector3<f64>) -> [Vector3<f64>; 2] {
    let d = s.sum() / 3.0;
    let (rho, beta) = (m.density, m.viscosity);
    let force = each(|i, j, k| -3.0 * PI * d * beta * v[i] - 0.5 * rho * s[j] * s[k] * v[i].abs() * v[i]);
    let torque = each(|i, j, k| {
        let size = s[i] * (s[j].powi(4) + s[k].powi(4));
        -PI * d.powi(3) * beta * w[i] - rho * size * w[i].abs() * w[i] / 64.0
    });
    [force, torque]
}

/// Half axes of the ellipsoid that stands for a shape; None for those that have no size of their own.
fn half_axes(shape: &Shape) -> Option<Vector3<f64>> {
    Some(match *shape {
        Shape::Sphere { radius } => Vector3::repeat(radius),
        Shape::Capsule { radius, half_length } => Vector3::new(radius, radius, half_length + radius),
        Shape::Cylinder { radius, half_length } => Vector3::new(radius, radius, half_length),
        Shape::Ellipsoid { semi_axes } => semi_axes,
        Shape::Box { half_extents } => half_extents,
        _ => return None,
    })
}

/// κ of the added mass along the first axis:
///
/// ```text
/// κ = ∫₀^∞ x y z / √((x² + λ)³ (y² + λ) (z² + λ)) dλ,   λ = (x³ y z)^(2/5) t³/(1 − t)²
/// ```
fn added_mass(x: f64, y: f64, z: f64) -> f64 {
    let scale = (x.powi(3) * y * z).powf(0.4);
    let value = |t: f64| {
        let (l, slope) = (t.powi(3) / (1.0 - t).powi(2), t * t * (3.0 - t) / (1.0 - t).powi(3));
        let of = |a: f64| 1.0 + scale * l / (a * a);
        scale * slope / (of(x) * (of(x) * of(y) * of(z)).sqrt())
    };
    let both = NODES.iter().map(|[t, w]| w * if *t < 0.5 { value(*t) + value(1.0 - t) } else { value(*t) });
    both.sum::<f64>() / (x * x)
}

impl Ellipsoid {
    fn new(half: Vector3<f64>, coefficients: [f64; 5]) -> Self {
        let volume = 4.0 / 3.0 * PI * half.product();
        let k = each(|i, j, l| added_mass(half[i], half[j], half[l]));
        let inertia = |_: usize, j: usize, l: usize| {
            let (a, b) = (half[j].powi(2), half[l].powi(2));
            let below = (2.0 * (a - b) + (a + b) * (k[j] - k[l])).abs();
            volume / 5.0 * (a - b).powi(2) * (k[l] - k[j]).abs() / below.max(1e-14)
        };
        Self {
            half,
            coefficients,
            mass: k.map(|k| volume * k / (2.0 - k).max(1e-14)),
            inertia: each(inertia),
        }
    }

    /// Force and torque at velocity v and rate ω. With momenta p = ρ m v and L = ρ I ω of the medium that moves along, the shadow A of the
    /// ellipsoid across v, its largest section A_max and its volume V:
    ///
    /// ```text
    /// f = p × ω + c_M ρ V ω × v + c_K ρ A cos α (n × v) × v − (3π D β + ρ |v| (c_b A + c_s (A_max − A))) v
    /// τ = p × v + L × ω − (π D³ β + ρ |(c_a I_i + c_s (I_max − I_i)) ω_i|) ω
    /// ```
    /// n is the normal of the section that casts the shadow, α its angle with v, D the mean diameter, I_i moments 8π/15 r_i max(r_j, r_k)⁴.
    fn wrench(&self, m: &MediumModel, v: Vector3<f64>, w: Vector3<f64>) -> [Vector3<f64>; 2] {
        let (r, [blunt, slender, angular, kutta, magnus]) = (&self.half, self.coefficients);
        let (rho, beta) = (m.density, m.viscosity);
        let (p, l) = (rho * self.mass.component_mul(&v), rho * self.inertia.component_mul(&w));
        let (largest, least) = (r.max(), r.min());
        let middle = r.sum() - largest - least;
        let volume = 4.0 / 3.0 * PI * r.product();
        let n = each(|i, j, k| (r[j] * r[k]).powi(2) * v[i]);
        let (square, along) = (n.norm_squared(), n.dot(&v));
        let shadow = PI * (square / along.max(LEAST)).sqrt();
        let cosine = along / (v.norm() * square).max(LEAST);
        let lift =
            magnus * rho * volume * w.cross(&v) + kutta * rho * cosine * shadow * n.cross(&v).cross(&v);
        let d = 2.0 / 3.0 * r.sum();
        let most = PI * largest * middle;
        let drag = 3.0 * PI * d * beta + rho * v.norm() * (shadow * blunt + slender * (most - shadow));
        let moment = |a: f64, b: f64| 8.0 / 15.0 * PI * a * b.powi(4);
        let turning = each(|i, j, k| {
            let own = moment(r[i], r[j].max(r[k]));
            w[i] * (angular * own + slender * (moment(middle, largest) - own))
        });
        let turn = PI * d.powi(3) * beta + rho * turning.norm();
        [p.cross(&w) + lift - drag * v, p.cross(&v) + l.cross(&w) - turn * w]
    }
}
