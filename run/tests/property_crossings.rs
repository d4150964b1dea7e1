//! A body that is pushed through a wall within a step is stopped under error control, and told of in equal steps.

use proptest::prelude::*;
use signorini_core::{AcceptedStep, StepObserver};
use signorini_run::{Method, run};
use signorini_scene::{LoadOptions, Scene};

/// A box of triangles.
fn mesh(name: &str, [x, y, z]: [f64; 3]) -> String {
    let corner = |k: usize| {
        let of = |bit: usize, half: f64| if k >> bit & 1 == 0 { -half } else { half };
        format!("{} {} {} ", of(0, x), of(1, y), of(2, z))
    };
    let corners: String = (0..8).map(corner).collect();
    let faces = "0 2 3  0 3 1  4 5 7  4 7 6  0 1 5  0 5 4  2 6 7  2 7 3  0 4 6  0 6 2  1 3 7  1 7 5";
    format!("<mesh name='{name}' vertex='{corners}' face='{faces}'/>")
}

/// A heavy ball, a light one before a thin wall at x = 0: half the thickness of the wall, radii, gap of the light ball to the wall, shift aside \[m\]. Wall and light ball are boxes of triangles on request.
fn scene([wall, heavy, light, gap, aside]: [f64; 5], triangles: bool) -> Scene {
    let at = -wall - light - gap;
    let (meshes, of_wall, of_light) = match triangles {
        false => {
            (String::new(), format!("type='box' size='{wall} 2 2'"), format!("type='sphere' size='{light}'"))
        }
        true => (
            format!("<asset>{}{}</asset>", mesh("wall", [wall, 2.0, 2.0]), mesh("light", [light; 3])),
            "type='mesh' mesh='wall'".into(),
            "type='mesh' mesh='light'".into(),
        ),
    };
    let text = format!(
        "<mujoco><option gravity='0 0 0'/>{meshes}<worldbody><geom name='wall' {of_wall}/>
         <body name='light' pos='{at} 0 0'><freejoint/><geom name='l' {of_light} density='500'/></body>
         <body name='heavy' pos='{} {aside} 0'><freejoint/><geom name='h' type='sphere' size='{heavy}' density='8000'/></body></worldbody></mujoco>",
        at - light - heavy - 0.05
    );
    let options = LoadOptions { keep_mesh_surfaces: true, ..LoadOptions::default() };
    Scene::from_mjcf(&text, "wall.xml", &options).unwrap()
}

/// Whether the light ball is beyond the wall after the heavy one hit it at `speed` \[m/s\], and the warnings of it.
fn thrown(scene: &Scene, method: &Method, speed: f64) -> (bool, Vec<String>) {
    let mut x = method.system(scene).unwrap().initial_state(None).unwrap();
    x.v[6] = speed;
    let (recording, _) = run(scene, method, &mut x, 0.06 + 0.5 / speed).unwrap();
    // A soft contact gives way step by step, which its depth tells.
    let tells = |w: &&String| w.starts_with("crossing") || w.starts_with("depth");
    let told = recording.header.warnings.iter().filter(tells);
    (x.q[0] > 0.0, told.cloned().collect())
}

/// Farthest that the heavy ball, of radius `heavy`, sinks deeper into a wall of half the thickness `wall` within a step \[m\].
struct Sinks {
    wall: f64,
    heavy: f64,
    most: f64,
}

impl StepObserver for Sinks {
    fn accepted(&mut self, step: &AcceptedStep<'_>) {
        let [first, last] = [step.x0, step.x1].map(|x| (x.q[7] + self.heavy + self.wall).max(0.0));
        self.most = self.most.max(last - first);
    }
}

/// The largest such way of a throw.
fn sinks(scene: &Scene, [wall, heavy]: [f64; 2], method: &Method, speed: f64) -> f64 {
    let mut system = method.system(scene).unwrap();
    let mut x = system.initial_state(None).unwrap();
    x.v[6] = speed;
    let mut seen = Sinks { wall, heavy, most: 0.0 };
    method.integrator().unwrap().advance(&mut system, &mut x, 0.06 + 0.5 / speed, &mut seen).unwrap();
    seen.most
}

fn method() -> impl Strategy<Value = Method> {
    let step = (-3.5f64..-1.7).prop_map(|e| 10f64.powf(e));
    let accuracy = (-4.0f64..-1.0).prop_map(|e| 10f64.powf(e));
    (0usize..5, step, accuracy).prop_map(|(kind, dt, accuracy)| match kind {
        0 => Method::icf().with_step(dt),
        1 => Method::comfree().with_step(dt),
        2 => Method::reference().with_step(dt),
        _ => Method::cenic(accuracy),
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    /// Under error control nothing is beyond the wall; in equal steps it is told with names.
    #[test]
    fn property_nothing_crosses_a_wall_unseen(
        method in method(),
        shape in [0.002f64..0.02, 0.04f64..0.08, 0.02f64..0.05, 0.01f64..0.05, -0.02f64..0.02],
        speed in 2.0f64..20.0,
        triangles in any::<bool>(),
    ) {
        let (crossed, told) = thrown(&scene(shape, triangles), &method, speed);
        let controlled = method.dt().is_none();
        prop_assert!(!crossed || !told.is_empty() && !controlled, "{}: {told:?}", method.describe());
        // Ways through: of the light ball, through the wall or past the heavy one; of the heavy ball where the light one has slipped aside, and it sinks by half the thickness of the wall.
        if let Some(crossing) = told.iter().find(|w| w.starts_with("crossing"))
            && !crossing.contains("'light'")
        {
            let most = sinks(&scene(shape, triangles), [shape[0], shape[1]], &method, speed);
            let named = crossing.contains("'heavy'") && crossing.contains("'wall'");
            prop_assert!(named && most > shape[0], "{most}: {told:?}");
        }
    }
}

/// A light ball that a step of 20 ms takes through the wall: told with its name, and stopped by error control.
#[test]
fn regression_a_crossing_is_told() {
    let scene = scene([0.005, 0.06, 0.03, 0.03, 0.0], false);
    let (crossed, told) = thrown(&scene, &Method::icf().with_step(2e-2), 15.0);
    let told: Vec<&String> = told.iter().filter(|w| w.starts_with("crossing")).collect();
    assert!(crossed && told.len() == 1, "{told:?}");
    assert!(["'l'", "'wall'", "shorter"].iter().all(|w| told[0].contains(w)), "{told:?}");
    assert!(!thrown(&scene, &Method::cenic(1e-1), 15.0).0);
}

/// Boxes of triangles that a step takes through each other are told of as well, with nothing of an overlap at its end.
#[test]
fn regression_a_crossing_of_triangles_is_told() {
    let scene = scene([0.005, 0.06, 0.02, 0.03, 0.0], true);
    for speed in [15.0, 30.0, 60.0] {
        let (crossed, told) = thrown(&scene, &Method::icf().with_step(2e-2), speed);
        let through = |w: &&String| w.starts_with("crossing") && w.contains("'l'") && w.contains("'wall'");
        assert!(crossed && told.iter().any(|w| through(&w)), "{speed}: {told:?}");
    }
}
