use signorini_core::na::{Matrix3, Point3, Vector3};
use signorini_core::{
    BlockSink, ContactSide, Energy, FrozenMap, FrozenProblem, Inertia, Pools, ProblemError, Slot, State,
    StepProblem, StepSolution, System, check_count, check_finite, largest,
};
use signorini_mpm::{Gathered, MpmSystem, pinned, seeded};
use signorini_multibody::RigidSystem;
use signorini_scene::Scene;

use crate::elastic::{add_stiffness, cells, stiffnesses};
use crate::places::{CouplingError, Places};
use crate::sparse::SparseInertia;

/// The system of material points, and the content of one of its slots.
#[derive(Clone, Copy)]
struct Points<'a> {
    material: &'a MpmSystem,
    g: &'a Gathered<'a>,
}

/// The bodies and the geoms that obstacles of the points are.
#[derive(Clone, Copy)]
struct ObstacleBodies<'a> {
    places: &'a Places,
    geoms: &'a [usize],
}

/// Material points and bodies as one [`System`], whose step is implicit in the stress of the points and in contact of all with all.
///
/// ```text
/// min_v ½ ‖v_r − v_r*‖²_{M_r} + ½ ‖v_g − v_g⁰‖²_M + Σ V ψ(v_g) + Σ ℓ(c(v_r)) + Σ ℓ(R (Σ w v_i − J_r v_r))
/// ```
/// over the velocities v_r of bodies and v_g of all nodes that have mass and may move, those of bodies first. Elastic energies are taken quadratic in v_g, with the stress as it is and the stiffness
/// of a material at its gradient ([`signorini_mpm::Stiffness`]): particles turn with the spin of the step, so that momenta are kept. With them A = M + δt² K and A v* = p + δt f; flow follows after the step.
///
/// A state is that of the bodies with that of the points behind it, in q, v and z each.
///
/// Source: the strongly coupled reference of yu2025mpm (Zong et al. 2024). Deviates: the spin of the step strains nothing; stresses of materials that flow are their own, not those of another energy.
pub struct MonolithicSystem {
    material: MpmSystem,
    rigid: RigidSystem,
    pub(crate) places: Places,
    geoms: Vec<usize>,
    slots: [Slotted; 2],
}

/// A prepared slot, beside the slots of its systems.
#[derive(Default)]
struct Slotted {
    ready: bool,
    /// Node of each unknown block behind those of the bodies; block of each node.
    nodes: Vec<usize>,
    block: Vec<Option<usize>>,
    /// Rows of the constraints of bodies, which come first.
    rigid_rows: usize,
    problem: FrozenProblem<SparseInertia>,
}

impl MonolithicSystem {
    /// System of material points, whose obstacles are [`crate::obstacles`] of these geoms, and the rigid system of the scene.
    ///
    /// # Errors
    /// [`CouplingError`].
    pub fn new(
        scene: &Scene,
        geoms: &[usize],
        material: MpmSystem,
        mut rigid: RigidSystem,
    ) -> Result<Self, CouplingError> {
        let places = Places::new(scene, geoms, material.obstacles(), rigid.model())?;
        for geom in geoms {
            let mut body = scene.geoms[*geom].body;
            while body != 0 && !scene.bodies[body].mocap {
                body = scene.bodies[body].parent;
            }
            if body != 0 {
                let why = format!(
                    "body '{}' is led (mocap), and would stand still in a step of both at once; couple asynchronously, or lead it by a stiff servo",
                    scene.bodies[body].name
                );
                return Err(CouplingError::Geom { geom: scene.geoms[*geom].name.clone(), why });
            }
        }
        rigid.expect_other_impulses();
        Ok(Self { material, rigid, places, geoms: geoms.to_vec(), slots: Default::default() })
    }

    /// The material points.
    pub fn material(&self) -> &MpmSystem {
        &self.material
    }

    /// The rigid system.
    pub fn rigid(&self) -> &RigidSystem {
        &self.rigid
    }

    /// The rigid system, for its controls.
    pub fn rigid_mut(&mut self) -> &mut RigidSystem {
        &mut self.rigid
    }

    /// Writes the state of both.
    pub fn join(&self, points: &State, bodies: &State, out: &mut State) {
        out.copy_from(bodies);
        out.q.extend_from_slice(&points.q);
        out.v.extend_from_slice(&points.v);
        out.z.extend_from_slice(&points.z);
    }

