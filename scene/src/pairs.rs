//! Geoms that may collide: MuJoCo's rules.

use std::collections::{HashMap, HashSet};

use crate::{BodyId, ContactPair, GeomShape, Scene};

/// The collision rules of a scene, prepared for many questions.
///
/// Two geoms may collide when both have a shape, at least one of their bodies can move, and either an explicit pair names them, or
/// all of this holds: their masks meet; no exclude names their bodies; their bodies are not rigidly connected; and (unless
/// [`crate::Switches::filter_parent`] is off) one is not the parent of the other, bodies fixed to the world excepted.
#[derive(Clone, Debug)]
pub struct CollisionFilter {
    /// Per body: the topmost body to which it is rigidly connected.
    group: Vec<BodyId>,
    /// Per body: the group of the parent of its group.
    parent: Vec<BodyId>,
    moving: Vec<bool>,
    excludes: HashSet<(BodyId, BodyId)>,
    /// Number of the explicit pair of two geoms.
    pairs: HashMap<(usize, usize), usize>,
    filter_parent: bool,
}

fn ordered(a: usize, b: usize) -> (usize, usize) {
    (a.min(b), a.max(b))
}

impl CollisionFilter {
    /// Prepares the rules of a scene.
    pub fn new(scene: &Scene) -> Self {
        let group = scene.weld_groups();
        let parent = group.iter().map(|&g| group[scene.bodies[g].parent]).collect();
        let mut moving = vec![false; scene.bodies.len()];
        scene.joints.iter().for_each(|j| moving[j.body] = true);
        for b in 1..moving.len() {
            moving[b] |= moving[scene.bodies[b].parent];
        }
        Self {
            group,
            parent,
            moving,
            excludes: scene.excludes.iter().map(|&(a, b)| ordered(a, b)).collect(),
            pairs: scene
                .pairs
                .iter()
                .enumerate()
                .rev()
                .map(|(i, p)| (ordered(p.geom_a, p.geom_b), i))
                .collect(),
            filter_parent: scene.options.switches.filter_parent,
        }
    }

    /// Whether two geoms may collide; false for geoms that do not exist.
    pub fn collides(&self, scene: &Scene, geom_a: usize, geom_b: usize) -> bool {
        let (Some(a), Some(b)) = (scene.geoms.get(geom_a), scene.geoms.get(geom_b)) else { return false };
        let solid = |s: &GeomShape| matches!(s, GeomShape::Solid(_));
        if geom_a == geom_b || !solid(&a.shape) || !solid(&b.shape) {
            return false;
        }
        if !(self.moving[a.body] || self.moving[b.body]) {
            return false;
        }
        if self.explicit_pair(geom_a, geom_b).is_some() {
            return true;
        }
        a.mask.meets(b.mask) && self.bodies_collide(a.body, b.body)
    }

    /// Number of the first explicit pair that names two geoms, in either order.
    pub fn explicit_pair(&self, geom_a: usize, geom_b: usize) -> Option<usize> {
        if self.pairs.is_empty() { None } else { self.pairs.get(&ordered(geom_a, geom_b)).copied() }
    }

    /// Whether geoms of two bodies may collide as far as the bodies decide.
    pub fn bodies_collide(&self, a: BodyId, b: BodyId) -> bool {
        let (group_a, group_b) = (self.group[a], self.group[b]);
        if group_a == group_b || (!self.excludes.is_empty() && self.excludes.contains(&ordered(a, b))) {
            return false;
        }
        let related = self.parent[a] == group_b || self.parent[b] == group_a;
        !(self.filter_parent && related && group_a != 0 && group_b != 0)
    }
}

impl Scene {
    /// Topmost body to which a body is rigidly connected: itself when it has joints or is moved from outside, 0 when it is fixed to
    /// the world.
    pub fn weld_group(&self, body: BodyId) -> BodyId {
        let mut b = body;
        while b != 0 && !self.bodies[b].mocap && !self.joints.iter().any(|j| j.body == b) {
            b = self.bodies[b].parent;
        }
        b
    }

    /// [`Scene::weld_group`] of every body.
    pub fn weld_groups(&self) -> Vec<BodyId> {
        let mut jointed = vec![false; self.bodies.len()];
        self.joints.iter().for_each(|j| jointed[j.body] = true);
        let mut group: Vec<BodyId> = Vec::with_capacity(self.bodies.len());
        for (i, b) in self.bodies.iter().enumerate() {
            group.push(if i == 0 || b.mocap || jointed[i] { i } else { group[b.parent] });
        }
        group
    }

    /// Whether two geoms may collide; for many questions prepare a [`CollisionFilter`].
    pub fn collides(&self, geom_a: usize, geom_b: usize) -> bool {
        CollisionFilter::new(self).collides(self, geom_a, geom_b)
    }

    /// The explicit pair that names two geoms, in either order.
    pub fn explicit_pair(&self, geom_a: usize, geom_b: usize) -> Option<&ContactPair> {
        let wanted = ordered(geom_a, geom_b);
        self.pairs.iter().find(|p| ordered(p.geom_a, p.geom_b) == wanted)
    }
}
