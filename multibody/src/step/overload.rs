use signorini_core::{LastSolve, Slot};

use crate::{Model, RigidSystem};

/// Steps with contacts between two looks.
const EVERY: u32 = 16;
/// Looks in a row that find the same pair too deep: pairs that are only pushed out of an overlap or hit are apart by then.
const LOOKS: u32 = 4;
/// Loads above this multiple of the weight of the lighter side are its own no more.
const OTHERS: f64 = 2.0;

/// A pair of bodies whose contact stays deeper under a dual cone than the weight of its lighter side explains: it carries the load of others.
///
/// ```text
/// δ = (g h²/β) n (1 + μ² W_tt/W_nn)          papers/borse2026comfree, light bodies under heavy ones
/// ```
/// is the depth at which one evaluation of a contact holds its share of the lighter body, of inverse mass W at the contact and with n contacts; a carried load
/// deepens it in proportion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Overload {
    /// Time at which it was found \[s\].
    pub t: f64,
    /// The bodies, that of the lighter side first.
    pub bodies: [usize; 2],
    /// Geoms of the bodies, in the same order.
    pub geoms: [usize; 2],
    /// Depth of the deepest contact \[m\].
    pub depth: f64,
    /// δ \[m\].
    pub own: f64,
    /// Normal force that the pair carries \[N\].
    pub force: f64,
    /// Ratio of that force and the weight of the lighter side where it is touched.
    pub ratio: f64,
}

impl Overload {
    /// The bodies, the place and the amounts; the remedy is the caller's to add.
    pub fn describe(&self, model: &Model) -> String {
        let [a, b] = self.bodies.map(|b| model.bodies[b].name.as_str());
        let [ga, gb] = self.geoms.map(|g| {
            let geom = &model.geoms[g];
            format!("'{}'{}", geom.name, geom.place.aside())
        });
        format!(
            "light under heavy: contacts of body '{a}' (geom {ga}) with body '{b}' (geom {gb}) carry {:.3} N, {:.0} times what '{a}', the lighter side, weighs there, and are \
             {:.2} mm deep at t = {:.3} s (its own weight: at most {:.2} mm): the dual cone is as stiff as the lighter side allows",
            self.force,
            self.ratio,
            1e3 * self.depth,
            self.t,
            1e3 * self.own
        )
    }
}

/// Looks for an [`Overload`] beside the steps of a run under a dual cone that undoes the part β of a penetration per step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OverloadRecord {
    steps: u32,
    /// Geoms of the deepest contact at the last look, relative to δ, and at how many looks it was too deep.
    suspect: [u32; 2],
    looks: u32,
    found: Option<Overload>,
}

impl OverloadRecord {
    /// The first overload.
    pub fn found(&self) -> Option<&Overload> {
        self.found.as_ref()
    }

    /// Whether [`OverloadRecord::look`] has something to look at after a step that ended with `last`.
    pub fn due(&mut self, last: &LastSolve<'_>) -> bool {
        if self.found.is_some() || last.contacts.is_empty() {
            return false;
        }
        self.steps = self.steps.wrapping_add(1);
        self.steps.is_multiple_of(EVERY)
    }

    /// Looks at a step from `t` \[s\] that ended with `last`; `sys` still holds its problem. True when something was found.
    pub fn look(&mut self, sys: &RigidSystem, t: f64, last: &LastSolve<'_>, beta: f64) -> bool {
        let worst = worst(sys, t, last, beta);
        let geoms = worst.map(|o| o.geoms.map(|g| g as u32));
        self.looks = match geoms {
            Some(g) if self.looks > 0 && g == self.suspect => self.looks + 1,
            Some(_) => 1,
            None => 0,
        };
        self.suspect = geoms.unwrap_or_default();
        if self.looks >= LOOKS {
            self.found = worst;
        }
        self.found.is_some()
    }
}

/// The pair that is deepest relative to δ, where it is deeper than that and the load that of others.
fn worst(sys: &RigidSystem, t: f64, last: &LastSolve<'_>, beta: f64) -> Option<Overload> {
    let (model, dim) = (sys.model(), sys.contact_dim());
    let seeds = &sys.slots[Slot::Start as usize].problem.contacts().seeds;
    let fall = model.gravity.norm() * last.dt;
    if seeds.len() != last.contacts.len() || fall == 0.0 || beta == 0.0 {
        return None;
    }
    let lighter = |k: usize| {
        let sides = &seeds[k].sides;
        usize::from(sides[1].linear[(0, 0)] > sides[0].linear[(0, 0)])
    };
    let own = |k: usize| {
        let side = &seeds[k].sides[lighter(k)];
        let w = side.linear;
        let lean = seeds[k].material.friction_static.powi(2) * w[(1, 1)].max(w[(2, 2)]) / w[(0, 0)];
        let lean = if seeds[k].material.condim == 1 { 0.0 } else { lean };
        fall * last.dt / beta * f64::from(side.contacts.max(1)) * (1.0 + lean)
    };
    let excess = |k: usize| -seeds[k].gap / own(k);
    // A body that cannot move along the normal (W = 0) makes δ NaN, which is no excess.
    let deep = (0..seeds.len()).filter(|k| excess(*k) > 1.0);
    let k = deep.max_by(|a, b| excess(*a).total_cmp(&excess(*b)))?;
    let c = &last.contacts[k];
    let (mut load, mut weight) = (0.0, 0.0);
    for (i, other) in last.contacts.iter().enumerate().filter(|(_, o)| o.bodies == c.bodies) {
        let gamma = last.solution.gamma.get(other.constraint as usize * dim).copied().unwrap_or(0.0);
        if gamma > 0.0 {
            load += gamma;
            weight += fall / seeds[i].sides[lighter(i)].linear[(0, 0)];
        }
    }
    let ratio = load / weight;
    if ratio.is_nan() || ratio <= OTHERS {
        return None;
    }
    // Sides are those of trees, in ascending order; bodies of one tree or beside a body that cannot move have one side.
    let trees = c.bodies.map(|b| model.bodies[b as usize].tree);
    let first = match trees {
        [None, _] => 1,
        [_, None] => 0,
        [Some(a), Some(b)] if a == b => 0,
        [Some(a), Some(b)] => usize::from((a > b) != (lighter(k) == 1)),
    };
    let order = |x: [u32; 2]| [x[first] as usize, x[1 - first] as usize];
    Some(Overload {
        t,
        bodies: order(c.bodies),
        geoms: order(c.geoms),
        depth: -seeds[k].gap,
        own: own(k),
        force: load / last.dt,
        ratio,
    })
}
