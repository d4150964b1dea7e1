use crate::philox::{open_unit, philox};

/// A Sobol' sequence in base 2 with random scrambling: a digital net whose first 2^m points have, in every dimension, one point in each interval of length 2^−m.
///
/// Dimension 0 is van der Corput's sequence; the others take the primitive polynomials over GF(2) in order of degree, with initial numbers that are odd and otherwise
/// drawn once from a fixed key. So single dimensions are as even as can be and the first two together as well; of other pairs published tables of
/// initial numbers are evener. Scrambling is by random lower triangular matrices and a shift (Matoušek 1998), new for every iteration: each point is uniformly distributed,
/// and the net stays one.
#[derive(Clone, Debug)]
pub struct Sobol {
    /// Direction numbers, 32 per dimension, the first bit highest.
    directions: Vec<[u32; BITS]>,
    scrambled: Vec<[u32; BITS]>,
    shift: Vec<[u32; 2]>,
}

const BITS: usize = 32;
/// Keys of numbers that are fixed once, and of scrambling.
const FIXED: [u32; 2] = [0x5369_676e, 0x6f72_696e];

impl Sobol {
    /// Most dimensions: those of the polynomials up to degree 12.
    pub const MOST_DIMENSIONS: usize = 481;

    /// Not scrambled yet. None for more dimensions than [`Sobol::MOST_DIMENSIONS`].
    pub fn new(dimensions: usize) -> Option<Self> {
        if dimensions > Self::MOST_DIMENSIONS {
            return None;
        }
        let mut directions = Vec::with_capacity(dimensions);
        if dimensions > 0 {
            directions.push(std::array::from_fn(|k| 1u32 << (31 - k)));
        }
        let polynomials = (1u32..).flat_map(|degree| {
            (1u32 << degree..2u32 << degree)
                .filter(move |p| p & 1 == 1 && is_primitive(*p, degree))
                .map(move |p| (p, degree as usize))
        });
        for (d, (p, degree)) in (1..dimensions).zip(polynomials) {
            directions.push(direction_numbers(d as u32, p, degree));
        }
        let n = directions.len();
        Some(Self { scrambled: directions.clone(), directions, shift: vec![[0; 2]; n] })
    }

    /// Scrambles anew: a function of the three numbers alone.
    pub fn scramble(&mut self, seed: u64, replan: u32, iteration: u32) {
        let key = [seed as u32 ^ FIXED[1], (seed >> 32) as u32 ^ FIXED[0]];
        for (d, (from, to)) in self.directions.iter().zip(&mut self.scrambled).enumerate() {
            let draw = |block: u32| philox([block, d as u32, iteration, replan], key);
            // Row i of a lower triangular matrix with ones on the diagonal acts on the bits above and at i.
            let mut rows = [0u32; BITS];
            for (i, row) in rows.iter_mut().enumerate() {
                let bit = 1u32 << (31 - i);
                let above = !(bit | (bit - 1));
                *row = draw(i as u32 / 4)[i % 4] & above | bit;
            }
            for (v, w) in from.iter().zip(to.iter_mut()) {
                *w = rows
                    .iter()
                    .enumerate()
                    .fold(0, |sum, (i, row)| sum | ((row & v).count_ones() & 1) << (31 - i));
            }
            let s = draw(u32::MAX);
            self.shift[d] = [s[0], s[1]];
        }
    }

    /// Coordinate `dimension` of point `index`, in (0, 1).
    pub fn point(&self, index: u32, dimension: usize) -> f64 {
        let directions = &self.scrambled[dimension];
        let mut x = 0;
        let mut rest = index;
        while rest != 0 {
            x ^= directions[rest.trailing_zeros() as usize];
            rest &= rest - 1;
        }
        let [high, low] = self.shift[dimension];
        open_unit(x ^ high, low)
    }
}

/// Direction numbers from the recurrence of a primitive polynomial of a degree: bits of `p` from x^degree to 1.
fn direction_numbers(dimension: u32, p: u32, degree: usize) -> [u32; BITS] {
    let mut m = [0u64; BITS];
    for k in 0..BITS {
        m[k] = if k < degree {
            // An odd number below 2^(k + 1).
            let random = philox([k as u32, dimension, 0, 0], FIXED)[0];
            u64::from(random) & ((1 << (k + 1)) - 1) | 1
        } else {
            let mut next = m[k - degree] ^ m[k - degree] << degree;
            for i in 1..degree {
                if p >> (degree - i) & 1 == 1 {
                    next ^= m[k - i] << i;
                }
            }
            next
        };
    }
    std::array::from_fn(|k| (m[k] << (31 - k)) as u32)
}

/// Whether x generates all non-zero elements of GF(2)\[x\]/p.
fn is_primitive(p: u32, degree: u32) -> bool {
    let full = (1u32 << degree) - 1;
    let times_x = |e: u32| {
        let e = e << 1;
        if e >> degree & 1 == 1 { e ^ p } else { e }
    };
    let mut e = 1;
    for count in 1..=full {
        e = times_x(e);
        if e == 1 {
            return count == full;
        }
    }
    false
}
