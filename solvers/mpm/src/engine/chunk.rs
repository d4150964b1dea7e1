use signorini_core::na::{Matrix3, Vector3};

use crate::particles::Particles;

use super::lanes::{LANES, Lane, Lane9, Number, num};

/// Nodes of a block along an axis.
pub(super) const SIDE: usize = 4;
/// Nodes of the tile of a block along an axis: those that particles reach whose cell is in the block or one beside it.
pub(super) const TILE: usize = 8;

/// Identity of lanes without a particle.
pub(super) const NOBODY: u32 = u32::MAX;

/// Material of particles without stress of their own, [`Particles::BARE`].
pub(super) const BARE: u8 = u8::MAX;

/// Loads on the particles of a chunk from outside their materials: stresses \[Pa\] of bare ones, column-major, and forces \[N\].
#[derive(Clone)]
pub(super) struct Load<T> {
    pub stress: Lane9<T>,
    pub force: [Lane<T>; 3],
}

impl<T: Number> Load<T> {
    pub(super) fn none() -> Self {
        Self { stress: [[T::zero(); LANES]; 9], force: [[T::zero(); LANES]; 3] }
    }
}

/// Particles of one block of the grid that are worked on together, each number of all of them side by side.
#[derive(Clone)]
pub(super) struct Chunk<T> {
    /// x/h − lowest node, in [½, 3/2).
    pub f: [Lane<T>; 3],
    pub v: [Lane<T>; 3],
    /// Affine velocities, column-major.
    pub c: Lane9<T>,
    /// Deformation gradients, column-major.
    pub e: Lane9<T>,
    pub memory: Lane<T>,
    /// Time of the motion after which materials have yet to flow \[s\].
    pub elapsed: Lane<T>,
    pub mass: Lane<T>,
    pub volume: Lane<T>,
    /// Factor of stresses.
    pub factor: Lane<T>,
    /// Lowest node in the tile of the block along each axis, 0 to 5; others are out of reach and wait for the next sort.
    pub cell: [[i8; LANES]; 3],
    pub material: [u8; LANES],
    /// Number of the particle.
    pub id: [u32; LANES],
}

impl<T: Number> Chunk<T> {
    /// Without particles: weightless ones in the middle of the tile.
    pub(super) fn empty() -> Self {
        let one = |i: usize| if i.is_multiple_of(4) { T::one() } else { T::zero() };
        Self {
            f: [[T::one(); LANES]; 3],
            v: [[T::zero(); LANES]; 3],
            c: [[T::zero(); LANES]; 9],
            e: std::array::from_fn(|i| [one(i); LANES]),
            memory: [T::zero(); LANES],
            elapsed: [T::zero(); LANES],
            mass: [T::zero(); LANES],
            volume: [T::zero(); LANES],
            factor: [T::one(); LANES],
            cell: [[2; LANES]; 3],
            material: [0; LANES],
            id: [NOBODY; LANES],
        }
    }

    /// Takes a particle of another chunk over, with its lowest node in this tile.
    #[inline]
    pub(super) fn take(&mut self, lane: usize, from: &Self, other: usize, cell: [i8; 3]) {
        for a in 0..3 {
            self.f[a][lane] = from.f[a][other];
            self.v[a][lane] = from.v[a][other];
            self.cell[a][lane] = cell[a];
        }
        for i in 0..9 {
            self.c[i][lane] = from.c[i][other];
            self.e[i][lane] = from.e[i][other];
        }
        self.memory[lane] = from.memory[other];
        self.elapsed[lane] = from.elapsed[other];
        self.mass[lane] = from.mass[other];
        self.volume[lane] = from.volume[other];
        self.factor[lane] = from.factor[other];
        self.material[lane] = from.material[other];
        self.id[lane] = from.id[other];
    }

