//! Cloth: triangles whose vertices and centres are particles.

mod edge;
mod hinge;
mod material;
mod mesh;

pub use material::ClothMaterial;
pub use mesh::{sheet, shirt};

use std::ops::Range;

use signorini_core::largest;
use signorini_core::na::{Matrix2, Matrix3, Matrix3x2, Point3, Vector3};

use crate::error::MpmError;
use crate::particles::Particles;

pub(crate) use edge::Edge;
use hinge::Hinge;

/// Number of parts of each triangle's mass and volume: one for its centre, one for each vertex.
const PARTS: f64 = 4.0;

/// Least area of a triangle beside the square of its longest edge.
const SLIMMEST: f64 = 1e-9;

#[derive(Clone, Debug)]
struct Triangle {
    /// Particles at the vertices.
    corners: [u32; 3],
    /// D_m⁻¹ of the edges at rest D_m, in a frame of the triangle \[1/m\].
    inverse: Matrix2<f64>,
    /// Volume at rest \[m³\].
    volume: f64,
    /// Triangles beyond the edges from each corner to the next; itself at a rim.
    beside: [u32; 3],
}

/// Cloth of one material: a particle at each vertex of a triangle mesh and one at the centre of each triangle.
///
/// ```text
/// F = [D_s D_m⁻¹ | d₃],   D_s = [x₁ − x₀, x₂ − x₀]
/// H = V P₁₂ D_m⁻ᵀ,   f₁ = −H₁, f₂ = −H₂, f₀ = H₁ + H₂        forces on the vertices
/// τ = P₃ d₃ᵀ                                               stress at the centre, which the grid takes as of any particle
/// ```
/// The first two columns of F follow the vertices, the third, the fibre d₃ across the sheet, follows the velocity gradient of the grid at the centre: a particle that comes between two layers or presses on one shortens fibres, and is pushed back. Particles at vertices have no stress of
/// their own, and masses that add up to those of the triangles. A material with a bending rigidity has hinges between the triangles that meet at an edge; the mesh at rest has none of their forces, flat or not. Layers do not pass through each other while edges, stretched as they are, stay below the spacing of the grid.
///
/// Methods take slices over all particles, in their numbers.
/// Source: yu2025mpm, its codimensional cloth, after Jiang, Gast and Teran (2017). Deviates: thickness is a number of its own, the plane has constants of plane stress, centres keep the velocity that the grid gives them ([`Cloth::follow`]), and cloth may resist bending ([`ClothMaterial::with_bending`]).
#[derive(Clone, Debug)]
pub struct Cloth {
    material: ClothMaterial,
    vertices: Range<usize>,
    triangles: Vec<Triangle>,
    edges: Vec<Edge>,
    /// None without a bending rigidity.
    hinges: Vec<Hinge>,
    /// Bound of their fastest vibration \[rad/s\].
    frequency: f64,
}

