use std::path::{Path, PathBuf};

use clap::Args;
use signorini_core::{Shown, State};
use signorini_coupling::SceneFile;
use signorini_geometry::Shape;
use signorini_laws::ContactParameter;
use signorini_multibody::RigidSystem;
use signorini_run::areas::Areas;
use signorini_run::{Ipc, Law, Method};
use signorini_scene::{
    CollisionMask, CombinationRule, Geom, GeomShape, Hydroelastic, JointKind, LoadOptions, NoteKind, Place,
    Pose, Scene, Surface,
};

use crate::{areas, dual_cone};

/// A model file and how it is read.
#[derive(Args, Clone)]
pub(crate) struct ModelArguments {
    /// MJCF (.xml), URDF, SDFormat (.sdf, .world) file or model directives (.dmd.yaml); for `run` also a scene file (.toml).
    pub model: PathBuf,
    /// Read the model without its mesh files; their geoms do not collide.
    #[arg(long)]
    without_meshes: bool,
    /// Collide triangle surfaces themselves instead of their convex hulls.
    #[arg(long)]
    mesh_surfaces: bool,
    /// Refuse elements and attributes that are not part of the file format, instead of noting them.
    #[arg(long)]
    strict: bool,
    /// Folder to look for meshes, models and packages in; may be given more than once.
    #[arg(long, value_name = "DIR")]
    mesh_dir: Vec<PathBuf>,
    /// Let the root link of a URDF move freely instead of welding it to the world.
    #[arg(long)]
    floating: bool,
    /// Put a half-space under the model, at this height (m).
    #[arg(long, value_name = "HEIGHT", num_args = 0..=1, default_missing_value = "0", allow_negative_numbers = true)]
    floor: Option<f64>,
    /// Raise everything that has a free joint by this at the start (m).
    #[arg(long, value_name = "HEIGHT", allow_negative_numbers = true)]
    lift: Option<f64>,
    /// Stiffness of surfaces that state none (N/m).
    #[arg(long, value_name = "K")]
    stiffness: Option<f64>,
    /// Dissipation of surfaces that state none (s/m).
    #[arg(long, value_name = "D")]
    dissipation: Option<f64>,
    /// Regularisation speed of friction (m/s).
    #[arg(long, value_name = "V")]
    stiction_speed: Option<f64>,
    /// Make geoms compliant, of this hydroelastic modulus (Pa), so that they meet over areas; those of which the model states that they are rigid, compliant or meet others in points stay so.
    #[arg(long, value_name = "MODULUS", allow_negative_numbers = true)]
    hydroelastic: Option<f64>,
    /// Rule that combines surfaces: `mujoco` or `series`; by the file's dialect when left out.
    #[arg(long, value_name = "RULE")]
    combination: Option<String>,
}

/// Whether a file is a scene of material points beside a model.
pub(crate) fn is_scene_of_points(file: &Path) -> bool {
    file.extension().is_some_and(|e| e.eq_ignore_ascii_case("toml"))
}

impl ModelArguments {
    /// Reads the scene, prints warnings to standard error and applies the options.
    pub(crate) fn load(&self) -> Result<Scene, Box<dyn std::error::Error>> {
        self.load_from(&self.model)
    }

    /// The model of a scene file, with what either says of how it is read.
    pub(crate) fn of_scene_file(&self, file: &SceneFile) -> Result<Scene, Box<dyn std::error::Error>> {
        for (option, given) in [
            ("--stiffness", self.stiffness.is_some()),
            ("--dissipation", self.dissipation.is_some()),
            ("--stiction-speed", self.stiction_speed.is_some()),
            ("--hydroelastic", self.hydroelastic.is_some()),
        ] {
            if given {
                eprintln!(
                    "note: {option} is of contacts of bodies with each other; [contact] of the scene file has that of points"
                );
            }
        }
        let own = Self {
            mesh_surfaces: self.mesh_surfaces || file.mesh_surfaces,
            floating: self.floating || file.floating,
            floor: self.floor.or(file.floor),
            ..self.clone()
        };
        own.load_from(&file.model)
    }

