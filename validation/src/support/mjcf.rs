//! Answers of the MJCF reader to every element and attribute that MuJoCo 4.0.0 lists in its schema.

use std::fmt::Write;

use signorini_scene::NoteKind;

use super::probe::{Answer, ask};

/// A file that does not exist, as a value to try.
const FILE: &str = "x.obj";

/// Names of elements, each with its attributes, as `mj_printSchema` of MuJoCo 4.0.0 gives them; `frame` and `replicate`, which are not in
/// that list, added. Parts of default classes have the attributes of the elements that they stand for and are not repeated; an element below
/// one that is refused or only for the eye is left out.
const NAMES: &str = include_str!("mjcf_names.txt");

/// Attributes that make an element complete; the first set that is read is taken.
const COMPLETIONS: &[&str] = &[
    "",
    "name='x'",
    "class='x'",
    "joint='j'",
    "joint='ball'",
    "site='s'",
    "tendon='t'",
    "actuator='a'",
    "body='b'",
    "geom='g'",
    "size='.1'",
    "divisor='2'",
    "count='2'",
    "objtype='body' objname='b'",
    "objtype='body' objname='b' prm='1'",
    "joint1='j' joint2='k'",
    "tendon1='t' tendon2='u'",
    "body1='b' body2='c'",
    "body1='b' body2='c' anchor='0 0 0'",
    "site1='s' site2='r'",
    "tendon='t' kp='1'",
    "site='s' refsite='r'",
    "geom1='g' geom2='h'",
    "site='s' objtype='body' objname='b'",
    "site='s' camera='eye'",
    "joint='j' coef='1'",
    "joint='j' ctrlrange='0 1'",
    "body='b' ctrlrange='0 1'",
    "joint='j' kp='1'",
    "joint='j' kp='1' ctrlrange='0 1'",
    "joint='j' actrange='0 1'",
    "joint='j' motorconst='1' resistance='2'",
    "cranksite='s' slidersite='r' cranklength='1'",
    "mass='1' pos='0 0 0' diaginertia='1 2 2.5'",
    "mass='1' pos='0 0 0' fullinertia='1 2 2.5 0 0 0'",
    "name='x' vertex='0 0 0 1 0 0 0 1 0 0 0 1 .2 .2 .2'",
    "name='x' file='x.obj'",
    "name='x' file='x.obj' size='1 1 1 1'",
    "name='x' nrow='2' ncol='2' size='1 1 1 1'",
    "name='x' size='2'",
    "name='x' data='1'",
    "name='x' type='2d' file='x.png'",
];

/// Values to try for an attribute.
const VALUES: &[&str] = &[
    "1",
    "2",
    "0",
    "0.5",
    "-1",
    "true",
    "false",
    "disable",
    "enable",
    "auto",
    "x",
    "0 1",
    "0.1 0.2",
    "1 2 3",
    "1 0 0",
    "0 0 0.1",
    "0.1 0.2 0.3 0.4",
    "1 0 0 0",
    "1 2 3 4 5",
    "0.8 0.9 0.01 0.5 3",
    "1 0 0 0 1 0",
    "0 0 1 0 1 0",
    "2 2 2 0.5 0.5 0.5",
    "0 0 0 0 0 0.1 0 0 0 0 0 0",
    "0 0 0.1 1 0 0 0",
    "1 2 3 4 5 6 7 8 9 10",
    "zyx",
    "b",
    "c",
    "g",
    "h",
    "s",
    "r",
    "j",
    "k",
    "t",
    "u",
    "a",
    "mesh",
    "field",
    "paint",
    "other",
    FILE,
    "0 1 2",
    "0 2",
    "1 0 0 0 0 0",
    "0 2 1 0 1 3 0 3 2 1 2 4 2 3 4 3 1 4",
    "0 0 0 0 0 0 1 0 0 0 1 0",
    "found force",
    "netforce",
    "cone",
    "5 0.5",
];

