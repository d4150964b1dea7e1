//! Watches how deep geoms are in each other beside their sizes, whatever the solver and whatever the cause.

use std::collections::BTreeMap;

use signorini_core::ContactGeometry;
use signorini_geometry::{Aabb, Shape};
use signorini_laws::ContactParameter;
use signorini_multibody::Model;
use signorini_scene::{Geom, GeomShape, Scene};

use crate::Method;
use crate::areas::Areas;

/// Part of the thickness of the thinner geom of a pair from which its depth is told.
pub const TOO_DEEP: f64 = 0.1;

/// Part of that thickness from which a depth at rest is told.
pub const RESTS_DEEP: f64 = 0.01;

/// Time for which a depth that rests stays as it is \[s\], and its change meanwhile, relative to it.
const REST: (f64, f64) = (0.2, 0.05);

/// Growth of a depth from which it is told anew.
const GROWTH: f64 = 1.25;
/// Remedy of pairs that are deepest at the start.
const START: &str =
    "they start so: move one of them, start from another keyframe, or exclude the pair from contact";

/// Remedy of pairs that meet over areas.
const SOFT_AREA: &str = "state a greater hydroelastic_modulus, or take a smaller step or --accuracy";

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

    /// The contact as a depth, where it is deeper than a part of the thinner geom.
    fn deeper_than(&self, part: f64, t: f64, c: &ContactGeometry) -> Option<TooDeep> {
        let size = |g: u32| self.0.get(g as usize).copied().unwrap_or(f64::INFINITY);
        let thickness = size(c.geoms[0]).min(size(c.geoms[1]));
        (-c.gap > part * thickness).then(|| TooDeep {
            t,
            geoms: c.geoms.map(|g| g as usize),
            depth: -c.gap,
            thickness,
        })
    }

    /// The deepest of these contacts at `t` \[s\] beside the thickness of its geoms, where that is too deep.
    pub fn deepest(&self, t: f64, contacts: &[ContactGeometry]) -> Option<TooDeep> {
        let found = contacts.iter().filter_map(|c| self.deeper_than(TOO_DEEP, t, c));
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

    /// The geoms with their bodies.
    fn names(&self, model: &Model) -> [String; 2] {
        self.geoms.map(|g| model.told_geom(g))
    }

    /// The geoms with their bodies, depth, size and time, the number of other pairs, and a remedy.
    pub fn describe(&self, model: &Model, others: usize, remedy: &str) -> String {
        let others = match others {
            0 => String::new(),
            1 => ", and one more pair of geoms was too deep".into(),
            n => format!(", and {n} more pairs of geoms were too deep"),
        };
        let [a, b] = self.names(model);
        format!(
            "depth: {a} and {b} were {:.2} mm deep in each other at t = {:.4} s, {:.0} % of the thickness {:.1} mm of the thinner one (warning from {:.0} % on){others}: {remedy}",
            1e3 * self.depth,
            self.t,
            100.0 * self.part(),
            1e3 * self.thickness,
            100.0 * TOO_DEEP
        )
    }
}

/// A pair whose depth may rest.
#[derive(Clone, Copy, Debug)]
struct Resting {
    /// As it came there.
    first: TooDeep,
    /// Number and time \[s\] of the last look that found it.
    look: (u64, f64),
    /// Largest depth \[m\] and force of a contact \[N\] then.
    depth: f64,
    force: f64,
    /// Depth that was told, 0 before \[m\].
    told: f64,
}

impl Resting {
    /// Ends the look before one at `t`; true when there is a depth at rest to tell.
    fn end_look(&mut self) -> bool {
        if (self.depth - self.first.depth).abs() > REST.1 * self.first.depth {
            self.first = TooDeep { t: self.look.1, depth: self.depth, ..self.first };
        }
        let rests = self.look.1 - self.first.t >= REST.0 && self.depth > GROWTH * self.told;
        if rests {
            self.told = self.depth;
        }
        rests
    }
}

