//! Watches how deep geoms are in each other beside their sizes, whatever the solver and whatever the cause.

use std::collections::BTreeMap;

use signorini_core::ContactGeometry;
use signorini_geometry::{Aabb, Shape};
use signorini_multibody::Model;
use signorini_scene::{GeomShape, Scene};

/// Part of the thickness of the thinner geom of a pair from which its depth is told.
pub const TOO_DEEP: f64 = 0.1;

/// Growth of a depth from which it is told anew.
const GROWTH: f64 = 1.25;
/// Remedy of pairs that are deepest at the start.
const START: &str =
    "they start so: move one of them, start from another keyframe, or exclude the pair from contact";

/// Thickness of every geom of a scene \[m\]: the shortest side of the box that it fills in its own frame.
///
/// Half-spaces, height fields, meshes that were not read and triangle surfaces of the world, which are ground, have no size: infinity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Thicknesses(Vec<f64>);

impl Thicknesses {
    /// Of the geoms of a scene, in their order.
    pub fn of(scene: &Scene) -> Self {
        Self(
            scene
                .geoms
                .iter()
                .map(|g| match &g.shape {
                    GeomShape::Solid(Shape::Mesh(_)) if g.body == 0 => f64::INFINITY,
                    GeomShape::Solid(shape) => thickness(shape),
                    GeomShape::MissingMesh(_) => f64::INFINITY,
                })
                .collect(),
        )
    }

    /// The contact as a depth, where it is deeper than [`TOO_DEEP`] of the thinner geom.
    fn too_deep(&self, t: f64, c: &ContactGeometry) -> Option<TooDeep> {
        let size = |g: u32| self.0.get(g as usize).copied().unwrap_or(f64::INFINITY);
        let thickness = size(c.geoms[0]).min(size(c.geoms[1]));
        (-c.gap > TOO_DEEP * thickness).then(|| TooDeep {
            t,
            geoms: c.geoms.map(|g| g as usize),
            depth: -c.gap,
            thickness,
        })
    }

    /// The deepest of these contacts at `t` \[s\] beside the thickness of its geoms, where that is too deep.
    pub fn deepest(&self, t: f64, contacts: &[ContactGeometry]) -> Option<TooDeep> {
        let found = contacts.iter().filter_map(|c| self.too_deep(t, c));
        found.max_by(|a, b| a.part().total_cmp(&b.part()))
    }
}

/// The shortest side of the box that a shape fills in its own frame \[m\].
fn thickness(shape: &Shape) -> f64 {
    let side = |b: Aabb| (b.max - b.min).min();
    match shape {
        Shape::Sphere { radius } | Shape::Capsule { radius, .. } => 2.0 * radius,
        Shape::Cylinder { radius, half_length } => 2.0 * radius.min(*half_length),
        Shape::Box { half_extents: h } | Shape::Ellipsoid { semi_axes: h } => 2.0 * h.min(),
        Shape::HalfSpace | Shape::HeightField(_) => f64::INFINITY,
        Shape::Convex(hull) => side(hull.aabb()),
        Shape::Mesh(mesh) => side(mesh.aabb()),
    }
}

/// A pair of geoms that are deep in each other beside their size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TooDeep {
    /// Time \[s\].
    pub t: f64,
    /// The geoms.
    pub geoms: [usize; 2],
    /// Depth of their deepest contact \[m\].
    pub depth: f64,
    /// Thickness of the thinner one \[m\].
    pub thickness: f64,
}

impl TooDeep {
    /// Depth over thickness.
    pub fn part(&self) -> f64 {
        self.depth / self.thickness
    }

    /// The geoms with their bodies, depth, size and time, the number of other pairs, and a remedy.
    pub fn describe(&self, model: &Model, others: usize, remedy: &str) -> String {
        let others = match others {
            0 => String::new(),
            1 => ", and one more pair of geoms was too deep".into(),
            n => format!(", and {n} more pairs of geoms were too deep"),
        };
        let [a, b] = self.geoms.map(|g| {
            let geom = &model.geoms[g];
            format!("geom '{}' of body '{}'", geom.name, model.bodies[geom.body].name)
        });
        format!(
            "depth: {a} and {b} were {:.2} mm deep in each other at t = {:.4} s, {:.0} % of the {:.1} mm that the thinner is thick (told from {:.0} % on){others}: {remedy}",
            1e3 * self.depth,
            self.t,
            100.0 * self.part(),
            1e3 * self.thickness,
            100.0 * TOO_DEEP
        )
    }
}

