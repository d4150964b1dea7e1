//! `<site>`: frames, with a volume for touch sensors.

use super::Reader;
use super::geom::{GEOM_TYPES, GeomType, placed_between, primitive};
use super::orientation::PoseSpec;
use crate::xml::{Element, Read};
use crate::{Pose, Site};

/// Statements of a site over its class.
#[derive(Clone, Debug)]
pub(super) struct SiteSpec {
    kind: GeomType,
    size: [f64; 3],
    fromto: Option<[f64; 6]>,
    pose: PoseSpec,
}

impl Default for SiteSpec {
    fn default() -> Self {
        Self { kind: GeomType::Sphere, size: [0.005; 3], fromto: None, pose: PoseSpec::default() }
    }
}

impl Reader<'_> {
    /// Reads a site's attributes over its class.
    pub(super) fn read_site_spec(&self, e: &Element, s: &mut SiteSpec) -> Read<()> {
        if let Some(k) = e.word("type", &GEOM_TYPES)? {
            s.kind = k;
        }
        e.fill("size", 1, &mut s.size)?;
        if let Some(f) = e.vector::<6>("fromto")? {
            s.fromto = Some(f);
        }
        s.pose.read(e, &self.compilers[e.origin])?;
        if e.nonempty("mesh").is_some() {
            return Err(e.unsupported_at("mesh", "a site shaped as a mesh", "use a primitive"));
        }
        e.vector::<4>("rgba")?;
        e.skip_attributes(&["group", "material", "user"]);
        Ok(())
    }

    /// A site of a body.
    pub(super) fn add_site(&mut self, e: &Element, body: usize, class: usize, frame: &Pose) -> Read<()> {
        let mut s = self.defaults.of(e, class)?.site.clone();
        self.read_site_spec(e, &mut s)?;
        let name = e.nonempty("name").map(str::to_owned);
        e.skip_attributes(&["class"]);
        e.no_children()?;
        e.finish()?;
        if matches!(s.kind, GeomType::Plane | GeomType::HeightField | GeomType::Mesh | GeomType::Sdf) {
            return Err(e.invalid_at(
                "type",
                "a site has no such shape",
                "write one of: sphere, capsule, ellipsoid, cylinder, box",
            ));
        }
        let (pose, size) = match s.fromto {
            Some(f) => placed_between(e, s.kind, s.size, f)?,
            None => (s.pose.pose(), s.size),
        };
        let place = e.place();
        self.names.sites.add(name.as_deref(), self.scene.sites.len(), &place)?;
        self.scene.sites.push(Site {
            name: name.unwrap_or_default(),
            body,
            pose: frame * pose,
            shape: primitive(e, s.kind, size)?,
            place,
        });
        Ok(())
    }
}