/// Stiffness of surfaces under a law that reads it.
#[derive(Clone, Debug)]
struct Stiffnesses {
    /// Of surfaces that state none \[N/m\].
    default: f64,
    /// By geom: states its own.
    stated: Vec<bool>,
}

/// Pairs of a run that were too deep, each with the worst of it, and those that rest deep.
#[derive(Clone, Debug)]
pub struct DepthRecord {
    sizes: Thicknesses,
    /// By geoms: the deepest so far, and the depth that was told.
    pairs: BTreeMap<[usize; 2], (TooDeep, f64)>,
    /// Time of the first look \[s\].
    start: Option<f64>,
    /// By geoms: those deeper than [`RESTS_DEEP`].
    resting: BTreeMap<[usize; 2], Resting>,
    /// Number of looks.
    looks: u64,
    /// Way out of what is too deep.
    remedy: &'static str,
    stiffnesses: Option<Stiffnesses>,
    /// Geoms that meet over areas.
    areas: Areas,
}

impl DepthRecord {
    /// For runs of a scene, with the way out of what is too deep.
    pub fn new(scene: &Scene, remedy: &'static str) -> Self {
        Self { areas: Areas::of(scene), ..Self::with_sizes(Thicknesses::of(scene), remedy) }
    }

    fn with_sizes(sizes: Thicknesses, remedy: &'static str) -> Self {
        let (pairs, resting) = (BTreeMap::new(), BTreeMap::new());
        Self {
            sizes,
            pairs,
            start: None,
            resting,
            looks: 0,
            remedy,
            stiffnesses: None,
            areas: Areas::default(),
        }
    }

    /// Takes the remedy of a method; under a law that reads the stiffness of surfaces lines name the stiffness that is needed.
    pub(crate) fn set_method(&mut self, scene: &Scene, method: &Method) {
        self.remedy = method.remedy_of_depth();
        self.stiffnesses = method.law().is_some_and(|l| l.reads(ContactParameter::Stiffness)).then(|| {
            let stated = |g: &Geom| g.surface.states_si() || g.surface.sol.stated;
            Stiffnesses {
                default: scene.options.contact.stiffness,
                stated: scene.geoms.iter().map(stated).collect(),
            }
        });
    }

    /// Follows the pairs that are deeper than [`RESTS_DEEP`]; true when one has come to rest.
    fn look_at_rest(
        &mut self,
        t: f64,
        contacts: &[ContactGeometry],
        force: impl Fn(&ContactGeometry) -> f64,
    ) -> bool {
        let look = self.looks + 1;
        let mut news = false;
        for c in contacts {
            let Some(first) = self.sizes.deeper_than(RESTS_DEEP, t, c) else { continue };
            let mut key = first.geoms;
            key.sort_unstable();
            let (depth, force) = (first.depth, force(c));
            let new = Resting { first, look: (look, t), depth, force, told: 0.0 };
            let r = self.resting.entry(key).or_insert(new);
            if r.look.0 == look {
                (r.depth, r.force) = (r.depth.max(depth), r.force.max(force));
            } else if r.look.0 < self.looks {
                *r = Resting { told: r.told, ..new };
            } else {
                news |= r.end_look();
                (r.look, r.depth, r.force) = ((look, t), depth, force);
            }
        }
        self.looks = look;
        news
    }

