//! Sensors of limits, rays, distances, fields and cameras read as in MuJoCo 4.0.

use signorini_multibody::{ActuatorState, Kinematics, Model, SensorInput, SensorScratch, TendonState};
use signorini_scene::{LoadOptions, Scene};

fn readings(text: &str, q: &[f64], v: &[f64]) -> Vec<Vec<f64>> {
    let scene = Scene::from_mjcf(text, "robot.xml", &LoadOptions::default()).unwrap();
    let m = Model::new(&scene).unwrap();
    let mut kin = Kinematics::new(&m);
    kin.set_positions(&m, q, &m.mocap_poses);
    kin.set_velocities(&m, v);
    let mut tendons = TendonState::new(&m);
    tendons.set_positions(&m, &kin, q);
    tendons.set_velocities(&m, v);
    let mut s = SensorScratch::new(&m);
    let input = SensorInput {
        t: 0.0,
        q,
        v,
        acceleration: &vec![0.0; m.nv()],
        kin: &kin,
        tendons: &tendons,
        actuators: &ActuatorState::new(&m),
        actuator_forces: &[],
        actuator_tau: &vec![0.0; m.nv()],
        contacts: &[],
        limit_forces: &[],
    };
    m.read_sensors(input, &mut s);
    m.sensors.iter().map(|x| s.values[x.start..x.start + x.kind.dim()].to_vec()).collect()
}

#[track_caller]
fn close(have: &[f64], want: &[f64], tolerance: f64) {
    let same = have.len() == want.len() && have.iter().zip(want).all(|(a, b)| (a - b).abs() <= tolerance);
    assert!(same, "{have:?} is not {want:?}");
}

#[test]
fn conformance_limits_distances_fields_and_cameras() {
    let sensors: [(&str, &[f64]); 18] = [
        ("<magnetometer site='s'/>", &[1.5463769024482847, 0.6564537582281414, 3.343319748226692]),
        ("<jointlimitpos joint='j'/>", &[-0.13546707480056705]),
        ("<jointlimitvel joint='j'/>", &[-2.0]),
        ("<tendonlimitpos tendon='t'/>", &[-0.1]),
        ("<tendonlimitvel tendon='t'/>", &[-2.0]),
        ("<distance geom1='ga' geom2='gb' cutoff='10'/>", &[1.5600758802702606]),
        ("<distance geom1='ga' geom2='gb'/>", &[0.0]),
        (
            "<normal geom1='ga' geom2='gb' cutoff='10'/>",
            &[-0.005202642253740676, -0.08558022044628694, 0.9963176995225691],
        ),
        (
            "<fromto geom1='ga' geom2='gb' cutoff='10'/>",
            &[
                -0.0005202642253740262,
                -0.008558022044628702,
                1.0996317699522575,
                -0.008636780919109762,
                -0.1420696597910927,
                2.6539629820637702,
            ],
        ),
        ("<fromto body1='a' geom2='p' cutoff='10'/>", &[0.0, 0.0, 0.9, 0.0, 0.0, -2.0]),
        ("<distance body1='a' body2='b' cutoff='.5'/>", &[0.5]),
        ("<fromto body1='a' body2='b' cutoff='.5'/>", &[0.0; 6]),
        ("<insidesite site='s' objtype='geom' objname='ga'/>", &[0.0]),
        ("<insidesite site='s' objtype='site' objname='s'/>", &[1.0]),
        (
            "<framepos objtype='camera' objname='c'/>",
            &[1.9657530507629142, 1.5394789471386963, 5.786722001695365],
        ),
        (
            "<framequat objtype='camera' objname='c'/>",
            &[0.885755496757709, 0.25052245113065413, 0.28426834341523766, 0.26808060424982144],
        ),
        ("<user dim='7'/>", &[0.0; 7]),
        (
            "<framepos objtype='body' objname='a' reftype='camera' refname='c'/>",
            &[-0.5483234295774273, -3.3253207813777266, -4.217638097833349],
        ),
    ];
    let list: String = sensors.iter().map(|s| s.0).collect();
    let text = format!(
        "<mujoco><option magnetic='1 2 3'/><worldbody><body name='a'><joint name='j' range='-10 10' margin='.01'/>
           <geom name='ga' size='.1' pos='0 0 1'/><site name='s' euler='-17.188733853924695 0 0' pos='0 0 1.2'/></body>
           <body name='b' pos='0 0 3' euler='10 20 0'><geom name='gb' type='box' size='.1 .2 .3'/>
             <camera name='c' pos='1 2 3' euler='10 20 30'/></body>
           <geom name='p' type='plane' size='1 1 1' pos='0 0 -2'/></worldbody>
         <tendon><fixed name='t' range='-1 .4' margin='.2'><joint joint='j' coef='1'/></fixed></tendon>
         <sensor>{list}</sensor></mujoco>"
    );
    for ((name, want), have) in sensors.iter().zip(readings(&text, &[0.3], &[2.0])) {
        println!("{name}");
        close(&have, want, 1e-9);
    }
}

