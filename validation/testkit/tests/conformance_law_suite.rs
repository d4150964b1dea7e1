//! The suite must find defects: one law per defect, and the name of the check that catches it.

use serde::{Deserialize, Serialize};
use signorini_core::na::{Matrix3, SVector, Vector3};
use signorini_core::{ContactLaw, ContactSeed, ContactSide, LawEval, LawProperties};
use signorini_testkit::law::{LawSuite, Scale, rescale_contact, rescale_velocity};
use signorini_testkit::random_problem::random_material;
use signorini_testkit::rng::Rng;
use signorini_testkit::toys::{LogBarrier, LogBarrierSeed, SoftContact, Stop, StopSeed};

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
enum Defect {
    None,
    GradientSign,
    MissingFactorInHessian,
    Jump,
    MissingStep,
    NotConvex,
    FrictionAlongSlip,
    Adhesion,
    NaNAtRest,
    Infinite,
    Energy,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Broken(Defect);

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct BrokenParams {
    inner: <SoftContact as ContactLaw<3>>::Params,
    dt: f64,
    stiffness: f64,
    limit: f64,
}

impl ContactLaw<3> for Broken {
    type Seed = ContactSeed;
    type Params = BrokenParams;
    const KEY: &'static str = "broken";
    const PROPERTIES: LawProperties = LawProperties::CONVEX;
    const PAPER: &'static str = "kurtz2025cenic";

    fn prepare(&self, seed: &ContactSeed) -> BrokenParams {
        let limit = if self.0 == Defect::Infinite { f64::INFINITY } else { 0.0 };
        let (dt, stiffness) = (seed.dt, seed.material.stiffness);
        BrokenParams { inner: SoftContact.prepare(seed), dt, stiffness, limit }
    }

    fn stored_energy(&self, seed: &ContactSeed) -> f64 {
        let energy = SoftContact.stored_energy(seed);
        if self.0 == Defect::Energy { 1.01 * energy } else { energy }
    }

    fn eval(&self, p: &BrokenParams, v: SVector<f64, 3>) -> LawEval<3> {
        let mut e = SoftContact.eval(&p.inner, v);
        match self.0 {
            Defect::None | Defect::Infinite | Defect::Energy => {}
            Defect::GradientSign => e.grad[1] = -e.grad[1],
            Defect::MissingFactorInHessian => e.hess *= 0.5,
            Defect::Jump if v[0] < 0.0 => {
                e.cost += 1e-3 * (e.cost.abs() + e.grad.norm());
            }
            Defect::MissingStep => {
                // A potential with k δt where an energy needs k δt².
                let s = (-v[0]).max(0.0);
                e.cost += 0.5 * p.stiffness * p.dt * s * s;
                e.grad[0] -= p.stiffness * p.dt * s;
                e.hess[(0, 0)] += if s > 0.0 { p.stiffness * p.dt } else { 0.0 };
            }
            Defect::NotConvex => {
                e.cost -= p.stiffness * p.dt * p.dt * v.norm_squared();
                e.grad -= 2.0 * p.stiffness * p.dt * p.dt * v;
                e.hess -= 2.0 * p.stiffness * p.dt * p.dt * Matrix3::identity();
            }
            Defect::FrictionAlongSlip => {
                let k = p.stiffness * p.dt * p.dt;
                let push = Vector3::new(0.0, k * v[2], k * v[1]);
                // k v₁ v₂ + k (v₁² + v₂²): convex, but it pushes sideways.
                let t = Vector3::new(0.0, v[1], v[2]);
                e.cost += k * (v[1] * v[2] + t.norm_squared());
                e.grad += push + 2.0 * k * t;
                e.hess += Matrix3::new(0.0, 0.0, 0.0, 0.0, 2.0 * k, k, 0.0, k, 2.0 * k);
            }
            Defect::Adhesion => {
                let k = p.stiffness * p.dt * p.dt;
                e.cost += 0.5 * k * v[0] * v[0];
                e.grad[0] += k * v[0];
                e.hess[(0, 0)] += k;
            }
            Defect::NaNAtRest => {
                e.grad[1] *= v[1] / v[1].abs() * v[1].signum();
            }
            Defect::Jump => {}
        }
        e
    }
}

fn draw(r: &mut Rng) -> (ContactSeed, Vector3<f64>) {
    let seed = ContactSeed {
        preload: 0.0,
        dt: r.log_uniform(1e-3, 1e-2),
        gap: 1e-3 * r.normal(),
        velocity: r.vector(),
        material: random_material(r),
        sides: ContactSide::single(Matrix3::identity(), 1),
        curvature: None,
    };
    (seed, r.vector())
}

/// First word of the violated claim.
fn caught_by(defect: Defect) -> Option<String> {
    let rescale = |(seed, v): &(ContactSeed, Vector3<f64>), s: Scale| {
        (rescale_contact(seed, s), rescale_velocity(v, s))
    };
    let suite = LawSuite::new(Broken(defect), draw, rescale).states(500);
    suite.contact(|_, _| 1e9).elastic().run().err().and_then(|v| v.claim.split(' ').next().map(str::to_owned))
}

#[test]
fn conformance_suite_names_each_defect() {
    for (defect, check) in [
        (Defect::None, None),
        (Defect::GradientSign, Some("gradient")),
        (Defect::MissingFactorInHessian, Some("hessian")),
        (Defect::Jump, Some("gradient")),
        (Defect::MissingStep, Some("units")),
        (Defect::NotConvex, Some("eigenvalue")),
        (Defect::FrictionAlongSlip, Some("friction")),
        (Defect::Adhesion, Some("adhesion")),
        (Defect::NaNAtRest, Some("finite")),
        (Defect::Infinite, Some("storage")),
        (Defect::Energy, Some("stored")),
    ] {
        assert_eq!(caught_by(defect).as_deref(), check, "{defect:?}");
    }
}

/// A law whose derivatives are right wherever they exist, with an impulse that jumps at activation.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Step;

impl ContactLaw<1> for Step {
    type Seed = f64;
    type Params = f64;
    const KEY: &'static str = "step";
    const PROPERTIES: LawProperties = LawProperties::CONVEX;
    const PAPER: &'static str = "kurtz2025cenic";

