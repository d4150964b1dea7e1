//! Transfers within a block: particles to the nodes of its tile and back.

use pulp::{Simd, WithSimd};

use crate::material::Material;

use super::chunk::{BARE, Chunk, Load, NOBODY, TILE};
use super::lane_material::flow_and_stress;
use super::lanes::{LANES, Lane, Lane9, Number, each, each3, each9, num, product, turned_product};
use super::rows::{CHANNELS, ROW, Row, RowWeights, by_number, by_particle};

/// Numbers of a tile, rows of nodes along the last axis, and room behind its last node.
pub(super) const TILE_SIZE: usize = CHANNELS * (TILE * TILE * TILE + 1);

/// Constants that all blocks share in a step.
#[derive(Clone, Copy)]
pub(super) struct StepConstants<'a> {
    pub dt: f64,
    pub spacing: f64,
    /// Part of strain rates that a step leaves.
    pub faded: f64,
    /// Part of the differences between particles and field that a step leaves.
    pub kept: f64,
    pub materials: &'a [Box<dyn Material>],
    /// Bare particles are of cloth.
    pub cloth: bool,
}

/// Gathers the particles of a block into its tile, mass and momentum with the impulse of stress.
///
/// ```text
/// m_i = Σ w m,   p_i = Σ w (m v + Q (x_i − x)),   Q = m C − δt V a (4/h²) τ        a: factor of stresses
/// ```
pub(super) struct Gather<'a, T> {
    pub chunks: &'a mut [Chunk<T>],
    /// One for each chunk, or none at all.
    pub loads: &'a [Load<T>],
    pub tile: &'a mut [T],
    /// Mass and momentum alone, without stress, where differences between particles and field are kept.
    pub start: Option<&'a mut [T]>,
    pub step: StepConstants<'a>,
}

/// Offset of a node in a tile.
#[inline(always)]
fn at(cell: [usize; 3]) -> usize {
    CHANNELS * ((cell[0] * TILE + cell[1]) * TILE + cell[2])
}

impl<T: Number> WithSimd for Gather<'_, T> {
    /// Number of additions to the tile.
    type Output = u64;

    // Loops over lanes are inlined into a function compiled for the instruction set at hand; no fused multiply-add, so that results are the same on every machine.
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> u64 {
        let Self { chunks, loads, tile, mut start, step } = self;
        tile.fill(T::zero());
        if let Some(start) = &mut start {
            start.fill(T::zero());
        }
        let mut added = chunks.len() as u64;
        let stiff = 4.0 * step.dt / (step.spacing * step.spacing);
        let (h, pull) = (num::<T>(step.spacing), num::<T>(-stiff));
        let dt = num::<T>(step.dt);
        for (number, chunk) in chunks.iter_mut().enumerate() {
            let load = loads.get(number);
            let tau = stress(chunk, load, step.materials);
            chunk.elapsed = [T::zero(); LANES];
            let scale = each(|l| pull * chunk.volume[l] * chunk.factor[l]);
            let q =
                each9(|r, c, l| h * (chunk.mass[l] * chunk.c[3 * c + r][l] + scale[l] * tau[3 * c + r][l]));
            let mut low = lowest(chunk, &q);
            if let Some(load) = load {
                for r in 0..3 {
                    for l in 0..LANES {
                        low[r][l] += dt * load.force[r][l];
                    }
                }
            }
            let weights = RowWeights::new(&chunk.f);
            added += spread(tile, chunk, &weights, &low, &q);
            if let Some(start) = &mut start {
                let q = each9(|r, c, l| h * chunk.mass[l] * chunk.c[3 * c + r][l]);
                let low = lowest(chunk, &q);
                spread(start, chunk, &weights, &low, &q);
            }
        }
        added
    }
}

/// m v − Q f: momenta at the lowest nodes, before weights.
#[inline(always)]
fn lowest<T: Number>(chunk: &Chunk<T>, q: &Lane9<T>) -> [Lane<T>; 3] {
    let f = &chunk.f;
    each3(|r, l| {
        chunk.mass[l] * chunk.v[r][l] - (q[r][l] * f[0][l] + q[3 + r][l] * f[1][l] + q[6 + r][l] * f[2][l])
    })
}

