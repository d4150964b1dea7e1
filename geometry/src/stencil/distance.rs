use signorini_core::na::{Matrix2, SMatrix, SVector, Vector3};

/// Squared distance of a stencil, with the weights and vectors of its derivatives.
///
/// ```text
/// r = Σ wᵢ xᵢ joins the closest points,   d² = ‖r‖²,   ∂d²/∂xᵢ = 2 wᵢ r
/// ```
/// The closest points move with the xᵢ, yet the gradient does not see it: they minimise d². The weights are affine in k ≤ 2 free parameters θ of the closest points,
/// w = w⁰ + Σ θ_k c_k, so that
///
/// ```text
/// ∇²d² = 2 wwᵀ ⊗ I − F_xθ F_θθ⁻¹ F_θx,   F_θθ = 2 E_k·E_l,   F_θx = 2 (wᵢ E_k + c_ki r)ᵀ,   E_k = Σ c_ki xᵢ
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StencilDistance {
    /// d² \[m²\].
    pub squared: f64,
    /// wᵢ, 4: barycentric coordinates of the closest points, positive on the first body and negative on the second.
    pub weights: [f64; 4],
    /// r from the closest point of the second body to that of the first \[m\].
    pub r: Vector3<f64>,
    features: Features,
}

/// The closest features, by the numbers of their points.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Features {
    /// Two points.
    Points,
    /// A point and the edge between two points.
    Edge([u8; 2], f64),
    /// A point and a triangle.
    Face,
    /// Two edges.
    Edges,
}

impl StencilDistance {
    /// c_k of the free parameters, and how many there are.
    fn free(&self) -> ([[f64; 4]; 2], usize) {
        let none = [0.0; 4];
        match self.features {
            Features::Points => ([none; 2], 0),
            Features::Edge([i, j], sign) => {
                let mut c = none;
                (c[i as usize], c[j as usize]) = (sign, -sign);
                ([c, none], 1)
            }
            Features::Face => ([[0.0, 1.0, -1.0, 0.0], [0.0, 1.0, 0.0, -1.0]], 2),
            Features::Edges => ([[-1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, -1.0]], 2),
        }
    }

    /// Distance of the first of four points to the edge between two others, whose numbers are 1 to 3.
    pub fn to_edge(x: &[Vector3<f64>; 4], [i, j]: [usize; 2]) -> Self {
        at_edge(&to_edge(&x[0], &x[i], &x[j]), 0, [i, j], 1.0)
    }

    /// Distance of the first of four points to another, whose number is 1 to 3.
    pub fn to_point(x: &[Vector3<f64>; 4], i: usize) -> Self {
        let (mut weights, r) = ([1.0, 0.0, 0.0, 0.0], x[0] - x[i]);
        weights[i] = -1.0;
        Self { squared: r.norm_squared(), weights, r, features: Features::Points }
    }

    /// d \[m\].
    pub fn distance(&self) -> f64 {
        self.squared.sqrt()
    }

    /// Dimension of the closest features together: 0 for two points, 1 for a point and an edge, 2 for a point and a face or two edges.
    pub fn dimension(&self) -> usize {
        match self.features {
            Features::Points => 0,
            Features::Edge(..) => 1,
            Features::Face | Features::Edges => 2,
        }
    }

    /// Orthonormal directions e_k in which the closest points slide against each other, and the change c_k of the weights with each \[1/m\]; zero beyond the
    /// dimension.
    pub(super) fn slides(&self, x: &[Vector3<f64>; 4]) -> ([Vector3<f64>; 2], [SVector<f64, 4>; 2]) {
        let (free, count) = self.free();
        let (mut e, mut c) = ([Vector3::zeros(); 2], free.map(SVector::from));
        for k in 0..count {
            let mut along = (0..4).fold(Vector3::zeros(), |s, i| s + c[k][i] * (x[i] - x[0]));
            if k == 1 {
                let part = e[0].dot(&along);
                along -= part * e[0];
                let first = c[0];
                c[1] -= part * first;
            }
            let length = along.norm();
            e[k] = along / length;
            c[k] /= length;
        }
        (e, c)
    }

