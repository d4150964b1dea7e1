use signorini_core::na::Point3;
use signorini_core::{BlockDiagonal, GeneralizedImpulses, ProblemError};
use signorini_scene::JointKind;

use crate::actuation::explicit::ExplicitActuators;
use crate::actuation::inputs::Inputs;
use crate::actuation::state_kinematics::StateKinematics;
use crate::{Dynamics, Model, TendonModel, Tree};

/// Mass matrix, momentum and forces of a prepared state: the velocity without contact follows from them for any step size.
///
/// ```text
/// A = M + δt D + δt² K,   A v* = M v₀ + δt (τ − c + f)
/// ```
/// f(q₀, v₀) are the forces of springs and those of dampers but −D v₀, with their slopes −K and −D.
pub(crate) struct FreeMotion {
    /// M without damping.
    pub mass: BlockDiagonal,
    /// Trees whose block of M is the same in all states.
    constant: Vec<bool>,
    /// M v₀.
    momentum: Vec<f64>,
    /// τ − c at x₀, without the implicit forces: damping, springs, actuators.
    pub force: Vec<f64>,
    /// f, nv.
    pub passive: Vec<f64>,
    /// Diagonals of K and D.
    pub slopes: Vec<[f64; 2]>,
    /// Forces of the force field for the present step.
    pub field: Vec<f64>,
    explicit: ExplicitActuators,
}

impl FreeMotion {
    pub(crate) fn new(model: &Model) -> Result<Self, ProblemError> {
        let sizes: Vec<usize> = model.trees.iter().map(|t| t.dofs.len()).collect();
        let mut mass = BlockDiagonal::with_sizes(&sizes);
        for (t, n) in sizes.iter().enumerate() {
            (0..*n).for_each(|i| mass.block_mut(t)[i * n + i] = 1.0);
        }
        mass.factor()?;
        let constant = set_constant_blocks(model, &mut mass)?;
        let nv = model.nv();
        Ok(Self {
            mass,
            constant,
            momentum: vec![0.0; nv],
            force: vec![0.0; nv],
            passive: vec![0.0; nv],
            slopes: model.passive_slopes(),
            field: vec![0.0; nv],
            explicit: ExplicitActuators::new(model),
        })
    }

    /// Trees whose block of A is the same in all states and for all step sizes.
    pub(crate) fn constant_inertia(&self, model: &Model) -> Vec<bool> {
        let free = |t: &Tree| model.dofs[t.dofs.clone()].iter().all(|d| !d.damper.acts() && !d.spring.acts());
        self.constant.iter().zip(&model.trees).map(|(c, t)| *c && free(t)).collect()
    }

    /// Mass matrix, bias and explicit forces; `factor`: M is factored.
    pub(crate) fn set(
        &mut self,
        i: &Inputs<'_>,
        at: &StateKinematics,
        dynamics: &mut Dynamics,
        factor: bool,
    ) -> Result<(), ProblemError> {
        let model = i.model;
        dynamics.composite_inertias(model, &at.kin);
        let mass = &mut self.mass;
        for (t, tree) in model.trees.iter().enumerate() {
            if self.constant[t] {
                continue;
            }
            let (n, first) = (tree.dofs.len(), tree.dofs.start);
            // Entries between branches are zero from the start and stay so.
            let block = mass.block_mut(t);
            for i in tree.dofs.clone() {
                dynamics.mass_row(model, &at.kin, i, |j, m| {
                    let (a, b) = (i - first, j - first);
                    block[b * n + a] = m;
                    block[a * n + b] = m;
                });
            }
            if factor {
                mass.factor_block(t)?;
            }
        }
        mass.multiply(&at.x0.v, &mut self.momentum);
        dynamics.inverse_dynamics(model, &at.kin, &model.gravity, None, &mut self.force);
        i.settings.free_bodies.set_bias(model, &at.kin, &mut self.force);
        for (f, a) in self.force.iter_mut().zip(&i.held.applied) {
            *f = a - *f;
        }
        model.add_passive_gravity_compensation(&at.kin, &mut self.force);
        model.add_medium_forces(&at.kin, &mut self.force);
        model.passive_forces([&at.x0.q, &at.x0.v], &mut self.passive, &mut self.slopes);
        if i.settings.actuation {
            self.explicit.add(i, at, &mut self.force);
        }
        Ok(())
    }