    /// Takes the states of both out of a state.
    ///
    /// # Errors
    /// A state of other sizes.
    pub fn split(&self, x: &State, points: &mut State, bodies: &mut State) -> Result<(), ProblemError> {
        let (whole, first) = (self.sizes(), self.rigid.sizes());
        let lists =
            [("positions q", x.q.len()), ("velocities v", x.v.len()), ("internal variables z", x.z.len())];
        for ((what, found), expected) in lists.into_iter().zip(whole) {
            check_count(what, expected, found)?;
        }
        bodies.copy_from(x);
        (points.t, bodies.t) = (x.t, x.t);
        points.memory.clear();
        let parts = [
            (&x.q, &mut bodies.q, &mut points.q),
            (&x.v, &mut bodies.v, &mut points.v),
            (&x.z, &mut bodies.z, &mut points.z),
        ];
        for ((from, a, b), n) in parts.into_iter().zip(first) {
            a.truncate(n);
            b.clear();
            b.extend_from_slice(&from[n..]);
        }
        Ok(())
    }

    /// Fails on rigid systems whose problem is more than its parts.
    fn check_rigid(p: &FrozenProblem) -> Result<(), ProblemError> {
        let why = if !p.coupling().is_empty() {
            "joints of the rigid system are solved before contacts; let them be laws of the problem (RigidOptions::joints_first off)"
        } else if p.pools().members().iter().any(|m| m.swept().is_some_and(|s| s.memory() > 0.0)) {
            "a law of the rigid system remembers multipliers; take lagged, similar or sap"
        } else {
            return Ok(());
        };
        Err(ProblemError::Unsupported(why.into()))
    }

    /// Obstacles where their bodies are; those that will be faster by the end of the step move as they will then, so that points are found that they come to.
    fn seek(&mut self, slot: Slot, points: &State, horizon: f64) -> Result<(), ProblemError> {
        let mut kin = self.rigid.kinematics(slot).clone();
        let model = self.rigid.model();
        self.places.set(model, &kin, self.material.obstacles_mut());
        let now: Vec<_> =
            self.material.obstacles().iter().map(|o| (o.velocity, o.angular_velocity)).collect();
        if horizon > 0.0 && horizon.is_finite() {
            let later = self.rigid.problem(slot, horizon)?.free_velocity().to_vec();
            let model = self.rigid.model();
            kin.set_velocities(model, &later);
            self.places.set(model, &kin, self.material.obstacles_mut());
            for (o, (v, w)) in self.material.obstacles_mut().iter_mut().zip(&now) {
                o.velocity = if o.velocity.norm() > v.norm() { o.velocity } else { *v };
                o.angular_velocity =
                    if o.angular_velocity.norm() > w.norm() { o.angular_velocity } else { *w };
            }
        }
        let done = self.material.prepare(slot, points, horizon);
        for (o, (v, w)) in self.material.obstacles_mut().iter_mut().zip(now) {
            (o.velocity, o.angular_velocity) = (v, w);
        }
        done
    }

    /// Velocities of all nodes \[m/s\] in a solution.
    fn field(&self, slot: Slot, v: &[f64]) -> Result<Vec<Vector3<f64>>, ProblemError> {
        let (g, s) = (self.material.gathered(slot)?, &self.slots[slot as usize]);
        let mut out = vec![Vector3::zeros(); g.grid.len()];
        let starts = s.problem.inertia().block_starts();
        let expected = starts.last().copied().unwrap_or(0);
        check_count("solution", expected, v.len())?;
        let first = starts.len() - 1 - s.nodes.len();
        for (b, &node) in s.nodes.iter().enumerate() {
            let own = &v[starts[first + b]..starts[first + b + 1]];
            out[node] = g.free[node].whole(own);
        }
        Ok(out)
    }
}

/// The Delassus block of the rows of a tree \[1/kg\].
fn of_body(inertia: &signorini_core::BlockDiagonal, tree: usize, jac: &[f64]) -> Matrix3<f64> {
    let mut w = Matrix3::zeros();
    for row in 0..3 {
        let mut x: Vec<f64> = jac.iter().skip(row).step_by(3).copied().collect();
        inertia.solve_block(tree, &mut x);
        for (column, x) in jac.as_chunks::<3>().0.iter().zip(&x) {
            (0..3).for_each(|i| w[(i, row)] += column[i] * x);
        }
    }
    w
}

