//! What a run leaves behind: one row per accepted step, contacts, and enough of the scene to show the motion.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;

use npyz::WriterBuilder;
use serde::{Deserialize, Serialize};
use signorini_core::ContactGeometry;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

/// How a recording came about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RecordingHeader {
    /// Model file or scene name.
    pub model: String,
    /// Solver name.
    pub solver: String,
    /// Contact law name.
    pub law: String,
    /// Integrator name with its accuracy or step.
    pub integrator: String,
    /// Version and revision.
    pub version: String,
    /// Names of the positions, nq.
    pub q_names: Vec<String>,
    /// Names of the velocities, nv.
    pub v_names: Vec<String>,
    /// Names of the controls, nu.
    pub control_names: Vec<String>,
    /// Names of the sensor values.
    pub sensor_names: Vec<String>,
    /// Names of the bodies.
    pub body_names: Vec<String>,
    /// Names of the geoms.
    pub geom_names: Vec<String>,
    /// Shapes for the viewer.
    pub shapes: Vec<RecordedShape>,
}

/// A shape as the viewer draws it: triangles in the body frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RecordedShape {
    /// Geom name.
    pub name: String,
    /// Body number.
    pub body: u32,
    /// Colour (r, g, b, a).
    pub rgba: [f32; 4],
    /// True when it takes part in contact.
    pub collides: bool,
    /// Vertices in the body frame \[m\], flat xyz.
    pub vertices: Vec<f32>,
    /// Triangles, flat.
    pub triangles: Vec<u32>,
}

/// One row: a state and the step that led to it.
#[derive(Clone, Debug, Default)]
pub struct Row<'a> {
    /// Time \[s\].
    pub t: f64,
    /// Positions.
    pub q: &'a [f64],
    /// Velocities.
    pub v: &'a [f64],
    /// Controls.
    pub control: &'a [f64],
    /// Sensor values.
    pub sensors: &'a [f64],
    /// Kinetic, potential and contact energy \[J\].
    pub energy: [f64; 3],
    /// Step size \[s\]; 0 in the first row.
    pub dt: f64,
    /// Error estimate; NaN when the scheme has none.
    pub error: f64,
    /// Newton iterations of the step.
    pub iterations: u32,
    /// Attempts rejected before it.
    pub rejected: u32,
    /// Wall time since the start of the run \[s\].
    pub wall_s: f64,
    /// Body poses (x, y, z, qw, qx, qy, qz), bodies × 7.
    pub poses: &'a [f64],
}

/// A recording in memory, column by column. All arrays row-major; n rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    /// How it came about.
    pub header: RecordingHeader,
    /// Time \[s\], n.
    pub t: Vec<f64>,
    /// Positions, n × nq.
    pub q: Vec<f64>,
    /// Velocities, n × nv.
    pub v: Vec<f64>,
    /// Controls, n × nu.
    pub control: Vec<f64>,
    /// Sensor values, n × ns.
    pub sensors: Vec<f64>,
    /// Kinetic, potential, contact energy \[J\], n × 3.
    pub energy: Vec<f64>,
    /// Step size \[s\], n.
    pub dt: Vec<f64>,
    /// Error estimate, n.
    pub error: Vec<f64>,
    /// Newton iterations, n.
    pub iterations: Vec<u32>,
    /// Rejected attempts, n.
    pub rejected: Vec<u32>,
    /// Wall time \[s\], n.
    pub wall_s: Vec<f64>,
    /// Body poses, n × bodies × 7.
    pub poses: Vec<f64>,
    /// Row each contact belongs to, m.
    pub contact_row: Vec<u32>,
    /// Geoms A and B, m × 2.
    pub contact_geoms: Vec<u32>,
    /// Contact point, world \[m\], m × 3.
    pub contact_point: Vec<f64>,
    /// Contact frame, a rotation matrix by rows whose columns are n, t₁, t₂ in world axes, m × 9: force = frame · impulse / dt.
    pub contact_frame: Vec<f64>,
    /// Gap \[m\], m.
    pub contact_gap: Vec<f64>,
    /// Impulse in the contact frame \[N·s\], m × 3.
    pub contact_impulse: Vec<f64>,
    /// Length of the solve the impulse belongs to \[s\], m: force = impulse / this.
    pub contact_dt: Vec<f64>,
}

