use signorini_core::na::{Point3, Vector3};

use super::cells::{Cells, MOST_TETRAHEDRA, six_volumes};
use super::crossing::self_crossing;
use super::error::PressureError;
use super::near_elements::{Extent, Layers};
use super::slices::{Layer, Slices};
use super::walls::Walls;
use super::{cuboid, cylinder, fan, solid, walls};
use crate::volume_mesh::outer_faces;
use crate::{Aabb, Bvh, Shape, TriangleMesh};

/// Parts of the radius that the default resolution of round shapes is.
const ROUND: f64 = 8.0;

/// A linear function of a place: value at the origin and gradient.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Linear {
    pub(super) gradient: Vector3<f64>,
    pub(super) origin: f64,
}

impl Linear {
    #[inline]
    pub(super) fn at(&self, p: &Point3<f64>) -> f64 {
        self.origin + self.gradient.dot(&p.coords)
    }

    #[inline]
    pub(super) fn times(&self, factor: f64) -> Self {
        Self { gradient: self.gradient * factor, origin: self.origin * factor }
    }
}

/// The extent of depth within a body, from 0 on its surface to 1 where it is deepest; times a modulus \[Pa\] it is a pressure.
///
/// The extent is continuous and linear in each of the tetrahedra that fill the body, or proportional to the depth below the plane of a half-space. A field is made once for a shape and a resolution and shared; see
/// [`FieldCache`](super::FieldCache).
///
/// | shape | tetrahedra | extent |
/// |---|---|---|
/// | box | six cells about the rectangle in the middle | distance from the nearest face over the least half extent |
/// | cylinder | sectors about the deepest points: a part of the axis, a disc, or the centre | distance from the nearest face over the largest |
/// | capsule | sectors about the segment | one minus the distance from the segment over the radius |
/// | sphere, ellipsoid | a fan about the centre | one minus the distance from the centre over that of the surface |
/// | convex polyhedron, convex mesh | a fan about the centre of mass | linear from each face to the centre |
/// | mesh with tetrahedra ([`VolumeMesh`](crate::VolumeMesh)) | its own | distance from the surface over the largest |
/// | other closed mesh, for each part that is apart from the rest | a fan where it is convex, or a body-centred cubic lattice, cut where the distance is zero | of a fan as above, or distance from the surface over the largest of the part |
/// | half-space | none | depth over a thickness |
///
/// ```
/// use signorini_core::na::{Point3, Vector3};
/// use signorini_geometry::Shape;
/// use signorini_geometry::pressure::PressureField;
///
/// let cup = Shape::Box { half_extents: Vector3::new(0.03, 0.05, 0.02) };
/// let field = PressureField::new(&cup, None)?;
/// assert!((field.volume() - 8.0 * 0.03 * 0.05 * 0.02).abs() < 1e-18);
/// let extent = field.extent(&Point3::new(0.0, 0.01, 0.015)).unwrap();
/// assert!((extent - 0.25).abs() < 1e-12);
/// # Ok::<(), signorini_geometry::pressure::PressureError>(())
/// ```
#[derive(Clone, Debug)]
pub struct PressureField {
    cells: Cells,
    /// Extent in each tetrahedron.
    linear: Vec<Linear>,
    bvh: Bvh,
    slices: Slices,
    /// Thickness of a half-space \[m\].
    thickness: Option<f64>,
    source: Option<Box<Source>>,
}

/// Origin of a field that has a resolution \[m\] or tetrahedra of a file.
#[derive(Clone, Copy, Debug, Default)]
struct Source {
    length: Option<f64>,
    /// Of lattices, the walls of their solids.
    walls: Option<Walls>,
    /// Of a solid of tetrahedra, how many of them are left out for want of a corner inside.
    flat: usize,
}

