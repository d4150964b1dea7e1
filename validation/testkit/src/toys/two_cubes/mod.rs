mod cube;
mod problem;
mod stencil;

use signorini_core::na::{Matrix3, Vector3};
use signorini_core::{
    ContactLaw, Energy, ProblemError, Slot, State, StepProblem, StepSolution, System, check_finite, largest,
};

use super::{LogBarrier, LogBarrierSeed};
pub use cube::Cube;
use cube::{N, vertex};
use problem::CubesProblem;

/// Toy: two affine cubes that a logarithmic barrier keeps apart; distances are queried anew at every trial velocity.
///
/// State: per cube (p, a₁, a₂, a₃), 12, with x = p + Σ X_c a_c; v is its rate.
pub struct TwoCubes {
    cubes: [Cube; 2],
    range: f64,
    stiffness: f64,
    slots: [CubesProblem; 2],
}

impl TwoCubes {
    /// Two cubes; the barrier acts below `range` d̂ \[m\] with `stiffness` κ \[N/m\].
    pub fn new(cubes: [Cube; 2], range: f64, stiffness: f64) -> Self {
        let slots = [CubesProblem::new(cubes, range, stiffness), CubesProblem::new(cubes, range, stiffness)];
        Self { cubes, range, stiffness, slots }
    }

    /// A state at rest with given centres \[m\] and axes (columns).
    pub fn rest(&self, poses: [(Vector3<f64>, Matrix3<f64>); 2]) -> State {
        let mut q = Vec::new();
        for (p, axes) in poses {
            q.extend(p.iter());
            q.extend(axes.iter());
        }
        State { t: 0.0, q, v: vec![0.0; 2 * N], ..State::default() }
    }

    /// The smallest distance of the two surfaces \[m\].
    pub fn gap(&self, x: &State) -> f64 {
        let gap = |s: &stencil::Stencil| s.proximity(&problem::corners(&self.cubes, s, &x.q)).gap;
        stencil::all().iter().map(gap).fold(f64::INFINITY, f64::min)
    }

    /// World positions of the corners of cube `b` \[m\].
    pub fn corners(&self, x: &State, b: usize) -> [Vector3<f64>; 8] {
        std::array::from_fn(|i| vertex(&self.cubes[b], &x.q[N * b..], i))
    }
}

impl System for TwoCubes {
    fn sizes(&self) -> [usize; 3] {
        [2 * N, 2 * N, 0]
    }

    fn prepare(&mut self, slot: Slot, x0: &State, _horizon: f64) -> Result<(), ProblemError> {
        for (what, found) in [("q", x0.q.len()), ("v", x0.v.len())] {
            if found != 2 * N {
                return Err(ProblemError::Shape { what, expected: 2 * N, found });
            }
        }
        x0.check_finite()?;
        self.slots[slot as usize].prepare(&x0.q, &x0.v)
    }

    fn problem(&mut self, slot: Slot, dt: f64) -> Result<&mut dyn StepProblem, ProblemError> {
        let p = &mut self.slots[slot as usize];
        if !p.ready {
            return Err(ProblemError::NotPrepared { slot });
        }
        p.set_step(dt)?;
        Ok(p)
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
        for (q, v) in x1.q.iter_mut().zip(s.position_velocity()) {
            *q += dt * v;
        }
        Ok(())
    }

    fn distance(&self, a: &State, b: &State) -> f64 {
        let corner = |x: &State, c: usize, i: usize| vertex(&self.cubes[c], &x.q[N * c..], i);
        let all = (0..2).flat_map(|c| (0..8).map(move |i| (c, i)));
        largest(all.map(|(c, i)| (corner(a, c, i) - corner(b, c, i)).norm()))
    }

    fn energy(&mut self, x: &State) -> Energy {
        let mut e = Energy::default();
        for (b, cube) in self.cubes.iter().enumerate() {
            let (q, v) = (&x.q[N * b..N * (b + 1)], &x.v[N * b..N * (b + 1)]);
            let column = |x: &[f64], c: usize| Vector3::from_column_slice(&x[3 * c..3 * c + 3]);
            e.kinetic += 0.5 * cube.mass * column(v, 0).norm_squared();
            e.potential -= cube.mass * cube.acceleration.dot(&column(q, 0));
            let axes = [1, 2, 3].map(|c| column(q, c));
            e.potential += problem::stretch_energy(cube.stiffness, &axes);
            for c in 1..4 {
                e.kinetic += 0.5 * cube.mass * cube.half * cube.half / 3.0 * column(v, c).norm_squared();
            }
        }
        let lengths = [2.0 * self.cubes[0].half, 2.0 * self.cubes[1].half];
        for s in stencil::all() {
            let corners = problem::corners(&self.cubes, &s, &x.q);
            let gap = s.proximity(&corners).gap;
            let barrier = LogBarrierSeed { dt: 1.0, gap, range: self.range, stiffness: self.stiffness };
            if gap < self.range {
                e.contact += s.weight(&corners, lengths).value * LogBarrier.cost(&barrier, [0.0].into());
            }
        }
        e
    }
}
