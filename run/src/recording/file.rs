//! Recordings as files.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::Path;

use signorini_core::GeneralizedImpulses;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use super::csv_file::CsvFile;
use super::npy::{self, Scalar};
use super::{IMPULSES, RecordedSurfaces, Recording, RecordingError, RecordingHeader, StepPart};

impl Recording {
    /// Writes a numpy archive that `numpy.load` reads; the header is the JSON text in `header`.
    ///
    /// # Errors
    /// The file system.
    pub fn write_npz(&self, path: &Path) -> Result<(), RecordingError> {
        self.write_npz_inner(path)
            .map_err(|source| RecordingError::Io { path: path.display().to_string(), source })
    }

    fn write_npz_inner(&self, path: &Path) -> std::io::Result<()> {
        let mut z = ZipWriter::new(BufWriter::new(File::create(path)?));
        let n = self.len();
        let m = self.contact_row.len();
        let h = &self.header;
        let header = serde_json::to_vec(h).map_err(std::io::Error::other)?;
        put(&mut z, "header", &[header.len()], &header)?;
        put(&mut z, "t", &[n], &self.t)?;
        put(&mut z, "q", &[n, h.q_names.len()], &self.q)?;
        put(&mut z, "v", &[n, h.v_names.len()], &self.v)?;
        put(&mut z, "control", &[n, h.control_names.len()], &self.control)?;
        put(&mut z, "sensors", &[n, h.sensor_names.len()], &self.sensors)?;
        put(&mut z, "energy", &[n, 3], &self.energy)?;
        put(&mut z, "dt", &[n], &self.dt)?;
        put(&mut z, "error", &[n], &self.error)?;
        put(&mut z, "iterations", &[n], &self.iterations)?;
        put(&mut z, "rejected", &[n], &self.rejected)?;
        put(&mut z, "wall_s", &[n], &self.wall_s)?;
        put(&mut z, "poses", &[n, h.body_names.len(), 7], &self.poses)?;
        if !h.clouds.is_empty() {
            put(&mut z, "points", &[n, h.point_count(), 3], &self.points)?;
        }
        if h.has_impulses {
            for (name, x) in IMPULSES.into_iter().zip(self.impulses.sources()) {
                put(&mut z, name, &[n, h.impulse_count()], x)?;
            }
        }
        put(&mut z, "contact_row", &[m], &self.contact_row)?;
        put(&mut z, "contact_geoms", &[m, 2], &self.contact_geoms)?;
        put(&mut z, "contact_point", &[m, 3], &self.contact_point)?;
        put(&mut z, "contact_arms", &[m, 2, 3], &self.contact_arms)?;
        put(&mut z, "contact_frame", &[m, 3, 3], &self.contact_frame)?;
        put(&mut z, "contact_gap", &[m], &self.contact_gap)?;
        put(&mut z, "contact_impulse", &[m, 3], &self.contact_impulse)?;
        put(&mut z, "contact_angular_impulse", &[m, 3], &self.contact_angular_impulse)?;
        put(&mut z, "contact_dt", &[m], &self.contact_dt)?;
        put(&mut z, "contact_part", &[m], &self.contact_part)?;
        if h.has_surfaces {
            let (s, of) = (self.surfaces.row.len(), &self.surfaces);
            put(&mut z, "surface_row", &[s], &of.row)?;
            put(&mut z, "surface_geoms", &[s, 2], &of.geoms)?;
            put(&mut z, "surface_corners", &[s, 3, 3], &of.corners)?;
            put(&mut z, "surface_pressure", &[s, 3], &of.pressure)?;
        }
        z.finish()?.flush()
    }

