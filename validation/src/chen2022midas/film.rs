//! Motions of affine bodies for the viewer.

use signorini_core::State;
use signorini_ipc::AffineSystem;

use signorini_run::film;
use signorini_run::recording::{RecordedShape, RecordingHeader, push_pose};

/// Colours of bodies in turn, held ones in grey.
const COLORS: [[f32; 4]; 6] = [
    [0.30, 0.55, 0.80, 1.0],
    [0.90, 0.55, 0.25, 1.0],
    [0.40, 0.70, 0.45, 1.0],
    [0.80, 0.45, 0.60, 1.0],
    [0.60, 0.50, 0.75, 1.0],
    [0.85, 0.75, 0.35, 1.0],
];
const HELD: [f32; 4] = [0.75, 0.75, 0.78, 1.0];

/// A motion of affine bodies.
pub(super) struct Film(film::Film);

impl Film {
    /// From a start on.
    pub(super) fn new(system: &AffineSystem, x: &State) -> Self {
        let mut shapes = Vec::new();
        for (b, body) in system.bodies().iter().enumerate() {
            let held = system.coordinates_of(b).is_none();
            shapes.push(RecordedShape {
                name: body.name.clone(),
                body: b as u32,
                rgba: if held { HELD } else { COLORS[b % COLORS.len()] },
                collides: true,
                vertices: body.points.iter().flat_map(|p| [p.x as f32, p.y as f32, p.z as f32]).collect(),
                triangles: body.triangles.concat(),
            });
        }
        let header = RecordingHeader {
            model: "bodies".into(),
            solver: "ipc".into(),
            law: "barrier".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            body_names: system.bodies().iter().map(|b| b.name.clone()).collect(),
            geom_names: system.bodies().iter().map(|b| b.name.clone()).collect(),
            shapes,
            ..RecordingHeader::default()
        };
        let mut film = Self(film::Film::new(header));
        film.see(system, x);
        film
    }

    /// With another time between pictures \[s\].
    pub(super) fn every(self, interval: f64) -> Self {
        Self(self.0.every(interval))
    }

    /// Takes a picture when one is due.
    pub(super) fn see(&mut self, system: &AffineSystem, x: &State) {
        if self.0.is_due(x.t) {
            let mut poses = Vec::new();
            for b in 0..system.bodies().len() {
                push_pose(&system.pose(x, b), &mut poses);
            }
            self.0.take(x.t, &poses, &[]);
        }
    }

    /// The page that shows it.
    pub(super) fn attachment(&self, name: &str) -> film::Attachment {
        self.0.attachment(name)
    }
}
