//! Numbers in vector registers, of the width that the machine has.

use std::ops::{Deref, DerefMut};

use pulp::Simd;

/// Numbers to iterate in, and registers of them. No fused multiply-add, so that results are the same on every machine.
pub(super) trait Number: Copy + Default + Send + Sync + 'static {
    /// A register of them.
    type Vector<S: Simd>: Copy;

    fn from_f64(x: f64) -> Self;
    fn to_f64(self) -> f64;
    fn splat<S: Simd>(simd: S, x: Self) -> Self::Vector<S>;
    fn add<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    fn sub<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    fn mul<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    fn min<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    fn max<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    /// Whole registers of a slice.
    fn vectors<S: Simd>(x: &[Self]) -> &[Self::Vector<S>];
    fn vectors_mut<S: Simd>(x: &mut [Self]) -> &mut [Self::Vector<S>];
}

macro_rules! number {
    ($ty:ty, $vector:ident, $splat:ident, $add:ident, $sub:ident, $mul:ident, $min:ident, $max:ident, $all:ident, $all_mut:ident) => {
        impl Number for $ty {
            type Vector<S: Simd> = S::$vector;

            #[inline(always)]
            fn from_f64(x: f64) -> Self {
                x as $ty
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn splat<S: Simd>(simd: S, x: Self) -> S::$vector {
                simd.$splat(x)
            }
            #[inline(always)]
            fn add<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$add(a, b)
            }
            #[inline(always)]
            fn sub<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$sub(a, b)
            }
            #[inline(always)]
            fn mul<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$mul(a, b)
            }
            #[inline(always)]
            fn min<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$min(a, b)
            }
            #[inline(always)]
            fn max<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$max(a, b)
            }
            #[inline(always)]
            fn vectors<S: Simd>(x: &[Self]) -> &[S::$vector] {
                S::$all(x).0
            }
            #[inline(always)]
            fn vectors_mut<S: Simd>(x: &mut [Self]) -> &mut [S::$vector] {
                S::$all_mut(x).0
            }
        }
    };
}

#[rustfmt::skip]
number!(f32, f32s, splat_f32s, add_f32s, sub_f32s, mul_f32s, min_f32s, max_f32s, as_simd_f32s, as_mut_simd_f32s);
#[rustfmt::skip]
number!(f64, f64s, splat_f64s, add_f64s, sub_f64s, mul_f64s, min_f64s, max_f64s, as_simd_f64s, as_mut_simd_f64s);

/// Registers in `lanes` numbers.
#[inline(always)]
pub(super) fn registers<T: Number, S: Simd>(lanes: usize) -> usize {
    lanes * size_of::<T>() / size_of::<T::Vector<S>>()
}

/// Numbers that begin at a cache line, as registers of 64 bytes want to.
pub(super) struct Aligned<T> {
    numbers: Vec<T>,
    first: usize,
}

impl<T: Number> Aligned<T> {
    pub(super) fn zeros(count: usize) -> Self {
        let line = 64 / size_of::<T>();
        let numbers = vec![T::default(); count + line];
        // An offset is a hint: any will do.
        let first = numbers.as_ptr().align_offset(64).min(line);
        Self { numbers, first }
    }
}

impl<T> Deref for Aligned<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        let line = 64 / size_of::<T>();
        &self.numbers[self.first..self.numbers.len() - line + self.first]
    }
}

impl<T> DerefMut for Aligned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        let line = 64 / size_of::<T>();
        let end = self.numbers.len() - line + self.first;
        &mut self.numbers[self.first..end]
    }
}