impl Cloth {
    /// Cloth of a triangle mesh at rest, added to particles: first those of the vertices, in their order, then those of the triangles' centres. Set velocities there, before the system is made.
    ///
    /// # Errors
    /// [`MpmError::Cloth`] for a mesh without triangles, a triangle without area or with a vertex that does not exist, a vertex without triangle, coordinates that are not finite.
    pub fn new(
        particles: &mut Particles,
        vertices: &[Point3<f64>],
        triangles: &[[u32; 3]],
        material: ClothMaterial,
    ) -> Result<Self, MpmError> {
        let first = particles.len();
        let refuse = |what: String, remedy| Err(MpmError::Cloth { what, remedy });
        if triangles.is_empty() {
            return refuse("a mesh without triangles".into(), "give one with some");
        }
        if u32::try_from(first + vertices.len() + triangles.len()).is_err() {
            return refuse(
                format!("{} vertices and {} triangles", vertices.len(), triangles.len()),
                "take fewer than 2³² particles in all",
            );
        }
        if let Some(i) = vertices.iter().position(|x| !x.iter().all(|c| c.is_finite())) {
            return refuse(format!("vertex {i} is not finite"), "give finite numbers");
        }
        let mut share = vec![0.0; vertices.len()];
        let mut made = Vec::with_capacity(triangles.len());
        for (t, corners) in triangles.iter().enumerate() {
            if let Some(v) = corners.iter().find(|v| **v as usize >= vertices.len()) {
                let what = format!("triangle {t} names vertex {v} of {}", vertices.len());
                return refuse(what, "name vertices from 0 on");
            }
            let [a, b, c] = corners.map(|v| vertices[v as usize].coords);
            let (edges, area) = ([b - a, c - a, c - b], 0.5 * (b - a).cross(&(c - a)).norm());
            let longest = largest(edges.iter().map(|e| e.norm_squared()));
            let [along, across, _] = edges;
            let unit = along.try_normalize(0.0).unwrap_or_default();
            let skew = unit.dot(&across);
            let rest = Matrix2::new(along.norm(), skew, 0.0, (across - skew * unit).norm());
            let inverse = rest.try_inverse().filter(|_| area > SLIMMEST * longest);
            let Some(inverse) = inverse else {
                return refuse(format!("triangle {t} has no area"), "leave it out, or move its vertices");
            };
            let volume = area * material.thickness();
            corners.iter().for_each(|v| share[*v as usize] += volume / PARTS);
            made.push(Triangle {
                corners: corners.map(|v| first as u32 + v),
                inverse,
                volume,
                beside: [0; 3],
            });
        }
        if let Some(v) = share.iter().position(|v| *v == 0.0) {
            return refuse(format!("no triangle has vertex {v}"), "leave it out");
        }
        for (x, volume) in vertices.iter().zip(&share) {
            particles.push(x.coords, material.density() * volume, *volume, Particles::BARE);
        }
        let (mut hinges, mut frequency) = (Vec::new(), 0.0);
        if material.bending() > 0.0 {
            hinges = Hinge::all(&particles.x, made.iter().map(|t| t.corners), material.bending());
            frequency = Hinge::frequency(&hinges, &particles.x, &particles.mass);
        }
        let (edges, beside) = Edge::all(&made.iter().map(|t| t.corners).collect::<Vec<_>>());
        made.iter_mut().zip(beside).for_each(|(t, beside)| t.beside = beside);
        let vertices = first..first + vertices.len();
        let out = Self { material, vertices, triangles: made, edges, hinges, frequency };
        for t in &out.triangles {
            let [a, b, c] = t.corners.map(|v| particles.x[v as usize]);
            let volume = t.volume / PARTS;
            particles.push((a + b + c) / 3.0, material.density() * volume, volume, Particles::BARE);
            let normal = (b - a).cross(&(c - a)).normalize();
            let f = t.gradient(&particles.x, &normal);
            if let Some(last) = particles.f.last_mut() {
                *last = f;
            }
        }
        Ok(out)
    }

    /// Material of the cloth.
    pub fn material(&self) -> &ClothMaterial {
        &self.material
    }

    /// Particles at vertices.
    pub fn vertices(&self) -> Range<usize> {
        self.vertices.clone()
    }

    /// Particles at centres, one for each triangle.
    pub fn centres(&self) -> Range<usize> {
        self.vertices.end..self.vertices.end + self.triangles.len()
    }

    /// All its particles.
    pub fn particles(&self) -> Range<usize> {
        self.vertices.start..self.centres().end
    }

    /// √(modulus/ρ) of the fastest wave \[m/s\].
    pub fn wave_speed(&self) -> f64 {
        (self.material.wave_modulus() / self.material.density()).sqrt()
    }

    /// Bound of the fastest vibration of bending at rest \[rad/s\]; 0 without it.
    ///
    /// The grid moves vertices with means of its nodes, Σ w v_i, and (Σ w v_i)² ≤ Σ w v_i²: no motion of the nodes is faster than the fastest of vertices that have their masses alone.
    pub fn bending_frequency(&self) -> f64 {
        self.frequency
    }

