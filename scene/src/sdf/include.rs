//! `<include>`: models of other files, put in place of the element that includes them.

use std::path::{Path, PathBuf};

use super::version::prepare;
use super::{PLUGIN, Reader};
use crate::NoteKind;
use crate::robot::{NotFound, resolve};
use crate::xml::{self, Element, Read};

/// Files within files, and files in all, that are read.
const DEEPEST: usize = 32;
const MOST: usize = 2000;

/// Replaces each `<include>` below an element by the model that it names.
pub(super) fn expand(e: &mut Element, reader: &mut Reader<'_>, versions: &mut Vec<u32>) -> Read<()> {
    expand_below(e, reader, versions, &mut Vec::new())
}

fn expand_below(
    e: &mut Element,
    reader: &mut Reader<'_>,
    versions: &mut Vec<u32>,
    open: &mut Vec<PathBuf>,
) -> Read<()> {
    for c in &mut e.children {
        match c.name.as_str() {
            "model" | "world" => expand_below(c, reader, versions, open)?,
            "include" => *c = included(c, reader, versions, open)?,
            _ => {}
        }
    }
    Ok(())
}

/// The model that an `<include>` stands for.
fn included(
    e: &Element,
    reader: &mut Reader<'_>,
    versions: &mut Vec<u32>,
    open: &mut Vec<PathBuf>,
) -> Read<Element> {
    let path = file_of(e, reader)?;
    if open.contains(&path) || open.len() >= DEEPEST || versions.len() >= MOST {
        return Err(e.invalid_at(
            "uri",
            format!("{} includes itself, or too many files are included", path.display()),
            "remove the <include> that closes the circle",
        ));
    }
    if e.boolean("merge")?.unwrap_or(false) {
        return Err(e.unsupported_at(
            "merge",
            "merging an included model",
            "include it as a nested model (without merge) and name its parts with '::'",
        ));
    }
    let mut root = xml::parse_file(&path)?;
    if root.name == "robot" {
        return Err(e.unsupported_at(
            "uri",
            "a URDF file in an SDFormat file",
            "put both together by model directives (.dmd.yaml), or convert it to SDFormat",
        ));
    }
    if root.name != "sdf" {
        return Err(root.invalid(
            format!("the root element is <{}>", root.name),
            "include an SDFormat file: its root element is <sdf>",
        ));
    }
    let version = prepare(&mut root, reader)?;
    let origin = versions.len();
    versions.push(version);
    root.shift_origin(origin);
    if !reader.scene.files.contains(&path) {
        reader.scene.files.push(path.clone());
    }
    open.push(path);
    expand_below(&mut root, reader, versions, open)?;
    open.pop();
    let mut models = root.children.iter().filter(|c| c.name == "model");
    let (Some(model), None) = (models.next(), models.next()) else {
        return Err(root.invalid("an included file needs one <model>", "keep one model in it"));
    };
    let mut model = model.clone();
    take_over(e, &mut model, reader)?;
    Ok(model)
}

/// Name, pose, placement frame and `static` of an `<include>` in place of those of the model.
fn take_over(e: &Element, model: &mut Element, reader: &mut Reader<'_>) -> Read<()> {
    if let Some(name) = e.nonempty("name").map(str::to_owned).or(leaf_text(e, "name")) {
        model.set("name", &name);
    }
    let placement = e.nonempty("placement_frame").map(str::to_owned).or(leaf_text(e, "placement_frame"));
    let pose = e.only("pose")?;
    if let Some(frame) = placement {
        if pose.is_none() {
            return Err(e.invalid("a placement frame without a <pose>", "add the <pose> of the frame"));
        }
        model.set("placement_frame", &frame);
    }
    for (name, stated) in [("pose", pose), ("static", e.only("static")?)] {
        if let Some(s) = stated {
            model.children.retain(|c| c.name != name);
            model.children.push(s.clone());
            s.skip();
        }
    }
    for c in e.unread_children() {
        match c.name.as_str() {
            "uri" | "name" | "placement_frame" | "pose" | "static" => {}
            "plugin" => {
                reader.notes.add(NoteKind::Warning, c, PLUGIN);
            }
            _ => reader.leave_out(e, c, &["uri", "name", "pose", "static", "placement_frame", "plugin"])?,
        }
    }
    Ok(())
}

fn leaf_text(e: &Element, name: &str) -> Option<String> {
    let c = e.children.iter().find(|c| c.name == name)?;
    Some(c.text.trim().to_owned()).filter(|t| !t.is_empty())
}

/// The file that the `uri` of an element names; of a folder the one that its `model.config` states.
fn file_of(e: &Element, reader: &Reader<'_>) -> Read<PathBuf> {
    let uri = e.required("uri")?.to_owned();
    let config = |p: &Path| p.join("model.config");
    let found =
        resolve(&uri, &e.file, None, &reader.options.mesh_dirs, |p| p.is_file() || config(p).is_file());
    let found = found.map_err(|why| match why {
        NotFound::Scheme(s) => e.unsupported_at(
            "uri",
            format!("a model by '{s}://'"),
            "store the file beside the model and name it with a relative path, model:// or package://",
        ),
        NotFound::Nowhere(tried) => e.invalid_at(
            "uri",
            format!(
                "'{uri}' does not exist{}",
                tried.first().map_or(String::new(), |p| format!("; looked for {}", p.display()))
            ),
            "put it there, or name the folder of models in GZ_SIM_RESOURCE_PATH, ROS_PACKAGE_PATH or the mesh folders of the load options",
        ),
    })?;
    if found.is_file() {
        return Ok(found);
    }
    let mut root = xml::parse_file(&config(&found))?;
    root.set_notation(xml::Notation::Leaves);
    let newest = |c: &&Element| {
        let version = c.string("version").and_then(|v| v.trim().strip_prefix("1.")?.parse::<u32>().ok());
        version.filter(|v| *v <= 11).unwrap_or(0)
    };
    let file = root.children.iter().filter(|c| c.name == "sdf").max_by_key(newest);
    let name = file.map_or("model.sdf", |c| c.text.trim());
    Ok(found.join(name))
}
