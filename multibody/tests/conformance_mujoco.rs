//! Actuators, tendons, passive forces, dynamics, sensors and equalities against MuJoCo's numbers in `tests/data`.

use crate::common;

use common::apart;
use common::oracle::{case_scene, cases, numbers};
use serde_json::Value;
use signorini_core::na::{DMatrix, DVector};
use signorini_multibody::{
    ActuatorInput, ActuatorState, Dynamics, EqualityInput, Kinematics, Model, SensorInput, SensorScratch,
    TendonState, TreeFactor,
};
use signorini_scene::{EqualityKind, WrapElement};

/// Everything at one state of a case.
struct At {
    model: Model,
    q: Vec<f64>,
    v: Vec<f64>,
    z: Vec<f64>,
    control: Vec<f64>,
    kin: Kinematics,
    tendons: TendonState,
    actuators: ActuatorState,
    forces: Vec<f64>,
    actuator_tau: Vec<f64>,
}

impl At {
    fn new(model: &Model, s: &Value) -> Self {
        let model = model.clone();
        let (q, v) = (numbers(&s["qpos"]), numbers(&s["qvel"]));
        model.check_state(&q, &v).unwrap();
        let mut control = numbers(&s["ctrl"]);
        control.resize(model.actuators.len(), 0.0);
        let mut z = numbers(&s["act"]);
        z.resize(model.nz, 0.0);
        let kin = common::kinematics(&model, &q, &v);
        let (mut tendons, mut actuators) = (TendonState::new(&model), ActuatorState::new(&model));
        tendons.set_positions(&model, &kin, &q);
        tendons.set_velocities(&model, &v);
        actuators.set_positions(&model, &kin, &tendons, &q);
        actuators.set_velocities(&model, &v);
        let (mut forces, mut actuator_tau) = (vec![0.0; model.actuators.len()], vec![0.0; model.nv()]);
        // MuJoCo's default step, which actuators that act early look ahead.
        model.actuator_forces(
            &kin,
            &actuators,
            ActuatorInput { z: &z, control: &control, dt: 0.002 },
            &mut forces,
            &mut actuator_tau,
        );
        Self { model, q, v, z, control, kin, tendons, actuators, forces, actuator_tau }
    }

    fn passive(&self) -> [Vec<f64>; 3] {
        let zero = vec![0.0; self.model.nv()];
        let (mut spring, mut damper, mut lift) = (zero.clone(), zero.clone(), zero);
        self.model.add_spring_forces(&self.q, &self.tendons, &mut spring);
        self.model.add_damping_forces(&self.v, &self.tendons, &mut damper);
        self.model.add_passive_gravity_compensation(&self.kin, &mut lift);
        [spring, damper, lift]
    }

    fn row(&self, row: signorini_multibody::SparseRow<'_>) -> Vec<f64> {
        let mut out = vec![0.0; self.model.nv()];
        row.add_scaled(1.0, &mut out);
        out
    }
}

fn close(what: &str, found: &[f64], expected: &Value, tolerance: f64) {
    let expected = numbers(expected);
    assert_eq!(found.len(), expected.len(), "{what}: {found:?} {expected:?}");
    let d = apart(found, &expected);
    assert!(d <= tolerance, "{what}: {d:e} > {tolerance:e}\n found {found:?}\n expected {expected:?}");
}

fn each_state(topic: &str, mut f: impl FnMut(&str, &Value, &At, &Value)) {
    for case in cases(topic) {
        let name = case["name"].as_str().unwrap().to_owned();
        let model = Model::new(&case_scene(&case)).unwrap_or_else(|e| panic!("{name}: {e}"));
        for (i, s) in case["states"].as_array().unwrap().iter().enumerate() {
            f(&format!("{topic} {name} {i}"), &case, &At::new(&model, s), s);
        }
    }
}

// Tolerances: 1e-12 for kinematics and 1e-11 relative for forces, round-off of both programs.

