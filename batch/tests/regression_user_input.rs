//! Errors of a user get an error or a warning that names them: never a panic, never silence.

use signorini_batch::mujoco::{
    Data, Model, MujocoError, RolloutOptions, forward, jac_body, jac_body_com, jac_geom, jac_site, rollout,
    step,
};
use signorini_batch::{BatchOptions, CpuBatch};
use signorini_core::{BatchStepper, LaneStatus, StepError};
use signorini_laws::{DualCone, Gains, MassScale, PublishedDualCone};
use signorini_run::{Law, Method};
use signorini_scene::{Scene, SceneBuilder};

const ONE: &str = "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body name='ball' pos='0 0 .2'><freejoint/>\
    <geom size='.1'/><site name='tip' pos='0 0 .1'/></body></worldbody>\
    <sensor><framepos objtype='body' objname='ball'/></sensor></mujoco>";
/// Equal nq, nv and nbody, with more of all else.
const OTHER: &str = "<mujoco><worldbody><body name='ball' pos='0 0 .2'><freejoint/><geom size='.1'/><geom size='.1' pos='0 0 .1'/>\
    <geom size='.1' pos='0 0 .2'/><site name='a'/><site name='b'/></body></worldbody>\
    <sensor><framepos objtype='body' objname='ball'/><framequat objtype='body' objname='ball'/></sensor></mujoco>";

type Clear = fn(&mut Data);

fn field(e: Result<(), MujocoError>) -> &'static str {
    match e {
        Err(MujocoError::Length { field, .. }) => field,
        other => unreachable!("{other:?}"),
    }
}

#[test]
fn regression_resized_data_are_an_error_that_names_the_field() {
    let model = Model::from_xml_string(ONE).unwrap();
    let computed: [(&str, Clear); 17] = [
        ("qacc", |d| d.qacc.clear()),
        ("xpos", |d| d.xpos.clear()),
        ("xquat", |d| d.xquat.clear()),
        ("xmat", |d| d.xmat.clear()),
        ("xipos", |d| d.xipos.clear()),
        ("geom_xpos", |d| d.geom_xpos.clear()),
        ("geom_xmat", |d| d.geom_xmat.clear()),
        ("site_xpos", |d| d.site_xpos.clear()),
        ("site_xmat", |d| d.site_xmat.clear()),
        ("qfrc_bias", |d| d.qfrc_bias.clear()),
        ("qfrc_passive", |d| d.qfrc_passive.clear()),
        ("qfrc_actuator", |d| d.qfrc_actuator.clear()),
        ("actuator_force", |d| d.actuator_force.push(0.0)),
        ("actuator_length", |d| d.actuator_length.push(0.0)),
        ("actuator_velocity", |d| d.actuator_velocity.push(0.0)),
        ("ten_length", |d| d.ten_length.push(0.0)),
        ("sensordata", |d| d.sensordata.clear()),
    ];
    let mut data = Data::new(&model).unwrap();
    for (name, clear) in computed {
        let before = data.state();
        clear(&mut data);
        assert_eq!(field(step(&model, &mut data)), name);
        assert_eq!(field(forward(&model, &mut data)), name);
        assert_eq!(data.state(), before);
        data.reset_data(&model).unwrap();
        step(&model, &mut data).unwrap();
    }
    let length = |e: Result<[Vec<f64>; 2], MujocoError>| field(e.map(|_| ()));
    data.xpos.clear();
    data.xipos.clear();
    data.geom_xpos.clear();
    data.site_xpos.push([0.0; 3]);
    assert_eq!(length(jac_body(&data, 1)), "xpos");
    assert_eq!(length(jac_body_com(&data, 1)), "xipos");
    assert_eq!(length(jac_geom(&data, 1)), "geom_xpos");
    assert_eq!(length(jac_site(&data, 1)), "site_xpos");
}

