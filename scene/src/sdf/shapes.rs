//! `<visual>` and `<collision>`: shapes on a body.

use signorini_core::na::{Unit, UnitQuaternion, Vector3};
use signorini_geometry::Shape;

use super::Reader;
use super::model::Description;
use super::weighing::Weighing;
use crate::robot::{GREY, Purpose, visual_surface};
use crate::xml::{Element, Read};
use crate::{BodyId, CollisionMask, Geom, GeomShape, NoteKind, Pose, Surface};

/// Shapes; an empty `<geometry>` may state that it is one.
const SHAPES: [&str; 8] = ["box", "cylinder", "sphere", "capsule", "ellipsoid", "mesh", "plane", "empty"];
/// Shapes of the format that do not exist here.
const FOREIGN: [&str; 4] = ["heightmap", "image", "polyline", "cone"];

/// A shape on a link, as it is read.
struct Part<'a, 'e> {
    d: &'a Description<'e>,
    link: usize,
    body: BodyId,
    purpose: Purpose,
    rgba: [f32; 4],
    surface: Surface,
    mask: CollisionMask,
}

impl Reader<'_> {
    /// A shape that is drawn.
    pub(super) fn read_visual(
        &mut self,
        d: &Description<'_>,
        l: usize,
        e: &Element,
        body: BodyId,
    ) -> Read<()> {
        e.required("name")?;
        let rgba = match e.only("material")? {
            Some(m) => {
                let stated = m.children.iter().find(|c| c.name == "diffuse");
                let mut colour = [0.5, 0.5, 0.5, 1.0];
                let count = match stated {
                    Some(c) => c.fill("value", 3, &mut colour)?,
                    None => 0,
                };
                m.skip();
                if count > 0 { colour.map(|x| x.clamp(0.0, 1.0) as f32) } else { GREY }
            }
            None => GREY,
        };
        for c in e.unread_children().filter(|c| c.name != "geometry" && c.name != "pose") {
            self.notes.add(NoteKind::Visual, c, format!("<{}> of a visual: no mechanical meaning", c.name));
            c.skip();
        }
        let (mask, _) = Purpose::Visual.mask_and_group();
        let (purpose, surface) = (Purpose::Visual, visual_surface());
        self.add_shape(e, Part { d, link: l, body, purpose, rgba, surface, mask })
    }

    /// A shape that collides.
    pub(super) fn read_collision(
        &mut self,
        d: &Description<'_>,
        l: usize,
        e: &Element,
        body: BodyId,
        weighing: Option<&mut Weighing>,
    ) -> Read<()> {
        e.required("name")?;
        let (surface, mask) = self.read_contact(e)?;
        let density = weighing.as_deref().map(|w| w.density_of(e, self)).transpose()?;
        for c in e.unread_children() {
            match c.name.as_str() {
                "laser_retro" | "max_contacts" | "density" | "auto_inertia_params" => {
                    let text = format!("<{}> of a collision: no mechanical meaning", c.name);
                    self.pass(c, NoteKind::Visual, text);
                }
                "illustration_properties" | "perception_properties" if c.is_drake() => {
                    self.pass(c, NoteKind::Visual, format!("drake:{}: no mechanical meaning", c.name));
                }
                _ => {}
            }
        }
        let purpose = Purpose::of(&surface);
        let from = self.scene.geoms.len();
        self.add_shape(e, Part { d, link: l, body, purpose, rgba: GREY, surface, mask })?;
        if let (Some(w), Some(density)) = (weighing, density) {
            let shapes = self.scene.geoms[from..].to_vec();
            w.add(e, density, &shapes, self)?;
        }
        Ok(())
    }

    fn add_shape(&mut self, e: &Element, part: Part<'_, '_>) -> Read<()> {
        let Part { d, link, body, purpose, rgba, surface, mask } = part;
        let mut pose = self.pose_on_link(d, link, e)?;
        let name = format!("{}::{}", d.links[link].name, e.string("name").unwrap_or_default());
        let g = e.need("geometry")?;
        if let Some(c) = g.children.iter().find(|c| FOREIGN.contains(&c.name.as_str())) {
            if purpose.collides() {
                return Err(c.unsupported(
                    format!("a shape <{}>", c.name),
                    "use a <mesh>, or a height field of an MJCF file",
                ));
            }
            self.pass(g, NoteKind::Warning, format!("the visual is not drawn: a shape <{}>", c.name));
            return self.others(e, &["pose", "geometry", "material"]);
        }
        let mut turn = UnitQuaternion::identity();
        let shape = self.read_geometry(e, purpose, &SHAPES, |r, s| match s.name.as_str() {
            "mesh" => r.read_mesh_shape(s, purpose),
            "plane" if purpose.collides() => {
                turn = r.read_plane(s)?;
                Ok(Some(GeomShape::Solid(Shape::HalfSpace)))
            }
            "plane" => {
                r.pass(s, NoteKind::Visual, "a plane is not drawn");
                Ok(None)
            }
            "empty" => {
                r.finish(s)?;
                Ok(None)
            }
            _ => r.read_solid(e, s),
        })?;
        pose = Pose::from_parts(pose.translation, pose.rotation * turn);
        self.others(e, &["pose", "geometry", "surface", "material", "drake:proximity_properties"])?;
        let Some(shape) = shape else { return Ok(()) };
        let (_, group) = purpose.mask_and_group();
        self.push_geom(Geom { name, body, pose, shape, mask, surface, group, rgba, place: e.place() });
        Ok(())
    }

    /// The turn of a plane whose normal is z; a plane that collides is everything below it, however large it is drawn.
    fn read_plane(&mut self, e: &Element) -> Read<UnitQuaternion<f64>> {
        let normal = Vector3::from(e.vector::<3>("normal")?.unwrap_or([0.0, 0.0, 1.0]));
        e.string("size");
        self.finish(e)?;
        let Some(n) = Unit::try_new(normal, 1e-9) else {
            return Err(e.invalid_at(
                "normal",
                "the normal has no length",
                "write a unit vector, for example 0 0 1",
            ));
        };
        let text = "a plane is everything below it, without end: its size is for drawing";
        self.notes.add(NoteKind::Converted, e, text);
        let half_turn = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI);
        Ok(UnitQuaternion::rotation_between(&Vector3::z(), &n).unwrap_or(half_turn))
    }

    fn read_mesh_shape(&mut self, e: &Element, purpose: Purpose) -> Read<Option<GeomShape>> {
        e.nonempty("optimization");
        if let Some(c) = e.only("submesh")? {
            if purpose.collides() {
                return Err(c.unsupported("<submesh>", "store the part of the mesh in a file of its own"));
            }
            self.pass(c, NoteKind::Visual, "<submesh> is not read: the whole mesh is drawn");
        }
        if let Some(c) = e.only("convex_decomposition")? {
            let text = "<convex_decomposition> is not done: the mesh collides as its hull";
            self.pass(c, NoteKind::Warning, text);
        }
        self.read_mesh(e, purpose, "uri").map(Some)
    }
}