    /// As [`ModelArguments::load`], from another file.
    fn load_from(&self, model: &Path) -> Result<Scene, Box<dyn std::error::Error>> {
        if is_scene_of_points(model) {
            let file = model.display();
            return Err(format!("{file}: a scene file of material points is no model; `run` and `inspect` take it, other commands the `model` that it names").into());
        }
        let options = LoadOptions {
            without_meshes: self.without_meshes,
            keep_mesh_surfaces: self.mesh_surfaces,
            mesh_dirs: self.mesh_dir.clone(),
            floating_base: self.floating,
            strict: self.strict,
        };
        let mut scene = Scene::load(model, &options)?;
        for n in scene.notes.iter().filter(|n| matches!(n.kind, NoteKind::Warning | NoteKind::Unknown)) {
            eprintln!("warning: {}: {}", n.place, n.text);
        }
        if let Some(height) = self.floor {
            if !height.is_finite() {
                return Err(format!("--floor {height}: give a finite height").into());
            }
            if scene.geoms.iter().any(|g| g.name == "floor") {
                return Err("--floor, or `floor` of a scene file: the model has a geom named 'floor' already; leave it out, or give that one another name".into());
            }
            // What is compliant meets a floor over an area; two that are rigid could not meet.
            let has =
                |kind: fn(&Hydroelastic) -> bool| scene.geoms.iter().any(|g| kind(&g.surface.hydroelastic));
            let hydroelastic = match has(|h| matches!(h, Hydroelastic::Compliant { .. }))
                && !has(|h| matches!(h, Hydroelastic::Rigid { .. }))
            {
                true => Hydroelastic::rigid(),
                false => Hydroelastic::Point,
            };
            scene.geoms.push(Geom {
                name: "floor".into(),
                body: 0,
                pose: Pose::translation(0.0, 0.0, height),
                shape: GeomShape::Solid(Shape::HalfSpace),
                mask: CollisionMask::default(),
                surface: Surface { hydroelastic, ..Surface::default() },
                group: 0,
                rgba: [0.8, 0.8, 0.82, 1.0],
                place: Place::default(),
            });
        }
        if let Some(modulus) = self.hydroelastic {
            let told = scene
                .make_compliant(modulus)
                .map_err(|e| format!("--hydroelastic {}: {e}", Shown(modulus)))?;
            told.iter().for_each(|line| eprintln!("note: --hydroelastic {}: {line}", Shown(modulus)));
        }
        if let Some(height) = self.lift {
            if !height.is_finite() {
                return Err(format!("--lift {height}: give a finite height").into());
            }
            lift(&mut scene, height)?;
        }
        let c = &mut scene.options.contact;
        for (name, value, target, zero) in [
            ("--stiffness", self.stiffness, &mut c.stiffness, false),
            ("--dissipation", self.dissipation, &mut c.dissipation, true),
            ("--stiction-speed", self.stiction_speed, &mut c.stiction_speed, false),
        ] {
            let Some(x) = value else { continue };
            if !(x.is_finite() && (x > 0.0 || zero && x == 0.0)) {
                return Err(format!("{name} {x}: give a positive, finite number").into());
            }
            *target = x;
        }
        match self.combination.as_deref() {
            None => {}
            Some("mujoco") => scene.options.combination = CombinationRule::Mujoco,
            Some("series") => scene.options.combination = CombinationRule::Series,
            Some(other) => return Err(format!("--combination {other}: give `mujoco` or `series`").into()),
        }
        Ok(scene)
    }

    /// Warns of parts that a run leaves out or cannot move.
    pub(crate) fn warn_before_run(&self, scene: &Scene, sys: &RigidSystem, method: &Method) {
        if let Some(w) = dual_cone::softness(method) {
            eprintln!("warning: {w}");
        }
        let kinds = sys.kinds_of_pairs();
        if let Some(note) = areas::both_rigid(scene, &kinds) {
            eprintln!("note: {note}");
        }
        if dual_cone::has_cone(method) {
            if let Some(note) = dual_cone::cones(scene) {
                eprintln!("note: {note}");
            }
            for w in dual_cone::warnings(scene, &kinds) {
                eprintln!("warning: {w}");
            }
        }
        self.warn_of_rest(scene);
        let rolls = |g: &&Geom| g.surface.condim > 3 && !g.mask.is_empty();
        let asking: Vec<&Geom> = scene.geoms.iter().filter(rolls).collect();
        if let Some(first) = asking.first().filter(|_| sys.contact_dim() <= 3) {
            let condim = first.surface.condim;
            let kind = if condim == 4 { "torsional" } else { "torsional and rolling" };
            let others = match asking.len() - 1 {
                0 => String::new(),
                1 => " (so does 1 other geom)".to_owned(),
                n => format!(" (so do {n} other geoms)"),
            };
            eprintln!(
                "warning: {}: asks for {kind} friction by condim {condim}{others}; the law {} has none: take --solver comfree, whose dual cone has it, or write condim=\"3\"",
                first.place,
                method.law_name()
            );
        }
    }

