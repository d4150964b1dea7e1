//! Numbers by which parts of a scene refer to each other, for those that put scenes together or in order.

use crate::{BodyId, EqualityKind, Scene, SensorObject, TendonPath, Transmission, WrapElement};

/// Kind of part that a number refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Body,
    Joint,
    Geom,
    Site,
    Tendon,
    Actuator,
}

impl Scene {
    /// Calls `f` with each number by which a part refers to another.
    pub(crate) fn visit_numbers(&mut self, mut f: impl FnMut(Part, &mut usize)) {
        self.bodies.iter_mut().for_each(|b| f(Part::Body, &mut b.parent));
        self.joints.iter_mut().for_each(|j| f(Part::Body, &mut j.body));
        self.geoms.iter_mut().for_each(|g| f(Part::Body, &mut g.body));
        self.sites.iter_mut().for_each(|s| f(Part::Body, &mut s.body));
        for (a, b) in &mut self.excludes {
            f(Part::Body, a);
            f(Part::Body, b);
        }
        for p in &mut self.pairs {
            f(Part::Geom, &mut p.geom_a);
            f(Part::Geom, &mut p.geom_b);
        }
        for q in &mut self.equalities {
            match &mut q.kind {
                EqualityKind::Connect { body_a, body_b, .. }
                | EqualityKind::Weld { body_a, body_b, .. }
                | EqualityKind::Distance { body_a, body_b, .. } => {
                    f(Part::Body, body_a);
                    f(Part::Body, body_b);
                }
                EqualityKind::Joint { joint_1, joint_2, .. } => {
                    f(Part::Joint, joint_1);
                    joint_2.iter_mut().for_each(|j| f(Part::Joint, j));
                }
                EqualityKind::Tendon { tendon_1, tendon_2, .. } => {
                    f(Part::Tendon, tendon_1);
                    tendon_2.iter_mut().for_each(|t| f(Part::Tendon, t));
                }
            }
        }
        for t in &mut self.tendons {
            match &mut t.path {
                TendonPath::Fixed(path) => path.iter_mut().for_each(|(j, _)| f(Part::Joint, j)),
                TendonPath::Spatial(path) => {
                    for w in path {
                        match w {
                            WrapElement::Site(s) => f(Part::Site, s),
                            WrapElement::Geom { geom, side_site } => {
                                f(Part::Geom, geom);
                                side_site.iter_mut().for_each(|s| f(Part::Site, s));
                            }
                            WrapElement::Pulley { .. } => {}
                        }
                    }
                }
            }
        }
        for a in &mut self.actuators {
            match &mut a.transmission {
                Transmission::Joint(j) | Transmission::JointInParent(j) => f(Part::Joint, j),
                Transmission::Tendon(t) => f(Part::Tendon, t),
                Transmission::Site { site, reference } => {
                    f(Part::Site, site);
                    reference.iter_mut().for_each(|s| f(Part::Site, s));
                }
                Transmission::Body(b) => f(Part::Body, b),
                Transmission::SliderCrank { crank, slider, .. } => {
                    f(Part::Site, crank);
                    f(Part::Site, slider);
                }
            }
        }
        for s in &mut self.sensors {
            for o in std::iter::once(&mut s.object).chain(s.reference.as_mut()) {
                match o {
                    SensorObject::Body(b) | SensorObject::BodyFrame(b) | SensorObject::Subtree(b) => {
                        f(Part::Body, b)
                    }
                    SensorObject::Geom(g) => f(Part::Geom, g),
                    SensorObject::Site(s) => f(Part::Site, s),
                    SensorObject::Joint(j) => f(Part::Joint, j),
                    SensorObject::Tendon(t) => f(Part::Tendon, t),
                    SensorObject::Actuator(a) => f(Part::Actuator, a),
                    SensorObject::World => {}
                }
            }
        }
        let medium = &mut self.options.medium;
        medium.ellipsoids.iter_mut().for_each(|e| f(Part::Geom, &mut e.geom));
        medium.axes.iter_mut().for_each(|(b, _)| f(Part::Body, b));
    }

    /// Sorts joints and geoms by their bodies, keeping the order within one; references follow along. Returns where each joint went.
    pub(crate) fn sort_by_body(&mut self) -> Vec<usize> {
        let joints = sort(&mut self.joints, |j| j.body);
        let geoms = sort(&mut self.geoms, |g| g.body);
        self.visit_numbers(|part, n| {
            let went = match part {
                Part::Joint => &joints,
                Part::Geom => &geoms,
                _ => return,
            };
            *n = went.get(*n).copied().unwrap_or(*n);
        });
        joints
    }

