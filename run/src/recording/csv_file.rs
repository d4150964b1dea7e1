//! Rows as lines of text.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::{RecordingHeader, Row};

/// One line per row: time, step, energies, positions, velocities, controls and sensors.
pub(super) struct CsvFile {
    out: csv::Writer<BufWriter<File>>,
}

impl CsvFile {
    /// With the line of names.
    pub(super) fn create(path: &Path, h: &RecordingHeader) -> io::Result<Self> {
        let mut out = csv::Writer::from_writer(BufWriter::new(File::create(path)?));
        let fixed = ["t", "dt", "error", "iterations", "rejected", "wall_s"];
        let energies = ["kinetic", "potential", "contact_energy"];
        let head = fixed.iter().chain(&energies).map(|s| (*s).to_owned());
        let head = head
            .chain(h.q_names.iter().map(|s| format!("q:{s}")))
            .chain(h.v_names.iter().map(|s| format!("v:{s}")))
            .chain(h.control_names.iter().map(|s| format!("u:{s}")))
            .chain(h.sensor_names.iter().map(|s| format!("s:{s}")));
        out.write_record(head).map_err(io::Error::other)?;
        Ok(Self { out })
    }

    pub(super) fn write(&mut self, r: &Row<'_>) -> io::Result<()> {
        let fixed = [r.t, r.dt, r.error, f64::from(r.iterations), f64::from(r.rejected), r.wall_s];
        let parts = [&fixed[..], &r.energy, r.q, r.v, r.control, r.sensors];
        let numbers = parts.into_iter().flatten().map(f64::to_string);
        self.out.write_record(numbers).map_err(io::Error::other)
    }

    pub(super) fn finish(mut self) -> io::Result<()> {
        self.out.flush()?;
        self.out.into_inner().map_err(|e| io::Error::other(e.to_string()))?.flush()
    }
}
