//! A recording file is not to be trusted: whatever is changed in it, reading and drawing it end in a page or an error.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use signorini_multibody::RigidSystem;
use signorini_run::recording::{RecordedCloud, RecordedSurfaces};
use signorini_run::{Method, run};
use signorini_run::{Recording, view};
use signorini_scene::SceneBuilder;
use signorini_testkit::rng::Rng;

/// A folder of its own for a test, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("signorini-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Arrays of an archive by name.
type Arrays = Vec<(String, Vec<u8>)>;

/// A ball that falls onto a floor and touches it, beside three material points that make a triangle.
fn recording() -> Recording {
    let b = SceneBuilder::new("ball").gravity([0.0, 0.0, -9.81]).world().half_space();
    let scene = b.body("ball").at([0.0, 0.0, 0.101]).free_joint().sphere(0.1).mass(1.0).build().unwrap();
    let engine = Method::icf().with_step(5e-3);
    let mut sys: RigidSystem = engine.system(&scene).unwrap();
    let mut x = sys.initial_state(None).unwrap();
    let mut r = run(&scene, &engine, &mut x, 0.1).unwrap().0;
    let cloth = RecordedCloud {
        name: "cloth".into(),
        count: 3,
        triangles: vec![0, 1, 2],
        ..RecordedCloud::default()
    };
    r.header.clouds = vec![cloth];
    // As if the ball met the floor over an area.
    r.header.has_surfaces = true;
    let rows = 0..r.len() as u32;
    r.surfaces = RecordedSurfaces {
        geoms: rows.clone().flat_map(|_| [0, 1]).collect(),
        corners: rows.clone().flat_map(|_| [0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 0.1, 0.0]).collect(),
        pressure: rows.clone().flat_map(|i| [0.0, 10.0, i as f32]).collect(),
        row: rows.collect(),
    };
    r.points = (0..9 * r.len()).map(|i| i as f32).collect();
    assert!(!r.contact_row.is_empty(), "the ball touches");
    r
}

fn arrays(path: &Path) -> Arrays {
    let mut z = zip::ZipArchive::new(std::fs::File::open(path).unwrap()).unwrap();
    let names: Vec<String> = z.file_names().map(|n| n.unwrap().into_owned()).collect();
    let read = |name: String| {
        let mut bytes = Vec::new();
        z.by_name(&name).unwrap().read_to_end(&mut bytes).unwrap();
        (name, bytes)
    };
    names.into_iter().map(read).collect()
}

fn write(path: &Path, arrays: &Arrays) {
    let mut z = zip::ZipWriter::new(std::fs::File::create(path).unwrap());
    for (name, bytes) in arrays {
        z.start_file(name.as_str(), zip::write::SimpleFileOptions::default()).unwrap();
        z.write_all(bytes).unwrap();
    }
    z.finish().unwrap();
}

/// The message of a file that must be refused.
fn refused(path: &Path) -> String {
    match Recording::read_npz(path) {
        Err(e) => e.to_string(),
        Ok(_) => panic!("the file was accepted"),
    }
}

#[test]
fn regression_errors_name_the_array() {
    let folder = Folder::new("recording-arrays");
    let path = folder.0.join("a.npz");
    let good = recording();
    type Change = fn(&mut Recording);
    let cases: [(&str, Change); 17] = [
        ("array q: its shape", |r| _ = r.q.pop()),
        ("array wall_s: its shape", |r| _ = r.wall_s.pop()),
        ("array poses: its shape", |r| r.header.body_names.clear()),
        ("array t has NaN at entry 3", |r| r.t[3] = f64::NAN),
        ("array q has inf", |r| r.q[5] = f64::INFINITY),
        ("array poses has NaN", |r| r.poses[0] = f64::NAN),
        ("array t, entry 1: time runs backwards", |r| r.t[2] = -1.0),
        ("array contact_row, entry 0: no such row", |r| r.contact_row.fill(9999)),
        ("array contact_geoms, entry 0: no such geom", |r| r.contact_geoms[0] = 7),
        ("array contact_dt, entry 0: a solve has a positive length", |r| r.contact_dt[0] = 0.0),
        ("header: shape 0", |r| r.header.shapes[0].body = 9),
        ("a triangle of vertices that do not exist", |r| r.header.shapes[1].triangles[0] = u32::MAX),
        ("array points: its shape", |r| _ = r.points.pop()),
        ("array points has inf at entry 4", |r| r.points[4] = f32::INFINITY),
        ("header: cloud 0 ('cloth') has a triangle of points that do not exist", |r| {
            r.header.clouds[0].triangles[1] = 3
        }),
        ("header: cloud 0 ('cloth') has a radius", |r| r.header.clouds[0].radius = -1.0),
        ("an incomplete vertex", |r| _ = r.header.shapes[1].vertices.pop()),
    ];
    for (words, change) in cases {
        let mut r = good.clone();
        change(&mut r);
        r.write_npz(&path).unwrap();
        let message = refused(&path);
        assert!(message.contains(words) && message.contains("a.npz"), "{words}: {message}");
    }
}

