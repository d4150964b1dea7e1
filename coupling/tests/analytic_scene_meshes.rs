//! Meshes in scene files are as the shapes that they are meshes of: how far bodies fall, and how deep they start inside.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use signorini_core::na::Vector3;
use signorini_coupling::{PointScene, SceneFile};
use signorini_scene::{LoadOptions, Scene};

/// A folder with meshes of boxes, removed at the end.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A closed mesh of a box of these half extents about the origin, in OBJ.
fn block(half: Vector3<f64>) -> String {
    let mut text = String::new();
    for i in 0..8 {
        let at = |k: usize| if i >> k & 1 == 1 { half[2 - k] } else { -half[2 - k] };
        writeln!(text, "v {} {} {}", at(2), at(1), at(0)).unwrap();
    }
    for [a, b, c, d] in [[1, 2, 4, 3], [5, 7, 8, 6], [1, 5, 6, 2], [3, 4, 8, 7], [1, 3, 7, 5], [2, 6, 8, 4]] {
        writeln!(text, "f {a} {b} {c}\nf {a} {c} {d}").unwrap();
    }
    text
}

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("signorini_{name}_{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("cube.obj"), block(Vector3::repeat(0.03))).unwrap();
        std::fs::write(folder.join("plate.obj"), block(Vector3::new(0.2, 0.2, 0.01))).unwrap();
        Self(folder)
    }

    /// The points of a scene file with bodies beside a geom.
    fn scene(&self, geom: &str, top: &str, bodies: &str) -> Result<PointScene, String> {
        let model = format!(
            "<mujoco><asset><mesh name='plate' file='plate.obj'/></asset><worldbody>{geom}</worldbody></mujoco>"
        );
        let path = self.0.join("scene.xml");
        std::fs::write(&path, model).unwrap();
        let text = format!("model = 'scene.xml'\ntime = 0.5\n{top}\n{bodies}");
        let file = SceneFile::parse(&text, &self.0.join("scene.toml")).map_err(|e| e.to_string())?;
        let options = LoadOptions { keep_mesh_surfaces: file.mesh_surfaces, ..LoadOptions::default() };
        let scene = Scene::load(Path::new(&path), &options).unwrap();
        PointScene::new(file, &scene).map_err(|e| e.to_string())
    }
}

const PLATE: &str = "<geom name='plate' type='box' size='.2 .2 .01' pos='0 0 -.01'/>";
const SURFACE: &str = "<geom name='plate' type='mesh' mesh='plate' pos='0 0 -.01'/>";
const BOX: &str = "shape = 'box'\nsize = [0.06, 0.06, 0.06]";
const CUBE: &str = "mesh = 'cube.obj'";

fn body(shape: &str, at: [f64; 3]) -> String {
    format!("[[points]]\n{shape}\nposition = {at:?}\nyoung = 1e4\ndensity = 1000\n")
}

#[test]
fn analytic_meshes_fall_as_far_as_boxes() {
    let folder = Folder::new("fall");
    for height in [0.05, 0.5] {
        let told = |geom, top, shape| {
            let scene = folder.scene(geom, top, &body(shape, [0.0, 0.0, height])).unwrap();
            scene.choices().iter().find(|c| c.contains("N/m³")).unwrap().clone()
        };
        let own = told(PLATE, "", BOX);
        assert!(own.contains("the impact of a body"), "{own}");
        for (geom, top, shape) in [
            (PLATE, "", CUBE),
            (SURFACE, "mesh_surfaces = true", BOX),
            (SURFACE, "mesh_surfaces = true", CUBE),
        ] {
            assert_eq!(told(geom, top, shape), own, "{geom} {shape}");
        }
    }
}

#[test]
fn analytic_meshes_that_start_inside_are_refused_with_their_depth() {
    let folder = Folder::new("inside");
    let refused = |geom: &str, top: &str, bodies: &str, of: &str, depth: f64| {
        let why =
            folder.scene(geom, top, bodies).err().unwrap_or_else(|| panic!("{bodies} on {geom} was taken"));
        assert!(why.contains(of), "{why}");
        let told: f64 = why.split("starts ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
        assert!((told - depth).abs() < 0.1 * depth, "{why}: {depth} mm");
    };
    let low = |shape| body(shape, [0.0, 0.0, 0.028]);
    refused(PLATE, "", &low(BOX), "inside geom 'plate'", 2.0);
    refused(PLATE, "", &low(CUBE), "inside geom 'plate'", 2.0);
    refused(SURFACE, "mesh_surfaces = true", &low(BOX), "inside geom 'plate'", 2.0);
    refused(SURFACE, "mesh_surfaces = true", &low(CUBE), "inside geom 'plate'", 2.0);
    // A rod through the middle, beside all corners: points of faces in it are up to its radius deep.
    let rod = "<geom name='rod' type='cylinder' size='.002 .2' euler='90 0 0' pos='0 0 .1'/>";
    let why = folder.scene(rod, "", &body(CUBE, [0.0, 0.0, 0.1])).err().unwrap();
    assert!(why.contains("inside geom 'rod'"), "{why}");
    // One in millimetres, taken for metres, has the plate inside.
    std::fs::write(folder.0.join("large.obj"), block(Vector3::repeat(30.0))).unwrap();
    assert!(folder.scene(PLATE, "spacing = 3", &body("mesh = 'large.obj'", [0.0, 0.0, 0.04])).is_err());
    // Two bodies.
    let two =
        [body(CUBE, [0.0, 0.0, 0.1]), body(CUBE, [0.01, 0.0, 0.158]).replace("mesh", "name = 'upper'\nmesh")];
    refused(PLATE, "", &two.concat(), "inside '", 2.0);
    // Those that just touch are taken.
    folder.scene(PLATE, "", &body(CUBE, [0.0, 0.0, 0.0301])).unwrap();
    folder.scene(SURFACE, "mesh_surfaces = true", &body(CUBE, [0.0, 0.0, 0.0301])).unwrap();
}
