use std::fmt;

use signorini_core::na::{DMatrix, DVector, Point3, Vector3};
use signorini_core::{FrozenProblem, StepProblem};
use signorini_mpm::{Obstacle, Touch};
use signorini_multibody::{Kinematics, Model};

use crate::places::Places;

/// How long a step of a body may be beside the material points that touch it, before the splitting oscillates.
///
/// ```text
/// δt < 2/√(λ (1 + 2 δ/δt))   while n k δ² is below the mass of the surface that touches,   surface mass < 2 m beyond
/// λ largest of K x = λ (M + ½ δt D + ¼ δt² K_q) x,   K = Σ k J_cᵀ n nᵀ J_c,   m = n k/λ
/// ```
/// with n contacts of stiffness k and substeps δ. M is the inertia of the body's tree in generalised coordinates, armature too, D and K_q are its dampers and springs, and K that of all contacts of points with the tree, each at its place and along its normal n: m is the mass of a free body that is
/// pressed through its middle, and less where contacts turn it, or press on other geoms of its tree too. Bodies that move within the step have 2/√(λ (2 + δ/δt)).
///
/// The second limit is necessary, not enough: light surfaces on stiff contact chatter within it. Friction of points, motors and other laws of the bodies, and their own contacts are left out; what holds a body besides makes it steadier.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limit {
    /// Contacts that touch.
    pub contacts: u32,
    /// n k: sum of their stiffnesses \[N/m\].
    pub stiffness: f64,
    /// Mass of the particles that touch \[kg\].
    pub surface: f64,
    /// m = n k/λ: what the body weighs at its contacts \[kg\]; infinite where they do not move it.
    pub mass: f64,
    /// Bodies move within a step.
    pub moving: bool,
}

impl Limit {
    /// The longest step \[s\] with such substeps \[s\] that contacts as springs allow.
    ///
    /// ```text
    /// δt² + 2 δ δt = 4/λ,   of bodies that move   2 δt² + δ δt = 4/λ
    /// ```
    pub fn step(&self, substep: f64) -> f64 {
        let four = 4.0 * self.mass / self.stiffness;
        match self.stiffness > 0.0 {
            false => f64::INFINITY,
            true if self.moving => 0.25 * ((substep * substep + 8.0 * four).sqrt() - substep),
            true => (substep * substep + four).sqrt() - substep,
        }
    }

    /// Whether a step with such substeps \[s\] is within the limits.
    pub fn holds(&self, step: f64, substep: f64) -> bool {
        let soft = self.stiffness * substep * substep < self.surface;
        if soft { step < self.step(substep) } else { self.surface < 2.0 * self.mass }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.contacts == 0 {
            return write!(f, "no contacts, any step");
        }
        write!(
            f,
            "{} contacts of {:.2e} N/m together on {:.3e} kg: steps below {:.2e} s with substeps below {:.2e} s; with longer ones a surface of {:.3e} kg, below {:.3e} kg",
            self.contacts,
            self.stiffness,
            self.mass,
            self.step(0.0),
            (self.surface / self.stiffness).sqrt(),
            self.surface,
            2.0 * self.mass
        )
    }
}

/// The particles inside one obstacle: places and normals.
#[derive(Clone, Debug, Default)]
struct Inside {
    at: Vec<(Point3<f64>, Vector3<f64>)>,
    /// \[kg\].
    mass: f64,
}

/// Particles inside obstacles, of each obstacle in the substep in which they were most.
#[derive(Debug, Default)]
pub(crate) struct Pressed {
    list: Vec<Inside>,
    counts: Vec<usize>,
}

impl Pressed {
    /// Nothing inside any of so many obstacles.
    pub(crate) fn clear(&mut self, obstacles: usize) {
        self.list.resize(obstacles, Inside::default());
        for inside in &mut self.list {
            inside.at.clear();
            inside.mass = 0.0;
        }
    }