#[test]
fn regression_data_of_another_model() {
    let [one, other] = [ONE, OTHER].map(|x| Model::from_xml_string(x).unwrap());
    assert_eq!((one.nq(), one.nv(), one.nbody()), (other.nq(), other.nv(), other.nbody()));
    for (a, b) in [(&one, &other), (&other, &one)] {
        let mut data = Data::new(a).unwrap();
        step(a, &mut data).unwrap();
        assert_eq!(field(step(b, &mut data)), "geom_xpos");
        // The data are still those of their own model, and a reset makes them the other's.
        step(a, &mut data).unwrap();
        data.reset_data(b).unwrap();
        step(b, &mut data).unwrap();
        assert_eq!(data.sensordata.len(), b.nsensordata());
    }
}

fn ball() -> Scene {
    SceneBuilder::new("drop")
        .half_space()
        .body("ball")
        .at([0.0, 0.0, 0.1])
        .free_joint()
        .sphere(0.05)
        .build()
        .unwrap()
}

#[test]
fn regression_any_number_of_threads_is_taken() {
    for (lanes, threads) in [(3, 100_000), (3, usize::MAX), (0, 100_000), (1, 0)] {
        let mut b = CpuBatch::new(&ball(), lanes, Method::comfree(), BatchOptions { threads }).unwrap();
        assert!((1..=lanes.max(1)).contains(&b.threads()));
        b.step(&[], 2e-3, 2, &[]).unwrap();
    }
    let b = CpuBatch::new(&ball(), 2000, Method::comfree(), BatchOptions { threads: 2000 }).unwrap();
    assert!(b.threads() < 2000, "a bound beside the number of lanes");
    let model = Model::from_xml_string(ONE).unwrap();
    let x0 = Data::new(&model).unwrap().state();
    let r = rollout(&model, &x0.repeat(2), &[], 3, RolloutOptions { nthread: 100_000 }).unwrap();
    assert_eq!((r.failures, r.warnings), (vec![None, None], vec![None, None]));
}

#[test]
fn regression_the_length_of_initial_states_is_named() {
    let model = Model::from_xml_string(ONE).unwrap();
    for n in [13, 15] {
        let e = rollout(&model, &vec![0.0; n], &[], 3, RolloutOptions::default()).unwrap_err().to_string();
        assert!(e.contains(&format!("has {n} entries")) && e.contains("multiple of 14"), "{e}");
    }
}

#[test]
fn regression_a_short_keyframe_is_warned_of() {
    let keyed =
        |qpos: &str| ONE.replace("</mujoco>", &format!("<keyframe><key qpos='{qpos}'/></keyframe></mujoco>"));
    let model = Model::from_xml_string(&keyed("0 0 1")).unwrap();
    let [warning] = model.warnings() else { unreachable!("{:?}", model.warnings()) };
    assert!(warning.contains("'qpos' has 3 of 7 numbers") && warning.contains("model.xml:1:"), "{warning}");
    assert!(Model::from_xml_string(&keyed("0 0 1 1 0 0 0")).unwrap().warnings().is_empty());
}

/// A box that falls onto the floor turning and sliding with the given recipe, 4 s.
fn drop(recipe: Method) -> CpuBatch {
    drop_from(0.2, recipe)
}

fn drop_from(z: f64, recipe: Method) -> CpuBatch {
    let scene = SceneBuilder::new("box").half_space().body("box").at([0.0, 0.0, z]).free_joint();
    let scene = scene.cuboid([0.1, 0.1, 0.1]).build().unwrap();
    let mut b = CpuBatch::new(&scene, 2, recipe, BatchOptions { threads: 1 }).unwrap();
    let mut x = b.state(0).unwrap().clone();
    (x.v[0], x.v[3]) = (0.3, 0.9);
    (0..2).for_each(|i| b.load(i, &x).unwrap());
    b.step(&[], 2e-3, 2000, &[]).unwrap();
    b
}

/// One evaluation of the published law, which looks ahead for contacts.
fn published(k: f64, d: f64) -> Method {
    Method::comfree_once(Law::PublishedDualCone(PublishedDualCone::new(k, d)))
}

