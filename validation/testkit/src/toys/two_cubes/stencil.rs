use signorini_core::na::Vector3;

/// Vertex of a cube: which cube, and its signs as bits (x, y, z).
pub(super) type Vertex = (usize, usize);

/// A pair of features that may touch: four vertices.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stencil {
    /// A vertex of one cube and a triangle of the other.
    VertexFace([Vertex; 4]),
    /// An edge of each cube.
    EdgeEdge([Vertex; 4]),
}

/// Distance of a stencil: r = Σ cᵢ xᵢ joins the closest points, φ = ‖r‖.
#[derive(Clone, Copy, Debug)]
pub(super) struct Proximity {
    /// φ \[m\].
    pub(super) gap: f64,
    /// cᵢ; by the envelope theorem ∂φ/∂xᵢ = cᵢ r/φ although the closest points move.
    pub(super) coefficients: [f64; 4],
    /// r/φ.
    pub(super) direction: Vector3<f64>,
}

/// A weight and its derivative with respect to the four vertices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weight {
    pub(super) value: f64,
    pub(super) gradient: [Vector3<f64>; 4],
}

/// All vertex–face and edge–edge pairs of two cubes.
pub(super) fn all() -> Vec<Stencil> {
    let mut list = Vec::new();
    for (a, b) in [(0, 1), (1, 0)] {
        for vertex in 0..8 {
            for t in triangles() {
                list.push(Stencil::VertexFace([(a, vertex), (b, t[0]), (b, t[1]), (b, t[2])]));
            }
        }
    }
    for e in edges() {
        for f in edges() {
            list.push(Stencil::EdgeEdge([(0, e[0]), (0, e[1]), (1, f[0]), (1, f[1])]));
        }
    }
    list
}

fn edges() -> impl Iterator<Item = [usize; 2]> {
    (0..3).flat_map(|axis| (0..8).filter(move |i| i >> axis & 1 == 0).map(move |i| [i, i | 1 << axis]))
}

fn triangles() -> impl Iterator<Item = [usize; 3]> {
    (0..3).flat_map(|axis| {
        let (u, w) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
        [0, 1 << axis].into_iter().flat_map(move |i| [[i, i | u, i | w], [i | u, i | w, i | u | w]])
    })
}

impl Stencil {
    pub(super) fn vertices(&self) -> &[Vertex; 4] {
        match self {
            Self::VertexFace(v) | Self::EdgeEdge(v) => v,
        }
    }

    pub(super) fn proximity(&self, x: &[Vector3<f64>; 4]) -> Proximity {
        let coefficients = match self {
            Self::VertexFace(_) => {
                let b = closest_on_triangle(&x[0], &x[1], &x[2], &x[3]);
                [1.0, -b[0], -b[1], -b[2]]
            }
            Self::EdgeEdge(_) => {
                let (s, t) = closest_on_segments(&x[0], &x[1], &x[2], &x[3]);
                [1.0 - s, s, t - 1.0, -t]
            }
        };
        let r = (0..4).map(|i| coefficients[i] * x[i]).sum::<Vector3<f64>>();
        let gap = r.norm();
        Proximity { gap, coefficients, direction: if gap > 0.0 { r / gap } else { Vector3::zeros() } }
    }

    /// One, or on nearly parallel edges a mollifier that goes to zero with the angle.
    ///
    /// ```text
    /// m(c) = (2 − c/ε) c/ε for c < ε, else 1;    c = ‖e_a × e_b‖²,  ε = 1e-3 L_a² L_b²
    /// ```
    pub(super) fn weight(&self, x: &[Vector3<f64>; 4], lengths: [f64; 2]) -> Weight {
        let mut w = Weight { value: 1.0, gradient: [Vector3::zeros(); 4] };
        if let Self::EdgeEdge(_) = self {
            let (a, b) = (x[1] - x[0], x[3] - x[2]);
            let u = a.cross(&b);
            let eps = 1e-3 * (lengths[0] * lengths[1]).powi(2);
            let c = u.norm_squared() / eps;
            if c < 1.0 {
                w.value = (2.0 - c) * c;
                let slope = 2.0 * (1.0 - c) / eps;
                let (on_a, on_b) = (2.0 * slope * b.cross(&u), 2.0 * slope * u.cross(&a));
                w.gradient = [-on_a, on_a, -on_b, on_b];
            }
        }
        w
    }
}

/// Barycentric coordinates of the point of a triangle that is closest to `p`.
fn closest_on_triangle(p: &Vector3<f64>, a: &Vector3<f64>, b: &Vector3<f64>, c: &Vector3<f64>) -> [f64; 3] {
    let (ab, ac) = (b - a, c - a);
    let (d1, d2) = (ab.dot(&(p - a)), ac.dot(&(p - a)));
    let (d3, d4) = (ab.dot(&(p - b)), ac.dot(&(p - b)));
    let (d5, d6) = (ab.dot(&(p - c)), ac.dot(&(p - c)));
    let (va, vb, vc) = (d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2);
    if d1 <= 0.0 && d2 <= 0.0 {
        [1.0, 0.0, 0.0]
    } else if d3 >= 0.0 && d4 <= d3 {
        [0.0, 1.0, 0.0]
    } else if d6 >= 0.0 && d5 <= d6 {
        [0.0, 0.0, 1.0]
    } else if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let t = d1 / (d1 - d3);
        [1.0 - t, t, 0.0]
    } else if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let t = d2 / (d2 - d6);
        [1.0 - t, 0.0, t]
    } else if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        let t = (d4 - d3) / (d4 - d3 + d5 - d6);
        [0.0, 1.0 - t, t]
    } else {
        let sum = va + vb + vc;
        [va / sum, vb / sum, vc / sum]
    }
}

/// Parameters of the closest points of the segments a–b and c–d.
fn closest_on_segments(a: &Vector3<f64>, b: &Vector3<f64>, c: &Vector3<f64>, d: &Vector3<f64>) -> (f64, f64) {
    let (u, w, r) = (b - a, d - c, a - c);
    let (uu, ww, uw) = (u.norm_squared(), w.norm_squared(), u.dot(&w));
    let (ur, wr) = (u.dot(&r), w.dot(&r));
    let det = uu * ww - uw * uw;
    let s = if det > 1e-12 * uu * ww { ((uw * wr - ww * ur) / det).clamp(0.0, 1.0) } else { 0.0 };
    let t = (uw * s + wr) / ww;
    if t < 0.0 {
        ((-ur / uu).clamp(0.0, 1.0), 0.0)
    } else if t > 1.0 {
        (((uw - ur) / uu).clamp(0.0, 1.0), 1.0)
    } else {
        (s, t)
    }
}