impl PressureField {
    /// The field of a shape at a resolution \[m\], or at [`Self::default_resolution`].
    ///
    /// The resolution is the length of edges on curved surfaces and of the lattice in meshes that are not convex. Boxes and convex polyhedra do not depend on it, and take any
    /// ([`Self::needs_resolution`]).
    ///
    /// # Errors
    /// [`PressureError::Size`], [`PressureError::Resolution`], [`PressureError::CoarserThanBody`] and [`PressureError::TooFine`] for lengths; [`PressureError::Mesh`], [`PressureError::SelfCrossing`] and
    /// [`PressureError::MissesParts`] for meshes; [`PressureError::NoField`] for half-spaces, which [`Self::half_space`] makes, and height fields.
    pub fn new(shape: &Shape, resolution: Option<f64>) -> Result<Self, PressureError> {
        let name = shape.name();
        let resolution = checked_resolution(shape, resolution)?;
        let room = |tetrahedra: f64, order: f64| {
            if tetrahedra <= MOST_TETRAHEDRA as f64 {
                return Ok(());
            }
            let coarsest = resolution * (tetrahedra / MOST_TETRAHEDRA as f64).powf(1.0 / order);
            Err(PressureError::TooFine {
                shape: name,
                resolution,
                tetrahedra,
                most: MOST_TETRAHEDRA,
                coarsest,
            })
        };
        let ellipsoid = |semi_axes: Vector3<f64>| {
            let level = fan::level(semi_axes.max(), resolution);
            room(fan::icosphere_count(level), 2.0)?;
            Ok::<_, PressureError>(fan::ellipsoid(&semi_axes, level)?)
        };
        let (mut walls, mut flat) = (None, 0);
        let cells = match shape {
            Shape::Sphere { radius } => ellipsoid(Vector3::repeat(*radius))?,
            Shape::Ellipsoid { semi_axes } => ellipsoid(*semi_axes)?,
            Shape::Box { half_extents } => cuboid::cells(half_extents),
            Shape::Cylinder { radius, half_length } => {
                let n = cylinder::sides(*radius, resolution);
                room(cylinder::cylinder_count(*radius, *half_length, n), 1.0)?;
                cylinder::cylinder(*radius, *half_length, n as u32)
            }
            Shape::Capsule { radius, half_length } => {
                let n = cylinder::sides(*radius, resolution);
                room(cylinder::capsule_count(n), 2.0)?;
                cylinder::capsule(*radius, *half_length, n as u32)
            }
            Shape::Convex(mesh) => fan::convex(mesh),
            Shape::Mesh(mesh) => {
                mesh.check_closed()?;
                if let Some(triangles) = self_crossing(mesh) {
                    return Err(PressureError::SelfCrossing { triangles });
                }
                let own = mesh.volume().map(|v| solid::cells(v, shape, MOST_TETRAHEDRA)).transpose()?;
                let own = own.map(|(cells, left_out)| {
                    flat = left_out;
                    cells
                });
                match own {
                    Some(cells) => cells,
                    None => {
                        let (cells, own) = walls::cells(mesh, resolution, room)?;
                        walls = own;
                        cells
                    }
                }
            }
            Shape::HalfSpace => {
                let remedy = "give its thickness by PressureField::half_space, or make it rigid";
                return Err(PressureError::NoField { shape: name, remedy });
            }
            Shape::HeightField(_) => {
                let remedy = "make it rigid, or take point contact";
                return Err(PressureError::NoField { shape: name, remedy });
            }
        };
        room(cells.tetrahedra.len() as f64, 2.0)?;
        let needed = walls.is_some() || needs_length(shape);
        let length = needed.then_some(resolution);
        let source = (needed || flat > 0).then(|| Box::new(Source { length, walls, flat }));
        Ok(Self { source, ..Self::of(cells) })
    }

    /// The field of the half-space of points with z ≤ 0: −z over a `thickness` \[m\], without a bound from above.
    ///
    /// # Errors
    /// [`PressureError::Thickness`] unless it is positive and finite.
    pub fn half_space(thickness: f64) -> Result<Self, PressureError> {
        if !(thickness > 0.0 && thickness.is_finite()) {
            return Err(PressureError::Thickness { value: thickness });
        }
        Ok(Self { thickness: Some(thickness), ..Self::of(Cells::default()) })
    }

    fn of(cells: Cells) -> Self {
        let corners = |t: &[u32; 4]| t.map(|v| cells.vertices[v as usize]);
        let linear = cells
            .tetrahedra
            .iter()
            .map(|t| {
                let v = corners(t);
                let [a, b, c] = [1, 2, 3].map(|k| v[k] - v[0]);
                let [e0, e1, e2, e3] = t.map(|v| cells.extents[v as usize]);
                let rise = (e1 - e0) * b.cross(&c) + (e2 - e0) * c.cross(&a) + (e3 - e0) * a.cross(&b);
                let gradient = rise / six_volumes(&v);
                Linear { gradient, origin: e0 - gradient.dot(&v[0].coords) }
            })
            .collect();
        let boxes: Vec<Aabb> = cells.tetrahedra.iter().map(|t| Aabb::from_points(&corners(t))).collect();
        Self {
            linear,
            bvh: Bvh::build(&boxes),
            slices: Slices::new(&cells),
            cells,
            thickness: None,
            source: None,
        }
    }