/// Adds mass and momentum of a chunk, `low` at the lowest node and `q` more with each node along an axis, to a tile; how often its cell changed.
#[inline(always)]
fn spread<T: Number>(
    tile: &mut [T],
    chunk: &Chunk<T>,
    weights: &RowWeights<T>,
    low: &[Lane<T>; 3],
    q: &Lane9<T>,
) -> u64 {
    let mut added = 0;
    let lowest = by_particle([&chunk.mass, &low[0], &low[1], &low[2]]);
    let none = [T::zero(); LANES];
    let x = by_particle([&none, &q[0], &q[1], &q[2]]);
    let y = by_particle([&none, &q[3], &q[4], &q[5]]);
    let z = by_particle([&none, &q[6], &q[7], &q[8]]);
    let mut sum = [Row::zero(); 9];
    let mut place = at(std::array::from_fn(|a| chunk.cell[a][0] as usize));
    for l in 0..LANES {
        let here = at(std::array::from_fn(|a| chunk.cell[a][l] as usize));
        if here != place {
            flush(tile, place, &mut sum);
            place = here;
            added += 1;
        }
        let w = weights.row(l);
        let mut plane = w * (Row::same(&lowest[l]) + Row::number() * Row::same(&z[l]));
        let (along_x, along_y) = (w * Row::same(&x[l]), w * Row::same(&y[l]));
        for i in 0..3 {
            let mut row = plane;
            for j in 0..3 {
                let n = 3 * i + j;
                sum[n] = sum[n] + row * weights.ij[n][l];
                row = row + along_y;
            }
            plane = plane + along_x;
        }
    }
    flush(tile, place, &mut sum);
    added
}

/// Adds the sums of a cell to its 27 nodes, and clears them.
#[inline(always)]
fn flush<T: Number>(tile: &mut [T], place: usize, sum: &mut [Row<T>; 9]) {
    for i in 0..3 {
        for j in 0..3 {
            let row = &mut tile[place + at([i, j, 0])..][..ROW];
            for n in 0..ROW {
                row[n] += sum[3 * i + j].0[n];
                sum[3 * i + j].0[n] = T::zero();
            }
        }
    }
}

/// Stresses of a chunk \[Pa\], after the flow of its materials.
#[inline(always)]
fn stress<T: Number>(
    chunk: &mut Chunk<T>,
    load: Option<&Load<T>>,
    materials: &[Box<dyn Material>],
) -> Lane9<T> {
    let first = chunk.material[0];
    let one = first != BARE && chunk.material.iter().all(|m| *m == first);
    // One material after the other, each for its own; a bare particle has the stress of its load.
    let mut out = [[T::zero(); LANES]; 9];
    if let Some(load) = load {
        for l in (0..LANES).filter(|l| chunk.material[*l] == BARE) {
            (0..9).for_each(|i| out[i][l] = load.stress[i][l]);
        }
    }
    let numbers = if one { first as usize..first as usize + 1 } else { 0..materials.len() };
    for m in numbers {
        if !chunk.material.iter().any(|k| *k as usize == m) {
            continue;
        }
        let before = (chunk.e, chunk.memory);
        let tau = flow_and_stress(&*materials[m], chunk);
        if one {
            return tau;
        }
        for l in 0..LANES {
            if chunk.material[l] as usize == m {
                (0..9).for_each(|i| out[i][l] = tau[i][l]);
            } else {
                (0..9).for_each(|i| chunk.e[i][l] = before.0[i][l]);
                chunk.memory[l] = before.1[l];
            }
        }
    }
    out
}

/// Extremes and failures that the transfer of a block found.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moved<T> {
    /// Largest |v|² \[m²/s²\].
    pub fastest: T,
    /// Largest |FᵀF|_∞ of particles with a material.
    pub stretch: T,
    /// Whether a particle left the reach of its block.
    pub left: bool,
    /// Chunk and lane of a particle that is turned inside out or not finite.
    pub broken: Option<(usize, usize)>,
    /// Number of additions to the tile for the next step.
    pub added: u64,
}

