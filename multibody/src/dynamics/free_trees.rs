use std::ops::Range;

use signorini_core::na::{Quaternion, Vector3};
use signorini_core::{GeneralizedImpulses, Slot, largest};
use signorini_scene::JointKind;

use crate::dynamics::free_bodies::FreeBodies;
use crate::dynamics::free_forces::{FreeForces, STILL};
use crate::dynamics::held_trees::held_trees;
use crate::dynamics::reference_mass::ReferenceMass;
use crate::kinematics::rotation::quaternion_at;
use crate::{Dynamics, Kinematics, Model, TreeFactor};

/// Rows of the table of extrapolation: the last is of order 10.
const ROWS: usize = 5;
/// Most parts of a step.
const MOST_PARTS: u32 = 64;
/// Error of coordinates, and of velocities over the part, that ends a part: of angles \[rad\], and of ways beside the size of the tree.
const TOLERANCE: f64 = 1e-9;
/// The same, relative to coordinates and ways.
const ROUNDOFF: f64 = 1e-13;
/// Rate of springs and dampers by parts of a step beyond which a flow is not sought: the published step damps what it does not follow.
const FASTEST: f64 = 2.0;

/// Most times that dry friction turns round in a step, and most tries to find when.
const MOST_TURNS: u32 = 8;
const MOST_TRIES: u32 = 60;

/// Trees of joints that move freely in steps in which nothing acts on them but inertia, gravity, [`FreeForces`], dampers and forces that are constant in the step.
///
/// ```text
/// M(q) v̇ + c(q, v) = F + f(q, v) + d(v),   q̇ = N(q) v   over δt,   F = τ₀ + Jᵀγ/δt
/// ```
/// d are the forces of dampers, τ₀ the explicit forces at the start but those of f, and Jᵀγ the impulses of motors whose force does not depend on the motion. The flow is found by extrapolation of the midpoint rule to [`TOLERANCE`]. Its energy does
/// not drift, where that of steps of order one does as soon as their size changes with the motion.
#[derive(Clone, Debug)]
pub(crate) struct FreeTrees {
    trees: Vec<FreeTree>,
    /// By slot, the parts in which trees moved freely in the last step from it.
    free: [Vec<Option<Parts>>; 2],
    /// By tree of the model: something acts on it in the step.
    touched: Vec<bool>,
    /// Scratch space of steps.
    pub impulses: GeneralizedImpulses,
    flow: Flow,
}

/// Parts of a step that met the tolerance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts(u32);

/// A tree that may move freely.
#[derive(Clone, Debug)]
pub(crate) struct FreeTree {
    pub tree: usize,
    pub dofs: Range<usize>,
    bodies: Vec<usize>,
    /// Kind of each joint with its first position and velocity.
    joints: Vec<(JointKind, usize, usize)>,
    nq: usize,
    /// Size of each of its coordinates and velocities: one for angles, that of the tree for ways.
    sizes: Vec<f64>,
    forces: FreeForces,
    /// Largest rate of its springs and dampers about rest, √(K M⁻¹) and D M⁻¹ \[1/s\].
    rate: f64,
    /// It may meet something: a geom or a limit.
    meets: bool,
}

/// Scratch space of a flow.
#[derive(Clone, Debug)]
struct Flow {
    kin: Kinematics,
    dynamics: Dynamics,
    factor: TreeFactor,
    q: Vec<f64>,
    v: Vec<f64>,
    tau: Vec<f64>,
    force: Vec<f64>,
    /// Positions and velocities of one tree, its rate at the start, and those of the midpoint rule.
    y: Vec<f64>,
    start: Vec<f64>,
    rate: Vec<f64>,
    /// Where it goes on from after dry friction has turned round.
    from: Vec<f64>,
    steps: [Vec<f64>; 2],
    table: [Vec<f64>; ROWS],
}

impl FreeTrees {
    /// None.
    pub(crate) fn none(model: &Model) -> Self {
        Self::new(model, Vec::new())
    }

    fn new(model: &Model, trees: Vec<FreeTree>) -> Self {
        Self {
            free: [vec![None; trees.len()], vec![None; trees.len()]],
            trees,
            touched: vec![false; model.trees.len()],
            impulses: GeneralizedImpulses::default(),
            flow: Flow::new(model),
        }
    }