    /// The resolution of a shape for which none is given \[m\]: an eighth of the radius of round shapes, of the largest semi-axis of ellipsoids, the least half extent of boxes; of meshes a 24th of the
    /// longest side, or a third of the mean wall 2V/A where that is less, but no finer than [`MOST_TETRAHEDRA`] allow. Infinite for half-spaces.
    #[must_use]
    pub fn default_resolution(shape: &Shape) -> f64 {
        match shape {
            Shape::Sphere { radius } | Shape::Capsule { radius, .. } | Shape::Cylinder { radius, .. } => {
                radius / ROUND
            }
            Shape::Ellipsoid { semi_axes } => semi_axes.max() / ROUND,
            Shape::Box { half_extents } => half_extents.min(),
            Shape::Mesh(mesh) => walls::default_resolution(mesh),
            Shape::Convex(_) | Shape::HeightField(_) | Shape::HalfSpace => size(shape) / walls::MESH,
        }
    }

    /// Whether the field of a shape depends on a resolution: those of round shapes and of meshes with parts that are not convex.
    #[must_use]
    pub fn needs_resolution(shape: &Shape) -> bool {
        match shape {
            Shape::Mesh(mesh) => mesh.volume().is_none() && walls::any_on_lattice(mesh),
            _ => needs_length(shape),
        }
    }

    /// The resolution with which it was made \[m\], given or [`Self::default_resolution`]; None of fields that need none.
    #[must_use]
    pub fn resolution(&self) -> Option<f64> {
        self.source.as_ref()?.length
    }

    /// Length of the edges of a field on a lattice, and the mean wall 2V/A of its mesh, the least of its parts, \[m\]; None of other fields.
    #[must_use]
    pub fn lattice(&self) -> Option<[f64; 2]> {
        let source = self.source.as_ref()?;
        Some([source.length?, source.walls?.mean])
    }

    /// Largest extent at a vertex: below 1 where a lattice has no node in the depth of the body. 0 for a half-space.
    #[must_use]
    pub fn largest_extent(&self) -> f64 {
        self.cells.extents.iter().copied().fold(0.0, f64::max)
    }

    /// Why the field of a mesh is softer than its modulus says, with the remedy: edges longer than half the mean wall, up to which plane faces are as stiff as they should be, or no vertex in the depth. None where it is not.
    #[must_use]
    pub fn softness(&self) -> Option<String> {
        let Source { length, walls, flat } = **self.source.as_ref()?;
        if flat > 0 {
            let all = flat + self.tetrahedra().len();
            return Some(format!(
                "its pressure field is too soft: {flat} of its {all} tetrahedra have no corner inside the surface, and no pressure; refine the mesh there, or make it rigid"
            ));
        }
        walls?.softness(length?)
    }

    /// Vertices of the tetrahedra \[m\]; none of a half-space.
    #[must_use]
    pub fn vertices(&self) -> &[Point3<f64>] {
        &self.cells.vertices
    }

    /// Extent at each vertex, 0 to 1.
    #[must_use]
    pub fn extents(&self) -> &[f64] {
        &self.cells.extents
    }

    /// Vertices of each tetrahedron, of positive volume: (b − a) · (c − a) × (d − a) > 0.
    #[must_use]
    pub fn tetrahedra(&self) -> &[[u32; 4]] {
        &self.cells.tetrahedra
    }

    /// Corners of tetrahedron `i` \[m\].
    ///
    /// # Panics
    /// If there is no tetrahedron `i`.
    #[must_use]
    pub fn tetrahedron(&self, i: usize) -> [Point3<f64>; 4] {
        let [a, b, c, d] = self.cells.tetrahedra[i];
        let at = |v: u32| self.cells.vertices[v as usize];
        [at(a), at(b), at(c), at(d)]
    }

    /// Gradient of the extent in tetrahedron `i` \[1/m\].
    ///
    /// # Panics
    /// If there is no tetrahedron `i`.
    #[must_use]
    pub fn gradient(&self, i: usize) -> Vector3<f64> {
        self.linear[i].gradient
    }