    /// Keeps those of a substep for obstacles that have more than before.
    pub(crate) fn keep(&mut self, touches: &[Touch]) {
        let inside = || touches.iter().filter(|t| t.gap < 0.0);
        self.counts.clear();
        self.counts.resize(self.list.len(), 0);
        inside().for_each(|t| self.counts[t.obstacle] += 1);
        for (count, kept) in self.counts.iter_mut().zip(&mut self.list) {
            if *count > kept.at.len() {
                kept.at.clear();
                kept.mass = 0.0;
            } else {
                *count = 0;
            }
        }
        for t in inside().filter(|t| self.counts[t.obstacle] > 0) {
            let kept = &mut self.list[t.obstacle];
            kept.at.push((Point3::from(t.x), t.frame.column(0).into_owned()));
            kept.mass += t.mass;
        }
    }

    /// Limits of the body of each obstacle.
    pub(crate) fn limits(
        &self,
        rigid: (&Model, &Kinematics, &FrozenProblem),
        (places, obstacles): (&Places, &[Obstacle]),
        moving: bool,
    ) -> Vec<Limit> {
        let tree = |o: usize| rigid.0.bodies[places.body(o)].tree;
        let stiffness = |o: usize| obstacles[o].material.stiffness;
        let mut fastest: Vec<Option<f64>> = vec![None; rigid.0.trees.len()];
        let of = |(o, inside): (usize, &Inside)| {
            let contacts = inside.at.len();
            let stiff = contacts as f64 * stiffness(o);
            let mut mass = f64::INFINITY;
            if let (Some(t), true) = (tree(o), contacts > 0) {
                let eigenvalue = *fastest[t].get_or_insert_with(|| {
                    let own = self.list.iter().enumerate().filter(|(o, _)| tree(*o) == Some(t));
                    let own = own.map(|(o, inside)| (places.body(o), stiffness(o), &inside.at[..]));
                    largest_eigenvalue(rigid, t, own)
                });
                mass = stiff / eigenvalue;
            }
            Limit { contacts: contacts as u32, stiffness: stiff, surface: inside.mass, mass, moving }
        };
        self.list.iter().enumerate().map(of).collect()
    }
}

/// λ \[1/s²\] of a tree on contacts: bodies, stiffnesses, places and normals.
fn largest_eigenvalue<'a>(
    (model, kin, problem): (&Model, &Kinematics, &FrozenProblem),
    tree: usize,
    pressed: impl Iterator<Item = (usize, f64, &'a [(Point3<f64>, Vector3<f64>)])>,
) -> f64 {
    let (dofs, dt) = (model.trees[tree].dofs.clone(), problem.dt());
    let n = dofs.len();
    // The step has A = M + δt D + δt² K_q.
    let mut mass = DMatrix::from_column_slice(n, n, problem.block_inertia().block(tree));
    for (i, dof) in dofs.clone().enumerate() {
        let of = &model.dofs[dof];
        mass[(i, i)] -= dt * (0.5 * of.damping + 0.75 * dt * model.joints[of.joint].stiffness);
    }
    let (mut springs, mut along) = (DMatrix::zeros(n, n), DVector::zeros(n));
    for (body, stiffness, places) in pressed {
        for (x, normal) in places {
            along.fill(0.0);
            kin.for_columns(model, body, x, |dof, linear, _| along[dof - dofs.start] = linear.dot(normal));
            springs.ger(stiffness, &along, &along, 1.0);
        }
    }
    // L⁻¹ K L⁻ᵀ of M = L Lᵀ.
    let Some(factor) = mass.cholesky() else { return f64::INFINITY };
    let half = factor.l_dirty().solve_lower_triangular(&springs);
    match half.and_then(|h| factor.l_dirty().solve_lower_triangular(&h.transpose())) {
        Some(s) => s.symmetric_eigenvalues().max(),
        None => f64::INFINITY,
    }
}
