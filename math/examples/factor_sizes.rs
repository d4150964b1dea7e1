//! Analysis and factorisation of a random pile by number of bodies: times, and the rate of a factorisation.
//!
//! `factor_sizes [LARGEST]`: piles of up to so many bodies (400).

use std::time::Instant;

use signorini_core::BlockSink;
use signorini_math::{BlockCholesky, BlockParts, BlockPattern};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let largest: usize = std::env::args().nth(1).map_or(Ok(400), |text| text.parse())?;
    println!("{:>7} {:>9} {:>12} {:>12} {:>9}", "bodies", "unknowns", "analysis/ms", "factor/ms", "GFLOP/s");
    for bodies in [10_usize, 20, 50, 100, 200, 400, 700, 1000, 2000, 4000, 8000] {
        if bodies > largest {
            break;
        }
        let side = (bodies as f64).cbrt().round().max(1.0) as usize;
        let at = |i: usize| [i % side, i / side % side, i / side / side];
        // Grid neighbours, and some of the diagonal ones.
        let touch = |(a, b): &(usize, usize)| {
            let far: usize = at(*a).iter().zip(at(*b)).map(|(x, y)| x.abs_diff(y)).sum();
            far == 1 || far == 2 && (7 * a + 3 * b).is_multiple_of(4)
        };
        let edges: Vec<_> = (0..bodies).flat_map(|b| (0..b).map(move |a| (a, b))).filter(touch).collect();
        let starts: Vec<usize> = (0..=bodies).map(|b| 6 * b).collect();
        let pattern = |edges: &[(usize, usize)]| {
            let mut pattern = BlockPattern::default();
            pattern.reset(&starts);
            edges.iter().for_each(|&(a, b)| pattern.couple(&[a as u32, b as u32]));
            pattern.couple_all_diagonals();
            pattern.finish();
            let mut parts = BlockParts::default();
            parts.whole(&pattern);
            (pattern, parts)
        };
        // A pattern that is analysed again has changed between.
        let (fewer, all) = (pattern(&edges[..edges.len() - 1]), pattern(&edges));
        let mut h = BlockCholesky::default();
        let (mut analysis, mut factor) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..(10_000 / bodies).clamp(2, 100) {
            h.analyze(&fewer.0, &fewer.1);
            let start = Instant::now();
            h.analyze(&all.0, &all.1);
            analysis = analysis.min(start.elapsed().as_secs_f64());
            h.clear(0);
            let block: [f64; 36] =
                std::array::from_fn(|i| if i % 7 == 0 { 0.0 } else { 0.1 * (i as f64).sin() });
            edges.iter().for_each(|&(a, b)| h.add(b, a, &block));
            let diagonal: [f64; 36] = std::array::from_fn(|i| if i % 7 == 0 { 50.0 } else { 0.0 });
            (0..bodies).for_each(|b| h.add(b, b, &diagonal));
            let start = Instant::now();
            h.factor(0)?;
            factor = factor.min(start.elapsed().as_secs_f64());
        }
        let rate = 2e-9 * h.work(0) as f64 / factor;
        println!("{bodies:7} {:9} {:12.4} {:12.4} {rate:9.1}", 6 * bodies, 1e3 * analysis, 1e3 * factor);
    }
    Ok(())
}
