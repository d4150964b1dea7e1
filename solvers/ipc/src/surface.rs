use signorini_core::na::{Matrix3, Point3, Vector3};
use signorini_geometry::TriangleMesh;

/// A part of the surface of an affine body.
#[derive(Clone, Debug)]
pub enum BodySurface {
    /// A closed triangle surface.
    Mesh(Box<TriangleMesh>),
    /// The ball about a point.
    Ball {
        /// Centre, in the frame of the body \[m\].
        centre: Point3<f64>,
        /// \[m\], > 0.
        radius: f64,
    },
    /// The ball about each point of an edge.
    Capsule {
        /// Ends of the edge, in the frame of the body \[m\].
        ends: [Point3<f64>; 2],
        /// \[m\], > 0.
        radius: f64,
    },
}

/// A part of the surface of an affine body, by its points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyPart {
    /// Number of points of the body up to the end of the part.
    pub end: u32,
    /// Distance of the surface from the points, edges and triangles of the part \[m\]: the radius of a ball or a capsule, zero for triangles.
    pub radius: f64,
}

impl From<TriangleMesh> for BodySurface {
    fn from(mesh: TriangleMesh) -> Self {
        Self::Mesh(Box::new(mesh))
    }
}

impl BodySurface {
    /// The points of the part.
    pub(crate) fn points(&self) -> &[Point3<f64>] {
        match self {
            Self::Mesh(mesh) => mesh.vertices(),
            Self::Ball { centre, .. } => std::slice::from_ref(centre),
            Self::Capsule { ends, .. } => ends,
        }
    }

    pub(crate) fn triangles(&self) -> &[[u32; 3]] {
        match self {
            Self::Mesh(mesh) => mesh.triangles(),
            Self::Ball { .. } | Self::Capsule { .. } => &[],
        }
    }

    /// Edges, the lower point first, in order.
    pub(crate) fn edges(&self) -> Vec<[u32; 2]> {
        if matches!(self, Self::Capsule { .. }) {
            return vec![[0, 1]];
        }
        let of = |t: &[u32; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
        let mut edges: Vec<[u32; 2]> =
            self.triangles().iter().flat_map(of).map(|[i, j]| [i.min(j), i.max(j)]).collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    pub(crate) fn radius(&self) -> f64 {
        match self {
            Self::Mesh(_) => 0.0,
            Self::Ball { radius, .. } | Self::Capsule { radius, .. } => *radius,
        }
    }

    /// Whether the surface encloses a solid.
    pub(crate) fn is_closed(&self) -> bool {
        match self {
            Self::Mesh(mesh) => mesh.is_watertight(),
            Self::Ball { .. } | Self::Capsule { .. } => true,
        }
    }

    /// Volume \[m³\]; negative where triangles are turned inside out.
    pub(crate) fn volume(&self) -> f64 {
        let ball = |r: f64| 4.0 / 3.0 * std::f64::consts::PI * r * r * r;
        match self {
            Self::Mesh(mesh) => moments(mesh).volume,
            Self::Ball { radius, .. } => ball(*radius),
            Self::Capsule { ends: [a, b], radius } => {
                ball(*radius) + std::f64::consts::PI * radius * radius * (b - a).norm()
            }
        }
    }
}

/// Integrals over the inside of a triangle surface.
pub(crate) struct Moments {
    /// \[m³\].
    pub volume: f64,
    /// Centre \[m\].
    pub centre: Vector3<f64>,
    /// ∫ X Xᵀ about the centre \[m⁵\].
    pub second: Matrix3<f64>,
}

/// Sums over the tetrahedra of the triangles and a point of the mesh, so that far origins cost no digits.
pub(crate) fn moments(mesh: &TriangleMesh) -> Moments {
    let x = mesh.vertices();
    let (mut volume, mut first, mut second) = (0.0, Vector3::zeros(), Matrix3::zeros());
    let origin = x.first().map_or_else(Vector3::zeros, |x| x.coords);
    for t in mesh.triangles() {
        let [a, b, c] = t.map(|i| x[i as usize].coords - origin);
        let det = a.dot(&b.cross(&c));
        let sum = a + b + c;
        volume += det / 6.0;
        first += det / 24.0 * sum;
        let square = |v: &Vector3<f64>| v * v.transpose();
        second += det / 120.0 * (square(&a) + square(&b) + square(&c) + square(&sum));
    }
    let com = first / volume;
    Moments { volume, centre: com + origin, second: second - volume * com * com.transpose() }
}

/// The first point of each connected piece of a surface.
pub(crate) fn pieces(surface: &BodySurface) -> Vec<u32> {
    let mut of: Vec<u32> = (0..surface.points().len() as u32).collect();
    // Each point points to one before it, or to itself; chains are followed and shortened.
    fn root(of: &mut [u32], mut i: u32) -> u32 {
        while of[i as usize] != i {
            of[i as usize] = of[of[i as usize] as usize];
            i = of[i as usize];
        }
        i
    }
    let mut used = vec![surface.triangles().is_empty(); of.len()];
    for t in surface.triangles() {
        let first = t.map(|i| root(&mut of, i));
        let low = first[0].min(first[1]).min(first[2]);
        first.iter().for_each(|f| of[*f as usize] = low);
        t.iter().for_each(|i| used[*i as usize] = true);
    }
    // An edge is one piece.
    if let BodySurface::Capsule { .. } = surface {
        used[1] = false;
    }
    (0..of.len() as u32).filter(|i| of[*i as usize] == *i && used[*i as usize]).collect()
}
