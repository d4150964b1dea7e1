//! `<actuator>`: motors, servos, muscles and the general form that all of them are short for.

use super::Reader;
use super::actuator_force::{Dynamics, ForceSpec, SHORT_FORMS};
use super::joint::{Limited, limits, read_coefficients, read_limited, read_range};
use crate::xml::{Element, Read};
use crate::{Actuator, ActuatorForce, JointKind, NoteKind, Transmission};

/// Statements of an actuator over its class, in MuJoCo's general form.
#[derive(Clone, Debug)]
pub(super) struct ActuatorSpec {
    force: ForceSpec,
    /// Force laws of the classes above, the outermost first: a short form goes on from the nearest that it stated.
    above: Vec<ForceSpec>,
    gear: [f64; 6],
    control_range: [f64; 2],
    control_limited: Limited,
    force_range: [f64; 2],
    force_limited: Limited,
    activation_range: [f64; 2],
    activation_limited: Limited,
    act_early: bool,
    damping: [f64; 3],
    armature: f64,
    crank_length: f64,
    length_range: [f64; 2],
    group: i64,
}

impl Default for ActuatorSpec {
    fn default() -> Self {
        Self {
            force: ForceSpec::default(),
            above: Vec::new(),
            gear: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            control_range: [0.0; 2],
            control_limited: Limited::Auto,
            force_range: [0.0; 2],
            force_limited: Limited::Auto,
            activation_range: [0.0; 2],
            activation_limited: Limited::Auto,
            act_early: false,
            damping: [0.0; 3],
            armature: 0.0,
            crank_length: 0.0,
            length_range: [0.0; 2],
            group: 0,
        }
    }
}

impl ActuatorSpec {
    /// Begins a class below.
    pub(super) fn begin_class(&mut self) {
        self.above.push(self.force.clone());
    }

    /// Reads an actuator's attributes over its class.
    pub(super) fn read(&mut self, e: &Element) -> Read<()> {
        self.read_common(e)?;
        if !self.force.goes_on(&e.name)
            && let Some(law) = self.above.iter().rev().find(|f| f.goes_on(&e.name))
        {
            self.force = law.clone();
        }
        self.force.read(e)?;
        if matches!(e.name.as_str(), "damper" | "adhesion") {
            self.control_limited = Limited::Yes;
        }
        if e.name == "general" {
            self.act_early = e.boolean("actearly")?.unwrap_or(self.act_early);
        }
        Ok(())
    }

    fn read_common(&mut self, e: &Element) -> Read<()> {
        e.fill("gear", 1, &mut self.gear)?;
        read_range(e, "ctrlrange", &mut self.control_range)?;
        read_limited(e, "ctrllimited", &mut self.control_limited)?;
        read_range(e, "forcerange", &mut self.force_range)?;
        read_limited(e, "forcelimited", &mut self.force_limited)?;
        read_range(e, "actrange", &mut self.activation_range)?;
        read_limited(e, "actlimited", &mut self.activation_limited)?;
        e.fill("lengthrange", 2, &mut self.length_range)?;
        self.crank_length = e.nonnegative("cranklength")?.unwrap_or(self.crank_length);
        read_coefficients(e, "damping", &mut self.damping)?;
        self.armature = e.nonnegative("armature")?.unwrap_or(self.armature);
        self.group = e.integer("group")?.unwrap_or(self.group);
        if e.number("delay")?.is_some_and(|d| d != 0.0) {
            return Err(e.unsupported_at(
                "delay",
                "a delay of the control",
                "remove the attribute: the control then acts at once",
            ));
        }
        // Sample buffers without delay do not act.
        e.skip_attributes(&["user", "nsample", "interp"]);
        Ok(())
    }
}