impl Slotted {
    /// The unknown blocks behind `trees` of bodies, by the places of their nodes, so that patterns stay the same while nodes do.
    fn number(&mut self, g: &Gathered<'_>, trees: usize) {
        self.nodes.clear();
        self.nodes.extend((0..g.grid.len()).filter(|n| g.grid.mass[*n] > 0.0 && g.free[*n].count > 0));
        self.nodes.sort_unstable_by_key(|n| g.grid.places[*n]);
        self.block.clear();
        self.block.resize(g.grid.len(), None);
        for (b, node) in self.nodes.iter().enumerate() {
            self.block[*node] = Some(trees + b);
        }
    }

    /// A and v*.
    fn set_inertia(
        &mut self,
        points: Points<'_>,
        rigid: &FrozenProblem,
        dt: f64,
    ) -> Result<(), ProblemError> {
        let Points { material, g } = points;
        let stiffness = stiffnesses(material, g)?;
        let bodies = rigid.block_inertia();
        let trees = bodies.block_count();
        let mut starts = Inertia::block_starts(bodies).to_vec();
        let mut free = vec![None; trees];
        for node in &self.nodes {
            free.push(Some(g.free[*node]));
            starts.push(starts[starts.len() - 1] + g.free[*node].count);
        }
        let cells = cells(g, &self.block);
        let p = self.problem.parts_mut();
        p.inertia.reset(&starts, cells.iter().map(|c| &c.blocks[..]));
        add_stiffness(g, &stiffness, &cells, &free, dt, p.inertia);
        (0..trees).for_each(|t| p.inertia.add(t, t, bodies.block(t)));
        let (mut block, gravity) = (Vec::new(), material.options().gravity);
        p.free_velocity.clear();
        p.free_velocity.resize(starts[trees], 0.0);
        for (b, &node) in self.nodes.iter().enumerate() {
            let (n, m) = (g.free[node].count, g.grid.mass[node]);
            block.clear();
            block.resize(n * n, 0.0);
            (0..n).for_each(|i| block[(n + 1) * i] = m);
            p.inertia.add(trees + b, trees + b, &block);
            let momentum = g.grid.momentum[node] + dt * (g.grid.force[node] + m * gravity);
            p.free_velocity.extend(g.free[node].along(&momentum));
        }
        p.inertia.factor()?;
        // The bodies' part is not coupled to the rest.
        let part = signorini_core::Part { blocks: &[], constraints: &[] };
        p.inertia.solve_in_place(part, p.free_velocity);
        p.free_velocity[..starts[trees]].copy_from_slice(rigid.free_velocity());
        Ok(())
    }

