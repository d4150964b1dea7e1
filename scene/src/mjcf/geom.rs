//! `<geom>`: attributes with their defaults, and the geom of the scene.

use signorini_core::na::{Point3, Unit, Vector3};
use signorini_geometry::Shape;

use super::orientation::{PoseSpec, z_to};
use super::{Missing, Reader};
use crate::xml::{Element, Read};
use crate::{CollisionMask, FluidEllipsoid, Geom, GeomShape, NoteKind, Pose, SolParams, Surface};

/// `type` of a geom or site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GeomType {
    Plane,
    HeightField,
    Sphere,
    Capsule,
    Ellipsoid,
    Cylinder,
    Box,
    Mesh,
    Sdf,
}

pub(super) const GEOM_TYPES: [(&str, GeomType); 9] = [
    ("plane", GeomType::Plane),
    ("hfield", GeomType::HeightField),
    ("sphere", GeomType::Sphere),
    ("capsule", GeomType::Capsule),
    ("ellipsoid", GeomType::Ellipsoid),
    ("cylinder", GeomType::Cylinder),
    ("box", GeomType::Box),
    ("mesh", GeomType::Mesh),
    ("sdf", GeomType::Sdf),
];

/// Statements of a geom over its class.
#[derive(Clone, Debug)]
pub(super) struct GeomSpec {
    pub(super) kind: GeomType,
    pub(super) size: [f64; 3],
    pub(super) fromto: Option<[f64; 6]>,
    pub(super) pose: PoseSpec,
    pub(super) mask: CollisionMask,
    pub(super) surface: Surface,
    pub(super) group: i64,
    pub(super) mass: Option<f64>,
    pub(super) density: f64,
    pub(super) shell: bool,
    pub(super) mesh: Option<String>,
    pub(super) hfield: Option<String>,
    pub(super) material: Option<String>,
    pub(super) rgba: Option<[f64; 4]>,
    pub(super) fit_scale: f64,
    /// Whether a medium acts on it as on an ellipsoid, and the coefficients.
    pub(super) fluid: (bool, [f64; 5]),
}

impl Default for GeomSpec {
    fn default() -> Self {
        Self {
            kind: GeomType::Sphere,
            size: [0.0; 3],
            fromto: None,
            pose: PoseSpec::default(),
            mask: CollisionMask::default(),
            surface: Surface::default(),
            group: 0,
            mass: None,
            density: 1000.0,
            shell: false,
            mesh: None,
            hfield: None,
            material: None,
            rgba: None,
            fit_scale: 1.0,
            fluid: (false, [0.5, 0.25, 1.5, 1.0, 1.0]),
        }
    }
}

/// Reads `solref` and `solimp` attributes over the present ones.
pub(super) fn read_sol(
    e: &Element,
    solref: &'static str,
    solimp: &'static str,
    out: &mut SolParams,
) -> Read<()> {
    out.stated |= e.fill(solref, 1, &mut out.solref)? > 0;
    e.fill(solimp, 1, &mut out.solimp)?;
    Ok(())
}

/// Contact dimension.
pub(super) fn read_condim(e: &Element) -> Read<Option<u8>> {
    match e.integer("condim")? {
        None => Ok(None),
        Some(d @ (1 | 3 | 4 | 6)) => Ok(Some(d as u8)),
        Some(d) => Err(e.invalid_at("condim", format!("condim is {d}"), "write one of: 1, 3, 4, 6")),
    }
}

fn nonnegative_entries(e: &Element, name: &str, values: &[f64]) -> Read<()> {
    match values.iter().find(|x| **x < 0.0) {
        Some(x) => Err(e.invalid_at(
            name,
            format!("attribute '{name}' has {x}, which is negative"),
            "write numbers that are zero or positive",
        )),
        None => Ok(()),
    }
}

