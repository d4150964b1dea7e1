use std::collections::BTreeSet;
use std::sync::Arc;

use signorini_core::na::{Isometry3, UnitQuaternion, Vector3};
use signorini_core::{
    BlockDiagonal, Energy, ProblemError, Slot, State, StepProblem, StepSolution, System, TOUCHING,
    check_count, check_finite, largest,
};

use crate::action::{ActiveJoint, JointAction};
use crate::body::{axial, matrix};
use crate::candidates::Candidates;
use crate::free_motion::{COMMANDED, commanded_at_start, counted};
use crate::inputs::Inputs;
use crate::joints::coordinates;
use crate::motors::Motors;
use crate::orthogonality::Orthogonality;
use crate::problem::AffineProblem;
use crate::reached::Candidate;
use crate::reduced::{ReducedProblem, SlotProblem};
use crate::reduction::Reduction;
use crate::skin_law::Skin;
use crate::skin_points::SkinStep;
use crate::stiffness::StartStiffness;
use crate::threads::Threads;
use crate::world::{N, SurfacePart, World, gather};
use crate::{Adaptation, AffineBody, BodyError, Invariants, IpcOptions, Joint};

/// Affine bodies that a barrier keeps apart: the [`System`] of incremental potential contact.
///
/// ```text
/// min_v ½ ‖v − v*‖²_M + Ψ(A) + Σ m b(d(q₀ + δt v)) + Σ D(v)          chen2022midas, eq. (1), divided by δt²
/// ```
/// State: q = (p, a₁, a₂, a₃) of each free body, x = p + A X with the rows a_r of A; v is its rate; z has the commanded pose of each driven body: position of its centre of mass and rotation (w, x, y, z).
///
/// A copy goes on from where the original is, with the same inputs, and shares the constant parts; steps that were prepared are forgotten in it.
#[derive(Clone)]
pub struct AffineSystem {
    pub(crate) world: Arc<World>,
    pub(crate) threads: Threads,
    candidates: Candidates,
    /// A law on the skin of the bodies, for looking at outside of steps.
    pub(crate) skin: Option<SkinStep>,
    pub(crate) slots: [SlotProblem; 2],
    pub(crate) reduction: Option<Arc<Reduction>>,
    start: Vec<f64>,
    /// Coordinates that the last solve reached without crossing anything.
    clean: Vec<f64>,
    pub(crate) inputs: Inputs,
    /// κ that the last committed step ended with, and whether it was chosen.
    stiffness: StartStiffness,
    pub(crate) observed: Invariants,
    pub(crate) commits: u64,
    pub(crate) motors: Motors,
}

impl AffineSystem {
    /// Bodies at poses of their mesh frames. `excluded` are pairs of bodies that do not collide.
    ///
    /// # Errors
    /// Options out of range; as [`BlockDiagonal::factor`].
    pub fn new(
        bodies: Vec<(AffineBody, Isometry3<f64>)>,
        excluded: &[[usize; 2]],
        options: IpcOptions,
    ) -> Result<Self, BodyError> {
        Self::articulated(bodies, &[], excluded, options)
    }

    /// A system with joints, which hold exactly; bodies that they connect do not collide.
    ///
    /// # Errors
    /// As [`AffineSystem::new`]; [`BodyError::Joint`].
    pub fn articulated(
        bodies: Vec<(AffineBody, Isometry3<f64>)>,
        joints: &[Joint],
        excluded: &[[usize; 2]],
        options: IpcOptions,
    ) -> Result<Self, BodyError> {
        if let Some(b) = excluded.iter().flatten().find(|b| **b >= bodies.len()) {
            let (name, value) = ("excluded pairs".into(), *b as f64);
            return Err(BodyError::Value { name, what: "a body", value, range: "the number of a body" });
        }
        let jointed = joints.iter().filter(|j| !j.collides()).map(|j| &j.bodies);
        let apart: BTreeSet<[usize; 2]> =
            excluded.iter().chain(jointed).map(|[a, b]| [*a.min(b), *a.max(b)]).collect();
        let friction: Vec<f64> = bodies.iter().map(|b| b.0.friction).collect();
        let rule = move |a: SurfacePart, b: SurfacePart| {
            let collide = !apart.contains(&[a.body.min(b.body), a.body.max(b.body)]);
            collide.then(|| friction[a.body].max(friction[b.body]))
        };
        Self::with_rule(bodies, joints, rule, options)
    }