    /// The constraints of bodies, and behind them the contacts of points and then their pins.
    fn set_contacts(
        &mut self,
        points: Points<'_>,
        rigid: &RigidSystem,
        slot: Slot,
        obstacles: ObstacleBodies<'_>,
        dt: f64,
    ) -> Result<(), ProblemError> {
        let (Points { material, g }, ObstacleBodies { places, geoms }) = (points, obstacles);
        let (frozen, model, kin) = (rigid.frozen_problem(slot), rigid.model(), rigid.kinematics(slot));
        let p = self.problem.parts_mut();
        *p.map = FrozenMap::new(p.inertia.block_starts());
        p.map.extend(frozen.frozen_map());
        self.rigid_rows = p.map.row_count();
        p.contacts.clear();
        p.contacts.extend_from_slice(frozen.contacts());
        let mut seeds = Vec::new();
        // Laws that share masses share those of nodes and trees among contacts of points.
        let sharing = g.touches.sharing(material.law(), |n| g.grid.mass[n]);
        let mut on_tree = vec![0; model.trees.len()];
        let trees = g.touches.list.iter().filter_map(|t| model.bodies[places.body(t.obstacle)].tree);
        trees.for_each(|tree| on_tree[tree] += 1);
        for (k, t) in g.touches.list.iter().enumerate() {
            let (body, constraint) = (places.body(t.obstacle), p.map.constraint_count() as u32);
            let row = &g.touches.rows[t.row.clone()];
            let meeting = Meeting { x: t.x, frame: t.frame, row, body: Some(body) };
            let linear = meeting.push(points, rigid, slot, &self.block, p.map);
            let on_body = model.bodies[body].tree.map_or(1, |tree| on_tree[tree]);
            let sides = [0, 1].map(|i| ContactSide {
                linear: linear[i],
                contacts: [sharing.as_ref().map_or(1, |s| s[k]), on_body][i],
                ..ContactSide::default()
            });
            let velocity = kin.point_velocity(model, body, &Point3::from(t.x));
            let properties = material.law().properties();
            seeds.push(t.seed(dt, &velocity, &material.obstacles()[t.obstacle], properties, sides));
            let bodies = [body as u32, model.bodies.len() as u32];
            let pair = [geoms[t.obstacle] as u32, model.geoms.len() as u32];
            p.contacts.push(t.geometry(constraint, bodies, pair));
        }
        let mut held = Vec::new();
        for hold in &g.holds.list {
            let row = &g.holds.rows[hold.row.clone()];
            let body = hold.pin.obstacle.map(|o| places.body(o));
            let meeting = Meeting { x: hold.x, frame: Matrix3::identity(), row, body };
            let linear = meeting.push(points, rigid, slot, &self.block, p.map);
            held.push(hold.seed(dt, linear[1].trace() / 3.0));
        }
        let members = frozen.pools().members().iter().map(|m| m.boxed_clone());
        *p.pools = Pools::new(members.chain([seeded(material.law(), seeds)?, pinned(&held)]).collect());
        Ok(())
    }
}

/// A point of the material that meets or is held by a body, or by the world, along axes.
struct Meeting<'a> {
    x: Vector3<f64>,
    frame: Matrix3<f64>,
    /// Nodes with weights.
    row: &'a [(u32, f64)],
    body: Option<usize>,
}

impl Meeting<'_> {
    /// Adds its constraint Rᵀ (Σ w v_i − J_r v_r), with the blocks of nodes; the Delassus blocks of nodes without their stiffness, and of the body \[1/kg\].
    fn push(
        &self,
        Points { g, .. }: Points<'_>,
        rigid: &RigidSystem,
        slot: Slot,
        block: &[Option<usize>],
        map: &mut FrozenMap,
    ) -> [Matrix3<f64>; 2] {
        let (turn, at) = (self.frame.transpose(), Point3::from(self.x));
        let (model, kin) = (rigid.model(), rigid.kinematics(slot));
        let mut linear = [Matrix3::zeros(); 2];
        // Bodies without a tree do not move.
        map.push_constraint(&[0.0; 3]);
        if let Some((body, tree)) = self.body.and_then(|body| Some((body, model.bodies[body].tree?))) {
            let (columns, from) = (map.push_block(tree), model.trees[tree].dofs.start);
            let list = columns.as_chunks_mut::<3>().0;
            kin.for_columns(model, body, &at, |dof, linear, _| list[dof - from] = (-(turn * linear)).into());
            linear[1] = of_body(rigid.frozen_problem(slot).block_inertia(), tree, columns);
        }
        let known = |(node, w): &(u32, f64)| Some((block[*node as usize]?, *w, *node as usize));
        let mut reached: Vec<(usize, f64, usize)> = self.row.iter().filter_map(known).collect();
        reached.sort_unstable_by_key(|r| r.0);
        for (b, w, node) in reached {
            let along = turn * g.free[node].basis();
            linear[0] += w * w / g.grid.mass[node] * &along * along.transpose();
            map.push_block(b).copy_from_slice((w * along).as_slice());
        }
        linear
    }
}

impl System for MonolithicSystem {
    fn sizes(&self) -> [usize; 3] {
        let (a, b) = (self.rigid.sizes(), self.material.sizes());
        std::array::from_fn(|i| a[i] + b[i])
    }

    fn prepare(&mut self, slot: Slot, x0: &State, horizon: f64) -> Result<(), ProblemError> {
        self.slots[slot as usize].ready = false;
        let (mut points, mut bodies) = (State::default(), State::default());
        self.split(x0, &mut points, &mut bodies)?;
        self.rigid.prepare(slot, &bodies, horizon)?;
        self.seek(slot, &points, horizon)?;
        let s = &mut self.slots[slot as usize];
        s.number(
            &self.material.gathered(slot)?,
            self.rigid.frozen_problem(slot).block_inertia().block_count(),
        );
        s.ready = true;
        Ok(())
    }

