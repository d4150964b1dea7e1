//! `<hfield>`: height fields from numbers in the file, an image or MuJoCo's binary format.

use std::path::Path;
use std::sync::Arc;

use signorini_geometry::{Elevation, HeightField, Shape};

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
                    HeightAsset::Read(height_field(e, &read_file(e, &path, media_type.as_deref())?, size)?)
                }
            }
            None => {
                let samples = rows.checked_mul(cols).filter(|n| *n <= MOST_SAMPLES).ok_or_else(|| {
                    let remedy = format!("keep nrow times ncol below {MOST_SAMPLES}");
                    e.invalid_at("nrow", format!("{rows} x {cols} samples are too many"), remedy)
                })?;
                let data = elevation.unwrap_or_else(|| vec![0.0; samples]);
                // Rows are written from +y down, as they look on the page.
                let read = Elevation::from_top_down(rows, cols, &data).ok_or_else(|| {
                    e.invalid_at(
                        "elevation",
                        format!("'elevation' has {} numbers for {rows} x {cols} samples", data.len()),
                        format!("write {samples} numbers, or correct nrow and ncol"),
                    )
                })?;
                HeightAsset::Read(height_field(e, &read, size)?)
            }
        };
        match self.assets.hfields.insert(name.clone(), asset) {
            None => Ok(()),
            Some(_) => Err(e.invalid(format!("hfield name '{name}' is used twice"), "rename one of them")),
        }
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

/// The elevations in a file.
fn read_file(e: &Element, path: &Path, media_type: Option<&str>) -> Read<Elevation> {
    let png = media_type.map_or_else(
        || path.extension().is_some_and(|x| x.eq_ignore_ascii_case("png")),
        |m| m == "image/png",
    );
    let bytes =
        std::fs::read(path).map_err(|source| crate::SceneError::Io { path: path.to_path_buf(), source })?;
    let read =
        if png { Elevation::from_png_bytes(&bytes, path) } else { Elevation::from_binary(&bytes, path) };
    read.map_err(|source| e.invalid_at("file", source.to_string(), "save it again in one of these formats"))
}

/// Heights scaled so that the lowest lies at 0 and the highest at `size[2]`.
fn height_field(e: &Element, elevation: &Elevation, size: [f64; 4]) -> Read<Arc<HeightField>> {
    let [x, y, z, base] = size;
    let field = elevation.normalized().to_height_field([x, y], z, base);
    field.map(Arc::new).map_err(|source| e.invalid(source.to_string(), "give at least 2 rows and 2 columns"))
}