    /// Puts bodies in depth-first order from the world, each after its parent, and joints and geoms in that of the bodies. Returns where each joint
    /// went; bodies in a circle go last.
    pub(crate) fn sort_bodies(&mut self) -> Vec<usize> {
        let mut below: Vec<Vec<BodyId>> = vec![Vec::new(); self.bodies.len()];
        for (i, b) in self.bodies.iter().enumerate().skip(1) {
            below[b.parent].push(i);
        }
        let mut order: Vec<BodyId> = Vec::with_capacity(self.bodies.len());
        let mut stack = vec![0];
        while let Some(b) = stack.pop() {
            order.push(b);
            stack.extend(below[b].iter().rev());
        }
        let mut went = vec![usize::MAX; self.bodies.len()];
        order.iter().enumerate().for_each(|(new, &old)| went[old] = new);
        for (old, place) in went.iter_mut().enumerate() {
            if *place == usize::MAX {
                *place = order.len();
                order.push(old);
            }
        }
        self.visit_numbers(|part, n| {
            if part == Part::Body {
                *n = went[*n];
            }
        });
        let mut old: Vec<Option<crate::Body>> = self.bodies.drain(..).map(Some).collect();
        self.bodies = order.iter().filter_map(|&b| old[b].take()).collect();
        self.sort_by_body()
    }

    /// Adds another scene on the same world, the names of its parts behind a prefix; settings, keyframes and files are left to the caller.
    pub(crate) fn append(&mut self, mut other: Self, prefix: &str) {
        let from = [
            self.bodies.len() - 1,
            self.joints.len(),
            self.geoms.len(),
            self.sites.len(),
            self.tendons.len(),
            self.actuators.len(),
        ];
        other.visit_numbers(|part, n| {
            let by = from[part as usize];
            if part != Part::Body || *n > 0 {
                *n += by;
            }
        });
        let named = |name: &mut String| *name = format!("{prefix}{name}");
        other.bodies.iter_mut().skip(1).for_each(|x| named(&mut x.name));
        other.joints.iter_mut().for_each(|x| named(&mut x.name));
        other.geoms.iter_mut().for_each(|x| named(&mut x.name));
        other.sites.iter_mut().for_each(|x| named(&mut x.name));
        other.tendons.iter_mut().for_each(|x| named(&mut x.name));
        other.equalities.iter_mut().for_each(|x| named(&mut x.name));
        other.actuators.iter_mut().for_each(|x| named(&mut x.name));
        other.sensors.iter_mut().for_each(|x| named(&mut x.name));
        other.pairs.iter_mut().for_each(|x| named(&mut x.name));
        self.bodies.extend(other.bodies.into_iter().skip(1));
        self.joints.extend(other.joints);
        self.geoms.extend(other.geoms);
        self.sites.extend(other.sites);
        self.tendons.extend(other.tendons);
        self.equalities.extend(other.equalities);
        self.actuators.extend(other.actuators);
        self.sensors.extend(other.sensors);
        self.excludes.extend(other.excludes);
        self.pairs.extend(other.pairs);
        self.options.medium.ellipsoids.extend(other.options.medium.ellipsoids);
        self.options.medium.axes.extend(other.options.medium.axes);
    }

    /// Whether anything refers to a joint.
    pub(crate) fn refers_to_joint(&mut self, joint: usize) -> bool {
        let mut found = false;
        self.visit_numbers(|part, n| found |= part == Part::Joint && *n == joint);
        found
    }

    /// Exchanges two joints; references follow along.
    pub(crate) fn swap_joints(&mut self, a: usize, b: usize) {
        self.joints.swap(a, b);
        self.visit_numbers(|part, n| match (part, *n) {
            (Part::Joint, x) if x == a => *n = b,
            (Part::Joint, x) if x == b => *n = a,
            _ => {}
        });
    }

    /// Removes a joint to which nothing refers.
    pub(crate) fn remove_joint(&mut self, joint: usize) {
        self.joints.remove(joint);
        self.visit_numbers(|part, n| {
            if part == Part::Joint && *n > joint {
                *n -= 1;
            }
        });
    }
}

/// Sorts by body, keeping the order within one; where each entry went.
fn sort<T>(list: &mut Vec<T>, body: impl Fn(&T) -> BodyId) -> Vec<usize> {
    let mut tagged: Vec<(usize, T)> = list.drain(..).enumerate().collect();
    tagged.sort_by_key(|(_, x)| body(x));
    let mut went = vec![0; tagged.len()];
    for (new, (old, x)) in tagged.into_iter().enumerate() {
        went[old] = new;
        list.push(x);
    }
    went
}