    /// All trees of a model but bodies that float freely alone; `stiction_speed` is v_s of dry friction, `pairs` are the geoms that may collide.
    pub(crate) fn of(
        model: &Model,
        reference: &ReferenceMass,
        alone: &FreeBodies,
        stiction_speed: f64,
        pairs: impl Iterator<Item = [usize; 2]>,
    ) -> Self {
        let held = held_trees(model);
        let lone = |b: &usize| alone.has(*b) || model.is_carried(*b);
        let free = (0..model.trees.len()).filter(|t| !held[*t]);
        let mut trees: Vec<FreeTree> =
            free.map(|t| FreeTree::new(model, t, reference, stiction_speed)).collect();
        trees.retain(|t| !t.bodies.iter().any(lone));
        if !trees.is_empty() {
            let mut meets = vec![false; held.len()];
            let of_geoms = pairs.flatten().filter_map(|g| model.bodies[model.geoms[g].body].tree);
            of_geoms.for_each(|t| meets[t] = true);
            model
                .joints
                .iter()
                .filter(|j| j.range.is_some())
                .for_each(|j| meets[model.dofs[j.v].tree] = true);
            let limited = model.tendons.iter().filter(|t| t.range.is_some());
            limited.flat_map(|t| &t.trees).for_each(|t| meets[*t] = true);
            trees.iter_mut().for_each(|t| t.meets = meets[t.tree]);
        }
        Self::new(model, trees)
    }

    /// Whether there are any.
    pub(crate) fn is_empty(&self) -> bool {
        self.trees.is_empty()
    }

    /// Begins a step from a slot: nothing moved freely yet, and nothing is touched.
    pub(crate) fn begin(&mut self, slot: Slot) {
        self.free[slot as usize].fill(None);
        self.touched.fill(false);
    }

    /// Tells that something acts on a tree of the model.
    pub(crate) fn touch(&mut self, tree: usize) {
        self.touched[tree] = true;
    }

    /// The parts in which the trees moved in the last step from a slot.
    pub(crate) fn parts(&self, slot: Slot) -> &[Option<Parts>] {
        &self.free[slot as usize]
    }

    /// The trees.
    pub(crate) fn list(&self) -> &[FreeTree] {
        &self.trees
    }

    /// Degrees of freedom of the trees that may meet something and moved freely in both halves of a step, with the coordinates of their joint that they change and by which part of their way.
    pub(crate) fn watched(&self) -> impl Iterator<Item = (usize, Range<usize>, f64)> + '_ {
        let [a, b] = &self.free;
        let of = self.trees.iter().zip(a.iter().zip(b));
        let both = of.filter(|(t, (a, b))| t.meets && a.is_some() && b.is_some());
        both.flat_map(|(t, _)| &t.joints).flat_map(|(kind, q, v)| {
            let shifts = match kind {
                JointKind::Hinge | JointKind::Slide => 1,
                JointKind::Ball => 0,
                JointKind::Free => 3,
            };
            (0..kind.nv()).map(move |i| match i < shifts {
                true => (v + i, q + i..q + i + 1, 1.0),
                // Quaternions turn by half an angle.
                false => (v + i, q + shifts..q + shifts + 4, 0.5),
            })
        })
    }

    /// Moves tree `k` of the list from (q₀, v₀) over `dt`, unless something acts on it; `explicit` are forces at the start less the bias, nv, and `more` further ones. q₁ and v₁ get its entries, unless the flow is too
    /// fast to be followed.
    pub(crate) fn advance(
        &mut self,
        model: &Model,
        (slot, k): (Slot, usize),
        [q0, v0]: [&[f64]; 2],
        [explicit, more]: [&[f64]; 2],
        dt: f64,
        [q1, v1]: [&mut [f64]; 2],
    ) {
        let (tree, flow) = (&mut self.trees[k], &mut self.flow);
        let followed = dt * tree.rate <= FASTEST * f64::from(MOST_PARTS);
        if self.touched[tree.tree] || !followed || !tree.forces.slides([v0, &*v1]) {
            return;
        }
        tree.forces.slide([v0, &*v1]);
        flow.begin(model, tree, [q0, v0], [explicit, more]);
        let parts = flow.find(model, tree, dt);
        if parts.is_some() {
            tree.unpack(&flow.y, [q1, v1]);
        }
        self.free[slot as usize][k] = parts;
    }

    /// The same in given parts, a smooth function of all arguments.
    pub(crate) fn advance_in(
        &mut self,
        model: &Model,
        k: usize,
        [q0, v0]: [&[f64]; 2],
        force: &[f64],
        (dt, parts): (f64, Parts),
        [q1, v1]: [&mut [f64]; 2],
    ) {
        let (tree, flow) = (&mut self.trees[k], &mut self.flow);
        tree.forces.slide([v0, v0]);
        flow.set_start(tree, [q0, v0]);
        flow.force.copy_from_slice(force);
        flow.start.clone_from(&flow.y);
        flow.go(model, tree, dt, parts, false);
        tree.unpack(&flow.y, [q1, v1]);
    }

    /// Force F of the trees in the last step, nv.
    pub(crate) fn force(&self) -> &[f64] {
        &self.flow.force
    }
}

