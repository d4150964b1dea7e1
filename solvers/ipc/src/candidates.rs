use signorini_core::na::Vector3;
use signorini_geometry::{Ccd, Impact, Stencil, StencilPair, StraightMotion, SurfacePairs};

use crate::counted::count;
use crate::reached::{Candidate, Reached};
use crate::threads::{CHUNK, Threads};
use crate::world::{N, World, gather};

/// Largest distance of points from the segment that candidates were sought along, in units of the reach.
const SLACK: f64 = 1.0;

/// Pairs within reach anywhere near a segment of coordinates: found once, used for collision detection and trial points along the segment and for everything nearby.
#[derive(Clone, Debug, Default)]
pub(crate) struct Candidates {
    search: SurfacePairs,
    /// Distance within which pairs are looked for \[m\].
    reach: f64,
    list: Vec<Candidate>,
    valid: bool,
    /// The segment.
    start: Vec<f64>,
    travel: Vec<f64>,
    travel_squared: f64,
    /// Largest distance of a point from where the segment has it \[m\].
    slack: f64,
    pairs: Vec<StencilPair>,
    /// Pairs that stay of each chunk.
    kept: Vec<usize>,
    threads: Threads,
    /// Coordinates at which each body was last looked at, and the farthest that its points have gone since the beginning \[m\].
    seen: Vec<f64>,
    odometers: Vec<f64>,
    x: Vec<Vector3<f64>>,
    dx: Vec<Vector3<f64>>,
    shift: Vec<Vector3<f64>>,
}

/// Longest way of a point of a body between two places.
fn way(q: &[f64], from: &[f64], radius: f64) -> f64 {
    let off = |i: usize| (q[i] - from[i]).powi(2);
    let (p, a) = ((0..3).map(off).sum::<f64>(), (3..N).map(off).sum::<f64>());
    p.sqrt() + radius * a.sqrt()
}

/// Longest way of one side past the other, the motion of all four points taken off.
pub(crate) fn approach(stencil: Stencil, dx: &[Vector3<f64>; 4]) -> f64 {
    let mean = (dx[0] + dx[1] + dx[2] + dx[3]) / 4.0;
    let of = |i: usize| (dx[i] - mean).norm_squared();
    let squared = [of(0), of(1), of(2), of(3)];
    match stencil {
        Stencil::PointTriangle => squared[0].sqrt() + squared[1].max(squared[2]).max(squared[3]).sqrt(),
        Stencil::EdgeEdge => squared[0].max(squared[1]).sqrt() + squared[2].max(squared[3]).sqrt(),
    }
}

impl Candidates {
    /// Candidates of pairs within `reach` \[m\].
    pub(crate) fn new(world: &World, reach: f64, threads: Threads) -> Self {
        Self { search: SurfacePairs::new(world.surfaces()), reach, threads, ..Self::default() }
    }

    pub(crate) fn list(&self) -> &[Candidate] {
        &self.list
    }

    pub(crate) fn list_mut(&mut self) -> &mut [Candidate] {
        &mut self.list
    }

    pub(crate) fn search(&mut self) -> &mut SurfacePairs {
        &mut self.search
    }

    /// Distances of the pairs within reach at `q`, where points are at `x`, with the number of the candidate. Pairs that cannot have come within reach since they
    /// were last looked at are passed over.
    pub(crate) fn look(&mut self, world: &World, q: &[f64], x: &[Vector3<f64>], out: &mut Vec<Reached>) {
        self.ensure(world, q, q);
        self.seen.resize(q.len(), f64::NAN);
        self.odometers.resize(world.free.len(), 0.0);
        for ((odometer, free), radius) in self.odometers.iter_mut().zip(&world.free).zip(&world.radius) {
            let Some(f) = free else { continue };
            let at = N * *f as usize..N * *f as usize + N;
            let way = way(&q[at.clone()], &self.seen[at], *radius);
            // Not a number: nothing was seen before.
            *odometer += if way.is_finite() { way } else { 0.0 };
        }
        self.seen.copy_from_slice(q);
        let reach = self.reach;
        out.clear();
        let odometers = &self.odometers;
        let look = |first: usize, chunk: &mut [Candidate], out: &mut Vec<Reached>| {
            for (i, c) in (first as u32..).zip(chunk) {
                let [a, b] = world.bodies_of(c.pair.surfaces);
                let odometer = odometers[a as usize] + odometers[b as usize];
                // Round-off of the sums is far below a millionth of the way.
                if c.gap - 1.000001 * (odometer - c.odometer) > reach {
                    continue;
                }
                let d = c.pair.stencil.distance(&gather(&c.pair, x));
                let n = Reached::new(i, d, c.thickness);
                (c.gap, c.odometer) = (n.gap, odometer);
                if n.gap < reach {
                    out.push(n);
                }
            }
        };
        if self.threads.alone(self.list.len()) {
            look(0, &mut self.list, out);
        } else {
            let work = |first: usize, chunk: &mut [Candidate]| {
                let mut found = Vec::new();
                look(first, chunk, &mut found);
                found
            };
            self.threads.run(&mut self.list, work, |found| out.extend(found));
        }
        count(&world.multiplicity, &self.list, x, reach, out);
    }