/// Companions that an attribute needs beside it to have an effect.
const COMPANIONS: &[(&str, &str)] = &[
    ("limited", "range='.1 .2'"),
    ("actuatorfrclimited", "actuatorfrcrange='-1 1'"),
    ("ctrllimited", "ctrlrange='-1 1'"),
    ("forcelimited", "forcerange='-1 1'"),
    ("actlimited", "actrange='-1 1' dyntype='integrator'"),
    ("actlimited", "actrange='-1 1'"),
    ("dynprm", "dyntype='filter'"),
    ("biasprm", "biastype='affine'"),
    ("biastype", "biasprm='0 1 0'"),
    ("gaintype", "gainprm='1 2 3'"),
    ("inheritrange", "kp='1'"),
    ("inheritrange", "biastype='affine' gainprm='1' biasprm='0 -1 0'"),
    ("fromto", "type='capsule'"),
    ("hfield", "type='hfield'"),
    ("mesh", "type='mesh'"),
    ("fitscale", "type='box' mesh='mesh'"),
    ("refname", "reftype='body'"),
    ("reftype", "refname='b'"),
    ("axisangle", "mocap='true'"),
    ("shellinertia", "mass='1'"),
    ("refname", "reftype='site'"),
    ("margin", "gap='.01'"),
    ("range", "limited='true'"),
    ("margin", "range='.1 .2'"),
    ("jointinparent", "joint='ball'"),
    ("face", "inertia='exact'"),
    ("rgba", "name='x'"),
    ("builtin", "params='5 0.5'"),
    ("params", "builtin='cone'"),
];

/// A model in which every name of [`COMPLETIONS`] exists, before the sections.
fn model(sections: &str) -> String {
    format!(
        "<mujoco>
<default><default class='other'>
<geom mass='3' size='.3'/><joint damping='7'/><site size='.4'/><mesh scale='2 2 2'/><pair condim='1'/>
<tendon stiffness='3'/><equality solref='.1 1'/><general gear='5'/>
</default></default>
<asset>
<mesh name='mesh' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/>
<hfield name='field' nrow='2' ncol='2' size='1 1 1 1' elevation='0 1 0 1'/>
<material name='paint' rgba='1 0 0 1'/>
</asset>
<worldbody>
<geom type='hfield' hfield='field'/>
<body name='b' euler='20 30 40'><joint name='j' range='1 2'/><geom name='g' size='.1' mass='2'/><site name='s'/><camera name='eye'/>
<inertial pos='0 0 0' mass='1e-3' diaginertia='1 1 1.5'/>
<body name='c' pos='1 0 0'><joint name='k'/><geom name='h' size='.1'/><geom size='.05' pos='0 0 .3' group='3'/><site name='r'/></body></body>
<body name='d' pos='3 0 0'><joint name='ball' type='ball'/><geom type='box' mesh='mesh' group='2'/></body>
<body name='target' mocap='true'/>
</worldbody>
<tendon>
<fixed name='t'><joint joint='j' coef='1'/></fixed>
<fixed name='u'><joint joint='k' coef='1'/></fixed>
</tendon>
<actuator><motor name='a' joint='j'/><intvelocity joint='k' kp='1' actrange='-1 1'/></actuator>
{sections}
</mujoco>"
    )
}

/// The model with an element where it belongs; nothing there without an element. `added` stands on a line of its own, so that positions do
/// not move.
fn place(path: &str, element: Option<(&str, &str)>) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    // Elements that need something inside.
    let inside = match path {
        "body" => "<geom size='.1'/>",
        "body/frame" | "body/replicate" => "<geom size='.2'/>",
        "tendon/spatial" => "<site site='s'/><site site='r'/>",
        "tendon/fixed" => "<joint joint='j' coef='1'/>",
        "custom/tuple" => "<element objtype='body' objname='b'/>",
        _ => "",
    };
    let element = element.map(|(completion, added)| {
        (format!("<{name} {completion}\n{added}\n>{inside}</{name}>"), completion, added)
    });
    if path == "mujoco" {
        let attributes = element.map_or(String::new(), |e| format!(" {}\n{}\n", e.1, e.2));
        return model("\n\n").replacen("<mujoco>", &format!("<mujoco{attributes}>"), 1);
    }
    let leaf = element.map_or(String::new(), |e| e.0);
    model(&match path.rsplit_once('/').map(|p| p.0) {
        None if path == "body" => format!("<worldbody>{leaf}</worldbody>"),
        None if path == "default" => format!("<default>{leaf}</default>"),
        None => leaf,
        Some("body") => format!("<worldbody><body pos='9 0 0'>{leaf}<geom size='.1'/></body></worldbody>"),
        Some("tendon/spatial") => format!(
            "<tendon><spatial><site site='s'/><site site='r'/>{leaf}<site site='s'/><site site='r'/></spatial></tendon>"
        ),
        Some("tendon/fixed") => format!("<tendon><fixed><joint joint='k' coef='1'/>{leaf}</fixed></tendon>"),
        Some("custom/tuple") => {
            format!("<custom><tuple name='n'><element objtype='body' objname='c'/>{leaf}</tuple></custom>")
        }
        // An asset that nothing uses has no effect.
        Some("asset") if !leaf.is_empty() && name == "hfield" => {
            format!("<asset>{leaf}</asset><worldbody><geom type='hfield' hfield='x'/></worldbody>")
        }
        Some("asset") if !leaf.is_empty() && ["mesh", "material"].contains(&name) => {
            format!(
                "<asset>{leaf}</asset><worldbody><body><geom size='.1' type='{0}' {name}='x'/></body></worldbody>",
                if name == "mesh" { name } else { "sphere" }
            )
        }
        Some(section) => format!("<{section}>{leaf}</{section}>"),
    })
}

