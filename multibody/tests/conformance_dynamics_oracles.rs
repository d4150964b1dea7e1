//! Every file of the dynamics oracles: poses, velocities, Jacobians, mass matrix, bias, accelerations, energies.

use crate::common;

use common::oracle::{numbers, oracle, oracles, scene, strip};
use common::{apart, bias, kinematics, mass_matrix};
use serde_json::Value;
use signorini_core::na::{DMatrix, DVector, Vector3};
use signorini_multibody::{Dynamics, Model, TreeFactor};
use signorini_scene::{LoadOptions, Scene};

/// Place of each coordinate of the oracle among ours, by the name of its joint.
struct Order {
    q: Vec<usize>,
    v: Vec<usize>,
}

impl Order {
    fn new(model: &Model, joints: &Value) -> Self {
        let (mut q, mut v) = (Vec::new(), Vec::new());
        for j in joints.as_array().unwrap() {
            let name = j["name"].as_str().unwrap();
            let joint = &model.joints[model.joint(name).unwrap_or_else(|| panic!("no joint '{name}'"))];
            q.extend(joint.q..joint.q + joint.kind.nq());
            v.extend(joint.v..joint.v + joint.kind.nv());
        }
        assert_eq!((q.len(), v.len()), (model.nq, model.nv()), "joints of the oracle and the model");
        Self { q, v }
    }
    fn place(order: &[usize], x: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; x.len()];
        order.iter().zip(x).for_each(|(&i, x)| out[i] = *x);
        out
    }
    fn pick(order: &[usize], x: &[f64]) -> Vec<f64> {
        order.iter().map(|&i| x[i]).collect()
    }
}

fn close(what: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    let d = apart(found, expected);
    assert!(d <= tolerance, "{what}: {d:e} > {tolerance:e}\n found {found:?}\n expected {expected:?}");
}

fn check_configuration(name: &str, model: &Model, order: &Order, c: &Value) {
    let get = |key: &str| numbers(&c[key]);
    let (q, v) = (Order::place(&order.q, &get("q")), Order::place(&order.v, &get("v")));
    model.check_state(&q, &v).unwrap();
    let kin = kinematics(model, &q, &v);
    // Poses and velocities: round-off along a chain, 1e-12 as the oracles state.
    for (body, x) in c["bodies"].as_object().unwrap() {
        let what = format!("{name} {body}");
        let b = model.body(body).unwrap_or_else(|| panic!("{name}: no body '{body}'"));
        let p = kin.x_wb[b].translation.vector;
        close(&what, p.as_slice(), &numbers(&x["pos"]), 1e-12);
        let r = kin.x_wb[b].rotation;
        let expected = numbers(&x["quat_wxyz"]);
        let sign = if expected[0] * r.w + expected[1] * r.i + expected[2] * r.j + expected[3] * r.k < 0.0 {
            -1.0
        } else {
            1.0
        };
        close(&what, &[r.w, r.i, r.j, r.k].map(|x| sign * x), &expected, 1e-12);
        let v = kin.point_velocity(model, b, &p.into());
        close(&what, v.as_slice(), &numbers(&x["linear_velocity"]), 1e-12);
        close(&what, kin.twist[b].angular.as_slice(), &numbers(&x["angular_velocity"]), 1e-12);
        // A body without mass has no centre of mass (the oracle gives a point that means nothing).
        if !x["com"].is_null() && model.bodies[b].mass > 0.0 {
            close(&what, kin.com(model, b).coords.as_slice(), &numbers(&x["com"]), 1e-12);
        }
    }
    for (body, x) in c["jacobians"].as_object().into_iter().flatten() {
        let b = model.body(body).unwrap();
        let (linear, angular) = kin.jacobian(model, b, &kin.x_wb[b].translation.vector.into());
        for (key, j) in [("linear", linear), ("angular", angular)] {
            // The oracle has 3 rows of nv.
            let rows: Vec<f64> =
                (0..3).flat_map(|r| order.v.iter().map(move |&i| 3 * i + r)).map(|i| j[i]).collect();
            close(&format!("{name} {key} Jacobian of {body}"), &rows, &numbers(&x[key]), 1e-12);
        }
    }
    let m = mass_matrix(model, &kin);
    let m: Vec<f64> =
        order.v.iter().flat_map(|&i| order.v.iter().map(move |&j| (i, j))).map(|(i, j)| m[i][j]).collect();
    close(&format!("{name} mass matrix"), &m, &get("mass_matrix"), 1e-11);
    let c0 = bias(model, &kin, None);
    close(&format!("{name} bias"), &Order::pick(&order.v, &c0), &get("bias"), 1e-11);
    let rest = kinematics(model, &q, &vec![0.0; model.nv()]);
    let g = bias(model, &rest, None);
    close(&format!("{name} gravity force"), &Order::pick(&order.v, &g), &get("gravity_force"), 1e-11);
    let mut acc = Order::place(&order.v, &get("tau"));
    let (mut dynamics, mut factor) = (Dynamics::new(model), TreeFactor::new(model));
    dynamics.forward_dynamics(model, &kin, &model.gravity, &mut factor, &mut acc).unwrap();
    // Round-off times the condition of M, up to 6e6.
    close(&format!("{name} accelerations"), &Order::pick(&order.v, &acc), &get("qdd"), 1e-9);
    let momentum = Dynamics::momentum(model, &kin);
    close(&format!("{name} com"), momentum.com.coords.as_slice(), &get("com"), 1e-12);
    close(&format!("{name} com velocity"), momentum.com_velocity.as_slice(), &get("com_velocity"), 1e-12);
    if !c["angular_momentum_about_com"].is_null() {
        let l = get("angular_momentum_about_com");
        close(&format!("{name} angular momentum"), momentum.angular.as_slice(), &l, 1e-11);
    }
    let kinetic = Dynamics::kinetic_energy(model, &kin);
    let potential = Dynamics::gravity_energy(model, &kin, &model.gravity);
    close(&format!("{name} kinetic energy"), &[kinetic], &get("kinetic_energy"), 1e-11);
    close(&format!("{name} potential energy"), &[potential], &get("potential_energy"), 1e-11);
}

