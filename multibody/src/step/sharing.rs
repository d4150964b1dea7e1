use signorini_core::{ContactMap, ContactSeed, FrozenMap, Part, Pools, SweptPool};
use signorini_laws::LimitSeed;

use crate::step::pools::{CONTACT, LIMIT};

/// Counts the contacts and limits that share each tree: all of them, or those that act at the velocity without contact when a law asks for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sharing {
    /// By tree.
    contacts: Vec<u32>,
    constraints: Vec<u32>,
    v_c: Vec<f64>,
    acts: Vec<bool>,
}

impl Sharing {
    pub(crate) fn new(trees: usize) -> Self {
        Self { contacts: vec![0; trees], ..Self::default() }
    }

    /// Writes the counts into the seeds of contacts and limits, the first constraints of the map; `free_velocity` is v*.
    #[allow(clippy::ptr_arg, reason = "pools take the vectors as `Any`")]
    pub(crate) fn count(
        &mut self,
        map: &FrozenMap,
        pools: &Pools,
        free_velocity: &[f64],
        contacts: &mut Vec<ContactSeed>,
        limits: &mut Vec<LimitSeed>,
    ) {
        let total = contacts.len() + limits.len();
        self.acts.clear();
        let [of_contacts, of_limits] = [CONTACT, LIMIT].map(|i| pools.members()[i].swept());
        let shares = |p: Option<&dyn SweptPool>| p.is_some_and(SweptPool::shares_mass);
        if shares(of_contacts) || shares(of_limits) {
            self.constraints.clear();
            self.constraints.extend(0..total as u32);
            let rows = contacts.len() * pools.members()[CONTACT].dim();
            self.v_c.resize(rows + limits.len(), 0.0);
            let part = Part { blocks: &[], constraints: &self.constraints };
            map.velocity(part, free_velocity, &mut self.v_c);
            let (of_c, of_l) = self.v_c.split_at(rows);
            if let Some(pool) = of_contacts {
                pool.acts(contacts, of_c, &mut self.acts);
            }
            self.acts.resize(contacts.len(), true);
            if let Some(pool) = of_limits {
                pool.acts(limits, of_l, &mut self.acts);
            }
        }
        self.acts.resize(total, true);
        self.contacts.fill(0);
        for (k, _) in self.acts.iter().enumerate().filter(|(_, acts)| **acts) {
            map.blocks_of(k).iter().for_each(|t| self.contacts[*t as usize] += 1);
        }
        for (k, seed) in contacts.iter_mut().enumerate() {
            let blocks = map.blocks_of(k);
            for (i, side) in seed.sides.iter_mut().enumerate() {
                side.contacts = blocks.get(i).map_or(0, |tree| self.contacts[*tree as usize]);
            }
        }
        for (k, seed) in limits.iter_mut().enumerate() {
            let trees = map.blocks_of(contacts.len() + k).iter();
            seed.contacts = trees.map(|t| self.contacts[*t as usize]).max().unwrap_or(0);
        }
    }
}
