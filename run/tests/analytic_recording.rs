//! A recording survives the way through a file.

use std::collections::BTreeMap;
use std::io::{Read, Write};

use signorini_core::na::{Matrix3, Point3, Vector3};
use signorini_core::{ContactGeometry, GeneralizedImpulses};
use signorini_multibody::{Periodic, PressureTriangle, advance_controlled};
use signorini_run::Method;
use signorini_run::recorder::Recorder;
use signorini_run::recording::{
    ContactRow, RecordedCloud, Recording, RecordingFile, RecordingHeader, Row, RowSink, StepPart,
};
use signorini_scene::{SceneBuilder, Sensor, SensorKind, SensorObject};

fn sample() -> Recording {
    let names = |p: &str, n: usize| (0..n).map(|i| format!("{p}{i}")).collect::<Vec<_>>();
    let mut r = Recording::new(RecordingHeader {
        model: "m".into(),
        q_names: names("q", 2),
        v_names: names("v", 2),
        body_names: names("b", 1),
        geom_names: names("g", 5),
        has_impulses: true,
        has_surfaces: true,
        clouds: vec![RecordedCloud {
            name: "jelly".into(),
            count: 2,
            radius: 0.1,
            ..RecordedCloud::default()
        }],
        ..RecordingHeader::default()
    });
    for i in 0..3 {
        let t = f64::from(i) / 3.0;
        r.push(&Row {
            t,
            q: &[t, 1.0 / 7.0],
            v: &[-t, 0.0],
            poses: &[0.0; 7],
            points: &[0.1, 0.2, t as f32, 1.0 / 3.0, 0.0, 7.0],
            error: f64::NAN,
            impulses: [&[t, 1.0], &[2.0, -t], &[3.0, 4.0], &[5.0, 6.0], &[7.0, 8.0], &[1.0 / 3.0, t]],
            ..Row::default()
        });
        let c = ContactGeometry {
            constraint: 0,
            bodies: [0, 1],
            geoms: [3, 4],
            p_wc: Point3::new(t, 0.0, 1.0),
            arms: [Vector3::new(0.0, 0.0, t), Vector3::zeros()],
            r_wc: Matrix3::identity(),
            gap: -1e-3,
            feature: 0,
        };
        let impulse = [1.0, 0.0, t, 0.5, 0.0, -t];
        r.push_contact(&ContactRow { geometry: &c, impulse, dt: 0.01, part: StepPart::SecondHalf });
        (0..i).for_each(|k| r.push_surface(&triangle(i, k)));
    }
    r
}

/// Triangle `k` of row `i`.
fn triangle(i: i32, k: i32) -> PressureTriangle {
    let at = |x: f64, y: f64| Point3::new(x, y, f64::from(i) + 0.5 * f64::from(k));
    let corners = [at(0.0, 0.0), at(0.5, 0.0), at(0.0, 0.25)];
    PressureTriangle { geoms: [3, 4], corners, pressure: [0.0, 2.0, f64::from(k)] }
}

