use signorini_core::na::{DMatrix, DVector, Matrix3, Point3, Vector3};
use signorini_geometry::Shape;
use signorini_scene::Pose;

/// A surface about one of its points as its normal sees it: the point moves by R δm when the normal m turns by δm, and is free along directions in
/// which the surface is flat.
#[derive(Clone, Debug, Default)]
pub(super) struct Surface {
    /// R \[m\], tangent to the surface.
    pub radius: Matrix3<f64>,
    /// Orthonormal; none at a corner, one on an edge, two on a face.
    pub flat: Vec<Vector3<f64>>,
}

/// Part of a length within which corners count as touching.
const TOUCH: f64 = 1e-9;

impl Surface {
    /// The surface of `shape` at `x_wg` where its outward normal is `m` and its point `p` (world); None for shapes without a description. Facing a half-space,
    /// a polyhedron touches with its corners one by one.
    pub(super) fn new(
        shape: &Shape,
        x_wg: &Pose,
        p: &Point3<f64>,
        m: &Vector3<f64>,
        faces_plane: bool,
    ) -> Option<Self> {
        let tangent = Matrix3::identity() - m * m.transpose();
        let ball = |r: f64| Self { radius: r * tangent, flat: Vec::new() };
        let corners = |points: &mut dyn Iterator<Item = Vector3<f64>>, size: f64| {
            if faces_plane {
                return Some(Self::default());
            }
            let local = x_wg.rotation.inverse() * m;
            let points: Vec<Vector3<f64>> = points.collect();
            let most = points.iter().map(|v| v.dot(&local)).fold(f64::NEG_INFINITY, f64::max);
            let touching: Vec<_> = points
                .iter()
                .filter(|v| most - v.dot(&local) <= TOUCH * size)
                .map(|v| x_wg.rotation * *v)
                .collect();
            match touching[..] {
                [] | [_] => Some(Self::default()),
                [a, b] => Some(Self { flat: vec![(b - a).normalize()], ..Self::default() }),
                [a, b, ..] => {
                    let first = (b - a).normalize();
                    Some(Self { flat: vec![first, m.cross(&first)], ..Self::default() })
                }
            }
        };
        match shape {
            Shape::Sphere { radius } => Some(ball(*radius)),
            Shape::HalfSpace => {
                let first = m.cross(&(x_wg.rotation * Vector3::x())).normalize();
                Some(Self { flat: vec![first, m.cross(&first)], ..Self::default() })
            }
            Shape::Capsule { radius, half_length } => {
                let core = x_wg.inverse() * (p - *radius * m);
                if core.z.abs() >= half_length * (1.0 - TOUCH) {
                    return Some(ball(*radius));
                }
                let axis = x_wg.rotation * Vector3::z();
                Some(Self { radius: *radius * (tangent - axis * axis.transpose()), flat: vec![axis] })
            }
            // R is the Hessian of the support function |E m|.
            Shape::Ellipsoid { semi_axes } => {
                let r = x_wg.rotation.to_rotation_matrix().into_inner();
                let square = r * Matrix3::from_diagonal(&semi_axes.component_mul(semi_axes)) * r.transpose();
                let em = square * m;
                let h = m.dot(&em).sqrt();
                Some(Self { radius: square / h - em * em.transpose() / (h * h * h), flat: Vec::new() })
            }
            Shape::Box { half_extents: h } => {
                let corner = |i: usize| {
                    let s = |bit: usize| if i >> bit & 1 == 0 { -1.0 } else { 1.0 };
                    Vector3::new(s(0) * h.x, s(1) * h.y, s(2) * h.z)
                };
                corners(&mut (0..8).map(corner), h.norm())
            }
            Shape::Convex(mesh) => {
                let size = mesh.vertices.iter().map(|v| v.coords.norm()).fold(0.0, f64::max);
                corners(&mut mesh.vertices.iter().map(|v| v.coords), size)
            }
            Shape::Cylinder { .. } | Shape::HeightField(_) | Shape::Mesh(_) => None,
        }
    }
}

/// A contact whose two bodies move.
pub(super) struct Touch<'a> {
    /// Surfaces of A and B.
    pub surfaces: [&'a Surface; 2],
    /// Normal from A into B.
    pub normal: Vector3<f64>,
    /// φ.
    pub gap: f64,
    /// Displacements of the body points at the witnesses of A and B.
    pub shift: [Vector3<f64>; 2],
    /// Rotations of A and B.
    pub turn: [Vector3<f64>; 2],
}