/// Why a recording could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// The file system or the archive.
    #[error("{path}: {source}")]
    Io {
        /// File.
        path: String,
        /// Reason.
        source: std::io::Error,
    },
    /// Not a recording of this project.
    #[error("{path}: not a recording: {reason}")]
    Format {
        /// File.
        path: String,
        /// Reason.
        reason: String,
    },
}

impl Recording {
    /// An empty recording.
    pub fn new(header: RecordingHeader) -> Self {
        Self { header, ..Self::default() }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.t.len()
    }

    /// True without rows.
    pub fn is_empty(&self) -> bool {
        self.t.is_empty()
    }

    /// Positions of row `i`.
    pub fn q_row(&self, i: usize) -> &[f64] {
        let n = self.header.q_names.len();
        &self.q[i * n..(i + 1) * n]
    }

    /// Pose of a body in row `i`: (x, y, z, qw, qx, qy, qz).
    pub fn pose(&self, i: usize, body: usize) -> &[f64] {
        let nb = self.header.body_names.len();
        &self.poses[(i * nb + body) * 7..(i * nb + body + 1) * 7]
    }

    /// Adds a row.
    pub fn push(&mut self, r: &Row<'_>) {
        self.t.push(r.t);
        self.q.extend_from_slice(r.q);
        self.v.extend_from_slice(r.v);
        self.control.extend_from_slice(r.control);
        self.sensors.extend_from_slice(r.sensors);
        self.energy.extend_from_slice(&r.energy);
        self.dt.push(r.dt);
        self.error.push(r.error);
        self.iterations.push(r.iterations);
        self.rejected.push(r.rejected);
        self.wall_s.push(r.wall_s);
        self.poses.extend_from_slice(r.poses);
    }

