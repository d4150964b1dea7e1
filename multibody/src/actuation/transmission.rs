use signorini_core::na::Vector3;
use signorini_scene::{JointKind, Transmission};

use crate::kinematics::rotation::quaternion_at;
use crate::kinematics::rotation::rotation_vector;
use crate::{Kinematics, Model, SparseRow, SparseRows, TendonState};

/// Lengths, rates and moment arms of all actuators; no allocation after construction.
#[derive(Clone, Debug)]
pub struct ActuatorState {
    /// Lengths \[m or rad, times the gear\].
    pub length: Vec<f64>,
    /// Rates \[m/s or rad/s, times the gear\].
    pub rate: Vec<f64>,
    moments: SparseRows,
    /// Transmissions whose length is a joint's coordinate times the gear.
    straight: Vec<Straight>,
    others: Vec<usize>,
}

/// An actuator of a joint of one coordinate.
#[derive(Clone, Copy, Debug)]
struct Straight {
    actuator: usize,
    q: usize,
    v: usize,
    gear: f64,
}

impl ActuatorState {
    /// Sized for a model.
    pub fn new(model: &Model) -> Self {
        let n = model.actuators.len();
        let mut moments = SparseRows::new(model.nv(), model.actuators.iter().map(|a| a.dofs.len()));
        let (mut direct, mut others) = (Vec::new(), Vec::new());
        for (i, a) in model.actuators.iter().enumerate() {
            let Some(j) = straight(model, &a.transmission) else {
                others.push(i);
                continue;
            };
            moments.set(i, &a.dofs, |moment| joint(model, j, false, &a.gear, &model.reference_q, moment));
            let (q, v) = (model.joints[j].q, model.joints[j].v);
            direct.push(Straight { actuator: i, q, v, gear: a.gear[0] });
        }
        Self { length: vec![0.0; n], rate: vec![0.0; n], moments, straight: direct, others }
    }

    /// Lengths and moment arms at q; `kin` and `tendons` hold the same positions.
    pub fn set_positions(&mut self, model: &Model, kin: &Kinematics, tendons: &TendonState, q: &[f64]) {
        for s in &self.straight {
            self.length[s.actuator] = s.gear * q[s.q];
        }
        for &i in &self.others {
            let a = &model.actuators[i];
            let g = &a.gear;
            self.length[i] = self.moments.set(i, &a.dofs, |moment| match a.transmission {
                Transmission::Joint(j) | Transmission::JointInParent(j) => {
                    let in_parent = matches!(a.transmission, Transmission::JointInParent(_));
                    joint(model, j, in_parent, g, q, moment)
                }
                Transmission::Tendon(t) => {
                    tendons.row(model, t).add_scaled(g[0], moment);
                    g[0] * tendons.length[t]
                }
                Transmission::Site { site, reference } => wrench(model, kin, site, reference, g, moment),
                Transmission::Body(_) => 0.0,
                Transmission::SliderCrank { crank, slider, rod } => {
                    g[0] * slider_crank(model, kin, [crank, slider], rod, g[0], moment)
                }
            });
        }
    }

    /// Rates at v; positions first.
    pub fn set_velocities(&mut self, model: &Model, v: &[f64]) {
        for s in &self.straight {
            self.rate[s.actuator] = s.gear * v[s.v];
        }
        for n in 0..self.others.len() {
            let i = self.others[n];
            self.rate[i] = self.row(model, i).dot(v);
        }
    }

    /// Moment arms of an actuator: rate = row · v, and a force f acts as f·rowᵀ.
    pub fn row<'a>(&'a self, model: &'a Model, actuator: usize) -> SparseRow<'a> {
        self.moments.row(actuator, &model.actuators[actuator].dofs)
    }
}

/// The joint of one coordinate that a transmission acts on: its moment arm never changes.
pub(crate) fn straight(model: &Model, transmission: &Transmission) -> Option<usize> {
    let (Transmission::Joint(j) | Transmission::JointInParent(j)) = *transmission else { return None };
    matches!(model.joints[j].kind, JointKind::Hinge | JointKind::Slide).then_some(j)
}