/// Change of a contact.
pub(super) struct TouchTangent {
    pub gap: f64,
    pub normal: Vector3<f64>,
    /// Changes of the witnesses on A and B.
    pub witness: [Vector3<f64>; 2],
}

impl Touch<'_> {
    /// First-order motion of the closest points of two surfaces (Montana 1988), from
    ///
    /// ```text
    /// p_B − p_A = φ n,   δp_A = u_A + R_A (δn − ω_A × n) + E_A s_A,   δp_B = u_B − R_B (δn − ω_B × n) + E_B s_B,   E_iᵀ (δn − ω_i × n) = 0
    /// ```
    /// None where the surfaces are parallel along a direction: the closest points are not unique.
    pub(super) fn tangent(&self) -> Option<TouchTangent> {
        let n = &self.normal;
        let t1 = n.cross(&Vector3::ith(n.iamin(), 1.0)).normalize();
        let plane = [t1, n.cross(&t1)];
        let [a, b] = self.surfaces;
        let spin = self.turn.map(|w| w.cross(n));
        let (na, nb) = (a.flat.len(), b.flat.len());
        let size = 2 + na + nb;
        let mut matrix = DMatrix::zeros(size, size);
        let mut rhs = DVector::zeros(size);
        // Tangential rows: (φ + R_A + R_B) δn + E_A s_A − E_B s_B = u_B − u_A + R_A ω_A × n + R_B ω_B × n.
        let stiff = Matrix3::identity() * self.gap + a.radius + b.radius;
        let right = self.shift[1] - self.shift[0] + a.radius * spin[0] + b.radius * spin[1];
        for (i, t) in plane.iter().enumerate() {
            for (j, s) in plane.iter().enumerate() {
                matrix[(i, j)] = t.dot(&(stiff * s));
            }
            a.flat.iter().enumerate().for_each(|(k, e)| matrix[(i, 2 + k)] = t.dot(e));
            b.flat.iter().enumerate().for_each(|(k, e)| matrix[(i, 2 + na + k)] = -t.dot(e));
            rhs[i] = t.dot(&right);
        }
        for (k, (e, s)) in
            a.flat.iter().map(|e| (e, spin[0])).chain(b.flat.iter().map(|e| (e, spin[1]))).enumerate()
        {
            plane.iter().enumerate().for_each(|(j, t)| matrix[(2 + k, j)] = e.dot(t));
            rhs[2 + k] = e.dot(&s);
        }
        let lu = matrix.full_piv_lu();
        let u = lu.u();
        let pivots = (0..size).map(|i| u[(i, i)].abs());
        if pivots.fold(f64::INFINITY, f64::min) < 1e-9 * u[(0, 0)].abs() {
            return None;
        }
        let x = lu.solve(&rhs)?;
        let normal = plane[0] * x[0] + plane[1] * x[1];
        let slide = |flat: &[Vector3<f64>], from: usize| {
            flat.iter().enumerate().fold(Vector3::zeros(), |s, (k, e)| s + e * x[from + k])
        };
        let on_a = self.shift[0] + a.radius * (normal - spin[0]) + slide(&a.flat, 2);
        let on_b = self.shift[1] - b.radius * (normal - spin[1]) + slide(&b.flat, 2 + na);
        Some(TouchTangent { gap: n.dot(&(self.shift[1] - self.shift[0])), normal, witness: [on_a, on_b] })
    }
}

/// Change of [`signorini_core::ContactGeometry::frame`] when the normal, its first column, changes by `dn`.
pub(super) fn frame_tangent(frame: &Matrix3<f64>, dn: &Vector3<f64>) -> Matrix3<f64> {
    let (n, t1): (Vector3<f64>, Vector3<f64>) = (frame.column(0).into(), frame.column(1).into());
    let axis = Vector3::ith(n.iamin(), 1.0);
    let length = n.cross(&axis).norm();
    let dm = dn.cross(&axis);
    let dt1 = (dm - t1 * t1.dot(&dm)) / length;
    Matrix3::from_columns(&[*dn, dt1, dn.cross(&t1) + n.cross(&dt1)])
}
