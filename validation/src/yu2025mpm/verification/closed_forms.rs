//! Weights, transfers, the patch test, one particle on a floor, solvers side by side, flow.

use signorini_core::na::{Isometry3, Matrix3, Vector3};
use signorini_core::{
    ContactMaterial, ContactSolver, OneStep, Slot, State, StepSolution, System, Tolerance, largest,
};
use signorini_geometry::Shape;
use signorini_icf::IcfSolver;
use signorini_integrators::ContactStep;
use signorini_laws::contact_pool;
use signorini_mpm::{
    Direction, FixedCorotated, Grid, Lame, Material, MpmEngine, MpmOptions, MpmSolver, MpmSolverOptions,
    MpmSystem, Obstacle, Particles, VonMises, Weights,
};

use super::runs::surface;
use super::{Cases, objective};
use crate::random::Random;
use signorini_report::{Claim, Mark, PageError, PageOutput, Plot};

pub(super) fn fail(e: impl std::fmt::Display) -> PageError {
    PageError::from_error(e)
}

fn vector(r: &mut Random, size: f64) -> Vector3<f64> {
    Vector3::from_fn(|_, _| size * (2.0 * r.uniform() - 1.0))
}

fn rubber() -> Result<Vec<Box<dyn Material>>, PageError> {
    Ok(vec![Box::new(FixedCorotated(Lame::new(1e4, 0.3).map_err(fail)?))])
}

pub(super) fn add(cases: &mut Cases, out: &mut PageOutput) -> Result<(), PageError> {
    let mut r = Random::new(1);
    weights(cases, &mut r);
    weights_of_the_fast_path(cases, &mut r)?;
    transfers(cases, &mut r)?;
    patch(cases)?;
    one_particle(cases)?;
    solvers(cases)?;
    objective::add(cases)?;
    flow(cases, out)
}

fn weights(cases: &mut Cases, r: &mut Random) {
    let (h, mut worst) = (0.1, 0.0f64);
    for _ in 0..1000 {
        let x = vector(r, 1.0);
        let (mut sum, mut first, mut second) =
            (-1.0, Vector3::zeros(), Matrix3::identity() * (-0.25 * h * h));
        for (_, w, d) in Weights::at(&x, h).nodes() {
            sum += w;
            first += w * d;
            second += w * d * d.transpose();
        }
        worst = worst.max(f64::abs(sum)).max(first.norm() / h).max(second.norm() / (h * h));
    }
    let text = "grid weights: largest error of Σ w = 1, Σ w r/h = 0 and Σ w r rᵀ/h² = ¼ at 1000 positions";
    cases.add(
        "V1",
        Claim::at_most("weights", text, 1e-14, worst, "")
            .rule("at most 1e-14, the round-off of sums over 27 nodes"),
    );
}

/// A particle alone gives its nodes v + C r and has both back if Σ w = 1, Σ w r = 0 and Σ w r rᵀ = h²/4.
fn weights_of_the_fast_path(cases: &mut Cases, r: &mut Random) -> Result<(), PageError> {
    let (h, mut p) = (0.1, Particles::default());
    for n in 0..1000usize {
        let k = Vector3::new((n / 100) as f64, (n / 10 % 10) as f64, (n % 10) as f64);
        p.push(5.0 * h * k + vector(r, 0.5 * h), 1.0, 1e-3, 0);
        (p.v[n], p.c[n]) = (vector(r, 1.0), Matrix3::from_fn(|_, _| r.normal() / h));
    }
    let options = MpmOptions { spacing: h, gravity: Vector3::zeros(), ..MpmOptions::default() };
    let law = contact_pool("lagged").map_err(fail)?;
    let mut engine =
        MpmEngine::<f32>::new(p.clone(), rubber()?, vec![], vec![], law, options).map_err(fail)?;
    engine.step(1e-3).map_err(fail)?;
    let after = engine.particles();
    let off = |n: usize| {
        let moved = (after.v[n] - p.v[n]).norm().max(0.25 * h * (after.c[n] - p.c[n]).norm());
        moved / (p.v[n].norm() + h * p.c[n].norm())
    };
    let text = "grid weights in single precision: largest relative change of v and C h/4 of 1000 single particles by a transfer to the grid and back";
    cases.add(
        "V1",
        Claim::at_most("weights/fast", text, 2e-6, largest((0..p.len()).map(off)), "")
            .rule("at most 2e-6, about thirty roundings of single precision"),
    );
    Ok(())
}