#[test]
fn conformance_actuators() {
    each_state("actuators", |name, case, at, s| {
        let m = &at.model;
        for (i, a) in m.actuators.iter().enumerate() {
            let x = &case["actuators"][&a.name];
            close(&format!("{name} gain {}", a.name), &a.gain, &x["gainprm"], 1e-11);
            close(&format!("{name} bias {}", a.name), &a.bias, &x["biasprm"], 1e-11);
            let moment = at.row(at.actuators.row(m, i));
            close(&format!("{name} moment {}", a.name), &moment, &s["actuator_moment"][i], 1e-12);
            close(&format!("{name} rate"), &[at.actuators.rate[i]], &s["actuator_velocity"][i], 1e-11);
            close(&format!("{name} force {}", a.name), &[at.forces[i]], &s["actuator_force"][i], 1e-11);
        }
        close(&format!("{name} length"), &at.actuators.length, &s["actuator_length"], 1e-12);
        close(&format!("{name} joint forces"), &at.actuator_tau, &s["qfrc_actuator"], 1e-11);
        // The laws with their efforts make the same joint forces, where no limit is shared.
        let mut tau = vec![0.0; m.nv()];
        let mut shared = vec![false; m.nv()];
        for (i, a) in m.actuators.iter().enumerate() {
            let law =
                a.law(at.actuators.length[i], at.actuators.rate[i], a.input(&at.z, at.control[i], 0.002));
            at.actuators.row(m, i).add_scaled(law.force.clamp(law.effort[0], law.effort[1]), &mut tau);
            a.dofs.iter().for_each(|&d| shared[d] |= a.shares_limit);
        }
        for d in (0..m.nv()).filter(|&d| !shared[d]) {
            let scale = 1.0 + tau[d].abs();
            assert!((tau[d] - at.actuator_tau[d]).abs() < 1e-12 * scale, "{name}: effort at {d}");
        }
        let rates: Vec<f64> = m
            .actuators
            .iter()
            .zip(&at.control)
            .filter_map(|(a, u)| a.activation.map(|i| a.activation_rate(at.z[i], *u)))
            .collect();
        close(&format!("{name} activation rate"), &rates, &s["act_dot"], 1e-11);
    });
}

#[test]
fn conformance_tendons() {
    each_state("tendons", |name, case, at, s| {
        let m = &at.model;
        // Both ends on one side of the line through the obstacle and its side site: MuJoCo lets the tendon jump to the straight line past
        // the wrong side (length 0.56 to 0.31 m), here it stays wrapped.
        if name == "tendons sphere_sidesite_other_side 3" {
            println!("exception: {name}");
            return;
        }
        // MuJoCo stops the point of inverse wrapping at 1e-6 in the angle; the length is stationary there, the moment arm is not.
        let loose = name.contains("inside");
        for (i, t) in m.tendons.iter().enumerate() {
            let x = &case["tendons"][&t.name];
            close(&format!("{name} length0 {}", t.name), &[t.reference_length], &x["length0"], 1e-9);
            close(&format!("{name} rest {}", t.name), &t.spring_length, &x["springlength"], 1e-9);
            let row = at.row(at.tendons.row(m, i));
            close(&format!("{name} J {}", t.name), &row, &s["ten_J"][i], if loose { 1e-5 } else { 1e-12 });
        }
        let tolerance = if loose { 1e-9 } else { 1e-12 };
        close(&format!("{name} length"), &at.tendons.length, &s["ten_length"], tolerance);
        let tolerance = if loose { 1e-5 } else { 1e-11 };
        close(&format!("{name} rate"), &at.tendons.rate, &s["ten_velocity"], tolerance);
        let [spring, damper, _] = at.passive();
        close(&format!("{name} spring"), &spring, &s["qfrc_spring"], tolerance);
        close(&format!("{name} damper"), &damper, &s["qfrc_damper"], tolerance);
    });
}

