//! Tangential directions of facets.

/// cos(π i/8), i = 0..16, written so that axes are exact.
pub(crate) const COS: [f64; 16] = {
    let (a, b, c) = (0.923_879_532_511_286_7, std::f64::consts::FRAC_1_SQRT_2, 0.382_683_432_365_089_8);
    [1.0, a, b, c, 0.0, -c, -b, -a, -1.0, -a, -b, -c, 0.0, c, b, a]
};

/// (cos, sin) of the first half of N directions; those of the other half are opposite.
const fn half_turn<const N: usize, const H: usize>() -> [[f64; 2]; H] {
    let mut out = [[0.0; 2]; H];
    let mut j = 0;
    while j < H {
        let i = j * (16 / N);
        out[j] = [COS[i], COS[(i + 12) % 16]];
        j += 1;
    }
    out
}

pub(crate) const HALF_4: [[f64; 2]; 2] = half_turn::<4, 2>();
pub(crate) const HALF_8: [[f64; 2]; 4] = half_turn::<8, 4>();
pub(crate) const HALF_16: [[f64; 2]; 8] = half_turn::<16, 8>();