    /// Adds a contact to the last row; `impulse` in the contact frame \[N·s\] of a solve of length `dt`.
    pub fn push_contact(&mut self, c: &ContactGeometry, impulse: [f64; 3], dt: f64) {
        self.contact_row.push(self.t.len().saturating_sub(1) as u32);
        self.contact_geoms.extend_from_slice(&c.geoms);
        self.contact_point.extend(c.p_wc.iter());
        self.contact_frame.extend_from_slice(c.r_wc.transpose().as_slice());
        self.contact_gap.push(c.gap);
        self.contact_impulse.extend_from_slice(&impulse);
        self.contact_dt.push(dt);
    }

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
        let n = self.len() as u64;
        let m = self.contact_row.len() as u64;
        let h = &self.header;
        let header = serde_json::to_vec(h).map_err(std::io::Error::other)?;
        put(&mut z, "header", &[header.len() as u64], &header)?;
        put(&mut z, "t", &[n], &self.t)?;
        put(&mut z, "q", &[n, h.q_names.len() as u64], &self.q)?;
        put(&mut z, "v", &[n, h.v_names.len() as u64], &self.v)?;
        put(&mut z, "control", &[n, h.control_names.len() as u64], &self.control)?;
        put(&mut z, "sensors", &[n, h.sensor_names.len() as u64], &self.sensors)?;
        put(&mut z, "energy", &[n, 3], &self.energy)?;
        put(&mut z, "dt", &[n], &self.dt)?;
        put(&mut z, "error", &[n], &self.error)?;
        put(&mut z, "iterations", &[n], &self.iterations)?;
        put(&mut z, "rejected", &[n], &self.rejected)?;
        put(&mut z, "wall_s", &[n], &self.wall_s)?;
        put(&mut z, "poses", &[n, h.body_names.len() as u64, 7], &self.poses)?;
        put(&mut z, "contact_row", &[m], &self.contact_row)?;
        put(&mut z, "contact_geoms", &[m, 2], &self.contact_geoms)?;
        put(&mut z, "contact_point", &[m, 3], &self.contact_point)?;
        put(&mut z, "contact_frame", &[m, 3, 3], &self.contact_frame)?;
        put(&mut z, "contact_gap", &[m], &self.contact_gap)?;
        put(&mut z, "contact_impulse", &[m, 3], &self.contact_impulse)?;
        put(&mut z, "contact_dt", &[m], &self.contact_dt)?;
        z.finish()?.flush()
    }

    /// Reads what [`Recording::write_npz`] wrote.
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
        let r = Self {
            header,
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
            contact_row: get(&mut z, &name, "contact_row")?,
            contact_geoms: get(&mut z, &name, "contact_geoms")?,
            contact_point: get(&mut z, &name, "contact_point")?,
            contact_frame: get(&mut z, &name, "contact_frame")?,
            contact_gap: get(&mut z, &name, "contact_gap")?,
            contact_impulse: get(&mut z, &name, "contact_impulse")?,
            contact_dt: get(&mut z, &name, "contact_dt")?,
        };
        let (n, h) = (r.t.len(), &r.header);
        let m = r.contact_row.len();
        let sizes = [
            ("q", r.q.len(), n * h.q_names.len()),
            ("v", r.v.len(), n * h.v_names.len()),
            ("control", r.control.len(), n * h.control_names.len()),
            ("sensors", r.sensors.len(), n * h.sensor_names.len()),
            ("energy", r.energy.len(), 3 * n),
            ("dt", r.dt.len(), n),
            ("poses", r.poses.len(), 7 * n * h.body_names.len()),
            ("contact_geoms", r.contact_geoms.len(), 2 * m),
            ("contact_point", r.contact_point.len(), 3 * m),
            ("contact_frame", r.contact_frame.len(), 9 * m),
            ("contact_gap", r.contact_gap.len(), m),
            ("contact_impulse", r.contact_impulse.len(), 3 * m),
            ("contact_dt", r.contact_dt.len(), m),
        ];
        for (what, found, expected) in sizes {
            if found != expected {
                let reason = format!("array {what} has {found} entries, not {expected}");
                return Err(RecordingError::Format { path: name, reason });
            }
        }
        Ok(r)
    }

    /// Writes one line per row with time, step, energies, positions, velocities, controls and sensors.
    ///
    /// # Errors
    /// The file system.
    pub fn write_csv(&self, path: &Path) -> Result<(), RecordingError> {
        let io = |source| RecordingError::Io { path: path.display().to_string(), source };
        let mut w = csv::Writer::from_writer(BufWriter::new(File::create(path).map_err(io)?));
        let h = &self.header;
        let fixed = ["t", "dt", "error", "iterations", "rejected", "wall_s"];
        let energies = ["kinetic", "potential", "contact_energy"];
        let head = fixed.iter().chain(&energies).map(|s| (*s).to_owned());
        let head = head
            .chain(h.q_names.iter().map(|s| format!("q:{s}")))
            .chain(h.v_names.iter().map(|s| format!("v:{s}")))
            .chain(h.control_names.iter().map(|s| format!("u:{s}")))
            .chain(h.sensor_names.iter().map(|s| format!("s:{s}")));
        let csv_error = |e: csv::Error| io(std::io::Error::other(e));
        w.write_record(head).map_err(csv_error)?;
        let part = |a: &[f64], i: usize, n: usize| a[i * n..(i + 1) * n].to_vec();
        for i in 0..self.len() {
            let mut row = vec![self.t[i], self.dt[i], self.error[i]];
            row.extend([f64::from(self.iterations[i]), f64::from(self.rejected[i]), self.wall_s[i]]);
            row.extend(part(&self.energy, i, 3));
            row.extend(part(&self.q, i, h.q_names.len()));
            row.extend(part(&self.v, i, h.v_names.len()));
            row.extend(part(&self.control, i, h.control_names.len()));
            row.extend(part(&self.sensors, i, h.sensor_names.len()));
            w.write_record(row.iter().map(f64::to_string)).map_err(csv_error)?;
        }
        w.flush().map_err(io)
    }
}

fn put<W: Write + std::io::Seek, T: npyz::AutoSerialize + Copy>(
    z: &mut ZipWriter<W>,
    name: &str,
    shape: &[u64],
    data: &[T],
) -> std::io::Result<()> {
    z.start_file(format!("{name}.npy"), SimpleFileOptions::default())?;
    let mut bytes = Vec::new();
    let mut w = npyz::WriteOptions::<T>::new().default_dtype().shape(shape).writer(&mut bytes).begin_nd()?;
    w.extend(data.iter().copied())?;
    w.finish()?;
    z.write_all(&bytes)
}

fn get<T: npyz::Deserialize>(
    z: &mut ZipArchive<BufReader<File>>,
    path: &str,
    name: &str,
) -> Result<Vec<T>, RecordingError> {
    let format = |e: &dyn std::fmt::Display| RecordingError::Format {
        path: path.into(),
        reason: format!("array {name}: {e}"),
    };
    let file = z.by_name(&format!("{name}.npy")).map_err(|e| format(&e))?;
    npyz::NpyFile::new(BufReader::new(file)).and_then(npyz::NpyFile::into_vec).map_err(|e| format(&e))
}