#[test]
fn conformance_passive_forces() {
    each_state("passive", |name, _, at, s| {
        let [spring, damper, lift] = at.passive();
        close(&format!("{name} spring"), &spring, &s["qfrc_spring"], 1e-11);
        close(&format!("{name} damper"), &damper, &s["qfrc_damper"], 1e-11);
        let all: Vec<f64> = (0..spring.len()).map(|i| spring[i] + damper[i] + lift[i]).collect();
        close(&format!("{name} passive"), &all, &s["qfrc_passive"], 1e-11);
        close(&format!("{name} actuators"), &at.actuator_tau, &s["qfrc_actuator"], 1e-11);
        close(&format!("{name} bias"), &common::bias(&at.model, &at.kin, None), &s["qfrc_bias"], 1e-11);
    });
}

/// v̇ from all forces.
fn acceleration(at: &At) -> Vec<f64> {
    let m = &at.model;
    let mut tau = at.actuator_tau.clone();
    for x in at.passive() {
        tau.iter_mut().zip(x).for_each(|(t, x)| *t += x);
    }
    let mut factor = TreeFactor::new(m);
    Dynamics::new(m).forward_dynamics(m, &at.kin, &m.gravity, &mut factor, &mut tau).unwrap();
    tau
}

#[test]
fn conformance_dynamics() {
    each_state("dynamics", |name, _, at, s| {
        let m = &at.model;
        close(&format!("{name} M"), &common::mass_matrix(m, &at.kin).concat(), &s["mass_matrix"], 1e-11);
        close(&format!("{name} bias"), &common::bias(m, &at.kin, None), &s["qfrc_bias"], 1e-11);
        close(&format!("{name} qacc"), &acceleration(at), &s["qacc_smooth"], 1e-9);
        let positions: Vec<f64> =
            at.kin.x_wb[1..].iter().flat_map(|x| x.translation.vector.as_slice().to_vec()).collect();
        close(&format!("{name} xpos"), &positions, &s["xpos"], 1e-12);
        let geoms: Vec<f64> = m
            .geoms
            .iter()
            .flat_map(|g| (at.kin.x_wb[g.body] * g.pose).translation.vector.as_slice().to_vec())
            .collect();
        close(&format!("{name} geoms"), &geoms, &s["geom_xpos"], 1e-12);
    });
}

/// Parts of files that many models have and few use: MJCF's rare actuators, springs and tendons, and URDF with parts of other tools.
#[test]
fn conformance_parts_of_files() {
    each_state("files", |name, case, at, s| {
        let m = &at.model;
        close(&format!("{name} M"), &common::mass_matrix(m, &at.kin).concat(), &s["mass_matrix"], 1e-11);
        close(&format!("{name} bias"), &common::bias(m, &at.kin, None), &s["qfrc_bias"], 1e-11);
        let [spring, damper, lift] = at.passive();
        let passive: Vec<f64> = (0..m.nv()).map(|i| spring[i] + damper[i] + lift[i]).collect();
        close(&format!("{name} passive"), &passive, &s["qfrc_passive"], 1e-11);
        close(&format!("{name} lengths"), &at.actuators.length, &s["actuator_length"], 1e-12);
        close(&format!("{name} rates"), &at.actuators.rate, &s["actuator_velocity"], 1e-11);
        close(&format!("{name} forces"), &at.forces, &s["actuator_force"], 1e-11);
        close(&format!("{name} actuation"), &at.actuator_tau, &s["qfrc_actuator"], 1e-11);
        close(&format!("{name} qacc"), &acceleration(at), &s["qacc_smooth"], 1e-9);
        let with_rate = m.actuators.iter().zip(&at.control).filter_map(|(a, u)| Some((a, u, a.activation?)));
        let rates: Vec<f64> = with_rate.map(|(a, u, i)| a.activation_rate(at.z[i], *u)).collect();
        close(&format!("{name} activation rates"), &rates, &s["act_dot"], 1e-11);
        let kinetic = Dynamics::kinetic_energy(m, &at.kin) + m.armature_energy(&at.v, &at.tendons);
        // Between branches MuJoCo leaves the coupling by armature out of M, and of the energy with it.
        if case["name"] != "tendon_armature_between_branches" {
            close(&format!("{name} kinetic energy"), &[kinetic], &s["energy"][1], 1e-11);
        }
        let potential =
            Dynamics::gravity_energy(m, &at.kin, &m.gravity) + m.spring_energy(&at.q, &at.tendons);
        close(&format!("{name} potential energy"), &[potential], &s["energy"][0], 1e-11);
        for (j, expected) in m.joints.iter().zip(case["limits"].as_array().unwrap()) {
            assert_eq!(j.range.is_some(), !expected.is_null(), "{name}: limit of {}", j.name);
        }
    });
}

