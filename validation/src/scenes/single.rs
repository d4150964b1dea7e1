use signorini_core::na::Vector3;
use signorini_geometry::Shape;
use signorini_scene::{Pose, Scene};

use super::parts::{add_free_body, empty, geom, surface};

/// One body above a rigid floor: the scenes of the continuous-time references and of figs. 4, 8 and 14.
#[derive(Clone, Debug, PartialEq)]
pub struct SingleBody {
    /// Mass \[kg\].
    pub mass: f64,
    /// Spheres that touch the floor: (centre in the body frame, radius) \[m\].
    pub spheres: Vec<(Vector3<f64>, f64)>,
    /// Edge lengths of a solid box that gives the inertia; None: that of the first sphere, 0.4 m r².
    pub solid_box: Option<Vector3<f64>>,
    /// Stiffness k \[N/m\] of the contact (the floor is rigid).
    pub stiffness: f64,
    /// Dissipation d \[s/m\].
    pub dissipation: f64,
    /// Static and dynamic friction.
    pub friction: [f64; 2],
    /// Regularisation speed v_s \[m/s\].
    pub stiction_speed: f64,
    /// Initial height of the body's centre \[m\].
    pub height: f64,
}

impl SingleBody {
    /// A ball.
    pub fn ball(mass: f64, radius: f64, stiffness: f64, dissipation: f64, height: f64) -> Self {
        Self {
            mass,
            spheres: vec![(Vector3::zeros(), radius)],
            solid_box: None,
            stiffness,
            dissipation,
            friction: [0.5; 2],
            stiction_speed: 1e-3,
            height,
        }
    }

    /// The scene: body 1 is free, geom 0 the floor z ≤ 0.
    pub fn scene(&self, name: &str) -> Scene {
        let mut scene = empty(name, self.stiction_speed);
        let inertia = match self.solid_box {
            Some(e) => {
                let s = e.component_mul(&e);
                self.mass / 12.0 * Vector3::new(s.y + s.z, s.x + s.z, s.x + s.y)
            }
            None => Vector3::repeat(0.4 * self.mass * self.spheres[0].1.powi(2)),
        };
        let floor = surface(f64::INFINITY, 0.0, self.friction);
        scene.geoms.push(geom("floor", 0, Pose::identity(), Shape::HalfSpace, floor, [0.8, 0.8, 0.8, 1.0]));
        let b =
            add_free_body(&mut scene, "body", Pose::translation(0.0, 0.0, self.height), self.mass, inertia);
        for (i, (c, radius)) in self.spheres.iter().enumerate() {
            let s = surface(self.stiffness, self.dissipation, self.friction);
            let pose = Pose::translation(c.x, c.y, c.z);
            let shape = Shape::Sphere { radius: *radius };
            scene.geoms.push(geom(&format!("sphere{i}"), b, pose, shape, s, [0.2, 0.45, 0.7, 1.0]));
        }
        if let Some(e) = self.solid_box {
            let shape = Shape::Box { half_extents: 0.5 * e };
            let mut g =
                geom("box", b, Pose::identity(), shape, surface(1.0, 0.0, [0.0; 2]), [0.85, 0.6, 0.2, 1.0]);
            g.mask = signorini_scene::CollisionMask { contype: 0, conaffinity: 0 };
            scene.geoms.push(g);
        }
        scene
    }
}
