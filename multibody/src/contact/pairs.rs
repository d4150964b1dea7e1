use std::ops::Range;

use signorini_core::ContactMaterial;
use signorini_laws::Softness;
use signorini_scene::{CollisionFilter, Meeting, Scene};

use crate::contact::collider::Collider;

/// A pair of colliders with combined material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pair {
    pub a: u32,
    pub b: u32,
    pub material: ContactMaterial,
    /// Friction that the scene states.
    pub stated_friction: f64,
    /// How they meet.
    pub meeting: Meeting,
    /// Inverse mass of both bodies at the reference configuration \[1/kg\].
    pub inverse_mass: f64,
    /// Weight of A's witness in the contact point.
    pub weight_a: f64,
    /// Contacts are created below this gap, speculation aside.
    pub margin: f64,
    /// Contacts act below this gap.
    pub active: f64,
}

impl Pair {
    /// The material of a contact at a gap \[m\].
    pub(crate) fn material_at(&self, gap: f64) -> ContactMaterial {
        Softness::soften(&self.material, gap, self.inverse_mass)
    }
}

/// Rules by which colliders meet and their surfaces combine.
#[derive(Clone, Debug)]
pub(crate) struct PairRules {
    scene: Scene,
    filter: CollisionFilter,
    /// Friction above this is taken as this.
    steepest: f64,
    /// Inverse masses of bodies at the reference configuration \[1/kg\].
    inverse_masses: Vec<f64>,
}

impl PairRules {
    pub(crate) fn new(scene: &Scene, steepest: f64, inverse_masses: &[f64]) -> Self {
        let (scene, filter) = (scene.clone(), CollisionFilter::new(scene));
        Self { scene, filter, steepest, inverse_masses: inverse_masses.to_vec() }
    }

    /// Whether the scene's filters let two colliders by number meet.
    pub(crate) fn meet(&self, colliders: &[Collider], a: usize, b: usize) -> bool {
        self.filter.collides(&self.scene, colliders[a].geom, colliders[b].geom)
    }

    /// One pair of every two kinds of colliders, by surface and masks, and all explicit pairs; those from number `moving` on move.
    pub(crate) fn kinds(&self, colliders: &[Collider], moving: usize) -> Vec<Pair> {
        let mut classes: Vec<(bool, usize, Vec<usize>)> = Vec::new();
        let surface = |i: usize| &self.scene.geoms[colliders[i].geom];
        for i in 0..colliders.len() {
            let moves = i >= moving;
            let same = |class: &&mut (bool, usize, Vec<usize>)| {
                let (a, b) = (surface(class.1), surface(i));
                class.0 == moves && a.surface == b.surface && a.mask == b.mask
            };
            match classes.iter_mut().find(same) {
                Some(class) => class.2.push(i),
                None => classes.push((moves, i, vec![i])),
            }
        }
        let explicit = |i: usize, j: usize| {
            let [a, b] = [i, j].map(|k| colliders[k].geom);
            self.filter.explicit_pair(a, b).is_some()
        };
        let mut out = Vec::new();
        for (k, (a_moves, _, a)) in classes.iter().enumerate() {
            for (b_moves, _, b) in &classes[k..] {
                if !a_moves && !b_moves {
                    continue;
                }
                let ordered = a.iter().flat_map(|i| b.iter().map(move |j| (*i.min(j), *i.max(j))));
                let mut plain = ordered.filter(|(i, j)| i != j && !explicit(*i, *j));
                out.extend(plain.find_map(|(i, j)| self.pair(colliders, i, j)));
            }
        }
        let number = |geom: usize| colliders.iter().position(|c| c.geom == geom);
        let named = self.scene.pairs.iter().filter_map(|p| Some((number(p.geom_a)?, number(p.geom_b)?)));
        out.extend(named.filter_map(|(i, j)| self.pair(colliders, i.min(j), i.max(j))));
        out
    }

    /// The pair of two colliders by number; None when the scene's filters keep them apart.
    pub(crate) fn pair(&self, colliders: &[Collider], a: usize, b: usize) -> Option<Pair> {
        if !self.meet(colliders, a, b) {
            return None;
        }
        let [geom_a, geom_b] = [a, b].map(|i| colliders[i].geom);
        let (sa, sb) = (&self.scene.geoms[geom_a].surface, &self.scene.geoms[geom_b].surface);
        let rule = self.scene.options.combination;
        let (mut material, weight_a) = rule.combine(sa, sb, &self.scene.options.contact);
        let (mut margin, mut active) = rule.margins(sa, sb);
        if let Some(p) = self.filter.explicit_pair(geom_a, geom_b).map(|i| &self.scene.pairs[i]) {
            (material, margin, active) = (p.material, p.margin, p.margin - p.inactive_gap);
        }
        let meeting = sa.hydroelastic.meeting(&sb.hydroelastic);
        if meeting.is_area() {
            // Pressure knows no margin; contacts in points tell when surfaces may overlap.
            (margin, active) = ([a, b].map(|i| bulge(&colliders[i])).iter().sum(), 0.0);
            (material.solref_stated, material.relaxation_time) = (false, 0.0);
        }
        let stated_friction = material.friction_static;
        if stated_friction > self.steepest {
            material.friction_static = self.steepest;
            material.friction_dynamic = material.friction_dynamic.min(self.steepest);
        }
        let inverse_mass = [a, b].map(|i| self.inverse_masses[colliders[i].body]).iter().sum();
        let (a, b) = (a as u32, b as u32);
        Some(Pair { a, b, material, stated_friction, meeting, inverse_mass, weight_a, margin, active })
    }