impl Reader<'_> {
    /// Reads `<actuator>`.
    pub(super) fn read_actuators(&mut self, e: &Element) -> Read<()> {
        e.finish()?;
        for c in &e.children {
            if !SHORT_FORMS.contains(&c.name.as_str()) {
                return Err(match c.name.as_str() {
                    "pid" => c.unsupported(
                        "<pid> actuator",
                        "use <position> with kp and kv, which leaves out the integral part: a lasting load then moves the rest position by load/kp",
                    ),
                    "plugin" | "orientation" | "user" => c.unsupported(
                        format!("<{}> actuator", c.name),
                        "use <motor>, <position>, <velocity> or <general>",
                    ),
                    _ => e.unknown_child(c, &SHORT_FORMS),
                });
            }
            let mut s = self.defaults.of(c, 0)?.actuator.clone();
            s.read(c)?;
            let transmission = self.transmission(c, &s)?;
            let name = c.nonempty("name").map(str::to_owned);
            let place = c.place();
            self.names.actuators.add(name.as_deref(), self.scene.actuators.len(), &place)?;
            c.skip_attributes(&["class"]);
            c.no_children()?;
            c.finish()?;
            self.reflect(c, &s, &transmission);
            let actuator = self.actuator(c, &s, transmission)?;
            self.scene.actuators.push(Actuator { name: name.unwrap_or_default(), place, ..actuator });
        }
        Ok(())
    }

    fn transmission(&self, e: &Element, s: &ActuatorSpec) -> Read<Transmission> {
        let n = &self.names;
        let scalar = |j: usize| matches!(self.scene.joints[j].kind, JointKind::Hinge | JointKind::Slide);
        let mut found = Vec::new();
        found.extend(n.joints.get(e, "joint")?.map(Transmission::Joint));
        found.extend(
            n.joints
                .get(e, "jointinparent")?
                .map(|j| if scalar(j) { Transmission::Joint(j) } else { Transmission::JointInParent(j) }),
        );
        found.extend(n.tendons.get(e, "tendon")?.map(Transmission::Tendon));
        let reference = n.sites.get(e, "refsite")?;
        found.extend(n.sites.get(e, "site")?.map(|site| Transmission::Site { site, reference }));
        found.extend(n.bodies.get(e, "body")?.map(Transmission::Body));
        let slider = n.sites.get(e, "slidersite")?;
        if let Some(crank) = n.sites.get(e, "cranksite")? {
            let slider = slider.ok_or_else(|| {
                e.invalid("'cranksite' is given without 'slidersite'", "write slidersite=\"...\"")
            })?;
            if s.crank_length <= 0.0 {
                return Err(e.invalid_at(
                    "cranklength",
                    "the rod between crank and slider has no length",
                    "write cranklength=\"...\" in m",
                ));
            }
            found.push(Transmission::SliderCrank { crank, slider, rod: s.crank_length });
        } else if slider.is_some() {
            return Err(e.invalid_at(
                "slidersite",
                "'slidersite' is given without 'cranksite'",
                "write cranksite=\"...\"",
            ));
        }
        match found.pop() {
            Some(t) if found.is_empty() => {
                if reference.is_some() && !matches!(t, Transmission::Site { .. }) {
                    return Err(e.invalid_at(
                        "refsite",
                        "'refsite' is given without 'site'",
                        "write site=\"...\"",
                    ));
                }
                Ok(t)
            }
            Some(_) => Err(e.invalid("the actuator has several transmissions", "keep one")),
            None => Err(e.invalid(
                "the actuator has no transmission",
                "write one of: joint, jointinparent, tendon, site, body, cranksite",
            )),
        }
    }

    /// Damping and armature of an actuator act at the joint or tendon that it drives.
    fn reflect(&mut self, e: &Element, s: &ActuatorSpec, t: &Transmission) {
        if s.damping == [0.0; 3] && s.armature == 0.0 {
            return;
        }
        let ratio = s.gear[0] * s.gear[0];
        let (damping, beyond, armature) = match *t {
            Transmission::Joint(j) | Transmission::JointInParent(j) => {
                let joint = &mut self.scene.joints[j];
                (&mut joint.damping, &mut joint.higher_order, &mut joint.armature)
            }
            Transmission::Tendon(i) => {
                let tendon = &mut self.scene.tendons[i];
                (&mut tendon.damping, &mut tendon.higher_order, &mut tendon.armature)
            }
            _ => return,
        };
        *damping += ratio * s.damping[0];
        beyond.damping.iter_mut().zip(&s.damping[1..]).for_each(|(c, own)| *c += ratio * own);
        *armature += ratio * s.armature;
        self.notes.add(
            NoteKind::Converted,
            e,
            "damping and armature of the actuator, times gear squared, are added to what it drives",
        );
    }

    fn actuator(&mut self, e: &Element, s: &ActuatorSpec, transmission: Transmission) -> Read<Actuator> {
        let dynamics = s.force.dynamics(e)?;
        self.note_empty_ranges(
            e,
            &[
                ("ctrlrange", s.control_range, s.control_limited),
                ("forcerange", s.force_range, s.force_limited),
                ("actrange", s.activation_range, s.activation_limited),
            ],
        );
        let c = &self.compilers[e.origin];
        let mut control_range = limits(e, "ctrlrange", "ctrllimited", s.control_range, s.control_limited, c)?;
        let mut activation_range =
            limits(e, "actrange", "actlimited", s.activation_range, s.activation_limited, c)?;
        if s.force.needs_positive_control() && control_range.is_some_and(|r| r[0] < 0.0) {
            return Err(e.invalid_at(
                "ctrlrange",
                "the control can be negative",
                "write ctrlrange=\"0 high\"",
            ));
        }
        if s.force.inherits_range() {
            let (slot, stated) = match s.force.dynamics {
                Dynamics::Integrator => (&mut activation_range, s.activation_range),
                _ => (&mut control_range, s.control_range),
            };
            if stated != [0.0; 2] && e.name != "general" {
                return Err(e.invalid_at(
                    "inheritrange",
                    "a range and 'inheritrange' are both given",
                    "keep one; inheritrange=\"0\" switches an inherited one off",
                ));
            }
            *slot = Some(self.inherited_range(e, s.force.inherit_range, &transmission)?);
            if stated != [0.0; 2] {
                self.notes.add(
                    NoteKind::Converted,
                    e,
                    "inheritrange replaces the range that is stated, as in MuJoCo",
                );
            }
        }
        if s.force.is_muscle() && s.length_range == [0.0; 2] {
            let text = "the muscle states no lengthrange: that of the limits of its joints is taken; MuJoCo finds it by simulation, a little \
                        beyond the limits";
            self.notes.add(NoteKind::Warning, e, text);
        }
        let length_range = (s.length_range != [0.0; 2]).then_some(s.length_range);
        let mut force = s.force.law(length_range);
        if self.scene.options.disabled_actuator_groups.contains(&s.group) {
            force = ActuatorForce::default();
            let text = format!("the actuator has no force: actuatorgroupdisable names its group {}", s.group);
            self.notes.add(NoteKind::Converted, e, text);
        }
        Ok(Actuator {
            name: String::new(),
            transmission,
            gear: s.gear,
            dynamics,
            force,
            control_range,
            force_range: limits(
                e,
                "forcerange",
                "forcelimited",
                s.force_range,
                s.force_limited,
                &self.compilers[e.origin],
            )?,
            activation_range,
            act_early: s.act_early,
            place: crate::Place::default(),
        })
    }

    fn inherited_range(&self, e: &Element, factor: f64, t: &Transmission) -> Read<[f64; 2]> {
        let range = match *t {
            Transmission::Joint(j) => self.scene.joints[j].range,
            Transmission::Tendon(i) => self.scene.tendons[i].range,
            _ => None,
        };
        let [low, high] = range.ok_or_else(|| {
            e.invalid_at(
                "inheritrange",
                "what the actuator drives has no range to inherit",
                "give the joint or tendon a range, or state ctrlrange",
            )
        })?;
        let (mean, radius) = (0.5 * (low + high), 0.5 * (high - low) * factor);
        Ok([mean - radius, mean + radius])
    }
}