/// Answer to an attribute, from the least to the most telling answer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Attribute {
    /// No value that was tried fits: these tables are incomplete.
    Unclear(String),
    /// The name is an error, or every value that was tried is refused with a remedy.
    Refused,
    /// Accepted; it changes nothing in the scene.
    WithoutEffect {
        /// Some values are refused.
        partly_refused: bool,
        /// A warning says that it is left out.
        warned: bool,
    },
    /// Attribute that changes the scene; some values may be refused.
    Read {
        /// Some values are refused.
        partly_refused: bool,
    },
}

/// Answer to an element, with its attributes in the order of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Element {
    /// Read, or accepted without effect.
    Read {
        /// Whether it changes the scene.
        effect: bool,
        /// Attributes of the element.
        attributes: Vec<(String, Attribute)>,
    },
    /// Refused for the reason in the text.
    Refused(String),
    /// Not completed by any set of attributes that was tried.
    Unclear(String),
}

/// Whether the reader looked for [`FILE`].
fn is_sought(why: &str) -> bool {
    why.contains(FILE) && why.contains("does not exist")
}

/// Tries values of an attribute beside others.
fn attribute(path: &str, beside: &str, name: &str) -> Attribute {
    let read = |added: &str| {
        let text = place(path, Some((beside, added)));
        // An attribute that mends a model shows on a model to mend, one for places of files on a model with files.
        ask(&match name {
            "balanceinertia" => text.replace("1 1 1.5", "1 1 3"),
            "meshdir" | "assetdir" | "strippath" => {
                text.replace("name='mesh' vertex='0 0 0 1 0 0 0 1 0 0 0 1'", "name='mesh' file='x.obj'")
            }
            _ => text,
        })
    };
    let base = match read("") {
        Answer::Read { scene, .. } => Some(scene),
        _ => None,
    };
    attribute_against(base.as_deref(), &read, name)
}

/// `base` is the scene without the attribute; None when there is none.
fn attribute_against(base: Option<&str>, read: &dyn Fn(&str) -> Answer, name: &str) -> Attribute {
    let (mut effect, mut accepted, mut refused, mut warned) = (false, false, false, false);
    let mut reason = String::new();
    let mut values: Vec<String> = VALUES.iter().map(|v| (*v).to_owned()).collect();
    let mut next = 0;
    while let Some(value) = values.get(next).cloned() {
        next += 1;
        match read(&format!("{name}='{value}'")) {
            Answer::Read { scene, notes } => {
                accepted = true;
                warned |= notes.iter().any(|n| n.0 == NoteKind::Warning && n.1.contains(name));
                effect |= base != Some(scene.as_str());
            }
            Answer::Refused(_) => refused = true,
            Answer::Unknown => return Attribute::Refused,
            Answer::BadValue { why, words } => {
                // A file that is looked for is a value that is read.
                let sought = is_sought(&why);
                (accepted, effect) = (accepted || sought, effect || sought);
                for w in words {
                    if !values.contains(&w) {
                        values.push(w);
                    }
                }
                reason = why;
            }
        }
    }
    match (effect, accepted) {
        (true, _) => Attribute::Read { partly_refused: refused },
        (_, true) => Attribute::WithoutEffect { partly_refused: refused, warned },
        _ if refused => Attribute::Refused,
        _ => Attribute::Unclear(reason),
    }
}

