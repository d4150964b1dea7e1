//! A gripper that takes a cube by a script, lifts it and turns it level, under both engines.

use crate::common;

use common::{batch, scene_of};
use signorini_core::BatchStepper;
use signorini_core::na::{Isometry3, Translation3, UnitQuaternion, Vector3, Vector6};
use signorini_planning::tasks::TwoArmHandover;
use signorini_planning::tasks::two_arms::Arms;
use signorini_planning::{Task, View};
use signorini_run::Method;

/// Towards a pose: 3/s of the rest of the way, at most 0.3 m/s and 0.8 rad/s.
fn towards(from: &Isometry3<f64>, to: &Isometry3<f64>) -> Vector6<f64> {
    let linear = 3.0 * (to.translation.vector - from.translation.vector);
    let angular = 3.0 * (to.rotation * from.rotation.inverse()).scaled_axis();
    let [linear, angular] = [linear.cap_magnitude(0.3), angular.cap_magnitude(0.8)];
    Vector6::from_iterator(linear.iter().chain(angular.iter()).copied())
}

#[test]
fn analytic_gripped_cube_is_lifted_and_turned() {
    let scene = scene_of("two_arms/cube.xml");
    let task = TwoArmHandover::default();
    for (name, method, substeps) in [("icf", Method::icf(), 10), ("comfree", Method::comfree(), 4)] {
        let mut world = batch(&scene, 1, method, 1);
        let layout = world.watch(&task.observations()).unwrap();
        let scenario = task.reset(4);
        world.load(0, &scenario.start(&world).unwrap()).unwrap();
        let mut seen = vec![0.0; layout.width()];
        world.observe(0, &mut seen).unwrap();
        let cube =
            |seen: &[f64]| View { time: 0.0, layout: &layout, values: seen }.vector(Arms::SIX.observed());
        let start = cube(&seen);
        let side = usize::from(scenario.phase.values[0] > 0.5);
        let hanging = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI);
        let quarter = [1.0, -1.0][side] * std::f64::consts::FRAC_PI_2;
        let level = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), quarter) * hanging;
        let up = |z: f64| start + Vector3::new(0.0, 0.0, z);
        // Where the tool is to be, its fingers, and for how many steps of 0.02 s.
        for (at, turn, fingers, steps) in [
            (up(0.1), hanging, 0.045, 250),
            (up(0.02), hanging, 0.045, 100),
            (up(0.02), hanging, 0.0, 50),
            (up(0.3), hanging, 0.0, 150),
            (up(0.3), level, 0.0, 200),
        ] {
            for _ in 0..steps {
                let view = View { time: 0.0, layout: &layout, values: &seen };
                let to = Isometry3::from_parts(Translation3::from(at), turn);
                let twist = towards(&Arms::SIX.palms(&view)[side].pose, &to);
                let mut control = vec![0.0; Arms::SIX.count() + 2];
                control[6 * side..6 * side + 6]
                    .copy_from_slice(Arms::SIX.follow(&view, side, &twist).as_slice());
                control[Arms::SIX.count()..].fill(0.045);
                control[Arms::SIX.count() + side] = fingers;
                world.step(&control, 0.02 / f64::from(substeps), substeps, &[true]).unwrap();
                world.observe(0, &mut seen).unwrap();
            }
        }
        let view = View { time: 0.0, layout: &layout, values: &seen };
        let palm = Arms::SIX.palms(&view)[side];
        let held = palm.pose.inverse_transform_vector(&(cube(&seen) - palm.pose.translation.vector));
        // The motor's 40 N go to both fingers alike; the held cube may creep by less than a millimetre in 7 s.
        assert!((held - Vector3::new(0.0, 0.0, 0.02)).norm() < 1e-3, "{name}: {held:?}");
        for f in 0..2 {
            let force = view.scalar(Arms::SIX.observed() + 1 + 2 * side + f);
            assert!((force - 20.0).abs() < 0.1, "{name}: finger {f} presses with {force} N");
        }
        // Held level, the cube is beside the tool.
        assert!((cube(&seen).z - palm.pose.translation.z).abs() < 1e-3, "{name}: {:?}", cube(&seen));
    }
}
