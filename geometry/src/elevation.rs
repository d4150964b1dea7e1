use std::path::{Path, PathBuf};

use crate::{HeightField, HeightFieldError};

/// Largest number of samples that is read; larger files are refused before memory is taken.
const MOST_SAMPLES: u64 = 1 << 26;

/// A grid of elevations as a file gives them, without scale.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Elevation {
    /// Number of rows (along y).
    pub rows: usize,
    /// Number of columns (along x).
    pub cols: usize,
    /// Values, row-major; row 0 lies at −y, column 0 at −x.
    pub values: Vec<f64>,
}

/// Why an elevation file was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ElevationError {
    /// There is no such file.
    #[error("height field file {} does not exist; check the path and the mesh directory of the model", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The file exists but cannot be read.
    #[error("height field file {} cannot be read: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// The file is not a grid of elevations.
    #[error(
        "height field file {}: {reason}; give a grey PNG, or MuJoCo's binary format (int32 rows, int32 \
         columns, then float32 values)", path.display()
    )]
    Format {
        /// The file.
        path: PathBuf,
        /// Reason of the refusal.
        reason: String,
    },
}

impl Elevation {
    /// Reads a PNG (by extension; first channel, values 0 to 1, the top row at +y) or else MuJoCo's binary format
    /// (little-endian: int32 rows, int32 columns, float32 values row by row from −y).
    ///
    /// # Errors
    /// An [`ElevationError`] that names the file, the reason and the remedy.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ElevationError> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(|source| {
            let path = path.to_owned();
            if source.kind() == std::io::ErrorKind::NotFound {
                ElevationError::Missing { path }
            } else {
                ElevationError::Unreadable { path, source }
            }
        })?;
        let is_png = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("png"));
        if is_png { Self::from_png_bytes(&bytes, path) } else { Self::from_binary(&bytes, path) }
    }

    /// MuJoCo's binary format from the bytes of a file; `name` appears in errors.
    ///
    /// # Errors
    /// [`ElevationError::Format`].
    pub fn from_binary(bytes: &[u8], name: impl AsRef<Path>) -> Result<Self, ElevationError> {
        let wrong = |reason: String| ElevationError::Format { path: name.as_ref().to_owned(), reason };
        let Some((head, body)) = bytes.split_at_checked(8) else {
            return Err(wrong(format!("{} bytes are too few for a header", bytes.len())));
        };
        let int = |k: usize| i128::from(i32::from_le_bytes([head[k], head[k + 1], head[k + 2], head[k + 3]]));
        let (rows, cols) = (int(0), int(4));
        if rows < 1 || cols < 1 {
            return Err(wrong(format!("its header says {rows} rows and {cols} columns")));
        }
        if rows * cols > i128::from(MOST_SAMPLES) {
            return Err(wrong(format!("{rows} x {cols} samples are too many")));
        }
        if 4 * rows * cols != body.len() as i128 {
            let due = 8 + 4 * rows * cols;
            return Err(wrong(format!(
                "{rows} x {cols} samples take {due} bytes, but it has {}",
                bytes.len()
            )));
        }
        let value = |b: &[u8]| f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        let values: Vec<f64> = body.chunks_exact(4).map(value).collect();
        if let Some(i) = values.iter().position(|v| !v.is_finite()) {
            return Err(wrong(format!("value {i} is {}", values[i])));
        }
        Ok(Self { rows: rows as usize, cols: cols as usize, values })
    }

    /// A PNG from the bytes of a file: its first channel (grey, or red), 8 bits of it, as MuJoCo takes it; `name` appears in errors.
    ///
    /// # Errors
    /// [`ElevationError::Format`].
    pub fn from_png_bytes(bytes: &[u8], name: impl AsRef<Path>) -> Result<Self, ElevationError> {
        let wrong = |reason: String| ElevationError::Format { path: name.as_ref().to_owned(), reason };
        let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
        decoder.set_transformations(png::Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().map_err(|e| wrong(format!("not a usable PNG image ({e})")))?;
        let (cols, rows) = (reader.info().width as usize, reader.info().height as usize);
        if reader.info().width as u64 * reader.info().height as u64 > MOST_SAMPLES {
            return Err(wrong(format!("{rows} x {cols} samples are too many")));
        }
        let size = reader.output_buffer_size().ok_or_else(|| wrong("it is too large".to_owned()))?;
        let mut pixels = vec![0; size];
        let frame = reader
            .next_frame(&mut pixels)
            .map_err(|e| wrong(format!("not a usable PNG image: it is damaged ({e})")))?;
        let stride = frame.color_type.samples();
        let first = |line: &[u8]| line.chunks(stride).take(cols).map(|p| f64::from(p[0]) / 255.0).collect();
        let top_down: Vec<Vec<f64>> = pixels.chunks(frame.line_size).take(rows).map(first).collect();
        Self::from_top_down(rows, cols, &top_down.concat())
            .ok_or_else(|| wrong(format!("its image has not {rows} x {cols} pixels")))
    }

    /// Values written row by row from +y, as an image or MuJoCo's inline `elevation` has them. `None` unless there are
    /// rows × cols.
    #[must_use]
    pub fn from_top_down(rows: usize, cols: usize, values: &[f64]) -> Option<Self> {
        if cols == 0 || rows.checked_mul(cols) != Some(values.len()) {
            return None;
        }
        Some(Self { rows, cols, values: values.chunks(cols).rev().flatten().copied().collect() })
    }

    /// The values moved and scaled to \[0, 1\]; all 0 if they are equal.
    #[must_use]
    pub fn normalized(&self) -> Self {
        let low = self.values.iter().copied().fold(f64::INFINITY, f64::min);
        let span = self.values.iter().copied().fold(f64::NEG_INFINITY, f64::max) - low;
        let scale = |v: &f64| if span > 0.0 { (v - low) / span } else { 0.0 };
        Self { rows: self.rows, cols: self.cols, values: self.values.iter().map(scale).collect() }
    }

    /// The height field with these values times `scale` \[m\]; `half_extents` and `base` as in [`HeightField::new`].
    ///
    /// # Errors
    /// As [`HeightField::new`].
    pub fn to_height_field(
        &self,
        half_extents: [f64; 2],
        scale: f64,
        base: f64,
    ) -> Result<HeightField, HeightFieldError> {
        let heights = self.values.iter().map(|v| v * scale).collect();
        HeightField::new(self.rows, self.cols, half_extents, heights, base)
    }
}
