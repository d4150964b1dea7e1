//! Conditions that every scene must satisfy, however it was made.

mod check;
mod mass;

use std::collections::HashMap;

use signorini_core::Shown;
use signorini_geometry::Shape;

use check::{Check, at, fail, finite, index, nonnegative, ordered};
use mass::{check_mass, check_triangle};

use crate::{
    Actuator, ActuatorDynamics, EqualityKind, GeomShape, Joint, JointKind, Place, Pose, Scene, SceneError,
    SensorObject, Surface, TendonPath, Transmission, WrapElement,
};

/// Farthest place \[m\] that a file may name: positions there still have digits for a micrometre.
const FARTHEST: f64 = 1e9;

fn pose_is_near(place: &Place, x: &Pose) -> Check {
    let (r, away) = (x.rotation.coords, x.translation.vector);
    finite(place, "the pose", away.iter().chain(r.iter()).copied())?;
    match away.amax() <= FARTHEST {
        true => Ok(()),
        false => {
            fail(place, format!("the pose is {} m away", Shown(away.amax())), "give places within 1e9 m")
        }
    }
}

fn names<'a>(kind: &str, list: impl Iterator<Item = (&'a str, &'a Place)>) -> Check {
    let mut seen: HashMap<&str, &Place> = HashMap::new();
    for (name, place) in list {
        let here = at(place, kind, name);
        if name.is_empty() {
            return fail(&here, format!("a {kind} has no name"), "give it a name");
        }
        if let Some(first) = seen.insert(name, place) {
            let first = at(first, kind, name);
            return fail(
                &here,
                format!("{kind} name '{name}' is used twice, first at {first}"),
                "rename one of them",
            );
        }
    }
    Ok(())
}

impl Scene {
    /// Checks everything that a file or a builder could get wrong: names, parents, indices, masses, ranges, sizes, finite numbers.
    ///
    /// Scenes from the builder and from MJCF satisfy all of it. URDF files in use have massless links in the middle of a chain and
    /// moments of inertia that violate the triangle inequality: their reader warns of these two and checks the rest.
    ///
    /// # Errors
    /// The first violation, with its place and remedy.
    pub fn validate(&self) -> Result<(), SceneError> {
        self.check_structure()?;
        self.check_moving_mass()?;
        let mut massive = self.bodies.iter().filter_map(|b| Some((b, b.mass.as_ref()?)));
        massive.try_for_each(|(b, m)| check_triangle(&at(&b.place, "body", &b.name), m))
    }

    /// All of [`Scene::validate`] but the mass of moving bodies and the triangle inequality.
    pub(crate) fn check_structure(&self) -> Result<(), SceneError> {
        self.check_names()?;
        self.check_bodies()?;
        self.check_joints()?;
        self.check_geoms()?;
        self.check_contact()?;
        self.check_equalities()?;
        self.check_tendons()?;
        self.check_actuators()?;
        self.check_sensors()?;
        self.check_keyframes()
    }

    fn check_names(&self) -> Check {
        names("body", self.bodies.iter().map(|x| (x.name.as_str(), &x.place)))?;
        names("joint", self.joints.iter().map(|x| (x.name.as_str(), &x.place)))?;
        names("geom", self.geoms.iter().map(|x| (x.name.as_str(), &x.place)))?;
        names("site", self.sites.iter().map(|x| (x.name.as_str(), &x.place)))?;
        names("equality", self.equalities.iter().map(|x| (x.name.as_str(), &x.place)))?;
        names("tendon", self.tendons.iter().map(|x| (x.name.as_str(), &x.place)))?;
        names("actuator", self.actuators.iter().map(|x| (x.name.as_str(), &x.place)))?;
        names("sensor", self.sensors.iter().map(|x| (x.name.as_str(), &x.place)))?;
        let nowhere = Place::default();
        names("keyframe", self.keyframes.iter().map(|x| (x.name.as_str(), &nowhere)))
    }

