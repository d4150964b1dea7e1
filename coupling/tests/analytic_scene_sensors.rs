//! Sensors and energies of a scene of points: those of the model know the forces of points.

use std::path::Path;

use signorini_coupling::{PointScene, SceneFile};
use signorini_multibody::Sensors;
use signorini_scene::{LoadOptions, Scene};

/// A plate of 0.2 kg on a spring, with a pad on it that has a force sensor below and a touch sensor on top, and a part of that.
const MODEL: &str = "<mujoco><worldbody><body name='plate' pos='0 0 -.01'>
    <joint name='up' type='slide' axis='0 0 1' stiffness='4000' damping='60'/>
    <geom name='base' type='box' size='.2 .2 .01' mass='.2' contype='0' conaffinity='0' pos='0 0 -.04'/>
    <body name='pad'><site name='root' pos='.03 0 0'/>
      <geom name='pad' type='box' size='.1 .1 .01' mass='.3'/>
      <site name='top' type='box' size='.1 .1 .02'/>
      <site name='half' type='box' size='.05 .1 .02' pos='.05 0 0'/>
    </body></body></worldbody>
    <sensor><force name='force' site='root'/><torque name='torque' site='root'/>
      <touch name='touch' site='top'/><touch name='half' site='half'/>
      <accelerometer name='acceleration' site='root'/></sensor></mujoco>";

const SCENE: &str = "model = 'plate.xml'\ntime = 1.0\nspacing = 0.02\ndamping_time = 0.02\n
    [[points]]\nname = 'jelly'\nshape = 'box'\nsize = [0.1, 0.1, 0.04]\nposition = [0.02, 0, 0.0205]\nyoung = 5e4\ndensity = 1000\n";

#[test]
fn analytic_sensors_of_the_model_feel_points() {
    let file = SceneFile::parse(SCENE, Path::new("plate.toml")).unwrap();
    let end = file.time;
    let scene = Scene::from_mjcf(MODEL, "plate.xml", &LoadOptions::default()).unwrap();
    let mut s = PointScene::new(file, &scene).unwrap();
    let mass: f64 = s.both_mut().points_mut().engine_mut().particles().mass.iter().sum();
    let mut sensors = Sensors::new(s.both().rigid().model());
    let (mut before, mut energies, mut balance) = (s.state.clone(), Vec::new(), 0.0f64);
    while s.state.t < end {
        before.copy_from(&s.state);
        let report = s.step(end).unwrap();
        let dt = s.state.t - before.t;
        s.read_sensors(&mut sensors, &before, &report, dt);
        energies.push(s.energy(&sensors));
        let given = s.link_impulses(&report);
        // Sums over contacts and over geoms are one.
        let whole: f64 = report.wrenches.iter().map(|w| w.force.z * dt).sum();
        balance = balance.max((whole - given.iter().map(|g| g[0].z).sum::<f64>()).abs());
        if s.state.t == end {
            let pad = s.links().iter().position(|l| l.name == "pad").unwrap();
            let [force, moment] = given[pad].map(|g| g / dt);
            let [sensed, torque] = [0, 3].map(|i| sensors.values()[i..i + 3].to_vec());
            let [touch, half] = [6, 7].map(|i| sensors.values()[i]);
            let weight = 9.81 * mass;
            println!("{force} {moment} of {weight} N; {sensed:?} {torque:?} {touch} {half}");
            assert!((force.z + weight).abs() < 0.01 * weight, "{force} {weight}");
            assert!((touch - weight).abs() < 0.01 * weight, "{touch} {weight}");
            // Jelly from −0.03 to 0.07 m, the site from 0 on: seven tenths.
            assert!((half - 0.7 * weight).abs() < 0.03 * weight, "{half} {weight}");
            // What bears the pad and the jelly; about a point 0.03 m beside the pad's middle and 0.01 m beside the jelly's.
            assert!((sensed[2] - weight - 0.3 * 9.81).abs() < 0.01 * weight, "{sensed:?}");
            let expected = 0.03 * 0.3 * 9.81 + 0.01 * weight;
            assert!((torque[1].abs() - expected).abs() < 0.02 * expected, "{torque:?} {expected}");
            assert!((moment.y - 0.02 * weight).abs() < 0.03 * 0.02 * weight, "{moment}");
            assert!((sensors.values()[10] - 9.81).abs() < 0.05, "{}", sensors.values()[10]);
        }
    }
    assert!(balance < 1e-9, "{balance}");
    let total: Vec<f64> = energies.iter().map(signorini_core::Energy::total).collect();
    let largest_rise = total.windows(2).map(|e| e[1] - e[0]).fold(0.0, f64::max);
    println!("energies from {:e} to {:e} J, rises by {largest_rise:e}", total[0], total[total.len() - 1]);
    // Springs of contact and of the plate are taken explicitly by the coupling: round-off it is not, and yet small.
    assert!(total[0] > total[total.len() - 1] && largest_rise < 0.01 * (total[0] - total[total.len() - 1]));
}
