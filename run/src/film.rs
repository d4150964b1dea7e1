//! Motions of pages for the viewer.

use signorini_multibody::PressureTriangle;

use crate::recording::{Recording, RecordingHeader, Row, RowSink};
use crate::snapshot::{Camera, Still, stills};
use crate::view;

/// Between pictures \[s\].
const PICTURE: f64 = 1.0 / 60.0;

/// Page that shows a film, for the folder of a report.
pub struct Attachment {
    /// File name with extension.
    pub file: String,
    /// HTML document that needs no other file.
    pub html: String,
    /// Start, middle and end.
    pub stills: Vec<Still>,
}

impl Attachment {
    /// The viewer's page of a recording, and its stills from a camera, or from one that has all in view.
    pub fn new(file: String, recording: &Recording, camera: Option<Camera>) -> Self {
        Self { file, html: view::page(recording), stills: stills(recording, camera) }
    }
}

/// Pictures of a motion, sixty per second unless it is told otherwise.
pub struct Film {
    recording: Recording,
    due: f64,
    /// Between pictures \[s\].
    interval: f64,
}

impl Film {
    /// Without pictures.
    pub fn new(header: RecordingHeader) -> Self {
        Self { recording: Recording::new(header), due: f64::NEG_INFINITY, interval: PICTURE }
    }

    /// With another time between pictures from the last one on \[s\].
    #[must_use]
    pub fn every(mut self, interval: f64) -> Self {
        self.interval = interval;
        self.due = self.recording.t.last().map_or(f64::NEG_INFINITY, |t| t + interval);
        self
    }

    /// A film of these bodies and points that begins anew.
    #[must_use]
    pub fn without_pictures(&self) -> Self {
        Self { interval: self.interval, ..Self::new(self.recording.header.clone()) }
    }

    /// Whether a picture is due at a time \[s\].
    pub fn is_due(&self, t: f64) -> bool {
        t >= self.due - 1e-9
    }

    /// Takes a picture: poses of bodies as rows have them, and places of material points.
    pub fn take(&mut self, t: f64, poses: &[f64], points: &[f32]) {
        let due = if self.due.is_finite() { self.due } else { t };
        self.due = (due + self.interval).max(t);
        // Energies are not looked at.
        self.recording.push(&Row { t, poses, points, energy: [f64::NAN; 3], ..Row::default() });
    }

    /// Whether pictures have the surfaces over which geoms meet.
    pub fn has_surfaces(&self) -> bool {
        self.recording.header.has_surfaces
    }

    /// Adds a triangle of a surface over which geoms meet to the last picture.
    pub fn take_surface(&mut self, triangle: &PressureTriangle) {
        self.recording.push_surface(triangle);
    }

    /// The pictures so far: times \[s\], poses and places as [`Film::take`] has them.
    pub fn pictures(&self) -> impl Iterator<Item = (f64, &[f64], &[f32])> {
        let r = &self.recording;
        let poses = 7 * r.header.body_names.len();
        r.t.iter().enumerate().map(move |(i, t)| (*t, &r.poses[i * poses..(i + 1) * poses], r.points(i)))
    }

    /// Pictures next after the given times \[s\], ascending, all from one place that has all of them in view.
    pub fn stills(&self, times: &[f64]) -> Vec<Still> {
        let r = &self.recording;
        let Some(last) = r.t.len().checked_sub(1) else { return Vec::new() };
        let row = |time: &f64| r.t.partition_point(|t| *t < time - 1e-9).min(last);
        let mut rows: Vec<usize> = times.iter().map(row).collect();
        rows.dedup();
        let Some(camera) = Camera::around(r, &rows) else { return Vec::new() };
        rows.into_iter().map(|row| Still { t: r.t[row], svg: camera.picture(r, row) }).collect()
    }

    /// The page that shows it; the name becomes that of a file, in lower case with underscores.
    pub fn attachment(&self, name: &str) -> Attachment {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
        let file: String = name.chars().map(plain).collect();
        let words: Vec<&str> = file.split('_').filter(|w| !w.is_empty()).collect();
        Attachment::new(format!("{}.html", words.join("_")), &self.recording, None)
    }
}