#[test]
fn regression_gains_beyond_the_bound_are_said() {
    for recipe in
        [published(5.0, 0.5), published(5000.0, 50.0), Method::comfree_paper(5.0, 0.5, MassScale::Trace)]
    {
        let name = format!("{recipe:?}");
        let b = drop(recipe);
        let warning = b.warning(1).unwrap().unwrap();
        assert!(warning.contains("> 4") && warning.contains("unstable"), "{warning}");
        b.state(1).unwrap().check_finite().unwrap();
        assert!(
            b.state(1).unwrap().v.iter().all(|v| v.abs() <= 1e6),
            "{name}: a state that grew is not kept"
        );
    }
    // Gains of the paper and of the default are below all bounds.
    for recipe in [Method::comfree(), Method::comfree_paper(0.1, 0.001, MassScale::Trace), Method::icf()] {
        let recipe_is_published = recipe.is_published();
        let b = drop(recipe);
        let told = b.warning(0).unwrap();
        // One evaluation with the paper's gains lets the box sink, which is told, but not of gains.
        assert!(told.as_ref().is_none_or(|w| w.starts_with("depth:")), "{told:?}");
        assert_eq!((told.is_some(), b.status(0)), (recipe_is_published, Some(&LaneStatus::Running)));
    }
    assert!(drop(Method::comfree()).warning(2).is_err());
}

#[test]
fn regression_a_lane_that_runs_away_is_frozen_with_the_reason() {
    let b = drop_from(0.1005, published(500.0, 5.0));
    let Some(LaneStatus::Failed(e @ StepError::Runaway { .. })) = b.status(0) else {
        unreachable!("{:?}", b.status(0))
    };
    let text = e.to_string();
    assert!(text.contains("body 'box' a"), "{text}");
    assert!(
        text.contains("gains") && text.contains("ComfreeSolver::gain") && text.contains("at t = "),
        "{text}"
    );
    // A load starts anew, warnings too.
    let mut b = b;
    let x = b.state(0).unwrap().clone();
    b.load(0, &x).unwrap();
    assert_eq!((b.warning(0).unwrap(), b.status(0)), (None, Some(&LaneStatus::Running)));

    let xml = "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .1005'><freejoint/>\
        <geom type='box' size='.1 .1 .1'/></body></worldbody></mujoco>";
    let model = Model::from_xml_string(xml).unwrap();
    let model = model.with_method(published(500.0, 5.0));
    let mut data = Data::new(&model).unwrap();
    (data.qvel[0], data.qvel[3]) = (0.3, 0.9);
    let x0 = data.state();
    let error = (0..2000).find_map(|_| step(&model, &mut data).err());
    assert!(error.unwrap().to_string().contains("gains"));
    assert!(data.warning().unwrap().contains("> 4"));
    let r = rollout(&model, &x0, &[], 2000, RolloutOptions::default()).unwrap();
    assert!(r.failures[0].is_some() && r.warnings[0].as_ref().unwrap().contains("> 4"));
}

#[test]
fn regression_gains_out_of_range_are_refused() {
    let physical = |kappa, c| DualCone { gains: Gains::Physical { kappa, c }, ..DualCone::default() };
    for (method, word) in [
        (published(1e308, 1e308), "1e12"),
        (published(0.1, 1e13), "d is 1e13"),
        (Method::comfree_paper(f64::NAN, 0.1, MassScale::Trace), "k is NaN"),
        (Method::comfree_paper(-0.1, 0.1, MassScale::Trace), "k is -0.1"),
        (published(0.0, 0.0), "no contact"),
        (Method::comfree_with(physical(1e13, 0.0), 1), "kappa is 1e13"),
        (Method::comfree_with(physical(0.0, 0.0), 1), "no contact"),
    ] {
        let made = CpuBatch::new(&ball(), 1, method, BatchOptions { threads: 1 });
        let e = made.err().unwrap().to_string();
        assert!(e.contains(word), "{e}");
    }
    assert!(PublishedDualCone::new(0.0, 0.1).check().is_ok() && physical(1e12, 0.0).check().is_ok());
    assert!(
        CpuBatch::new(
            &ball(),
            1,
            Method::comfree_paper(0.0, 0.0, MassScale::Trace),
            BatchOptions { threads: 1 }
        )
        .is_err()
    );
}