impl FreeTree {
    fn new(model: &Model, tree: usize, reference: &ReferenceMass, stiction_speed: f64) -> Self {
        let bodies: Vec<usize> =
            (0..model.bodies.len()).filter(|b| model.bodies[*b].tree == Some(tree)).collect();
        let joints = bodies.iter().flat_map(|b| &model.joints[model.bodies[*b].joints.clone()]);
        let joints: Vec<_> = joints.map(|j| (j.kind, j.q, j.v)).collect();
        let nq = joints.iter().map(|(kind, ..)| kind.nq()).sum();
        let arms = bodies
            .iter()
            .map(|b| &model.bodies[*b])
            .flat_map(|b| [b.com.coords.norm(), b.pose.translation.vector.norm()]);
        let size = largest(arms);
        let of = |kind: &JointKind, quaternion: usize| match kind {
            JointKind::Hinge => vec![1.0],
            JointKind::Slide => vec![size],
            JointKind::Ball => vec![1.0; quaternion],
            JointKind::Free => [vec![size; 3], vec![1.0; quaternion]].concat(),
        };
        let sizes =
            [4, 3].map(|n| joints.iter().flat_map(|(kind, ..)| of(kind, n)).collect::<Vec<_>>()).concat();
        let (forces, dofs) =
            (FreeForces::of(model, tree, &bodies, stiction_speed), model.trees[tree].dofs.clone());
        let damped = dofs.clone().map(|dof| model.dofs[dof].damper.damping(0.0) * reference.dofs[dof]);
        let rate = damped.fold(forces.rate(model, [&reference.dofs, &reference.tendons]), f64::max);
        Self { tree, dofs, bodies, joints, nq, sizes, forces, rate, meets: false }
    }

    /// v of (q, v).
    fn velocity<'a>(&self, y: &'a [f64]) -> &'a [f64] {
        &y[self.nq..]
    }

    /// (q, v) of the model from those of the tree.
    fn unpack(&self, y: &[f64], [q, v]: [&mut [f64]; 2]) {
        let mut at = 0;
        for (kind, first, _) in &self.joints {
            q[*first..first + kind.nq()].copy_from_slice(&y[at..at + kind.nq()]);
            at += kind.nq();
        }
        v[self.dofs.clone()].copy_from_slice(&y[self.nq..]);
    }
}

impl Flow {
    fn new(model: &Model) -> Self {
        let (nq, nv) = (model.nq, model.nv());
        Self {
            kin: Kinematics::new(model),
            dynamics: Dynamics::new(model),
            factor: TreeFactor::new(model),
            q: vec![0.0; nq],
            v: vec![0.0; nv],
            tau: vec![0.0; nv],
            force: vec![0.0; nv],
            y: Vec::new(),
            start: Vec::new(),
            rate: Vec::new(),
            from: Vec::new(),
            steps: Default::default(),
            table: Default::default(),
        }
    }

    /// (q, v) of the tree.
    fn set_start(&mut self, tree: &FreeTree, [q, v]: [&[f64]; 2]) {
        self.y.clear();
        for (kind, first, _) in &tree.joints {
            self.y.extend_from_slice(&q[*first..first + kind.nq()]);
        }
        self.y.extend_from_slice(&v[tree.dofs.clone()]);
    }

    /// Start and force of a flow: `explicit` has the bias taken off, which is added again, and holds those forces of the tree that count as explicit, which are taken off.
    fn begin(
        &mut self,
        model: &Model,
        tree: &mut FreeTree,
        start: [&[f64]; 2],
        [explicit, more]: [&[f64]; 2],
    ) {
        self.set_start(tree, start);
        self.start.clone_from(&self.y);
        // The bias at the start.
        let y = std::mem::take(&mut self.y);
        self.set_bodies(model, tree, &y);
        self.dynamics.bias_of(model, &self.kin, (tree.tree, &tree.bodies), &mut self.force);
        self.y = y;
        self.tau[tree.dofs.clone()].fill(0.0);
        tree.forces.add_explicit(model, tree.tree, &self.kin, &mut self.tau);
        for i in tree.dofs.clone() {
            self.force[i] += explicit[i] + more[i] - self.tau[i];
        }
    }