fn transfers(cases: &mut Cases, r: &mut Random) -> Result<(), PageError> {
    let h = 0.2;
    let mut p = Particles::default();
    let mut stress = Vec::new();
    for i in 0..200 {
        p.push(vector(r, 0.5), 0.5 + r.uniform(), 1e-3, 0);
        p.v[i] = vector(r, 1.0);
        p.c[i] = Matrix3::from_fn(|_, _| 5.0 * r.normal());
        let s = Matrix3::from_fn(|_, _| 1e3 * r.normal());
        stress.push(s + s.transpose());
    }
    let mut grid = Grid::new(h);
    grid.gather(&p, &stress, &vec![Vector3::zeros(); p.len()]);
    let nodes = || 0..grid.len();
    let mass = (nodes().map(|n| grid.mass[n]).sum::<f64>() / p.mass.iter().sum::<f64>() - 1.0).abs();
    let momentum = nodes().map(|n| grid.momentum[n]).sum::<Vector3<f64>>() - p.momentum();
    let turn = nodes().map(|n| grid.position(n).cross(&grid.momentum[n])).sum::<Vector3<f64>>()
        - p.angular_momentum(h);
    let size: f64 = p.mass.iter().sum();
    let lost = mass.max(momentum.norm() / size).max(turn.norm() / size);
    cases.add(
        "V2",
        Claim::at_most(
            "transfers",
            "transfers to the grid: largest relative loss of mass, momentum and angular momentum",
            1e-14,
            lost,
            "",
        )
        .rule("at most 1e-14, the round-off of sums over 200 particles"),
    );
    // A turning cube.
    let (h, spin, mut cube) = (0.1, Vector3::new(0.5, -1.0, 4.0), Particles::default());
    for n in 0..64usize {
        let k = Vector3::new((n / 16) as f64, (n / 4 % 4) as f64, (n % 4) as f64);
        let x = (k.add_scalar(0.5)) * 0.05 - Vector3::repeat(0.1);
        cube.push(x, 0.125, 1.25e-4, 0);
        (cube.v[n], cube.c[n]) = (spin.cross(&x), spin.cross_matrix());
    }
    let before = cube.angular_momentum(h);
    let options = MpmOptions { spacing: h, gravity: Vector3::zeros(), ..MpmOptions::default() };
    let system = |p: Particles| {
        let (rubber, law) = (rubber()?, contact_pool("lagged").map_err(fail)?);
        MpmSystem::new(p, rubber, vec![], vec![], law, options).map_err(fail)
    };
    let mut s = system(cube.clone())?;
    let mut step = ContactStep::new(MpmSolver::default());
    let (mut x, mut next, steps) = (s.initial_state(), State::default(), 400);
    for _ in 0..steps {
        step.step(&mut s, &x, 1e-3, false, &mut next).map_err(fail)?;
        std::mem::swap(&mut x, &mut next);
    }
    let drift = (s.particles(&x).map_err(fail)?.angular_momentum(h) - before).norm() / before.norm();
    cases.add(
        "V2",
        Claim::at_most(
            "turning",
            "rotating cube: relative loss of angular momentum per step",
            2e-16,
            drift / f64::from(steps),
            "",
        )
        .rule("at most 2e-16, one rounding error per step"),
    );
    // Without affine velocities: the loss that the test above would see in a method that keeps less.
    let mut p = cube.clone();
    let orbital =
        |p: &Particles| (0..p.len()).map(|n| p.mass[n] * p.x[n].cross(&p.v[n])).sum::<Vector3<f64>>();
    let (before, steps) = (orbital(&p).norm(), 20);
    for _ in 0..steps {
        p.c.fill(Matrix3::zeros());
        let mut s = system(p)?;
        let x = s.initial_state();
        step.step(&mut s, &x, 1e-3, false, &mut next).map_err(fail)?;
        p = s.particles(&next).map_err(fail)?;
    }
    let kept = (orbital(&p).norm() / before).powf(1.0 / f64::from(steps));
    let text = "rotating cube with affine velocities set to zero: relative loss of angular momentum per step";
    cases.add(
        "V2",
        Claim::at_least("turning/plain", text, 0.3, 1.0 - kept, "").rule(
            "at least 0.3, because h²/4 of the weights over the sum of h²/4 and the mean square of x is 0.44",
        ),
    );
    Ok(())
}

