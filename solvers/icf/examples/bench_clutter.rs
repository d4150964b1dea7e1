//! Cost of a Newton iteration on a synthetic pile: free bodies of six unknowns, contacts between neighbours and with the ground.
//!
//! `cargo run --release -p signorini-icf --example bench_clutter [bodies] [contacts]`

use std::hint::black_box;
use std::time::Instant;

use signorini_core::na::Vector3;
use signorini_core::{
    BlockDiagonal, ContactGeometry, ContactMap, ContactMaterial, ContactSeed, ContactSide, ContactSolver,
    Evals, FrozenMap, FrozenProblem, Inertia, Pool, Pools, StepProblem, StepSolution, Tolerance,
};
use signorini_icf::{IcfOptions, IcfSolver};
use signorini_laws::Lagged;
use signorini_math::{BlockCholesky, BlockParts, BlockPattern};

/// A cheap sequence of numbers in (−1, 1).
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
    fn vector(&mut self) -> Vector3<f64> {
        Vector3::new(self.next(), self.next(), self.next())
    }
}

const DT: f64 = 5e-3;
const RADIUS: f64 = 0.05;

/// Bodies on a jittered grid 3 wide and 2 deep; the nearest pairs touch until there are enough contacts, a third of them with the
/// ground or the walls.
fn pile(bodies: usize, contacts: usize) -> Result<(FrozenProblem, Vec<f64>), Box<dyn std::error::Error>> {
    let mut noise = Noise(41);
    let centre: Vec<_> = (0..bodies)
        .map(|i| {
            let grid = Vector3::new((i % 3) as f64, (i / 3 % 2) as f64, (i / 6) as f64);
            2.0 * RADIUS * (grid + 0.2 * noise.vector())
        })
        .collect();
    let mut inertia = BlockDiagonal::with_sizes(&vec![6; bodies]);
    for b in 0..bodies {
        for (i, d) in inertia.block_mut(b).iter_mut().step_by(7).enumerate() {
            *d = if i < 3 { 0.4 * 0.52 * RADIUS * RADIUS } else { 0.52 };
        }
    }
    inertia.factor()?;
    let v0: Vec<f64> = (0..6 * bodies).map(|_| 0.2 * noise.next()).collect();
    let v_star: Vec<f64> =
        v0.iter().enumerate().map(|(i, v)| v - if i % 6 == 5 { 9.81 * DT } else { 0.0 }).collect();
    let mut pairs: Vec<(f64, usize, usize)> = (0..bodies)
        .flat_map(|b| (0..b).map(move |a| (a, b)))
        .map(|(a, b)| ((centre[a] - centre[b]).norm(), a, b))
        .collect();
    pairs.sort_by(|x, y| x.0.total_cmp(&y.0));
    let starts: Vec<usize> = (0..=bodies).map(|b| 6 * b).collect();
    let mut map = FrozenMap::new(&starts);
    let mut seeds = Vec::new();
    for k in 0..contacts {
        // Two contacts per close pair, and one with the walls for each pair.
        let (_, a, b) = pairs[(k / 3) % pairs.len()];
        let wall = k % 3 == 2;
        let n = if wall { Vector3::z() } else { (centre[b] - centre[a]).normalize() };
        let frame = ContactGeometry::frame(&(n + 0.1 * noise.vector()).normalize());
        map.push_constraint(&[0.0; 3]);
        for (body, sign) in [(a, -1.0), (b, 1.0)] {
            if wall && sign < 0.0 {
                continue;
            }
            let lever = -sign * RADIUS * n + 0.3 * RADIUS * noise.vector();
            let jac = map.push_block(body);
            for j in 0..3 {
                let axis = Vector3::ith(j, 1.0);
                let turning = sign * frame.transpose() * axis.cross(&lever);
                jac[3 * j..3 * j + 3].copy_from_slice(turning.as_slice());
                let moving = sign * frame.transpose() * axis;
                jac[3 * (j + 3)..3 * (j + 4)].copy_from_slice(moving.as_slice());
            }
        }
        seeds.push(ContactSeed {
            preload: 0.0,
            dt: DT,
            gap: 2e-4 * (noise.next() - 0.6),
            velocity: FrozenProblem::contact_velocity_at(&map, k, &v0),
            material: ContactMaterial { stiffness: 1e5, dissipation: 10.0, ..ContactMaterial::default() },
            curvature: None,
            sides: [ContactSide::default(); 2],
        });
    }
    let mut pool = Pool::<Lagged, 3>::new(Lagged::default());
    for (k, seed) in seeds.iter_mut().enumerate() {
        seed.sides = FrozenProblem::sides(&inertia, &map, k);
        pool.push(seed);
    }
    let pools = Pools::new(vec![Box::new(pool)]);
    Ok((FrozenProblem::new(DT, inertia, v_star, map, pools, Vec::new())?, v0))
}

