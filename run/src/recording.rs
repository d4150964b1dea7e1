//! Recordings of runs: one row per accepted step, contacts, and enough of the scene to show the motion.

mod csv_file;
mod file;
mod npy;
mod writer;

pub use file::read_numbers;
pub use writer::{RecordingFile, Written};

use serde::{Deserialize, Serialize};
use signorini_core::na::{Isometry3, Vector3};
use signorini_core::{ContactGeometry, GeneralizedImpulses};
use signorini_multibody::PressureTriangle;

/// Origin of a recording.
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
    /// Material points, in the order of their places in a row.
    #[serde(default)]
    pub clouds: Vec<RecordedCloud>,
    /// Rows have generalised impulses; not those of affine bodies, nor of files of older versions.
    #[serde(default)]
    pub has_impulses: bool,
    /// Rows have the surfaces over which geoms meet.
    #[serde(default)]
    pub has_surfaces: bool,
    /// Warnings for the user: pairs that are deep in each other beside their size, gains beyond the bound of stability, a light body under a heavy one, parts of the scene that affine bodies leave out.
    #[serde(default)]
    pub warnings: Vec<String>,
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

/// Material points as the viewer draws them: balls, or the surface of cloth.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RecordedCloud {
    /// Name.
    pub name: String,
    /// Colour (r, g, b).
    pub rgb: [f32; 3],
    /// Number of points.
    pub count: u32,
    /// Radius of the balls \[m\].
    pub radius: f32,
    /// Triangles of its points, flat; balls are drawn when there are none.
    pub triangles: Vec<u32>,
}

impl RecordingHeader {
    /// Material points of all clouds.
    pub fn point_count(&self) -> usize {
        self.clouds.iter().map(|c| c.count as usize).sum()
    }

    /// Generalised impulses of one source in a row: nv or none.
    pub fn impulse_count(&self) -> usize {
        if self.has_impulses { self.v_names.len() } else { 0 }
    }
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
    /// Places of material points \[m\], flat xyz.
    pub points: &'a [f32],
    /// Generalised impulses of the step \[N·s or N·m·s\], nv per source or none, as [`RecordingHeader::has_impulses`] says; NaN where no solve is known that led to the row.
    pub impulses: RowImpulses<'a>,
}

/// Names of the arrays of generalised impulses in a file, in the order of [`GeneralizedImpulses::sources`].
const IMPULSES: [&str; 6] = [
    "impulse_contacts",
    "impulse_constraints",
    "impulse_actuators",
    "impulse_passive",
    "impulse_applied",
    "impulse_bias",
];

/// Generalised impulses of a row, one slice per source in the order of [`GeneralizedImpulses::sources`].
pub type RowImpulses<'a> = [&'a [f64]; 6];

/// Appends a pose as rows have it.
pub fn push_pose(p: &Isometry3<f64>, out: &mut Vec<f64>) {
    let (t, r) = (&p.translation.vector, &p.rotation);
    out.extend([t.x, t.y, t.z, r.w, r.i, r.j, r.k]);
}

/// Colours of clouds in turn.
pub const CLOUD_COLORS: [[f32; 3]; 4] =
    [[0.85, 0.55, 0.30], [0.35, 0.60, 0.80], [0.45, 0.70, 0.45], [0.75, 0.50, 0.65]];

/// Places of points as rows have them.
pub fn flat_places<'a>(x: impl IntoIterator<Item = &'a Vector3<f64>>) -> impl Iterator<Item = f32> {
    x.into_iter().flat_map(|x| [x.x as f32, x.y as f32, x.z as f32])
}