    /// Fails on an option of contact that no law of the methods reads.
    pub(crate) fn check_read<'m>(
        &self,
        scene: &Scene,
        methods: impl Iterator<Item = &'m Method> + Clone,
    ) -> Result<(), String> {
        let laws = || methods.clone().filter_map(Method::law);
        // Only between static and dynamic friction.
        let switches = |law: &Law| matches!(law, Law::Sap) || law.is_dual_cone();
        let two =
            scene.geoms.iter().any(|g| g.surface.friction_dynamic.is_some_and(|d| d != g.surface.friction));
        let dry = scene.joints.iter().any(|j| j.dry_friction > 0.0)
            || scene.tendons.iter().any(|t| t.dry_friction > 0.0)
            || methods.clone().any(Method::is_affine);
        let linear = scene.options.contact.relaxation_time > 0.0;
        let damped =
            |law: &Law| law.reads(ContactParameter::Dissipation) && !(linear && matches!(law, Law::Sap));
        let slips = |law: &Law| law.reads(ContactParameter::StictionSpeed) && (two || !switches(law));
        let given = [
            ("--stiffness", self.stiffness, laws().any(|l| l.reads(ContactParameter::Stiffness)), "lagged"),
            ("--dissipation", self.dissipation, laws().any(|l| damped(&l)), "lagged"),
            ("--stiction-speed", self.stiction_speed, dry || laws().any(|l| slips(&l)), "lagged"),
        ];
        if let Some(k) =
            self.stiffness.filter(|_| !methods.clone().any(Method::is_affine) && Areas::is_all(scene))
        {
            return Err(format!(
                "--stiffness {k}: all geoms that collide meet over areas, with the stiffness of their modulus; leave it out, or change hydroelastic_modulus in the model"
            ));
        }
        if let Some(modulus) = self.hydroelastic.filter(|_| methods.clone().all(Method::is_affine)) {
            return Err(format!(
                "--hydroelastic {}: affine bodies meet at their surfaces; leave it out, or take --solver icf",
                Shown(modulus)
            ));
        }
        let own = methods.clone().any(|m| m.law().is_none() && !m.is_affine());
        match given.into_iter().find(|(_, value, read, _)| value.is_some() && !read && !own) {
            None => Ok(()),
            Some((option, value, _, law)) => {
                let names: Vec<&str> = methods.map(Method::law_name).collect();
                let (value, names) = (value.unwrap_or_default(), names.join(", "));
                Err(format!(
                    "{option} {value}: {names} does not read it; leave it out, or take a law that does (--solver icf --law {law})"
                ))
            }
        }
    }

    /// Sets the options of contact for affine bodies, whose barrier has a stiffness of its own.
    pub(crate) fn for_affine(&self, method: &mut Method) -> Result<(), String> {
        let over = matches!(method, Method::Ipc(Ipc { skin: Some(_), .. }));
        for (name, value) in [("--stiffness", self.stiffness), ("--dissipation", self.dissipation)] {
            if let Some(x) = value.filter(|_| !over) {
                return Err(format!(
                    "{name} {x}: the barrier of ipc has --load and --range, and no dissipation; leave it out, or name a law over it (--law lagged)"
                ));
            }
        }
        if let (Some(speed), Method::Ipc(Ipc { options: Some(options), .. })) = (self.stiction_speed, method)
        {
            options.stiction_speed = speed;
        }
        Ok(())
    }

    /// Warns of a model in which nothing can move.
    pub(crate) fn warn_of_rest(&self, scene: &Scene) {
        if scene.nv() == 0 {
            let urdf = self.model.extension().is_some_and(|e| e == "urdf");
            let remedy = if urdf { "; --floating frees the root link of a URDF" } else { "" };
            eprintln!("warning: nothing in the model can move{remedy}");
        }
    }

    /// File name without folder and extension.
    pub(crate) fn stem(&self) -> String {
        let p: &Path = &self.model;
        let stem = p.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        stem.strip_suffix(".dmd").map_or(stem.clone(), str::to_owned)
    }
}

/// Raises bodies with a free joint, as drawn and in every keyframe.
fn lift(scene: &mut Scene, height: f64) -> Result<(), String> {
    if !scene.joints.iter().any(|j| j.kind == JointKind::Free) {
        return Err("--lift: nothing in the model has a free joint; leave it out".into());
    }
    let mut at = 0;
    for j in &scene.joints {
        if j.kind == JointKind::Free {
            scene.bodies[j.body].pose.translation.z += height;
            for k in scene.keyframes.iter_mut().filter(|k| !k.q.is_empty()) {
                k.q[at + 2] += height;
            }
        }
        at += j.kind.nq();
    }
    Ok(())
}

/// Warns of joints that start off the relations that couple them.
pub(crate) fn warn_of_relations(scene: &Scene, q: &[f64]) {
    scene.told_relations(q).iter().for_each(|w| eprintln!("warning: {w}"));
}

/// Depth of overlap at the start that is worth a warning \[m\]: robots at rest overlap by less.
const OVERLAP: f64 = 1e-3;

/// Warns of geoms that start inside each other, with their bodies, the depth and the remedy.
pub(crate) fn warn_of_overlap(
    scene: &Scene,
    sys: &mut RigidSystem,
    x: &State,
) -> Result<(), Box<dyn std::error::Error>> {
    let Some(deepest) = sys.deepest_penetration(x)?.filter(|d| d.depth > OVERLAP) else { return Ok(()) };
    let [a, b] = deepest.geoms.map(|g| scene.told_geom(g));
    eprintln!(
        "warning: {a} and {b} start {:.2} mm inside each other and will be pushed apart; move one of them, start from another keyframe, or \
         exclude the pair from contact",
        1e3 * deepest.depth
    );
    Ok(())
}
