//! Files that meshes name: relative paths, `file://`, and `package://` without an installed ROS.

use std::path::{Path, PathBuf};

/// Why no file was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NotFound {
    /// A scheme other than `file` and `package`.
    Scheme(String),
    /// No file at any of these places.
    Nowhere(Vec<PathBuf>),
}

/// Looks for the file that `uri` names in a model at `model`; `own`: folder of meshes that the model states, and whether folders in names are
/// left out there, as MuJoCo does; `accept`: whether a place is one that is looked for.
pub(crate) fn resolve(
    uri: &str,
    model: &Path,
    own: Option<(&Path, bool)>,
    mesh_dirs: &[PathBuf],
    accept: impl Fn(&Path) -> bool,
) -> Result<PathBuf, NotFound> {
    let mut candidates = candidates(uri, model, mesh_dirs)?;
    if let Some((folder, strip)) = own {
        let inner = uri.split_once("://").map_or(uri, |(_, rest)| rest).trim_start_matches('/');
        let stated = folder_of(model).join(folder);
        candidates.push(stated.join(inner));
        if let Some(name) = Path::new(inner).file_name().filter(|_| strip) {
            candidates.push(stated.join(name));
        }
    }
    match candidates.iter().find(|p| accept(p)) {
        Some(p) => Ok(p.clone()),
        None => Err(NotFound::Nowhere(candidates)),
    }
}

/// The place that a name stands for when nothing is looked up.
pub(crate) fn nominal(uri: &str) -> PathBuf {
    PathBuf::from(uri.strip_prefix("file://").unwrap_or(uri))
}

fn candidates(uri: &str, model: &Path, mesh_dirs: &[PathBuf]) -> Result<Vec<PathBuf>, NotFound> {
    let folder = folder_of(model);
    let mut out = Vec::new();
    let in_package = uri.strip_prefix("package://").or_else(|| uri.strip_prefix("model://"));
    if let Some(rest) = in_package {
        let rest = rest.trim_start_matches('/');
        let (package, inner) = rest.split_once('/').unwrap_or((rest, ""));
        // A folder above the model whose child is the package.
        out.extend(folder.ancestors().map(|a| a.join(package).join(inner)));
        for dir in ["ROS_PACKAGE_PATH", "GZ_SIM_RESOURCE_PATH", "SDF_PATH"].into_iter().flat_map(listed) {
            out.extend(inside(&dir, package, inner));
        }
        for dir in listed("AMENT_PREFIX_PATH") {
            out.push(dir.join("share").join(package).join(inner));
        }
        for dir in mesh_dirs {
            out.extend(inside(dir, package, inner));
            out.push(dir.join(inner));
        }
    } else if let Some(path) = uri.strip_prefix("file://") {
        out.push(folder.join(path));
    } else if uri.contains("://") {
        return Err(NotFound::Scheme(uri.split("://").next().unwrap_or_default().to_owned()));
    } else {
        out.push(folder.join(uri));
        out.extend(mesh_dirs.iter().map(|d| d.join(uri)));
    }
    if let Some(name) = Path::new(uri).file_name() {
        out.extend(mesh_dirs.iter().map(|d| d.join(name)));
    }
    Ok(out)
}

/// A package in a folder of packages, or that is the folder itself.
fn inside(dir: &Path, package: &str, inner: &str) -> Vec<PathBuf> {
    let mut out = vec![dir.join(package).join(inner)];
    if dir.file_name().is_some_and(|n| n == package) {
        out.push(dir.join(inner));
    }
    out
}

fn listed(variable: &str) -> Vec<PathBuf> {
    std::env::var_os(variable).map(|v| std::env::split_paths(&v).collect()).unwrap_or_default()
}

/// Absolute folder of the model, so that all folders above it are known.
fn folder_of(model: &Path) -> PathBuf {
    let folder = match model.parent() {
        Some(p) if !p.as_os_str().is_empty() => p.to_path_buf(),
        _ => PathBuf::from("."),
    };
    folder.canonicalize().or_else(|_| std::path::absolute(&folder)).unwrap_or(folder)
}
