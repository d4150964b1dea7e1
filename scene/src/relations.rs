use crate::{EqualityKind, JointKind, Scene};

/// Distance from a relation that is told \[m or rad\].
const TOLD: f64 = 1e-3;

impl Scene {
    /// Positions of the drawn configuration, nq.
    pub fn reference_positions(&self) -> Vec<f64> {
        let mut q = Vec::with_capacity(self.nq());
        for j in &self.joints {
            match j.kind {
                JointKind::Free => {
                    let x = &self.bodies[j.body].pose;
                    let r = x.rotation;
                    q.extend_from_slice(x.translation.vector.as_slice());
                    q.extend_from_slice(&[r.w, r.i, r.j, r.k]);
                }
                JointKind::Ball => q.extend_from_slice(&[1.0, 0.0, 0.0, 0.0]),
                JointKind::Hinge | JointKind::Slide => q.push(j.reference),
            }
        }
        q
    }

    /// First position of each joint in q.
    pub(crate) fn position_starts(&self) -> Vec<usize> {
        let mut at = 0;
        let start = |j: &crate::Joint| {
            let start = at;
            at += j.kind.nq();
            start
        };
        self.joints.iter().map(start).collect()
    }

    /// Way \[m or rad\] by which positions `q`, nq, are off the relation of an equality between joints: q₁ − ref₁ − Σ_k c_k (q₂ − ref₂)^k; None for others, and for those that do not act.
    ///
    /// # Panics
    /// If `q` is shorter than nq.
    pub fn off_relation(&self, equality: usize, q: &[f64]) -> Option<f64> {
        let e = &self.equalities[equality];
        let EqualityKind::Joint { joint_1, joint_2, polynomial } = e.kind else { return None };
        if !e.active || !self.options.switches.equality {
            return None;
        }
        let starts = self.position_starts();
        let way = |j: usize| q[starts[j]] - self.joints[j].reference;
        let x = joint_2.map_or(0.0, way);
        Some(way(joint_1) - polynomial.iter().rev().fold(0.0, |sum, c| sum * x + c))
    }

    /// A sentence for each equality between joints that positions `q`, nq, are more than 1 mm or 1 mrad off: with file, line, joints, way and remedy.
    ///
    /// # Panics
    /// If `q` is shorter than nq.
    pub fn told_relations(&self, q: &[f64]) -> Vec<String> {
        let told = |i: usize| {
            let off = self.off_relation(i, q).filter(|x| x.abs() > TOLD)?;
            let e = &self.equalities[i];
            let EqualityKind::Joint { joint_1, joint_2, .. } = e.kind else { return None };
            let first = &self.joints[joint_1];
            let unit = if first.kind == JointKind::Slide { "m" } else { "rad" };
            let of = joint_2.map_or_else(String::new, |j| format!(" to joint '{}'", self.joints[j].name));
            Some(format!(
                "{}: joint '{}' starts {off:.4} {unit} off its relation{of} and will be drawn onto it; start from a keyframe in which the relation holds",
                e.place, first.name
            ))
        };
        (0..self.equalities.len()).filter_map(told).collect()
    }
}
