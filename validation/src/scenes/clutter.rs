use signorini_core::na::{UnitQuaternion, Vector3};
use signorini_geometry::Shape;
use signorini_scene::{CollisionMask, Pose, Scene};

use crate::random::Random;

use super::parts::{add_free_body, empty, geom, surface};

/// Shapes that fall into the bin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClutterShape {
    /// Spheres alone (soft clutter).
    Spheres,
    /// Half spheres, half cubes in random order (hard clutter).
    Mixed,
}

/// Objects that fall into a bin: 4 piles of 5, after kurtz2025cenic, section VI.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clutter {
    /// Shapes.
    pub shape: ClutterShape,
    /// Stiffness of each surface \[N/m\]; two in contact have half of it.
    pub stiffness: f64,
    /// Dissipation \[s/m\].
    pub dissipation: f64,
    /// Friction.
    pub friction: f64,
    /// Regularisation speed \[m/s\].
    pub stiction_speed: f64,
    /// Seed of the random poses and shapes.
    pub seed: u64,
}

const RADIUS: f64 = 0.05;
const SIDE: f64 = 0.1;
const DENSITY: f64 = 1000.0;
const BIN: f64 = 0.8;
const WALL: f64 = 0.04;

impl Clutter {
    /// Table II: k = 1e5 N/m, d = 10 s/m, μ = 0.5, v_s = 1e-4 m/s.
    pub fn hard(seed: u64) -> Self {
        let shape = ClutterShape::Mixed;
        Self { shape, stiffness: 1e5, dissipation: 10.0, friction: 0.5, stiction_speed: 1e-4, seed }
    }

    /// Soft clutter: k = 1e3 N/m, d = 10 s/m, μ = 0.5, v_s = 0.05 m/s.
    pub fn soft(seed: u64) -> Self {
        let shape = ClutterShape::Spheres;
        Self { shape, stiffness: 1e3, dissipation: 10.0, friction: 0.5, stiction_speed: 0.05, seed }
    }

    /// The scene: a bin of 0.8 m (walls of 0.04 m) and 20 free bodies.
    ///
    /// A cube touches others with a box and with the 27 − 1 spheres of radius side/6 that tile its surface; boxes do not touch boxes.
    pub fn scene(&self) -> Scene {
        let mut scene = empty("clutter", self.stiction_speed);
        let half = 0.5 * BIN;
        let wall = |x: f64, y: f64| {
            let thin = |c: f64| if c == 0.0 { half + WALL } else { 0.5 * WALL };
            let h = Vector3::new(thin(x), thin(y), half);
            (Pose::translation(x * (half + 0.5 * WALL), y * (half + 0.5 * WALL), half), h)
        };
        let floor =
            (Pose::translation(0.0, 0.0, -0.5 * WALL), Vector3::new(half + WALL, half + WALL, 0.5 * WALL));
        for (pose, half_extents) in [floor, wall(1.0, 0.0), wall(-1.0, 0.0), wall(0.0, 1.0), wall(0.0, -1.0)]
        {
            // Boxes (type 2) meet spheres (type 1) only.
            self.geom(&mut scene, 0, pose, Shape::Box { half_extents }, [0.7, 0.7, 0.75, 0.35]);
        }
        let mut random = Random::new(self.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(1));
        let mut cubes = [false; 20];
        if self.shape == ClutterShape::Mixed {
            cubes[..10].fill(true);
            for i in (1..20).rev() {
                cubes.swap(i, (random.uniform() * (i + 1) as f64) as usize);
            }
        }
        for (i, cube) in cubes.into_iter().enumerate() {
            let (pile, level) = (i % 4, i / 4);
            let jitter = |r: &mut Random| 1e-3 * (2.0 * r.uniform() - 1.0);
            let x = 0.15 * if pile % 2 == 0 { -1.0 } else { 1.0 } + jitter(&mut random);
            let y = 0.15 * if pile / 2 == 0 { -1.0 } else { 1.0 } + jitter(&mut random);
            let z = 0.15 * (level as f64 + 1.0) + jitter(&mut random);
            let turn = if cube { random.rotation() } else { UnitQuaternion::identity() };
            let (mass, inertia) = if cube {
                let m = DENSITY * SIDE.powi(3);
                (m, m * SIDE * SIDE / 6.0)
            } else {
                let m = DENSITY * 4.0 / 3.0 * std::f64::consts::PI * RADIUS.powi(3);
                (m, 0.4 * m * RADIUS * RADIUS)
            };
            let name = format!("{}{i}", if cube { "cube" } else { "sphere" });
            let pose = Pose::from_parts(Vector3::new(x, y, z).into(), turn);
            let b = add_free_body(&mut scene, &name, pose, mass, Vector3::repeat(inertia));
            let color = [[0.2, 0.45, 0.7, 1.0], [0.85, 0.4, 0.15, 1.0]][usize::from(cube)];
            if cube {
                let half_extents = Vector3::repeat(0.5 * SIDE);
                self.geom(&mut scene, b, Pose::identity(), Shape::Box { half_extents }, color);
                for k in (0..27).filter(|k| *k != 13) {
                    let c = |k: i32| f64::from(k % 3 - 1) * SIDE / 3.0;
                    let pose = Pose::translation(c(k), c(k / 3), c(k / 9));
                    self.geom(&mut scene, b, pose, Shape::Sphere { radius: SIDE / 6.0 }, color);
                }
            } else {
                self.geom(&mut scene, b, Pose::identity(), Shape::Sphere { radius: RADIUS }, color);
            }
        }
        scene
    }

    fn geom(&self, scene: &mut Scene, body: usize, pose: Pose, shape: Shape, rgba: [f32; 4]) {
        let mask = match shape {
            Shape::Box { .. } => CollisionMask { contype: 2, conaffinity: 1 },
            _ => CollisionMask { contype: 1, conaffinity: 3 },
        };
        let s = surface(self.stiffness, self.dissipation, [self.friction; 2]);
        let name = format!("geom{}", scene.geoms.len());
        let mut g = geom(&name, body, pose, shape, s, rgba);
        g.mask = mask;
        scene.geoms.push(g);
    }
}