#[test]
fn regression_arrays_of_another_kind_are_refused() {
    let folder = Folder::new("recording-kinds");
    let path = folder.0.join("a.npz");
    recording().write_npz(&path).unwrap();
    let good = arrays(&path);
    let replace = |from: &str, to: &str| {
        let mut all = good.clone();
        let q = all.iter_mut().find(|(name, _)| name == "q.npy").unwrap();
        let text = String::from_utf8_lossy(&q.1[10..128]).into_owned();
        assert!(text.contains(from), "{text}");
        q.1[10..128].copy_from_slice(text.replace(from, to).as_bytes().get(..118).unwrap());
        write(&path, &all);
        refused(&path)
    };
    assert!(replace("<f8", "<f4").contains("array q: its numbers are not of type <f8"));
    assert!(replace("<f8", "|O8").contains("array q"));
    assert!(replace("False", "True ").contains("array q: its columns come first"));
    assert!(replace("(2", "(4").contains("array q: its shape"));
    assert!(replace("'shape'", "'shade'").contains("array q: its header has no 'shape'"));
    for (name, _) in &good {
        write(&path, &good.iter().filter(|(n, _)| n != name).cloned().collect());
        let message = refused(&path);
        assert!(message.contains(name.trim_end_matches(".npy")), "{name}: {message}");
    }
}

/// Bytes of arrays, of headers and of the archive itself.
#[test]
fn property_changed_files_are_pages_or_errors() {
    let folder = Folder::new("recording-bytes");
    let path = folder.0.join("a.npz");
    recording().write_npz(&path).unwrap();
    let good = arrays(&path);
    let bytes = std::fs::read(&path).unwrap();
    let try_it = || Recording::read_npz(&path).is_ok_and(|r| !view::page(&r).is_empty());
    assert!(try_it());
    let (mut r, mut pages) = (Rng::new(7), 0);
    for _ in 0..600 {
        let mut all = good.clone();
        let i = r.below(all.len());
        let array = &mut all[i].1;
        for _ in 0..1 + r.below(2) {
            // Half of the changes are in the first 128 bytes, where the header of an array is.
            let end = if r.below(2) == 0 { array.len().min(128) } else { array.len() };
            let at = r.below(end.max(1));
            match r.below(4) {
                0 => array.truncate(at),
                1 => array.extend(vec![b'1'; r.below(20)]),
                2 if at < array.len() => drop(array.remove(at)),
                _ if at < array.len() => {
                    array[at] = [0, 0xff, 0x7f, b'9', b')', b'{', b' ', r.below(256) as u8][r.below(8)];
                }
                _ => {}
            }
        }
        write(&path, &all);
        pages += usize::from(try_it());
    }
    assert!(pages > 30, "some changes do no harm: {pages}");
    for _ in 0..600 {
        let mut file = bytes.clone();
        match r.below(2) {
            0 => file.truncate(r.below(file.len())),
            _ => {
                let at = r.below(file.len());
                file[at] = r.below(256) as u8;
            }
        }
        std::fs::write(&path, &file).unwrap();
        try_it();
    }
}
