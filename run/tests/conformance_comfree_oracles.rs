//! Paper mode of ComFree against `oracles/comfree`: an independent evaluation of the equations on MuJoCo's kinematics and contact points.

#![allow(clippy::unwrap_used, reason = "a comparison that cannot run has failed")]

use signorini_core::{NoObserver, State};
use signorini_laws::{DualCone, Gains, MassScale};
use signorini_run::Method;
use signorini_scene::{LoadOptions, Scene};
use signorini_testkit::data;

/// Largest difference of q and v over the steps up to 100 after the first with a facet force, and that step. Starts at the first row: at the drawn poses some
/// contacts have no gap at all, and round-off would decide whether they exist.
fn compare(model: &str, file: &str, law: DualCone, rolling: Option<f64>) -> Option<(f64, f64, usize)> {
    let folder = data::oracle("comfree")?;
    let mut scene = Scene::load(folder.join(model), &LoadOptions::default()).unwrap();
    if let Some(mu) = rolling {
        scene.geoms.iter_mut().for_each(|g| g.surface.friction_rolling = mu);
    }
    let engine = Method::comfree_published(law).with_step(0.002);
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

fn paper(k: f64, d: f64, mass: MassScale) -> DualCone {
    DualCone { gains: Gains::PerStep { k, d }, mass, ..DualCone::paper(k, d) }
}

#[test]
fn conformance_slide_under_each_mass_scale() {
    for (name, mass) in [("mean", MassScale::Mean), ("trace", MassScale::Trace), ("exact", MassScale::Exact)]
    {
        let file = format!("oracle_slide_k0.2_d0.001_dt0.002_{name}.csv");
        let Some((q, v, _)) = compare("slide.xml", &file, paper(0.2, 0.001, mass), None) else {
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