/// Joint transmission: length gear·q, for a ball gear·(rotation vector), for a free joint 0.
fn joint(model: &Model, j: usize, in_parent: bool, g: &[f64; 6], q: &[f64], column: &mut [f64]) -> f64 {
    let joint = &model.joints[j];
    let rotated = |at: usize, axis: Vector3<f64>| match in_parent {
        true => quaternion_at(q, at).inverse() * axis,
        false => axis,
    };
    let mut set = |i: usize, x: &[f64]| column[joint.v + i..joint.v + i + x.len()].copy_from_slice(x);
    match joint.kind {
        JointKind::Hinge | JointKind::Slide => {
            set(0, &g[..1]);
            g[0] * q[joint.q]
        }
        JointKind::Ball => {
            let axis = rotated(joint.q, Vector3::new(g[0], g[1], g[2]));
            set(0, axis.as_slice());
            axis.dot(&rotation_vector(&quaternion_at(q, joint.q)))
        }
        JointKind::Free => {
            set(0, &g[..3]);
            set(3, rotated(joint.q + 3, Vector3::new(g[3], g[4], g[5])).as_slice());
            0.0
        }
    }
}

/// Wrench at a site, and without a reference no length. With a reference the length is
///
/// ```text
/// g_f · R_refᵀ (p − p_ref) + g_t · log(R_refᵀ R)
/// ```
///
/// The moment arms are MuJoCo's: the force acts at the site, its reaction at the origin of the reference, and neither on joints that move
/// both. Where the reference turns, they leave out the lever between the two, and are not the derivative of the length.
fn wrench(
    model: &Model,
    kin: &Kinematics,
    site: usize,
    reference: Option<usize>,
    g: &[f64; 6],
    column: &mut [f64],
) -> f64 {
    let (gf, gt) = (Vector3::new(g[0], g[1], g[2]), Vector3::new(g[3], g[4], g[5]));
    let s = &model.sites[site];
    let x = kin.x_wb[s.body] * s.pose;
    let p = x.translation.vector.into();
    let frame = reference.map(|r| kin.x_wb[model.sites[r].body] * model.sites[r].pose);
    let axes = frame.map_or(x.rotation, |f| f.rotation);
    let (force, torque) = (axes * gf, axes * gt);
    kin.for_columns(model, s.body, &p, |i, l, w| column[i] += force.dot(&l) + torque.dot(&w));
    let (Some(r), Some(f)) = (reference, frame) else { return 0.0 };
    let origin = f.translation.vector.into();
    kin.for_columns(model, model.sites[r].body, &origin, |i, l, w| {
        let mut of_site = std::iter::successors(model.bodies[s.body].last_dof, |d| model.dofs[*d].parent);
        let moves_both = of_site.any(|d| d == i);
        column[i] = if moves_both { 0.0 } else { column[i] - (force.dot(&l) + torque.dot(&w)) };
    });
    let apart = f.inverse() * x;
    gf.dot(&apart.translation.vector) + gt.dot(&rotation_vector(&apart.rotation))
}

/// Place of the slider on its axis, which a rod of length r holds at that distance of the crank pin, and `scale` times its derivative:
///
/// ```text
/// l = a·d − √((a·d)² + r² − d·d)
/// ```
/// with the axis a and d from the slider's site to the pin; l = a·d where the rod does not reach.
fn slider_crank(
    model: &Model,
    kin: &Kinematics,
    [crank, slider]: [usize; 2],
    rod: f64,
    scale: f64,
    column: &mut [f64],
) -> f64 {
    let [pin, base] = [crank, slider].map(|s| kin.x_wb[model.sites[s].body] * model.sites[s].pose);
    let axis = base.rotation * Vector3::z();
    let d = pin.translation.vector - base.translation.vector;
    let along = axis.dot(&d);
    let square = along * along + rod * rod - d.norm_squared();
    let (length, by_d, by_axis) = if square > 0.0 {
        let root = square.sqrt();
        (along - root, axis * (1.0 - along / root) + d / root, d * (1.0 - along / root))
    } else {
        (along, axis, d)
    };
    kin.for_columns(model, model.sites[crank].body, &pin.translation.vector.into(), |i, l, _| {
        column[i] += scale * by_d.dot(&l);
    });
    kin.for_columns(model, model.sites[slider].body, &base.translation.vector.into(), |i, l, w| {
        column[i] += scale * (by_axis.dot(&w.cross(&axis)) - by_d.dot(&l));
    });
    length
}
