use signorini_core::na::{UnitQuaternion, Vector3};
use signorini_geometry::{MassProperties, Shape};
use signorini_scene::{CombinationRule, Pose, Scene, Surface};

use super::parts::{add_free_body, empty, geom};
use crate::random::Random;

/// Things that should come to rest: density 1000 kg/m³, friction 1, torsional and rolling coefficients 10 mm and 5 mm, condim 6.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heap {
    /// A cube of 0.1 m dropped askew.
    Cube,
    /// Cubes of 0.1 m on top of each other, 1 mm apart, the columns 2 mm askew.
    Stack(usize),
    /// 125 spheres, capsules, ellipsoids, cylinders and cubes that fall into a bin with walls.
    Bin,
}

const DENSITY: f64 = 1000.0;
const SIDE: f64 = 0.1;

impl Heap {
    /// Name in tables.
    pub fn name(&self) -> String {
        match self {
            Self::Cube => "cube".into(),
            Self::Stack(n) => format!("stack of {n}"),
            Self::Bin => "125 primitives in a bin".into(),
        }
    }

    /// The scene.
    pub fn scene(&self) -> Scene {
        let mut scene = empty("heap", 1e-4);
        scene.options.combination = CombinationRule::Mujoco;
        let rest = Pose::identity();
        scene.geoms.push(geom("floor", 0, rest, Shape::HalfSpace, surface(), [0.7, 0.7, 0.75, 1.0]));
        let cube = Shape::Box { half_extents: Vector3::repeat(0.5 * SIDE) };
        match *self {
            Self::Cube => {
                let turn = UnitQuaternion::from_euler_angles(0.17, 0.35, 0.52);
                add(&mut scene, &cube, Pose::from_parts(Vector3::new(0.0, 0.0, 0.15).into(), turn));
            }
            Self::Stack(n) => {
                for i in 0..n {
                    let x = 2e-3 * (f64::from((i % 3) as u8) - 1.0);
                    let z = 0.5 * SIDE + 1.01 * SIDE * i as f64;
                    add(&mut scene, &cube, Pose::translation(x, 0.0, z));
                }
            }
            Self::Bin => bin(&mut scene),
        }
        scene
    }
}

fn surface() -> Surface {
    Surface {
        friction: 1.0,
        friction_torsional: 0.01,
        friction_rolling: 0.005,
        condim: 6,
        ..Surface::default()
    }
}

fn add(scene: &mut Scene, shape: &Shape, pose: Pose) {
    let i = scene.bodies.len();
    let b = add_free_body(scene, &format!("body{i}"), pose, 1.0, Vector3::repeat(1.0));
    scene.bodies[b].mass = MassProperties::of_shape(shape, DENSITY).ok();
    let color = [[0.2, 0.45, 0.7, 1.0], [0.85, 0.4, 0.15, 1.0], [0.3, 0.6, 0.35, 1.0]][i % 3];
    scene.geoms.push(geom(&format!("geom{i}"), b, Pose::identity(), shape.clone(), surface(), color));
}

fn bin(scene: &mut Scene) {
    for (i, (x, y)) in [(0.4, 0.0), (-0.4, 0.0), (0.0, 0.4), (0.0, -0.4)].into_iter().enumerate() {
        let thin = |c: f64| if c == 0.0 { 0.4 } else { 0.02 };
        let wall = Shape::Box { half_extents: Vector3::new(thin(x), thin(y), 0.3) };
        let at = Pose::translation(x, y, 0.3);
        scene.geoms.push(geom(&format!("wall{i}"), 0, at, wall, surface(), [0.7, 0.7, 0.75, 0.35]));
    }
    let shapes = [
        Shape::Sphere { radius: 0.05 },
        Shape::Capsule { radius: 0.04, half_length: 0.05 },
        Shape::Ellipsoid { semi_axes: Vector3::new(0.05, 0.04, 0.03) },
        Shape::Cylinder { radius: 0.04, half_length: 0.04 },
        Shape::Box { half_extents: Vector3::repeat(0.03) },
    ];
    let mut random = Random::new(7);
    for k in 0..125 {
        let (i, j, level) = (k % 5, k / 5 % 5, k / 25);
        let mut jitter = || 0.01 * (random.uniform() - 0.5);
        let (x, y) = (-0.26 + 0.13 * i as f64 + jitter(), -0.26 + 0.13 * j as f64 + jitter());
        let at = Vector3::new(x, y, 0.1 + 0.15 * level as f64);
        let pose = Pose::from_parts(at.into(), random.rotation());
        add(scene, &shapes[(i + j + level) % 5], pose);
    }
}
