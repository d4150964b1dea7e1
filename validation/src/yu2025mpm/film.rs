//! Motions of material points and bodies for the viewer.

use std::ops::Range;

use signorini_core::State;
use signorini_mpm::Cloth;
use signorini_multibody::Kinematics;
use signorini_scene::Scene;

use super::fast::Fast;
use signorini_run::film;
use signorini_run::recorder::{RunLabels, header};
use signorini_run::recording::{CLOUD_COLORS, RecordedCloud, RecordingHeader, flat_places, push_pose};

/// A picture of a film: time \[s\], poses of bodies and places of particles \[m\].
pub(super) type Shot = (f64, Vec<f64>, Vec<f32>);

/// A motion of both.
pub(super) struct Film {
    film: film::Film,
    kinematics: Kinematics,
    /// Particles of each cloud.
    shown: Vec<Range<usize>>,
}

impl Film {
    /// Film of the clouds of these particles, from the start on.
    pub(super) fn new(
        scene: &Scene,
        both: &mut Fast,
        bodies: &State,
        clouds: Vec<(Range<usize>, RecordedCloud)>,
    ) -> Self {
        let labels = RunLabels { solver: "icf, mpm".into(), law: "lagged".into(), integrator: String::new() };
        let (shown, clouds): (Vec<_>, Vec<_>) = clouds.into_iter().unzip();
        let clouds = clouds
            .into_iter()
            .zip(CLOUD_COLORS.iter().cycle())
            .map(|(c, rgb)| RecordedCloud { rgb: *rgb, ..c });
        let header = RecordingHeader { clouds: clouds.collect(), ..header(scene, labels, Vec::new()) };
        let kinematics = Kinematics::new(both.rigid_mut().model());
        let mut out = Self { film: film::Film::new(header), kinematics, shown };
        out.see(both, bodies);
        out
    }

    /// The pictures so far.
    pub(super) fn pictures(&self) -> Vec<Shot> {
        self.film.pictures().map(|(t, poses, points)| (t, poses.to_vec(), points.to_vec())).collect()
    }

    /// The film with pictures that were taken before, in place of its own.
    pub(super) fn with_pictures(self, shots: &[Shot]) -> Self {
        let mut film = self.film.without_pictures();
        shots.iter().for_each(|(t, poses, points)| film.take(*t, poses, points));
        Self { film, ..self }
    }

    /// Takes a picture when one is due.
    pub(super) fn see(&mut self, both: &mut Fast, bodies: &State) {
        if !self.film.is_due(bodies.t) {
            return;
        }
        let rigid = both.rigid_mut();
        let mocap = rigid.held().mocap.to_vec();
        self.kinematics.set_positions(rigid.model(), &bodies.q, &mocap);
        let mut poses = Vec::new();
        self.kinematics.x_wb.iter().for_each(|p| push_pose(p, &mut poses));
        let x = &both.points_mut().engine_mut().particles().x;
        let points: Vec<f32> = self.shown.iter().flat_map(|r| flat_places(&x[r.clone()])).collect();
        self.film.take(bodies.t, &poses, &points);
    }

    /// The page that shows it.
    pub(super) fn attachment(&self, name: &str) -> film::Attachment {
        self.film.attachment(name)
    }
}

/// Particles as balls, so far apart \[m\].
pub(super) fn balls(name: &str, particles: Range<usize>, apart: f64) -> (Range<usize>, RecordedCloud) {
    let count = particles.len() as u32;
    (
        particles,
        RecordedCloud { name: name.into(), count, radius: 0.5 * apart as f32, ..RecordedCloud::default() },
    )
}

/// The surfaces of cloth.
pub(super) fn surfaces(cloth: &[Cloth]) -> Vec<(Range<usize>, RecordedCloud)> {
    let one = |(i, c): (usize, &Cloth)| {
        let first = c.vertices().start as u32;
        let triangles = c.triangles().flat_map(|t| t.map(|v| v - first)).collect();
        let count = c.vertices().len() as u32;
        (
            c.vertices(),
            RecordedCloud { name: format!("cloth {i}"), count, triangles, ..RecordedCloud::default() },
        )
    };
    cloth.iter().enumerate().map(one).collect()
}
