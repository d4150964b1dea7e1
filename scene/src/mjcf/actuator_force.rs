//! Force law and activation dynamics of actuators: the general form, and the short forms for it.

use std::f64::consts::PI;

use crate::xml::{Element, Read};
use crate::{ActuatorDynamics, ActuatorForce, MuscleCurves, MuscleForce};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Dynamics {
    #[default]
    None,
    Integrator,
    Filter,
    FilterExact,
    Muscle,
}

/// Meaning of gain or bias parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Curve {
    /// The first parameter as gain; none as bias.
    Plain,
    Affine,
    Muscle,
}

/// Force law in MuJoCo's general form.
#[derive(Clone, Debug)]
pub(super) struct ForceSpec {
    /// The short form that stated the law; another short form does not go on from it.
    short_form: Option<&'static str>,
    pub(super) dynamics: Dynamics,
    times: [f64; 3],
    gain_curve: Curve,
    bias_curve: Curve,
    gain: [f64; 10],
    bias: [f64; 10],
    pub(super) inherit_range: f64,
}

fn first<const N: usize>(x: [f64; N]) -> [f64; 10] {
    let mut out = [0.0; 10];
    out[..N].copy_from_slice(&x);
    out
}

impl Default for ForceSpec {
    fn default() -> Self {
        Self {
            short_form: None,
            dynamics: Dynamics::None,
            times: [1.0, 0.0, 0.0],
            gain_curve: Curve::Plain,
            bias_curve: Curve::Plain,
            gain: first([1.0]),
            bias: [0.0; 10],
            inherit_range: 0.0,
        }
    }
}

pub(super) const SHORT_FORMS: [&str; 10] = [
    "general",
    "motor",
    "position",
    "velocity",
    "intvelocity",
    "damper",
    "cylinder",
    "adhesion",
    "muscle",
    "dcmotor",
];

/// Parameters of a muscle that states none, as MuJoCo has them: range, force (negative: from the scale), scale, lmin, lmax, vmax, fpmax, fvmax.
const MUSCLE: [f64; 9] = [0.75, 1.05, -1.0, 200.0, 0.5, 1.6, 1.5, 1.3, 1.2];

impl ForceSpec {
    /// Whether an element of this name goes on from the law.
    pub(super) fn goes_on(&self, form: &str) -> bool {
        form == "general" || form == "motor" || self.short_form.is_none_or(|f| f == form)
    }

    /// Reads an actuator's attributes over its class.
    pub(super) fn read(&mut self, e: &Element) -> Read<()> {
        let form = SHORT_FORMS.iter().find(|f| **f == e.name).copied().unwrap_or("general");
        if form == "general" {
            self.short_form = None;
            return self.read_general(e);
        }
        if form == "motor" || !self.goes_on(form) {
            *self = Self::default();
        }
        if self.short_form != Some(form) {
            self.dynamics = Dynamics::None;
        }
        let fresh = self.short_form != Some(form);
        self.short_form = Some(form);
        self.gain_curve = if form == "damper" { Curve::Affine } else { Curve::Plain };
        let affine = matches!(form, "position" | "velocity" | "intvelocity" | "cylinder" | "dcmotor");
        self.bias_curve = if affine { Curve::Affine } else { Curve::Plain };
        match form {
            "position" => self.read_position(e),
            "intvelocity" => {
                self.read_position(e)?;
                self.dynamics = Dynamics::Integrator;
                Ok(())
            }
            "velocity" => {
                let kv = e.nonnegative("kv")?.unwrap_or(self.gain[0]);
                (self.gain, self.bias) = (first([kv]), first([0.0, 0.0, -kv]));
                Ok(())
            }
            "damper" => {
                let kv = e.nonnegative("kv")?.unwrap_or(-self.gain[2]);
                (self.gain, self.bias) = (first([0.0, 0.0, -kv]), [0.0; 10]);
                Ok(())
            }
            "cylinder" => {
                self.dynamics = Dynamics::Filter;
                self.times[0] = e.positive("timeconst")?.unwrap_or(self.times[0]);
                let area = e.positive("area")?.unwrap_or(self.gain[0]);
                let area = e.positive("diameter")?.map_or(area, |d| PI * d * d / 4.0);
                self.gain = first([area]);
                e.fill("bias", 1, &mut self.bias[..3])?;
                Ok(())
            }
            "adhesion" => {
                let gain = e.nonnegative("gain")?.unwrap_or(self.gain[0]);
                (self.gain, self.bias) = (first([gain]), [0.0; 10]);
                Ok(())
            }
            "muscle" => self.read_muscle(e, fresh),
            "dcmotor" => self.read_dc_motor(e, fresh),
            _ => Ok(()),
        }
    }