    /// A system where `rule` alone decides on two parts of surfaces of different bodies: the coefficient of friction, ≥ 0, or None where they do not collide. It is called with the part of the body of the lower number first.
    ///
    /// # Errors
    /// As [`AffineSystem::articulated`].
    pub fn with_rule(
        bodies: Vec<(AffineBody, Isometry3<f64>)>,
        joints: &[Joint],
        rule: impl Fn(SurfacePart, SurfacePart) -> Option<f64> + Send + Sync + 'static,
        options: IpcOptions,
    ) -> Result<Self, BodyError> {
        options.check()?;
        for (body, _) in &bodies {
            if !body.gravity_compensation.is_finite() {
                let (name, value) = (body.name.clone(), body.gravity_compensation);
                let what = "compensation of gravity";
                return Err(BodyError::Value { name, what, value, range: "a finite number" });
            }
            if !(body.friction >= 0.0 && body.friction.is_finite()) {
                let (name, value) = (body.name.clone(), body.friction);
                return Err(BodyError::Value { name, what: "friction", value, range: "a number ≥ 0" });
            }
        }
        let placed: Vec<(AffineBody, [f64; N])> = bodies
            .into_iter()
            .map(|(body, pose)| (body.coordinates(&pose), body))
            .map(|(q, b)| (b, q))
            .collect();
        let start: Vec<f64> = placed.iter().filter(|b| !b.0.fixed).flat_map(|b| b.1).collect();
        let held: Vec<bool> = placed.iter().map(|b| b.0.fixed).collect();
        joints.iter().try_for_each(|j| j.check(&held))?;
        let world = Arc::new(World::new(placed, Arc::new(rule), options));
        let inertia = inertia(&world, joints)?;
        let threads = Threads::new(options.threads).map_err(|why| BodyError::Threads { why })?;
        let mut inputs = Inputs::new(world.bodies.len());
        inputs.actions = ActiveJoint::all(&world, joints, &start)?;
        let reduction = match joints {
            [] => None,
            _ => Some(Arc::new(Reduction::new(&world, joints, &[], &start)?)),
        };
        let candidates = Candidates::new(&world, world.reach(), threads.clone());
        let slots = slots(&world, &inertia, &threads, reduction.as_ref(), None)?;
        let (clean, observed) = (Vec::new(), Invariants::default());
        let chosen = options.adaptation != Adaptation::Choose;
        let stiffness = StartStiffness { value: options.stiffness, chosen };
        Ok(Self {
            slots,
            reduction,
            threads,
            candidates,
            skin: None,
            start,
            clean,
            inputs,
            stiffness,
            world,
            observed,
            commits: 0,
            motors: Motors::default(),
        })
    }

    /// The threads; make steps inside [`Threads::install`] where there are several.
    pub fn threads(&self) -> Threads {
        self.threads.clone()
    }

    /// The start, at rest.
    pub fn initial_state(&self) -> State {
        let z = commanded_at_start(&self.world, &self.start);
        State { v: vec![0.0; self.start.len()], q: self.start.clone(), z, ..State::default() }
    }

    /// Sets the force at the centre of mass \[N\] and the torque \[N·m\] on a body, world axes, until they are set again.
    ///
    /// # Errors
    /// A body that does not exist, does not move or is driven; numbers that are not finite.
    pub fn push(
        &mut self,
        body: usize,
        force: Vector3<f64>,
        torque: Vector3<f64>,
    ) -> Result<(), ProblemError> {
        let takes = self.world.bodies.get(body).is_some_and(|b| !b.fixed && !b.driven);
        input(takes, body, "is not one that forces move", &mut self.inputs.loads, [force, torque])
    }