    /// Particles at the corners of each triangle.
    pub fn triangles(&self) -> impl ExactSizeIterator<Item = [u32; 3]> + '_ {
        self.triangles.iter().map(|t| t.corners)
    }

    /// Particles at the corners of the triangle of a centre; none for other particles.
    pub fn corners(&self, centre: usize) -> Option<[u32; 3]> {
        centre.checked_sub(self.vertices.end).and_then(|t| self.triangles.get(t)).map(|t| t.corners)
    }

    /// The edges of its triangles.
    pub(crate) fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Particles at the corners of a triangle, by number.
    pub(crate) fn corners_of(&self, triangle: u32) -> [u32; 3] {
        self.triangles[triangle as usize].corners
    }

    /// Triangle beyond the edge of a triangle from a corner, 0 to 2, to the next; itself at a rim.
    pub(crate) fn beyond(&self, triangle: u32, corner: usize) -> u32 {
        self.triangles[triangle as usize].beside[corner]
    }

    /// Centres and their triangles.
    fn numbered(&self) -> impl Iterator<Item = (usize, &Triangle)> {
        self.centres().zip(&self.triangles)
    }

    /// Adds forces \[N\] to those of vertices, and sets the stresses \[Pa\] of centres, at positions `x` \[m\]; of the gradients `f` only the fibres of centres are read.
    ///
    /// Stresses are for the volumes of the centres, a quarter of their triangles': four times P₃ d₃ᵀ. They are not symmetric; the moment of the forces is the difference.
    pub fn forces(
        &self,
        x: &[Vector3<f64>],
        f: &[Matrix3<f64>],
        stress: &mut [Matrix3<f64>],
        force: &mut [Vector3<f64>],
    ) {
        for (centre, t) in self.numbered() {
            let gradient = t.gradient(x, &fibre(&f[centre]));
            let p = self.material.stress(&gradient);
            let h = t.volume * p.fixed_columns::<2>(0) * t.inverse.transpose();
            let [a, b, c] = t.corners.map(|v| v as usize);
            force[a] += h.column(0) + h.column(1);
            force[b] -= h.column(0);
            force[c] -= h.column(1);
            stress[centre] = PARTS * p.column(2) * gradient.column(2).transpose();
        }
        self.hinges.iter().for_each(|hinge| hinge.add_forces(x, force));
    }

    /// After a transfer of `dt` \[s\] with the affine velocities `c` \[1/s\]: gradients of centres follow vertices and grid, within the bounds of the fibres, and centres go to the middle of their vertices.
    ///
    /// ```text
    /// d₃ ← (1 + δt C) d₃,   x_c ← (x₀ + x₁ + x₂)/3
    /// ```
    /// Velocities stay those of the grid: that of a centre set to the mean of its vertices would lose momentum.
    pub fn follow(&self, dt: f64, c: &[Matrix3<f64>], x: &mut [Vector3<f64>], f: &mut [Matrix3<f64>]) {
        for (centre, t) in self.numbered() {
            let old = fibre(&f[centre]);
            let mut gradient = t.gradient(x, &(old + dt * c[centre] * old));
            self.material.flow(&mut gradient);
            f[centre] = gradient;
            let [p, q, r] = t.corners.map(|v| x[v as usize]);
            x[centre] = (p + q + r) / 3.0;
        }
    }

    /// Elastic energy \[J\] at positions and gradients, that of bending included.
    pub fn energy(&self, x: &[Vector3<f64>], f: &[Matrix3<f64>]) -> f64 {
        let of = |(centre, t): (usize, &Triangle)| {
            t.volume * self.material.energy(&t.gradient(x, &fibre(&f[centre])))
        };
        let bent: f64 = self.hinges.iter().map(|hinge| hinge.energy(x)).sum();
        self.numbered().map(of).sum::<f64>() + bent
    }
}

/// Thickness of the cloth that a particle is of \[m\].
pub(crate) fn thickness_at(cloth: &[Cloth], particle: usize) -> Option<f64> {
    cloth.iter().find(|c| c.particles().contains(&particle)).map(|c| c.material().thickness())
}

/// Area that a particle stands for \[m²\].
pub(crate) fn area(volume: f64, thickness: Option<f64>) -> f64 {
    thickness.map_or_else(|| volume.cbrt().powi(2), |t| volume / t)
}

fn fibre(f: &Matrix3<f64>) -> Vector3<f64> {
    f.column(2).into_owned()
}

impl Triangle {
    /// F from vertices and the fibre.
    fn gradient(&self, x: &[Vector3<f64>], fibre: &Vector3<f64>) -> Matrix3<f64> {
        let [a, b, c] = self.corners.map(|v| x[v as usize]);
        let plane = Matrix3x2::from_columns(&[b - a, c - a]) * self.inverse;
        Matrix3::from_columns(&[plane.column(0).into_owned(), plane.column(1).into_owned(), *fibre])
    }
}
