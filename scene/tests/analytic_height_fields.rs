//! Height fields: order of rows and scale of heights, from numbers, binary files and images.

use std::path::{Path, PathBuf};

use signorini_geometry::Shape;
use signorini_scene::{GeomShape, LoadOptions, Scene, SceneError};

fn model(asset: &str) -> String {
    format!(
        "<mujoco><asset><hfield name='h' {asset}/></asset><worldbody><geom type='hfield' hfield='h'/></worldbody></mujoco>"
    )
}

fn heights(s: &Scene) -> (usize, usize, Vec<f64>) {
    match &s.geoms[0].shape {
        GeomShape::Solid(Shape::HeightField(h)) => {
            assert_eq!((h.half_extents, h.base), ([3.0, 2.0], 0.1));
            (h.rows, h.cols, h.heights.clone())
        }
        other => panic!("{other:?}"),
    }
}

fn load(dir: &Path, asset: &str) -> Result<Scene, SceneError> {
    let path = dir.join("terrain.xml");
    std::fs::write(&path, model(asset)).unwrap();
    Scene::load(path, &LoadOptions::default())
}

fn folder() -> PathBuf {
    let dir = std::env::temp_dir().join(format!("signorini-scene-{}-heights", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    dir
}

#[test]
fn analytic_height_fields_from_three_sources() {
    let dir = folder();
    // Two rows of three, lowest 10 and highest 60, scaled to 0..5; row 0 of the scene lies at −y.
    let low_row_first = [10.0, 20.0, 30.0, 40.0, 50.0, 60.0];
    let want: Vec<f64> = low_row_first.iter().map(|h| (h - 10.0) / 50.0 * 5.0).collect();
    let size = "size='3 2 5 .1'";
    let check = |s: Scene| {
        let (rows, cols, have) = heights(&s);
        assert_eq!((rows, cols), (2, 3));
        // Rounding of one division.
        assert!(
            have.iter().zip(&want).all(|(a, b)| (a - b).abs() < 1e-12),
            "{have:?} where {want:?} is expected"
        );
    };
    // In the text the first row is the one at +y, as it looks on the page.
    check(load(&dir, &format!("{size} nrow='2' ncol='3' elevation='40 50 60 10 20 30'")).unwrap());
    let mut bytes: Vec<u8> = [2i32, 3].iter().flat_map(|n| n.to_le_bytes()).collect();
    bytes.extend(low_row_first.iter().flat_map(|h| (*h as f32).to_le_bytes()));
    std::fs::write(dir.join("h.bin"), &bytes).unwrap();
    check(load(&dir, &format!("{size} file='h.bin'")).unwrap());
    for (color, stride) in [(png::ColorType::Grayscale, 1), (png::ColorType::Rgb, 3)] {
        let pixels: Vec<u8> = [40u8, 50, 60, 10, 20, 30]
            .iter()
            .flat_map(|p| std::iter::once(*p).chain([7, 7]).take(stride))
            .collect();
        let file = std::fs::File::create(dir.join("h.png")).unwrap();
        let mut encoder = png::Encoder::new(file, 3, 2);
        encoder.set_color(color);
        encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
        check(load(&dir, &format!("{size} file='h.png'")).unwrap());
    }
    let refused = |asset: &str, part: &str| {
        let e = load(&dir, asset).unwrap_err().to_string();
        assert!(e.contains("terrain.xml:1:") && e.contains("hfield 'h'") && e.contains(part), "{e}");
    };
    std::fs::write(dir.join("short.bin"), &bytes[..bytes.len() - 1]).unwrap();
    std::fs::write(dir.join("broken.png"), &bytes).unwrap();
    refused(&format!("{size} file='short.bin'"), "2 x 3 samples");
    refused(&format!("{size} file='broken.png'"), "not a usable PNG");
    refused(&format!("{size} file='absent.png'"), "does not exist");
    refused(&format!("{size} nrow='2' ncol='3' elevation='1 2'"), "2 numbers for 2 x 3");
    refused(&format!("{size} nrow='1' ncol='3' elevation='1 2 3'"), "at least 2 rows");
    refused(&format!("{size} nrow='99999999' ncol='99999999'"), "hfield");
    refused("size='3 2 0 .1' nrow='2' ncol='2'", "not positive");
    // A flat field stays at zero.
    let flat = load(&dir, &format!("{size} nrow='2' ncol='2'")).unwrap();
    assert_eq!(heights(&flat).2, [0.0; 4]);
    std::fs::remove_dir_all(dir).unwrap();
}
