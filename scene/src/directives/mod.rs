//! Reader of Drake's model directives (`.dmd.yaml`): models of files, put together on one world.
//!
//! The reader settles points that the format leaves open as follows.
//!
//! - A model is read by the reader of its file: SDFormat, URDF or MJCF. Its parts have the name of the model with `::` before their own.
//! - A model floats until a weld holds it, a URDF model, too. A link named `world` of a URDF is the world.
//! - A weld holds any link of a model that floats: its tree is turned so that the link is the root, and joints keep their coordinates. Drake turns revolute, prismatic and fixed joints; here, screws and universal joints turn as well, ball
//!   joints are refused. A weld of two links of one model, or of two that the world holds, closes a loop and is refused.
//! - Positions by default are the keyframe `home`; those of joints that follow others are on their relations. Poses by default are those of bodies; one that is stated in a frame that moves is taken
//!   where that frame is by default.
//! - Surfaces combine as springs in series, as Drake has it; settings of an MJCF model are not taken.

mod assembly;
mod model;
mod names;
mod poses;
mod transform;
mod turn;

use std::path::Path;

use assembly::Assembly;

use crate::xml::{self, Element, Read};
use crate::{LoadOptions, Scene, SceneError};

impl Scene {
    /// Reads model directives from a text; `path` stands for the file in messages, and files that it names are looked for from its folder.
    ///
    /// # Errors
    /// As [`Scene::load`].
    pub fn from_directives(
        text: &str,
        path: impl AsRef<Path>,
        options: &LoadOptions,
    ) -> Result<Self, SceneError> {
        let path = path.as_ref();
        read(text, path, options)
    }
}

/// Files within files that are read.
const DEEPEST: usize = 20;

/// Reads the directives of a main file.
pub(crate) fn read(text: &str, path: &Path, options: &LoadOptions) -> Read<Scene> {
    let root = xml::parse_yaml(text, path, "directives")?;
    if options.floating_base {
        return Err(root.unsupported(
            "a floating base by option",
            "load without the option: a model floats unless a weld holds it",
        ));
    }
    let mut assembly = Assembly::new(path, options);
    // Filter groups are applied once all bodies are there, and borrow the files until then.
    let mut files = Vec::new();
    let mut open = vec![path.to_path_buf()];
    run(&mut assembly, root, "", &mut open, &mut files)?;
    assembly.finish(&files)
}

/// Carries out the directives of a file, in order. `scope`: the namespace with `::`.
fn run(
    assembly: &mut Assembly<'_>,
    root: Element,
    scope: &str,
    open: &mut Vec<std::path::PathBuf>,
    files: &mut Vec<(String, Element)>,
) -> Read<()> {
    if root.children.is_empty() && !root.has("directives") {
        return Err(root.invalid("there are no directives", "write `directives:` with a list of them"));
    }
    root.string("directives");
    for e in &root.children {
        if e.name != "directives" {
            return Err(root.unknown_child(e, &["directives"]));
        }
        let [d] = &e.children[..] else {
            return Err(e.invalid(
                format!("a directive has {} parts", e.children.len()),
                "write each as one entry of the list, for example `- add_model: {name: ..., file: ...}`",
            ));
        };
        e.finish()?;
        match d.name.as_str() {
            "add_model" => assembly.add_model(d, scope)?,
            "add_model_instance" => {
                d.required("name")?;
                d.finish()?;
                d.no_children()?;
            }
            "add_frame" => assembly.add_frame(d, scope)?,
            "add_weld" => assembly.add_weld(d, scope)?,
            "add_collision_filter_group" => {}
            "add_directives" => {
                let path = assembly.find_file(d)?;
                if open.contains(&path) || open.len() >= DEEPEST {
                    return Err(d.invalid_at(
                        "file",
                        format!("{} adds itself, or files are nested too deep", path.display()),
                        "remove the directive that closes the circle",
                    ));
                }
                let inner = match d.nonempty("model_namespace") {
                    Some(n) => format!("{scope}{n}::"),
                    None => scope.to_owned(),
                };
                d.finish()?;
                d.no_children()?;
                let text = xml::read_text(&path)?;
                assembly.note_file(&path);
                open.push(path.clone());
                run(assembly, xml::parse_yaml(&text, &path, "directives")?, &inner, open, files)?;
                open.pop();
            }
            "add_planar_joint" => {
                return Err(d.unsupported(
                    "the directive add_planar_joint",
                    "write a drake:joint of type 'planar' in an SDFormat file",
                ));
            }
            _ => {
                const KNOWN: [&str; 6] = [
                    "add_model",
                    "add_model_instance",
                    "add_weld",
                    "add_frame",
                    "add_collision_filter_group",
                    "add_directives",
                ];
                return Err(e.unknown_child(d, &KNOWN));
            }
        }
    }
    root.finish()?;
    files.push((scope.to_owned(), root));
    Ok(())
}
