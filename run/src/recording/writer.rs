//! Recordings written as the run goes on: memory holds buffers and the header alone.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use signorini_multibody::PressureTriangle;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::csv_file::CsvFile;
use super::npy::{self, Scalar};
use super::{ContactRow, IMPULSES, RecordingError, RecordingHeader, Row, RowSink};

/// Recording that is written to a file as rows come: each array to a file of its own in a folder beside it, joined to one archive at the end.
///
/// The archive is the one that [`super::Recording::write_npz`] writes. The folder is removed with the value, finished or not.
pub struct RecordingFile {
    path: PathBuf,
    folder: PathBuf,
    csv_path: Option<PathBuf>,
    csv: Option<CsvFile>,
    header: RecordingHeader,
    columns: Vec<Column>,
    rows: usize,
    contacts: usize,
    triangles: usize,
    last: Option<(f64, [f64; 3])>,
    failure: Option<(PathBuf, io::Error)>,
    bytes: Vec<u8>,
}

/// A recording that was written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Written {
    /// Header of the recording, with the warnings of the run.
    pub header: RecordingHeader,
    /// Number of rows.
    pub rows: usize,
    /// Time of the last row \[s\].
    pub t: Option<f64>,
    /// Kinetic, potential and contact energy of the last row \[J\].
    pub energy: Option<[f64; 3]>,
}

/// Of which an array has one entry each.
#[derive(Clone, Copy)]
enum Per {
    Row,
    Contact,
    /// A triangle of a surface.
    Triangle,
}

/// One array on its way.
struct Column {
    name: &'static str,
    descr: &'static str,
    /// Sizes of an entry.
    entry: Vec<usize>,
    per: Per,
    path: PathBuf,
    out: BufWriter<File>,
}

/// Bytes of a buffer.
const BUFFER: usize = 1 << 16;

impl RecordingFile {
    /// For an archive at `path`, and one line per row as text at `csv` where that is given.
    ///
    /// # Errors
    /// A folder that cannot be written to, and a folder in the place of a file.
    pub fn create(path: &Path, csv: Option<&Path>) -> Result<Self, RecordingError> {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}.parts", std::process::id()));
        let folder = path.with_file_name(name);
        let io = |source| RecordingError::Io { path: path.display().to_string(), source };
        if let Some(file) = [Some(path), csv].into_iter().flatten().find(|p| p.is_dir()) {
            let source = io::Error::new(io::ErrorKind::IsADirectory, "is a folder; name a file");
            return Err(RecordingError::Io { path: file.display().to_string(), source });
        }
        fs::create_dir(&folder).map_err(io)?;
        Ok(Self {
            path: path.to_owned(),
            folder,
            csv_path: csv.map(Path::to_owned),
            csv: None,
            header: RecordingHeader::default(),
            columns: Vec::new(),
            rows: 0,
            contacts: 0,
            triangles: 0,
            last: None,
            failure: None,
            bytes: Vec::new(),
        })
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// True without rows.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    fn open(&mut self) -> Result<(), (PathBuf, io::Error)> {
        let h = &self.header;
        let (double, count) = (f64::DESCR, u32::DESCR);
        let mut of_rows = vec![
            ("t", double, vec![]),
            ("q", double, vec![h.q_names.len()]),
            ("v", double, vec![h.v_names.len()]),
            ("control", double, vec![h.control_names.len()]),
            ("sensors", double, vec![h.sensor_names.len()]),
            ("energy", double, vec![3]),
            ("dt", double, vec![]),
            ("error", double, vec![]),
            ("iterations", count, vec![]),
            ("rejected", count, vec![]),
            ("wall_s", double, vec![]),
            ("poses", double, vec![h.body_names.len(), 7]),
        ];
        if !h.clouds.is_empty() {
            of_rows.push(("points", f32::DESCR, vec![h.point_count(), 3]));
        }
        if h.has_impulses {
            of_rows.extend(IMPULSES.map(|name| (name, double, vec![h.impulse_count()])));
        }
        let of_contacts = [
            ("contact_row", count, vec![]),
            ("contact_geoms", count, vec![2]),
            ("contact_point", double, vec![3]),
            ("contact_arms", double, vec![2, 3]),
            ("contact_frame", double, vec![3, 3]),
            ("contact_gap", double, vec![]),
            ("contact_impulse", double, vec![3]),
            ("contact_angular_impulse", double, vec![3]),
            ("contact_dt", double, vec![]),
            ("contact_part", u8::DESCR, vec![]),
        ];
        let of_triangles = [
            ("surface_row", count, vec![]),
            ("surface_geoms", count, vec![2]),
            ("surface_corners", f32::DESCR, vec![3, 3]),
            ("surface_pressure", f32::DESCR, vec![3]),
        ];
        let of_triangles = of_triangles.into_iter().filter(|_| h.has_surfaces);
        let all = of_rows.into_iter().map(|c| (c, Per::Row));
        let all = all.chain(of_contacts.map(|c| (c, Per::Contact)));
        for ((name, descr, entry), per) in all.chain(of_triangles.map(|c| (c, Per::Triangle))) {
            let path = self.folder.join(name);
            let file = File::create(&path).map_err(|e| (path.clone(), e))?;
            let out = BufWriter::with_capacity(BUFFER, file);
            self.columns.push(Column { name, descr, entry, per, path, out });
        }
        if let Some(path) = &self.csv_path {
            self.csv = Some(CsvFile::create(path, h).map_err(|e| (path.clone(), e))?);
        }
        Ok(())
    }

    /// Adds numbers to an array.
    fn put<T: Scalar>(&mut self, name: &str, numbers: &[T]) {
        if self.failure.is_some() {
            return;
        }
        let Some(column) = self.columns.iter_mut().find(|c| c.name == name) else { return };
        self.bytes.clear();
        numbers.iter().for_each(|x| x.put(&mut self.bytes));
        if let Err(e) = column.out.write_all(&self.bytes) {
            self.failure = Some((column.path.clone(), e));
        }
    }

    /// Joins the arrays to the archive.
    ///
    /// # Errors
    /// The file system, also where it failed during the run.
    pub fn finish(mut self) -> Result<Written, RecordingError> {
        self.join()
            .map_err(|(path, source)| RecordingError::Io { path: path.display().to_string(), source })?;
        let (t, energy) = (self.last.map(|l| l.0), self.last.map(|l| l.1));
        Ok(Written { header: std::mem::take(&mut self.header), rows: self.rows, t, energy })
    }

    fn join(&mut self) -> Result<(), (PathBuf, io::Error)> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        if let (Some(csv), Some(path)) = (self.csv.take(), &self.csv_path) {
            csv.finish().map_err(|e| (path.clone(), e))?;
        }
        let (rows, contacts, triangles) = (self.rows, self.contacts, self.triangles);
        let mut archive = || -> io::Result<()> {
            let mut z = ZipWriter::new(BufWriter::new(File::create(&self.path)?));
            let header = serde_json::to_vec(&self.header).map_err(io::Error::other)?;
            z.start_file("header.npy", SimpleFileOptions::default())?;
            z.write_all(&npy::to_bytes(&[header.len()], &header))?;
            for c in &mut self.columns {
                c.out.flush()?;
                let size = fs::metadata(&c.path)?.len();
                let options = SimpleFileOptions::default().large_file(size > u64::from(u32::MAX) / 2);
                z.start_file(format!("{}.npy", c.name), options)?;
                let mut shape = vec![match c.per {
                    Per::Row => rows,
                    Per::Contact => contacts,
                    Per::Triangle => triangles,
                }];
                shape.extend_from_slice(&c.entry);
                z.write_all(&npy::head(c.descr, &shape))?;
                io::copy(&mut File::open(&c.path)?, &mut z)?;
            }
            z.finish()?.flush()
        };
        archive().map_err(|e| (self.path.clone(), e))
    }
}

