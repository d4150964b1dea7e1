use nalgebra::{Matrix3, Point3, Vector3};
use serde::{Deserialize, Serialize};

use crate::error::{ProblemError, largest};
use crate::{BlockSink, ContactMap, Evals, Inertia, Part, Pools, SweptProblem};

/// Does c(v) move when v moves?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Regime {
    /// The map is affine for the whole solve.
    Frozen,
    /// Distances are queried anew at q(v): `relinearize` and `max_step` do work.
    Requeried,
}

/// Effect of a `relinearize`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changed {
    /// Nothing but contact velocities.
    Values,
    /// The linear part of the map.
    Map,
    /// The set of constraints or the sparsity of the Hessian.
    Pattern,
}

/// ‖D g‖ with D = diag(A)^(-1/2): the norm of gradients in convergence tests.
pub fn scaled_norm(p: &dyn StepProblem, g: &[f64]) -> f64 {
    g.iter().zip(p.inertia().scaling()).map(|(g, d)| (g * d).powi(2)).sum::<f64>().sqrt()
}

/// A smooth potential Ψ(v) of the whole velocity: elasticity, orthogonality.
pub trait SmoothPotential {
    /// Ψ(v) \[J\]; +∞ outside its domain.
    fn value(&self, v: &[f64]) -> f64;
    /// g += ∇Ψ(v).
    fn add_gradient(&self, v: &[f64], g: &mut [f64]);
    /// sizes += magnitudes of the terms that make up each entry of ∇Ψ(v), of which its round-off is a part, where they are much larger than their sum.
    fn add_sizes(&self, v: &[f64], sizes: &mut [f64]) {
        let _ = (v, sizes);
    }
    /// H += ∇²Ψ(v), projected to positive semidefinite.
    fn add_hessian(&self, v: &[f64], h: &mut dyn BlockSink);
}

/// Geometry of a contact, for output.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContactGeometry {
    /// Number of the constraint in the problem; its first rows are n, t₁, t₂, as many as its law has (a barrier has n alone, and its friction is an entry of its own, whose frame begins with t₁, t₂).
    pub constraint: u32,
    /// Bodies A and B; the normal points from A into B.
    pub bodies: [u32; 2],
    /// Geoms of A and B.
    pub geoms: [u32; 2],
    /// Contact point, world \[m\].
    pub p_wc: Point3<f64>,
    /// Arms from the contact point to the points of A and B at which the impulse acts, world \[m\]: bodies that do not touch yet are pushed at points of
    /// their own; zero where they touch.
    #[serde(default)]
    pub arms: [Vector3<f64>; 2],
    /// Contact frame, columns n, t₁, t₂ in world axes.
    pub r_wc: Matrix3<f64>,
    /// Gap φ₀ \[m\].
    pub gap: f64,
    /// Feature of the pair of shapes, equal while the same features touch.
    pub feature: u64,
}

impl ContactGeometry {
    /// A contact frame about the unit normal `n`, without preferred tangents but deterministic.
    pub fn frame(n: &Vector3<f64>) -> Matrix3<f64> {
        // n × the axis that is farthest from n.
        let (x, y, z) = (n.x.abs(), n.y.abs(), n.z.abs());
        let t1 = if x <= y && x <= z {
            Vector3::new(0.0, n.z, -n.y)
        } else if y <= z {
            Vector3::new(-n.z, 0.0, n.x)
        } else {
            Vector3::new(n.y, -n.x, 0.0)
        };
        let t1 = t1 * t1.norm_squared().sqrt().recip();
        Matrix3::from_columns(&[*n, t1, n.cross(&t1)])
    }
}