    /// Adds a number Σ c s of numbers s of hinges, slides, planar joints or distances, a fixed tendon between them, and returns its own: it is acted on and read as those of joints are.
    ///
    /// Limits of the tendon give way as those of the joints would; see [`JointAction`]. Steps that were prepared are forgotten.
    ///
    /// # Errors
    /// No joint, one without a number, or one twice; coefficients that are not finite.
    pub fn tendon(&mut self, parts: &[(usize, f64)]) -> Result<usize, ProblemError> {
        let made = ActiveJoint::sum(&self.inputs.actions, parts);
        let refused = |why: String| ProblemError::Unsupported(format!("a tendon: {why}"));
        let made = made.map_err(|why| refused(why.into()))?;
        if let Some(r) = &self.reduction {
            // Bodies that a tendon connects are one mechanism.
            let joints: Vec<Joint> = r.joints.iter().map(|j| j.0.clone()).collect();
            let made = self.inputs.actions[joints.len()..].iter().flatten().chain([&made]);
            let tendons: Vec<Vec<usize>> = made.map(ActiveJoint::bodies).collect();
            let reduction = Arc::new(
                Reduction::new(&self.world, &joints, &tendons, &self.start)
                    .map_err(|e| refused(e.to_string()))?,
            );
            let inertia = self.slots[0].inner().full_inertia().clone();
            let skin = self.skin.as_ref().map(SkinStep::skin);
            self.slots = slots(&self.world, &inertia, &self.threads, Some(&reduction), skin)
                .map_err(|e| refused(e.to_string()))?;
            self.reduction = Some(reduction);
        }
        self.inputs.actions.push(Some(made));
        Ok(self.inputs.actions.len() - 1)
    }

    /// Sets the action of a joint with a number besides holding, until it is set again.
    ///
    /// # Errors
    /// A joint that does not exist or has no number; numbers out of range; for a point anything but an upper limit.
    pub fn act(&mut self, joint: usize, action: JointAction) -> Result<(), ProblemError> {
        match self.inputs.actions.get_mut(joint) {
            Some(Some(active)) => active.act(action),
            _ => {
                let why = format!(
                    "joint {joint} has no number; name a hinge, a slide, a planar joint, a distance, a point or a tendon"
                );
                Err(ProblemError::Unsupported(why))
            }
        }
    }

    /// Counts the angle of a point from another orientation than that of the start: there the second body is turned by `turn` in the joint.
    ///
    /// # Errors
    /// A joint that is not a point.
    pub fn count_from(&mut self, joint: usize, turn: &UnitQuaternion<f64>) -> Result<(), ProblemError> {
        let active = self.inputs.actions.get_mut(joint).and_then(|a| a.as_mut());
        if active.is_some_and(|a| a.count_from(&self.world, &self.start, turn)) {
            return Ok(());
        }
        Err(ProblemError::Unsupported(format!("joint {joint} is not a point; name one")))
    }

    /// Number of a joint: the angle of a hinge or a planar joint \[rad\] or the way of a slide \[m\] from its start (turns are counted as steps are prepared), the angle of a point \[rad\], the distance of the points of a distance \[m\],
    /// s_b − ratio · s_a where b follows a, the sum of a tendon. None for fixed joints.
    pub fn joint_value(&self, x: &State, joint: usize) -> Option<f64> {
        let active = self.inputs.actions.get(joint)?.as_ref()?;
        Some(active.value(&self.world, &x.q))
    }

    /// Rate of [`AffineSystem::joint_value`] \[rad/s or m/s\]; None for joints without a number.
    pub fn joint_rate(&self, x: &State, joint: usize) -> Option<f64> {
        let active = self.inputs.actions.get(joint)?.as_ref()?;
        Some(active.rate(&self.world, &x.q, &x.v))
    }