/// The least time of a few rounds, in microseconds per call.
fn time(mut f: impl FnMut()) -> f64 {
    let rounds = 7;
    let calls = 300;
    (0..rounds)
        .map(|_| {
            let start = Instant::now();
            (0..calls).for_each(|_| f());
            start.elapsed().as_secs_f64() / f64::from(calls) * 1e6
        })
        .fold(f64::INFINITY, f64::min)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1).map(|a| a.parse::<usize>());
    let bodies = arguments.next().transpose()?.unwrap_or(20);
    let contacts = arguments.next().transpose()?.unwrap_or(5 * bodies);
    let (mut p, v0) = pile(bodies, contacts)?;

    let mut solution = StepSolution::default();
    for (name, options) in [
        ("islands", IcfOptions::default()),
        ("islands, reuse", IcfOptions { reuse_hessian: true, ..IcfOptions::default() }),
        ("whole", IcfOptions { islands: false, ..IcfOptions::default() }),
        ("whole, reuse", IcfOptions::paper()),
    ] {
        let mut solver = IcfSolver::new(options);
        let tolerance = Tolerance::default();
        let status = solver.solve(&mut p, &v0, tolerance, &mut solution)?;
        let us = time(|| {
            let _ = solver.solve(&mut p, &v0, tolerance, &mut solution);
        });
        let s = solution.stats;
        println!(
            "{name:15} {status:?}: {us:7.1} µs per solve, {:5.1} µs per iteration; {s:?}",
            us / f64::from(s.iterations.max(1))
        );
    }

    let m = p.pools();
    let (part, map, inertia) = (p.whole(), p.frozen_map(), p.block_inertia());
    let mut evals = Evals::default();
    m.size_evals(&mut evals);
    let v = solution.v.clone();
    let (mut v_c, mut dv_c, mut g) = (solution.v_c.clone(), solution.v_c.clone(), vec![0.0; v.len()]);
    println!("laws         {:6.2} µs", time(|| m.eval(part, black_box(&v_c), &mut evals)));
    let active = evals.hess.chunks(9).filter(|h| h[0] != 0.0).count();
    println!(
        "along        {:6.2} µs",
        time(|| {
            black_box(m.along(part, black_box(&solution.v_c), &dv_c, 0.5, None));
        })
    );
    println!("velocity     {:6.2} µs", time(|| map.velocity(part, black_box(&v), &mut v_c)));
    println!("apply_linear {:6.2} µs", time(|| map.apply_linear(part, black_box(&v), &mut dv_c)));
    println!("inertia      {:6.2} µs", time(|| inertia.apply(part, black_box(&v), &mut g)));
    println!("gradient     {:6.2} µs", time(|| map.add_gradient(part, m, &evals, black_box(&mut g))));
    let (mut pattern, mut parts) = (BlockPattern::default(), BlockParts::default());
    let mut fill = |pattern: &mut BlockPattern| {
        pattern.reset(inertia.block_starts());
        (0..m.constraint_count()).for_each(|k| pattern.couple(map.blocks_of(k)));
        pattern.finish();
        parts.components(pattern);
    };
    println!("pattern      {:6.2} µs", time(|| fill(&mut pattern)));
    let mut h = BlockCholesky::default();
    let empty = BlockPattern::default();
    let mut nothing = BlockParts::default();
    nothing.whole(&empty);
    println!(
        "analysis     {:6.2} µs",
        time(|| {
            h.analyze(&empty, &nothing);
            h.analyze(&pattern, &parts);
        })
    );
    let clear = |h: &mut BlockCholesky| (0..parts.len()).for_each(|p| h.clear(p));
    let assembly = time(|| {
        clear(&mut h);
        inertia.add_blocks(part, &mut h);
        map.add_hessian(part, m, &evals, &mut h);
    });
    println!("assembly     {assembly:6.2} µs");
    let both = time(|| {
        clear(&mut h);
        inertia.add_blocks(part, &mut h);
        map.add_hessian(part, m, &evals, &mut h);
        (0..parts.len()).for_each(|p| assert!(h.factor(p).is_ok()));
    });
    println!("factor       {:6.2} µs", both - assembly);
    println!("solve        {:6.2} µs", time(|| (0..parts.len()).for_each(|p| h.solve(p, &mut g))));
    let work: usize = (0..parts.len()).map(|p| h.work(p)).sum();
    println!(
        "{bodies} bodies, {contacts} contacts ({active} active), {} islands, {work} multiply–adds",
        parts.len()
    );
    Ok(())
}