#[test]
fn conformance_overlap_has_a_negative_distance() {
    let text = "<mujoco><worldbody><geom name='a' size='.1'/><body pos='0 0 .15'><freejoint/><geom name='b' size='.1'/></body></worldbody>
        <sensor><distance geom1='a' geom2='b' cutoff='10'/><distance geom1='a' geom2='b' cutoff='.01'/><distance geom1='a' geom2='b'/>
          <normal geom1='a' geom2='b'/><fromto geom1='a' geom2='b'/><normal geom1='b' geom2='a' cutoff='1'/></sensor></mujoco>";
    let want: [&[f64]; 6] =
        [&[-0.05], &[-0.01], &[-0.05], &[0.0, 0.0, -1.0], &[0.0, 0.0, 0.1, 0.0, 0.0, 0.05], &[0.0, 0.0, 1.0]];
    let q = [0.0, 0.0, 0.15, 1.0, 0.0, 0.0, 0.0];
    for (have, want) in readings(text, &q, &[0.0; 6]).iter().zip(want) {
        close(have, want, 1e-12);
    }
}

#[test]
fn conformance_rangefinders() {
    let sites = [
        ("0 90 0", "0 0 0", 1.7171572875253809),
        ("0 -90 0", "0 0 0", 1.7350332913622295),
        ("-90 0 0", "0 0 0", 1.8109936004250944),
        ("90 5 0", "0 0 0", 1.8832348082326988),
        ("0 0 0", "0 0 0", 1.5513151644615466),
        ("180 0 0", "0 0 0", 1.5),
        ("0 135 0", "0 .1 0", 1.346922656069406),
        ("0 60 0", "0 0 0", -1.0),
    ];
    let site =
        |(i, s): (usize, &(&str, &str, f64))| format!("<site name='s{i}' euler='{}' pos='{}'/>", s.0, s.1);
    let list: String = sites.iter().enumerate().map(site).collect();
    let sensors: String = (0..sites.len()).map(|i| format!("<rangefinder site='s{i}'/>")).collect();
    let text = format!(
        "<mujoco><asset><mesh name='m' vertex='-.2 -.2 -.2 .2 -.2 -.2 0 .2 -.2 0 0 .3'/></asset><worldbody>
           <body><geom size='.01'/>{list}</body><geom type='sphere' size='.3' pos='2 0.1 0'/>
           <geom type='sphere' size='1.9' rgba='1 1 1 0'/>
           <geom type='cylinder' size='.3 .4' pos='-2 .1 .1' euler='10 20 30'/>
           <geom type='capsule' size='.2 .3' pos='0 2 .1' euler='50 20 30'/>
           <geom type='ellipsoid' size='.2 .3 .4' pos='0 -2 .1' euler='50 20 30'/>
           <geom type='box' size='.2 .3 .4' pos='.1 0 2' euler='50 20 30'/>
           <geom type='plane' size='5 5 5' pos='0 0 -1.5' euler='5 0 0'/>
           <geom type='mesh' mesh='m' pos='1 0.1 -1' euler='3 2 1'/></worldbody><sensor>{sensors}</sensor></mujoco>"
    );
    for (have, site) in readings(&text, &[], &[]).iter().zip(sites) {
        // MuJoCo keeps the vertices of meshes in single precision.
        close(have, &[site.2], if site.1 == "0 .1 0" { 1e-6 } else { 1e-9 });
    }
}

/// Pixels of a site in the images of cameras with an angle of view, lenses and classes: `sensordata` of MuJoCo 4.0, which keeps lenses in single precision.
#[test]
fn conformance_places_in_images_of_cameras() {
    let text = "<mujoco><default><default class='wide'><camera fovy='50' resolution='640 480'/></default></default>
        <worldbody><body name='c' pos='0 .2 1' euler='80 10 20'><joint axis='0 1 0'/><geom size='.1'/>
        <camera name='cam' class='wide' pos='.1 0 0' euler='5 -3 2'/>
        <camera name='lens' pos='.1 0 .1' resolution='640 480' focal='.004 .005' sensorsize='.006 .0045' principal='.0002 .0001'/>
        <camera name='px' pos='.1 0 .1' resolution='640 480' focalpixel='400 410' sensorsize='.006 .0045' principalpixel='7 -9'/><camera name='plain'/></body>
        <site name='s' pos='.3 2 1.2'/></worldbody>
        <sensor><camprojection site='s' camera='cam'/><camprojection site='s' camera='lens'/><camprojection site='s' camera='px'/>
        <camprojection site='s' camera='plain'/></sensor></mujoco>";
    let expected = [
        [685.3907423412704, 197.66510799882658],
        [637.6908343428793, 140.25700716530554],
        [617.8351429945631, 163.3225801083515],
        [1.5527417257081542, 0.2577464693883801],
    ];
    for (have, want) in readings(text, &[0.3], &[0.0]).iter().zip(expected) {
        // Single precision of the lens: 6e-8 of some hundred pixels.
        close(have, &want, 1e-4);
    }
}