    fn check_bodies(&self) -> Check {
        let Some(world) = self.bodies.first() else {
            return fail(&Place::default(), "the scene has no world", "make body 0 the world");
        };
        if world.parent != 0 || world.mass.is_some() || world.pose != Pose::identity() {
            return fail(
                &at(&world.place, "body", &world.name),
                "body 0 is the world, but it has a parent, a mass or a pose",
                "leave the world as it is and add bodies",
            );
        }
        finite(&world.place, "gravity", self.options.gravity.iter().copied())?;
        for (i, b) in self.bodies.iter().enumerate().skip(1) {
            let place = at(&b.place, "body", &b.name);
            if b.parent >= i {
                return fail(
                    &place,
                    format!("its parent is body {}, itself {i}", b.parent),
                    "put parents first",
                );
            }
            pose_is_near(&place, &b.pose)?;
            finite(&place, "gravity compensation", [b.gravity_compensation])?;
            if let Some(m) = &b.mass {
                check_mass(&place, m)?;
            }
            if b.mocap && (b.parent != 0 || self.joints.iter().any(|j| j.body == i)) {
                return fail(
                    &place,
                    "a mocap body has joints or a parent",
                    "put it on the world without joints",
                );
            }
        }
        Ok(())
    }

    fn check_joints(&self) -> Check {
        for (i, j) in self.joints.iter().enumerate() {
            let place = at(&j.place, "joint", &j.name);
            index(&place, "body", j.body, self.bodies.len())?;
            if j.body == 0 {
                return fail(&place, "the world has a joint", "put the joint on a body");
            }
            if i > 0 && self.joints[i - 1].body > j.body {
                return fail(&place, "joints are not ordered by body", "sort the joints by body");
            }
            // Joints are ordered by body, so far.
            let first = self.joints[..i].iter().rposition(|o| o.body != j.body).map_or(0, |k| k + 1);
            let together = self.joints[first..].iter().take_while(|o| o.body == j.body);
            self.check_joint(&place, j, together)?;
        }
        Ok(())
    }

