//! Three bunnies fall on a floor and meet as pressure fields.

use signorini_core::na::{UnitQuaternion, Vector3};
use signorini_core::{AcceptedStep, StepObserver, System};
use signorini_multibody::contact_impulse;
use signorini_run::Method;
use signorini_scene::{Hydroelastic, LoadOptions, Scene};
use signorini_testkit::data;

const G: f64 = 9.81;

/// Force of the contacts with the floor in the last half step \[N\], and the lowest middle of a body in any step \[m\].
#[derive(Default)]
struct Floor {
    force: Vector3<f64>,
    lowest: f64,
}

impl StepObserver for Floor {
    fn accepted(&mut self, step: &AcceptedStep<'_>) {
        // Geom 0 is the floor; impulses act on the second body of a contact.
        let at_floor = step.last.contacts.iter().filter(|c| c.geoms[0] == 0);
        self.force = at_floor
            .map(|c| {
                let j = contact_impulse(&step.last, c, 3);
                c.r_wc * Vector3::new(j[0], j[1], j[2]) / step.last.dt
            })
            .sum();
        let bodies = step.x1.q.chunks_exact(7);
        self.lowest = bodies.map(height).fold(self.lowest, f64::min);
    }
}

/// Height of the middle of a bunny, (−0.017, 0.11, −0.002) m in its frame.
fn height(q: &[f64]) -> f64 {
    let turn = signorini_core::na::Quaternion::new(q[3], q[4], q[5], q[6]);
    q[2] + (UnitQuaternion::from_quaternion(turn) * Vector3::new(-0.017, 0.11, -0.002)).z
}

/// They come to rest, the floor carries their weight, and none is in the floor on the way.
#[test]
fn property_three_bunnies_come_to_rest() {
    let Some(mesh) = data::model("meshes/bunny/bunny_3k.obj") else { return };
    let body = |k: usize, at: &str, euler: &str| {
        format!(
            r#"<body name="b{k}" pos="{at}" euler="{euler}"><freejoint/><geom type="mesh" mesh="bunny" density="1000" friction="0.5"/></body>"#
        )
    };
    let bodies =
        [body(0, "0 0 .3", "90 0 0"), body(1, ".02 0 .6", "40 30 0"), body(2, "-.02 .02 .9", "90 70 0")];
    let text = format!(
        r#"<mujoco model="bunnies"><asset><mesh name="bunny" file="{}"/></asset><worldbody><geom type="plane" size="5 5 1" friction="0.5"/>{}</worldbody></mujoco>"#,
        mesh.display(),
        bodies.concat()
    );
    let options = LoadOptions { keep_mesh_surfaces: true, ..LoadOptions::default() };
    let file = std::env::temp_dir().join(format!("signorini_bunnies_{}.xml", std::process::id()));
    std::fs::write(&file, text).unwrap();
    let scene = Scene::load(&file, &options);
    std::fs::remove_file(&file).unwrap();
    let mut scene = scene.unwrap();
    for (k, geom) in scene.geoms.iter_mut().enumerate() {
        geom.surface.hydroelastic = if k == 0 { Hydroelastic::rigid() } else { Hydroelastic::compliant(1e7) };
        geom.surface.dissipation = Some(50.0);
    }
    let method = Method::cenic(1e-3);
    for method in [method.clone(), method.in_paper_mode().unwrap()] {
        let mut sys = method.system(&scene).unwrap();
        let mut x = sys.initial_state(None).unwrap();
        let start = sys.energy(&x);
        let mut floor = Floor { lowest: f64::INFINITY, ..Floor::default() };
        method.integrator().unwrap().advance(&mut sys, &mut x, 6.0, &mut floor).unwrap();
        let end = sys.energy(&x);
        // A body of 0.7 kg at 1 mm/s has 4e-7 J.
        assert!(end.kinetic < 1e-6, "{}: {end:?}", method.describe());
        assert!(end.potential + end.contact < start.potential, "{}: {end:?}", method.describe());
        let weight = sys.model().total_mass() * G;
        // Of what still moves.
        assert!(
            (floor.force - Vector3::new(0.0, 0.0, weight)).norm() < 2e-3 * weight,
            "{}: {:?} for {weight}",
            method.describe(),
            floor.force
        );
        // A bunny lies with its middle 40 mm above the floor; impacts of 4 m/s press it 20 mm in where they are not looked for ahead.
        assert!(floor.lowest > 0.01, "{}: {}", method.describe(), floor.lowest);
    }
}