fn check_file(name: &str) {
    let Some(o) = oracle(&format!("dynamics/{name}.json")) else { return };
    let Some(mut s) = scene(o["model"].as_str().unwrap()) else { return };
    strip(&mut s);
    s.options.gravity = Vector3::from_column_slice(&numbers(&o["gravity"]));
    let model = Model::new(&s).unwrap_or_else(|e| panic!("{name}: {e}"));
    close(&format!("{name} mass"), &[model.total_mass()], &[o["total_mass"].as_f64().unwrap()], 1e-12);
    let order = Order::new(&model, &o["joints"]);
    for c in o["configurations"].as_array().unwrap() {
        check_configuration(name, &model, &order, c);
    }
}

macro_rules! one_test_per_file {
    ($($test:ident: $file:literal,)*) => {
        $(#[test]
        fn $test() {
            check_file($file);
        })*
        const FILES: &[&str] = &[$($file),*];
    };
}

one_test_per_file! {
    conformance_dynamics_of_allegro_right: "allegro_right",
    conformance_dynamics_of_double_pendulum: "double_pendulum",
    conformance_dynamics_of_humanoid: "humanoid",
    conformance_dynamics_of_leap_right: "leap_right",
    conformance_dynamics_of_panda: "panda",
    conformance_dynamics_of_panda_nohand: "panda_nohand",
    conformance_dynamics_of_robotiq_2f85: "robotiq_2f85",
    conformance_dynamics_of_unitree_g1: "unitree_g1",
    conformance_dynamics_of_ur5e: "ur5e",
    conformance_dynamics_of_urdf_double_pendulum_simple: "urdf_double_pendulum_simple",
    conformance_dynamics_of_urdf_four_bar_tree: "urdf_four_bar_tree",
    conformance_dynamics_of_urdf_panda: "urdf_panda",
    conformance_dynamics_of_urdf_parallel_gripper: "urdf_parallel_gripper",
    conformance_dynamics_of_urdf_r2d2: "urdf_r2d2",
    conformance_dynamics_of_urdf_ur5: "urdf_ur5",
    conformance_dynamics_of_urdf_ur5e: "urdf_ur5e",
}

#[test]
fn conformance_every_dynamics_oracle_has_a_test() {
    // The closed loop and the coupled gripper have tests of their own below.
    let own = ["four_bar_closed_loop", "mimic_parallel_gripper"];
    for (file, _) in oracles("dynamics") {
        let name = file.trim_end_matches(".json");
        assert!(FILES.contains(&name) || own.contains(&name), "no test for {file}");
    }
}