/// Hands velocities of the nodes of a tile back to the particles of its block, and moves them.
///
/// ```text
/// V = Σ w v_i,   B = (4/h²) Σ w v_i (x_i − x)ᵀ,   x ← x + δt V,   F ← (1 + δt B) F
/// v ← V + a (v − V⁰),   C ← B + a (C − B⁰)          with those of the field at the start, a = e^(−δt/τ)
/// ```
pub(super) struct Scatter<'a, T> {
    pub chunks: &'a mut [Chunk<T>],
    pub tile: &'a [T],
    /// The field at the start, where a is not zero.
    pub start: Option<&'a [T]>,
    /// Receives a (C − B⁰) of bare particles, whose cloth reads B first; one for each chunk, or none.
    pub rest: &'a mut [Lane9<T>],
    pub step: StepConstants<'a>,
}

/// Σ w v, Σ w i v, Σ w j v and Σ w k v over the 27 nodes (i, j, k) from the first of a tile on, of one particle.
#[inline(always)]
fn sample<T: Number>(tile: &[T], weights: &RowWeights<T>, l: usize) -> [[T; CHANNELS]; 4] {
    // Sums over j, without and with j as a factor.
    let (mut plain, mut times_j) = ([Row::zero(); 3], [Row::zero(); 3]);
    for i in 0..3 {
        let mut rows = [Row::zero(); 3];
        for j in 0..3 {
            rows[j] = Row::read(&tile[at([i, j, 0])..]) * weights.ij[3 * i + j][l];
        }
        let both = rows[1] + rows[2];
        (plain[i], times_j[i]) = (rows[0] + both, both + rows[2]);
    }
    let (w, both) = (weights.row(l), plain[1] + plain[2]);
    let v = w * (plain[0] + both);
    let x = w * (both + plain[2]);
    let y = w * (times_j[0] + (times_j[1] + times_j[2]));
    let both = v.node(1) + v.node(2);
    [v.node(0) + both, x.sum(), y.sum(), both + v.node(2)].map(Into::into)
}

/// Velocity and affine velocity of the nodes of a tile at the particles of a chunk.
#[inline(always)]
fn field<T: Number>(
    tile: &[T],
    chunk: &Chunk<T>,
    weights: &RowWeights<T>,
    scale: T,
) -> ([Lane<T>; 3], Lane9<T>) {
    let mut sums = [[[T::zero(); CHANNELS]; LANES]; 4];
    for l in 0..LANES {
        let place = at(std::array::from_fn(|a| chunk.cell[a][l] as usize));
        let of = sample(&tile[place..], weights, l);
        (0..4).for_each(|i| sums[i][l] = of[i]);
    }
    let [_, vx, vy, vz] = by_number(&sums[0]);
    let velocity = [vx, vy, vz];
    let ([_, a, b, c], [_, d, e, f]) = (by_number(&sums[1]), by_number(&sums[2]));
    let [_, g, h, i] = by_number(&sums[3]);
    let affine = [a, b, c, d, e, f, g, h, i];
    // Σ w v (i − f): offsets are from the lowest node so far.
    let c = each9(|r, col, l| scale * (affine[3 * col + r][l] - chunk.f[col][l] * velocity[r][l]));
    (velocity, c)
}