    /// Unit vector of r, without its round-off along the closest features: where the distance is small beside them, that turns r. NaN where points touch or a feature has no extent.
    pub(super) fn direction(&self, x: &[Vector3<f64>; 4]) -> Vector3<f64> {
        let (slides, _) = self.slides(x);
        let across =
            |n: Vector3<f64>| slides[..self.dimension()].iter().fold(n, |n, e| n - n.dot(e) * e).normalize();
        across(across(self.r))
    }

    /// ∂d²/∂x, four points of three coordinates \[m\].
    pub fn gradient(&self) -> SVector<f64, 12> {
        SVector::from_fn(|i, _| 2.0 * self.weights[i / 3] * self.r[i % 3])
    }

    /// ∂²d²/∂x² at the same points, 12 × 12. Indefinite in general.
    pub fn hessian(&self, x: &[Vector3<f64>; 4]) -> SMatrix<f64, 12, 12> {
        let w = &self.weights;
        let mut h =
            SMatrix::<f64, 12, 12>::from_fn(
                |i, j| {
                    if i % 3 == j % 3 { 2.0 * w[i / 3] * w[j / 3] } else { 0.0 }
                },
            );
        let (free, count) = self.free();
        let e = free.map(|c| (0..4).fold(Vector3::zeros(), |s, i| s + c[i] * (x[i] - x[0])));
        let cross: [SVector<f64, 12>; 2] = std::array::from_fn(|k| {
            SVector::from_fn(|i, _| 2.0 * (w[i / 3] * e[k][i % 3] + free[k][i / 3] * self.r[i % 3]))
        });
        match count {
            1 => h -= cross[0] * cross[0].transpose() / (2.0 * e[0].norm_squared()),
            2 => {
                let f =
                    2.0 * Matrix2::new(e[0].dot(&e[0]), e[0].dot(&e[1]), e[0].dot(&e[1]), e[1].dot(&e[1]));
                // The determinant as a cross product keeps digits for near-parallel directions.
                let det = 4.0 * e[0].cross(&e[1]).norm_squared();
                let inverse = Matrix2::new(f.m22, -f.m12, -f.m12, f.m11) / det;
                for k in 0..2 {
                    for l in 0..2 {
                        h -= inverse[(k, l)] * cross[k] * cross[l].transpose();
                    }
                }
            }
            _ => {}
        }
        h
    }
}

/// Nearest parameter in \[0, 1\] of the segment from the origin along `e` to `p`, and the vector from there to `p`.
fn on_segment(p: &Vector3<f64>, e: &Vector3<f64>) -> (f64, Vector3<f64>) {
    let length = e.norm_squared();
    let s = p.dot(e) / length;
    // NaN: a segment of no length.
    if s.is_nan() || s <= 0.0 {
        return (0.0, *p);
    }
    if s >= 1.0 {
        return (1.0, p - e);
    }
    // One refinement: the remainder is of the size of the distance, not of the segment.
    let r = p - s * e;
    let s = (s + r.dot(e) / length).clamp(0.0, 1.0);
    (s, p - s * e)
}

/// Distance of a point to an edge.
#[derive(Clone, Copy)]
struct ToEdge {
    squared: f64,
    /// Parameter of the closest point along the edge.
    s: f64,
    /// From there to the point.
    r: Vector3<f64>,
}

fn to_edge(p: &Vector3<f64>, a: &Vector3<f64>, b: &Vector3<f64>) -> ToEdge {
    let (s, r) = on_segment(&(p - a), &(b - a));
    // The difference of two points is exact to the last digit.
    let r = if s == 1.0 { p - b } else { r };
    ToEdge { squared: r.norm_squared(), s, r }
}

