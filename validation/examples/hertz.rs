//! Hertz's contact of balls with the dissipation of Hunt and Crossley: a law with a stiffness of its own, from the curvature of the surfaces.

use serde::{Deserialize, Serialize};
use signorini_core::na::{Matrix3, Vector3};
use signorini_core::{ContactLaw, ContactSeed, LawEval, LawProperties};

/// Force 4/3 E* √R δ^{3/2} (1 + d δ̇)₊ at the depth δ, R = 1/√(κ₁κ₂); Coulomb friction with the normal impulse of the start of the step.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Hertz {
    /// Effective modulus E*, 1/E* = (1 − ν_a²)/E_a + (1 − ν_b²)/E_b \[Pa\].
    pub(crate) modulus: f64,
}

/// Constants of a step.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Constants {
    dt: f64,
    gap: f64,
    k: f64,
    d: f64,
    pub(crate) friction: f64,
    v_s: f64,
}

impl Hertz {
    /// 4/3 E* √R \[N/m^{3/2}\]; surfaces without curvature count as a ball of 1 m.
    pub(crate) fn stiffness(&self, s: &ContactSeed) -> f64 {
        let square = s.curvature[0] * s.curvature[1];
        let root_of_radius = if square > 0.0 { square.powf(-0.25) } else { 1.0 };
        4.0 / 3.0 * self.modulus * root_of_radius
    }
}

impl ContactLaw<3> for Hertz {
    type Seed = ContactSeed;
    type Params = Constants;
    const KEY: &'static str = "hertz";
    const PROPERTIES: LawProperties = LawProperties { curvature: true, ..LawProperties::CONVEX };
    const PAPER: &'static str = "own";

    fn prepare(&self, s: &ContactSeed) -> Constants {
        let (m, k) = (&s.material, self.stiffness(s));
        let p = Constants { dt: s.dt, gap: s.gap, k, d: m.dissipation, friction: 0.0, v_s: m.stiction_speed };
        Constants { friction: m.friction_dynamic * normal(&p, s.velocity.x)[1], ..p }
    }

    fn stored_energy(&self, s: &ContactSeed) -> f64 {
        0.4 * self.stiffness(s) * (-s.gap).max(0.0).powf(2.5)
    }

    fn eval(&self, p: &Constants, v: Vector3<f64>) -> LawEval<3> {
        let [cost, impulse, slope] = normal(p, v.x);
        let slip = Vector3::new(0.0, v.y, v.z);
        let root = slip.norm().hypot(p.v_s);
        let t = slip / root;
        let plane = Matrix3::from_diagonal(&Vector3::new(0.0, 1.0, 1.0));
        LawEval {
            cost: cost + p.friction * (root - p.v_s),
            grad: Vector3::new(-impulse, 0.0, 0.0) + p.friction * t,
            hess: Matrix3::from_diagonal(&Vector3::new(slope, 0.0, 0.0))
                + p.friction / root * (plane - t * t.transpose()),
        }
    }
}

/// ℓ(v), γ = −ℓ′ and −γ′ of γ = δt k s^{3/2} (1 − d v)₊, s = (−φ₀ − δt v)₊ the depth at the end of the step: ℓ = G(s) − G(s at 1/d) with G = k (a s^{5/2}/2.5 + (d/δt) s^{7/2}/3.5), a = 1 + d φ₀/δt.
fn normal(p: &Constants, v: f64) -> [f64; 3] {
    let Constants { dt, gap, k, d, .. } = *p;
    let (s, rate) = ((-gap - dt * v).max(0.0), 1.0 - d * v);
    if s == 0.0 || rate <= 0.0 {
        return [0.0; 3];
    }
    let potential = |s: f64| k * ((1.0 + d * gap / dt) * s.powf(2.5) / 2.5 + d / dt * s.powf(3.5) / 3.5);
    let open = if d > 0.0 { (-gap - dt / d).max(0.0) } else { 0.0 };
    let impulse = dt * k * s.powf(1.5);
    [potential(s) - potential(open), impulse * rate, dt * k * (1.5 * dt * s.sqrt() * rate + d * s.powf(1.5))]
}