/// Pairs of a run that were too deep, each with the worst of it.
#[derive(Clone, Debug)]
pub struct DepthRecord {
    sizes: Thicknesses,
    /// By geoms: the deepest so far, and the depth that was told.
    pairs: BTreeMap<[usize; 2], (TooDeep, f64)>,
    /// Time of the first look \[s\].
    start: Option<f64>,
}

impl DepthRecord {
    /// For runs of a scene.
    pub fn new(scene: &Scene) -> Self {
        Self { sizes: Thicknesses::of(scene), pairs: BTreeMap::new(), start: None }
    }

    /// Looks at the contacts of a solve from `t` \[s\]; true when there is something new to tell.
    pub fn look(&mut self, t: f64, contacts: &[ContactGeometry]) -> bool {
        let mut news = false;
        self.start.get_or_insert(t);
        for found in contacts.iter().filter_map(|c| self.sizes.too_deep(t, c)) {
            let mut key = found.geoms;
            key.sort_unstable();
            let (worst, told) = self.pairs.entry(key).or_insert((found, 0.0));
            if found.depth > worst.depth {
                *worst = found;
            }
            news |= worst.depth > GROWTH * *told;
        }
        news
    }

    /// Lines to tell: the worst pair of those that were deepest at the start, and the worst of the others. Each begins with [`DepthRecord::WORD`].
    pub fn tell(&mut self, model: &Model, remedy: &str) -> Vec<String> {
        self.pairs.values_mut().for_each(|(worst, told)| *told = worst.depth);
        let line = |at_start: bool| {
            let pairs = self.pairs.values().map(|p| &p.0).filter(|w| (Some(w.t) == self.start) == at_start);
            let worst = pairs.clone().max_by(|a, b| a.part().total_cmp(&b.part()))?;
            Some(worst.describe(model, pairs.count() - 1, if at_start { START } else { remedy }))
        };
        [true, false].into_iter().filter_map(line).collect()
    }

    /// First word of the lines.
    pub const WORD: &str = "depth:";

    /// Way out under a system of one's own.
    pub(crate) const REMEDY: &str = "take stiffer contact or a smaller step";
}

#[cfg(test)]
mod tests {
    use super::*;
    use signorini_core::na::{Matrix3, Point3, Vector3};

    fn contact(geoms: [u32; 2], gap: f64) -> ContactGeometry {
        ContactGeometry {
            constraint: 0,
            bodies: [0, 1],
            geoms,
            p_wc: Point3::origin(),
            arms: [Vector3::zeros(); 2],
            r_wc: Matrix3::identity(),
            gap,
            feature: 0,
        }
    }

    /// Each pair is one entry in whatever order it comes, and is told anew only where it has become much deeper.
    #[test]
    fn analytic_pairs_are_told_once() {
        let sizes = Thicknesses(vec![f64::INFINITY, 0.02, 0.1]);
        let mut record = DepthRecord { sizes, pairs: BTreeMap::new(), start: None };
        assert!(!record.look(0.0, &[contact([0, 1], -1.9e-3), contact([0, 0], -1.0), contact([1, 2], 1.0)]));
        assert!(record.look(0.1, &[contact([0, 1], -2.1e-3)]));
        record.pairs.values_mut().for_each(|p| p.1 = p.0.depth);
        assert!(!record.look(0.2, &[contact([1, 0], -2.5e-3)]));
        assert!(record.look(0.3, &[contact([1, 0], -2.8e-3)]));
        assert_eq!(record.pairs.len(), 1);
        let worst = record.pairs[&[0, 1]].0;
        assert_eq!((worst.t, worst.depth, worst.thickness), (0.3, 2.8e-3, 0.02));
        assert!(record.look(0.4, &[contact([2, 1], -2.1e-3)]) && record.pairs.len() == 2);
    }
}