/// One step, ready to be solved:  min_v ½‖v − v*‖²_A + Ψ(v) + Σ w_k ℓ_k(c_k(v)).
pub trait StepProblem {
    /// δt \[s\].
    fn dt(&self) -> f64;
    /// A.
    fn inertia(&self) -> &dyn Inertia;
    /// v*, the velocity without contact: nv.
    fn free_velocity(&self) -> &[f64];
    /// Ψ, when there is one.
    fn smooth(&self) -> Option<&dyn SmoothPotential> {
        None
    }
    /// Whether c(v) is affine.
    fn regime(&self) -> Regime;
    /// Moves the linearisation to v; afterwards `map` and `contact_velocities` belong to v.
    ///
    /// # Errors
    /// When v is not finite or geometry fails there.
    fn relinearize(&mut self, v: &[f64]) -> Result<Changed, ProblemError>;
    /// The objective at a trial point, without derivatives; +∞ outside the domain. The linearisation stays where it is.
    ///
    /// # Errors
    /// When v is not finite or geometry fails there.
    fn value(&mut self, v: &[f64]) -> Result<f64, ProblemError>;
    /// c(v) at the last `relinearize`, all rows.
    fn contact_velocities(&self) -> &[f64];
    /// The laws.
    fn pools(&self) -> &Pools;
    /// The map.
    fn map(&self) -> &dyn ContactMap;
    /// Geometries of the contacts (constraints that are not contacts have no entry).
    fn contacts(&self) -> &[ContactGeometry];
    /// The largest fraction α ≤ 1 of `dv` that may be taken from v without leaving the domain; leaves a fraction of each gap.
    fn max_step(&mut self, v: &[f64], dv: &[f64]) -> f64 {
        let _ = (v, dv);
        1.0
    }
    /// The two bodies of the pair that bounded the last `max_step` below 1, if one did.
    fn blocking(&self) -> Option<[u32; 2]> {
        None
    }
    /// Blocks that move as they are told from outside, ascending. Their inertia has no meaning but to be large, so their momentum is no scale of a residual.
    fn driven_blocks(&self) -> &[u32] {
        &[]
    }
    /// Largest speed of a material point under a change `dv` of the unknowns \[m/s\]; the largest entry where the problem does not know its points.
    fn largest_speed(&self, dv: &[f64]) -> f64 {
        largest(dv.iter().map(|v| v.abs()))
    }
    /// The problem as one whose laws explicit methods may sweep over; None where c(v) is not affine.
    fn swept(&mut self) -> Option<&mut dyn SweptProblem> {
        None
    }
    /// Offers the impulses of a solve as new lagged values; true when the problem changed and wants another solve.
    ///
    /// # Errors
    /// When the changed problem cannot be built.
    fn relag(&mut self, gamma: &[f64]) -> Result<bool, ProblemError> {
        let _ = gamma;
        Ok(false)
    }

    /// Number of unknowns.
    fn velocity_count(&self) -> usize {
        self.free_velocity().len()
    }
}

/// Identity lists that describe a whole problem as one [`Part`].
#[derive(Clone, Debug, Default)]
pub struct WholePart {
    blocks: Vec<u32>,
    constraints: Vec<u32>,
}

impl WholePart {
    /// Sizes the lists for a problem; no allocation when it did not grow.
    pub fn fit(&mut self, p: &dyn StepProblem) {
        let nb = p.inertia().block_starts().len().saturating_sub(1) as u32;
        let nc = p.pools().constraint_count() as u32;
        self.blocks.clear();
        self.blocks.extend(0..nb);
        self.constraints.clear();
        self.constraints.extend(0..nc);
    }

    /// The part.
    pub fn part(&self) -> Part<'_> {
        Part { blocks: &self.blocks, constraints: &self.constraints }
    }
}

/// Objective of a problem at its current linearisation point `v`, with `evals` filled there.
///
/// ```text
/// ½ (v − v*)ᵀ A (v − v*) + Ψ(v) + Σ w_k ℓ_k
/// ```
pub fn objective(p: &dyn StepProblem, part: Part<'_>, v: &[f64], evals: &Evals) -> f64 {
    let vs = p.free_velocity();
    let dv: Vec<f64> = v.iter().zip(vs).map(|(a, b)| a - b).collect();
    let mut adv = vec![0.0; v.len()];
    p.inertia().apply(part, &dv, &mut adv);
    let kinetic = 0.5 * dv.iter().zip(&adv).map(|(a, b)| a * b).sum::<f64>();
    kinetic + p.smooth().map_or(0.0, |s| s.value(v)) + p.map().cost(part, evals)
}

/// Gradient of a problem at its current linearisation point `v`, with `evals` filled there: g = A(v − v*) + ∇Ψ − Jᵀγ.
pub fn gradient(p: &dyn StepProblem, part: Part<'_>, v: &[f64], evals: &Evals, g: &mut [f64]) {
    let vs = p.free_velocity();
    let dv: Vec<f64> = v.iter().zip(vs).map(|(a, b)| a - b).collect();
    p.inertia().apply(part, &dv, g);
    if let Some(s) = p.smooth() {
        s.add_gradient(v, g);
    }
    p.map().add_gradient(part, p.pools(), evals, g);
}