    fn read_position(&mut self, e: &Element) -> Read<()> {
        let kp = e.number("kp")?.unwrap_or(self.gain[0]);
        if kp < 0.0 {
            return Err(e.invalid_at("kp", format!("kp is {kp}, which pushes away"), "write a gain >= 0"));
        }
        self.gain = first([kp]);
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
            self.times[0] = t;
            self.dynamics = if t > 0.0 { Dynamics::FilterExact } else { Dynamics::None };
        }
        self.inherit_range = e.nonnegative("inheritrange")?.unwrap_or(self.inherit_range);
        Ok(())
    }

    fn read_muscle(&mut self, e: &Element, fresh: bool) -> Read<()> {
        if fresh {
            self.times = [0.01, 0.04, 0.0];
            self.gain[..9].copy_from_slice(&MUSCLE);
        }
        self.dynamics = Dynamics::Muscle;
        (self.gain_curve, self.bias_curve) = (Curve::Muscle, Curve::Muscle);
        e.fill("timeconst", 2, &mut self.times[..2])?;
        self.times[2] = e.nonnegative("tausmooth")?.unwrap_or(self.times[2]);
        e.fill("range", 2, &mut self.gain[..2])?;
        for (k, name) in ["force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax"].into_iter().enumerate()
        {
            self.gain[2 + k] = e.number(name)?.unwrap_or(self.gain[2 + k]);
        }
        self.bias = self.gain;
        Ok(())
    }

    /// A motor whose control is a voltage: f = K/R (u − K l̇).
    fn read_dc_motor(&mut self, e: &Element, fresh: bool) -> Read<()> {
        for name in ["saturation", "inductance", "cogging", "controller", "thermal", "lugre", "input"] {
            if e.string(name).is_some_and(|v| v.split_ascii_whitespace().any(|x| x.parse() != Ok(0.0))) {
                let remedy = "remove it, which leaves its effect out of the motion: motorconst, resistance and nominal are read";
                return Err(e.unsupported_at(name, format!("the {name} of a DC motor"), remedy));
            }
        }
        // Motor constant and resistance stand behind the gain.
        let old = if fresh { [0.0; 2] } else { [self.gain[1], self.gain[2]] };
        let mut constants = [0.0; 2];
        let stated = e.fill("motorconst", 1, &mut constants)?;
        let mut resistance = e.positive("resistance")?.unwrap_or(old[1]);
        let mut nominal = [0.0; 3];
        e.fill("nominal", 1, &mut nominal)?;
        let [voltage, stall, idle] = nominal;
        if stated < 2 && constants[1] == 0.0 && voltage > 0.0 && idle > 0.0 {
            constants[1] = voltage / idle;
        }
        let constant = match constants {
            [a, b] if a > 0.0 && b > 0.0 => (a * b).sqrt(),
            [a, b] if a > 0.0 || b > 0.0 => a.max(b),
            _ => old[0],
        };
        if resistance == 0.0 && voltage > 0.0 && stall > 0.0 {
            resistance = constant * voltage / stall;
        }
        let gain = if resistance > 0.0 { constant / resistance } else { 0.0 };
        self.gain = first([gain, constant, resistance]);
        self.bias = first([0.0, 0.0, -gain * constant]);
        Ok(())
    }

    fn read_general(&mut self, e: &Element) -> Read<()> {
        let refuse = |what: &'static str| {
            let word = e.string(what).unwrap_or_default();
            Err(e.unsupported_at(
                what,
                format!("{what}=\"{word}\""),
                "use a fixed, affine or muscle gain and bias, with no, integrator, filter or muscle dynamics",
            ))
        };
        if matches!(e.string("dyntype"), Some("user" | "dcmotor" | "pid")) {
            return refuse("dyntype");
        }
        if matches!(e.string("gaintype"), Some("user" | "dcmotor" | "pid" | "so3")) {
            return refuse("gaintype");
        }
        if matches!(e.string("biastype"), Some("user" | "dcmotor" | "so3")) {
            return refuse("biastype");
        }
        let dynamics = [
            ("none", Dynamics::None),
            ("integrator", Dynamics::Integrator),
            ("filter", Dynamics::Filter),
            ("filterexact", Dynamics::FilterExact),
            ("muscle", Dynamics::Muscle),
        ];
        self.dynamics = e.word("dyntype", &dynamics)?.unwrap_or(self.dynamics);
        let curves = |plain| [(plain, Curve::Plain), ("affine", Curve::Affine), ("muscle", Curve::Muscle)];
        self.gain_curve = e.word("gaintype", &curves("fixed"))?.unwrap_or(self.gain_curve);
        self.bias_curve = e.word("biastype", &curves("none"))?.unwrap_or(self.bias_curve);
        let mut long = first(self.times);
        e.fill("dynprm", 1, &mut long)?;
        self.times.copy_from_slice(&long[..3]);
        e.fill("gainprm", 1, &mut self.gain)?;
        e.fill("biasprm", 1, &mut self.bias)?;
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

    /// Whether gain or bias are curves of a muscle.
    pub(super) fn is_muscle(&self) -> bool {
        self.gain_curve == Curve::Muscle || self.bias_curve == Curve::Muscle
    }

    /// Whether the control must not be negative.
    pub(super) fn needs_positive_control(&self) -> bool {
        matches!(self.short_form, Some("damper" | "adhesion"))
    }

    /// Whether the range of the control is that of what the actuator drives: a servo for position that says so.
    pub(super) fn inherits_range(&self) -> bool {
        let servo = (self.gain_curve, self.bias_curve) == (Curve::Plain, Curve::Affine);
        servo && self.gain[0] == -self.bias[1] && self.inherit_range > 0.0
    }

    /// Activation dynamics.
    pub(super) fn dynamics(&self, e: &Element) -> Read<ActuatorDynamics> {
        if self.short_form == Some("dcmotor") && self.gain[0] <= 0.0 {
            return Err(e.invalid(
                "the DC motor has no motor constant or no resistance",
                "write motorconst=\"...\" and resistance=\"...\", or nominal=\"voltage stall_torque no_load_speed\"",
            ));
        }
        let time_constant = self.times[0];
        Ok(match self.dynamics {
            Dynamics::None => ActuatorDynamics::None,
            Dynamics::Integrator => ActuatorDynamics::Integrator,
            Dynamics::Filter | Dynamics::FilterExact => {
                if time_constant <= 0.0 {
                    return Err(e.invalid_at(
                        "dynprm",
                        format!("the time constant of the filter is {time_constant}"),
                        "write a positive time constant in s",
                    ));
                }
                ActuatorDynamics::Filter { time_constant, exact: self.dynamics == Dynamics::FilterExact }
            }
            Dynamics::Muscle => {
                let [activation, deactivation, smoothing] = self.times;
                ActuatorDynamics::Muscle { activation, deactivation, smoothing }
            }
        })
    }

    /// The force law; `length_range` is that of a muscle.
    pub(super) fn law(&self, length_range: Option<[f64; 2]>) -> ActuatorForce {
        let coefficients = |curve, p: &[f64; 10], plain: f64| match curve {
            Curve::Plain => [plain, 0.0, 0.0],
            Curve::Affine => [p[0], p[1], p[2]],
            Curve::Muscle => [0.0; 3],
        };
        let gain = coefficients(self.gain_curve, &self.gain, self.gain[0]);
        let mut bias = coefficients(self.bias_curve, &self.bias, 0.0);
        let mut damping_ratio = None;
        if (self.gain_curve, self.bias_curve) == (Curve::Plain, Curve::Affine)
            && gain[0] == -bias[1]
            && bias[2] > 0.0
        {
            damping_ratio = Some(bias[2]);
            bias[2] = 0.0;
        }
        let curves = |curve, p: &[f64; 10]| (curve == Curve::Muscle).then(|| muscle_curves(p));
        let (of_gain, of_bias) = (curves(self.gain_curve, &self.gain), curves(self.bias_curve, &self.bias));
        let muscle = (of_gain.is_some() || of_bias.is_some()).then_some(MuscleForce {
            gain: of_gain,
            bias: of_bias,
            length_range,
        });
        ActuatorForce { gain, bias, damping_ratio, muscle }
    }
}

fn muscle_curves(p: &[f64; 10]) -> MuscleCurves {
    MuscleCurves {
        range: [p[0], p[1]],
        force: (p[2] >= 0.0).then_some(p[2]),
        scale: p[3],
        active: [p[4], p[5]],
        speed: p[6],
        passive: p[7],
        lengthening: p[8],
    }
}
