use signorini_core::na::DVector;
use signorini_core::{Slot, State};

use crate::Model;
use crate::dynamics::free_trees::{FreeTrees, Parts};

/// Step of central differences, in each coordinate: their error is of its square, and the flow is smooth in given parts.
const STEP: f64 = 1e-5;

/// Change of position and velocity, in the coordinates of v, and of forces.
pub(super) struct FlowChange {
    pub dq: DVector<f64>,
    pub dv: DVector<f64>,
    pub df: DVector<f64>,
}

/// Trees that moved freely in a step, with their flow in the parts of the step.
pub(super) struct FlownTrees<'a> {
    model: &'a Model,
    x0: &'a State,
    dt: f64,
    trees: FreeTrees,
    force: Vec<f64>,
    flown: Vec<(usize, Parts)>,
    /// End of the step.
    end: [Vec<f64>; 2],
}

impl<'a> FlownTrees<'a> {
    /// Those of the last step that was committed from the start slot.
    pub(super) fn of(model: &'a Model, x0: &'a State, trees: &FreeTrees, dt: f64) -> Self {
        let flown = trees.parts(Slot::Start).iter().enumerate();
        let flown = flown.filter_map(|(k, parts)| parts.map(|parts| (k, parts))).collect();
        let mut new = Self {
            model,
            x0,
            dt,
            force: trees.force().to_vec(),
            trees: trees.clone(),
            flown,
            end: [x0.q.clone(), x0.v.clone()],
        };
        let [mut q, mut v] = new.end.clone();
        new.go(None, [&mut q, &mut v]);
        new.end = [q, v];
        new
    }

    /// End of the flow from a start that is changed by `sign` times a small step.
    fn go(&mut self, change: Option<(f64, &FlowChange)>, [q1, v1]: [&mut [f64]; 2]) {
        let (mut q0, mut v0, mut force) = (self.x0.q.clone(), self.x0.v.clone(), self.force.clone());
        if let Some((step, c)) = change {
            self.model.integrate(&self.x0.q, c.dq.as_slice(), step, &mut q0);
            v0.iter_mut().zip(c.dv.iter()).for_each(|(v, d)| *v += step * d);
            force.iter_mut().zip(c.df.iter()).for_each(|(f, d)| *f += step * d);
        }
        for &(k, parts) in &self.flown {
            let at = [&q0[..], &v0];
            self.trees.advance_in(self.model, k, at, &force, (self.dt, parts), [&mut *q1, &mut *v1]);
        }
    }

    /// Writes δq₁ and δv₁ of these trees into a column of both.
    pub(super) fn along(&mut self, change: &FlowChange, column: &mut DVector<f64>) {
        if self.flown.is_empty() {
            return;
        }
        let nv = self.model.nv();
        let ends = [STEP, -STEP].map(|step| {
            let [mut q, mut v] = self.end.clone();
            self.go(Some((step, change)), [&mut q, &mut v]);
            let mut way = vec![0.0; nv];
            self.model.difference(&self.end[0], &q, &mut way);
            [way, v]
        });
        let [after, before] = &ends;
        for (k, _) in &self.flown {
            for i in self.trees.list()[*k].dofs.clone() {
                column[i] = (after[0][i] - before[0][i]) / (2.0 * STEP);
                column[nv + i] = (after[1][i] - before[1][i]) / (2.0 * STEP);
            }
        }
    }

    /// Writes their velocities at the end.
    pub(super) fn set_velocity(&self, v: &mut [f64]) {
        for (k, _) in &self.flown {
            let of = self.trees.list()[*k].dofs.clone();
            v[of.clone()].copy_from_slice(&self.end[1][of]);
        }
    }
}
