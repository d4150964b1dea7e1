use signorini_core::na::{Matrix3, Vector3};

/// Two triangles at a common edge, which resist being bent.
///
/// ```text
/// E = ½ k |r|²,   r = N₁ − Q N₂,   k = D |e|²/(A₁ + A₂)
/// e = x₁ − x₀, p = x₂ − x₀, q = x₃ − x₀;   N₁ = e × p/(2 A₁), N₂ = q × e/(2 A₂), Q = cos θ₀ + sin θ₀ [e/|e|]ₓ
/// ```
/// Lengths and areas in denominators and in k are those at rest. Where the triangles keep them, N₁ and N₂ are the unit normals, θ the angle from N₂ to N₁ about the edge, and E = k (1 − cos(θ − θ₀)): discrete shells with a potential that is a polynomial of the places, smooth where triangles shrink to lines.
#[derive(Clone, Debug)]
pub(super) struct Hinge {
    /// Particles at the ends of the edge, and at the third corner of each triangle.
    corners: [u32; 4],
    /// k \[J\].
    stiffness: f64,
    /// 2 A₁ and 2 A₂ \[m²\].
    areas: [f64; 2],
    /// cos θ₀, and sin θ₀/|e| \[1/m\].
    rest: [f64; 2],
}

/// r, and its derivatives by the places of the corners \[1/m\].
struct Bent {
    r: Vector3<f64>,
    by: [Matrix3<f64>; 4],
}

impl Hinge {
    /// Of an edge between two corners, at rest as it is.
    fn new(x: &[Vector3<f64>], edge: [u32; 2], thirds: [u32; 2], rigidity: f64) -> Self {
        let corners = [edge[0], edge[1], thirds[0], thirds[1]];
        let [e, p, q] = arms(x, corners);
        let normals = [e.cross(&p), q.cross(&e)];
        let areas = normals.map(|n| n.norm());
        let [first, second] = [normals[0] / areas[0], normals[1] / areas[1]];
        let stiffness = 2.0 * rigidity * e.norm_squared() / (areas[0] + areas[1]);
        let rest = [first.dot(&second), e.dot(&second.cross(&first)) / e.norm_squared()];
        Self { corners, stiffness, areas, rest }
    }

    /// The hinges of triangles at rest at `x` \[m\], of bending rigidity \[N·m\]: one for each pair of triangles at an edge.
    pub(super) fn all(
        x: &[Vector3<f64>],
        triangles: impl Iterator<Item = [u32; 3]>,
        rigidity: f64,
    ) -> Vec<Self> {
        let edges = |t: [u32; 3]| {
            [0, 1, 2].map(|i| {
                let [a, b, third] = [t[i], t[(i + 1) % 3], t[(i + 2) % 3]];
                ([a.min(b), a.max(b)], third)
            })
        };
        let mut sides: Vec<([u32; 2], u32)> = triangles.flat_map(edges).collect();
        sides.sort_unstable();
        let mut out = Vec::new();
        for at_edge in sides.chunk_by(|a, b| a.0 == b.0) {
            for (i, (edge, first)) in at_edge.iter().enumerate() {
                let others = &at_edge[i + 1..];
                out.extend(others.iter().map(|(_, other)| Self::new(x, *edge, [*first, *other], rigidity)));
            }
        }
        out
    }

    fn bent(&self, x: &[Vector3<f64>]) -> Bent {
        let [e, p, q] = arms(x, self.corners);
        let [[a, b], [cos, sin]] = [self.areas, self.rest];
        let normals = [e.cross(&p) / a, q.cross(&e) / b];
        let edge = e.cross_matrix();
        let turn = Matrix3::from_diagonal_element(cos) + sin * edge;
        let first = -p.cross_matrix() / a - turn * q.cross_matrix() / b + sin * normals[1].cross_matrix();
        let [second, third] = [edge / a, turn * edge / b];
        Bent { r: normals[0] - turn * normals[1], by: [-(first + second + third), first, second, third] }
    }

    /// E \[J\] at positions \[m\].
    pub(super) fn energy(&self, x: &[Vector3<f64>]) -> f64 {
        0.5 * self.stiffness * self.bent(x).r.norm_squared()
    }

    /// Adds −∂E/∂x \[N\] at positions \[m\].
    pub(super) fn add_forces(&self, x: &[Vector3<f64>], force: &mut [Vector3<f64>]) {
        let Bent { r, by } = self.bent(x);
        for (corner, by) in self.corners.iter().zip(&by) {
            force[*corner as usize] -= self.stiffness * by.tr_mul(&r);
        }
    }

    /// Bound of the fastest vibration \[rad/s\] of hinges at `x` \[m\], at rest, on particles of these masses \[kg\].
    ///
    /// ```text
    /// ω² ≤ max_i Σ_hinges k |B_i| Σ_j |B_j|/m_i,   B_i = ∂r/∂x_i        Gershgorin, of M⁻¹ Σ k Bᵀ B
    /// ```
    pub(super) fn frequency(hinges: &[Self], x: &[Vector3<f64>], mass: &[f64]) -> f64 {
        let mut sums = vec![0.0; mass.len()];
        for hinge in hinges {
            let sizes = hinge.bent(x).by.map(|by| by.singular_values().max());
            let all: f64 = sizes.iter().sum();
            for (corner, size) in hinge.corners.iter().zip(sizes) {
                sums[*corner as usize] += hinge.stiffness * size * all;
            }
        }
        sums.iter().zip(mass).map(|(sum, m)| sum / m).fold(0.0, f64::max).sqrt()
    }
}

/// e, p, q.
fn arms(x: &[Vector3<f64>], corners: [u32; 4]) -> [Vector3<f64>; 3] {
    let [origin, end, first, second] = corners.map(|c| x[c as usize]);
    [end - origin, first - origin, second - origin]
}
