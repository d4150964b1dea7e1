use signorini_core::{ContactGeometry, ContactKey, ContactMemory, LawPool};

use crate::Kinematics;

/// Carries the multipliers of contacts from step to step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Anchors {
    /// Forces that the contacts of this step started with \[N\], as many per contact as the law has multipliers.
    start: Vec<f64>,
    scaled: Vec<f64>,
    keys: Vec<ContactKey>,
    /// Contact of this step by entry of the memory, and the other way round.
    taken: Vec<bool>,
    from: Vec<Option<usize>>,
}

impl Anchors {
    /// Gives the contacts of a step of size `dt` their multipliers of the last one: those of the same geoms and feature, then the nearest of the
    /// same geoms, each once.
    pub(crate) fn recall(
        &mut self,
        memory: &ContactMemory,
        contacts: &[ContactGeometry],
        kin: &Kinematics,
        dt: f64,
        pool: &mut dyn LawPool,
    ) {
        self.start.clear();
        self.keys.clear();
        let Some(pool) = pool.swept_mut().filter(|p| p.memory() > 0.0) else { return };
        let n = pool.multiplier_count();
        self.keys.extend(contacts.iter().map(|c| ContactKey {
            geoms: c.geoms,
            feature: c.feature,
            point: kin.x_wb[c.bodies[0] as usize].inverse_transform_point(&c.p_wc).into(),
        }));
        self.start.resize(n * contacts.len(), 0.0);
        let known = memory.keys.len().min(memory.forces.len() / n.max(1));
        self.find(&memory.keys[..known]);
        for (k, from) in self.from.iter().enumerate() {
            let Some(i) = from else { continue };
            let start = &mut self.start[n * k..n * (k + 1)];
            start.copy_from_slice(&memory.forces[n * i..n * (i + 1)]);
            self.scaled.clear();
            self.scaled.extend(start.iter().map(|f| dt * f));
            pool.remember(k, &self.scaled);
        }
    }

    fn find(&mut self, memory: &[ContactKey]) {
        self.taken.clear();
        self.taken.resize(memory.len(), false);
        self.from.clear();
        // Contacts come in the same order as in the last step, so a search begins where the last one ended.
        let mut next = 0;
        for key in &self.keys {
            let same = |i: &usize| memory[*i].geoms == key.geoms && memory[*i].feature == key.feature;
            let found = (next..memory.len()).chain(0..next).find(|i| !self.taken[*i] && same(i));
            if let Some(i) = found {
                self.taken[i] = true;
                next = i + 1;
            }
            self.from.push(found);
        }
        for (key, from) in self.keys.iter().zip(&mut self.from).filter(|(_, from)| from.is_none()) {
            let distance = |i: &usize| {
                let d = memory[*i].point.iter().zip(&key.point).map(|(a, b)| (a - b).powi(2));
                d.sum::<f64>()
            };
            let left = (0..memory.len()).filter(|i| !self.taken[*i] && memory[*i].geoms == key.geoms);
            *from = left.min_by(|i, j| distance(i).total_cmp(&distance(j)));
            if let Some(i) = *from {
                self.taken[i] = true;
            }
        }
    }

    /// Writes the memory with which the next step starts.
    pub(crate) fn store(&self, dt: f64, pool: &dyn LawPool, out: &mut ContactMemory) {
        out.clear();
        let Some(pool) = pool.swept() else { return };
        let (n, rate) = (pool.multiplier_count(), pool.memory());
        for (k, key) in self.keys.iter().enumerate() {
            let start = &self.start[n * k..n * (k + 1)];
            let end = pool.multipliers(k);
            if start.iter().chain(end).any(|f| *f != 0.0) {
                out.keys.push(*key);
                // A multiplier that came to zero is forgotten at once: its remainder would push an opening contact.
                let over = dt.recip();
                let blend = |s: &f64, e: &f64| if *e == 0.0 { 0.0 } else { s + rate * (e * over - s) };
                out.forces.extend(start.iter().zip(end).map(|(s, e)| blend(s, e)));
            }
        }
    }
}