    /// Force \[N\] and torque about the centre of mass \[N·m\] that contacts exert on each body at the end of the last solve of a slot, world axes; held bodies included.
    ///
    /// # Errors
    /// [`ProblemError::NotPrepared`].
    pub fn contact_wrenches(&mut self, slot: Slot) -> Result<Vec<[Vector3<f64>; 2]>, ProblemError> {
        let p = self.slots[slot as usize].inner();
        if p.ready { Ok(p.contact_wrenches()) } else { Err(ProblemError::NotPrepared { slot }) }
    }

    /// Force \[N\] on the second body of each joint and torque about the joint's point \[N·m\] at the end of the last solve of a slot, world axes; the first body has the opposite. That is all a joint carries: the forces that hold it, and those that its limits,
    /// springs, friction and motors do, those of joints that follow others (whose own entry is zero) included. A sensor of force and torque in the joint would read it.
    ///
    /// The point is that of a point or a hinge, the point of a distance on the second body, for others the centre of mass of the second body; it moves with that body.
    ///
    /// Where joints hold more than bodies can move, in closed loops, many forces balance: those by which the rows K of the mechanism carry Kᵀ λ with the shortest λ are given. In chains and trees there are no others.
    ///
    /// # Errors
    /// [`ProblemError::NotPrepared`].
    pub fn joint_reactions(&mut self, slot: Slot) -> Result<Vec<[Vector3<f64>; 2]>, ProblemError> {
        let p = self.slots[slot as usize].inner();
        if !p.ready {
            return Err(ProblemError::NotPrepared { slot });
        }
        let Some(reduction) = &self.reduction else { return Ok(Vec::new()) };
        let mut own = vec![[0.0; 2 * N]; reduction.joints.len()];
        let rows =
            p.joint_forces(|joint, force| own[joint].iter_mut().zip(&force).for_each(|(o, f)| *o += f));
        let by_rows = reduction.reactions(&self.world, &rows);
        let q = p.end();
        let mut out = Vec::new();
        for (((joint, _), own), by_rows) in reduction.joints.iter().zip(&own).zip(&by_rows) {
            let second = joint.bodies[1];
            let at = coordinates(&self.world, &q, second);
            let load: [f64; N] = std::array::from_fn(|i| own[N + i] + by_rows[N + i]);
            let force = Vector3::from_column_slice(&load[..3]);
            // Work of G over δA = [δθ]ₓ A.
            let torque = axial(&(matrix(&load) * matrix(at).transpose()));
            let start = joint.bodies.map(|b| coordinates(&self.world, &self.start, b));
            let arm = matrix(at) * joint.rest_points(start)[1];
            out.push([force, torque - arm.cross(&force)]);
        }
        Ok(out)
    }

    /// Largest distance of two points that a joint makes one \[m\].
    pub fn joint_error(&self, x: &State) -> f64 {
        self.reduction.as_ref().map_or(0.0, |r| r.error(&self.world, &x.q))
    }

    /// Smallest room to a bound of a distance.
    pub(crate) fn bound_room(&self, x: &State) -> f64 {
        let joints = self.inputs.actions.iter().flatten();
        joints.filter_map(|a| a.room(&self.world, &x.q)).map(|r| r[0]).fold(f64::INFINITY, f64::min)
    }

    /// Sets the velocity of the centre of mass \[m/s\] and the angular velocity \[rad/s\] at which the commanded pose of a driven body moves, world axes, until they are set again. The body follows that pose, which is
    /// absolute: nothing that pulls at it adds up ([`AffineSystem::lag`]). An obstacle that stands in its way and cannot give way stops it; afterwards it catches up at no more than 1 m/s and 1 rad/s besides.
    ///
    /// # Errors
    /// A body that does not exist or is not [`AffineBody::driven`]; numbers that are not finite.
    pub fn drive(
        &mut self,
        body: usize,
        linear: Vector3<f64>,
        angular: Vector3<f64>,
    ) -> Result<(), ProblemError> {
        let takes = self.world.bodies.get(body).is_some_and(|b| b.driven);
        input(takes, body, "is not driven", &mut self.inputs.drives, [linear, angular])
    }