fn patch(cases: &mut Cases) -> Result<(), PageError> {
    let (h, mut p) = (0.1, Particles::default());
    let strain = Matrix3::from_diagonal(&Vector3::new(1.01, 0.99, 1.0));
    p.lattice(Vector3::repeat(0.025), 0.05, [16; 3], 1000.0, 1.25e-4, 0);
    p.f.fill(strain);
    let m = FixedCorotated(Lame::new(1e4, 0.3).map_err(fail)?);
    let stress = vec![m.stress(&strain); p.len()];
    let mut grid = Grid::new(h);
    grid.gather(&p, &stress, &vec![Vector3::zeros(); p.len()]);
    let scale = stress[0].norm() * h * h;
    let inside = (0..grid.len()).filter(|n| grid.places[*n].iter().all(|k| (2..=6).contains(k)));
    let worst = inside.map(|n| grid.force[n].norm() / scale).fold(0.0, f64::max);
    cases.add(
        "V3",
        Claim::at_most("patch", "uniform strain: largest inner nodal force over τ h²", 2e-14, worst, "")
            .rule("at most 2e-14, a hundred rounding errors in the sums around a node"),
    );
    let (young, mut r) = (1e4, Random::new(3));
    let turned = (0..1000).map(|_| {
        let f = *r.rotation().to_rotation_matrix().matrix();
        (m.stress(&f).norm() / young).max(m.energy(&f).abs() / young)
    });
    let text = "fixed corotated material: largest stress and energy of 1000 rotations over Young's modulus";
    cases.add(
        "V3",
        Claim::at_most("rotation", text, 3e-14, largest(turned), "")
            .rule("at most 3e-14, a hundred rounding errors of a polar decomposition"),
    );
    Ok(())
}

pub(super) fn floor_system(
    p: Particles,
    material: ContactMaterial,
    options: MpmOptions,
) -> Result<MpmSystem, PageError> {
    let floor = Obstacle::new("floor", Shape::HalfSpace, Isometry3::identity(), material);
    let rubber: Vec<Box<dyn Material>> = vec![Box::new(FixedCorotated(Lame::new(1e5, 0.3).map_err(fail)?))];
    let law = contact_pool("lagged").map_err(fail)?;
    MpmSystem::new(p, rubber, vec![], vec![floor], law, options).map_err(fail)
}

fn one_particle(cases: &mut Cases) -> Result<(), PageError> {
    let (m, k, d, dt, depth, v0) = (0.2, 2e3, 5.0, 1e-3, 1e-3, -0.4);
    let mut p = Particles::default();
    p.push(Vector3::new(0.03, 0.01, -depth), m, 1e-6, 0);
    p.v[0].z = v0;
    let options =
        MpmOptions { spacing: 0.1, gravity: Vector3::zeros(), courant: 1e4, ..MpmOptions::default() };
    let mut s = floor_system(p, surface(k, d, 0.0), options)?;
    let (x, mut next) = (s.initial_state(), State::default());
    let tight = Tolerance { relative: 1e-14, max_iterations: 100 };
    let mut step = ContactStep::new(MpmSolver::default()).with_tolerance(tight);
    step.step(&mut s, &x, dt, false, &mut next).map_err(fail)?;
    // m (v − v*) = δt k (φ₀ − δt v)(1 − d v).
    let (a, b, c) = (k * d * dt * dt, -m - k * dt * (dt + d * depth), k * dt * depth + m * v0);
    let root = (-b - (b * b - 4.0 * a * c).sqrt()) / (2.0 * a);
    cases.add(
        "V10",
        Claim::at_most(
            "one_particle",
            "single particle on a floor: difference of its speed from the closed form",
            3e-14,
            (next.v[2] - root).abs(),
            "m/s",
        )
        .rule("at most 3e-14, because the tolerance of the solve is 1e-14"),
    );
    Ok(())
}

/// A rubber cube thrown onto a floor, the velocities at its start and a step \[s\].
pub(super) fn thrown() -> Result<(MpmSystem, Vec<f64>, f64), PageError> {
    let mut p = Particles::default();
    for n in 0..125usize {
        let k = Vector3::new((n / 25) as f64, (n / 5 % 5) as f64, (n % 5) as f64) * 0.025;
        p.push(k - Vector3::new(0.0, 0.0, 1e-4), 8e-3, 8e-6, 0);
        p.v[n] = Vector3::new(0.1, 0.02, -0.1);
    }
    let options = MpmOptions { spacing: 0.05, ..MpmOptions::default() };
    let dt = 2e-4;
    let mut s = floor_system(p, surface(1e4, 10.0, 0.8), options)?;
    let x = s.initial_state();
    s.prepare(Slot::Start, &x, dt).map_err(fail)?;
    let mut guess = Vec::new();
    s.guess(Slot::Start, &x, &mut guess);
    Ok((s, guess, dt))
}

