use std::path::{Path, PathBuf};

use clap::Args;
use signorini_scene::{CombinationRule, LoadOptions, NoteKind, Scene};

/// A model file and how it is read.
#[derive(Args, Clone)]
pub(crate) struct ModelArguments {
    /// MJCF (.xml) or URDF file.
    pub model: PathBuf,
    /// Read the model without its mesh files; their geoms do not collide.
    #[arg(long)]
    without_meshes: bool,
    /// Collide triangle surfaces themselves instead of their convex hulls.
    #[arg(long)]
    mesh_surfaces: bool,
    /// Folder to look for meshes and packages in; may be given more than once.
    #[arg(long, value_name = "DIR")]
    mesh_dir: Vec<PathBuf>,
    /// Stiffness of surfaces that state none (N/m).
    #[arg(long, value_name = "K")]
    stiffness: Option<f64>,
    /// Dissipation of surfaces that state none (s/m).
    #[arg(long, value_name = "D")]
    dissipation: Option<f64>,
    /// Regularisation speed of friction (m/s).
    #[arg(long, value_name = "V")]
    stiction_speed: Option<f64>,
    /// How surfaces combine: `mujoco` or `series`; by the file's dialect when left out.
    #[arg(long, value_name = "RULE")]
    combination: Option<String>,
}

impl ModelArguments {
    /// Reads the scene, prints warnings to standard error and applies the options.
    pub(crate) fn load(&self) -> Result<Scene, Box<dyn std::error::Error>> {
        let options = LoadOptions {
            without_meshes: self.without_meshes,
            keep_mesh_surfaces: self.mesh_surfaces,
            mesh_dirs: self.mesh_dir.clone(),
            ..LoadOptions::default()
        };
        let mut scene = Scene::load(&self.model, &options)?;
        for n in scene.notes.iter().filter(|n| n.kind == NoteKind::Warning) {
            eprintln!("warning: {}: {}", n.place, n.text);
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

    /// File name without folder and extension.
    pub(crate) fn stem(&self) -> String {
        let p: &Path = &self.model;
        p.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }
}