/// A recording in memory, column by column. All arrays row-major; n rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    /// Origin of the recording.
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
    /// Places of material points \[m\], n × points × 3.
    pub points: Vec<f32>,
    /// Generalised impulses of the step by source \[N·s or N·m·s\], n × nv each or empty, `impulse_contacts` to `impulse_bias` in a file. Both halves of a step that was taken in two add up; zero in the
    /// first row; NaN where no solve is known that led to a row. In each solve they add up to M(q₀) (v₁ − v₀), as far as it converged.
    pub impulses: GeneralizedImpulses,
    /// Row each contact belongs to, m.
    pub contact_row: Vec<u32>,
    /// Geoms A and B, m × 2.
    pub contact_geoms: Vec<u32>,
    /// Contact point, world \[m\], m × 3.
    pub contact_point: Vec<f64>,
    /// Arms from the contact point to the points of A and B at which the impulse acts, world \[m\], m × 2 × 3; zero where the bodies touch.
    pub contact_arms: Vec<f64>,
    /// Contact frame, a rotation matrix by rows whose columns are n, t₁, t₂ in world axes, m × 9: force = frame · impulse / dt.
    pub contact_frame: Vec<f64>,
    /// Gap \[m\], m.
    pub contact_gap: Vec<f64>,
    /// Impulse in the contact frame \[N·s\], m × 3. A step in two halves has the contacts of both: the mean force of a row's step is the sum of its
    /// impulses over `dt`.
    pub contact_impulse: Vec<f64>,
    /// Angular impulse about the contact point in the contact frame (spin, roll, roll) \[N·m·s\], m × 3.
    pub contact_angular_impulse: Vec<f64>,
    /// Length of the solve the impulse belongs to \[s\], m: force = impulse / this.
    pub contact_dt: Vec<f64>,
    /// Part of the step that the solve covers, m: [`StepPart`] as a number.
    pub contact_part: Vec<u8>,
    /// Surfaces over which geoms meet where bodies are in a row, where they were asked for.
    pub surfaces: RecordedSurfaces,
}

/// Surfaces over which geoms meet, as s triangles in which pressure is linear; `surface_row` to `surface_pressure` in a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordedSurfaces {
    /// Row each triangle belongs to, s.
    pub row: Vec<u32>,
    /// Geoms A and B, s × 2.
    pub geoms: Vec<u32>,
    /// Corners, world \[m\], counter-clockwise about the normal from A into B, s × 3 × 3.
    pub corners: Vec<f32>,
    /// Pressure at the corners \[Pa\], s × 3.
    pub pressure: Vec<f32>,
}

impl RecordedSurfaces {
    /// Numbers of the triangles of a row.
    pub fn of_row(&self, row: usize) -> std::ops::Range<usize> {
        let before = |row: usize| self.row.partition_point(|r| (*r as usize) < row);
        before(row)..before(row + 1)
    }

    /// Largest pressure of a row \[Pa\]; 0 without surfaces.
    pub fn highest(&self, row: usize) -> f32 {
        let of = self.of_row(row);
        self.pressure[3 * of.start..3 * of.end].iter().copied().fold(0.0, f32::max)
    }

    /// Corners of a triangle \[m\] and the pressures at them \[Pa\].
    pub fn triangle(&self, i: usize) -> [([f32; 3], f32); 3] {
        [3 * i, 3 * i + 1, 3 * i + 2]
            .map(|k| (std::array::from_fn(|a| self.corners[3 * k + a]), self.pressure[k]))
    }

    fn push(&mut self, row: usize, t: &PressureTriangle) {
        self.row.push(row as u32);
        self.geoms.extend(t.geoms);
        self.corners.extend(flat_places(t.corners.iter().map(|x| &x.coords)));
        self.pressure.extend(t.pressure.map(|p| p as f32));
    }
}

/// Part of a step that a solve covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum StepPart {
    /// All of it.
    #[default]
    Whole,
    /// The first half.
    FirstHalf,
    /// The second half.
    SecondHalf,
}

/// A contact of the last row.
#[derive(Clone, Copy, Debug)]
pub struct ContactRow<'a> {
    /// Geoms, point, frame and gap.
    pub geometry: &'a ContactGeometry,
    /// Impulse in the contact frame \[N·s\], and angular impulse about the contact point \[N·m·s\].
    pub impulse: [f64; 6],
    /// Length of the solve \[s\].
    pub dt: f64,
    /// Part of the step that the solve covers.
    pub part: StepPart,
}