impl RowSink for RecordingFile {
    fn begin(&mut self, header: RecordingHeader) {
        self.header = header;
        self.failure = self.open().err();
    }

    fn header_mut(&mut self) -> &mut RecordingHeader {
        &mut self.header
    }

    fn push(&mut self, r: &Row<'_>) {
        self.rows += 1;
        self.last = Some((r.t, r.energy));
        self.put("t", &[r.t]);
        self.put("q", r.q);
        self.put("v", r.v);
        self.put("control", r.control);
        self.put("sensors", r.sensors);
        self.put("energy", &r.energy);
        self.put("dt", &[r.dt]);
        self.put("error", &[r.error]);
        self.put("iterations", &[r.iterations]);
        self.put("rejected", &[r.rejected]);
        self.put("wall_s", &[r.wall_s]);
        self.put("poses", r.poses);
        self.put("points", r.points);
        IMPULSES.into_iter().zip(r.impulses).for_each(|(name, x)| self.put(name, x));
        if let (Some(csv), Some(path)) = (&mut self.csv, &self.csv_path)
            && let Err(e) = csv.write(r)
        {
            self.failure = Some((path.clone(), e));
        }
    }

    fn push_contact(&mut self, contact: &ContactRow<'_>) {
        let c = contact.geometry;
        let (linear, angular) = contact.impulse.split_at(3);
        self.contacts += 1;
        self.put("contact_row", &[self.rows.saturating_sub(1) as u32]);
        self.put("contact_geoms", &c.geoms);
        self.put("contact_point", c.p_wc.coords.as_slice());
        c.arms.iter().for_each(|a| self.put("contact_arms", a.as_slice()));
        self.put("contact_frame", c.r_wc.transpose().as_slice());
        self.put("contact_gap", &[c.gap]);
        self.put("contact_impulse", linear);
        self.put("contact_angular_impulse", angular);
        self.put("contact_dt", &[contact.dt]);
        self.put("contact_part", &[contact.part as u8]);
    }

    fn push_surface(&mut self, t: &PressureTriangle) {
        self.triangles += 1;
        self.put("surface_row", &[self.rows.saturating_sub(1) as u32]);
        self.put("surface_geoms", &t.geoms);
        for x in &t.corners {
            self.put("surface_corners", &[x.x as f32, x.y as f32, x.z as f32]);
        }
        self.put("surface_pressure", &t.pressure.map(|p| p as f32));
    }

    fn has_failed(&self) -> bool {
        self.failure.is_some()
    }
}

impl Drop for RecordingFile {
    fn drop(&mut self) {
        // A folder that cannot be removed stays where it is, named after the recording.
        let _ = fs::remove_dir_all(&self.folder);
    }
}