#[test]
fn analytic_npz_round_trip_is_exact() {
    let dir = std::env::temp_dir().join(format!("signorini-recording-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let path = dir.join("a.npz");
    let r = sample();
    r.write_npz(&path).unwrap();
    let back = Recording::read_npz(&path).unwrap();
    assert_eq!(r.header, back.header);
    assert_eq!(r.q, back.q);
    assert_eq!(r.points, back.points);
    assert_eq!(r.impulses, back.impulses);
    assert_eq!(back.impulses.bias, [1.0 / 3.0, 0.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, 2.0 / 3.0]);
    assert_eq!(back.points(1)[3..], [1.0 / 3.0, 0.0, 7.0]);
    assert_eq!(r.surfaces, back.surfaces);
    assert_eq!(
        (back.surfaces.of_row(0), back.surfaces.of_row(2), back.surfaces.highest(2)),
        (0..0, 1..3, 2.0)
    );
    assert_eq!(back.surfaces.triangle(2)[1], ([0.5, 0.0, 2.5], 2.0));
    assert_eq!(r.contact_impulse, back.contact_impulse);
    assert!(back.error.iter().all(|e| e.is_nan()));
    r.write_csv(&dir.join("a.csv")).unwrap();
    let text = std::fs::read_to_string(dir.join("a.csv")).unwrap();
    assert_eq!(text.lines().count(), 4);
    std::fs::write(&path, b"not an archive").unwrap();
    let e = Recording::read_npz(&path).unwrap_err().to_string();
    assert!(e.contains("a.npz"), "{e}");
    std::fs::remove_dir_all(&dir).unwrap();
}

/// A run that is written row by row leaves the file of a run in memory, byte for byte of every array, and nothing beside it.
#[test]
fn analytic_a_file_written_as_rows_come_is_that_of_memory() {
    let dir = std::env::temp_dir().join(format!("signorini-written-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let [whole, by_rows, old] = ["whole.npz", "rows.npz", "old.npz"].map(|n| dir.join(n));
    let [csv, csv_by_rows] = ["whole.csv", "rows.csv"].map(|n| dir.join(n));
    let r = sample();
    r.write_npz(&whole).unwrap();
    r.write_csv(&csv).unwrap();
    let mut file = RecordingFile::create(&by_rows, Some(&csv_by_rows)).unwrap();
    file.begin(r.header.clone());
    for i in 0..r.len() {
        RowSink::push(&mut file, &r.row(i));
        for k in (0..r.contact_row.len()).filter(|k| r.contact_row[*k] as usize == i) {
            let three = |a: &[f64]| [0, 1, 2].map(|j| a[3 * k + j]);
            let geometry = ContactGeometry {
                constraint: 0,
                bodies: [0, 1],
                geoms: [3, 4],
                p_wc: Point3::from(three(&r.contact_point)),
                arms: [Vector3::new(0.0, 0.0, r.t[i]), Vector3::zeros()],
                r_wc: Matrix3::identity(),
                gap: r.contact_gap[k],
                feature: 0,
            };
            let [[a, b, c], [d, e, f]] = [&r.contact_impulse, &r.contact_angular_impulse].map(|a| three(a));
            let (impulse, dt) = ([a, b, c, d, e, f], r.contact_dt[k]);
            file.push_contact(&ContactRow { geometry: &geometry, impulse, dt, part: StepPart::SecondHalf });
        }
        (0..i as i32).for_each(|k| file.push_surface(&triangle(i as i32, k)));
    }
    file.header_mut().warnings.push("late".into());
    assert!(!file.has_failed() && file.len() == r.len());
    let written = file.finish().unwrap();
    assert_eq!((written.rows, written.t, &*written.header.warnings[0]), (3, Some(2.0 / 3.0), "late"));
    let arrays = |path: &std::path::Path| {
        let mut z = zip::ZipArchive::new(std::fs::File::open(path).unwrap()).unwrap();
        let names: Vec<String> = z.file_names().map(|n| n.unwrap().into_owned()).collect();
        let of = |name: &String| {
            let mut bytes = Vec::new();
            z.by_name(name).unwrap().read_to_end(&mut bytes).unwrap();
            (name.clone(), bytes)
        };
        names.iter().map(of).collect::<BTreeMap<_, _>>()
    };
    let (a, b) = (arrays(&whole), arrays(&by_rows));
    assert_eq!((a.len(), b.len()), (34, 34));
    assert!(a.iter().all(|(name, bytes)| name == "header.npy" || b[name] == *bytes));
    assert_eq!(std::fs::read(&csv).unwrap(), std::fs::read(&csv_by_rows).unwrap());
    // A file of a version without generalised impulses, angular impulses and parts of steps.
    let mut z = zip::ZipWriter::new(std::fs::File::create(&old).unwrap());
    let later = ["contact_angular_impulse.npy", "contact_part.npy", "contact_arms.npy"];
    for (name, bytes) in a.iter().filter(|(n, _)| !n.starts_with("impulse_") && !later.contains(&n.as_str()))
    {
        let mut bytes = bytes.clone();
        if name == "header.npy" {
            let key = b"\"has_impulses\":true,";
            let at = bytes.windows(key.len()).position(|w| w == key).unwrap();
            bytes[at..at + key.len()].fill(b' ');
        }
        z.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        z.write_all(&bytes).unwrap();
    }
    z.finish().unwrap();
    let read = Recording::read_npz(&old).unwrap();
    assert_eq!((&read.contact_impulse, &read.contact_part), (&r.contact_impulse, &vec![0; 3]));
    assert_eq!(read.impulses, GeneralizedImpulses::default());
    assert_eq!(read.row(1).impulses, [&[] as &[f64]; 6]);
    assert_eq!((&read.contact_angular_impulse[..], &read.contact_arms[..]), (&[0.0; 9][..], &[0.0; 18][..]));
    assert!((0..3).all(|k| read.is_of_end(k)));
    assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 5, "the folder of parts is gone");
    assert!(RecordingFile::create(&dir.join("none/there.npz"), None).is_err());
    std::fs::remove_dir_all(&dir).unwrap();
}

/// A mocap body is where the controller put it, in every row until the next sample; the pages draw bodies from these poses.
#[test]
fn analytic_poses_of_mocap_bodies_follow_their_controller() {
    let (period, dt, samples) = (0.02, 0.005, 5);
    let b = SceneBuilder::new("hand").gravity([0.0, 0.0, -9.81]).body("hand").mocap().sphere(0.1).visual();
    let scene = b.body("free").at([0.0, 0.0, 3.0]).free_joint().sphere(0.1).mass(1.0).build().unwrap();
    let engine = Method::icf().with_step(dt);
    let mut sys = engine.system(&scene).unwrap();
    let mut x = sys.initial_state(None).unwrap();
    let mut recorder = Recorder::new(&scene, &engine, &x, sys.held()).unwrap();
    let mut wave = Periodic::new(period, |s| s.mocap[0].translation.vector.x = 1.0 + s.x.t.sin()).unwrap();
    let mut integrator = engine.integrator().unwrap();
    let end = f64::from(samples) * period;
    advance_controlled(&mut *integrator, &mut sys, &mut x, end, &mut wave, &mut recorder).unwrap();
    let r = recorder.recording;
    let hand = scene.body("hand").unwrap();
    assert_eq!(r.len(), 1 + 4 * samples as usize);
    assert_eq!(r.pose(0, hand)[0], 0.0, "the first row comes before the first sample");
    for i in 1..r.len() {
        // A step ends with the pose that was held during it.
        let sample = f64::from((i as i32 - 1) / 4) * period;
        assert_eq!(r.pose(i, hand)[0], 1.0 + sample.sin(), "row {i}");
    }
}

/// The first row has the sensors of the start, accelerations among them.
#[test]
fn analytic_the_first_row_has_the_sensors_of_the_start() {
    let b = SceneBuilder::new("fall").gravity([0.0, 0.0, -9.81]);
    let b = b.body("ball").at([0.0, 0.0, 3.0]).free_joint().sphere(0.1).mass(1.0);
    let b = b.site("centre", signorini_scene::Pose::identity());
    let sensor = |name: &str, kind| Sensor::new(name, kind, SensorObject::Site(0));
    let scene = b
        .sensor(sensor("velocity", SensorKind::FrameLinVel))
        .sensor(sensor("acceleration", SensorKind::FrameLinAcc))
        .build()
        .unwrap();
    let engine = Method::icf().with_step(0.01);
    let mut sys = engine.system(&scene).unwrap();
    let mut x = sys.initial_state(None).unwrap();
    x.v[0] = 0.5;
    let mut recorder = Recorder::new(&scene, &engine, &x, sys.held()).unwrap();
    engine.integrator().unwrap().advance(&mut sys, &mut x, 0.01, &mut recorder).unwrap();
    let r = recorder.recording;
    assert_eq!((r.len(), &r.sensors[..3]), (2, &[0.5, 0.0, 0.0][..]));
    // Free fall is the same acceleration at any time; Newton stops at 1e-8 of the momentum, and the trial step has 0.1 ms.
    let apart = |i: usize| (r.sensors[i] - r.sensors[6 + i]).abs();
    assert!((3..6).all(|i| apart(i) < 1e-6), "{:?}", r.sensors);
}
