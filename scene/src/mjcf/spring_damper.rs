//! `springdamper` of joints: stiffness and damping from a time constant and a damping ratio.

use signorini_core::na::{DMatrix, DVector, Matrix3, Point3, Vector3};

use super::Reader;
use crate::xml::Read;
use crate::{BodyId, JointKind, Pose, SceneError, Tendon, TendonPath, WrapElement};

/// Least stiffness and damping denominators, MuJoCo's.
const LEAST: f64 = 1e-15;

/// A degree of freedom at the reference configuration: turn, and velocity of the body's point at the world origin.
#[derive(Clone, Copy)]
struct Axis {
    turn: Vector3<f64>,
    slide: Vector3<f64>,
}

impl Reader<'_> {
    /// Sets stiffness k and damping d of joints with a time constant T and a damping ratio ζ:
    ///
    /// ```text
    /// k = I/(T² ζ²),   d = 2 I/T,   I = n / Σ (M⁻¹)_ii
    /// ```
    /// over the n degrees of freedom of the joint, M being the mass matrix at the reference configuration, with a Jᵀ J within
    /// chains for tendons of armature a and moment J.
    pub(super) fn set_spring_dampers(&mut self) -> Read<()> {
        let stated = std::mem::take(&mut self.spring_dampers);
        if stated.is_empty() {
            return Ok(());
        }
        let roots = self.roots();
        let mut known: Vec<(BodyId, DMatrix<f64>, Vec<usize>)> = Vec::new();
        for (joint, [time, ratio]) in stated {
            let root = roots[self.scene.joints[joint].body];
            if !known.iter().any(|k| k.0 == root) {
                let (mass, starts) = self.reference_mass(&roots, root);
                let Some(inverse) = mass.cholesky().map(|c| c.inverse()) else {
                    let j = &self.scene.joints[joint];
                    return Err(SceneError::Invalid {
                        place: j.place.clone(),
                        message: "springdamper needs the inertia that the joint moves, and the mass matrix is singular".to_owned(),
                        remedy: "give all bodies mass and inertia, or state stiffness and damping".to_owned(),
                    });
                };
                known.push((root, inverse, starts));
            }
            let Some((_, inverse, starts)) = known.iter().find(|k| k.0 == root) else { continue };
            let j = &mut self.scene.joints[joint];
            let n = j.kind.nv();
            let sum: f64 = (starts[joint]..starts[joint] + n).map(|i| inverse[(i, i)]).sum();
            let inertia = n as f64 / sum.max(LEAST);
            j.stiffness = inertia / (time * time * ratio * ratio).max(LEAST);
            j.damping = 2.0 * inertia / time.max(LEAST);
        }
        Ok(())
    }

    /// Per body: the body below the world above it.
    fn roots(&self) -> Vec<BodyId> {
        let mut out = vec![0; self.scene.bodies.len()];
        for (b, body) in self.scene.bodies.iter().enumerate().skip(1) {
            out[b] = if body.parent == 0 { b } else { out[body.parent] };
        }
        out
    }

    /// Mass matrix of all joints below a body at the reference configuration, and the first degree of freedom of each joint.
    fn reference_mass(&self, roots: &[BodyId], root: BodyId) -> (DMatrix<f64>, Vec<usize>) {
        let s = &self.scene;
        let mut poses = vec![Pose::identity(); s.bodies.len()];
        for (b, body) in s.bodies.iter().enumerate().skip(1) {
            poses[b] = poses[body.parent] * body.pose;
        }
        let mut axes: Vec<Axis> = Vec::new();
        let mut armature = Vec::new();
        let mut starts = vec![0; s.joints.len()];
        // Per body: the last degree of freedom that moves it; per degree of freedom: the one before it on the way to the world.
        let (mut last, mut above) = (vec![None; s.bodies.len()], Vec::new());
        let mut joints = s.joints.iter().enumerate().peekable();
        for (b, body) in s.bodies.iter().enumerate().skip(1) {
            last[b] = last[body.parent];
            while let Some((k, j)) = joints.next_if(|(_, j)| j.body == b) {
                if roots[b] != root {
                    continue;
                }
                starts[k] = axes.len();
                let x = &poses[b];
                let r = x.rotation.to_rotation_matrix();
                let anchor = (x * j.anchor).coords;
                let turn = |turn: Vector3<f64>| Axis { turn, slide: anchor.cross(&turn) };
                let slide = |slide: Vector3<f64>| Axis { turn: Vector3::zeros(), slide };
                let own = |i: usize| r.matrix().column(i).into_owned();
                let world = |i: usize| Matrix3::<f64>::identity().column(i).into_owned();
                let new: Vec<Axis> = match j.kind {
                    JointKind::Hinge => vec![turn(r * j.axis.into_inner())],
                    JointKind::Slide => vec![slide(r * j.axis.into_inner())],
                    JointKind::Ball => (0..3).map(|i| turn(own(i))).collect(),
                    JointKind::Free => {
                        (0..3).map(|i| slide(world(i))).chain((0..3).map(|i| turn(own(i)))).collect()
                    }
                };
                for axis in new {
                    above.push(last[b]);
                    last[b] = Some(axes.len());
                    axes.push(axis);
                    armature.push(j.armature);
                }
            }
        }
        let mut mass = DMatrix::from_diagonal(&armature.into());
        for (b, body) in s.bodies.iter().enumerate().filter(|(b, _)| roots[*b] == root) {
            let Some(m) = &body.mass else { continue };
            let com = (poses[b] * m.com).coords;
            let r = *poses[b].rotation.to_rotation_matrix().matrix();
            let inertia = r * m.inertia * r.transpose();
            let chain: Vec<usize> = std::iter::successors(last[b], |i| above[*i]).collect();
            for &i in &chain {
                let velocity = axes[i].slide + axes[i].turn.cross(&com);
                let (momentum, spin) = (m.mass * velocity, inertia * axes[i].turn);
                for &k in &chain {
                    let of = axes[k].slide + axes[k].turn.cross(&com);
                    mass[(i, k)] += momentum.dot(&of) + spin.dot(&axes[k].turn);
                }
            }
        }
        for t in s.tendons.iter().filter(|t| t.armature > 0.0) {
            let at = |b: BodyId| Moved { pose: &poses[b], axes: &axes, last: last[b], above: &above };
            let slot = |j: usize| (roots[s.joints[j].body] == root).then_some(starts[j]);
            let moment = self.moment(t, slot, axes.len(), at);
            for i in 0..axes.len() {
                for k in std::iter::successors(Some(i), |k| above[*k]) {
                    let both = t.armature * moment[i] * moment[k];
                    mass[(i, k)] += both;
                    if i != k {
                        mass[(k, i)] += both;
                    }
                }
            }
        }
        (mass, starts)
    }

    /// Derivative of the length of a tendon with `n` degrees of freedom; `slot` has that of a joint among them. Tendons with armature run through
    /// sites and pulleys.
    fn moment<'a>(
        &self,
        t: &Tendon,
        slot: impl Fn(usize) -> Option<usize>,
        n: usize,
        at: impl Fn(BodyId) -> Moved<'a>,
    ) -> DVector<f64> {
        let mut out = DVector::zeros(n);
        let elements = match &t.path {
            TendonPath::Fixed(terms) => {
                for (i, c) in terms.iter().filter_map(|(joint, c)| Some((slot(*joint)?, c))) {
                    out[i] += c;
                }
                return out;
            }
            TendonPath::Spatial(elements) => elements,
        };
        let (mut from, mut scale) = (None, 1.0);
        for e in elements {
            match e {
                WrapElement::Pulley { divisor } => (from, scale) = (None, divisor.recip()),
                WrapElement::Geom { .. } => {}
                WrapElement::Site(k) => {
                    let site = &self.scene.sites[*k];
                    let body = at(site.body);
                    let p = (body.pose * Point3::from(site.pose.translation.vector)).coords;
                    if let Some((q, other)) = from.replace((p, site.body))
                        && let Some(u) = (p - q).try_normalize(LEAST)
                    {
                        body.add_velocity(&p, &(scale * u), &mut out);
                        at(other).add_velocity(&q, &(-scale * u), &mut out);
                    }
                }
            }
        }
        out
    }
}

/// A body at the reference configuration, and the degrees of freedom that move it.
struct Moved<'a> {
    pose: &'a Pose,
    axes: &'a [Axis],
    last: Option<usize>,
    above: &'a [Option<usize>],
}

impl Moved<'_> {
    /// out += velocity of the point p of the body along u, per degree of freedom.
    fn add_velocity(&self, p: &Vector3<f64>, u: &Vector3<f64>, out: &mut DVector<f64>) {
        for i in std::iter::successors(self.last, |i| self.above[*i]) {
            out[i] += u.dot(&(self.axes[i].slide + self.axes[i].turn.cross(p)));
        }
    }
}
