//! Cameras, as far as sensors see them.

use super::Reader;
use super::orientation::read_pose;
use crate::xml::{Element, Read, did_you_mean};
use crate::{NoteKind, Pose, SensorKind, SensorObject, Site};

/// Optics of a camera over its class.
#[derive(Clone, Copy, Debug)]
pub(super) struct CameraSpec {
    /// Vertical angle of view \[degrees\].
    angle: f64,
    /// Pixels.
    resolution: [f64; 2],
    /// Size of the sensor; zero where the angle holds.
    sensor: [f64; 2],
    /// Focal lengths in the unit of the sensor, and in pixels, which hold where they are stated.
    focal: [f64; 2],
    focal_pixels: Option<[f64; 2]>,
}

impl Default for CameraSpec {
    fn default() -> Self {
        Self { angle: 45.0, resolution: [1.0; 2], sensor: [0.0; 2], focal: [0.0; 2], focal_pixels: None }
    }
}

impl CameraSpec {
    /// Reads the attributes of `<camera>`.
    pub(super) fn read(&mut self, e: &Element) -> Read<()> {
        self.angle = e.number("fovy")?.unwrap_or(self.angle);
        self.resolution = e.vector("resolution")?.unwrap_or(self.resolution);
        self.sensor = e.vector("sensorsize")?.unwrap_or(self.sensor);
        self.focal = e.vector("focal")?.unwrap_or(self.focal);
        self.focal_pixels = e.vector("focalpixel")?.or(self.focal_pixels);
        Ok(())
    }

    /// Focal lengths in pixels.
    fn focal_lengths(&self) -> [f64; 2] {
        if self.sensor.contains(&0.0) {
            return [0.5 * self.resolution[1] / (0.5 * self.angle.to_radians()).tan(); 2];
        }
        let scaled = |i: usize| self.focal[i] / self.sensor[i] * self.resolution[i];
        self.focal_pixels.unwrap_or_else(|| [scaled(0), scaled(1)])
    }
}

/// A camera of the model.
#[derive(Clone, Copy, Debug)]
pub(super) struct Camera {
    pub(super) body: usize,
    pub(super) pose: Pose,
    fixed: bool,
    optics: CameraSpec,
}

impl Reader<'_> {
    /// A camera of a body; `frame` is the pose of the enclosing frames in the body.
    pub(super) fn add_camera(&mut self, e: &Element, body: usize, class: usize, frame: &Pose) -> Read<()> {
        let pose = frame * read_pose(e, &self.compilers[e.origin])?;
        let fixed = e.string("mode").is_none_or(|m| m == "fixed");
        let mut optics = self.defaults.of(e, class)?.camera;
        optics.read(e)?;
        if let Some(name) = e.nonempty("name") {
            self.cameras.insert(name.to_owned(), Camera { body, pose, fixed, optics });
        }
        self.notes.visual(e, "camera");
        e.skip();
        Ok(())
    }

    /// The camera of a sensor of projection, and its kind.
    pub(super) fn projection(&mut self, e: &Element) -> Read<(SensorObject, SensorKind)> {
        let camera = self.camera_site(e, "camera")?;
        let optics = e.nonempty("camera").and_then(|name| self.cameras.get(name)).map(|c| c.optics);
        let optics = optics.unwrap_or_default();
        let kind = SensorKind::CameraProjection {
            focal: optics.focal_lengths(),
            centre: optics.resolution.map(|r| 0.5 * r),
        };
        Ok((camera, kind))
    }

    /// A site that stands for a camera.
    pub(super) fn camera_site(&mut self, e: &Element, attribute: &'static str) -> Read<SensorObject> {
        let name = e.required(attribute)?;
        let Some(camera) = self.cameras.get(name).copied() else {
            let mut known: Vec<&str> = self.cameras.keys().map(String::as_str).collect();
            known.sort_unstable();
            return Err(e.invalid_at(
                attribute,
                format!("camera '{name}' does not exist"),
                format!("name a camera of the model{}", did_you_mean(name, &known)),
            ));
        };
        if !camera.fixed {
            let text = format!("camera '{name}' does not follow its mode: it is fixed to its body");
            self.notes.add(NoteKind::Warning, e, text);
        }
        let mut site = format!("camera:{name}");
        while self.scene.sites.iter().any(|s| s.name == site && s.body != camera.body) {
            site.push('_');
        }
        if let Some(i) = self.scene.sites.iter().position(|s| s.name == site) {
            return Ok(SensorObject::Site(i));
        }
        self.scene.sites.push(Site {
            name: site,
            body: camera.body,
            pose: camera.pose,
            shape: signorini_geometry::Shape::Sphere { radius: 0.005 },
            place: e.place(),
        });
        Ok(SensorObject::Site(self.scene.sites.len() - 1))
    }
}