impl Reader<'_> {
    /// Reads a geom's attributes over its class.
    pub(super) fn read_geom_spec(&mut self, e: &Element, g: &mut GeomSpec) -> Read<()> {
        if let Some(k) = e.word("type", &GEOM_TYPES)? {
            g.kind = k;
        }
        e.fill("size", 1, &mut g.size)?;
        if let Some(f) = e.vector::<6>("fromto")? {
            g.fromto = Some(f);
        }
        g.pose.read(e, &self.compilers[e.origin])?;
        if let Some(m) = e.nonnegative("mass")? {
            g.mass = Some(m);
        }
        g.density = e.nonnegative("density")?.unwrap_or(g.density);
        g.shell = e.boolean("shellinertia")?.unwrap_or(g.shell);
        g.group = e.integer("group")?.unwrap_or(g.group);
        if let Some(b) = e.integer("contype")? {
            g.mask.contype = b as u32;
        }
        if let Some(b) = e.integer("conaffinity")? {
            g.mask.conaffinity = b as u32;
        }
        for (name, slot) in [("mesh", &mut g.mesh), ("hfield", &mut g.hfield), ("material", &mut g.material)]
        {
            if let Some(s) = e.string(name) {
                *slot = (!s.is_empty()).then(|| s.to_owned());
            }
        }
        if let Some(c) = e.vector::<4>("rgba")? {
            g.rgba = Some(c);
        }
        g.fit_scale = e.positive("fitscale")?.unwrap_or(g.fit_scale);
        g.fluid.0 = e.word("fluidshape", &[("none", false), ("ellipsoid", true)])?.unwrap_or(g.fluid.0);
        e.fill("fluidcoef", 1, &mut g.fluid.1)?;
        self.read_surface(e, &mut g.surface)?;
        self.geom_refusals(e)
    }

    fn read_surface(&mut self, e: &Element, s: &mut Surface) -> Read<()> {
        let mut friction = [s.friction, s.friction_torsional, s.friction_rolling];
        e.fill("friction", 1, &mut friction)?;
        nonnegative_entries(e, "friction", &friction)?;
        [s.friction, s.friction_torsional, s.friction_rolling] = friction;
        s.condim = read_condim(e)?.unwrap_or(s.condim);
        if let Some(p) = e.integer("priority")? {
            s.priority = p.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
        }
        s.solmix = e.nonnegative("solmix")?.unwrap_or(s.solmix);
        read_sol(e, "solref", "solimp", &mut s.sol)?;
        s.margin = e.number("margin")?.unwrap_or(s.margin);
        s.inactive_gap = e.number("gap")?.unwrap_or(s.inactive_gap);
        let mut v = [0.0; 6];
        if e.fill("surfacevel", 1, &mut v)? > 0 {
            if v[3..] != [0.0; 3] {
                return Err(e.unsupported_at(
                    "surfacevel",
                    "a turning surface velocity",
                    "set the last three numbers to zero, or give the body a hinge and a motor",
                ));
            }
            s.velocity = [v[0], v[1], v[2]];
        }
        Ok(())
    }

    fn geom_refusals(&mut self, e: &Element) -> Read<()> {
        if e.number("adhesion")?.is_some_and(|a| a != 0.0) {
            return Err(e.unsupported_at("adhesion", "adhesion of a geom", "remove the attribute"));
        }
        e.skip_attributes(&["user", "castshadow"]);
        Ok(())
    }

    /// A geom of a body; `frame` is the pose of the enclosing frames in the body.
    pub(super) fn add_geom(&mut self, e: &Element, body: usize, class: usize, frame: &Pose) -> Read<()> {
        let mut spec = self.defaults.of(e, class)?.geom.clone();
        self.read_geom_spec(e, &mut spec)?;
        let name = e.nonempty("name").map(str::to_owned);
        e.skip_attributes(&["class"]);
        if let Some(p) = e.children.first() {
            return Err(p.unsupported(
                format!("<{}> in a geom", p.name),
                "remove it, and give the geom a shape that is not made by a plugin",
            ));
        }
        e.finish()?;
        let place = e.place();
        let index = self.scene.geoms.len();
        self.names.geoms.add(name.as_deref(), index, &place)?;
        let (pose, shape, missing) = self.placed_shape(e, &spec, body)?;
        let pose = frame * pose;
        let mass = self.geom_mass(e, &spec, &shape, missing)?;
        if !spec.surface.margin.is_finite() || spec.surface.margin + spec.surface.inactive_gap < 0.0 {
            return Err(e.invalid_at(
                "margin",
                format!("margin + gap is {}", spec.surface.margin + spec.surface.inactive_gap),
                "write a margin and gap whose sum is not negative",
            ));
        }
        // MJCF's gap lies beyond its margin.
        spec.surface.margin += spec.surface.inactive_gap;
        self.masses.of_geoms.push(mass.map(|m| m.placed(&pose)));
        self.assets.check_material(e, &spec)?;
        let rgba = self.assets.colour(&spec);
        if spec.fluid.0 && missing.is_some() {
            let text =
                "fluidshape of a mesh that is not read: a medium acts on the box of the inertia of the body";
            self.notes.add(NoteKind::Warning, e, text);
        } else if spec.fluid.0 {
            let is_mesh = matches!(&shape, GeomShape::Solid(Shape::Mesh(_) | Shape::Convex(_)));
            let fitted = if is_mesh { Some(self.mesh_of(e, &spec)?.ellipsoid_about_centre()?) } else { None };
            let ellipsoid = FluidEllipsoid { geom: index, coefficients: spec.fluid.1, fitted };
            self.scene.options.medium.ellipsoids.push(ellipsoid);
        }
        self.scene.geoms.push(Geom {
            name: name.unwrap_or_default(),
            body,
            pose,
            shape,
            mask: spec.mask,
            surface: spec.surface,
            group: spec.group.clamp(i32::MIN.into(), i32::MAX.into()) as i32,
            rgba,
            place,
        });
        Ok(())
    }

    /// Pose in the enclosing frame, shape, and whether it is that of a mesh which was not read.
    fn placed_shape(
        &mut self,
        e: &Element,
        g: &GeomSpec,
        body: usize,
    ) -> Read<(Pose, GeomShape, Option<Missing>)> {
        let (pose, size) = g.placed(e)?;
        let own = matches!(g.kind, GeomType::Mesh | GeomType::Sdf | GeomType::Plane | GeomType::HeightField);
        if own || g.mesh.is_none() {
            let (shape, missing) = self.geom_shape(e, g, size, body)?;
            return Ok((pose, shape, missing));
        }
        if let Some(path) = self.fits_missing(e, g)? {
            let text =
                format!("mesh {} is not read: the primitive fitted to it does not collide", path.display());
            self.notes.add(NoteKind::Warning, e, text);
            return Ok((pose, GeomShape::MissingMesh(path), Some(Missing)));
        }
        let (fitted, size) = self.fit(e, g)?;
        let (shape, missing) = self.geom_shape(e, g, size, body)?;
        Ok((pose * fitted, shape, missing))
    }

    /// The shape, and whether it is that of a mesh which was not read.
    fn geom_shape(
        &mut self,
        e: &Element,
        g: &GeomSpec,
        size: [f64; 3],
        body: usize,
    ) -> Read<(GeomShape, Option<Missing>)> {
        match g.kind {
            GeomType::Plane => {
                if g.size[0] > 0.0 || g.size[1] > 0.0 {
                    self.notes.add(
                        NoteKind::Converted,
                        e,
                        "a plane is a half-space without edges; its size is only drawn",
                    );
                }
                self.only_static(e, body, "a plane")?;
                Ok((GeomShape::Solid(Shape::HalfSpace), None))
            }
            GeomType::HeightField => {
                self.only_static(e, body, "a height field")?;
                self.hfield_shape(e, g)
            }
            GeomType::Mesh => self.mesh_shape(e, g),
            GeomType::Sdf => Err(e.unsupported("type=\"sdf\"", "use a mesh or primitives")),
            _ => Ok((GeomShape::Solid(primitive(e, g.kind, size)?), None)),
        }
    }

    fn only_static(&self, e: &Element, body: usize, what: &str) -> Read<()> {
        if self.moving[body] {
            return Err(e.invalid(
                format!("{what} is on the moving body '{}'", self.scene.bodies[body].name),
                "put it on the world or on a body without joints above it, or use a box",
            ));
        }
        Ok(())
    }
}

