//! `<joint>` and `<freejoint>`.

use signorini_core::na::{Point3, Unit, Vector3};

use super::Reader;
use super::compiler::Compiler;
use super::geom::read_sol;
use crate::xml::{Element, Read};
use crate::{HigherOrder, Joint, JointKind, NoteKind, Pose, SolParams};

/// `true`, `false` or left to `autolimits`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Limited {
    #[default]
    Auto,
    Yes,
    No,
}

/// Reads `limited`, `ctrllimited` and the like.
pub(super) fn read_limited(e: &Element, name: &'static str, out: &mut Limited) -> Read<()> {
    let words = [
        ("true", Limited::Yes),
        ("false", Limited::No),
        ("auto", Limited::Auto),
        ("1", Limited::Yes),
        ("0", Limited::No),
    ];
    if let Some(l) = e.word(name, &words)? {
        *out = l;
    }
    Ok(())
}

/// Number that stands for an end at infinity: MuJoCo's largest.
const UNBOUNDED: f64 = 1e10;

/// Reads a range over `out`; its ends may be infinite.
pub(super) fn read_range(e: &Element, name: &'static str, out: &mut [f64; 2]) -> Read<()> {
    let ends = |t: &str| t.split_ascii_whitespace().map(str::parse).collect::<Result<Vec<f64>, _>>();
    if let Some(Ok(x)) = e.string(name).map(ends)
        && let [low, high] = x[..]
        && (low.is_infinite() || high.is_infinite())
        && !low.is_nan()
        && !high.is_nan()
    {
        *out = [low.clamp(-UNBOUNDED, UNBOUNDED), high.clamp(-UNBOUNDED, UNBOUNDED)];
        return Ok(());
    }
    e.fill(name, 2, out).map(|_| ())
}

/// The limits that a range and its switch mean together.
pub(super) fn limits(
    e: &Element,
    range_name: &str,
    switch_name: &str,
    range: [f64; 2],
    limited: Limited,
    compiler: &Compiler,
) -> Read<Option<[f64; 2]>> {
    let [low, high] = range;
    match limited {
        Limited::No => return Ok(None),
        _ if low <= -UNBOUNDED && high >= UNBOUNDED => return Ok(None),
        // As in MuJoCo, also where it is stated.
        Limited::Auto if low >= high => return Ok(None),
        Limited::Auto if !compiler.autolimits => {
            return Err(e.invalid_at(
                range_name,
                format!("'{range_name}' is given without '{switch_name}', and autolimits is false"),
                format!(
                    "write {switch_name}=\"true\" or \"false\", or set autolimits=\"true\" in <compiler>"
                ),
            ));
        }
        _ => {}
    }
    if range[0] >= range[1] {
        return Err(e.invalid_at(
            range_name,
            format!("'{range_name}' is ({}, {}): the first is not below the second", range[0], range[1]),
            format!("write {range_name}=\"low high\" with low < high, or {switch_name}=\"false\""),
        ));
    }
    Ok(Some(range))
}

/// Reads the coefficients of a polynomial over `out`, one to three of them; the first is not negative.
pub(super) fn read_coefficients(e: &Element, name: &'static str, out: &mut [f64; 3]) -> Read<()> {
    e.fill(name, 1, out)?;
    if out[0] < 0.0 {
        return Err(e.invalid_at(
            name,
            format!("attribute '{name}' is {}, which is negative", out[0]),
            "write a number that is zero or positive",
        ));
    }
    Ok(())
}

/// Coefficients beyond the first of a spring and a damper.
pub(super) fn higher_order(stiffness: &[f64; 3], damping: &[f64; 3]) -> HigherOrder {
    let beyond = |c: &[f64; 3]| [c[1], c[2]];
    HigherOrder { stiffness: beyond(stiffness), damping: beyond(damping) }
}

/// Statements of a joint over its class.
#[derive(Clone, Debug)]
pub(super) struct JointSpec {
    kind: JointKind,
    anchor: Vector3<f64>,
    axis: Vector3<f64>,
    range: [f64; 2],
    limited: Limited,
    force_range: [f64; 2],
    force_limited: Limited,
    gravity_compensation: bool,
    margin: f64,
    reference: f64,
    spring_reference: f64,
    stiffness: [f64; 3],
    damping: [f64; 3],
    /// Time constant \[s\] and damping ratio from which stiffness and damping follow; zero for none.
    spring_damper: [f64; 2],
    armature: f64,
    dry_friction: f64,
    limit_sol: SolParams,
    friction_sol: SolParams,
}