    /// Thickness of a half-space \[m\]; None for a bounded body.
    #[must_use]
    pub fn thickness(&self) -> Option<f64> {
        self.thickness
    }

    /// Volume of all tetrahedra \[m³\]; infinite for a half-space.
    #[must_use]
    pub fn volume(&self) -> f64 {
        if self.thickness.is_some() { f64::INFINITY } else { self.cells.volume() }
    }

    /// The tree over the boxes of whole tetrahedra.
    #[must_use]
    pub fn bvh(&self) -> &Bvh {
        &self.bvh
    }

    /// Extent at a point \[m\]; None outside.
    #[must_use]
    pub fn extent(&self, p: &Point3<f64>) -> Option<f64> {
        if let Some(thickness) = self.thickness {
            return (p.z <= 0.0).then_some(-p.z / thickness);
        }
        let mut found = None;
        let tolerance = -1e-12;
        self.bvh.visit(
            |b| b.contains_point(p),
            |i| {
                let v = self.tetrahedron(i as usize);
                let whole = six_volumes(&v);
                let inside = (0..4).all(|k| {
                    let mut part = v;
                    part[k] = *p;
                    six_volumes(&part) >= tolerance * whole
                });
                if inside {
                    found = Some(self.linear[i as usize].at(p));
                }
            },
        );
        found
    }

    /// The surface of the tetrahedra, where the extent is zero, wound outwards.
    ///
    /// # Errors
    /// [`PressureError::Mesh`] for a half-space, which has no triangles.
    pub fn surface(&self) -> Result<TriangleMesh, PressureError> {
        Ok(TriangleMesh::new(self.vertices().to_vec(), outer_faces(self.tetrahedra()))?.welded()?)
    }

    /// The field in a search for pairs of elements.
    pub(super) fn layers(&self, modulus: f64) -> Layers<impl Iterator<Item = Layer<'_>> + Clone> {
        let extent = Extent { elements: self.linear.len(), bounds: self.bvh.bounds() };
        Layers { layers: self.slices.layers(modulus), extent, modulus }
    }

    pub(super) fn linear(&self, i: usize) -> &Linear {
        &self.linear[i]
    }

    pub(super) fn corner_extents(&self, i: usize) -> [f64; 4] {
        let [a, b, c, d] = self.cells.tetrahedra[i];
        let of = |v: u32| self.cells.extents[v as usize];
        [of(a), of(b), of(c), of(d)]
    }
}

/// Longest side of the box about a shape \[m\]; infinite for a half-space.
fn size(shape: &Shape) -> f64 {
    match shape {
        Shape::Sphere { radius } => 2.0 * radius,
        Shape::Capsule { radius, half_length } => 2.0 * (radius + half_length),
        Shape::Cylinder { radius, half_length } => 2.0 * radius.max(*half_length),
        Shape::Box { half_extents: h } | Shape::Ellipsoid { semi_axes: h } => 2.0 * h.max(),
        Shape::Convex(mesh) => 2.0 * mesh.aabb().half_extents().max(),
        Shape::Mesh(mesh) => 2.0 * mesh.aabb().half_extents().max(),
        Shape::HeightField(field) => 2.0 * field.aabb().half_extents().max(),
        Shape::HalfSpace => f64::INFINITY,
    }
}

/// Whether a shape without a mesh has curved surfaces, whose edges have a length.
pub(super) fn needs_length(shape: &Shape) -> bool {
    matches!(
        shape,
        Shape::Sphere { .. } | Shape::Ellipsoid { .. } | Shape::Cylinder { .. } | Shape::Capsule { .. }
    )
}

/// The resolution to take for a shape \[m\].
pub(super) fn checked_resolution(shape: &Shape, resolution: Option<f64>) -> Result<f64, PressureError> {
    let name = shape.name();
    if let Some(value) = shape.wrong_size() {
        return Err(PressureError::Size { shape: name, value });
    }
    let Some(resolution) = resolution else { return Ok(PressureField::default_resolution(shape)) };
    if !(resolution > 0.0 && resolution.is_finite()) {
        return Err(PressureError::Resolution { value: resolution });
    }
    let size = size(shape);
    if resolution > size && PressureField::needs_resolution(shape) {
        return Err(PressureError::CoarserThanBody { shape: name, resolution, size });
    }
    Ok(resolution)
}