    /// For each collider, a margin such that those of two add up to no less than the margin of their pair \[m\].
    pub(crate) fn margins(&self, colliders: &[Collider]) -> Vec<f64> {
        let own = |c: &Collider| {
            let explicit = self.scene.pairs.iter().filter(|p| p.geom_a == c.geom || p.geom_b == c.geom);
            explicit.map(|p| p.margin).fold(self.scene.geoms[c.geom].surface.margin, f64::max).max(bulge(c))
        };
        colliders.iter().map(own).collect()
    }
}

/// Farthest that the surface of a collider lies outside its shape \[m\].
fn bulge(c: &Collider) -> f64 {
    c.area.as_ref().map_or(0.0, |a| a.bulge)
}

/// All pairs of colliders between two proxies of the broad phase.
#[derive(Clone, Debug)]
pub(crate) struct ProxyPair {
    key: [u32; 2],
    pub pairs: Range<usize>,
}

/// Kinds beyond the last that a pair is compared with: those of two bodies.
const LAST_KINDS: usize = 8;

/// The pairs met so far: a scene of n geoms has n² of them, and few ever come near each other.
#[derive(Clone, Debug, Default)]
pub(crate) struct PairTable {
    /// Sorted by key.
    known: Vec<ProxyPair>,
    /// Colliders of each pair, and its kind.
    pairs: Vec<([u32; 2], u32)>,
    /// What pairs have in common, of which few differ.
    kinds: Vec<Pair>,
    /// Pairs of two bodies that were not known.
    new: Vec<Pair>,
    /// Pairs asked for last, which mostly are asked for again, and their places in `known`.
    asked: Vec<[u32; 2]>,
    found: Vec<u32>,
}

impl PairTable {
    /// Finds all of `wanted` (ascending); `build` gives the pairs of colliders of a pair of proxies that is not known yet. No
    /// allocation when all are.
    pub(crate) fn find(&mut self, wanted: &[[u32; 2]], build: impl Fn([u32; 2], &mut Vec<Pair>)) {
        if self.asked == wanted {
            return;
        }
        self.learn(wanted, build);
        self.asked.clear();
        self.asked.extend_from_slice(wanted);
        self.found.clear();
        let mut at = 0;
        for key in wanted {
            while self.known[at].key < *key {
                at += 1;
            }
            self.found.push(at as u32);
        }
    }

    fn learn(&mut self, wanted: &[[u32; 2]], build: impl Fn([u32; 2], &mut Vec<Pair>)) {
        let known = self.known.len();
        let mut at = 0;
        for key in wanted {
            while at < known && self.known[at].key < *key {
                at += 1;
            }
            if at < known && self.known[at].key == *key {
                continue;
            }
            let from = self.pairs.len();
            self.new.clear();
            build(*key, &mut self.new);
            for p in &self.new {
                let last = self.kinds.len().saturating_sub(LAST_KINDS);
                let same = self.kinds[last..].iter().rposition(|k| Pair { a: p.a, b: p.b, ..*k } == *p);
                let kind = same.map_or(self.kinds.len(), |k| last + k);
                if same.is_none() {
                    self.kinds.push(*p);
                }
                self.pairs.push(([p.a, p.b], kind as u32));
            }
            self.known.push(ProxyPair { key: *key, pairs: from..self.pairs.len() });
        }
        if self.known.len() > known {
            self.known.sort_unstable_by_key(|p| p.key);
        }
    }

    /// Number of pairs met so far.
    pub(crate) fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Colliders of pair `k`, and its margin \[m\].
    #[inline]
    pub(crate) fn reach(&self, k: usize) -> ([u32; 2], f64) {
        let (of, kind) = self.pairs[k];
        (of, self.kinds[kind as usize].margin)
    }

    /// Pair `k`.
    pub(crate) fn pair(&self, k: usize) -> Pair {
        let ([a, b], kind) = self.pairs[k];
        Pair { a, b, ..self.kinds[kind as usize] }
    }

    /// Pairs that [`PairTable::find`] found, by the numbers of the proxies.
    pub(crate) fn found(&self) -> impl Iterator<Item = ([usize; 2], &ProxyPair)> {
        let entries = self.found.iter().map(|i| &self.known[*i as usize]);
        entries.map(|entry| (entry.key.map(|i| i as usize), entry))
    }
}