impl<T: Number> WithSimd for Scatter<'_, T> {
    type Output = Moved<T>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Moved<T> {
        let Self { chunks, tile, start, rest, step } = self;
        let (dt, scale) = (num::<T>(step.dt), num::<T>(4.0 / step.spacing));
        let (go, faded) = (num::<T>(step.dt / step.spacing), num::<T>(step.faded));
        let part = num::<T>(step.kept);
        let mut out = Moved::default();
        for (number, chunk) in chunks.iter_mut().enumerate() {
            let weights = RowWeights::new(&chunk.f);
            let (velocity, c) = field(tile, chunk, &weights, scale);
            let own = start.map(|start| {
                let (v, b) = field(start, chunk, &weights, scale);
                (
                    each3(|r, l| part * (chunk.v[r][l] - v[r][l])),
                    each9(|r, col, l| part * (chunk.c[3 * col + r][l] - b[3 * col + r][l])),
                )
            });
            let grow =
                each9(|r, col, l| dt * c[3 * col + r][l] + if r == col { T::one() } else { T::zero() });
            let kept = chunk.e;
            chunk.e = product(&grow, &kept);
            let bare = chunk.material.contains(&BARE);
            if bare || chunk.id.contains(&NOBODY) {
                // Their gradients are not their own; lanes without a particle have none, whatever the nodes around them do.
                for l in (0..LANES).filter(|l| chunk.material[*l] == BARE || chunk.id[*l] == NOBODY) {
                    (0..9).for_each(|i| chunk.e[i][l] = kept[i][l]);
                }
            }
            let co = super::lanes::cofactors(&chunk.e);
            let det = super::lanes::determinant(&chunk.e, &co);
            let f = each3(|a, l| chunk.f[a][l] + go * velocity[a][l]);
            let shift = each3(|a, l| (f[a][l] - num(0.5)).floor());
            chunk.f = each3(|a, l| f[a][l] - shift[a][l]);
            chunk.elapsed = [dt; LANES];
            chunk.v = velocity;
            if let Some((v, _)) = &own {
                chunk.v = each3(|r, l| velocity[r][l] + v[r][l]);
            }
            // At most one cell in a step; a faster particle is caught as a particle that is not finite or beyond the grid.
            for (cell, shift) in chunk.cell.iter_mut().zip(&shift) {
                for l in 0..LANES {
                    cell[l] += i8::from(shift[l] > T::zero()) - i8::from(shift[l] < T::zero());
                }
            }
            let far = |l: usize| {
                (shift[0][l].abs() > T::one())
                    | (shift[1][l].abs() > T::one())
                    | (shift[2][l].abs() > T::one())
            };
            let v = &chunk.v;
            let fastest = each(|l| {
                let square = v[0][l] * v[0][l] + v[1][l] * v[1][l] + v[2][l] * v[2][l];
                if far(l) { num(f64::INFINITY) } else { square }
            });
            let half = num::<T>(0.5);
            let blended = own
                .as_ref()
                .map_or(c, |(_, more)| each9(|r, col, l| c[3 * col + r][l] + more[3 * col + r][l]));
            chunk.c = each9(|r, col, l| {
                let (x, y) = (blended[3 * col + r][l], blended[3 * r + col][l]);
                half * (x - y) + faded * half * (x + y)
            });
            if bare && step.cloth {
                // The cloth of bare particles reads their affine velocities before they fade.
                for l in (0..LANES).filter(|l| chunk.material[*l] == BARE) {
                    (0..9).for_each(|i| chunk.c[i][l] = c[i][l]);
                }
                if let (Some((_, more)), Some(rest)) = (&own, rest.get_mut(number)) {
                    *rest = *more;
                }
            }
            out.left |= !chunk.within();
            // Catches NaN too.
            let sound = |l: usize| {
                (det[l] > T::zero()) | (chunk.material[l] == BARE) && fastest[l] < num(f64::from(f32::MAX))
            };
            let all = (0..LANES).fold(true, |all, l| all & sound(l));
            if !all {
                let broken = |l: &usize| chunk.id[*l] != NOBODY && !sound(*l);
                out.broken = out.broken.or((0..LANES).find(broken).map(|l| (number, l)));
            }
            let square = turned_product(&chunk.e, &chunk.e);
            let stretch = each(|l| {
                let row = |r: usize| square[r][l].abs() + square[3 + r][l].abs() + square[6 + r][l].abs();
                row(0).max(row(1)).max(row(2))
            });
            for l in 0..LANES {
                let there = chunk.id[l] != NOBODY;
                out.fastest = if there && fastest[l] > out.fastest { fastest[l] } else { out.fastest };
                let own = there && chunk.material[l] != BARE && stretch[l] > out.stretch;
                out.stretch = if own { stretch[l] } else { out.stretch };
            }
        }
        out
    }
}
