use signorini_core::na::{Matrix3, Point3, Quaternion, Rotation3, UnitQuaternion, Vector3};
use signorini_core::{
    BlockDiagonal, ContactGeometry, ContactMaterial, ContactSeed, ContactSide, Energy, FrozenMap,
    FrozenProblem, LawPool, Pool, Pools, ProblemError, Slot, State, StepProblem, StepSolution, System,
    check_finite, largest,
};

use super::{Stop, StopSeed};

/// A sphere that is part of a body's surface; radius zero for a corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// Centre in body axes, from the centre of mass \[m\].
    pub p_bp: Vector3<f64>,
    /// Radius \[m\], ≥ 0.
    pub radius: f64,
}

/// A free rigid body.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Mass \[kg\].
    pub mass: f64,
    /// Principal moments about the centre of mass \[kg·m²\].
    pub inertia: Vector3<f64>,
    /// Points that can touch the ground.
    pub points: Vec<ContactPoint>,
}

impl Body {
    /// A solid sphere of `radius` \[m\] and `mass` \[kg\].
    pub fn sphere(radius: f64, mass: f64) -> Self {
        let moment = 0.4 * mass * radius * radius;
        let points = vec![ContactPoint { p_bp: Vector3::zeros(), radius }];
        Self { mass, inertia: Vector3::repeat(moment), points }
    }

    /// A solid box with half extents \[m\], 3, and `mass` \[kg\], touching with its corners.
    pub fn cuboid(half: Vector3<f64>, mass: f64) -> Self {
        let s = half.component_mul(&half);
        let inertia = Vector3::new(s.y + s.z, s.z + s.x, s.x + s.y) * (mass / 3.0);
        let sign = |i: usize, axis: usize| if i >> axis & 1 == 0 { -1.0 } else { 1.0 };
        let corner = |i| half.component_mul(&Vector3::from_fn(|axis, _| sign(i, axis)));
        let points = (0..8).map(|i| ContactPoint { p_bp: corner(i), radius: 0.0 }).collect();
        Self { mass, inertia, points }
    }
}

/// The half-space n·x ≤ offset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ground {
    /// Outward unit normal n.
    pub normal: Vector3<f64>,
    /// Height of the surface along n \[m\].
    pub offset: f64,
    /// Velocity of the surface \[m/s\], tangential: a conveyor belt.
    pub velocity: Vector3<f64>,
    /// Surface parameters of every contact.
    pub material: ContactMaterial,
}

impl Ground {
    /// Gap \[m\] of a contact point of a body at `p` turned by `r`, and the lever from the centre of mass to the contact.
    fn gap_and_lever(&self, point: &ContactPoint, p: Vector3<f64>, r: &Matrix3<f64>) -> (f64, Vector3<f64>) {
        let height = self.normal.dot(&(p + r * point.p_bp)) - self.offset;
        // The contact lies on the ground, which is rigid, but never beyond the surface of the body.
        (height - point.radius, r * point.p_bp - self.normal * height.min(point.radius))
    }
}

impl Default for Ground {
    fn default() -> Self {
        let material = ContactMaterial::default();
        Self { normal: Vector3::z(), offset: 0.0, velocity: Vector3::zeros(), material }
    }
}

/// A mass on a rail with a spring, a damper and two stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slider {
    /// Mass \[kg\].
    pub mass: f64,
    /// Spring to q = 0 \[N/m\], explicit.
    pub stiffness: f64,
    /// Damping \[N·s/m\], implicit.
    pub damping: f64,
    /// Positions of the stops \[m\], lower and upper.
    pub stops: [f64; 2],
    /// Stiffness \[N/m\] and damping \[N·s/m\] of the stops.
    pub stop: [f64; 2],
}

/// Toy: free bodies over a ground, and a slider between stops.
///
/// State: per body (x, y, z, qw, qx, qy, qz) and (ω, v) in world axes; then the slider.
pub struct FreeBodies {
    /// The bodies.
    pub bodies: Vec<Body>,
    /// The slider.
    pub slider: Slider,
    /// The ground that the bodies fall on.
    pub ground: Ground,
    /// Gravity \[m/s²\].
    pub gravity: Vector3<f64>,
    /// Force on the slider \[N\]: the control.
    pub control: f64,
    slots: [Prepared; 2],
}

/// Parts of a step that do not depend on its size.
struct Prepared {
    ready: bool,
    mass: BlockDiagonal,
    bias: Vec<f64>,
    v0: Vec<f64>,
    seeds: Vec<ContactSeed>,
    stop_gaps: [f64; 2],
    problem: FrozenProblem,
}

impl FreeBodies {
    /// Bodies and a slider under gravity along −z; `pool` brings the contact law.
    ///
    /// # Errors
    /// As [`FrozenProblem::new`].
    pub fn new(
        bodies: Vec<Body>,
        slider: Slider,
        ground: Ground,
        pool: &dyn LawPool,
    ) -> Result<Self, ProblemError> {
        let prepared = || Prepared::new(bodies.len(), pool);
        let slots = [prepared()?, prepared()?];
        let gravity = Vector3::new(0.0, 0.0, -9.81);
        Ok(Self { bodies, slider, ground, gravity, control: 0.0, slots })
    }