    /// Reads a file of [`Recording::write_npz`].
    ///
    /// # Errors
    /// The file system, or an archive without the arrays of a recording.
    pub fn read_npz(path: &Path) -> Result<Self, RecordingError> {
        let name = path.display().to_string();
        let file = File::open(path).map_err(|source| RecordingError::Io { path: name.clone(), source })?;
        let mut z = ZipArchive::new(BufReader::new(file))
            .map_err(|e| RecordingError::Format { path: name.clone(), reason: e.to_string() })?;
        let header: Vec<u8> = get(&mut z, &name, "header")?;
        let header: RecordingHeader = serde_json::from_slice(&header)
            .map_err(|e| RecordingError::Format { path: name.clone(), reason: format!("header: {e}") })?;
        let points = if header.clouds.is_empty() { Vec::new() } else { get(&mut z, &name, "points")? };
        let mut impulses = GeneralizedImpulses::default();
        if header.has_impulses {
            for (array, x) in IMPULSES.into_iter().zip(impulses.sources_mut()) {
                *x = get(&mut z, &name, array)?;
            }
        }
        let contact_row: Vec<u32> = get(&mut z, &name, "contact_row")?;
        // Files of older versions have neither.
        let m = contact_row.len();
        let later = ["contact_angular_impulse", "contact_arms", "contact_part"];
        let old = later.iter().all(|a| z.index_for_name(&format!("{a}.npy")).is_none());
        let (contact_angular_impulse, contact_arms, contact_part) = match old {
            true => (vec![0.0; 3 * m], vec![0.0; 6 * m], vec![StepPart::Whole as u8; m]),
            false => {
                let [angular, arms, part] = later;
                (get(&mut z, &name, angular)?, get(&mut z, &name, arms)?, get(&mut z, &name, part)?)
            }
        };
        let surfaces = match header.has_surfaces {
            false => RecordedSurfaces::default(),
            true => RecordedSurfaces {
                row: get(&mut z, &name, "surface_row")?,
                geoms: get(&mut z, &name, "surface_geoms")?,
                corners: get(&mut z, &name, "surface_corners")?,
                pressure: get(&mut z, &name, "surface_pressure")?,
            },
        };
        let r = Self {
            header,
            surfaces,
            points,
            impulses,
            contact_angular_impulse,
            contact_arms,
            contact_part,
            t: get(&mut z, &name, "t")?,
            q: get(&mut z, &name, "q")?,
            v: get(&mut z, &name, "v")?,
            control: get(&mut z, &name, "control")?,
            sensors: get(&mut z, &name, "sensors")?,
            energy: get(&mut z, &name, "energy")?,
            dt: get(&mut z, &name, "dt")?,
            error: get(&mut z, &name, "error")?,
            iterations: get(&mut z, &name, "iterations")?,
            rejected: get(&mut z, &name, "rejected")?,
            wall_s: get(&mut z, &name, "wall_s")?,
            poses: get(&mut z, &name, "poses")?,
            contact_row,
            contact_geoms: get(&mut z, &name, "contact_geoms")?,
            contact_point: get(&mut z, &name, "contact_point")?,
            contact_frame: get(&mut z, &name, "contact_frame")?,
            contact_gap: get(&mut z, &name, "contact_gap")?,
            contact_impulse: get(&mut z, &name, "contact_impulse")?,
            contact_dt: get(&mut z, &name, "contact_dt")?,
        };
        match r.check() {
            Ok(()) => Ok(r),
            Err(reason) => Err(RecordingError::Format { path: name, reason }),
        }
    }

    /// Checks a recording from anywhere before rows are taken from it.
    fn check(&self) -> Result<(), String> {
        let (n, m, h) = (self.t.len(), self.contact_row.len(), &self.header);
        let (nb, ng, s) = (h.body_names.len(), h.geom_names.len(), self.surfaces.row.len());
        for (what, found, rows, width) in [
            ("q", self.q.len(), n, h.q_names.len()),
            ("v", self.v.len(), n, h.v_names.len()),
            ("control", self.control.len(), n, h.control_names.len()),
            ("sensors", self.sensors.len(), n, h.sensor_names.len()),
            ("energy", self.energy.len(), n, 3),
            ("dt", self.dt.len(), n, 1),
            ("error", self.error.len(), n, 1),
            ("iterations", self.iterations.len(), n, 1),
            ("rejected", self.rejected.len(), n, 1),
            ("wall_s", self.wall_s.len(), n, 1),
            ("poses", self.poses.len(), n, 7 * nb),
            ("points", self.points.len(), n, 3 * h.point_count()),
            ("contact_geoms", self.contact_geoms.len(), m, 2),
            ("contact_point", self.contact_point.len(), m, 3),
            ("contact_arms", self.contact_arms.len(), m, 6),
            ("contact_frame", self.contact_frame.len(), m, 9),
            ("contact_gap", self.contact_gap.len(), m, 1),
            ("contact_impulse", self.contact_impulse.len(), m, 3),
            ("contact_angular_impulse", self.contact_angular_impulse.len(), m, 3),
            ("contact_dt", self.contact_dt.len(), m, 1),
            ("contact_part", self.contact_part.len(), m, 1),
            ("surface_geoms", self.surfaces.geoms.len(), s, 2),
            ("surface_corners", self.surfaces.corners.len(), s, 9),
            ("surface_pressure", self.surfaces.pressure.len(), s, 3),
        ] {
            check_length(what, found, rows, width)?;
        }
        for (what, x) in [
            ("t", &self.t),
            ("q", &self.q),
            ("v", &self.v),
            ("poses", &self.poses),
            ("contact_point", &self.contact_point),
            ("contact_arms", &self.contact_arms),
            ("contact_frame", &self.contact_frame),
            ("contact_gap", &self.contact_gap),
            ("contact_impulse", &self.contact_impulse),
            ("contact_angular_impulse", &self.contact_angular_impulse),
            ("contact_dt", &self.contact_dt),
        ] {
            check_finite(what, x.iter().copied())?;
        }
        for (what, x) in IMPULSES.into_iter().zip(self.impulses.sources()) {
            check_length(what, x.len(), n, h.impulse_count())?;
        }
        check_finite("points", self.points.iter().map(|x| f64::from(*x)))?;
        check_finite("surface_corners", self.surfaces.corners.iter().map(|x| f64::from(*x)))?;
        check_finite("surface_pressure", self.surfaces.pressure.iter().map(|x| f64::from(*x)))?;
        let refuse = |what: &str, i: Option<usize>, why: &str| match i {
            Some(i) => Err(format!("array {what}, entry {i}: {why}")),
            None => Ok(()),
        };
        refuse("t", self.t.windows(2).position(|w| w[0] > w[1]), "time runs backwards")?;
        for (what, rows) in [("contact_row", &self.contact_row), ("surface_row", &self.surfaces.row)] {
            refuse(what, rows.windows(2).position(|w| w[0] > w[1]), "rows must ascend")?;
            refuse(what, rows.iter().position(|r| *r as usize >= n), "no such row")?;
        }
        for (what, geoms) in [("contact_geoms", &self.contact_geoms), ("surface_geoms", &self.surfaces.geoms)]
        {
            refuse(what, geoms.iter().position(|g| *g as usize >= ng), "no such geom")?;
        }
        let last = StepPart::SecondHalf as u8;
        refuse("contact_part", self.contact_part.iter().position(|p| *p > last), "no such part of a step")?;
        refuse(
            "contact_dt",
            self.contact_dt.iter().position(|dt| *dt <= 0.0),
            "a solve has a positive length",
        )?;
        for (i, s) in h.shapes.iter().enumerate() {
            let vertices = s.vertices.len() / 3;
            let why = if s.body as usize >= nb {
                "belongs to no body"
            } else if s.vertices.len() % 3 != 0 || s.triangles.len() % 3 != 0 {
                "has an incomplete vertex or triangle"
            } else if s.triangles.iter().any(|v| *v as usize >= vertices) {
                "has a triangle of vertices that do not exist"
            } else if !s.vertices.iter().chain(&s.rgba).all(|x| x.is_finite()) {
                "has numbers that are not finite"
            } else {
                continue;
            };
            return Err(format!("header: shape {i} ('{}') {why}", s.name));
        }
        for (i, c) in h.clouds.iter().enumerate() {
            let why = if c.triangles.len() % 3 != 0 {
                "has an incomplete triangle"
            } else if c.triangles.iter().any(|v| *v >= c.count) {
                "has a triangle of points that do not exist"
            } else if !(c.radius >= 0.0 && c.radius.is_finite() && c.rgb.iter().all(|x| x.is_finite())) {
                "has a radius or colour that cannot be"
            } else {
                continue;
            };
            return Err(format!("header: cloud {i} ('{}') {why}", c.name));
        }
        Ok(())
    }