fn solvers(cases: &mut Cases) -> Result<(), PageError> {
    let (mut s, guess, dt) = thrown()?;
    let mut ends: Vec<Vec<f64>> = Vec::new();
    let mut converged = true;
    let of = |direction| MpmSolver::new(MpmSolverOptions { direction, ..MpmSolverOptions::default() });
    let tight = Tolerance { relative: 1e-12, max_iterations: 2000 };
    let mut icf = IcfSolver::default();
    let (mut pcg, mut diagonal) = (of(Direction::NewtonPcg), of(Direction::BlockDiagonal));
    let all: [&mut dyn ContactSolver; 3] = [&mut icf, &mut pcg, &mut diagonal];
    for solver in all {
        let mut solution = StepSolution::default();
        let p = s.problem(Slot::Start, dt).map_err(fail)?;
        let status = solver.solve(p, &guess, tight, &mut solution).map_err(fail)?;
        converged &= status == signorini_core::SolveStatus::Converged;
        ends.push(solution.v);
    }
    let apart = ends[1..].iter().flat_map(|v| v.iter().zip(&ends[0]).map(|(a, b)| (a - b).abs()));
    let text = "Newton, Newton–PCG and quasi-Newton on one substep: largest difference of the velocities";
    cases.add(
        "V13",
        Claim::at_most("solvers", text, 1e-11, apart.fold(0.0, f64::max), "m/s")
            .rule("at most 1e-11, ten times the tolerance of the solves"),
    );
    cases.add(
        "V13",
        Claim::decided(
            "solvers/converged",
            "Newton, Newton–PCG and quasi-Newton on one substep: all three converge to 10⁻¹²",
            converged,
        )
        .values("all".into(), if converged { "all" } else { "not all" }.into(), "")
        .rule("no solve ends before its tolerance"),
    );
    Ok(())
}

fn flow(cases: &mut Cases, out: &mut PageOutput) -> Result<(), PageError> {
    let dough = VonMises::new(Lame::new(1e5, 0.3).map_err(fail)?, 2e3).map_err(fail)?;
    let (mut f, mut memory, limit) = (Matrix3::identity(), 0.0, dough.largest_deviator());
    let mut shear = Matrix3::zeros();
    shear[(0, 2)] = 1e-3;
    let (mut beyond, mut grown, mut curve) = (0.0f64, 0.0f64, vec![(0.0, 0.0)]);
    for k in 1..=200 {
        f += shear * f;
        let before = f.determinant();
        dough.flow(&mut f, &mut memory, 1e-3);
        let tau = dough.stress(&f);
        let deviator = tau - Matrix3::identity() * (tau.trace() / 3.0);
        beyond = beyond.max(deviator.norm() / limit - 1.0);
        grown = grown.max((f.determinant() / before - 1.0).abs());
        curve.push((1e-3 * f64::from(k), deviator.norm()));
    }
    let last = curve[curve.len() - 1].1;
    let mut plot = Plot::new(
        "yield",
        "Norm of the stress deviator of dough in simple shear. The yield limit √(2/3) σ_y is the dashed closed form.",
        "shear [–]",
        "norm of the stress deviator [Pa]",
    );
    plot.add("|dev τ|", Mark::Line, curve);
    plot.add_closed_form(vec![(0.0, limit), (0.2, limit)]);
    out.plot(plot);
    cases.add(
        "V15",
        Claim::relative(
            "yield",
            "dough in simple shear: norm of the stress deviator at the end",
            limit,
            last,
            1e-12,
            "Pa",
        ),
    );
    cases.add(
        "V15",
        Claim::at_most(
            "yield/beyond",
            "dough in simple shear: largest relative distance beyond the yield surface",
            1e-12,
            beyond,
            "",
        )
        .rule("at most 1e-12, because the machine precision relative to strains of 1e-2 is 2e-14"),
    );
    cases.add(
        "V15",
        Claim::at_most(
            "yield/volume",
            "dough in simple shear: largest relative change of volume by plastic flow",
            3e-14,
            grown,
            "",
        )
        .rule("at most 3e-14, a hundred rounding errors of a determinant"),
    );
    Ok(())
}
