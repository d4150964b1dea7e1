use std::collections::HashMap;

use signorini_core::na::{Matrix3, Vector3};

use crate::particles::Particles;
use crate::spline::Weights;

/// The nodes that particles reach, with the quantities gathered from particles. Nodes are numbered in the order in which particles meet them.
#[derive(Clone, Debug, Default)]
pub struct Grid {
    spacing: f64,
    numbers: HashMap<[i32; 3], u32>,
    /// The nodes of particles by the lowest of them.
    cells: HashMap<[i32; 3], [u32; 27]>,
    /// The nodes of each particle, in the order of [`Weights::nodes`].
    reached: Vec<[u32; 27]>,
    /// Place of each node, by numbers along the axes.
    pub places: Vec<[i32; 3]>,
    /// \[kg\].
    pub mass: Vec<f64>,
    /// Momentum at the start \[N·s\].
    pub momentum: Vec<Vector3<f64>>,
    /// Force of the material \[N\].
    pub force: Vec<Vector3<f64>>,
}

impl Grid {
    /// An empty grid of a spacing \[m\].
    pub fn new(spacing: f64) -> Self {
        Self { spacing, ..Self::default() }
    }

    /// h \[m\].
    pub fn spacing(&self) -> f64 {
        self.spacing
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether no particle was gathered.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Number of the node at a place, if a particle reaches it.
    pub fn number(&self, place: [i32; 3]) -> Option<usize> {
        self.numbers.get(&place).map(|n| *n as usize)
    }

    /// Position of a node \[m\].
    pub fn position(&self, node: usize) -> Vector3<f64> {
        Vector3::from(self.places[node].map(|k| self.spacing * f64::from(k)))
    }

    fn reach(&mut self, place: [i32; 3]) -> usize {
        let next = self.places.len() as u32;
        let number = *self.numbers.entry(place).or_insert(next);
        if number == next {
            self.places.push(place);
            self.mass.push(0.0);
            self.momentum.push(Vector3::zeros());
            self.force.push(Vector3::zeros());
        }
        number as usize
    }

    /// Gathers mass, momentum and force from particles with stresses τ \[Pa\] and forces f \[N\].
    ///
    /// ```text
    /// m_i = Σ w m,   p_i = Σ w m (v + C (x_i − x)),   f_i = Σ w (f − V (4/h²) τ (x_i − x))
    /// ```
    pub fn gather(&mut self, particles: &Particles, stress: &[Matrix3<f64>], force: &[Vector3<f64>]) {
        self.numbers.clear();
        self.cells.clear();
        for list in [&mut self.momentum, &mut self.force] {
            list.clear();
        }
        self.mass.clear();
        self.places.clear();
        self.reached.clear();
        let stiff = 4.0 / (self.spacing * self.spacing);
        for p in 0..particles.len() {
            let (m, pull) = (particles.mass[p], -particles.volume[p] * stiff * stress[p]);
            let weights = Weights::at(&particles.x[p], self.spacing);
            let reached = match self.cells.get(&weights.base) {
                Some(reached) => *reached,
                None => {
                    let mut reached = [0; 27];
                    for (number, (place, ..)) in reached.iter_mut().zip(weights.nodes()) {
                        *number = self.reach(place) as u32;
                    }
                    self.cells.insert(weights.base, reached);
                    reached
                }
            };
            for (node, (_, w, r)) in reached.iter().zip(weights.nodes()) {
                let node = *node as usize;
                self.mass[node] += w * m;
                self.momentum[node] += w * m * (particles.v[p] + times(&particles.c[p], &r));
                self.force[node] += w * (force[p] + times(&pull, &r));
            }
            self.reached.push(reached);
        }
    }

    /// Velocity of a node at the start \[m/s\]; none where it has no mass, at the very edge of a particle's reach.
    pub fn start_velocity(&self, node: usize) -> Vector3<f64> {
        if self.mass[node] > 0.0 { self.momentum[node] / self.mass[node] } else { Vector3::zeros() }
    }

    /// The nodes of a particle that was gathered at `x`, each with its weight and x_i − x \[m\].
    pub fn nodes(
        &self,
        particle: usize,
        x: &Vector3<f64>,
    ) -> impl Iterator<Item = (usize, f64, Vector3<f64>)> + '_ {
        let weights = Weights::at(x, self.spacing);
        (0..27).map(move |n| {
            let (_, w, r) = weights.node(n);
            (self.reached[particle][n] as usize, w, r)
        })
    }

    /// Velocity and affine velocity of a field on the nodes \[m/s\] at a particle that was gathered at `x`.
    ///
    /// ```text
    /// v = Σ w v_i,   C = (4/h²) Σ w v_i (x_i − x)ᵀ
    /// ```
    pub fn sample(
        &self,
        particle: usize,
        x: &Vector3<f64>,
        field: &[Vector3<f64>],
    ) -> (Vector3<f64>, Matrix3<f64>) {
        let (mut v, mut c) = (Vector3::zeros(), Matrix3::zeros());
        for (node, w, r) in self.nodes(particle, x) {
            let part = w * field[node];
            v += part;
            for a in 0..3 {
                for b in 0..3 {
                    c[(a, b)] += part[a] * r[b];
                }
            }
        }
        (v, 4.0 / (self.spacing * self.spacing) * c)
    }
}

/// M r: in place, where a product of the library is a call for each column.
#[inline]
fn times(m: &Matrix3<f64>, r: &Vector3<f64>) -> Vector3<f64> {
    Vector3::new(
        m.m11 * r.x + m.m12 * r.y + m.m13 * r.z,
        m.m21 * r.x + m.m22 * r.y + m.m23 * r.z,
        m.m31 * r.x + m.m32 * r.y + m.m33 * r.z,
    )
}