/// Distance of point number `point` to the edge between points i and j, with `sign` +1 when the point is on the first body.
fn at_edge(to: &ToEdge, point: usize, [i, j]: [usize; 2], sign: f64) -> StencilDistance {
    let mut weights = [0.0; 4];
    weights[point] = sign;
    weights[i] = -sign * (1.0 - to.s);
    weights[j] = -sign * to.s;
    let inside = to.s > 0.0 && to.s < 1.0;
    let features = if inside { Features::Edge([i as u8, j as u8], sign) } else { Features::Points };
    StencilDistance { squared: to.squared, weights, r: sign * to.r, features }
}

/// The first of the nearest.
fn nearest<const K: usize>(all: &[ToEdge; K]) -> usize {
    (1..K).fold(0, |best, k| if all[k].squared < all[best].squared { k } else { best })
}

pub(super) fn point_triangle(x: &[Vector3<f64>; 4]) -> StencilDistance {
    debug_assert!(x.iter().all(|p| p.iter().all(|c| c.is_finite())), "points are finite");
    let (u, v, p) = (x[2] - x[1], x[3] - x[1], x[0] - x[1]);
    let n = u.cross(&v);
    let area = n.norm_squared();
    let coordinates = |p: &Vector3<f64>| [p.cross(&v).dot(&n) / area, u.cross(p).dot(&n) / area];
    let [b, c] = coordinates(&p);
    if b >= 0.0 && c >= 0.0 && b + c <= 1.0 {
        // Refined as on a segment.
        let r = p - b * u - c * v;
        let [db, dc] = coordinates(&r);
        let (b, c) = (b + db, c + dc);
        let r = p - b * u - c * v;
        // Along the normal, without what refinement left in the plane.
        let r = n * (r.dot(&n) / area);
        let weights = [1.0, b + c - 1.0, -b, -c];
        return StencilDistance { squared: r.norm_squared(), weights, r, features: Features::Face };
    }
    let edges = [[1, 2], [2, 3], [3, 1]];
    let to = [to_edge(&x[0], &x[1], &x[2]), to_edge(&x[0], &x[2], &x[3]), to_edge(&x[0], &x[3], &x[1])];
    let k = nearest(&to);
    at_edge(&to[k], 0, edges[k], 1.0)
}

/// sin² of the angle above which two edges are far from parallel.
const FAR_FROM_PARALLEL: f64 = 1e-4;

pub(super) fn edge_edge(x: &[Vector3<f64>; 4]) -> StencilDistance {
    debug_assert!(x.iter().all(|p| p.iter().all(|c| c.is_finite())), "points are finite");
    let (u, v, w) = (x[1] - x[0], x[3] - x[2], x[2] - x[0]);
    let n = u.cross(&v);
    let area = n.norm_squared();
    let (s, t) = (w.cross(&v).dot(&n) / area, w.cross(&u).dot(&n) / area);
    let unit = 0.0..=1.0;
    let mut inner = None;
    if unit.contains(&s) && unit.contains(&t) {
        // Projected on each other in turn: near-parallel edges leave s and t uncertain together, but not the distance.
        let (t, _) = on_segment(&(s * u - w), &v);
        let (s, r) = on_segment(&(w + t * v), &u);
        if s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0 {
            // r joins the point of a to that of b.
            let weights = [1.0 - s, s, t - 1.0, -t];
            let found =
                StencilDistance { squared: r.norm_squared(), weights, r: -r, features: Features::Edges };
            // No end can be nearer.
            if area > FAR_FROM_PARALLEL * u.norm_squared() * v.norm_squared() {
                return found;
            }
            inner = Some(found);
        }
    }
    let to = [
        to_edge(&x[0], &x[2], &x[3]),
        to_edge(&x[1], &x[2], &x[3]),
        to_edge(&x[2], &x[0], &x[1]),
        to_edge(&x[3], &x[0], &x[1]),
    ];
    let k = nearest(&to);
    match inner {
        Some(found) if found.squared < to[k].squared => found,
        _ => at_edge(&to[k], k, if k < 2 { [2, 3] } else { [0, 1] }, if k < 2 { 1.0 } else { -1.0 }),
    }
}
