//! Contacts of corners and edges of bodies with cloth within a step.

use rayon::prelude::*;
use signorini_core::na::Vector3;

use crate::contacts::Known;
use crate::corners::{Around, Batch};
use crate::mover::{Field, Found, Mover, Sought, farthest};
use crate::obstacle::Obstacle;

type V = Vector3<f64>;

/// A search within a step.
#[derive(Clone, Copy)]
pub(crate) struct Look<'a> {
    /// How far ahead contacts are sought \[s\].
    pub horizon: f64,
    /// Speed of the fastest particle or node \[m/s\].
    pub fastest: f64,
    /// The contacts that are known, in looks after contact was solved.
    pub known: Option<Known<'a>>,
}

impl Look<'_> {
    /// Distance within which an obstacle may be met whose points are no faster than this \[m\].
    fn reach(&self, speed: f64) -> f64 {
        match self.known {
            Some(_) => self.horizon * (self.fastest + speed),
            None => farthest(self.fastest + speed, self.horizon),
        }
    }
}

/// Triangles and edges of cloth in batches, and what was found of each, kept from search to search.
#[derive(Default)]
pub(crate) struct Batches {
    list: Vec<Batch>,
    found: Vec<Found>,
}

impl Batches {
    /// Contacts that were found last, triangles first, in their order.
    pub(crate) fn found(&mut self) -> &mut [Found] {
        &mut self.found[..self.list.len()]
    }
}

impl Around<'_> {
    /// Finds contacts of corners with triangles and of edges with edges.
    pub(crate) fn find(&self, field: &impl Field, look: Look<'_>, out: &mut Batches) {
        let reach = |o: &Obstacle, radius: f64, middle: &V| {
            look.reach(o.velocity_at(middle).norm() + radius * o.angular_velocity.norm())
        };
        let place = |p: usize| field.place(p);
        let Batches { list, found } = out;
        list.clear();
        list.extend(self.batches());
        found.resize_with(found.len().max(list.len()), Found::default);
        found.par_iter_mut().zip(&*list).for_each(|(found, batch)| {
            found.touches.clear();
            let mut mover = Mover::default();
            self.meet(batch, &place, (reach, look.known.is_none()), |m| {
                let known = look.known;
                if known.is_some_and(|k| k.has(m.centre, m.obstacle, m.part)) {
                    return;
                }
                mover.set_meeting(&m, self.cloth, field);
                let (number, obstacle) = (m.obstacle, &self.obstacles[m.obstacle]);
                let of = Sought { number, obstacle, horizon: look.horizon };
                match known {
                    Some(known) => mover.find_again(of, (field, known), found),
                    None => mover.find(of, field, found),
                }
            });
        });
    }
}
