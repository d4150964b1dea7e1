//! Triangle surfaces that are put on each other stay, whatever the dissipation, the solver and the step.

use std::sync::Arc;

use proptest::prelude::*;
use signorini_core::na::{Point3, Vector3};
use signorini_core::{AcceptedStep, NoObserver, State, StepObserver, System};
use signorini_geometry::{Shape, TriangleMesh};
use signorini_run::{Law, Method};
use signorini_scene::{GeomShape, LoadOptions, Scene};
use signorini_testkit::data;

/// States after the steps of a run.
#[derive(Default)]
struct Path(Vec<State>);

impl StepObserver for Path {
    fn accepted(&mut self, step: &AcceptedStep<'_>) {
        self.0.push(step.x1.clone());
    }
}

fn surfaces() -> LoadOptions {
    LoadOptions { keep_mesh_surfaces: true, ..LoadOptions::default() }
}

/// Kinetic and potential energy \[J\].
fn motion(sys: &mut impl System, x: &State) -> f64 {
    let e = sys.energy(x);
    e.kinetic + e.potential
}

/// Way over the ground \[m\], largest change of height \[m\], energy gained \[J\].
fn rest(scene: &Scene, method: &Method, time: f64) -> [f64; 3] {
    let mut sys = method.system(scene).unwrap();
    let mut x = sys.initial_state(None).unwrap();
    let (start, before) = (x.clone(), motion(&mut sys, &x));
    let mut path = Path::default();
    method.integrator().unwrap().advance(&mut sys, &mut x, time, &mut path).unwrap();
    let mut out = [0.0f64; 3];
    for x in &path.0 {
        let way = Vector3::from_fn(|k, _| x.q[k] - start.q[k]);
        let gained = motion(&mut sys, x) - before;
        for (most, now) in out.iter_mut().zip([way.xy().norm(), way.z.abs(), gained]) {
            *most = most.max(now);
        }
    }
    out
}

fn methods() -> [Method; 5] {
    [
        Method::cenic(1e-3),
        Method::cenic(1e-4),
        Method::icf().with_step(2e-3),
        Method::comfree().with_step(2e-3),
        Method::icf().with_law(Law::Sap).unwrap().with_step(2e-3),
    ]
}

/// The slab walked 11 mm in a second, or was thrown by depths of up to 130 mm where nothing overlapped.
#[test]
fn regression_a_slab_stays_where_it_was_put() {
    for name in ["27d_slab_on_frustum", "27e_slab_on_rail"] {
        let Some(file) = data::case(format!("daily/{name}.xml")) else { return };
        let scene = Scene::load(file, &surfaces()).unwrap();
        for dissipation in [None, Some(0.1), Some(0.0)] {
            for method in methods() {
                let mut scene = scene.clone();
                if let Some(d) = dissipation {
                    scene.options.contact.dissipation = d;
                }
                let [way, drop, gained] = rest(&scene, &method, 0.5);
                let told = format!(
                    "{name}, dissipation {dissipation:?}, {}: {way} m, {drop} m, {gained} J",
                    method.describe()
                );
                // It starts 0.1 mm above the top, and weighs 2.65 N.
                assert!(way < 1e-4 && drop < 3e-4 && gained < 1e-5, "{told}");
            }
        }
    }
}

/// A frustum with flanks that lean in or out.
fn frustum(low: f64, high: f64, height: f64) -> TriangleMesh {
    let ring = |s: f64, z: f64| [(-s, -s), (s, -s), (s, s), (-s, s)].map(|(x, y)| Point3::new(x, y, z));
    let vertices = [ring(low, 0.0), ring(high, height)].concat();
    let mut triangles = vec![[3, 2, 1], [3, 1, 0], [4, 5, 6], [4, 6, 7]];
    for k in 0..4 {
        let l = (k + 1) % 4;
        triangles.extend([[k, l, l + 4], [k, l + 4, k + 4]]);
    }
    TriangleMesh::new(vertices, triangles).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Frusta on frusta, either larger than the other, with flanks that lean in and out.
    #[test]
    fn property_frusta_stay_on_frusta(
        below in [0.02f64..0.06, 0.02f64..0.06, 0.005f64..0.03],
        above in [0.02f64..0.06, 0.02f64..0.06, 0.005f64..0.03],
        (aside, turn) in ([-1f64..1.0, -1f64..1.0], -3f64..3.0),
        (gap, dissipation) in (-6f64..-3.5, prop_oneof![Just(0.0), 0.0f64..1.0]),
        method in 0usize..5,
    ) {
        let text = "<mujoco><worldbody><geom type='box' size='1 1 1'/>
                    <body><freejoint/><geom type='box' size='1 1 1'/><inertial pos='0 0 0' mass='.2' diaginertia='2e-4 2e-4 3e-4'/></body></worldbody></mujoco>";
        let mut scene = Scene::from_mjcf(text, "frusta.xml", &LoadOptions::default()).unwrap();
        let meshes = [below, above].map(|[low, high, height]| frustum(low, high, height));
        for (geom, mesh) in scene.geoms.iter_mut().zip(&meshes) {
            geom.shape = GeomShape::Solid(Shape::Mesh(Arc::new(mesh.clone())));
        }
        scene.options.contact.dissipation = dissipation;
        // Well over the smaller of the faces that meet.
        let room = 0.3 * (below[1] - above[0]).abs().min(below[1].min(above[0]));
        let method = &methods()[method];
        let mut sys = method.system(&scene).unwrap();
        let mut x = sys.initial_state(None).unwrap();
        let half = 0.5 * turn;
        let fall = 10f64.powf(gap);
        x.q.copy_from_slice(&[room * aside[0], room * aside[1], below[2] + fall, half.cos(), 0.0, 0.0, half.sin()]);
        let before = motion(&mut sys, &x);
        let start = x.clone();
        method.integrator().unwrap().advance(&mut sys, &mut x, 0.3, &mut NoObserver).unwrap();
        let way = Vector3::from_fn(|k, _| x.q[k] - start.q[k]);
        let gained = motion(&mut sys, &x) - before;
        prop_assert!(
            way.xy().norm() < 2e-4 && way.z.abs() < 2.0 * fall + 2e-4 && gained < 1e-5,
            "{} {way:?} {gained}", method.describe()
        );
    }
}