    fn check_joint<'a>(
        &self,
        place: &Place,
        j: &Joint,
        together: impl Iterator<Item = &'a Joint> + Clone,
    ) -> Check {
        let body = &self.bodies[j.body];
        if j.kind == JointKind::Free && (body.parent != 0 || together.clone().count() > 1) {
            return fail(
                place,
                format!(
                    "the free joint of body '{}' is not alone, or the body is not on the world",
                    body.name
                ),
                "keep the free joint alone, on a body whose parent is the world",
            );
        }
        if together.map(|o| o.kind.nv()).sum::<usize>() > 6 {
            return fail(
                place,
                format!("body '{}' has more than six degrees of freedom", body.name),
                "remove joints",
            );
        }
        let numbers = [j.reference, j.spring_reference, j.limit_margin];
        finite(place, "the joint", j.anchor.iter().chain(j.axis.iter()).copied().chain(numbers))?;
        if (j.axis.norm() - 1.0).abs() > 1e-9 {
            return fail(
                place,
                format!("its axis has length {}", j.axis.norm()),
                "give an axis that is not zero",
            );
        }
        ordered(place, "the range", j.range)?;
        ordered(place, "the range of actuator force", j.actuator_force_range)?;
        nonnegative(place, "the stiffness", j.stiffness)?;
        nonnegative(place, "the damping", j.damping)?;
        finite(place, "a coefficient of its spring or damper", j.higher_order.all())?;
        nonnegative(place, "the armature", j.armature)?;
        nonnegative(place, "the dry friction", j.dry_friction)
    }

    /// Every group of bodies that moves as one needs mass and inertia.
    fn check_moving_mass(&self) -> Check {
        let mut heavy: Vec<bool> = self
            .bodies
            .iter()
            .map(|b| b.mass.is_some_and(|m| m.mass > 0.0 && m.inertia.diagonal().min() > 0.0))
            .collect();
        let groups = self.weld_groups();
        for b in (1..self.bodies.len()).rev() {
            if heavy[b] {
                heavy[groups[b]] = true;
            }
        }
        match self.joints.iter().find(|j| !heavy[j.body]).map(|j| &self.bodies[j.body]) {
            Some(b) => fail(
                &at(&b.place, "body", &b.name),
                format!("body '{}' moves but has no mass or no inertia, and nothing fixed to it has", b.name),
                "give it mass and inertia, or a shape with volume and density; in MJCF boundmass and boundinertia help",
            ),
            None => Ok(()),
        }
    }

    fn check_geoms(&self) -> Check {
        let mut moving = vec![false; self.bodies.len()];
        self.joints.iter().for_each(|j| moving[j.body] = true);
        for b in 1..moving.len() {
            moving[b] |= moving[self.bodies[b].parent];
        }
        for (i, g) in self.geoms.iter().enumerate() {
            let place = at(&g.place, "geom", &g.name);
            index(&place, "body", g.body, self.bodies.len())?;
            if i > 0 && self.geoms[i - 1].body > g.body {
                return fail(&place, "geoms are not ordered by body", "sort the geoms by body");
            }
            pose_is_near(&place, &g.pose)?;
            if let GeomShape::Solid(shape) = &g.shape {
                check_shape(&place, shape)?;
                if moving[g.body] && matches!(shape, Shape::HalfSpace | Shape::HeightField(_)) {
                    return fail(
                        &place,
                        format!("a {} is on the moving body '{}'", shape.name(), self.bodies[g.body].name),
                        "put it on the world or on a body without joints above it, or use a box",
                    );
                }
            }
            check_surface(&place, &g.surface)?;
            let shape = if let GeomShape::Solid(shape) = &g.shape { Some(shape) } else { None };
            if let Some((message, remedy)) = g.surface.hydroelastic.fault(shape) {
                return fail(&place, message, remedy);
            }
        }
        for s in &self.sites {
            let place = at(&s.place, "site", &s.name);
            index(&place, "body", s.body, self.bodies.len())?;
            pose_is_near(&place, &s.pose)?;
            check_shape(&place, &s.shape)?;
        }
        Ok(())
    }

    fn check_contact(&self) -> Check {
        let nowhere = Place { element: "exclude".to_owned(), ..Place::default() };
        for &(a, b) in &self.excludes {
            index(&nowhere, "body", a.max(b), self.bodies.len())?;
        }
        for p in &self.pairs {
            let place = at(&p.place, "pair", &p.name);
            index(&place, "geom", p.geom_a.max(p.geom_b), self.geoms.len())?;
            let m = &p.material;
            nonnegative(&place, "friction", m.friction_static)?;
            nonnegative(&place, "friction", m.friction_dynamic)?;
            finite(&place, "the pair", [p.margin, p.inactive_gap])?;
        }
        Ok(())
    }

    fn check_equalities(&self) -> Check {
        let (bodies, joints, tendons) = (self.bodies.len(), self.joints.len(), self.tendons.len());
        for q in &self.equalities {
            let place = at(&q.place, "equality", &q.name);
            if let Some(k) = q.stiffness.filter(|k| !(*k > 0.0 && k.is_finite())) {
                return fail(&place, format!("its stiffness is {k}"), "give a positive stiffness, or none");
            }
            nonnegative(&place, "the damping", q.damping)?;
            match &q.kind {
                EqualityKind::Connect { body_a, body_b, anchor_a, anchor_b }
                | EqualityKind::Weld { body_a, body_b, anchor_a, anchor_b, .. }
                | EqualityKind::Distance { body_a, body_b, anchor_a, anchor_b, .. } => {
                    index(&place, "body", *body_a.max(body_b), bodies)?;
                    if body_a == body_b {
                        return fail(&place, "it ties a body to itself", "name two bodies");
                    }
                    finite(&place, "an anchor", anchor_a.iter().chain(anchor_b.iter()).copied())?;
                }
                EqualityKind::Joint { joint_1, joint_2, polynomial } => {
                    for j in [Some(*joint_1), *joint_2].into_iter().flatten() {
                        index(&place, "joint", j, joints)?;
                        if self.joints[j].kind.nv() != 1 {
                            return fail(
                                &place,
                                "it couples a ball or free joint",
                                "couple hinges and slides only",
                            );
                        }
                    }
                    finite(&place, "the polynomial", *polynomial)?;
                }
                EqualityKind::Tendon { tendon_1, tendon_2, polynomial } => {
                    index(&place, "tendon", *tendon_1, tendons)?;
                    index(&place, "tendon", tendon_2.unwrap_or(0), tendons)?;
                    finite(&place, "the polynomial", *polynomial)?;
                }
            }
            match &q.kind {
                EqualityKind::Weld { torque_scale, .. } => {
                    nonnegative(&place, "the torque scale", *torque_scale)?
                }
                EqualityKind::Distance { length, .. } if !(*length > 0.0 && length.is_finite()) => {
                    return fail(&place, format!("its length is {length}"), "give a positive length");
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn check_tendons(&self) -> Check {
        for t in &self.tendons {
            let place = at(&t.place, "tendon", &t.name);
            ordered(&place, "the range", t.range)?;
            ordered(&place, "the range of actuator force", t.actuator_force_range)?;
            for (what, x) in [
                ("the stiffness", t.stiffness),
                ("the damping", t.damping),
                ("the dry friction", t.dry_friction),
                ("the armature", t.armature),
            ] {
                nonnegative(&place, what, x)?;
            }
            finite(&place, "a coefficient of its spring or damper", t.higher_order.all())?;
            match &t.path {
                TendonPath::Fixed(path) => {
                    for &(j, c) in path {
                        index(&place, "joint", j, self.joints.len())?;
                        finite(&place, "a coefficient", [c])?;
                        if self.joints[j].kind.nv() != 1 {
                            return fail(
                                &place,
                                "it runs over a ball or free joint",
                                "name hinges and slides only",
                            );
                        }
                    }
                }
                TendonPath::Spatial(path) => {
                    for w in path {
                        match *w {
                            WrapElement::Site(s) => index(&place, "site", s, self.sites.len())?,
                            WrapElement::Geom { geom, side_site } => {
                                index(&place, "geom", geom, self.geoms.len())?;
                                index(&place, "site", side_site.unwrap_or(0), self.sites.len())?;
                            }
                            WrapElement::Pulley { divisor } if !(divisor > 0.0 && divisor.is_finite()) => {
                                return fail(
                                    &place,
                                    format!("a divisor is {divisor}"),
                                    "give a positive divisor",
                                );
                            }
                            WrapElement::Pulley { .. } => {}
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn check_actuators(&self) -> Check {
        for a in &self.actuators {
            let place = at(&a.place, "actuator", &a.name);
            match a.transmission {
                Transmission::Joint(j) | Transmission::JointInParent(j) => {
                    index(&place, "joint", j, self.joints.len())?;
                }
                Transmission::Tendon(t) => index(&place, "tendon", t, self.tendons.len())?,
                Transmission::Site { site, reference } => {
                    index(&place, "site", site.max(reference.unwrap_or(0)), self.sites.len())?;
                }
                Transmission::Body(b) => index(&place, "body", b, self.bodies.len())?,
                Transmission::SliderCrank { crank, slider, rod } => {
                    index(&place, "site", crank.max(slider), self.sites.len())?;
                    if !(rod > 0.0 && rod.is_finite()) {
                        return fail(
                            &place,
                            format!("its rod is {rod} m long"),
                            "give a positive length (cranklength)",
                        );
                    }
                }
            }
            check_muscle(&place, a)?;
            finite(&place, "gear, gain or bias", a.gear.into_iter().chain(a.force.gain).chain(a.force.bias))?;
            nonnegative(&place, "the damping ratio", a.force.damping_ratio.unwrap_or(0.0))?;
            if let ActuatorDynamics::Filter { time_constant: t, .. } = a.dynamics
                && !(t > 0.0 && t.is_finite())
            {
                return fail(&place, format!("its time constant is {t}"), "give a positive time in s");
            }
            ordered(&place, "the control range", a.control_range)?;
            ordered(&place, "the force range", a.force_range)?;
            ordered(&place, "the activation range", a.activation_range)?;
        }
        Ok(())
    }

    fn check_sensors(&self) -> Check {
        for s in &self.sensors {
            let place = at(&s.place, "sensor", &s.name);
            nonnegative(&place, "the cutoff", s.cutoff)?;
            for o in [Some(s.object), s.reference].into_iter().flatten() {
                match o {
                    SensorObject::Body(i) | SensorObject::BodyFrame(i) | SensorObject::Subtree(i) => {
                        index(&place, "body", i, self.bodies.len())?;
                    }
                    SensorObject::Geom(i) => index(&place, "geom", i, self.geoms.len())?,
                    SensorObject::Site(i) => index(&place, "site", i, self.sites.len())?,
                    SensorObject::Joint(i) => index(&place, "joint", i, self.joints.len())?,
                    SensorObject::Tendon(i) => index(&place, "tendon", i, self.tendons.len())?,
                    SensorObject::Actuator(i) => index(&place, "actuator", i, self.actuators.len())?,
                    SensorObject::World => {}
                }
            }
        }
        Ok(())
    }

    fn check_keyframes(&self) -> Check {
        let na = self.actuators.iter().filter(|a| a.dynamics != ActuatorDynamics::None).count();
        for k in &self.keyframes {
            let place = Place { element: format!("key '{}'", k.name), ..Place::default() };
            for (what, have, want) in [
                ("positions", &k.q, self.nq()),
                ("velocities", &k.v, self.nv()),
                ("activations", &k.activation, na),
                ("controls", &k.control, self.actuators.len()),
            ] {
                if !have.is_empty() && have.len() != want {
                    return fail(
                        &place,
                        format!("it has {} {what} for {want}", have.len()),
                        format!("give {want}, or none"),
                    );
                }
                finite(&place, what, have.iter().copied())?;
            }
            let mocap = self.bodies.iter().filter(|b| b.mocap).count();
            if !k.mocap.is_empty() && k.mocap.len() != mocap {
                return fail(
                    &place,
                    format!("it has {} poses for {mocap} mocap bodies", k.mocap.len()),
                    "give all or none",
                );
            }
        }
        Ok(())
    }
}

fn check_muscle(place: &Place, a: &Actuator) -> Check {
    let m = a.force.muscle.unwrap_or_default();
    for c in [m.gain, m.bias].into_iter().flatten() {
        let numbers = c.range.into_iter().chain(c.active).chain([c.force.unwrap_or(0.0), c.scale]);
        finite(place, "the muscle", numbers.chain([c.speed, c.passive, c.lengthening]))?;
        if c.range[0] >= c.range[1] {
            return fail(
                place,
                format!("the range of the muscle is {:?}", c.range),
                "give the shorter length first",
            );
        }
    }
    ordered(place, "the range of lengths", m.length_range)?;
    match a.dynamics {
        ActuatorDynamics::Muscle { activation, deactivation, smoothing } => {
            nonnegative(place, "the time of activation", activation)?;
            nonnegative(place, "the time of deactivation", deactivation)?;
            nonnegative(place, "the smoothing of times", smoothing)
        }
        _ => Ok(()),
    }
}

fn check_shape(place: &Place, shape: &Shape) -> Check {
    match shape.wrong_size() {
        Some(s) => fail(place, format!("a size of the {} is {s} m", shape.name()), "give positive sizes"),
        None => Ok(()),
    }
}

fn check_surface(place: &Place, s: &Surface) -> Check {
    for (what, x) in [
        ("friction", s.friction),
        ("dynamic friction", s.friction_dynamic.unwrap_or(0.0)),
        ("torsional friction", s.friction_torsional),
        ("rolling friction", s.friction_rolling),
        ("dissipation", s.dissipation.unwrap_or(0.0)),
        ("solmix", s.solmix),
    ] {
        nonnegative(place, what, x)?;
    }
    if s.friction_dynamic.is_some_and(|d| d > s.friction) {
        return fail(place, "dynamic friction is above static friction", "give friction_dynamic <= friction");
    }
    if s.stiffness.is_some_and(|k| k.is_nan() || k <= 0.0) {
        return fail(
            place,
            format!("the stiffness is {:?}", s.stiffness),
            "give a positive stiffness in N/m, or none",
        );
    }
    if ![1, 3, 4, 6].contains(&s.condim) {
        return fail(place, format!("condim is {}", s.condim), "give one of: 1, 3, 4, 6");
    }
    let numbers = [s.margin, s.inactive_gap];
    finite(
        place,
        "the surface",
        numbers.into_iter().chain(s.velocity).chain(s.sol.solref).chain(s.sol.solimp),
    )
}