/// Receiver of the rows of a run.
pub trait RowSink {
    /// Begins with the header of the run, before the first row.
    fn begin(&mut self, header: RecordingHeader);
    /// The header, to which warnings of the run are added.
    fn header_mut(&mut self) -> &mut RecordingHeader;
    /// Takes a row.
    fn push(&mut self, row: &Row<'_>);
    /// Takes a contact of the last row.
    fn push_contact(&mut self, contact: &ContactRow<'_>);
    /// Takes a triangle of a surface of the last row.
    fn push_surface(&mut self, triangle: &PressureTriangle);
    /// True when rows can be taken no more: the run is to stop.
    fn has_failed(&self) -> bool {
        false
    }
}

impl RowSink for Recording {
    fn begin(&mut self, header: RecordingHeader) {
        *self = Self::new(header);
    }

    fn header_mut(&mut self) -> &mut RecordingHeader {
        &mut self.header
    }

    fn push(&mut self, row: &Row<'_>) {
        self.push(row);
    }

    fn push_contact(&mut self, contact: &ContactRow<'_>) {
        self.push_contact(contact);
    }

    fn push_surface(&mut self, triangle: &PressureTriangle) {
        self.surfaces.push(self.t.len().saturating_sub(1), triangle);
    }
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
    #[error("{path}: not a recording: {reason}; give an archive that `run` wrote")]
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

    /// Places of the material points of row `i` \[m\], flat xyz.
    pub fn points(&self, i: usize) -> &[f32] {
        let n = 3 * self.header.point_count();
        &self.points[i * n..(i + 1) * n]
    }

    /// Row `i`.
    pub fn row(&self, i: usize) -> Row<'_> {
        let h = &self.header;
        fn part_of<T>(a: &[T], i: usize, n: usize) -> &[T] {
            &a[i * n..(i + 1) * n]
        }
        Row {
            t: self.t[i],
            q: self.q_row(i),
            v: part_of(&self.v, i, h.v_names.len()),
            control: part_of(&self.control, i, h.control_names.len()),
            sensors: part_of(&self.sensors, i, h.sensor_names.len()),
            energy: [0, 1, 2].map(|k| self.energy[3 * i + k]),
            dt: self.dt[i],
            error: self.error[i],
            iterations: self.iterations[i],
            rejected: self.rejected[i],
            wall_s: self.wall_s[i],
            poses: part_of(&self.poses, i, 7 * h.body_names.len()),
            points: self.points(i),
            impulses: self.impulses.sources().map(|x| part_of(x, i, h.impulse_count())),
        }
    }

    /// True when contact `k` belongs to the solve that ends its row's step, not to the first half of it.
    pub fn is_of_end(&self, k: usize) -> bool {
        self.contact_part[k] != StepPart::FirstHalf as u8
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
        self.points.extend_from_slice(r.points);
        for (all, x) in self.impulses.sources_mut().into_iter().zip(r.impulses) {
            all.extend_from_slice(x);
        }
    }

    /// Adds a contact to the last row.
    pub fn push_contact(&mut self, contact: &ContactRow<'_>) {
        let c = contact.geometry;
        let (linear, angular) = contact.impulse.split_at(3);
        self.contact_row.push(self.t.len().saturating_sub(1) as u32);
        self.contact_geoms.extend_from_slice(&c.geoms);
        self.contact_point.extend(c.p_wc.iter());
        self.contact_arms.extend(c.arms.iter().flat_map(|a| a.iter()));
        self.contact_frame.extend_from_slice(c.r_wc.transpose().as_slice());
        self.contact_gap.push(c.gap);
        self.contact_impulse.extend_from_slice(linear);
        self.contact_angular_impulse.extend_from_slice(angular);
        self.contact_dt.push(contact.dt);
        self.contact_part.push(contact.part as u8);
    }
}
