//! Contact sensors tell of given contacts as MuJoCo 4.0 does.

use crate::common;

use common::oracle::{case_scene, cases, numbers};
use signorini_core::na::{Matrix3, Point3, Vector3};
use signorini_multibody::{ActuatorState, ContactWrench, Model, SensorInput, SensorScratch, TendonState};

#[test]
fn conformance_contact_sensors() {
    for case in cases("contact_sensors") {
        let m = Model::new(&case_scene(&case)).unwrap();
        for s in case["states"].as_array().unwrap() {
            let (q, v) = (numbers(&s["qpos"]), numbers(&s["qvel"]));
            let kin = common::kinematics(&m, &q, &v);
            let contacts: Vec<ContactWrench> = s["contacts"]
                .as_array()
                .unwrap()
                .iter()
                .map(|c| {
                    let pair = |key: &str| {
                        let x = numbers(&c[key]);
                        [x[0] as usize, x[1] as usize]
                    };
                    let frame = Matrix3::from_column_slice(&numbers(&c["frame"]));
                    let wrench = numbers(&c["wrench"]);
                    ContactWrench {
                        bodies: pair("bodies"),
                        geoms: pair("geoms"),
                        gap: c["gap"].as_f64().unwrap(),
                        point: Point3::from_slice(&numbers(&c["point"])),
                        normal: frame.column(0).into(),
                        tangent: frame.column(1).into(),
                        force: frame * Vector3::from_column_slice(&wrench[..3]),
                        torque: frame * Vector3::from_column_slice(&wrench[3..]),
                    }
                })
                .collect();
            let mut scratch = SensorScratch::new(&m);
            let input = SensorInput {
                t: 0.0,
                q: &q,
                v: &v,
                acceleration: &[0.0; 6],
                kin: &kin,
                tendons: &TendonState::new(&m),
                actuators: &ActuatorState::new(&m),
                actuator_forces: &[],
                actuator_tau: &[0.0; 6],
                contacts: &contacts,
                limit_forces: &[],
            };
            m.read_sensors(input, &mut scratch);
            for sensor in &m.sensors {
                let found = &scratch.values[sensor.start..sensor.start + sensor.kind.dim()];
                let expected = numbers(&s["sensors"][&sensor.name]);
                let d = common::apart(found, &expected);
                assert!(d < 1e-11, "{}: {found:?} {expected:?}", sensor.name);
            }
        }
    }
}