    /// Writes a particle into a lane.
    pub(super) fn set(&mut self, lane: usize, particles: &Particles, p: usize, cell: [i8; 3], f: [f64; 3]) {
        for a in 0..3 {
            self.f[a][lane] = num(f[a]);
            self.v[a][lane] = num(particles.v[p][a]);
            self.cell[a][lane] = cell[a];
        }
        for i in 0..9 {
            self.c[i][lane] = num(particles.c[p][i]);
            self.e[i][lane] = num(particles.f[p][i]);
        }
        self.memory[lane] = num(particles.memory[p]);
        self.elapsed[lane] = T::zero();
        self.mass[lane] = num(particles.mass[p]);
        self.volume[lane] = num(particles.volume[p]);
        self.factor[lane] = num(particles.factor[p]);
        // More than 255 do not come here, and the last is of those without.
        self.material[lane] = u8::try_from(particles.material[p]).unwrap_or(BARE);
        self.id[lane] = p as u32;
    }

    /// Number of the material of a lane, as particles have it.
    pub(super) fn material_number(&self, lane: usize) -> u32 {
        match self.material[lane] {
            BARE => Particles::BARE,
            m => m.into(),
        }
    }

    pub(super) fn velocity(&self, lane: usize) -> Vector3<f64> {
        Vector3::from_fn(|a, _| wide(self.v[a][lane]))
    }

    /// Position \[m\] in the world of a block with its corner at node `corner`.
    pub(super) fn position(&self, lane: usize, corner: &[i32; 3], spacing: f64) -> Vector3<f64> {
        Vector3::from_fn(|a, _| {
            let node = corner[a] - 1 + i32::from(self.cell[a][lane]);
            spacing * (f64::from(node) + wide(self.f[a][lane]))
        })
    }

    /// A ball about all lanes: middle and radius \[m\].
    pub(super) fn ball(&self, corner: &[i32; 3], spacing: f64) -> (Vector3<f64>, f64) {
        let mut size = 0.0;
        let middle = Vector3::from_fn(|a, _| {
            let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
            for l in 0..LANES {
                let place = f64::from(self.cell[a][l]) + wide(self.f[a][l]);
                // Those of nobody are in the middle of the tile.
                if self.id[l] != NOBODY {
                    (low, high) = (low.min(place), high.max(place));
                }
            }
            size += (0.5 * (high - low)).powi(2);
            spacing * (f64::from(corner[a] - 1) + 0.5 * (low + high))
        });
        (middle, spacing * size.sqrt())
    }

    /// Moves a lane to x/h \[-\].
    pub(super) fn put(&mut self, lane: usize, corner: &[i32; 3], place: &Vector3<f64>) {
        for a in 0..3 {
            let lowest = (place[a] - 0.5).floor();
            self.f[a][lane] = num(place[a] - lowest);
            self.cell[a][lane] =
                (lowest as i32 - corner[a] + 1).clamp(i32::from(i8::MIN), i32::from(i8::MAX)) as i8;
        }
    }

    pub(super) fn matrix(of: &Lane9<T>, lane: usize) -> Matrix3<f64> {
        Matrix3::from_fn(|r, c| wide(of[3 * c + r][lane]))
    }

    /// Whether all lanes are within the reach of the block.
    #[inline(always)]
    pub(super) fn within(&self) -> bool {
        let mut all = true;
        for a in 0..3 {
            for l in 0..LANES {
                all &= (0..=(SIDE + 1) as i8).contains(&self.cell[a][l]);
            }
        }
        all
    }

    /// Reads a lane out.
    pub(super) fn write(&self, lane: usize, corner: &[i32; 3], spacing: f64, out: &mut Particles) {
        let p = self.id[lane] as usize;
        out.x[p] = self.position(lane, corner, spacing);
        out.v[p] = self.velocity(lane);
        out.c[p] = Self::matrix(&self.c, lane);
        out.f[p] = Self::matrix(&self.e, lane);
        out.memory[p] = wide(self.memory[lane]);
    }
}

/// In 64 bits.
pub(super) fn wide<T: Number>(x: T) -> f64 {
    x.to_subset().unwrap_or(f64::NAN)
}
