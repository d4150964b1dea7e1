use signorini_core::na::Matrix3;

use crate::material::{HenckyLaw, LEAST, Lame, LaneLaw, Liquid, Material};

use super::chunk::{Chunk, wide};
use super::lanes::{
    LANES, Lane9, Number, cofactors, determinant, each, each9, eigen, fours, num, product, product_turned,
    rotation, turned_product,
};

/// Takes gradients of a chunk back to the strains that the material bears, where time has elapsed since the last time, and gives their τ \[Pa\], that of viscosity included.
///
/// It is inlined into kernels that are compiled for each instruction set and number: the decompositions of Hencky's laws stand in it once.
#[inline(always)]
pub(super) fn flow_and_stress<T: Number>(material: &dyn Material, chunk: &mut Chunk<T>) -> Lane9<T> {
    let tau = match material.lanes() {
        LaneLaw::Scalar => scalar(material, chunk),
        LaneLaw::Liquid(m) => liquid(&m, chunk),
        LaneLaw::FixedCorotated(lame) => fixed_corotated(&lame, &chunk.e),
        LaneLaw::LinearCorotated(lame) => linear_corotated(&lame, &chunk.e),
        LaneLaw::Hencky(law) => hencky(&law, chunk),
    };
    match material.viscosity() {
        [0.0, 0.0] => tau,
        of => add_viscous(of, &chunk.c, &tau),
    }
}

fn scalar<T: Number>(material: &dyn Material, chunk: &mut Chunk<T>) -> Lane9<T> {
    let (f, memory) = (&mut chunk.e, &mut chunk.memory);
    let mut out = [[T::zero(); LANES]; 9];
    for l in 0..LANES {
        let mut one = Matrix3::from_fn(|r, c| wide(f[3 * c + r][l]));
        let mut kept = wide(memory[l]);
        let elapsed = wide(chunk.elapsed[l]);
        if elapsed > 0.0 {
            material.flow(&mut one, &mut kept, elapsed);
        }
        let stress = material.stress(&one);
        memory[l] = num(kept);
        for i in 0..9 {
            f[i][l] = num(one[i]);
            out[i][l] = num(stress[i]);
        }
    }
    out
}

/// τ + 2 η dev D + ζ tr D 1.
#[inline(always)]
fn add_viscous<T: Number>([shear, bulk]: [f64; 2], c: &Lane9<T>, tau: &Lane9<T>) -> Lane9<T> {
    let (shear, rest) = (num::<T>(shear), num::<T>(bulk - 2.0 / 3.0 * shear));
    let press = each(|l| rest * (c[0][l] + c[4][l] + c[8][l]));
    each9(|row, col, l| {
        let own = tau[3 * col + row][l] + shear * (c[3 * col + row][l] + c[3 * row + col][l]);
        own + if row == col { press[l] } else { T::zero() }
    })
}

/// ∛J 1 and K J (J − 1) 1.
#[inline(always)]
fn liquid<T: Number>(m: &Liquid, chunk: &mut Chunk<T>) -> Lane9<T> {
    let (f, memory) = (&mut chunk.e, &mut chunk.memory);
    let j = determinant(f, &cofactors(f));
    let mut press = [T::zero(); LANES];
    for l in 0..LANES {
        if chunk.elapsed[l] > T::zero() {
            let (stretch, tau) = m.press(j[l], &mut memory[l]);
            press[l] = tau;
            (0..9).for_each(|i| f[i][l] = if i.is_multiple_of(4) { stretch } else { T::zero() });
        } else {
            press[l] = m.pressing(j[l]);
        }
    }
    each9(|row, col, l| if row == col { press[l] } else { T::zero() })
}

/// τ = 2 μ (F − R) Fᵀ + λ J (J − 1) 1.
#[inline(always)]
fn fixed_corotated<T: Number>(lame: &Lame, f: &Lane9<T>) -> Lane9<T> {
    let (lambda, twice) = (num::<T>(lame.lambda), num::<T>(2.0 * lame.mu));
    let j = determinant(f, &cofactors(f));
    let r = rotation(f);
    let strain = each9(|row, col, l| f[3 * col + row][l] - r[3 * col + row][l]);
    let tau = product_turned(&strain, f);
    let press = each(|l| lambda * j[l] * (j[l] - T::one()));
    each9(|row, col, l| twice * tau[3 * col + row][l] + if row == col { press[l] } else { T::zero() })
}

/// τ = R (2 μ ε + λ tr ε 1) S Rᵀ, ε = S − 1.
#[inline(always)]
fn linear_corotated<T: Number>(lame: &Lame, f: &Lane9<T>) -> Lane9<T> {
    let (lambda, twice) = (num::<T>(lame.lambda), num::<T>(2.0 * lame.mu));
    let r = rotation(f);
    let s = turned_product(&r, f);
    let trace = each(|l| s[0][l] + s[4][l] + s[8][l] - num(3.0));
    // R (2 μ ε + λ tr ε 1) Fᵀ.
    let inner = each9(|row, col, l| {
        let one = if row == col { T::one() } else { T::zero() };
        twice * (s[3 * col + row][l] - one) + lambda * trace[l] * one
    });
    product_turned(&product(&r, &inner), f)
}

/// Logarithmic strains, those that flow leaves, and U (2 μ ε + λ tr ε) Uᵀ.
#[inline(always)]
fn hencky<T: Number>(law: &HenckyLaw, chunk: &mut Chunk<T>) -> Lane9<T> {
    let (f, memory) = (&mut chunk.e, &mut chunk.memory);
    let lame = law.lame();
    let (lambda, twice) = (num::<T>(lame.lambda), num::<T>(2.0 * lame.mu));
    let r = rotation(f);
    let s = turned_product(&r, f);
    let (sigma, v) = eigen(&s);
    let u = product(&r, &v);
    let mut strain =
        sigma.map(|s| fours(&each(|l| if s[l] > num(LEAST) { s[l] } else { num(LEAST) }), T::logarithm));
    let mut flowed = false;
    for l in (0..LANES).filter(|l| chunk.elapsed[*l] > T::zero()) {
        let sum = strain[0][l] + strain[1][l] + strain[2][l];
        let mean = sum * num(1.0 / 3.0);
        let shape = [strain[0][l] - mean, strain[1][l] - mean, strain[2][l] - mean];
        if let Some(kept) = law.return_map((shape, sum), &mut memory[l], chunk.elapsed[l]) {
            (0..3).for_each(|i| strain[i][l] = kept[i]);
            flowed = true;
        }
    }
    if flowed {
        let stretched = strain.map(|e| fours(&e, T::power_of_e));
        let scaled = each9(|row, col, l| u[3 * col + row][l] * stretched[col][l]);
        *f = product_turned(&scaled, &v);
    }
    let sum = each(|l| strain[0][l] + strain[1][l] + strain[2][l]);
    let scaled = each9(|row, col, l| u[3 * col + row][l] * (twice * strain[col][l] + lambda * sum[l]));
    product_turned(&scaled, &u)
}