    /// κ \[J/m⁴\] that the last committed step ended with; that of the options before. Where κ adapts, a run that goes on from a state in another system goes on the same with this as
    /// [`IpcOptions::stiffness`] and [`Adaptation::Raise`].
    pub fn stiffness(&self) -> f64 {
        self.stiffness.value
    }

    /// The bodies.
    pub fn bodies(&self) -> &[AffineBody] {
        &self.world.bodies
    }

    /// First of the coordinates of a body in q and v; None when it is held.
    pub fn coordinates_of(&self, body: usize) -> Option<usize> {
        self.world.free.get(body).copied().flatten().map(|f| N * f as usize)
    }

    /// Positions of the surface points of all bodies, of balls and capsules those within, one after the other \[m\].
    pub fn positions(&self, x: &State) -> Vec<Vector3<f64>> {
        let mut out = Vec::new();
        self.world.positions(&x.q, &mut out);
        out
    }

    /// The smallest distance of two bodies that is below the range of the barrier \[m\], with the bodies.
    pub fn smallest_distance(&mut self, x: &State) -> Option<(f64, [u32; 2])> {
        let at = self.positions(x);
        self.candidates.ensure(&self.world, &x.q, &x.q);
        let reach = self.world.reach();
        let all =
            self.candidates.list().iter().map(|c| (c.gap_at(&at), c.pair.surfaces)).filter(|d| d.0 < reach);
        all.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(d, s)| (d, self.world.bodies_of(s)))
    }

    /// Two bodies that overlap, if any do.
    pub fn crossing(&mut self, x: &State) -> Option<[u32; 2]> {
        let at = self.positions(x);
        crate::start::overlap(&self.world, &mut self.candidates, &at).map(|o| self.world.bodies_of(o.0))
    }

    /// Parts of surfaces that overlap or are no further apart than the separation, in order: a step cannot start so.
    pub fn overlapping(&mut self, x: &State) -> Vec<[SurfacePart; 2]> {
        let (at, world) = (self.positions(x), &self.world);
        let mut found = crate::start::overlaps(world, &mut self.candidates, &at);
        self.candidates.ensure(world, &x.q, &x.q);
        let touches = |c: &&Candidate| c.gap_at(&at) <= world.options.separation + TOUCHING;
        found.extend(self.candidates.list().iter().filter(touches).map(|c| c.pair.surfaces));
        found.into_iter().map(|pair| pair.map(|s| world.part(s))).collect()
    }

    /// Largest entry of A Aᵀ − 1 over the free bodies.
    pub fn orthogonality_error(&self, x: &State) -> f64 {
        largest(x.q.chunks_exact(N).map(|q| Orthogonality::error(&matrix(q))))
    }
}

impl System for AffineSystem {
    fn sizes(&self) -> [usize; 3] {
        let driven = self.world.driven.iter().flatten().count();
        [self.start.len(), self.start.len(), COMMANDED * driven]
    }