#[test]
fn conformance_sensors() {
    each_state("sensors", |name, _, at, s| {
        let m = &at.model;
        let acc = acceleration(at);
        close(&format!("{name} qacc"), &acc, &s["qacc"], 1e-9);
        let mut scratch = SensorScratch::new(m);
        let input = SensorInput {
            t: 0.0,
            q: &at.q,
            v: &at.v,
            acceleration: &acc,
            kin: &at.kin,
            tendons: &at.tendons,
            actuators: &at.actuators,
            actuator_forces: &at.forces,
            actuator_tau: &at.actuator_tau,
            contacts: &[],
            limit_forces: &[],
        };
        m.read_sensors(input, &mut scratch);
        for sensor in &m.sensors {
            let found = &scratch.values[sensor.start..sensor.start + sensor.kind.dim()];
            let expected = numbers(&s["sensors"][&sensor.name]);
            let mut found = found.to_vec();
            if found.len() == 4 && found.iter().zip(&expected).map(|(a, b)| a * b).sum::<f64>() < 0.0 {
                found.iter_mut().for_each(|x| *x = -*x);
            }
            // Accelerations carry the condition of the mass matrix.
            let d = apart(&found, &expected);
            assert!(d < 1e-9, "{name} {} ({:?}): {found:?} {expected:?}", sensor.name, sensor.kind);
        }
    });
}

/// Residual and Jacobian of an equality, rows × nv.
fn equality(at: &At, q: &[f64], index: usize) -> (DVector<f64>, DMatrix<f64>) {
    let m = &at.model;
    let kin = common::kinematics(m, q, &at.v);
    let mut tendons = TendonState::new(m);
    tendons.set_positions(m, &kin, q);
    let rows = m.equalities[index].rows;
    let (mut g, mut j) = (DVector::zeros(rows), DMatrix::zeros(rows, m.nv()));
    m.equality(index, EqualityInput { q, kin: &kin, tendons: &tendons }, g.as_mut_slice(), |i, c| {
        c.iter().enumerate().for_each(|(r, x)| j[(r, i)] += x);
    });
    (g, j)
}

#[test]
fn conformance_equalities() {
    each_state("equality", |name, _, at, s| {
        for (i, e) in at.model.equalities.iter().enumerate() {
            let x = &s["equalities"][&e.name];
            let expected = numbers(&x["position"]);
            assert_eq!(e.active, !expected.is_empty(), "{name} {}", e.name);
            if !e.active {
                continue;
            }
            let what = format!("{name} {}", e.name);
            let (g, j) = equality(at, &at.q, i);
            let rows = e.rows.min(3);
            // MuJoCo takes A minus B between bodies, we B minus A.
            let sign = match e.kind {
                EqualityKind::Connect { .. } | EqualityKind::Weld { .. } => -1.0,
                _ => 1.0,
            };
            let value: Vec<f64> = g.iter().take(rows).map(|x| sign * x).collect();
            close(&what, &value, &Value::from(expected[..rows].to_vec()), 1e-12);
            let nv = at.model.nv();
            let expected_j = numbers(&x["jacobian"]);
            let found: Vec<f64> =
                (0..rows).flat_map(|r| (0..nv).map(move |c| (r, c))).map(|at| sign * j[at]).collect();
            assert!(apart(&found, &expected_j[..rows * nv]) < 1e-12, "{what} Jacobian");
            if let EqualityKind::Weld { torque_scale, .. } = e.kind {
                // MuJoCo's rows are the scale times sin(θ/2) along the axis, up to sign and frame: equal in length and in row space.
                let theta = g.rows(3, 3).norm() / torque_scale;
                let half = expected[3..6].iter().map(|x| x * x).sum::<f64>().sqrt() / torque_scale;
                assert!(((0.5 * theta).sin() - half).abs() < 1e-12, "{what}: {theta} {half}");
                let theirs = DMatrix::from_row_slice(6, nv, &expected_j).rows(3, 3).into_owned();
                let both =
                    DMatrix::from_fn(6, nv, |r, c| if r < 3 { j[(r + 3, c)] } else { theirs[(r - 3, c)] });
                let rank = |a: DMatrix<f64>| a.svd(false, false).rank(1e-9);
                assert_eq!(rank(both), rank(theirs), "{what}: row space of the rotation");
            }
        }
    });
}

