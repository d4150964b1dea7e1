use crate::philox::{open_unit, philox};
use crate::sobol::Sobol;

/// Source of random numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// Independent numbers.
    #[default]
    Random,
    /// Points of a scrambled Sobol' sequence, through the inverse of the normal distribution: samples of one iteration spread evenly over each direction, best where they are one more than a power of two (the mean takes none). At most
    /// [`Sobol::MOST_DIMENSIONS`] numbers per sample and 2³⁰ samples.
    LowDiscrepancy,
}

/// Key of the numbers of a sample. They depend on these four and on nothing else, neither on threads nor on the order of draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawKey {
    /// Seed of the run.
    pub seed: u64,
    /// Number of the replan.
    pub replan: u32,
    /// Number of the iteration within it.
    pub iteration: u32,
    /// Number of the sample.
    pub sample: u32,
}

/// Two independent standard normal numbers of 128 random bits (Box–Muller).
fn normal_pair(b: [u32; 4]) -> [f64; 2] {
    let (u, turn) = (open_unit(b[0], b[1]), open_unit(b[2], b[3]));
    let radius = (-2.0 * u.ln()).sqrt();
    let (sin, cos) = (std::f64::consts::TAU * turn).sin_cos();
    [radius * cos, radius * sin]
}

impl DrawKey {
    fn block(&self, number: u32) -> [u32; 4] {
        let key = [self.seed as u32, (self.seed >> 32) as u32];
        philox([number, self.sample, self.iteration, self.replan], key)
    }

    /// Independent standard normal numbers, as many as `out` is long.
    pub fn normals(&self, out: &mut [f64]) {
        for (i, pair) in out.chunks_mut(2).enumerate() {
            pair.iter_mut().zip(normal_pair(self.block(i as u32))).for_each(|(x, n)| *x = n);
        }
    }
}

/// Standard normal numbers of samples, from either source.
#[derive(Clone, Debug)]
pub struct Noise {
    seed: u64,
    sobol: Option<Sobol>,
}

impl Noise {
    /// For `dimensions` numbers per sample. None: more than a low-discrepancy sequence has.
    pub fn new(seed: u64, source: Source, dimensions: usize) -> Option<Self> {
        let sobol = match source {
            Source::Random => None,
            Source::LowDiscrepancy => Some(Sobol::new(dimensions)?),
        };
        Some(Self { seed, sobol })
    }

    /// Prepares the numbers of an iteration: scrambles a sequence anew.
    pub fn begin(&mut self, replan: u32, iteration: u32) {
        if let Some(sobol) = &mut self.sobol {
            sobol.scramble(self.seed, replan, iteration);
        }
    }

    /// Numbers of one sample of the iteration that was begun, from 1 on: sample 0 is the mean, so that sample 1 has the first point of a sequence.
    pub fn fill(&self, replan: u32, iteration: u32, sample: u32, out: &mut [f64]) {
        match &self.sobol {
            None => DrawKey { seed: self.seed, replan, iteration, sample }.normals(out),
            Some(sobol) => {
                for (d, x) in out.iter_mut().enumerate() {
                    *x = inverse_normal(sobol.point(sample.saturating_sub(1), d));
                }
            }
        }
    }
}

/// Numbers in sequence for one purpose of a run: starts of episodes, noise of measurements. Equal seeds and purposes give equal sequences.
#[derive(Clone, Debug)]
pub struct Stream {
    seed: u64,
    purpose: u32,
    count: u64,
}

impl Stream {
    /// From the start of the sequence.
    pub fn new(seed: u64, purpose: u32) -> Self {
        Self { seed, purpose, count: 0 }
    }

    fn block(&mut self) -> [u32; 4] {
        let n = self.count;
        self.count += 1;
        // No replan has this number, so that no sample draws the same.
        let counter = [n as u32, (n >> 32) as u32, self.purpose, u32::MAX];
        philox(counter, [self.seed as u32, (self.seed >> 32) as u32])
    }

    /// Uniform between two numbers.
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        let b = self.block();
        low + (high - low) * open_unit(b[0], b[1])
    }

    /// Standard normal.
    pub fn normal(&mut self) -> f64 {
        normal_pair(self.block())[0]
    }

    /// One of `count` numbers from 0, `count` > 0.
    pub fn below(&mut self, count: usize) -> usize {
        let b = self.block();
        (open_unit(b[0], b[1]) * count.max(1) as f64) as usize
    }
}

/// The inverse of the standard normal distribution function for 0 < p < 1: Acklam's rational approximations, relative error below 1.2e-9.
pub fn inverse_normal(p: f64) -> f64 {
    const A: [f64; 6] = [
        -3.969_683_028_665_376e1,
        2.209_460_984_245_205e2,
        -2.759_285_104_469_687e2,
        1.383_577_518_672_69e2,
        -3.066_479_806_614_716e1,
        2.506_628_277_459_239,
    ];
    const B: [f64; 6] = [
        -5.447_609_879_822_406e1,
        1.615_858_368_580_409e2,
        -1.556_989_798_598_866e2,
        6.680_131_188_771_972e1,
        -1.328_068_155_288_572e1,
        1.0,
    ];
    const C: [f64; 6] = [
        -7.784_894_002_430_293e-3,
        -3.223_964_580_411_365e-1,
        -2.400_758_277_161_838,
        -2.549_732_539_343_734,
        4.374_664_141_464_968,
        2.938_163_982_698_783,
    ];
    const D: [f64; 5] = [
        7.784_695_709_041_462e-3,
        3.224_671_290_700_398e-1,
        2.445_134_137_142_996,
        3.754_408_661_907_416,
        1.0,
    ];
    let horner = |c: &[f64], x: f64| c.iter().fold(0.0, |sum, c| sum * x + c);
    let tail = |p: f64| {
        let q = (-2.0 * p.ln()).sqrt();
        horner(&C, q) / horner(&D, q)
    };
    const LOW: f64 = 0.02425;
    if p < LOW {
        tail(p)
    } else if p > 1.0 - LOW {
        -tail(1.0 - p)
    } else {
        let q = p - 0.5;
        let r = q * q;
        q * horner(&A, r) / horner(&B, r)
    }
}