    fn prepare(&mut self, slot: Slot, x0: &State, _horizon: f64) -> Result<(), ProblemError> {
        let [nq, nv, nz] = self.sizes();
        for (what, expected, found) in
            [("q", nq, x0.q.len()), ("v", nv, x0.v.len()), ("commanded poses z", nz, x0.z.len())]
        {
            check_count(what, expected, found)?;
        }
        x0.check_finite()?;
        let check = self.clean != x0.q;
        if let Some(r) = &self.reduction
            && r.error(&self.world, &x0.q) > JOINT_SLACK * r.size
        {
            let why = format!(
                "joints are open by {:.3e} m; start from the state they were made at",
                r.error(&self.world, &x0.q)
            );
            return Err(ProblemError::Unsupported(why));
        }
        for (j, active) in self.inputs.actions.iter_mut().enumerate() {
            let Some(active) = active else { continue };
            active.begin(&self.world, &x0.q, x0.t);
            let room = active.room(&self.world, &x0.q).filter(|r| r[0] <= 0.0);
            if let (Some([room, bound]), Some(r)) = (room, &self.reduction) {
                let why = format!(
                    "joint '{}': the distance of its points is {} m beyond its bound of {bound} m; start from a state within the bounds",
                    r.joints[j].0.name, -room
                );
                return Err(ProblemError::Unsupported(why));
            }
        }
        let stiffness = self.stiffness;
        self.slots[slot as usize].inner().prepare(x0, stiffness, check)
    }

    fn problem(&mut self, slot: Slot, dt: f64) -> Result<&mut dyn StepProblem, ProblemError> {
        let p = &mut self.slots[slot as usize];
        if !p.inner().ready {
            return Err(ProblemError::NotPrepared { slot });
        }
        p.set_step(dt, &self.inputs)
    }

    fn guess(&self, _: Slot, x: &State, out: &mut Vec<f64>) {
        match &self.reduction {
            None => out.clone_from(&x.v),
            Some(r) => r.shrink(&x.v, out),
        }
    }

    fn commit(
        &mut self,
        slot: Slot,
        x0: &State,
        dt: f64,
        s: &StepSolution,
        x1: &mut State,
    ) -> Result<(), ProblemError> {
        if !self.slots[slot as usize].inner().ready {
            return Err(ProblemError::NotPrepared { slot });
        }
        check_finite("solution", &s.v)?;
        x1.copy_from(x0);
        x1.t += dt;
        let expected = self.reduction.as_ref().map_or(self.start.len(), |r| r.unknowns());
        check_count("solution", expected, s.v.len())?;
        let expand = |from: &[f64], to: &mut Vec<f64>| match &self.reduction {
            None => to.copy_from_slice(from),
            Some(r) => r.expand(from, to),
        };
        expand(s.position_velocity(), &mut x1.v);
        x1.q.iter_mut().zip(&x1.v).for_each(|(q, v)| *q += dt * v);
        expand(&s.v, &mut x1.v);
        self.finish_step(x0, dt, x1);
        let used = &self.slots[slot as usize].inner().stiffness;
        self.stiffness = StartStiffness { value: used.value, chosen: used.chosen };
        self.clean.clone_from(&x1.q);
        self.motors.look(&self.world, &self.inputs, [&x0.q, &x1.q], dt);
        self.observe(x1)
    }

    /// Largest distance of a surface point.
    fn distance(&self, a: &State, b: &State) -> f64 {
        let turns = a.q.chunks_exact(N).zip(b.q.chunks_exact(N)).map(|(a, b)| (matrix(a) - matrix(b)).norm());
        let free = self.world.bodies.iter().filter(|b| !b.fixed);
        // Round surfaces turn about their points.
        let radius = |body: &AffineBody| largest(body.parts.iter().map(|p| p.radius));
        let round = largest(free.zip(turns).map(|(body, turn)| radius(body) * turn));
        let (a, b) = (self.positions(a), self.positions(b));
        largest(a.iter().zip(&b).map(|(x, y)| (x - y).norm())) + round
    }

