//! `<actuator>`: motors, servos and the general form that all of them are short for.

use std::f64::consts::PI;

use super::Reader;
use super::joint::{Limited, limits, linear_coefficient, read_limited};
use crate::xml::{Element, Read};
use crate::{Actuator, ActuatorDynamics, ActuatorForce, JointKind, NoteKind, Transmission};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Dynamics {
    #[default]
    None,
    Integrator,
    Filter,
    FilterExact,
}

/// Statements of an actuator over its class, in MuJoCo's general form.
#[derive(Clone, Debug)]
pub(super) struct ActuatorSpec {
    /// The short form that set the parameters last; another short form does not inherit them.
    short_form: Option<&'static str>,
    dynamics: Dynamics,
    time_constant: f64,
    affine_gain: bool,
    affine_bias: bool,
    gain: [f64; 3],
    bias: [f64; 3],
    gear: [f64; 6],
    control_range: [f64; 2],
    control_limited: Limited,
    force_range: [f64; 2],
    force_limited: Limited,
    activation_range: [f64; 2],
    activation_limited: Limited,
    act_early: bool,
    inherit_range: f64,
    damping: f64,
    armature: f64,
}

impl Default for ActuatorSpec {
    fn default() -> Self {
        Self {
            short_form: None,
            dynamics: Dynamics::None,
            time_constant: 1.0,
            affine_gain: false,
            affine_bias: false,
            gain: [1.0, 0.0, 0.0],
            bias: [0.0; 3],
            gear: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            control_range: [0.0; 2],
            control_limited: Limited::Auto,
            force_range: [0.0; 2],
            force_limited: Limited::Auto,
            activation_range: [0.0; 2],
            activation_limited: Limited::Auto,
            act_early: false,
            inherit_range: 0.0,
            damping: 0.0,
            armature: 0.0,
        }
    }
}