    /// The line on the pair that rests deepest beside its size; it begins with [`DepthRecord::AT_REST`].
    fn tell_rest(&self, model: &Model) -> Option<String> {
        let resting = || self.resting.values().filter(|r| r.told > 0.0);
        let part_of = |r: &Resting| r.told / r.first.thickness;
        let worst = resting().max_by(|a, b| part_of(a).total_cmp(&part_of(b)))?;
        let (pair, thickness) = (&worst.first, worst.first.thickness);
        let [a, b] = pair.names(model);
        let others = match resting().count() - 1 {
            0 => String::new(),
            1 => " (one pair of geoms more)".into(),
            n => format!(" ({n} pairs of geoms more)"),
        };
        let part = 100.0 * RESTS_DEEP;
        let way = match &self.stiffnesses {
            _ if self.areas.have(pair.geoms.map(|g| g as u32)) => {
                // Forces grow with the depth of a face, and with its square in a ball.
                let factor = part_of(worst) / RESTS_DEEP;
                let ball = factor * factor;
                format!(
                    "a depth of {part:.0} % needs {factor:.1} times the hydroelastic_modulus where a face rests on a face, {ball:.1} times where a ball does"
                )
            }
            Some(s) if pair.geoms.iter().any(|g| s.stated.get(*g).copied().unwrap_or(false)) => {
                let factor = part_of(worst) / RESTS_DEEP;
                format!(
                    "a depth of {part:.0} % needs {factor:.1} times the stiffness that their surfaces state"
                )
            }
            Some(s) => {
                // Two equal surfaces in series have half the stiffness of one. A body that still sinks has less depth than its load asks for.
                let need = |r: &Resting| {
                    let of_load = 2.0 * r.force / r.first.thickness;
                    of_load.max(s.default * part_of(r)) / RESTS_DEEP
                };
                let needed = resting().map(need).fold(0.0, f64::max);
                format!("a depth of {part:.0} % needs a stiffness of {needed:.1e} N/m (--stiffness)")
            }
            None => self.remedy.to_owned(),
        };
        Some(format!(
            "{} {a} and {b} rest {:.2} mm deep in each other from t = {:.4} s on, {:.1} % of the thickness {:.1} mm of the thinner one (warning from {part:.0} % on){others}: {way}",
            Self::AT_REST,
            1e3 * worst.told,
            pair.t,
            100.0 * part_of(worst),
            1e3 * thickness
        ))
    }

    /// Looks at the contacts of a solve from `t` \[s\]; true when there is something new to tell.
    pub fn look(&mut self, t: f64, contacts: &[ContactGeometry]) -> bool {
        self.look_at_loads(t, contacts, |_| 0.0)
    }

    /// As [`DepthRecord::look`], with the normal forces of contacts \[N\], from which the stiffness that a load needs is told.
    pub fn look_at_loads(
        &mut self,
        t: f64,
        contacts: &[ContactGeometry],
        force: impl Fn(&ContactGeometry) -> f64,
    ) -> bool {
        let mut news = self.look_at_rest(t, contacts, force);
        self.start.get_or_insert(t);
        for found in contacts.iter().filter_map(|c| self.sizes.deeper_than(TOO_DEEP, t, c)) {
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

    /// Lines to tell: the worst pair of those that were deepest at the start, and the worst of the others, each of which begins with [`DepthRecord::WORD`]; the worst of those that rest deep.
    pub fn tell(&mut self, model: &Model) -> Vec<String> {
        self.pairs.values_mut().for_each(|(worst, told)| *told = worst.depth);
        let line = |at_start: bool| {
            let pairs = self.pairs.values().map(|p| &p.0).filter(|w| (Some(w.t) == self.start) == at_start);
            let worst = pairs.clone().max_by(|a, b| a.part().total_cmp(&b.part()))?;
            let remedy = match at_start {
                true => START,
                false if self.areas.have(worst.geoms.map(|g| g as u32)) => SOFT_AREA,
                false => self.remedy,
            };
            Some(worst.describe(model, pairs.count() - 1, remedy))
        };
        let rest = self.tell_rest(model);
        [true, false].into_iter().filter_map(line).chain(rest).collect()
    }

    /// Whether a line of warning is one of these.
    pub(crate) fn has_told(line: &str) -> bool {
        line.starts_with(Self::WORD) || line.starts_with(Self::AT_REST)
    }

    /// First word of the line on depths at rest.
    pub const AT_REST: &str = "depth at rest:";

    /// First word of the lines.
    pub const WORD: &str = "depth:";
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
        let mut record = DepthRecord::with_sizes(sizes, Method::DEPTH_REMEDY);
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