    fn prepare(&self, seed: &f64) -> f64 {
        *seed
    }

    fn eval(&self, p: &f64, v: SVector<f64, 1>) -> LawEval<1> {
        let mut e = LawEval::zero();
        if v[0] < 0.0 {
            e.cost = -p * v[0];
            e.grad[0] = -p;
        }
        e
    }
}

#[test]
fn conformance_suite_finds_a_jump_of_the_impulse() {
    let rescale = |&(p, v): &(f64, SVector<f64, 1>), s: Scale| (p * s.impulse(), v * s.speed());
    let failure = LawSuite::new(Step, |r| (1.0, r.vector()), rescale).states(500).run().unwrap_err();
    // The message must say which check, which law, which state.
    let text = failure.to_string();
    assert!(text.contains("jump of law step/1") && text.contains("v_c ["), "{text}");
}

#[test]
fn conformance_toy_laws() {
    let stop = |r: &mut Rng| {
        let seed = StopSeed {
            dt: r.log_uniform(1e-3, 1e-2),
            gap: 1e-3 * r.normal(),
            stiffness: r.log_uniform(1e2, 1e5),
            damping: r.log_uniform(1e-1, 1e2),
        };
        (seed, r.vector())
    };
    let rescale = |(p, v): &(StopSeed, SVector<f64, 1>), s: Scale| {
        let seed = StopSeed {
            dt: p.dt * s.time,
            gap: p.gap * s.length,
            stiffness: p.stiffness * s.stiffness(),
            damping: p.damping * s.damping(),
        };
        (seed, v * s.speed())
    };
    LawSuite::new(Stop, stop, rescale).contact(|_, _| 0.0).assert_conforms();

    let barrier = |r: &mut Rng| {
        let range = 1e-2;
        let (dt, gap) = (r.log_uniform(1e-3, 1e-2), range * r.log_uniform(1e-2, 2.0));
        let end = range * r.log_uniform(1e-2, 2.0);
        (LogBarrierSeed { dt, gap, range, stiffness: 1e4 }, SVector::from([(end - gap) / dt]))
    };
    let rescale = |(p, v): &(LogBarrierSeed, SVector<f64, 1>), s: Scale| {
        let seed = LogBarrierSeed {
            dt: p.dt * s.time,
            gap: p.gap * s.length,
            range: p.range * s.length,
            stiffness: p.stiffness * s.stiffness(),
        };
        (seed, v * s.speed())
    };
    LawSuite::new(LogBarrier, barrier, rescale).contact(|_, _| 0.0).assert_conforms();
}
