use nalgebra::{self as na, Matrix3, Matrix6, Vector3};

use crate::frozen_kernels::square;
use crate::frozen_map::MAX_ROWS;
use crate::shared_rows::SHARED;
use crate::{BlockDiagonal, ContactSide, FrozenMap, FrozenProblem};

impl ContactSide {
    /// Zeros in the blocks that a constraint of `dim` rows feels.
    pub(crate) fn clear(sides: &mut [Self; 2], dim: usize) {
        for side in sides.iter_mut() {
            side.linear = Matrix3::zeros();
            if dim > 3 {
                (side.angular, side.coupling) = (Matrix3::zeros(), Vector3::zeros());
            }
        }
    }
}

/// J_s A⁻¹ J_sᵀ of shared rows, by the blocks that they touch.
#[derive(Clone, Debug, Default)]
pub struct SharedSides {
    set: Option<usize>,
    parts: [Matrix6<f64>; 2],
}

impl FrozenMap {
    /// Writes into `sides` the parts of J_k J_kᵀ of constraint `k`, of `dim` rows, by the blocks that it touches: [`FrozenProblem::set_sides`] where the inertia is the identity
    /// ([`BlockDiagonal::whiten_map`]).
    pub fn set_sides(&self, k: usize, dim: usize, sides: &mut [ContactSide; 2]) {
        ContactSide::clear(sides, dim);
        for (i, (_, block)) in self.entries(k).enumerate() {
            let side = &mut sides[i.min(1)];
            if dim == 3 {
                side.linear += square::<3>(&block);
                continue;
            }
            for c in block.chunks_exact(dim) {
                let at = |i: usize| c.get(i).copied().unwrap_or(0.0);
                for i in 0..dim.min(3) {
                    (0..dim.min(3)).for_each(|j| side.linear[(i, j)] += c[i] * c[j]);
                }
                if dim > 3 {
                    side.angular += Matrix3::from_fn(|i, j| at(i + 3) * at(j + 3));
                    side.coupling += Vector3::from_fn(|i, _| c[0] * at(i + 3));
                }
            }
        }
    }
}

impl FrozenProblem {
    /// The parts of its Delassus block W = J_k A⁻¹ J_kᵀ that constraint `k` feels of each block that it touches. Blocks beyond the second are added to
    /// the second. Counts and reference masses are left at zero.
    pub fn sides(inertia: &BlockDiagonal, map: &FrozenMap, k: usize) -> [ContactSide; 2] {
        let mut sides = [ContactSide::default(); 2];
        Self::set_sides(inertia, map, k, &mut sides);
        sides
    }

    /// [`FrozenProblem::sides`] in place; counts and reference masses stay as they are, and so do parts that belong to rows beyond those of the constraint.
    pub fn set_sides(inertia: &BlockDiagonal, map: &FrozenMap, k: usize, sides: &mut [ContactSide; 2]) {
        let (_, d) = map.rows_of(k);
        ContactSide::clear(sides, d);
        for (i, (b, block)) in map.entries(k).enumerate() {
            let side = &mut sides[i.min(1)];
            let row = |c: &[f64], i: usize| if i < d { c[i] } else { 0.0 };
            match d {
                1 => {
                    side.linear[(0, 0)] += inertia.inverse_product::<1>(b, block.iter().map(|&x| [x]))[0][0];
                }
                2 => {
                    let columns = block.chunks_exact(d).map(|c| [c[0], c[1], 0.0]);
                    side.linear +=
                        Matrix3::from_data(na::ArrayStorage(inertia.inverse_product::<3>(b, columns)));
                }
                3 => {
                    let columns = block.as_chunks::<3>().0.iter().copied();
                    side.linear +=
                        Matrix3::from_data(na::ArrayStorage(inertia.inverse_product::<3>(b, columns)));
                }
                _ => {
                    let columns = block.chunks_exact(d).map(|c| std::array::from_fn(|i| row(c, i)));
                    let w = inertia.inverse_product::<6>(b, columns);
                    side.linear += Matrix3::from_fn(|i, j| w[j][i]);
                    side.angular += Matrix3::from_fn(|i, j| w[j + 3][i + 3]);
                    side.coupling += Vector3::from_fn(|i, _| w[0][i + 3]);
                }
            }
        }
    }

    /// [`FrozenProblem::set_sides`] of a constraint of up to three rows that shares them, from the parts of the shared rows; those of the last shared rows are kept in `kept`, which is empty before the first.
    pub fn set_member_sides(
        inertia: &BlockDiagonal,
        map: &FrozenMap,
        k: usize,
        kept: &mut SharedSides,
        sides: &mut [ContactSide; 2],
    ) {
        let Some(m) = map.shared.of(k) else { return Self::set_sides(inertia, map, k, sides) };
        let (_, d) = map.rows_of(k);
        if kept.set != Some(m.set) {
            *kept = SharedSides { set: Some(m.set), ..SharedSides::default() };
            for (i, (b, block)) in m.rows.own_entries(m.set).enumerate() {
                let columns = block.as_chunks::<SHARED>().0.iter().copied();
                kept.parts[i.min(1)] +=
                    Matrix6::from_data(na::ArrayStorage(inertia.inverse_product::<SHARED>(b, columns)));
            }
        }
        let select = m.matrix(d);
        for (side, part) in sides.iter_mut().zip(&kept.parts) {
            side.linear = select * part * select.transpose();
        }
    }

    /// J_k A⁻¹ J_kᵀ of a constraint of one row \[1/kg\].
    pub fn inverse_mass(inertia: &BlockDiagonal, map: &FrozenMap, k: usize) -> f64 {
        map.entries(k)
            .map(|(b, block)| inertia.inverse_product::<1>(b, block.iter().map(|&x| [x]))[0][0])
            .sum()
    }

    /// Delassus block W = J_k A⁻¹ J_kᵀ of the first three rows of constraint `k` \[1/kg\].
    pub fn delassus(inertia: &BlockDiagonal, map: &FrozenMap, k: usize) -> Matrix3<f64> {
        let [a, b] = Self::sides(inertia, map, k);
        a.linear + b.linear
    }

    /// Contact velocity of the first three rows of constraint `k` at `v` \[m/s\].
    #[inline]
    pub fn contact_velocity_at(map: &FrozenMap, k: usize, v: &[f64]) -> Vector3<f64> {
        let (r, d) = map.rows_of(k);
        let mut out = [0.0; MAX_ROWS];
        if d == 3 {
            out[..3].copy_from_slice(&map.bias()[r..r + 3]);
            map.multiply_fixed::<3>(k, v, &mut out);
        } else {
            out[..d].copy_from_slice(&map.bias()[r..r + d]);
            map.multiply(k, v, &mut out[..d]);
        }
        Vector3::new(out[0], out[1], out[2])
    }
}