impl Default for JointSpec {
    fn default() -> Self {
        Self {
            kind: JointKind::Hinge,
            anchor: Vector3::zeros(),
            axis: Vector3::z(),
            range: [0.0; 2],
            limited: Limited::Auto,
            force_range: [0.0; 2],
            force_limited: Limited::Auto,
            gravity_compensation: false,
            margin: 0.0,
            reference: 0.0,
            spring_reference: 0.0,
            stiffness: [0.0; 3],
            damping: [0.0; 3],
            spring_damper: [0.0; 2],
            armature: 0.0,
            dry_friction: 0.0,
            limit_sol: SolParams::default(),
            friction_sol: SolParams::default(),
        }
    }
}

impl JointSpec {
    /// Reads a joint's attributes over its class.
    pub(super) fn read(&mut self, e: &Element) -> Read<()> {
        let kinds = [
            ("free", JointKind::Free),
            ("ball", JointKind::Ball),
            ("slide", JointKind::Slide),
            ("hinge", JointKind::Hinge),
        ];
        self.kind = e.word("type", &kinds)?.unwrap_or(self.kind);
        if let Some(p) = e.vector::<3>("pos")? {
            self.anchor = p.into();
        }
        if let Some(a) = e.vector::<3>("axis")? {
            self.axis = a.into();
        }
        read_range(e, "range", &mut self.range)?;
        read_limited(e, "limited", &mut self.limited)?;
        read_range(e, "actuatorfrcrange", &mut self.force_range)?;
        read_limited(e, "actuatorfrclimited", &mut self.force_limited)?;
        self.gravity_compensation = e.boolean("actuatorgravcomp")?.unwrap_or(self.gravity_compensation);
        self.margin = e.number("margin")?.unwrap_or(self.margin);
        self.reference = e.number("ref")?.unwrap_or(self.reference);
        self.spring_reference = e.number("springref")?.unwrap_or(self.spring_reference);
        read_coefficients(e, "stiffness", &mut self.stiffness)?;
        read_coefficients(e, "damping", &mut self.damping)?;
        self.armature = e.nonnegative("armature")?.unwrap_or(self.armature);
        self.dry_friction = e.nonnegative("frictionloss")?.unwrap_or(self.dry_friction);
        read_sol(e, "solreflimit", "solimplimit", &mut self.limit_sol)?;
        read_sol(e, "solreffriction", "solimpfriction", &mut self.friction_sol)?;
        if e.fill("springdamper", 2, &mut self.spring_damper)? > 0 {
            let [time, ratio] = self.spring_damper;
            if time < 0.0 || ratio < 0.0 {
                return Err(e.invalid_at(
                    "springdamper",
                    format!("springdamper is {time} {ratio}: one is negative"),
                    "write a time constant in s and a damping ratio, both positive",
                ));
            }
        }
        if e.number("springyield")?.is_some_and(|y| y != 0.0) {
            return Err(e.unsupported_at("springyield", "a spring that yields", "remove the attribute"));
        }
        e.skip_attributes(&["group", "user"]);
        Ok(())
    }
}