impl GeomSpec {
    /// Pose in the enclosing frame and the size, with `fromto` worked in.
    pub(super) fn placed(&self, e: &Element) -> Read<(Pose, [f64; 3])> {
        let Some(f) = self.fromto else { return Ok((self.pose.pose(), self.size)) };
        // MuJoCo takes a position of zero for none.
        if self.pose.position.is_some_and(|p| p.norm_squared() > 0.0) {
            return Err(e.invalid_at("fromto", "both 'pos' and 'fromto' place the geom", "keep one of them"));
        }
        placed_between(e, self.kind, self.size, f)
    }
}

/// `fromto`: pose and size of a shape that connects two points.
pub(super) fn placed_between(
    e: &Element,
    kind: GeomType,
    size: [f64; 3],
    f: [f64; 6],
) -> Read<(Pose, [f64; 3])> {
    if !matches!(kind, GeomType::Capsule | GeomType::Cylinder | GeomType::Box | GeomType::Ellipsoid) {
        return Err(e.invalid_at(
            "fromto",
            "'fromto' is given for a type that has no length",
            "use it with capsule, cylinder, box or ellipsoid",
        ));
    }
    let (a, b) = (Point3::new(f[0], f[1], f[2]), Point3::new(f[3], f[4], f[5]));
    // MuJoCo's z axis runs from the second point to the first.
    let axis = Unit::try_new(a - b, 1e-12).ok_or_else(|| {
        e.invalid_at("fromto", "the two points of 'fromto' coincide", "write two different points")
    })?;
    let half = 0.5 * (b - a).norm();
    let size = match kind {
        GeomType::Capsule | GeomType::Cylinder => [size[0], half, 0.0],
        _ => [size[0], size[0], half],
    };
    Ok((Pose::from_parts(((a.coords + b.coords) * 0.5).into(), z_to(axis)), size))
}