    fn set_bodies(&mut self, model: &Model, tree: &FreeTree, y: &[f64]) {
        tree.unpack(y, [&mut self.q, &mut self.v]);
        self.kin.set_positions_of(model, &tree.bodies, &self.q);
        self.kin.set_velocities_of(model, &tree.bodies, &self.v);
    }

    /// Rate of `y`; false where the inertia is singular.
    fn set_rate(&mut self, model: &Model, tree: &mut FreeTree, y: &[f64], rate: &mut Vec<f64>) -> bool {
        self.set_bodies(model, tree, y);
        let Self { kin, dynamics, factor, q, v, tau, force, .. } = self;
        let of = (tree.tree, &tree.bodies[..]);
        dynamics.bias_of(model, kin, of, tau);
        dynamics.composite_inertias_of(model, kin, of);
        for i in tree.dofs.clone() {
            tau[i] = force[i] - tau[i] + model.dofs[i].damper.force(v[i]);
        }
        tree.forces.add(model, (tree.tree, &tree.dofs), kin, [q, v], tau);
        for i in tree.dofs.clone() {
            dynamics.mass_row(model, kin, i, |j, m| factor.set(i, j, m));
        }
        let regular = factor.factor_range(tree.dofs.clone()).is_ok();
        factor.solve_range(tree.dofs.clone(), tau);
        rate.clear();
        for (kind, q, v) in &tree.joints {
            let own = &self.v[*v..v + kind.nv()];
            let (plain, spin) = match kind {
                JointKind::Hinge | JointKind::Slide => (own, None),
                JointKind::Ball => (&own[..0], Some(own)),
                JointKind::Free => (&own[..3], Some(&own[3..])),
            };
            rate.extend_from_slice(plain);
            if let Some(w) = spin {
                // N(q) v of a quaternion of any length.
                let at = q + plain.len();
                let c = &self.q[at..at + 4];
                let r = Quaternion::new(c[0], c[1], c[2], c[3])
                    * Quaternion::from_imag(0.5 * Vector3::new(w[0], w[1], w[2]));
                rate.extend_from_slice(&[r.w, r.i, r.j, r.k]);
            }
        }
        rate.extend_from_slice(&self.tau[tree.dofs.clone()]);
        regular
    }

    /// The end of a flow, in the fewest parts that meet the tolerance.
    fn find(&mut self, model: &Model, tree: &mut FreeTree, dt: f64) -> Option<Parts> {
        let mut parts = 1;
        while parts <= MOST_PARTS {
            if self.go(model, tree, dt, Parts(parts), true) {
                return Some(Parts(parts));
            }
            parts *= 2;
        }
        None
    }

    /// Goes from `start` to the end, in `y`; with `check` until a part does not meet the tolerance. Dry friction turns round with its degree of freedom; false where that would stay.
    fn go(&mut self, model: &Model, tree: &mut FreeTree, dt: f64, parts: Parts, check: bool) -> bool {
        self.y.clone_from(&self.start);
        tree.forces.begin();
        let mut left = dt;
        for _ in 0..MOST_TURNS {
            self.from.clone_from(&self.y);
            if !self.go_on(model, tree, left, (parts, check)) {
                return false;
            }
            if tree.forces.least(tree.velocity(&self.y)).1 >= 0.0 {
                return true;
            }
            match self.turn(model, tree, left, (parts, check)) {
                Some(t) => left -= t,
                None => return false,
            }
        }
        false
    }

    /// Goes on from `y`.
    fn go_on(
        &mut self,
        model: &Model,
        tree: &mut FreeTree,
        dt: f64,
        (Parts(parts), check): (Parts, bool),
    ) -> bool {
        let h = dt / f64::from(parts);
        (0..parts).all(|_| self.extrapolate(model, tree, h, check))
    }

