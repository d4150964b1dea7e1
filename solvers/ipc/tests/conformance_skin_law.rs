//! Laws on the skin of affine bodies: their derivatives against differences, and which laws are refused.

use crate::spring;

use serde::{Deserialize, Serialize};
use signorini_core::na::{Isometry3, SVector, Vector3};
use signorini_core::{
    ContactLaw, ContactMaterial, ContactSeed, LawEval, LawPool, LawProperties, Pool, ProblemError, Slot,
    State, System,
};
use signorini_geometry::TriangleMesh;
use signorini_ipc::{AffineBody, AffineSystem, BodyError, IpcOptions, SkinLaw};
use signorini_reference::DenseHessian;
use signorini_testkit::finite_difference::jacobian_deviation;
use spring::{Spring, evaluated, material};

/// Two free cubes, a turned one over the other, of which the skins press.
fn system(turn: Vector3<f64>, height: f64, friction: f64) -> AffineSystem {
    let mesh = TriangleMesh::cuboid(&Vector3::repeat(0.1)).unwrap();
    let cube = |name: &str| AffineBody::solid(name, &mesh, 1000.0).unwrap();
    let above = Isometry3::new(Vector3::new(0.011, 0.023, height), turn);
    let options = IpcOptions { range: 2e-4, orthogonality: 1e6, ..IpcOptions::default() };
    let bodies = vec![(cube("low"), Isometry3::identity()), (cube("high"), above)];
    let law = Pool::<Spring, 3>::new(Spring);
    let law = SkinLaw::new(&law, 2e-3, ContactMaterial { stiction_speed: 0.1, ..material(1e5, friction) });
    AffineSystem::new(bodies, &[], options).unwrap().with_law(law).unwrap()
}

/// At a closing speed that the law feels.
fn moving(system: &AffineSystem) -> State {
    let mut x = system.initial_state();
    x.v.iter_mut().enumerate().for_each(|(i, v)| *v = 0.1 * (i as f64 + 1.0).sin());
    x.v[14] = -0.2;
    x
}

const CASES: [(&str, [f64; 3], f64); 3] = [
    ("face to face", [0.0; 3], 0.2014),
    ("turned by 45°", [0.0, 0.0, std::f64::consts::FRAC_PI_4], 0.2014),
    ("edge on face", [std::f64::consts::FRAC_PI_4, 0.0, 0.0], 0.1 + 0.1 * std::f64::consts::SQRT_2 + 1.4e-3),
];

#[test]
fn conformance_two_cubes() {
    for (name, turn, height) in CASES {
        for friction in [0.0, 0.5] {
            let mut make = || -> Result<Box<dyn System>, ProblemError> {
                Ok(Box::new(system(turn.into(), height, friction)))
            };
            let start = moving(&system(turn.into(), height, friction));
            let outcome = signorini_testkit::system::conformance(&mut make, &start, 1e-3);
            assert!(outcome.is_ok(), "{name}, friction {friction}: {outcome:?}");
        }
    }
}

#[test]
fn conformance_hessian_of_the_skin_is_exact() {
    for (name, turn, height) in CASES {
        let mut s = system(turn.into(), height, 0.5);
        let (x, dt) = (moving(&s), 1e-3);
        s.prepare(Slot::Start, &x, dt).unwrap();
        let p = s.problem(Slot::Start, dt).unwrap();
        let (whole, evals) = evaluated(p, &x.v);
        let mut h = DenseHessian::new(p.inertia().block_starts());
        p.map().add_hessian(whole.part(), p.pools(), &evals, &mut h);
        let h = h.matrix();
        assert!(h.amax() > 0.0, "{name}: nothing presses");
        let slope = |v: &[f64], out: &mut [f64]| {
            let (whole, evals) = evaluated(p, v);
            out.fill(0.0);
            p.map().add_gradient(whole.part(), p.pools(), &evals, out);
        };
        let off = jacobian_deviation(slope, &x.v, h, 1e-2);
        // Friction over 0.1 m/s by differences of fourth order.
        assert!(off < 1e-6 * h.amax(), "{name}: {off:e} of {:e}", h.amax());
    }
}

/// A law that affine bodies cannot have: 0 is not convex, 1 infinite somewhere.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Odd<const KIND: usize>;

impl<const KIND: usize> ContactLaw<3> for Odd<KIND> {
    type Seed = ContactSeed;
    type Params = ();
    const KEY: &'static str = "odd";
    const PROPERTIES: LawProperties =
        LawProperties { convex: KIND != 0, barrier: KIND == 1, ..LawProperties::CONVEX };
    const PAPER: &'static str = "own";
    fn prepare(&self, _: &ContactSeed) {}
    fn eval(&self, (): &(), _: SVector<f64, 3>) -> LawEval<3> {
        LawEval::zero()
    }
}

/// One that does not know normals from tangents.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Flat;

impl ContactLaw<1> for Flat {
    type Seed = ContactSeed;
    type Params = ();
    const KEY: &'static str = "flat";
    const PROPERTIES: LawProperties = LawProperties::CONVEX;
    const PAPER: &'static str = "own";
    fn prepare(&self, _: &ContactSeed) {}
    fn eval(&self, (): &(), _: SVector<f64, 1>) -> LawEval<1> {
        LawEval::zero()
    }
}

#[test]
fn regression_laws_that_are_refused_are_named_with_a_remedy() {
    let mesh = TriangleMesh::cuboid(&Vector3::repeat(0.1)).unwrap();
    let cube = |name: &str| AffineBody::solid(name, &mesh, 1000.0).unwrap();
    let with = |law: &dyn LawPool, skin: f64, material: ContactMaterial| {
        let bodies =
            vec![(cube("low"), Isometry3::identity()), (cube("high"), Isometry3::translation(0.0, 0.0, 0.5))];
        let made = AffineSystem::new(bodies, &[], IpcOptions::default()).unwrap();
        made.with_law(SkinLaw::new(law, skin, material)).err()
    };
    let good = material(1e4, 0.5);
    let cases: [(&dyn LawPool, &str, &str); 3] = [
        (&Pool::<Flat, 1>::new(Flat), "'flat'", "three rows"),
        (&Pool::<Odd<0>, 3>::new(Odd), "'odd'", "not convex"),
        (&Pool::<Odd<1>, 3>::new(Odd), "'odd'", "infinite"),
    ];
    for (law, name, word) in cases {
        let e = with(law, 2e-3, good);
        assert!(matches!(e, Some(BodyError::Law { .. })), "{e:?}");
        let e = e.unwrap().to_string();
        assert!(e.contains(name) && e.contains(word) && e.contains(';'), "{e}");
    }
    let spring = Pool::<Spring, 3>::new(Spring);
    for skin in [0.0, 1e-3, f64::NAN, f64::INFINITY] {
        let e = with(&spring, skin, good);
        assert!(matches!(e, Some(BodyError::Options { what: "skin", .. })), "{skin}: {e:?}");
    }
    let e = with(&spring, 2e-3, ContactMaterial { stiffness: -1.0, ..good }).unwrap().to_string();
    assert!(e.contains("stiffness") && e.contains("'low'") && e.contains("'high'"), "{e}");
    assert!(with(&spring, 2e-3, good).is_none());
}
