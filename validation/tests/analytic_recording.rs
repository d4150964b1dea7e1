//! A recording survives the way through a file.

use signorini_core::ContactGeometry;
use signorini_core::na::{Matrix3, Point3};
use signorini_validation::recording::{Recording, RecordingHeader, Row};

fn sample() -> Recording {
    let names = |p: &str, n: usize| (0..n).map(|i| format!("{p}{i}")).collect::<Vec<_>>();
    let mut r = Recording::new(RecordingHeader {
        model: "m".into(),
        q_names: names("q", 2),
        v_names: names("v", 2),
        body_names: names("b", 1),
        ..RecordingHeader::default()
    });
    for i in 0..3 {
        let t = f64::from(i) / 3.0;
        r.push(&Row {
            t,
            q: &[t, 1.0 / 7.0],
            v: &[-t, 0.0],
            poses: &[0.0; 7],
            error: f64::NAN,
            ..Row::default()
        });
        let c = ContactGeometry {
            constraint: 0,
            bodies: [0, 1],
            geoms: [3, 4],
            p_wc: Point3::new(t, 0.0, 1.0),
            r_wc: Matrix3::identity(),
            gap: -1e-3,
            feature: 0,
        };
        r.push_contact(&c, [1.0, 0.0, t], 0.01);
    }
    r
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