const SHORT_FORMS: [&str; 8] =
    ["general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "adhesion"];

impl ActuatorSpec {
    /// Reads an actuator's attributes over its class.
    pub(super) fn read(&mut self, e: &Element) -> Read<()> {
        self.read_common(e)?;
        let form = SHORT_FORMS.iter().find(|f| **f == e.name).copied().unwrap_or("general");
        if form == "general" {
            self.short_form = None;
            return self.read_general(e);
        }
        if form == "motor" || self.short_form.is_some_and(|f| f != form) {
            let fresh = Self::default();
            (self.gain, self.bias, self.time_constant) = (fresh.gain, fresh.bias, fresh.time_constant);
        }
        if self.short_form != Some(form) {
            self.dynamics = Dynamics::None;
        }
        self.short_form = Some(form);
        self.affine_gain = form == "damper";
        self.affine_bias = matches!(form, "position" | "velocity" | "intvelocity" | "cylinder");
        match form {
            "position" => self.read_position(e),
            "intvelocity" => {
                self.read_position(e)?;
                self.dynamics = Dynamics::Integrator;
                Ok(())
            }
            "velocity" => {
                let kv = e.nonnegative("kv")?.unwrap_or(self.gain[0]);
                (self.gain, self.bias) = ([kv, 0.0, 0.0], [0.0, 0.0, -kv]);
                Ok(())
            }
            "damper" => {
                let kv = e.nonnegative("kv")?.unwrap_or(-self.gain[2]);
                (self.gain, self.bias) = ([0.0, 0.0, -kv], [0.0; 3]);
                self.control_limited = Limited::Yes;
                Ok(())
            }
            "cylinder" => {
                self.dynamics = Dynamics::Filter;
                self.time_constant = e.positive("timeconst")?.unwrap_or(self.time_constant);
                let area = e.positive("area")?.unwrap_or(self.gain[0]);
                let area = e.positive("diameter")?.map_or(area, |d| PI * d * d / 4.0);
                self.gain = [area, 0.0, 0.0];
                e.fill("bias", 1, &mut self.bias)?;
                Ok(())
            }
            "adhesion" => {
                let gain = e.nonnegative("gain")?.unwrap_or(self.gain[0]);
                (self.gain, self.bias) = ([gain, 0.0, 0.0], [0.0; 3]);
                self.control_limited = Limited::Yes;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn read_position(&mut self, e: &Element) -> Read<()> {
        let kp = e.number("kp")?.unwrap_or(self.gain[0]);
        if kp < 0.0 {
            return Err(e.invalid_at("kp", format!("kp is {kp}, which pushes away"), "write a gain >= 0"));
        }
        self.gain = [kp, 0.0, 0.0];
        (self.bias[0], self.bias[1]) = (0.0, -kp);
        let kv = e.nonnegative("kv")?;
        let ratio = e.nonnegative("dampratio")?;
        match (kv, ratio) {
            (Some(_), Some(_)) => {
                return Err(e.invalid_at("dampratio", "both 'kv' and 'dampratio' are given", "keep one"));
            }
            (Some(kv), None) => self.bias[2] = -kv,
            // A positive entry stands for a damping ratio, as in MuJoCo.
            (None, Some(ratio)) => self.bias[2] = ratio,
            (None, None) => {}
        }
        if e.name == "position"
            && let Some(t) = e.nonnegative("timeconst")?
        {
            self.time_constant = t;
            self.dynamics = if t > 0.0 { Dynamics::FilterExact } else { Dynamics::None };
        }
        self.inherit_range = e.nonnegative("inheritrange")?.unwrap_or(self.inherit_range);
        Ok(())
    }

    fn read_general(&mut self, e: &Element) -> Read<()> {
        let refuse = |what: &'static str| {
            let word = e.string(what).unwrap_or_default();
            Err(e.unsupported_at(
                what,
                format!("{what}=\"{word}\""),
                "use a fixed or affine gain and bias, with no, integrator or filter dynamics",
            ))
        };
        if matches!(e.string("dyntype"), Some("muscle" | "user" | "dcmotor" | "pid")) {
            return refuse("dyntype");
        }
        if matches!(e.string("gaintype"), Some("muscle" | "user" | "dcmotor" | "pid" | "so3")) {
            return refuse("gaintype");
        }
        if matches!(e.string("biastype"), Some("muscle" | "user" | "dcmotor" | "so3")) {
            return refuse("biastype");
        }
        let dynamics = [
            ("none", Dynamics::None),
            ("integrator", Dynamics::Integrator),
            ("filter", Dynamics::Filter),
            ("filterexact", Dynamics::FilterExact),
        ];
        self.dynamics = e.word("dyntype", &dynamics)?.unwrap_or(self.dynamics);
        self.affine_gain =
            e.word("gaintype", &[("fixed", false), ("affine", true)])?.unwrap_or(self.affine_gain);
        self.affine_bias =
            e.word("biastype", &[("none", false), ("affine", true)])?.unwrap_or(self.affine_bias);
        let mut long = [0.0; 10];
        long[0] = self.time_constant;
        e.fill("dynprm", 1, &mut long)?;
        self.time_constant = long[0];
        for (name, out) in [("gainprm", &mut self.gain), ("biasprm", &mut self.bias)] {
            let mut long = [0.0; 10];
            long[..3].copy_from_slice(out);
            e.fill(name, 1, &mut long)?;
            out.copy_from_slice(&long[..3]);
        }
        self.act_early = e.boolean("actearly")?.unwrap_or(self.act_early);
        if e.number("actdim")?.is_some_and(|d| d > 1.0) {
            return Err(e.unsupported_at(
                "actdim",
                "an activation of several numbers",
                "remove the attribute",
            ));
        }
        self.inherit_range = e.nonnegative("inheritrange")?.unwrap_or(self.inherit_range);
        for name in ["velrange", "ffrange", "input"] {
            if e.has(name) {
                return Err(e.unsupported_at(name, format!("the attribute {name}"), "remove the attribute"));
            }
        }
        Ok(())
    }

    fn read_common(&mut self, e: &Element) -> Read<()> {
        e.fill("gear", 1, &mut self.gear)?;
        e.fill("ctrlrange", 2, &mut self.control_range)?;
        read_limited(e, "ctrllimited", &mut self.control_limited)?;
        e.fill("forcerange", 2, &mut self.force_range)?;
        read_limited(e, "forcelimited", &mut self.force_limited)?;
        e.fill("actrange", 2, &mut self.activation_range)?;
        read_limited(e, "actlimited", &mut self.activation_limited)?;
        self.damping = linear_coefficient(e, "damping", self.damping)?;
        self.armature = e.nonnegative("armature")?.unwrap_or(self.armature);
        if e.number("delay")?.is_some_and(|d| d != 0.0) {
            return Err(e.unsupported_at("delay", "a delay of the control", "remove the attribute"));
        }
        // Sample buffers without delay, and length ranges, which serve muscles, do not act.
        e.skip_attributes(&["group", "user", "nsample", "interp", "lengthrange", "cranklength"]);
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
                    "muscle" | "plugin" | "dcmotor" | "pid" | "orientation" | "user" => c.unsupported(
                        format!("<{}> actuator", c.name),
                        "use <motor>, <position>, <velocity> or <general>",
                    ),
                    _ => e.unknown_child(c, &SHORT_FORMS),
                });
            }
            let mut s = self.defaults.of(c, 0)?.actuator.clone();
            s.read(c)?;
            let transmission = self.transmission(c)?;
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

    fn transmission(&self, e: &Element) -> Read<Transmission> {
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
        if e.nonempty("cranksite").is_some() || e.nonempty("slidersite").is_some() {
            return Err(e.unsupported_at(
                "cranksite",
                "a slider-crank transmission",
                "model crank and slider as bodies with a <connect> equality",
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
                "write one of: joint, jointinparent, tendon, site, body",
            )),
        }
    }

    /// Damping and armature of an actuator act at the joint or tendon that it drives.
    fn reflect(&mut self, e: &Element, s: &ActuatorSpec, t: &Transmission) {
        if s.damping == 0.0 && s.armature == 0.0 {
            return;
        }
        let ratio = s.gear[0] * s.gear[0];
        let (damping, armature) = match *t {
            Transmission::Joint(j) | Transmission::JointInParent(j) => {
                let joint = &mut self.scene.joints[j];
                (&mut joint.damping, &mut joint.armature)
            }
            Transmission::Tendon(i) => {
                let tendon = &mut self.scene.tendons[i];
                (&mut tendon.damping, &mut tendon.armature)
            }
            _ => return,
        };
        *damping += ratio * s.damping;
        *armature += ratio * s.armature;
        self.notes.add(
            NoteKind::Converted,
            e,
            "damping and armature of the actuator, times gear squared, are added to what it drives",
        );
    }

    fn actuator(&self, e: &Element, s: &ActuatorSpec, transmission: Transmission) -> Read<Actuator> {
        let mut gain = s.gain;
        if !s.affine_gain {
            (gain[1], gain[2]) = (0.0, 0.0);
        }
        let mut bias = if s.affine_bias { s.bias } else { [0.0; 3] };
        let mut damping_ratio = None;
        if s.affine_bias && !s.affine_gain && gain[0] == -bias[1] && bias[2] > 0.0 {
            damping_ratio = Some(bias[2]);
            bias[2] = 0.0;
        }
        let dynamics = match s.dynamics {
            Dynamics::None => ActuatorDynamics::None,
            Dynamics::Integrator => ActuatorDynamics::Integrator,
            Dynamics::Filter | Dynamics::FilterExact => {
                if s.time_constant <= 0.0 {
                    return Err(e.invalid_at(
                        "dynprm",
                        format!("the time constant of the filter is {}", s.time_constant),
                        "write a positive time constant in s",
                    ));
                }
                let exact = s.dynamics == Dynamics::FilterExact;
                ActuatorDynamics::Filter { time_constant: s.time_constant, exact }
            }
        };
        let c = &self.compiler;
        let mut control_range = limits(e, "ctrlrange", "ctrllimited", s.control_range, s.control_limited, c)?;
        let mut activation_range =
            limits(e, "actrange", "actlimited", s.activation_range, s.activation_limited, c)?;
        if s.short_form.is_some_and(|f| f == "damper" || f == "adhesion")
            && control_range.is_some_and(|r| r[0] < 0.0)
        {
            return Err(e.invalid_at(
                "ctrlrange",
                "the control can be negative",
                "write ctrlrange=\"0 high\"",
            ));
        }
        if s.inherit_range > 0.0 {
            let (slot, stated) = match s.dynamics {
                Dynamics::Integrator => (&mut activation_range, s.activation_range),
                _ => (&mut control_range, s.control_range),
            };
            if stated != [0.0; 2] {
                return Err(e.invalid_at(
                    "inheritrange",
                    "a range and 'inheritrange' are both given",
                    "keep one; inheritrange=\"0\" switches an inherited one off",
                ));
            }
            *slot = Some(self.inherited_range(e, s.inherit_range, &transmission)?);
        }
        Ok(Actuator {
            name: String::new(),
            transmission,
            gear: s.gear,
            dynamics,
            force: ActuatorForce { gain, bias, damping_ratio },
            control_range,
            force_range: limits(e, "forcerange", "forcelimited", s.force_range, s.force_limited, c)?,
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
