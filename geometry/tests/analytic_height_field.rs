//! Height fields: validation, sampling, cells, files.

use std::path::Path;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use signorini_core::na::{Point3, Vector3};
use signorini_geometry::{Aabb, Elevation, ElevationError, HeightField, HeightFieldError};

fn ramp(rows: usize, cols: usize) -> HeightField {
    let heights = (0..rows * cols).map(|i| 0.3 * (i / cols) as f64 + 0.1 * (i % cols) as f64).collect();
    HeightField::new(rows, cols, [2.0, 1.0], heights, 0.5).unwrap()
}

#[test]
fn analytic_a_ramp_is_sampled_exactly() {
    let (rows, cols) = (5, 9);
    let field = ramp(rows, cols);
    let [dx, dy] = field.spacing();
    assert_eq!((dx, dy), (0.5, 0.5));
    assert_eq!(field.vertex(0, 0), Point3::new(-2.0, -1.0, 0.0));
    assert_eq!(field.vertex(rows - 1, cols - 1).xy(), Point3::new(2.0, 1.0, 0.0).xy());
    for (x, y) in [(-2.0, -1.0), (2.0, 1.0), (0.123, -0.77), (1.99, 0.01), (-2.0, 1.0)] {
        let (z, n) = field.sample(x, y).unwrap();
        // linear in x and y: rounding
        assert!((z - (0.3 * (y + 1.0) / dy + 0.1 * (x + 2.0) / dx)).abs() < 1e-14);
        assert!((n - Vector3::new(-0.2, -0.6, 1.0).normalize()).norm() < 1e-13);
    }
    assert_eq!(field.height_at(2.0 + 1e-9, 0.0), None);
    assert_eq!(field.height_at(0.0, f64::NAN), None);
    let bounds = field.aabb();
    assert_eq!(
        (bounds.min, bounds.max),
        (Point3::new(-2.0, -1.0, -0.5), Point3::new(2.0, 1.0, 0.3 * 4.0 + 0.1 * 8.0))
    );
}

#[test]
fn analytic_bad_fields_are_refused() {
    let new = |rows, cols, h: [f64; 2], heights: Vec<f64>, base| {
        HeightField::new(rows, cols, h, heights, base).unwrap_err()
    };
    assert!(matches!(
        new(1, 5, [1.0, 1.0], vec![0.0; 5], 1.0),
        HeightFieldError::TooSmall { rows: 1, cols: 5 }
    ));
    assert!(matches!(new(2, 2, [1.0, 1.0], vec![0.0; 5], 1.0), HeightFieldError::Length { given: 5, .. }));
    assert!(matches!(new(usize::MAX, 2, [1.0, 1.0], vec![], 1.0), HeightFieldError::TooLarge { .. }));
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(new(2, 2, [bad, 1.0], vec![0.0; 4], 1.0), HeightFieldError::Size { .. }));
        assert!(matches!(new(2, 2, [1.0, bad], vec![0.0; 4], 1.0), HeightFieldError::Size { .. }));
        assert!(matches!(new(2, 2, [1.0, 1.0], vec![0.0; 4], bad), HeightFieldError::Size { .. }));
    }
    assert!(matches!(
        new(2, 3, [1.0, 1.0], vec![0.0, 0.0, 0.0, 0.0, f64::NAN, 0.0], 1.0),
        HeightFieldError::NonFinite { row: 1, col: 1, .. }
    ));
    assert!(matches!(
        new(2, 2, [1.0, 1.0], vec![0.0, -1.0, 0.0, 0.0], 1.0),
        HeightFieldError::BelowBase { row: 0, col: 1, .. }
    ));
}

fn binary(rows: i32, cols: i32, values: &[f32]) -> Vec<u8> {
    let head = rows.to_le_bytes().into_iter().chain(cols.to_le_bytes());
    head.chain(values.iter().flat_map(|v| v.to_le_bytes())).collect()
}

