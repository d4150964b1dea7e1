//! `<hfield>`: height fields from numbers in the file, an image or MuJoCo's binary format.

use std::path::Path;
use std::sync::Arc;

use signorini_geometry::{HeightField, Shape};

use super::asset::HeightAsset;
use super::geom::GeomSpec;
use super::{Missing, Reader};
use crate::xml::{Element, Read};
use crate::{GeomShape, NoteKind};

/// More samples than this are refused: a mistyped count would exhaust memory.
const MOST_SAMPLES: usize = 1 << 26;

impl Reader<'_> {
    /// Reads an `<hfield>` asset.
    pub(super) fn read_hfield(&mut self, e: &Element) -> Read<()> {
        let size = e.vector::<4>("size")?.ok_or_else(|| {
            e.invalid("attribute 'size' is missing", "write size=\"radius_x radius_y elevation_z base_z\"")
        })?;
        if size.iter().any(|s| *s <= 0.0) {
            return Err(e.invalid_at(
                "size",
                format!("a size in {size:?} is not positive"),
                "write four positive numbers",
            ));
        }
        let count = |n: &'static str| e.integer(n).map(|i| usize::try_from(i.unwrap_or(0)).unwrap_or(0));
        let (rows, cols) = (count("nrow")?, count("ncol")?);
        let elevation = e.numbers("elevation")?;
        let media_type = e.nonempty("content_type").map(str::to_owned);
        let file = e.nonempty("file").map(str::to_owned);
        let stem =
            file.as_deref().and_then(|f| Path::new(f).file_stem()).map(|s| s.to_string_lossy().into_owned());
        let name = e.nonempty("name").map(str::to_owned).or(stem);
        e.no_children()?;
        e.finish()?;
        let Some(name) = name else {
            return Err(e.invalid("the height field has neither name nor file", "write name=\"...\""));
        };
        let asset = match file {
            Some(_) if rows > 0 || cols > 0 => {
                return Err(e.invalid_at("nrow", "both 'file' and 'nrow' or 'ncol' are given", "keep one"));
            }
            Some(f) => {
                let path = self.asset_file(e, &f)?;
                if self.options.without_meshes {
                    HeightAsset::Missing(path)
                } else {
                    let (rows, cols, data) = read_file(e, &path, media_type.as_deref())?;
                    HeightAsset::Read(self.height_field(e, rows, cols, data, size)?)
                }
            }
            None => {
                let samples = rows.checked_mul(cols).filter(|n| *n <= MOST_SAMPLES).ok_or_else(|| {
                    let remedy = format!("keep nrow times ncol below {MOST_SAMPLES}");
                    e.invalid_at("nrow", format!("{rows} x {cols} samples are too many"), remedy)
                })?;
                let data = elevation.unwrap_or_else(|| vec![0.0; samples]);
                if data.len() != samples {
                    return Err(e.invalid_at(
                        "elevation",
                        format!("'elevation' has {} numbers for {rows} x {cols} samples", data.len()),
                        format!("write {samples} numbers, or correct nrow and ncol"),
                    ));
                }
                // Rows are written from +y down, as they look on the page.
                let data = data.chunks(cols.max(1)).rev().flatten().copied().collect();
                HeightAsset::Read(self.height_field(e, rows, cols, data, size)?)
            }
        };
        match self.assets.hfields.insert(name.clone(), asset) {
            None => Ok(()),
            Some(_) => Err(e.invalid(format!("hfield name '{name}' is used twice"), "rename one of them")),
        }
    }

    /// Heights scaled so that the lowest lies at 0 and the highest at `size[2]`.
    fn height_field(
        &self,
        e: &Element,
        rows: usize,
        cols: usize,
        mut data: Vec<f64>,
        size: [f64; 4],
    ) -> Read<Arc<HeightField>> {
        if rows < 2 || cols < 2 {
            return Err(e.invalid(
                format!("the height field has {rows} x {cols} samples"),
                "give at least 2 rows and 2 columns",
            ));
        }
        let low = data.iter().copied().fold(f64::INFINITY, f64::min);
        let span = data.iter().copied().fold(f64::NEG_INFINITY, f64::max) - low;
        for h in &mut data {
            *h = if span > 0.0 { (*h - low) / span * size[2] } else { 0.0 };
        }
        Ok(Arc::new(HeightField {
            rows,
            cols,
            half_extents: [size[0], size[1]],
            heights: data,
            base: size[3],
        }))
    }

    /// The shape of a height field geom.
    pub(super) fn hfield_shape(&mut self, e: &Element, g: &GeomSpec) -> Read<(GeomShape, Option<Missing>)> {
        let Some(name) = &g.hfield else {
            return Err(e.invalid("the geom has type=\"hfield\" but no hfield", "write hfield=\"NAME\""));
        };
        match self.assets.hfields.get(name) {
            Some(HeightAsset::Read(h)) => Ok((GeomShape::Solid(Shape::HeightField(h.clone())), None)),
            Some(HeightAsset::Missing(path)) => {
                let path = path.clone();
                self.notes.add(
                    NoteKind::Warning,
                    e,
                    format!("height field {} is not read: the geom does not collide", path.display()),
                );
                Ok((GeomShape::MissingMesh(path), Some(Missing)))
            }
            None => {
                Err(e.invalid_at("hfield", format!("hfield '{name}' does not exist"), "define it in <asset>"))
            }
        }
    }
}

