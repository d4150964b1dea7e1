//! `<compiler>`: how the rest of the file is to be understood.

use std::path::{Path, PathBuf};

use super::Notes;
use crate::NoteKind;
use crate::xml::{Element, Read};

/// `inertiafromgeom`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FromGeoms {
    Never,
    Always,
    WhenMissing,
}

/// Settings of `<compiler>`.
#[derive(Clone, Debug)]
pub(crate) struct Compiler {
    pub(super) degrees: bool,
    pub(super) euler: [char; 3],
    pub(super) autolimits: bool,
    pub(crate) from_geoms: FromGeoms,
    pub(super) groups: [i64; 2],
    pub(super) bound_mass: f64,
    pub(crate) bound_inertia: f64,
    pub(crate) balance: bool,
    pub(crate) total_mass: Option<f64>,
    pub(crate) strip_path: bool,
    pub(crate) mesh_dir: PathBuf,
    /// Main file of the model.
    pub(super) model: PathBuf,
    /// Number of models that it is, those attached to it included.
    pub(super) span: usize,
    pub(super) fit_aabb: bool,
    pub(super) align_free: bool,
}

impl Default for Compiler {
    fn default() -> Self {
        Self {
            degrees: true,
            euler: ['x', 'y', 'z'],
            autolimits: true,
            from_geoms: FromGeoms::WhenMissing,
            groups: [0, 5],
            bound_mass: 0.0,
            bound_inertia: 0.0,
            balance: false,
            total_mass: None,
            strip_path: false,
            mesh_dir: PathBuf::new(),
            model: PathBuf::new(),
            span: 1,
            fit_aabb: false,
            align_free: false,
        }
    }
}

impl Compiler {
    /// Settings of a URDF file before its `<compiler>`: folders in the names of meshes are left out.
    pub(crate) fn of_urdf() -> Self {
        Self { strip_path: true, ..Self::default() }
    }

    /// Settings of a model that states none.
    pub(super) fn of(model: &Path, span: usize) -> Self {
        Self { model: model.to_path_buf(), span, ..Self::default() }
    }

    /// Reads one `<compiler>` element over the earlier ones.
    pub(super) fn read(&mut self, e: &Element, notes: &mut Notes) -> Read<()> {
        self.read_settings(e, notes)?;
        e.finish()
    }

    /// Reads the settings of a `<compiler>` element over the earlier ones; attributes that are none of them stay unread.
    pub(crate) fn read_settings(&mut self, e: &Element, notes: &mut Notes) -> Read<()> {
        if let Some(d) = e.word("angle", &[("radian", false), ("degree", true)])? {
            self.degrees = d;
        }
        if let Some(s) = e.string("eulerseq") {
            let letters: Vec<char> = s.chars().collect();
            self.euler = match <[char; 3]>::try_from(letters) {
                Ok(l) if l.iter().all(|c| "xyzXYZ".contains(*c)) => l,
                _ => {
                    return Err(e.invalid_at(
                        "eulerseq",
                        format!("eulerseq is '{s}'"),
                        "write three letters of x, y, z (rotating axes) or X, Y, Z (fixed axes)",
                    ));
                }
            };
        }
        if let Some(b) = e.boolean("autolimits")? {
            self.autolimits = b;
        }
        let words =
            [("true", FromGeoms::Always), ("false", FromGeoms::Never), ("auto", FromGeoms::WhenMissing)];
        if let Some(m) = e.word("inertiafromgeom", &words)? {
            self.from_geoms = m;
        }
        if let Some(g) = e.vector::<2>("inertiagrouprange")? {
            self.groups = g.map(|x| x as i64);
        }
        self.bound_mass = e.nonnegative("boundmass")?.unwrap_or(self.bound_mass);
        self.bound_inertia = e.nonnegative("boundinertia")?.unwrap_or(self.bound_inertia);
        self.balance = e.boolean("balanceinertia")?.unwrap_or(self.balance);
        if let Some(m) = e.number("settotalmass")? {
            self.total_mass = (m > 0.0).then_some(m);
        }
        self.strip_path = e.boolean("strippath")?.unwrap_or(self.strip_path);
        self.fit_aabb = e.boolean("fitaabb")?.unwrap_or(self.fit_aabb);
        if let Some(d) = e.string("assetdir") {
            self.mesh_dir = PathBuf::from(d);
        }
        if let Some(d) = e.string("meshdir") {
            self.mesh_dir = PathBuf::from(d);
        }
        if e.string("texturedir").is_some() {
            notes.visual(e, "texture folder");
        }
        self.refusals(e, notes)?;
        for c in &e.children {
            if c.name != "lengthrange" {
                return Err(e.unknown_child(c, &["lengthrange"]));
            }
            c.skip();
            notes.add(
                NoteKind::Converted,
                c,
                "length ranges serve muscles only, which are not supported: unused",
            );
        }
        Ok(())
    }

    fn refusals(&mut self, e: &Element, notes: &mut Notes) -> Read<()> {
        if e.word("coordinate", &[("local", false), ("global", true)])? == Some(true) {
            return Err(e.unsupported_at(
                "coordinate",
                "coordinate=\"global\"",
                "save the model with local coordinates (an old MuJoCo, before 2.3.4, converts it)",
            ));
        }
        self.align_free = e.boolean("alignfree")?.unwrap_or(self.align_free);
        if e.boolean("fusestatic")? == Some(true) {
            notes.add(NoteKind::Converted, e, "fusestatic: fixed bodies are kept, the motion is the same");
        }
        if e.boolean("discardvisual")? == Some(true) {
            notes.add(
                NoteKind::Converted,
                e,
                "discardvisual: visual geoms are kept, they neither collide nor add mass beside an inertial element",
            );
        }
        e.skip_attributes(&[
            "usethread",
            "saveinertial",
            "savecompiled",
            "savecanonical",
            "passthrough",
            "conflict",
        ]);
        Ok(())
    }

    /// Radians from the file's angle unit.
    pub(super) fn radians(&self, angle: f64) -> f64 {
        if self.degrees { angle.to_radians() } else { angle }
    }

    /// Paths at which a mesh or height field file is looked for, in order; `including` is the file that names it.
    pub(super) fn candidates(&self, including: &Path, extra: &[PathBuf], file: &str) -> Vec<PathBuf> {
        // Files written under Windows name folders with backslashes.
        let mut file = PathBuf::from(file.replace('\\', "/"));
        if self.strip_path {
            file = file.file_name().map(PathBuf::from).unwrap_or(file);
        }
        let folder = self.model.parent().unwrap_or(Path::new(""));
        // `join` takes the right side alone when it is absolute, which is MuJoCo's rule.
        let beside = including.parent().unwrap_or(Path::new(""));
        let mut out = vec![folder.join(&self.mesh_dir).join(&file), beside.join(&self.mesh_dir).join(&file)];
        for dir in extra {
            out.push(dir.join(&file));
            if let Some(name) = file.file_name() {
                out.push(dir.join(name));
            }
        }
        out
    }
}