/// The paper's step meets a contact when it penetrates, no sooner; `comfree_with` also looks ahead.
#[test]
fn regression_the_papers_recipe_has_no_speculative_contacts() {
    let contacts = |recipe: Method| {
        let mut b = CpuBatch::new(&ball(), 1, recipe, BatchOptions { threads: 1 }).unwrap();
        let mut x = b.state(0).unwrap().clone();
        // The gap of 1 mm closes within the step of 2 ms.
        x.q[2] = 0.051;
        x.v[2] = -1.0;
        b.load(0, &x).unwrap();
        b.step(&[], 2e-3, 1, &[]).unwrap();
        b.state(0).unwrap().q[2]
    };
    let free = 0.051 - 2e-3 * (1.0 + 2e-3 * 9.81);
    // Free fall is one sum of three terms: round-off.
    assert!((contacts(Method::comfree_paper(0.1, 0.001, MassScale::Trace)) - free).abs() < 1e-15);
    assert!(contacts(Method::comfree()) > free + 1e-4);
}

/// Friction that means "no slip" holds as it is asked to, and its geoms are named.
#[test]
fn regression_huge_friction_holds_and_is_said() {
    for mu in ["1e3", "1e6"] {
        let xml = format!(
            "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1' friction='{mu} .005 .0001'/><body pos='0 0 .05'><freejoint/>\
             <geom name='cube' type='box' size='.05 .05 .05'/></body></worldbody></mujoco>"
        );
        let mut model = Model::from_xml_string(&xml).unwrap();
        let said = |m: &Model| {
            m.warnings().iter().filter(|w| w.contains("is taken as 5")).cloned().collect::<Vec<_>>()
        };
        let warnings = said(&model);
        assert_eq!(warnings.len(), 1);
        for words in ["geoms 'floor' and 'cube'", "5 or less", "icf"] {
            assert!(warnings[0].contains(words), "{warnings:?}");
        }
        let mut data = Data::new(&model).unwrap();
        (0..2500).for_each(|_| step(&model, &mut data).unwrap());
        // It rests: a thousandth of its edge, where it fell through the floor before.
        assert!((data.qpos[2] - 0.05).abs() < 1e-4, "{mu}: z = {}", data.qpos[2]);
        // Leaning by 40 degrees, short of where a cube topples.
        model.opt.gravity = [9.81 * 40f64.to_radians().sin(), 0.0, -9.81 * 40f64.to_radians().cos()];
        let x = data.qpos[0];
        (0..500).for_each(|_| step(&model, &mut data).unwrap());
        // Its way while friction is built up, a hundredth of its edge.
        assert!((data.qpos[0] - x).abs() < 1e-3, "{mu}: slid {}", data.qpos[0] - x);
        // With friction that is in order, or another recipe, there is nothing to say.
        model.set_geom_friction(0, [5.0, 0.005, 1e-4]).unwrap();
        assert!(said(&model).is_empty());
        model.set_geom_friction(0, [50.0, 0.005, 1e-4]).unwrap();
        assert_eq!(said(&model).len(), 1);
        assert!(said(&model.with_method(Method::icf())).is_empty());
    }
}

/// A light box under a heavy one sinks, which data and rollouts say once; equal boxes say nothing.
#[test]
fn regression_light_bodies_under_heavy_ones_are_said() {
    let model = |heavy: f64| {
        Model::from_xml_string(&format!(
            "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body name='light' pos='0 0 .05'><freejoint/><geom type='box' size='.05 .05 .05' mass='1'/></body>\
             <body name='heavy' pos='0 0 .15'><freejoint/><geom type='box' size='.05 .05 .05' mass='{heavy}'/></body></worldbody></mujoco>"
        ))
        .unwrap()
    };
    for (heavy, told) in [(1e5, true), (1.0, false)] {
        let model = model(heavy);
        let mut data = Data::new(&model).unwrap();
        let x0 = data.state();
        (0..300).for_each(|_| step(&model, &mut data).unwrap());
        let r = rollout(&model, &x0, &[], 300, RolloutOptions::default()).unwrap();
        for w in [data.warning(), r.warnings[0].clone()] {
            assert_eq!(w.is_some(), told, "{w:?}");
            assert!(w.is_none_or(|w| w.contains("contacts of body 'light'") && w.contains("Method::icf")));
        }
        data.reset_data(&model).unwrap();
        assert_eq!(data.warning(), None);
    }
}
