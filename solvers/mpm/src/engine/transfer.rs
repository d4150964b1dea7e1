//! What happens within a block: particles to the nodes of its tile and back.

use pulp::{Simd, WithSimd};

use crate::material::Material;

use super::chunk::{BARE, Chunk, Load, NOBODY, TILE};
use super::lane_material::flow_and_stress;
use super::lanes::{LANES, Lane9, Real, each, each9, num, product};

/// Numbers of a node: mass and momentum, or mass and velocity.
pub(super) const CHANNELS: usize = 4;
/// Numbers of a tile, rows of nodes along the last axis.
pub(super) const TILE_SIZE: usize = CHANNELS * (TILE * TILE * TILE);

/// Three nodes along the last axis.
const ROW: usize = 3 * CHANNELS;

/// What all blocks share in a step.
#[derive(Clone, Copy)]
pub(super) struct StepConstants<'a> {
    pub dt: f64,
    pub spacing: f64,
    /// Part of strain rates that a step leaves.
    pub faded: f64,
    pub materials: &'a [Box<dyn Material>],
}

/// Gathers the particles of a block into its tile, mass and momentum with the impulse of stress.
///
/// ```text
/// m_i = Σ w m,   p_i = Σ w (m v + Q (x_i − x)),   Q = m C − δt V (4/h²) τ
/// ```
pub(super) struct Gather<'a, T> {
    pub chunks: &'a mut [Chunk<T>],
    /// One for each chunk, or none at all.
    pub loads: &'a [Load<T>],
    pub tile: &'a mut [T],
    pub step: StepConstants<'a>,
}

/// Offset of a node in a tile.
#[inline(always)]
fn at(cell: [usize; 3]) -> usize {
    CHANNELS * ((cell[0] * TILE + cell[1]) * TILE + cell[2])
}

/// Weights along an axis.
#[inline(always)]
fn weights<T: Real>(f: T) -> [T; 3] {
    let (a, b, c) = (num::<T>(1.5) - f, f - T::one(), f - num(0.5));
    let half = num::<T>(0.5);
    [half * a * a, num::<T>(0.75) - b * b, half * c * c]
}

impl<T: Real> WithSimd for Gather<'_, T> {
    type Output = ();

    // Loops over lanes are inlined into a function compiled for the instruction set at hand; no fused multiply-add, so that results are the same on every machine.
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { chunks, loads, tile, step } = self;
        tile.fill(T::zero());
        let stiff = 4.0 * step.dt / (step.spacing * step.spacing);
        let (h, pull) = (num::<T>(step.spacing), num::<T>(-stiff));
        let dt = num::<T>(step.dt);
        for (number, chunk) in chunks.iter_mut().enumerate() {
            let load = loads.get(number);
            let tau = stress(chunk, load, step.materials);
            let scale = each(|l| pull * chunk.volume[l]);
            let q =
                each9(|r, c, l| h * (chunk.mass[l] * chunk.c[3 * c + r][l] + scale[l] * tau[3 * c + r][l]));
            let mut low = [[T::zero(); LANES]; 3];
            for r in 0..3 {
                for l in 0..LANES {
                    let f = &chunk.f;
                    low[r][l] = chunk.mass[l] * chunk.v[r][l]
                        - (q[r][l] * f[0][l] + q[3 + r][l] * f[1][l] + q[6 + r][l] * f[2][l]);
                }
            }
            if let Some(load) = load {
                for r in 0..3 {
                    for l in 0..LANES {
                        low[r][l] += dt * load.force[r][l];
                    }
                }
            }
            let mut sum = [[T::zero(); ROW]; 9];
            let mut place = at(std::array::from_fn(|a| chunk.cell[a][0] as usize));
            for l in 0..LANES {
                let here = at(std::array::from_fn(|a| chunk.cell[a][l] as usize));
                if here != place {
                    flush(tile, place, &mut sum);
                    place = here;
                }
                let w: [[T; 3]; 3] = std::array::from_fn(|a| weights(chunk.f[a][l]));
                let lowest = [chunk.mass[l], low[0][l], low[1][l], low[2][l]];
                let along = |c: usize| [T::zero(), q[3 * c][l], q[3 * c + 1][l], q[3 * c + 2][l]];
                let (b0, b1, b2) = (along(0), along(1), along(2));
                let (mut p, mut u, mut v) = ([T::zero(); ROW], [T::zero(); ROW], [T::zero(); ROW]);
                for k in 0..3 {
                    for i in 0..CHANNELS {
                        let n = CHANNELS * k + i;
                        p[n] = w[2][k] * (lowest[i] + num::<T>(k as f64) * b2[i]);
                        u[n] = w[2][k] * b0[i];
                        v[n] = w[2][k] * b1[i];
                    }
                }
                for i in 0..3 {
                    for j in 0..3 {
                        let weight = w[0][i] * w[1][j];
                        let (fi, fj) = (num::<T>(i as f64), num::<T>(j as f64));
                        for n in 0..ROW {
                            sum[3 * i + j][n] += weight * (p[n] + fi * u[n] + fj * v[n]);
                        }
                    }
                }
            }
            flush(tile, place, &mut sum);
        }
    }
}