    /// A for a step size, not factored, into each of `out`; true where it is M.
    ///
    /// All copies are made of M: a copy of numbers that were just written one by one waits for them.
    pub(crate) fn set_inertia<const N: usize>(
        &self,
        model: &Model,
        dt: f64,
        mut out: [&mut BlockDiagonal; N],
    ) -> bool {
        let mut plain = true;
        out.iter_mut().for_each(|a| a.copy_blocks(&self.mass));
        for (t, tree) in model.trees.iter().enumerate() {
            let n = tree.dofs.len();
            for (k, dof) in tree.dofs.clone().enumerate() {
                let [stiffness, damping] = self.slopes[dof];
                let extra = dt * (damping + dt * stiffness);
                if extra != 0.0 {
                    plain = false;
                    out.iter_mut().for_each(|a| a.block_mut(t)[k * (n + 1)] += extra);
                }
            }
        }
        plain
    }

    /// A v* for a step size \[N·s\], nv.
    pub(crate) fn set_momentum(&self, dt: f64, out: &mut Vec<f64>) {
        out.clear();
        let at = self.momentum.iter().zip(&self.force).zip(&self.field).zip(&self.passive);
        out.extend(at.map(|(((p, f), e), s)| p + dt * (f + e + s)));
    }

    /// Adds the impulses of all but the laws of a problem to `out`, for a step that ends with `v`.
    ///
    /// ```text
    /// M (v − v₀) = δt (τ + τ_field − c) + δt (f − δt K v − D v)
    /// ```
    /// c is what `force` leaves of the other forces in it.
    pub(crate) fn add_impulses(
        &self,
        i: &Inputs<'_>,
        at: &StateKinematics,
        dt: f64,
        v: &[f64],
        out: &mut GeneralizedImpulses,
    ) {
        let mut lift = vec![0.0; i.model.nv()];
        i.model.add_passive_gravity_compensation(&at.kin, &mut lift);
        for (dof, (lift, actuated)) in lift.iter().zip(self.explicit.force()).enumerate() {
            let [stiffness, damping] = self.slopes[dof];
            let spring = self.passive[dof] - dt * stiffness * v[dof];
            let applied = i.held.applied[dof];
            out.actuators[dof] += dt * actuated;
            out.passive[dof] += dt * (lift + spring - damping * v[dof]);
            out.applied[dof] += dt * (applied + self.field[dof]);
            out.bias[dof] += dt * (self.force[dof] - applied - lift - actuated);
        }
    }
}

/// Fills and factors the blocks of bodies that float freely with the centre of mass at their origin, whose inertia in their velocities is
/// constant; true for their trees.
fn set_constant_blocks(model: &Model, mass: &mut BlockDiagonal) -> Result<Vec<bool>, ProblemError> {
    let mut count = vec![0; model.trees.len()];
    model.bodies.iter().filter_map(|b| b.tree).for_each(|t| count[t] += 1);
    let constant = |t: usize| {
        let body = &model.bodies[model.trees[t].root];
        let joints = model.joints[body.joints.clone()].iter();
        let pulled = |x: &TendonModel| x.armature > 0.0 && x.trees.contains(&t);
        count[t] == 1
            && !model.tendons.iter().any(pulled)
            && body.com == Point3::origin()
            && joints.map(|j| j.kind).eq([JointKind::Free])
    };
    let found: Vec<bool> = (0..model.trees.len()).map(constant).collect();
    for (t, _) in found.iter().enumerate().filter(|(_, constant)| **constant) {
        let (block, body) = (mass.block_mut(t), &model.bodies[model.trees[t].root]);
        block.fill(0.0);
        for i in 0..3 {
            block[7 * i] = body.mass;
            (0..3).for_each(|j| block[6 * (i + 3) + j + 3] = body.inertia[(i, j)]);
        }
        for (k, dof) in model.trees[t].dofs.clone().enumerate() {
            block[7 * k] += model.dofs[dof].armature;
        }
        mass.factor_block(t)?;
    }
    Ok(found)
}