    /// A state at rest with bodies at `positions` \[m\], not turned, and the slider at zero.
    pub fn rest(&self, positions: &[Vector3<f64>]) -> State {
        let mut q = Vec::new();
        for p in positions {
            q.extend([p.x, p.y, p.z, 1.0, 0.0, 0.0, 0.0]);
        }
        q.push(0.0);
        State { t: 0.0, q, v: vec![0.0; 6 * positions.len() + 1], ..State::default() }
    }
}

impl Prepared {
    fn new(bodies: usize, pool: &dyn LawPool) -> Result<Self, ProblemError> {
        let mut sizes = vec![6; bodies];
        sizes.push(1);
        let mut mass = BlockDiagonal::with_sizes(&sizes);
        for (b, n) in sizes.iter().enumerate() {
            mass.block_mut(b).iter_mut().step_by(n + 1).for_each(|d| *d = 1.0);
        }
        mass.factor()?;
        let nv = 6 * bodies + 1;
        let starts: Vec<usize> = (0..=bodies).map(|b| 6 * b).chain([nv]).collect();
        let pools = Pools::new(vec![pool.boxed_empty(), Box::new(Pool::<Stop, 1>::new(Stop))]);
        let map = FrozenMap::new(&starts);
        let problem = FrozenProblem::new(1.0, mass.clone(), vec![0.0; nv], map, pools, Vec::new())?;
        let (bias, v0, seeds) = (vec![0.0; nv], vec![0.0; nv], Vec::new());
        Ok(Self { ready: false, mass, bias, v0, seeds, stop_gaps: [0.0; 2], problem })
    }
}

fn pose(q: &[f64]) -> (Vector3<f64>, Matrix3<f64>) {
    let turn = UnitQuaternion::from_quaternion(Quaternion::new(q[3], q[4], q[5], q[6]));
    (Vector3::new(q[0], q[1], q[2]), Rotation3::from(turn).into_inner())
}

impl System for FreeBodies {
    fn sizes(&self) -> [usize; 3] {
        let n = self.bodies.len();
        [7 * n + 1, 6 * n + 1, 0]
    }

    fn prepare(&mut self, slot: Slot, x0: &State, _horizon: f64) -> Result<(), ProblemError> {
        let [nq, nv, _] = self.sizes();
        for (what, expected, found) in [("q", nq, x0.q.len()), ("v", nv, x0.v.len())] {
            if expected != found {
                return Err(ProblemError::Shape { what, expected, found });
            }
        }
        x0.check_finite()?;
        let Self { bodies, slider, ground, gravity, control, slots } = self;
        let s = &mut slots[slot as usize];
        let parts = s.problem.parts_mut();
        s.ready = false;
        s.v0.clone_from(&x0.v);
        s.seeds.clear();
        parts.map.clear();
        parts.contacts.clear();
        let r_wc = ContactGeometry::frame(&ground.normal);
        for (b, body) in bodies.iter().enumerate() {
            let (p, r) = pose(&x0.q[7 * b..]);
            let spin = Vector3::from_column_slice(&x0.v[6 * b..6 * b + 3]);
            let inertia = r * Matrix3::from_diagonal(&body.inertia) * r.transpose();
            for j in 0..3 {
                let block = s.mass.block_mut(b);
                block[6 * j..6 * j + 3].copy_from_slice(inertia.column(j).as_slice());
                block[6 * (j + 3) + j + 3] = body.mass;
            }
            s.bias[6 * b..6 * b + 3].copy_from_slice(spin.cross(&(inertia * spin)).as_slice());
            s.bias[6 * b + 3..6 * b + 6].copy_from_slice((-body.mass * *gravity).as_slice());
            for point in &body.points {
                let (gap, lever) = ground.gap_and_lever(point, p, &r);
                parts.map.push_constraint((-r_wc.transpose() * ground.velocity).as_slice());
                let jac = parts.map.push_block(b);
                for j in 0..3 {
                    let axis = Vector3::ith(j, 1.0);
                    let turning = r_wc.transpose() * axis.cross(&lever);
                    jac[3 * j..3 * j + 3].copy_from_slice(turning.as_slice());
                    jac[3 * (j + 3)..3 * (j + 4)].copy_from_slice((r_wc.transpose() * axis).as_slice());
                }
                let k = s.seeds.len();
                parts.contacts.push(ContactGeometry {
                    constraint: k as u32,
                    bodies: [0, b as u32 + 1],
                    geoms: [0, k as u32 + 1],
                    p_wc: Point3::from(p + lever),
                    arms: [Vector3::zeros(); 2],
                    r_wc,
                    gap,
                    feature: k as u64,
                });
                s.seeds.push(ContactSeed {
                    preload: 0.0,
                    dt: 0.0,
                    gap,
                    velocity: FrozenProblem::contact_velocity_at(parts.map, k, &x0.v),
                    material: ground.material,
                    sides: ContactSide::single(Matrix3::zeros(), body.points.len() as u32),
                    curvature: None,
                });
            }
        }
        let (q, v) = (x0.q[nq - 1], x0.v[nv - 1]);
        s.mass.block_mut(bodies.len())[0] = slider.mass;
        s.bias[nv - 1] = slider.stiffness * q + slider.damping * v - *control;
        s.stop_gaps = [q - slider.stops[0], slider.stops[1] - q];
        for sign in [1.0, -1.0] {
            parts.map.push_constraint(&[0.0]);
            parts.map.push_block(bodies.len())[0] = sign;
        }
        s.mass.factor()?;
        for (k, seed) in s.seeds.iter_mut().enumerate() {
            seed.sides[0].linear = FrozenProblem::delassus(&s.mass, parts.map, k);
        }
        s.ready = true;
        Ok(())
    }

