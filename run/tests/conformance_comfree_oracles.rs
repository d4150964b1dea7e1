//! Paper mode of ComFree against `oracles/comfree`: an independent evaluation of the equations on MuJoCo's kinematics and contact points.

use serde::{Deserialize, Serialize};
use signorini_comfree::ComfreeSolver;
use signorini_core::na::SVector;
use signorini_core::{ContactLaw, ContactSeed, LawEval, LawProperties, NoObserver, OneStep, Pool, State};
use signorini_icf::IcfSolver;
use signorini_integrators::ContactStep;
use signorini_laws::{Facets, MassScale, impedance};
use signorini_multibody::{RigidOptions, RigidSystem};
use signorini_run::{Method, MethodError, OwnMethod};
use signorini_scene::{LoadOptions, Scene};
use signorini_testkit::data;

/// Largest difference of q and v over the steps up to 100 after the first with a facet force, and that step. Starts at the first row: at the drawn poses some
/// contacts have no gap at all, and round-off would decide whether they exist.
fn compare(model: &str, file: &str, method: Method, rolling: Option<f64>) -> Option<(f64, f64, usize)> {
    let folder = data::oracle("comfree")?;
    let mut scene = Scene::load(folder.join(model), &LoadOptions::default()).unwrap();
    if let Some(mu) = rolling {
        scene.geoms.iter_mut().for_each(|g| g.surface.friction_rolling = mu);
    }
    let engine = method.with_step(0.002);
    let mut sys = engine.system(&scene).unwrap();
    let mut integrator = engine.integrator().unwrap();
    let mut x = sys.initial_state(None).unwrap();
    let text = std::fs::read_to_string(folder.join(file)).unwrap();
    let rows: Vec<Vec<f64>> =
        text.lines().map(|l| l.split(',').map(|x| x.parse().unwrap()).collect()).collect();
    let (nq, nv) = (x.q.len(), x.v.len());
    x = State { t: rows[0][0], q: rows[0][1..1 + nq].into(), v: rows[0][1 + nq..1 + nq + nv].into(), ..x };
    let touch = rows.iter().position(|r| r[1 + nq + nv] > 0.0).unwrap();
    let mut worst: [f64; 2] = [0.0; 2];
    for (i, row) in rows.iter().enumerate().take(touch + 100).skip(1) {
        let end = 0.002 * (i + 1) as f64;
        integrator.advance(&mut sys, &mut x, end, &mut NoObserver).unwrap();
        assert!((row[0] - x.t).abs() < 1e-12);
        for (a, b) in x.q.iter().zip(&row[1..]) {
            worst[0] = worst[0].max((a - b).abs());
        }
        for (a, b) in x.v.iter().zip(&row[1 + nq..]) {
            worst[1] = worst[1].max((a - b).abs());
        }
    }
    println!("{file}: q {:.1e}, v {:.1e}, first touch at step {touch}", worst[0], worst[1]);
    Some((worst[0], worst[1], touch))
}

fn paper(k: f64, d: f64, mass: MassScale) -> Method {
    Method::comfree_paper(k, d, mass)
}

/// The published law with the mass of each facet in place of one for the contact: a law of facets with gains of its own.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct FacetMass {
    k: f64,
    d: f64,
}

impl ContactLaw<3> for FacetMass {
    type Seed = ContactSeed;
    type Params = Facets;
    const KEY: &'static str = "facet_mass";
    const PROPERTIES: LawProperties = LawProperties::CONVEX;
    const PAPER: &'static str = "borse2026comfree";

    fn prepare(&self, seed: &ContactSeed) -> Facets {
        let mut facets = Facets::default();
        facets.reset(seed, 3, 4);
        let (r, sum) = (impedance(&seed.material.solimp, seed.gap), self.d + self.k * seed.dt);
        facets.set_shift(self.k * seed.gap / sum);
        let masses = facets.inverse_masses(&seed.sides, [1.0; 2]);
        facets.gains_mut().iter_mut().zip(masses).for_each(|(g, w)| *g = r / (1.0 - r) * sum / w);
        facets
    }

    fn eval(&self, facets: &Facets, v_c: SVector<f64, 3>) -> LawEval<3> {
        facets.eval(&v_c)
    }
}

/// Paper mode with another law of contacts.
#[derive(Debug)]
struct PaperMode<L>(L);

impl<L: ContactLaw<3, Seed = ContactSeed>> OwnMethod for PaperMode<L> {
    fn name(&self) -> &str {
        "paper mode"
    }
    fn system(&self, scene: &Scene) -> Result<RigidSystem, MethodError> {
        let options = RigidOptions { joints_first: Some(IcfSolver::boxed), ..RigidOptions::published() };
        Ok(RigidSystem::new(scene, &Pool::<_, 3>::new(self.0.clone()), options)?)
    }
    fn scheme(&self) -> Box<dyn OneStep> {
        Box::new(ContactStep::new(ComfreeSolver::default()))
    }
}

#[test]
fn conformance_slide_under_each_mass_scale() {
    for (name, method) in [
        ("mean", paper(0.2, 0.001, MassScale::Mean)),
        ("trace", paper(0.2, 0.001, MassScale::Trace)),
        ("exact", Method::own(PaperMode(FacetMass { k: 0.2, d: 0.001 }))),
    ] {
        let file = format!("oracle_slide_k0.2_d0.001_dt0.002_{name}.csv");
        let Some((q, v, _)) = compare("slide.xml", &file, method, None) else {
            return;
        };
        assert!(q < 1e-9 && v < 1e-9, "{name}: {q:e} {v:e}");
    }
}

#[test]
fn conformance_incline() {
    let law = paper(0.2, 0.001, MassScale::Mean);
    let Some((q, v, _)) = compare("incline_10deg.xml", "oracle_incline_k0.2_d0.001_mean.csv", law, None)
    else {
        return;
    };
    assert!(q < 1e-9 && v < 1e-9, "{q:e} {v:e}");
}

#[test]
fn conformance_torsion() {
    let law = paper(0.2, 0.004, MassScale::Mean);
    let Some((q, v, _)) = compare("torsion_free.xml", "oracle_torsion_free_mean.csv", law, None) else {
        return;
    };
    assert!(q < 1e-9 && v < 1e-9, "{q:e} {v:e}");
}

/// The file was made with a rolling coefficient of 1 mm: the first impact with spin agrees to round-off with that, and not with the 10 mm of the model.
#[test]
fn conformance_rolling() {
    let law = paper(0.2, 0.004, MassScale::Mean);
    let Some((q, v, _)) = compare("rolling.xml", "oracle_rolling_mean.csv", law, Some(1e-3)) else { return };
    assert!(q < 1e-9 && v < 1e-9, "{q:e} {v:e}");
}
