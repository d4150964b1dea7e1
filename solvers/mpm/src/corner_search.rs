//! Contacts of corners and edges of bodies with cloth within a step.

use rayon::prelude::*;
use signorini_core::na::Vector3;

use crate::contacts::{Known, Touches};
use crate::corners::Around;
use crate::mover::{Field, Mover, Sought, farthest};
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

impl Around<'_> {
    /// Contacts of corners with triangles and of edges with edges, triangles first, in their order.
    pub(crate) fn find(&self, field: &impl Field, look: Look<'_>) -> Touches {
        let mut out = Touches::default();
        let reach = |o: &Obstacle, radius: f64, middle: &V| {
            look.reach(o.velocity_at(middle).norm() + radius * o.angular_velocity.norm())
        };
        let place = |p: usize| field.place(p);
        let found: Vec<Touches> = self
            .batches()
            .into_par_iter()
            .map(|batch| {
                let (mut found, mut mover, mut sides) = (Touches::default(), Mover::default(), Vec::new());
                self.meet(&batch, &place, (reach, look.known.is_none()), |m| {
                    let known = look.known;
                    if known.is_some_and(|k| k.has(m.centre, m.obstacle, m.part)) {
                        return;
                    }
                    mover.set_meeting(&m, self.cloth, field);
                    let (number, obstacle) = (m.obstacle, &self.obstacles[m.obstacle]);
                    let of = Sought { number, obstacle, horizon: look.horizon };
                    match known {
                        Some(known) => mover.find_again(of, (field, known), &mut sides, &mut found),
                        None => mover.find(of, field, &mut sides, &mut found),
                    }
                });
                found
            })
            .filter(|found| !found.list.is_empty())
            .collect();
        found.into_iter().for_each(|mut more| out.append(&mut more));
        out
    }
}
