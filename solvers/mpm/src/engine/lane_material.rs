use signorini_core::na::Matrix3;

use crate::material::{Lame, LaneLaw, Material};

use super::lanes::{
    LANES, Lane, Lane9, Number, cofactors, determinant, each, each9, eigen, num, product, product_turned,
    rotation, turned_product,
};

/// Takes gradients back to the strains that the material bears, and gives their τ \[Pa\].
#[inline(always)]
pub(super) fn flow_and_stress<T: Number>(
    material: &dyn Material,
    f: &mut Lane9<T>,
    memory: &mut Lane<T>,
) -> Lane9<T> {
    match material.lanes() {
        LaneLaw::Scalar => scalar(material, f, memory),
        LaneLaw::FixedCorotated(lame) => fixed_corotated(&lame, f),
        LaneLaw::LinearCorotated(lame) => linear_corotated(&lame, f),
        LaneLaw::VonMises(lame, most) => {
            hencky(&lame, f, memory, |shape, sum, _| von_mises(most, &lame, shape, sum))
        }
        LaneLaw::DruckerPrager(lame, steep) => {
            hencky(&lame, f, memory, |shape, sum, memory| drucker_prager(steep, shape, sum, memory))
        }
    }
}

fn scalar<T: Number>(material: &dyn Material, f: &mut Lane9<T>, memory: &mut Lane<T>) -> Lane9<T> {
    let wide = |x: T| x.to_subset().unwrap_or(f64::NAN);
    let mut out = [[T::zero(); LANES]; 9];
    for l in 0..LANES {
        let mut one = Matrix3::from_fn(|r, c| wide(f[3 * c + r][l]));
        let mut kept = wide(memory[l]);
        material.flow(&mut one, &mut kept);
        let stress = material.stress(&one);
        memory[l] = num(kept);
        for i in 0..9 {
            f[i][l] = num(one[i]);
            out[i][l] = num(stress[i]);
        }
    }
    out
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

/// Logarithmic strains, their remainder after flow (the deviator and the trace go in, the kept strain comes out where it changed), and U (2 μ ε + λ tr ε) Uᵀ.
#[inline(always)]
fn hencky<T: Number>(
    lame: &Lame,
    f: &mut Lane9<T>,
    memory: &mut Lane<T>,
    flow: impl Fn([T; 3], T, &mut T) -> Option<[T; 3]>,
) -> Lane9<T> {
    let (lambda, twice) = (num::<T>(lame.lambda), num::<T>(2.0 * lame.mu));
    let r = rotation(f);
    let s = turned_product(&r, f);
    let (sigma, v) = eigen(&s);
    let u = product(&r, &v);
    let mut strain = sigma.map(|s| each(|l| if s[l] > num(LEAST) { s[l] } else { num(LEAST) }.ln()));
    let mut flowed = false;
    for l in 0..LANES {
        let sum = strain[0][l] + strain[1][l] + strain[2][l];
        let mean = sum * num(1.0 / 3.0);
        let shape = [strain[0][l] - mean, strain[1][l] - mean, strain[2][l] - mean];
        if let Some(kept) = flow(shape, sum, &mut memory[l]) {
            (0..3).for_each(|i| strain[i][l] = kept[i]);
            flowed = true;
        }
    }
    if flowed {
        let stretched = strain.map(|e| each(|l| e[l].exp()));
        let scaled = each9(|row, col, l| u[3 * col + row][l] * stretched[col][l]);
        *f = product_turned(&scaled, &v);
    }
    let sum = each(|l| strain[0][l] + strain[1][l] + strain[2][l]);
    let scaled = each9(|row, col, l| u[3 * col + row][l] * (twice * strain[col][l] + lambda * sum[l]));
    product_turned(&scaled, &u)
}

/// Stretch below which logarithms are not followed.
const LEAST: f64 = 1e-9;

#[inline(always)]
fn von_mises<T: Number>(most: f64, lame: &Lame, shape: [T; 3], sum: T) -> Option<[T; 3]> {
    let norm = (shape[0] * shape[0] + shape[1] * shape[1] + shape[2] * shape[2]).sqrt();
    let norm = norm * num(2.0 * lame.mu);
    if norm <= num(most) {
        return None;
    }
    let (part, mean) = (num::<T>(most) / norm, sum * num(1.0 / 3.0));
    Some(shape.map(|s| part * s + mean))
}

#[inline(always)]
fn drucker_prager<T: Number>(steep: f64, shape: [T; 3], sum: T, memory: &mut T) -> Option<[T; 3]> {
    let before = *memory;
    let sum = sum + before;
    if sum >= T::zero() {
        *memory = sum;
        return Some([T::zero(); 3]);
    }
    *memory = T::zero();
    let norm = (shape[0] * shape[0] + shape[1] * shape[1] + shape[2] * shape[2]).sqrt();
    let excess = norm + num::<T>(steep) * sum;
    if excess <= T::zero() && before == T::zero() {
        return None;
    }
    let part = if excess > T::zero() { T::one() - excess / norm } else { T::one() };
    let mean = sum * num(1.0 / 3.0);
    Some(shape.map(|s| part * s + mean))
}