/// The four-bar linkage, its loop closed at the rocker's end.
fn four_bar(stripped: bool) -> Option<Model> {
    use signorini_scene::EqualityKind::Connect;
    let mut s = scene("models/four_bar/four_bar.xml")?;
    let mut loops = std::mem::take(&mut s.equalities);
    if stripped {
        strip(&mut s);
    }
    // MJCF finds the second anchor at q = 0, where the drawn linkage is not closed; the oracle closes it at C, 0.3 m from D.
    let Connect { anchor_b, .. } = &mut loops[0].kind else { panic!("no connect") };
    *anchor_b = [0.3, 0.0, 0.0].into();
    s.equalities = loops;
    Some(Model::new(&s).unwrap())
}

struct Rows {
    residual: Vec<f64>,
    jacobian: DMatrix<f64>,
}

fn equality_rows(model: &Model, index: usize, q: &[f64]) -> Rows {
    use signorini_multibody::{EqualityInput, TendonState};
    let kin = kinematics(model, q, &vec![0.0; model.nv()]);
    let mut tendons = TendonState::new(model);
    tendons.set_positions(model, &kin, q);
    let rows = model.equalities[index].rows;
    let mut residual = vec![0.0; rows];
    let mut jacobian = DMatrix::zeros(rows, model.nv());
    let at = EqualityInput { q, kin: &kin, tendons: &tendons };
    model.equality(index, at, &mut residual, |dof, column| {
        column.iter().enumerate().for_each(|(r, x)| jacobian[(r, dof)] += x);
    });
    Rows { residual, jacobian }
}

#[test]
fn conformance_four_bar_closure() {
    let Some(o) = oracle("dynamics/four_bar_closed_loop.json") else { return };
    let Some(model) = four_bar(true) else { return };
    for c in o["closure"].as_array().unwrap() {
        let get = |k: &str| c[k].as_f64().unwrap();
        let q = [get("crank"), get("coupler_relative"), get("rocker")];
        let rows = equality_rows(&model, 0, &q);
        // Closed to round-off, and the rates stay on the constraint.
        assert!(rows.residual.iter().all(|x| x.abs() < 1e-14), "{:?}", rows.residual);
        let rates = [1.0, get("coupler_rate_per_crank_rate"), get("rocker_rate_per_crank_rate")];
        assert!((rows.jacobian * DVector::from_column_slice(&rates)).amax() < 1e-14);
        let kin = kinematics(&model, &q, &[0.0; 3]);
        let p = kin.x_wb[model.body("rocker").unwrap()] * common::point(&[0.3, 0.0, 0.0]);
        close("C", p.coords.as_slice(), &numbers(&c["C"]), 1e-14);
    }
}

#[test]
fn conformance_four_bar_constrained_dynamics() {
    let Some(o) = oracle("dynamics/four_bar_closed_loop.json") else { return };
    let Some(model) = four_bar(true) else { return };
    for c in o["constrained_dynamics"].as_array().unwrap() {
        let get = |k: &str| numbers(&c[k]);
        let (q, v, tau) = (get("q"), get("v"), get("tau"));
        // J is planar: its row along y is zero, so solve for x and z. J̇ v by central differences of J v along the motion.
        let j = equality_rows(&model, 0, &q).jacobian.select_rows(&[0, 2]);
        let at = |h: f64| {
            let q: Vec<f64> = q.iter().zip(&v).map(|(q, v)| q + h * v).collect();
            equality_rows(&model, 0, &q).jacobian.select_rows(&[0, 2]) * DVector::from_column_slice(&v)
        };
        let drift = (at(1e-5) - at(-1e-5)) / 2e-5;
        let kin = kinematics(&model, &q, &v);
        let m = mass_matrix(&model, &kin).concat();
        let c0 = bias(&model, &kin, None);
        let mut kkt = DMatrix::zeros(5, 5);
        kkt.view_mut((0, 0), (3, 3)).copy_from_slice(&m);
        kkt.view_mut((3, 0), (2, 3)).copy_from(&j);
        kkt.view_mut((0, 3), (3, 2)).copy_from(&-j.transpose());
        let mut rhs = DVector::zeros(5);
        (0..3).for_each(|i| rhs[i] = tau[i] - c0[i]);
        (0..2).for_each(|i| rhs[3 + i] = -drift[i]);
        let x = kkt.lu().solve(&rhs).unwrap();
        // The finite difference of J v: 1e-10 times third derivatives.
        close("accelerations", &x.as_slice()[..3], &get("qdd"), 1e-8);
        let force = get("loop_force_on_rocker_world");
        close("loop force", &[x[3], 0.0, x[4]], &force, 1e-8);
    }
}