    /// Goes on from `from` to the time, which is returned, at which a degree of freedom with dry friction turns round before `end`, and turns its friction; None where it stays.
    fn turn(&mut self, model: &Model, tree: &mut FreeTree, end: f64, how: (Parts, bool)) -> Option<f64> {
        let speed_at = |flow: &Self, tree: &FreeTree| tree.forces.least(tree.velocity(&flow.y));
        let mut after = (end, speed_at(self, tree).1);
        let mut before = (0.0, tree.forces.least(tree.velocity(&self.from)).1);
        let (mut t, mut dof, mut last) = (end, 0, 0);
        for _ in 0..MOST_TRIES {
            // The Illinois rule: halve the value of an end that stays.
            t = match before.1 > 0.0 {
                true => (before.0 * after.1 - after.0 * before.1) / (after.1 - before.1),
                false => 0.5 * (before.0 + after.0),
            };
            self.y.clone_from(&self.from);
            if !self.go_on(model, tree, t, how) {
                return None;
            }
            let speed;
            (dof, speed) = speed_at(self, tree);
            if speed.abs() <= STILL * tree.forces.stiction_speed {
                break;
            }
            let side = if speed > 0.0 { 1 } else { -1 };
            if speed > 0.0 {
                after.1 *= if side == last { 0.5 } else { 1.0 };
                before = (t, speed);
            } else {
                before.1 *= if side == last { 0.5 } else { 1.0 };
                after = (t, speed);
            }
            last = side;
        }
        let at = tree.nq + dof;
        self.y[at] = 0.0;
        let (y, mut rate) = (std::mem::take(&mut self.y), std::mem::take(&mut self.rate));
        let way = tree.forces.turn(tree.dofs.start + dof);
        let regular = self.set_rate(model, tree, &y, &mut rate);
        let goes = regular && way * rate[at] > 0.0;
        (self.y, self.rate) = (y, rate);
        goes.then_some(t)
    }

    /// One part: the midpoint rule in 2, 4, … steps, extrapolated in their squares.
    fn extrapolate(&mut self, model: &Model, tree: &mut FreeTree, h: f64, check: bool) -> bool {
        let mut y = std::mem::take(&mut self.y);
        let mut first = std::mem::take(&mut self.rate);
        let mut regular = self.set_rate(model, tree, &y, &mut first);
        let [mut a, mut b] = std::mem::take(&mut self.steps);
        let mut table = std::mem::take(&mut self.table);
        let mut rate = Vec::new();
        std::mem::swap(&mut rate, &mut table[ROWS - 1]);
        let mut met = false;
        for k in 0..ROWS {
            let n = 2 * (k + 1);
            let step = h / n as f64;
            a.clone_from(&y);
            b.clear();
            b.extend(y.iter().zip(&first).map(|(y, r)| y + step * r));
            for _ in 1..n {
                regular &= self.set_rate(model, tree, &b, &mut rate);
                a.iter_mut().zip(&rate).for_each(|(a, r)| *a += 2.0 * step * r);
                std::mem::swap(&mut a, &mut b);
            }
            let mut error: f64 = 0.0;
            for i in 0..y.len() {
                let (mut value, mut before) = (b[i], b[i]);
                for j in 1..=k {
                    let ratio = n as f64 / (2 * (k + 1 - j)) as f64;
                    let last = std::mem::replace(&mut table[j - 1][i], value);
                    before = value;
                    value += (value - last) / (ratio * ratio - 1.0);
                }
                if k + 1 < ROWS {
                    table[k].resize(y.len(), 0.0);
                    table[k][i] = value;
                }
                let time = if i < tree.nq { 1.0 } else { h };
                let moved = time * (value.abs() + y[i].abs() + h * first[i].abs());
                let allowed = TOLERANCE * tree.sizes[i] + ROUNDOFF * moved;
                let off = time * (value - before).abs() / allowed;
                // Nothing moves along a coordinate without size; NaN otherwise is no error that meets anything.
                let off = if value == before { 0.0 } else { off };
                error = if off > error || off.is_nan() { off } else { error };
                b[i] = value;
            }
            met = k > 0 && error <= 1.0 && regular;
            if check && met || error.is_nan() {
                break;
            }
        }
        if met || !check {
            y.clone_from(&b);
            tree.normalise(&mut y);
        }
        table[ROWS - 1] = rate;
        (self.y, self.rate, self.steps, self.table) = (y, first, [a, b], table);
        met || !check
    }
}

impl FreeTree {
    fn normalise(&self, y: &mut [f64]) {
        let mut at = 0;
        for (kind, ..) in &self.joints {
            let turns = match kind {
                JointKind::Hinge | JointKind::Slide => None,
                JointKind::Ball => Some(at),
                JointKind::Free => Some(at + 3),
            };
            if let Some(at) = turns {
                let r = quaternion_at(y, at);
                y[at..at + 4].copy_from_slice(&[r.w, r.i, r.j, r.k]);
            }
            at += kind.nq();
        }
    }
}
