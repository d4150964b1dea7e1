use signorini_core::ContactGeometry;
use signorini_core::na::Vector3;

use crate::actuation::inputs::Inputs;

/// Bodies that fly from a prepared state, and how far their positions lag behind the last velocity of a step: w of [`FreeBodies`](crate::dynamics::free_bodies::FreeBodies).
#[derive(Clone, Debug, Default)]
pub(crate) struct Flight {
    bodies: Vec<usize>,
    /// By body, its first degree of freedom where it flies.
    first: Vec<Option<usize>>,
    /// nv, zeros but for ways of bodies that fly; empty where none does.
    lag: Vec<f64>,
}

impl Flight {
    /// Begins a state of which `flies` has the bodies that fly; None: all that may.
    pub(crate) fn begin(&mut self, i: &Inputs<'_>, flies: Option<&[bool]>) {
        let free = &i.settings.free_bodies;
        self.bodies.iter().for_each(|b| self.first[*b] = None);
        self.bodies.clear();
        self.bodies.extend(free.bodies().filter(|b| flies.map_or(free.may_fly(*b), |f| f[*b])));
        self.first.resize(i.model.bodies.len(), None);
        self.bodies.iter().for_each(|b| self.first[*b] = free.first(*b).map(|[_, v]| v));
        self.lag.clear();
    }

    /// Sets w for a step with the velocity `free` without contact.
    pub(crate) fn set_step(&mut self, i: &Inputs<'_>, q0: &[f64], [free, v0]: [&[f64]; 2]) {
        if self.bodies.is_empty() {
            return;
        }
        self.lag.resize(v0.len(), 0.0);
        self.bodies.iter().for_each(|b| i.settings.free_bodies.set_lag(*b, q0, [free, v0], &mut self.lag));
    }

    /// The bodies.
    pub(crate) fn bodies(&self) -> &[usize] {
        &self.bodies
    }

    /// w, nv, or empty.
    pub(crate) fn lag(&self) -> &[f64] {
        &self.lag
    }

    /// w of a body \[m/s\].
    pub(crate) fn lag_of(&self, body: usize) -> Option<Vector3<f64>> {
        let first = (*self.first.get(body)?)?;
        Some(Vector3::from_column_slice(self.lag.get(first..first + 3)?))
    }

    /// Speed by which a contact opens less at the positions of the bodies than at their last velocity \[m/s\]; None where neither body flies.
    pub(crate) fn opening(&self, c: &ContactGeometry) -> Option<f64> {
        if self.lag.is_empty() {
            return None;
        }
        let [a, b] = c.bodies.map(|b| self.lag_of(b as usize));
        let relative = match (a, b) {
            (None, None) => return None,
            (a, b) => b.unwrap_or_default() - a.unwrap_or_default(),
        };
        Some(c.r_wc.column(0).dot(&relative))
    }
}