#[test]
fn conformance_mimic_parallel_gripper() {
    let Some(o) = oracle("dynamics/mimic_parallel_gripper.json") else { return };
    let Some(mut s) = scene(o["model"].as_str().unwrap()) else { return };
    let couplings = s.equalities.clone();
    strip(&mut s);
    s.equalities = couplings;
    let model = Model::new(&s).unwrap();
    let names = |k: &str| -> Vec<usize> {
        let list = o[k].as_array().unwrap().iter();
        list.map(|n| model.joints[model.joint(n.as_str().unwrap()).unwrap()].v).collect()
    };
    let (order, independent) = (names("joint_order"), names("independent"));
    assert_eq!(model.equalities.len(), order.len() - independent.len(), "one coupling per mimic joint");
    for c in o["configurations"].as_array().unwrap() {
        let get = |k: &str| numbers(&c[k]);
        let (q, v) = (Order::place(&order, &get("q")), Order::place(&order, &get("v")));
        let nv = model.nv();
        // The couplings hold, and their Jacobians span the complement of E.
        let mut rows = DMatrix::zeros(0, nv);
        for e in 0..model.equalities.len() {
            let r = equality_rows(&model, e, &q);
            assert!(r.residual[0].abs() < 1e-14, "{:?}", r.residual);
            let at = rows.nrows();
            rows = rows.insert_row(at, 0.0);
            rows.row_mut(at).copy_from(&r.jacobian.row(0));
        }
        // E from the couplings: dependent rates that keep them, one independent rate at a time.
        let dependent: Vec<usize> = (0..nv).filter(|i| !independent.contains(i)).collect();
        let solve = rows.select_columns(&dependent).lu();
        let mut e = DMatrix::zeros(nv, independent.len());
        for (k, &i) in independent.iter().enumerate() {
            e[(i, k)] = 1.0;
            let x = solve.solve(&-rows.column(i)).unwrap();
            dependent.iter().enumerate().for_each(|(r, &d)| e[(d, k)] = x[r]);
        }
        let expected: Vec<f64> = numbers(&o["E"]);
        let found: Vec<f64> =
            order.iter().flat_map(|&i| (0..independent.len()).map(move |k| (i, k))).map(|at| e[at]).collect();
        close("E", &found, &expected, 1e-14);
        let kin = kinematics(&model, &q, &v);
        let m = DMatrix::from_row_slice(nv, nv, &mass_matrix(&model, &kin).concat());
        let reduced = e.transpose() * &m * &e;
        close("reduced mass matrix", reduced.transpose().as_slice(), &get("mass_matrix_reduced"), 1e-11);
        let b = e.transpose() * DVector::from_vec(bias(&model, &kin, None));
        close("reduced bias", b.as_slice(), &get("bias_reduced"), 1e-11);
        let ydd = reduced.lu().solve(&(DVector::from_vec(get("tau_reduced")) - b)).unwrap();
        close("reduced accelerations", ydd.as_slice(), &get("ydd"), 1e-9);
    }
}

/// A slide, a hinge, a slide and a ball joint on one body: `xpos` and `qfrc_bias` of MuJoCo 4.0.
#[test]
fn conformance_a_ball_joint_after_a_hinge() {
    let text = "<mujoco><worldbody><body pos='1 2 3' euler='10 20 30'><joint type='slide' axis='1 1 0' ref='.3'/><joint axis='0 1 1' pos='.1 .2 0' ref='20'/>
        <joint type='slide' axis='0 1 0'/><joint type='ball' pos='0 .1 0'/><geom type='box' size='.1 .2 .3' pos='.1 0 0' mass='5'/></body></worldbody></mujoco>";
    let scene = Scene::from_mjcf(text, "a.xml", &LoadOptions::default()).unwrap();
    let model = Model::new(&scene).unwrap();
    let kin = kinematics(&model, &[0.5, 0.9, -0.2, 0.8, 0.2, -0.4, 0.4], &[0.3, -0.6, 0.2, 0.7, 0.5, -0.9]);
    let place = [1.2841613908824612, 2.1981714662442053, 2.9091409423525776];
    // Round-off.
    close("place", kin.x_wb[1].translation.vector.as_slice(), &place, 1e-14);
    let expected = [
        4.24583540836423,
        -5.471244853355526,
        21.712618338652426,
        -1.79618924895995,
        -1.9600073995562934,
        6.288750274934277,
    ];
    close("bias", &bias(&model, &kin, None), &expected, 1e-12);
}
