//! Factorisation of a random pile with the own supernodal code and with faer, by number of bodies.

use std::time::Instant;

use signorini_core::BlockSink;
use signorini_math::{BlockCholesky, BlockParts, BlockPattern};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!(
        "{:>7} {:>9} {:>12} {:>12} {:>12} {:>12}",
        "bodies", "unknowns", "own/ms", "faer/ms", "own an./ms", "faer an./ms"
    );
    for bodies in [10_usize, 20, 50, 100, 200, 400, 700, 1000, 2000, 4000] {
        let side = (bodies as f64).cbrt().round().max(1.0) as usize;
        let at = |i: usize| [i % side, i / side % side, i / side / side];
        let starts: Vec<usize> = (0..=bodies).map(|b| 6 * b).collect();
        let mut pattern = BlockPattern::default();
        pattern.reset(&starts);
        let mut edges = Vec::new();
        for b in 0..bodies {
            for a in 0..b {
                let far: usize = at(a).iter().zip(at(b)).map(|(x, y)| x.abs_diff(y)).sum();
                // Grid neighbours, and some of the diagonal ones.
                if far == 1 || far == 2 && (7 * a + 3 * b) % 4 == 0 {
                    edges.push((a, b));
                    pattern.couple(&[a as u32, b as u32]);
                }
            }
        }
        pattern.couple_all_diagonals();
        pattern.finish();
        let mut parts = BlockParts::default();
        parts.whole(&pattern);
        let mut times = Vec::new();
        for large_from in [usize::MAX, 0] {
            let mut h = BlockCholesky::with_large_from(large_from);
            let start = Instant::now();
            h.analyze(&pattern, &parts)?;
            let analysis = start.elapsed();
            let mut best = f64::INFINITY;
            let rounds = if bodies > 500 { 3 } else { 100 };
            for _ in 0..rounds {
                h.clear(0);
                let mut block = [0.0; 36];
                block.iter_mut().enumerate().for_each(|(i, x)| *x = 0.1 * (i as f64).sin());
                edges.iter().for_each(|&(a, b)| h.add(b, a, &block));
                block.iter_mut().step_by(7).for_each(|d| *d += 50.0);
                for i in 0..36 {
                    block[i] = if i % 7 == 0 { 50.0 } else { 0.0 };
                }
                (0..bodies).for_each(|b| h.add(b, b, &block));
                let start = Instant::now();
                h.factor(0)?;
                best = best.min(start.elapsed().as_secs_f64() * 1e3);
            }
            times.push((best, analysis.as_secs_f64() * 1e3));
        }
        println!(
            "{bodies:7} {:9} {:12.4} {:12.4} {:12.4} {:12.4}",
            6 * bodies,
            times[0].0,
            times[1].0,
            times[0].1,
            times[1].1
        );
    }
    Ok(())
}