fn element(path: &str, names: &[&str]) -> Element {
    let absent = match ask(&place(path, None)) {
        Answer::Read { scene, .. } => scene,
        Answer::BadValue { why, .. } | Answer::Refused(why) => {
            return Element::Unclear(format!("the model around it: {why}"));
        }
        Answer::Unknown => return Element::Unclear("the model around it is not known".into()),
    };
    let (mut refusal, mut reason, mut complete, mut effect) = (None, String::new(), Vec::new(), false);
    for &completion in COMPLETIONS {
        match ask(&place(path, Some((completion, "")))) {
            Answer::Read { scene, .. } => {
                complete.push(completion);
                effect |= scene != absent;
            }
            Answer::Refused(feature) => refusal = refusal.or(Some(feature)),
            Answer::Unknown => {}
            Answer::BadValue { why, .. } => {
                if is_sought(&why) {
                    complete.push(completion);
                }
                reason = why;
            }
        }
    }
    let Some(required) = complete.first() else {
        return refusal.map_or(Element::Unclear(reason), Element::Refused);
    };
    let answer = |name: &&str| {
        let has = |c: &str| format!(" {c}").contains(&format!(" {name}='"));
        let mut best = Attribute::Unclear("not tried".into());
        if has(required) {
            return ((*name).to_owned(), Attribute::Read { partly_refused: false });
        }
        let companions = COMPANIONS.iter().filter(|c| c.0 == *name).map(|c| c.1);
        let companions: Vec<&str> = std::iter::once("").chain(companions).collect();
        for completion in &complete {
            if best >= (Attribute::WithoutEffect { partly_refused: false, warned: false }) {
                break;
            }
            if has(completion) {
                best = best.max(Attribute::Read { partly_refused: false });
            }
            for beside in companions.iter().map(|c| format!("{completion} {c}")) {
                if matches!(best, Attribute::Read { .. }) {
                    break;
                }
                best = best.max(attribute(path, &beside, name));
            }
        }
        ((*name).to_owned(), best)
    };
    let attributes: Vec<_> = names.iter().map(answer).collect();
    effect |= attributes.iter().any(|a| matches!(a.1, Attribute::Read { .. }));
    Element::Read { effect, attributes }
}

/// Every element of the list with its answer.
pub(super) fn elements() -> Vec<(String, Element)> {
    let row = |line: &str| {
        let mut words = line.split_ascii_whitespace();
        let path = words.next().unwrap_or_default();
        let names = words.collect::<Vec<_>>();
        // It needs a second file; tests of the reader try all of its attributes (`conformance_attached_models`).
        if path == "body/attach" {
            let answer = |n: &&str| ((*n).to_owned(), Attribute::Read { partly_refused: false });
            let attributes = names.iter().map(answer).collect();
            return (path.to_owned(), Element::Read { effect: true, attributes });
        }
        (path.to_owned(), element(path, &names))
    };
    NAMES.lines().filter(|l| !l.is_empty()).map(row).collect()
}

/// The cells of one element: read, without effect, refused.
fn cells(e: &Element) -> [String; 3] {
    match e {
        Element::Read { attributes, .. } if attributes.is_empty() => {
            ["(a section)".into(), String::new(), String::new()]
        }
        Element::Read { effect, attributes } => {
            let mut cells = [String::new(), String::new(), String::new()];
            for (name, a) in attributes {
                let (i, mark) = match a {
                    Attribute::Read { partly_refused } => (0, if *partly_refused { "\\*" } else { "" }),
                    Attribute::WithoutEffect { warned: true, .. } => (1, "†"),
                    Attribute::WithoutEffect { partly_refused: true, .. } => (2, "\\*"),
                    Attribute::WithoutEffect { .. } => (1, ""),
                    Attribute::Refused => (2, ""),
                    Attribute::Unclear(_) => (2, "?"),
                };
                let blank = if cells[i].is_empty() { "" } else { " " };
                _ = write!(cells[i], "{blank}`{name}`{mark}");
            }
            if !effect {
                cells[0] = "(no effect)".into();
            }
            cells
        }
        Element::Refused(_) => [String::new(), String::new(), "the element".into()],
        Element::Unclear(why) => [String::new(), String::new(), format!("? {why}")],
    }
}

/// The table, elements of one section with the same answers in one row.
pub(super) fn table() -> String {
    let mut rows: Vec<(String, Vec<String>, [String; 3])> = Vec::new();
    for (path, e) in elements() {
        let (section, name) = path.rsplit_once('/').map_or(("", path.as_str()), |(s, n)| (s, n));
        let cells = cells(&e);
        match rows.iter_mut().find(|r| r.0 == section && r.2 == cells) {
            Some(r) => r.1.push(name.to_owned()),
            _ => rows.push((section.to_owned(), vec![name.to_owned()], cells)),
        }
    }
    let mut out =
        String::from("| in | element | read | accepted, no effect | refused |\n|---|---|---|---|---|\n");
    for (section, names, [read, accepted, refused]) in rows {
        let names: Vec<_> = names.iter().map(|n| format!("`{n}`")).collect();
        let section = if section.is_empty() { String::new() } else { format!("`{section}`") };
        _ = writeln!(out, "| {section} | {} | {read} | {accepted} | {refused} |", names.join(" "));
    }
    out
}