/// Rows, columns and heights of a file, row 0 at −y.
fn read_file(e: &Element, path: &Path, media_type: Option<&str>) -> Read<(usize, usize, Vec<f64>)> {
    let png = media_type.map_or_else(
        || path.extension().is_some_and(|x| x.eq_ignore_ascii_case("png")),
        |m| m == "image/png",
    );
    if png { read_png(e, path) } else { read_binary(e, path) }
}

/// The first channel of an image (grey, or red), 8 bits, as MuJoCo takes it; the top row of the image lies at +y.
fn read_png(e: &Element, path: &Path) -> Read<(usize, usize, Vec<f64>)> {
    let bad = |what: &dyn std::fmt::Display| {
        e.invalid_at(
            "file",
            format!("{} is not a usable PNG image: {what}", path.display()),
            "save it again as a grey PNG",
        )
    };
    let file = std::fs::File::open(path)
        .map_err(|source| crate::SceneError::Io { path: path.to_path_buf(), source })?;
    let mut decoder = png::Decoder::new(std::io::BufReader::new(file));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(|e| bad(&e))?;
    let samples = reader.output_buffer_size().filter(|n| *n <= 4 * MOST_SAMPLES);
    let mut buffer = vec![0; samples.ok_or_else(|| bad(&"it is too large"))?];
    let frame = reader.next_frame(&mut buffer).map_err(|e| bad(&e))?;
    let (rows, cols) = (frame.height as usize, frame.width as usize);
    let stride = frame.color_type.samples();
    let row = |r: usize| buffer[r * frame.line_size..].chunks(stride).take(cols).map(|p| f64::from(p[0]));
    Ok((rows, cols, (0..rows).rev().flat_map(row).collect()))
}

/// Two 32-bit counts, rows and columns, then single-precision heights, all little-endian.
fn read_binary(e: &Element, path: &Path) -> Read<(usize, usize, Vec<f64>)> {
    let bytes =
        std::fs::read(path).map_err(|source| crate::SceneError::Io { path: path.to_path_buf(), source })?;
    let bad =
        |what: String| e.invalid_at("file", what, "save it again in MuJoCo's binary height field format");
    let word = |i: usize| bytes.get(4 * i..4 * i + 4).and_then(|b| <[u8; 4]>::try_from(b).ok());
    let count = |i: usize| word(i).map(i32::from_le_bytes).and_then(|n| usize::try_from(n).ok());
    let (Some(rows), Some(cols)) = (count(0), count(1)) else {
        return Err(bad(format!("{} is too short to be a height field", path.display())));
    };
    let samples = rows.checked_mul(cols).filter(|n| *n <= MOST_SAMPLES);
    if samples.is_none_or(|n| bytes.len() != 4 * (2 + n)) {
        return Err(bad(format!("{} does not have {rows} x {cols} samples", path.display())));
    }
    let data: Vec<f64> =
        (2..bytes.len() / 4).filter_map(|i| word(i).map(|w| f64::from(f32::from_le_bytes(w)))).collect();
    if data.iter().any(|h| !h.is_finite()) {
        return Err(bad(format!("{} has heights that are not finite", path.display())));
    }
    Ok((rows, cols, data))
}