    /// Whether all pairs within reach at `q` are in the list.
    fn covers(&self, world: &World, q: &[f64]) -> bool {
        if !self.valid {
            return false;
        }
        let along: f64 =
            q.iter().zip(&self.start).zip(&self.travel).map(|((q, s), t)| (q - s) * t).sum::<f64>();
        let t = if self.travel_squared > 0.0 { (along / self.travel_squared).clamp(0.0, 1.0) } else { 0.0 };
        world.free.iter().zip(&world.radius).all(|(free, radius)| {
            let Some(f) = free else { return true };
            let at = N * *f as usize;
            let off = |i: usize| (q[i] - self.start[i] - t * self.travel[i]).powi(2);
            let (p, a) = ((at..at + 3).map(off).sum::<f64>(), (at + 3..at + N).map(off).sum::<f64>());
            p.sqrt() + radius * a.sqrt() <= self.slack
        })
    }

    /// Sees to it that the list has all pairs within reach at any point between `from` and `to`.
    pub(crate) fn ensure(&mut self, world: &World, from: &[f64], to: &[f64]) {
        if self.covers(world, from) && self.covers(world, to) {
            return;
        }
        self.start.clear();
        self.start.extend_from_slice(from);
        self.travel.clear();
        self.travel.extend(to.iter().zip(from).map(|(a, b)| a - b));
        self.travel_squared = self.travel.iter().map(|t| t * t).sum();
        self.slack = SLACK * self.reach;
        self.valid = true;
        world.positions(from, &mut self.x);
        world.ways(&self.travel, &mut self.dx);
        self.shift.clear();
        self.shift.extend((0..self.search.surfaces().len()).map(|s| {
            match world.free[world.part(s as u32).body] {
                Some(f) => Vector3::from_column_slice(&self.travel[N * f as usize..N * f as usize + 3]),
                None => Vector3::zeros(),
            }
        }));
        let motion = StraightMotion { x: &self.x, dx: &self.dx, shift: &self.shift };
        let reach = self.reach + 2.0 * self.slack;
        self.search.find(motion, reach, |a, b| world.collide(a, b), &mut self.pairs);
        self.list.clear();
        let (x, dx, list) = (&self.x, &self.dx, &mut self.list);
        let work = |_: usize, chunk: &mut [StencilPair]| {
            // Keeps those that may come within reach; round-off of the way is far below the slack.
            let mut kept = 0;
            for i in 0..chunk.len() {
                let pair = chunk[i];
                let d = pair.stencil.distance(&gather(&pair, x)).distance() - world.thickness(&pair);
                if d <= reach + approach(pair.stencil, &gather(&pair, dx)) && !world.passed_over(&pair) {
                    chunk[kept] = pair;
                    kept += 1;
                }
            }
            kept
        };
        self.kept.clear();
        let kept = &mut self.kept;
        self.threads.run(&mut self.pairs, work, |n| kept.push(n));
        for (chunk, n) in self.pairs.chunks(CHUNK).zip(&self.kept) {
            list.extend(chunk[..*n].iter().map(|pair| Candidate {
                pair: *pair,
                mollifier: world.mollifier(pair),
                sides: world.sides(pair),
                weight: world.weight(pair),
                thickness: world.thickness(pair),
                start: f64::NAN,
                gap: f64::NAN,
                odometer: 0.0,
            }));
        }
    }

    /// Part of `ways` from `x` along which no pair gets nearer than the fraction of [`Ccd`] allows, at most 1, and the pair that bounds it.
    pub(crate) fn impact(
        &mut self,
        ccd: &Ccd,
        x: &[Vector3<f64>],
        ways: &[Vector3<f64>],
    ) -> (f64, Option<[u32; 2]>) {
        let work = |_: usize, chunk: &mut [Candidate]| {
            let (mut alpha, mut blocking) = (1.0f64, None);
            for c in chunk {
                let along = gather(&c.pair, ways);
                if approach(c.pair.stencil, &along) == 0.0 {
                    continue;
                }
                let along = [along[0] * alpha, along[1] * alpha, along[2] * alpha, along[3] * alpha];
                let ccd = Ccd { separation: ccd.separation + c.thickness, ..*ccd };
                let free = match ccd.impact(c.pair.stencil, &gather(&c.pair, x), &along) {
                    Impact::None => continue,
                    Impact::Before(t) => t,
                    Impact::AtStart => 0.0,
                };
                alpha *= free;
                blocking = Some(c.pair.surfaces);
            }
            (alpha, blocking)
        };
        let mut least = (1.0, None);
        let join = |found: (f64, Option<[u32; 2]>)| {
            if found.0 < least.0 {
                least = found;
            }
        };
        self.threads.run(&mut self.list, work, join);
        least
    }
}