#[test]
fn analytic_elevation_files() {
    let e = Elevation::from_binary(&binary(2, 3, &[1., 2., 3., 4., 5., 6.]), "x.bin").unwrap();
    assert_eq!((e.rows, e.cols, &e.values[..]), (2, 3, &[1., 2., 3., 4., 5., 6.][..]));
    assert_eq!(e.normalized().values, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]);
    let field = e.normalized().to_height_field([1.0, 2.0], 0.5, 0.1).unwrap();
    assert_eq!(field.vertex(1, 2), Point3::new(1.0, 2.0, 0.5));
    let top_down = Elevation::from_top_down(2, 3, &[4., 5., 6., 1., 2., 3.]).unwrap();
    assert_eq!(top_down.values, e.values);
    assert!(Elevation::from_top_down(2, 3, &[0.0; 5]).is_none());
    for bytes in [
        vec![],
        vec![0; 7],
        binary(2, 3, &[0.0; 5]),
        binary(-2, -3, &[0.0; 6]),
        binary(0, 0, &[]),
        binary(i32::MAX, i32::MAX, &[0.0]),
        binary(1, 2, &[0.0, f32::NAN]),
    ] {
        let refused = Elevation::from_binary(&bytes, "x.bin").unwrap_err();
        assert!(refused.to_string().contains("x.bin"), "{refused}");
    }
    let missing = Elevation::load("no/such/field.png").unwrap_err();
    assert!(
        matches!(missing, ElevationError::Missing { .. })
            && missing.to_string().contains("no/such/field.png")
    );
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("field.bin");
    std::fs::write(&path, binary(2, 3, &[1., 2., 3., 4., 5., 6.])).unwrap();
    assert_eq!(Elevation::load(&path).unwrap(), e);
}

fn png_file(width: u32, height: u32, color: png::ColorType, depth: png::BitDepth, data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, width, height);
    encoder.set_color(color);
    encoder.set_depth(depth);
    encoder.write_header().unwrap().write_image_data(data).unwrap();
    out
}

#[test]
fn analytic_elevation_from_png() {
    use png::{BitDepth, ColorType};
    // the top row of the picture is the far edge, +y
    let grey = png_file(3, 2, ColorType::Grayscale, BitDepth::Eight, &[51, 102, 153, 0, 255, 204]);
    let e = Elevation::from_png_bytes(&grey, "x.png").unwrap();
    assert_eq!((e.rows, e.cols, &e.values[..]), (2, 3, &[0.0, 1.0, 0.8, 0.2, 0.4, 0.6][..]));
    let fine = png_file(2, 1, ColorType::Grayscale, BitDepth::Sixteen, &[0x01, 0x02, 0xff, 0xff]);
    assert_eq!(Elevation::from_png_bytes(&fine, "x.png").unwrap().values, [1.0 / 255.0, 1.0]);
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("field.PNG");
    std::fs::write(&path, &grey).unwrap();
    assert_eq!(Elevation::load(&path).unwrap(), e);
    let colored = png_file(1, 1, ColorType::Rgb, BitDepth::Eight, &[51, 2, 3]);
    assert_eq!(Elevation::from_png_bytes(&colored, "x.png").unwrap().values, [0.2]);
    for bytes in [&grey[..grey.len() / 2], &b""[..], b"not a picture"] {
        let refused = Elevation::from_png_bytes(bytes, "x.png").unwrap_err();
        assert!(refused.to_string().contains("grey PNG"), "{refused}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, rng_seed: RngSeed::Fixed(5), ..ProptestConfig::default() })]

    #[test]
    fn property_cells_in_a_box(
        rows in 2..9usize, cols in 2..9usize, heights in prop::collection::vec(-0.4..1.0f64, 81),
        low in prop::array::uniform3(-3.0..3.0f64), size in prop::array::uniform3(0.0..3.0f64),
    ) {
        let field = HeightField::new(rows, cols, [2.0, 1.0], heights[..rows * cols].to_vec(), 0.5).unwrap();
        let probe = Aabb::new(Point3::from(low), Point3::from(low) + Vector3::from(size));
        let mut found = vec![9];
        field.triangles_in_aabb(&probe, &mut found);
        let expected: Vec<u32> = (0..field.triangle_count() as u32).filter(|t| {
            let mut column = Aabb::from_points(&field.triangle(*t as usize));
            column.min.z = -0.5;
            column.overlaps(&probe)
        }).collect();
        prop_assert_eq!(found, expected);
        for t in 0..field.triangle_count() {
            let [a, b, c] = field.triangle(t);
            let middle = Point3::from((a.coords + b.coords + c.coords) / 3.0);
            let (z, n) = field.sample(middle.x, middle.y).unwrap();
            // linear within a triangle: rounding
            prop_assert!((z - middle.z).abs() < 1e-13);
            prop_assert!((n - (b - a).cross(&(c - a)).normalize()).norm() < 1e-12);
        }
    }

    #[test]
    fn property_damaged_pictures_never_panic(edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..5)) {
        let mut bytes = png_file(3, 2, png::ColorType::Grayscale, png::BitDepth::Eight, &[1, 2, 3, 4, 5, 6]);
        for (at, byte) in edits {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let _ = Elevation::from_png_bytes(&bytes, "x.png");
        let _ = Elevation::from_binary(&bytes, "x.bin");
    }
}