/// A rubber ball of 5 cm as an affine body: facets that stand on a point, `gap` over a held slab whose top is at z = 0; the law begins `skin` above it. Whoever made the mesh knows the curvature.
#[allow(dead_code, reason = "for those who run it as an affine body")]
pub(crate) fn standing(
    law: Hertz,
    dissipation: f64,
    (gap, skin): (f64, f64),
) -> Result<signorini_ipc::AffineSystem, Box<dyn std::error::Error>> {
    use signorini_core::na::{Isometry3, Translation3, UnitQuaternion};
    use signorini_core::{ContactMaterial, Pool};
    use signorini_geometry::TriangleMesh;
    use signorini_ipc::{AffineBody, AffineSystem, IpcOptions, SkinLaw, SkinPair};

    let facets = TriangleMesh::icosphere(RADIUS, 2)?;
    let down = UnitQuaternion::rotation_between(&facets.vertices()[0].coords, &-Vector3::z());
    let pose = Translation3::new(0.0, 0.0, RADIUS + gap) * down.unwrap_or_default();
    let slab =
        AffineBody::solid("slab", &TriangleMesh::cuboid(&Vector3::new(0.5, 0.5, 0.05))?, 1000.0)?.held();
    // The diagonal of the slab's top passes beside the ball.
    let bodies = vec![
        (slab, Isometry3::translation(0.1, 0.0, -0.05)),
        (AffineBody::solid("ball", &facets, 1000.0)?, pose),
    ];
    let options = IpcOptions { range: 2e-4, ..IpcOptions::default() };
    let material = ContactMaterial::compliant(1.0, dissipation, 0.5);
    let pair = SkinPair { material, curvature: [1.0 / RADIUS; 2] };
    let law = SkinLaw::new(&Pool::<Hertz, 3>::new(law), skin, material).with_pairs(move |_, _| pair);
    Ok(AffineSystem::new(bodies, &[], options)?.with_law(law)?)
}

/// Radius of the ball \[m\].
#[allow(dead_code, reason = "for those who run it as an affine body")]
pub(crate) const RADIUS: f64 = 0.05;

/// Rests a rubber ball on the ground under ICF with error control, and as an affine body, and prints depth and energy beside Hertz's.
#[allow(dead_code, reason = "tests take the law alone")]
pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    use signorini_core::{Integrator, NoObserver, Pool, System};
    use signorini_integrators::{ContactStep, FixedStep};
    use signorini_multibody::{RigidOptions, RigidSystem};
    use signorini_scene::SceneBuilder;

    let law = Hertz { modulus: 1e6 };
    let tell = |name: &str, depth: f64, energy: f64, mass: f64| {
        let weight = mass * 9.81;
        let hertz = (weight / (4.0 / 3.0 * law.modulus * f64::sqrt(RADIUS))).powf(2.0 / 3.0);
        println!("{name}: depth {depth:.4e} m, of Hertz {hertz:.4e} m");
        println!("{name}: energy {energy:.4e} J, of Hertz {:.4e} J", 0.4 * weight * hertz);
    };
    let ball = SceneBuilder::new("drop").half_space().body("ball").at([0.0, 0.0, 0.06]);
    let scene = ball.free_joint().sphere(RADIUS).build()?;
    let mut sys = RigidSystem::new(&scene, &Pool::<Hertz, 3>::new(law), RigidOptions::default())?;
    let mut x = sys.initial_state(None)?;
    let mut integrator = signorini_integrators::cenic(signorini_icf::IcfSolver::default(), 1e-6);
    integrator.advance(&mut sys, &mut x, 3.0, &mut NoObserver)?;
    tell("icf", RADIUS - x.q[2], sys.energy(&x).contact, sys.model().bodies[1].mass);

    let skin = 2e-3;
    let mut sys = standing(law, 20.0, (skin, skin))?;
    let mut x = sys.initial_state();
    let mut integrator = FixedStep::new(ContactStep::new(signorini_ipc::IpcSolver::default()), 1e-3)?;
    integrator.advance(&mut sys, &mut x, 0.5, &mut NoObserver)?;
    let lowest = sys.positions(&x)[8..].iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    tell("affine", skin - lowest, sys.energy(&x).contact, sys.bodies()[1].mass);
    Ok(())
}