impl Reader<'_> {
    /// Notes ranges that MuJoCo takes as none because the first number is not below the second.
    pub(super) fn note_empty_ranges(&mut self, e: &Element, ranges: &[(&str, [f64; 2], Limited)]) {
        for (name, [low, high], limited) in ranges {
            if *limited == Limited::Auto && low >= high && [*low, *high] != [0.0; 2] {
                let text = format!(
                    "'{name}' is ({low}, {high}): the first is not below the second, so that nothing is limited, as in MuJoCo"
                );
                self.notes.add(NoteKind::Warning, e, text);
            }
        }
    }

    /// A joint of a body; `frame` is the pose of the enclosing frames in the body.
    pub(super) fn add_joint(&mut self, e: &Element, body: usize, class: usize, frame: &Pose) -> Read<()> {
        let free = e.name == "freejoint";
        let mut align = None;
        let mut spec = JointSpec { kind: JointKind::Free, ..JointSpec::default() };
        if free {
            let words = [("true", Some(true)), ("false", Some(false)), ("auto", None)];
            align = e.word("align", &words)?.flatten();
            e.skip_attributes(&["group"]);
        } else {
            spec = self.defaults.of(e, class)?.joint.clone();
            spec.read(e)?;
            e.skip_attributes(&["class"]);
        }
        let name = e.nonempty("name").map(str::to_owned);
        e.no_children()?;
        e.finish()?;
        self.check_joint_order(e, body, spec.kind)?;
        if spec.kind == JointKind::Free && align.unwrap_or(self.compilers[e.origin].align_free) {
            self.masses.aligned.push(body);
        }
        let place = e.place();
        self.names.joints.add(name.as_deref(), self.scene.joints.len(), &place)?;
        let joint = self.joint(e, &spec, body, frame)?;
        if spec.kind != JointKind::Free {
            self.note_empty_ranges(e, &[("range", spec.range, spec.limited)]);
            let force = ("actuatorfrcrange", spec.force_range, spec.force_limited);
            self.note_empty_ranges(e, &[force]);
        }
        if spec.spring_damper.iter().all(|x| *x > 0.0) {
            self.spring_dampers.push((self.scene.joints.len(), spec.spring_damper));
            if spec.stiffness[0] != 0.0 || spec.damping[0] != 0.0 {
                let text = "springdamper replaces the stiffness and damping that are stated, as in MuJoCo";
                self.notes.add(NoteKind::Converted, e, text);
            }
        }
        self.scene.joints.push(Joint { name: name.unwrap_or_default(), place, ..joint });
        Ok(())
    }

    fn joint(&self, e: &Element, s: &JointSpec, body: usize, frame: &Pose) -> Read<Joint> {
        let axis = match s.kind {
            JointKind::Hinge | JointKind::Slide => Unit::try_new(s.axis, 1e-14).ok_or_else(|| {
                e.invalid_at("axis", "the joint axis has no length", "write an axis that is not zero")
            })?,
            _ => Vector3::z_axis(),
        };
        let turns = matches!(s.kind, JointKind::Hinge | JointKind::Ball);
        let angle = |x: f64| if turns { self.compilers[e.origin].radians(x) } else { x };
        let mut range = None;
        if s.kind != JointKind::Free {
            range = limits(e, "range", "limited", s.range, s.limited, &self.compilers[e.origin])?
                .map(|r| r.map(angle));
        }
        if s.kind == JointKind::Ball && range.is_some_and(|r| r[0] != 0.0) {
            return Err(e.invalid_at(
                "range",
                "the range of a ball joint starts at another angle than zero",
                "write range=\"0 largest_angle\"",
            ));
        }
        let scalar = matches!(s.kind, JointKind::Hinge | JointKind::Slide);
        let mut force = None;
        if scalar {
            let (range, switch) = ("actuatorfrcrange", "actuatorfrclimited");
            force = limits(e, range, switch, s.force_range, s.force_limited, &self.compilers[e.origin])?;
        }
        let hinge = |x: f64| if s.kind == JointKind::Hinge { self.compilers[e.origin].radians(x) } else { x };
        let anchor =
            if s.kind == JointKind::Free { Point3::origin() } else { frame * Point3::from(s.anchor) };
        Ok(Joint {
            name: String::new(),
            body,
            kind: s.kind,
            anchor,
            axis: if scalar { frame.rotation * axis } else { axis },
            reference: if scalar { hinge(s.reference) } else { 0.0 },
            range,
            limit_margin: s.margin,
            stiffness: s.stiffness[0],
            spring_reference: if scalar { hinge(s.spring_reference) } else { 0.0 },
            damping: s.damping[0],
            higher_order: higher_order(&s.stiffness, &s.damping),
            armature: s.armature,
            dry_friction: s.dry_friction,
            actuator_force_range: force,
            actuator_gravity_compensation: s.gravity_compensation,
            limit_sol: s.limit_sol,
            friction_sol: s.friction_sol,
            place: crate::Place::default(),
        })
    }

    fn check_joint_order(&self, e: &Element, body: usize, kind: JointKind) -> Read<()> {
        let others = || self.scene.joints.iter().rev().take_while(|j| j.body == body);
        let b = &self.scene.bodies[body];
        if kind == JointKind::Free && b.parent != 0 {
            return Err(e.invalid(
                format!(
                    "body '{}' has a free joint but is a child of body '{}'",
                    b.name, self.scene.bodies[b.parent].name
                ),
                "move the body to <worldbody>, or use hinge, slide or ball joints",
            ));
        }
        if others().any(|j| j.kind == JointKind::Free || kind == JointKind::Free) {
            return Err(e.invalid(
                format!("body '{}' has a free joint beside other joints", b.name),
                "keep the free joint alone",
            ));
        }
        let rotation = |k: JointKind| matches!(k, JointKind::Ball | JointKind::Hinge);
        if rotation(kind) && others().any(|j| j.kind == JointKind::Ball) {
            return Err(e.invalid(
                format!("body '{}' has a rotational joint after a ball joint", b.name),
                "write the ball joint last, or put the later joint on a body inside",
            ));
        }
        if others().map(|j| j.kind.nv()).sum::<usize>() + kind.nv() > 6 {
            return Err(e.invalid(
                format!("body '{}' has more than six degrees of freedom", b.name),
                "remove joints, or put them on several bodies",
            ));
        }
        Ok(())
    }
}