    /// Writes one line per row with time, step, energies, positions, velocities, controls and sensors.
    ///
    /// # Errors
    /// The file system.
    pub fn write_csv(&self, path: &Path) -> Result<(), RecordingError> {
        let io = |source| RecordingError::Io { path: path.display().to_string(), source };
        let mut csv = CsvFile::create(path, &self.header).map_err(io)?;
        for i in 0..self.len() {
            csv.write(&self.row(i)).map_err(io)?;
        }
        csv.finish().map_err(io)
    }
}

fn check_length(what: &str, found: usize, rows: usize, width: usize) -> Result<(), String> {
    if rows.checked_mul(width) == Some(found) {
        return Ok(());
    }
    Err(format!("array {what} has {found} entries, not {rows} rows of {width}"))
}

fn check_finite(what: &str, numbers: impl Iterator<Item = f64>) -> Result<(), String> {
    match numbers.enumerate().find(|(_, x)| !x.is_finite()) {
        Some((i, x)) => Err(format!("array {what} has {x} at entry {i}; only finite numbers can be shown")),
        None => Ok(()),
    }
}

fn put<W: Write + std::io::Seek, T: Scalar>(
    z: &mut ZipWriter<W>,
    name: &str,
    shape: &[usize],
    data: &[T],
) -> std::io::Result<()> {
    z.start_file(format!("{name}.npy"), SimpleFileOptions::default())?;
    z.write_all(&npy::to_bytes(shape, data))
}

/// Numbers of an array of a numpy archive, of 64 bits each, integers among them as they are nearest; rows first.
///
/// # Errors
/// The file system; an archive without the array, or with other numbers in it.
pub fn read_numbers(path: &Path, array: &str) -> Result<Vec<f64>, RecordingError> {
    let name = path.display().to_string();
    let file = File::open(path).map_err(|source| RecordingError::Io { path: name.clone(), source })?;
    let mut z = ZipArchive::new(BufReader::new(file))
        .map_err(|e| RecordingError::Format { path: name.clone(), reason: e.to_string() })?;
    get::<f64>(&mut z, &name, array).or_else(|refused| {
        let whole = get::<i64>(&mut z, &name, array).map_err(|_| refused)?;
        Ok(whole.into_iter().map(|n| n as f64).collect())
    })
}

fn get<T: Scalar>(
    z: &mut ZipArchive<BufReader<File>>,
    path: &str,
    name: &str,
) -> Result<Vec<T>, RecordingError> {
    let format = |e: &dyn std::fmt::Display| RecordingError::Format {
        path: path.into(),
        reason: format!("array {name}: {e}"),
    };
    let mut bytes = Vec::new();
    let mut file = z.by_name(&format!("{name}.npy")).map_err(|e| format(&e))?;
    file.read_to_end(&mut bytes).map_err(|e| format(&e))?;
    npy::from_bytes(&bytes).map_err(|e| format(&e))
}