    fn problem(&mut self, slot: Slot, dt: f64) -> Result<&mut dyn StepProblem, ProblemError> {
        let Self { slider, slots, .. } = self;
        let s = &mut slots[slot as usize];
        if !s.ready {
            return Err(ProblemError::NotPrepared { slot });
        }
        let parts = s.problem.parts_mut();
        // A = M + δt D and v* = v₀ − δt A⁻¹ k₀, one block at a time.
        let blocks = s.mass.block_count();
        for b in 0..blocks {
            parts.inertia.blocks.block_mut(b).copy_from_slice(s.mass.block(b));
        }
        parts.inertia.blocks.block_mut(blocks - 1)[0] += dt * slider.damping;
        parts.inertia.blocks.factor()?;
        parts.free_velocity.clone_from(&s.bias);
        for b in 0..blocks {
            let end = parts.free_velocity.len().min(6 * (b + 1));
            parts.inertia.blocks.solve_block(b, &mut parts.free_velocity[6 * b..end]);
        }
        for (x, v0) in parts.free_velocity.iter_mut().zip(&s.v0) {
            *x = v0 - dt * *x;
        }
        s.seeds.iter_mut().for_each(|seed| seed.dt = dt);
        parts.pools.member_mut(0).reset(&s.seeds);
        if let Some(pool) = parts.pools.member_mut(1).as_any_mut().downcast_mut::<Pool<Stop, 1>>() {
            pool.clear();
            let [stiffness, damping] = slider.stop;
            for gap in s.stop_gaps {
                pool.push(&StopSeed { dt, gap, stiffness, damping });
            }
        }
        s.problem.finish(dt)?;
        Ok(&mut s.problem)
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
        x1.copy_from(x0);
        x1.t += dt;
        x1.v.clone_from(&s.v);
        let moves = s.position_velocity();
        for b in 0..self.bodies.len() {
            let (q, v) = (&mut x1.q[7 * b..7 * b + 7], &moves[6 * b..6 * b + 6]);
            for i in 0..3 {
                q[i] += dt * v[3 + i];
            }
            let turn = Quaternion::new(q[3], q[4], q[5], q[6]);
            let rate = Quaternion::new(0.0, v[0], v[1], v[2]) * turn * 0.5;
            let turned = (turn + rate * dt).normalize();
            q[3..].copy_from_slice(&[turned.w, turned.i, turned.j, turned.k]);
        }
        if let (Some(q), Some(v)) = (x1.q.last_mut(), moves.last()) {
            *q += dt * v;
        }
        Ok(())
    }

    fn distance(&self, a: &State, b: &State) -> f64 {
        largest(a.q.iter().zip(&b.q).map(|(x, y)| (x - y).abs()))
    }

    fn energy(&mut self, x: &State) -> Energy {
        let mut e = Energy::default();
        for (b, body) in self.bodies.iter().enumerate() {
            let (p, r) = pose(&x.q[7 * b..]);
            let spin = r.transpose() * Vector3::from_column_slice(&x.v[6 * b..6 * b + 3]);
            let v = Vector3::from_column_slice(&x.v[6 * b + 3..6 * b + 6]);
            e.kinetic += 0.5 * (spin.dot(&body.inertia.component_mul(&spin)) + body.mass * v.norm_squared());
            e.potential -= body.mass * self.gravity.dot(&p);
            for point in &body.points {
                let depth = self.ground.gap_and_lever(point, p, &r).0.min(0.0);
                e.contact += 0.5 * self.ground.material.stiffness * depth * depth;
            }
        }
        if let (Some(q), Some(v)) = (x.q.last(), x.v.last()) {
            let Slider { mass, stiffness, stops, stop, .. } = self.slider;
            e.kinetic += 0.5 * mass * v * v;
            e.potential += 0.5 * stiffness * q * q;
            for depth in [(q - stops[0]).min(0.0), (stops[1] - q).min(0.0)] {
                e.contact += 0.5 * stop[0] * depth * depth;
            }
        }
        e
    }
}