/// Rates of lengths and residuals are derivatives: tendons, actuators with a scalar length, and equalities, along random motions.
#[test]
fn property_moment_arms_are_derivatives_of_lengths() {
    let h = 1e-6;
    for topic in ["tendons", "actuators", "equality"] {
        each_state(topic, |name, _, at, _| {
            let m = &at.model;
            let moved = |dt: f64| {
                let mut q = at.q.clone();
                m.integrate(&at.q, &at.v, dt, &mut q);
                let kin = common::kinematics(m, &q, &at.v);
                let (mut t, mut a) = (TendonState::new(m), ActuatorState::new(m));
                t.set_positions(m, &kin, &q);
                a.set_positions(m, &kin, &t, &q);
                (q, t, a)
            };
            let ((qa, ta, aa), (qb, tb, ab)) = (moved(-h), moved(h));
            let scale = 1.0 + at.v.iter().map(|x| x * x).sum::<f64>();
            for (i, t) in m.tendons.iter().enumerate() {
                let rate = (tb.length[i] - ta.length[i]) / (2.0 * h);
                // Central differences: round-off 1e-16/h, and h² times third derivatives.
                assert!((rate - at.tendons.rate[i]).abs() < 1e-8 * scale, "{name} {}: {rate}", t.name);
            }
            use signorini_scene::{JointKind, Transmission};
            for (i, a) in m.actuators.iter().enumerate() {
                // The gear axis of a ball is not the derivative of its length, nor are MuJoCo's moment arms between sites.
                match a.transmission {
                    Transmission::Joint(j) | Transmission::JointInParent(j)
                        if matches!(m.joints[j].kind, JointKind::Ball | JointKind::Free) =>
                    {
                        continue;
                    }
                    Transmission::Site { .. } => continue,
                    _ => {}
                }
                let rate = (ab.length[i] - aa.length[i]) / (2.0 * h);
                assert!((rate - at.actuators.rate[i]).abs() < 1e-8 * scale, "{name} {}: {rate}", a.name);
            }
            for i in 0..m.equalities.len() {
                let rate = (equality(at, &qb, i).0 - equality(at, &qa, i).0) / (2.0 * h);
                let (_, j) = equality(at, &at.q, i);
                let found = j * DVector::from_column_slice(&at.v);
                assert!((rate - found).amax() < 1e-8 * scale, "{name} {}", m.equalities[i].name);
            }
        });
    }
}

/// The tendons of the data wrap, in some states, around spheres and cylinders, on both sides and inside.
#[test]
fn property_the_tendon_cases_wrap() {
    for case in cases("tendons") {
        let scene = case_scene(&case);
        let wraps = |t: &signorini_scene::Tendon| match &t.path {
            signorini_scene::TendonPath::Spatial(e) => {
                e.iter().any(|e| matches!(e, WrapElement::Geom { .. }))
            }
            signorini_scene::TendonPath::Fixed(_) => false,
        };
        if !scene.tendons.iter().any(wraps) {
            continue;
        }
        let points: Vec<f64> =
            case["states"].as_array().unwrap().iter().flat_map(|s| numbers(&s["path_points"])).collect();
        let most = points.iter().fold(0.0f64, |a, b| a.max(*b));
        let least = points.iter().fold(f64::INFINITY, |a, b| a.min(*b));
        println!("{}: {least} to {most} path points", case["name"]);
        assert!(most > 2.0);
    }
}
