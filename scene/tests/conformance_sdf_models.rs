//! Public SDFormat files: bodies, velocities and masses as Drake 1.51.1 has them (`benches/peers/drake_files.py` compares poses and forces, too).

use std::path::{Path, PathBuf};

use signorini_scene::{GeomShape, Hydroelastic, LoadOptions, NoteKind, Scene};
use signorini_testkit::data;

/// File, bodies with the world, velocities, total mass.
const FILES: [(&str, usize, usize, f64); 12] = [
    ("dishes/drake/bin.sdf", 2, 6, 18.7),
    ("dishes/drake/bin2.sdf", 2, 6, 18.7),
    ("dishes/drake/evo_bowl.sdf", 2, 6, 0.5),
    ("dishes/drake/plate_8in.sdf", 2, 6, 0.375),
    ("hand_objects/ycb/005_tomato_soup_can.sdf", 2, 6, 0.349),
    ("hand_objects/ycb/010_potted_meat_can.sdf", 2, 6, 0.37),
    ("sdf/four_bar/four_bar.sdf", 4, 3, 60.0),
    ("wsg_50/schunk_wsg_50.sdf", 4, 8, 1.088882),
    ("wsg_50/schunk_wsg_50_ball_contact.sdf", 4, 8, 1.088882),
    ("wsg_50/schunk_wsg_50_no_tip.sdf", 4, 8, 1.088882),
    ("wsg_50/schunk_wsg_50_welded_fingers.sdf", 4, 6, 1.088882),
    ("wsg_50/schunk_wsg_50_with_tip.sdf", 4, 8, 1.088882),
];

fn below(folder: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for e in entries.map(|e| e.unwrap().path()) {
        match e.extension() {
            Some(x) if x == "sdf" => out.push(e),
            _ if e.is_dir() => below(&e, out),
            _ => {}
        }
    }
}

#[test]
fn conformance_public_sdformat_files() {
    let Some(models) = data::models() else { return };
    for (file, bodies, nv, mass) in FILES {
        let s = Scene::load(models.join(file), &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((s.bodies.len(), s.nv()), (bodies, nv), "{file}");
        // A sum of stated numbers: rounding only.
        assert!((s.total_mass() - mass).abs() < 1e-12 * mass, "{file}: {}", s.total_mass());
        let unknown: Vec<_> = s.notes.iter().filter(|n| n.kind == NoteKind::Unknown).collect();
        assert!(unknown.is_empty(), "{file}: {unknown:?}");
    }
    let mut all = Vec::new();
    below(&models, &mut all);
    for path in all {
        assert!(FILES.iter().any(|f| path.ends_with(f.0)), "no test for {}", path.display());
    }
}

#[test]
fn conformance_rigid_dishes_keep_their_meshes() {
    let Some(models) = data::models() else { return };
    let s = Scene::load(models.join("dishes/drake/plate_8in.sdf"), &LoadOptions::default()).unwrap();
    let plate = s.geoms.iter().find(|g| !g.mask.is_empty()).unwrap();
    assert_eq!(plate.surface.hydroelastic, Hydroelastic::rigid());
    assert!(matches!(plate.shape, GeomShape::Solid(signorini_geometry::Shape::Mesh(_))));
}