/// A sphere, capsule, ellipsoid, cylinder or box.
pub(super) fn primitive(e: &Element, kind: GeomType, size: [f64; 3]) -> Read<Shape> {
    let (word, count) = match kind {
        GeomType::Sphere => ("sphere", 1),
        GeomType::Capsule => ("capsule", 2),
        GeomType::Cylinder => ("cylinder", 2),
        GeomType::Ellipsoid => ("ellipsoid", 3),
        _ => ("box", 3),
    };
    if let Some(i) = size[..count].iter().position(|s| *s <= 0.0) {
        let what = match (kind, i) {
            (GeomType::Sphere | GeomType::Capsule | GeomType::Cylinder, 0) => "radius",
            (GeomType::Capsule | GeomType::Cylinder, _) => "half length",
            _ => "half length of an axis",
        };
        return Err(e.invalid_at(
            "size",
            format!("a {word} needs {count} positive sizes, number {} ({what}) is {}", i + 1, size[i]),
            format!("write size=\"{}\" with positive numbers", ["..."; 3][..count].join(" ")),
        ));
    }
    let v = Vector3::from(size);
    Ok(match kind {
        GeomType::Sphere => Shape::Sphere { radius: size[0] },
        GeomType::Capsule => Shape::Capsule { radius: size[0], half_length: size[1] },
        GeomType::Cylinder => Shape::Cylinder { radius: size[0], half_length: size[1] },
        GeomType::Ellipsoid => Shape::Ellipsoid { semi_axes: v },
        _ => Shape::Box { half_extents: v },
    })
}
