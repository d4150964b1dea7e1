//! Distances that sensors read: to limits, along rays, between geoms.

use signorini_core::na::Vector3;
use signorini_geometry::distance;
use signorini_scene::{Pose, SensorObject};

use crate::{Kinematics, Model, SensorModel};

/// A frame fixed to a body.
pub(super) struct Frame {
    pub(super) body: usize,
    pub(super) x: Pose,
}

/// Distance to the nearest limit less the margin, and its rate; zero where no limit is within the margin.
pub(super) fn limit_of(range: Option<[f64; 2]>, margin: f64, x: f64, rate: f64) -> [f64; 2] {
    let Some([low, high]) = range else { return [0.0; 2] };
    let sides = [[x - low - margin, rate], [high - x - margin, -rate]];
    sides.into_iter().find(|s| s[0] < 0.0).unwrap_or_default()
}

/// Force of the limit that a degree of freedom, or a tendon behind those, presses on: the lower one where both do.
pub(super) fn limit_force(forces: &[f64], coordinate: usize) -> f64 {
    let sides = forces.get(2 * coordinate..2 * coordinate + 2).unwrap_or_default();
    sides.iter().copied().find(|f| *f > 0.0).unwrap_or_default()
}

impl Model {
    /// Distance along the z axis of a frame to the first visible geom that is on another body.
    pub(super) fn range(&self, kin: &Kinematics, f: &Frame) -> Option<f64> {
        let (p, d) = (f.x.translation.vector.into(), f.x.rotation * Vector3::z());
        let seen = self.geoms.iter().filter(|g| g.visible && g.body != f.body);
        let hits = seen.filter_map(|g| {
            let x = kin.x_wb[g.body] * g.pose;
            g.shape.as_ref()?.ray(&x.inverse_transform_point(&p), &x.inverse_transform_vector(&d))
        });
        hits.min_by(f64::total_cmp)
    }

    /// Signed distance of the two objects of a sensor, at most its cutoff, and the nearest points; zero beyond the cutoff. Pairs of shapes without a
    /// distance (surfaces, height fields) are passed over.
    pub(super) fn nearest(&self, kin: &Kinematics, sensor: &SensorModel) -> (f64, [Vector3<f64>; 2]) {
        let geoms = |object: Option<SensorObject>| {
            let (body, geom) = match object {
                Some(SensorObject::Geom(g)) => (None, Some(g)),
                Some(SensorObject::Body(b) | SensorObject::BodyFrame(b)) => (Some(b), None),
                _ => (None, None),
            };
            self.geoms.iter().enumerate().filter(move |(i, g)| Some(*i) == geom || Some(g.body) == body)
        };
        let mut best = (sensor.cutoff, [Vector3::zeros(); 2]);
        for (_, a) in geoms(Some(sensor.object)) {
            for (_, b) in geoms(sensor.reference) {
                let (Some(shape_a), Some(shape_b)) = (&a.shape, &b.shape) else { continue };
                let [x_a, x_b] = [a, b].map(|g| kin.x_wb[g.body] * g.pose);
                match distance(shape_a, &x_a, shape_b, &x_b) {
                    Ok(w) if w.gap < best.0 => best = (w.gap, [w.p_a.coords, w.p_b.coords]),
                    _ => {}
                }
            }
        }
        best
    }
}