    fn energy(&mut self, x: &State) -> Energy {
        let mut e = Energy::default();
        let o = self.world.options;
        for (f, body) in self.world.bodies.iter().filter(|b| !b.fixed).enumerate() {
            let (q, v) = (&x.q[N * f..], &x.v[N * f..]);
            let (a, rate) = (matrix(q), matrix(v));
            let speed = v[..3].iter().map(|v| v * v).sum::<f64>();
            e.kinetic += 0.5 * (body.mass * speed + (rate * body.second_moment * rate.transpose()).trace());
            let falls = (1.0 - body.gravity_compensation) * body.mass;
            let weight = if body.driven { 0.0 } else { falls };
            e.potential -= weight * o.gravity.dot(&Vector3::from_column_slice(&q[..3]));
            e.potential += Orthogonality::energy(o.orthogonality * body.volume, &a);
        }
        let held = self.inputs.actions.iter_mut().flatten();
        held.for_each(|a| a.note_start(&self.world, &x.q, x.t));
        let inputs = &self.inputs;
        let by_joints = inputs.actions.iter().flatten().map(|a| a.energy(&self.world, &x.q, x.t));
        e.potential += by_joints.sum::<f64>();
        let rotors = inputs.actions.iter().flatten().map(|a| a.kinetic_energy(&self.world, &x.q, &x.v));
        e.kinetic += rotors.sum::<f64>();
        let at = self.positions(x);
        let (barrier, mut near) = (self.world.barrier(1.0, 1.0, self.stiffness.value), Vec::new());
        self.candidates.look(&self.world, &x.q, &at, &mut near);
        for n in &near {
            let c = &self.candidates.list()[n.candidate as usize];
            let [b, ..] = barrier.potential(n.squared);
            e.contact += n.count * c.weight * c.mollifier.map_or(1.0, |m| m.value(&gather(&c.pair, &at))) * b;
        }
        e.contact += self.skin_energy(x, &at);
        e
    }
}

/// Largest opening of joints at the start of a step, in parts of the largest of the bodies.
const JOINT_SLACK: f64 = 1e-5;

fn input(
    takes: bool,
    body: usize,
    why: &str,
    to: &mut [[Vector3<f64>; 2]],
    value: [Vector3<f64>; 2],
) -> Result<(), ProblemError> {
    if !takes {
        return Err(ProblemError::Unsupported(format!("body {body} {why}")));
    }
    for (what, v) in ["linear input of a body", "angular input of a body"].into_iter().zip(&value) {
        check_finite(what, v.as_slice())?;
    }
    to[body] = value;
    Ok(())
}

/// The problems of both slots.
pub(crate) fn slots(
    world: &Arc<World>,
    inertia: &BlockDiagonal,
    threads: &Threads,
    reduction: Option<&Arc<Reduction>>,
    skin: Option<&Arc<Skin>>,
) -> Result<[SlotProblem; 2], BodyError> {
    let slot = || {
        let problem = AffineProblem::new(world.clone(), inertia.clone(), threads, skin.cloned());
        let Some(r) = reduction else { return Ok(SlotProblem::Free(Box::new(problem))) };
        let reduced = ReducedProblem::new(problem, r.clone());
        reduced
            .map(|p| SlotProblem::Joined(Box::new(p)))
            .map_err(|e| BodyError::Joint { name: r.joints[0].0.name.clone(), why: e.to_string() })
    };
    Ok([slot()?, slot()?])
}

/// M: the mass of each body, and its second moment once per row of A.
fn inertia(world: &World, joints: &[Joint]) -> Result<BlockDiagonal, BodyError> {
    let mut inertia = BlockDiagonal::with_sizes(&vec![N; world.unknowns() / N]);
    for (free, (mass, second_moment)) in world.free.iter().zip(counted(world, joints)) {
        let Some(f) = free else { continue };
        let block = inertia.block_mut(*f as usize);
        for i in 0..3 {
            block[(N + 1) * i] = mass;
            for r in 0..3 {
                for c in 0..3 {
                    block[N * (3 + 3 * i + c) + 3 + 3 * i + r] = second_moment[(r, c)];
                }
            }
        }
    }
    if inertia.factor().is_err() {
        let flat = world.bodies.iter().find(|b| b.second_moment.cholesky().is_none());
        return Err(BodyError::Flat { name: flat.map_or_else(String::new, |b| b.name.clone()) });
    }
    Ok(inertia)
}