    fn problem(&mut self, slot: Slot, dt: f64) -> Result<&mut dyn StepProblem, ProblemError> {
        let s = &mut self.slots[slot as usize];
        if !s.ready {
            return Err(ProblemError::NotPrepared { slot });
        }
        self.rigid.problem(slot, dt)?;
        let rigid = self.rigid.frozen_problem(slot);
        Self::check_rigid(rigid)?;
        let points = Points { material: &self.material, g: &self.material.gathered(slot)? };
        s.set_inertia(points, rigid, dt)?;
        let obstacles = ObstacleBodies { places: &self.places, geoms: &self.geoms };
        s.set_contacts(points, &self.rigid, slot, obstacles, dt)?;
        s.problem.finish(dt)?;
        Ok(&mut s.problem)
    }

    fn guess(&self, slot: Slot, x: &State, out: &mut Vec<f64>) {
        out.clear();
        out.extend_from_slice(&x.v[..self.rigid.sizes()[1]]);
        let Ok(g) = self.material.gathered(slot) else { return };
        for &node in &self.slots[slot as usize].nodes {
            let v = g.grid.momentum[node] / g.grid.mass[node];
            out.extend(g.free[node].along(&v));
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
        if !self.slots[slot as usize].ready {
            return Err(ProblemError::NotPrepared { slot });
        }
        check_finite("solution", &s.v)?;
        let field = self.field(slot, &s.v)?;
        let (n, rows) = (self.rigid.sizes()[1], self.slots[slot as usize].rigid_rows);
        let first = |x: &[f64], n: usize| x.iter().take(n).copied().collect::<Vec<f64>>();
        let own = StepSolution {
            v: first(&s.v, n),
            v_position: first(&s.v_position, n),
            v_c: first(&s.v_c, rows),
            gamma: first(&s.gamma, rows),
            ..StepSolution::default()
        };
        let of_points = s.gamma.get(rows..).unwrap_or(&[]);
        let [mut points, mut bodies, mut moved, mut next]: [State; 4] = Default::default();
        self.split(x0, &mut points, &mut bodies)?;
        // Another slot may have moved them; they end with the velocities of the solution.
        let mut kin = self.rigid.kinematics(slot).clone();
        kin.set_velocities(self.rigid.model(), &s.v[..n]);
        self.places.set(self.rigid.model(), &kin, self.material.obstacles_mut());
        self.material.advance(slot, &points, dt, &field, of_points, &mut moved)?;
        self.rigid.commit(slot, &bodies, dt, &own, &mut next)?;
        self.join(&moved, &next, x1);
        Ok(())
    }

    /// The larger of the two.
    fn distance(&self, a: &State, b: &State) -> f64 {
        let mut s: [State; 4] = Default::default();
        let [pa, ba, pb, bb] = &mut s;
        if self.split(a, pa, ba).and_then(|()| self.split(b, pb, bb)).is_err() {
            return f64::NAN;
        }
        largest([self.material.distance(pa, pb), self.rigid.distance(ba, bb)])
    }

    fn defect(&mut self, x0: &State, x1: &State, accuracy: f64) -> f64 {
        self.rigid.defect(x0, x1, accuracy)
    }

    fn further_error(&mut self, x0: &State, full: &State, x1: &State) -> f64 {
        self.rigid.further_error(x0, full, x1)
    }

    fn meeting(&self, slot: Slot, dt: f64, s: &StepSolution) -> Option<f64> {
        self.rigid.meeting(slot, dt, s)
    }

    fn velocity_name(&self, i: usize) -> String {
        let n = self.rigid.sizes()[1];
        if i < n { self.rigid.velocity_name(i) } else { self.material.velocity_name(i - n) }
    }

    fn energy(&mut self, x: &State) -> Energy {
        let (mut points, mut bodies) = (State::default(), State::default());
        if self.split(x, &mut points, &mut bodies).is_err() {
            return Energy { kinetic: f64::NAN, ..Energy::default() };
        }
        self.material.energy(&points) + self.rigid.energy(&bodies)
    }
}