/// Adds the sums of a cell to its 27 nodes, and clears them.
#[inline(always)]
fn flush<T: Real>(tile: &mut [T], place: usize, sum: &mut [[T; ROW]; 9]) {
    for i in 0..3 {
        for j in 0..3 {
            let row = &mut tile[place + at([i, j, 0])..][..ROW];
            for n in 0..ROW {
                row[n] += sum[3 * i + j][n];
                sum[3 * i + j][n] = T::zero();
            }
        }
    }
}

/// Stresses of a chunk \[Pa\], after the flow of its materials.
#[inline(always)]
fn stress<T: Real>(
    chunk: &mut Chunk<T>,
    load: Option<&Load<T>>,
    materials: &[Box<dyn Material>],
) -> Lane9<T> {
    let first = chunk.material[0];
    if first != BARE && chunk.material.iter().all(|m| *m == first) {
        return flow_and_stress(&*materials[first as usize], &mut chunk.e, &mut chunk.memory);
    }
    // One material after the other, each for its own; what is bare has the stress of its load.
    let mut out = [[T::zero(); LANES]; 9];
    if let Some(load) = load {
        for l in (0..LANES).filter(|l| chunk.material[*l] == BARE) {
            (0..9).for_each(|i| out[i][l] = load.stress[i][l]);
        }
    }
    for (m, material) in materials.iter().enumerate() {
        if !chunk.material.iter().any(|k| *k as usize == m) {
            continue;
        }
        let (mut f, mut memory) = (chunk.e, chunk.memory);
        let tau = flow_and_stress(&**material, &mut f, &mut memory);
        for l in (0..LANES).filter(|l| chunk.material[*l] as usize == m) {
            for i in 0..9 {
                chunk.e[i][l] = f[i][l];
                out[i][l] = tau[i][l];
            }
            chunk.memory[l] = memory[l];
        }
    }
    out
}

/// What a block found out.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moved<T> {
    /// Largest |v|² \[m²/s²\].
    pub fastest: T,
    /// Whether a particle left the reach of its block.
    pub left: bool,
    /// Chunk and lane of a particle that is turned inside out or not finite.
    pub broken: Option<(usize, usize)>,
}

/// Hands velocities of the nodes of a tile back to the particles of its block, and moves them.
///
/// ```text
/// v = Σ w v_i,   C = (4/h²) Σ w v_i (x_i − x)ᵀ,   x ← x + δt v,   F ← (1 + δt C) F
/// ```
pub(super) struct Scatter<'a, T> {
    pub chunks: &'a mut [Chunk<T>],
    pub tile: &'a [T],
    pub step: StepConstants<'a>,
}

/// Σ w v, Σ w i v, Σ w j v and Σ w k v over the 27 nodes (i, j, k) from the first of a tile on.
#[inline(always)]
fn sample<T: Real>(tile: &[T], w: &[[T; 3]; 3]) -> [[T; CHANNELS]; 4] {
    let w = w.map(|w| w.map(|x| T::Four::from([x; 4])));
    // Weighted sum of three, and that with their numbers as factors.
    let sums = |w: &[T::Four; 3], [a, b, c]: [T::Four; 3]| {
        let (b, c) = (w[1] * b, w[2] * c);
        let both = b + c;
        (w[0] * a + both, both + c)
    };
    let sum = |w: &[T::Four; 3], [a, b, c]: [T::Four; 3]| w[0] * a + (w[1] * b + w[2] * c);
    let rows = std::array::from_fn::<_, 3, _>(|i| {
        let along = std::array::from_fn::<_, 3, _>(|j| {
            let row = &tile[at([i, j, 0])..][..ROW];
            let node = |k: usize| T::Four::from([0, 1, 2, 3].map(|n| row[CHANNELS * k + n]));
            sums(&w[2], [node(0), node(1), node(2)])
        });
        let (v, vy) = sums(&w[1], along.map(|a| a.0));
        (v, vy, sum(&w[1], along.map(|a| a.1)))
    });
    let (v, vx) = sums(&w[0], rows.map(|r| r.0));
    [v, vx, sum(&w[0], rows.map(|r| r.1)), sum(&w[0], rows.map(|r| r.2))].map(Into::into)
}

impl<T: Real> WithSimd for Scatter<'_, T> {
    type Output = Moved<T>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Moved<T> {
        let Self { chunks, tile, step } = self;
        let (dt, scale) = (num::<T>(step.dt), num::<T>(4.0 / step.spacing));
        let (go, faded) = (num::<T>(step.dt / step.spacing), num::<T>(step.faded));
        let mut out = Moved::default();
        for (number, chunk) in chunks.iter_mut().enumerate() {
            let (mut velocity, mut affine) = ([[T::zero(); LANES]; 3], [[T::zero(); LANES]; 9]);
            for l in 0..LANES {
                let place = at(std::array::from_fn(|a| chunk.cell[a][l] as usize));
                let w: [[T; 3]; 3] = std::array::from_fn(|a| weights(chunk.f[a][l]));
                let [v, vx, vy, vz] = sample::<T>(&tile[place..], &w);
                for r in 0..3 {
                    velocity[r][l] = v[1 + r];
                    affine[r][l] = vx[1 + r];
                    affine[3 + r][l] = vy[1 + r];
                    affine[6 + r][l] = vz[1 + r];
                }
            }
            // Σ w v (i − f): offsets are from the lowest node so far.
            let c = each9(|r, col, l| scale * (affine[3 * col + r][l] - chunk.f[col][l] * velocity[r][l]));
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
            let mut fastest = [T::zero(); LANES];
            for a in 0..3 {
                for l in 0..LANES {
                    let v = velocity[a][l];
                    fastest[l] += v * v;
                    let f = chunk.f[a][l] + go * v;
                    let shift = (f - num(0.5)).floor();
                    chunk.f[a][l] = f - shift;
                    chunk.v[a][l] = v;
                    // At most one cell in a step; what is faster is caught as a particle that is not finite or beyond the grid.
                    let one = if shift > T::zero() {
                        1
                    } else if shift < T::zero() {
                        -1
                    } else {
                        0
                    };
                    chunk.cell[a][l] += one;
                    fastest[l] = if shift.abs() > T::one() { num(f64::INFINITY) } else { fastest[l] };
                }
            }
            let half = num::<T>(0.5);
            chunk.c = each9(|r, col, l| {
                let (x, y) = (c[3 * col + r][l], c[3 * r + col][l]);
                half * (x - y) + faded * half * (x + y)
            });
            if bare {
                // What they belong to asks for theirs before they fade.
                for l in (0..LANES).filter(|l| chunk.material[*l] == BARE) {
                    (0..9).for_each(|i| chunk.c[i][l] = c[i][l]);
                }
            }
            out.left |= !chunk.within();
            for l in (0..LANES).filter(|l| chunk.id[*l] != NOBODY) {
                // Catches NaN too.
                if !((det[l] > T::zero() || chunk.material[l] == BARE)
                    && fastest[l] < num(f64::from(f32::MAX)))
                {
                    out.broken = out.broken.or(Some((number, l)));
                }
                out.fastest = if fastest[l] > out.fastest { fastest[l] } else { out.fastest };
            }
        }
        out
    }
}
