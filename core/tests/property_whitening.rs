//! Coordinates in which the inertia is the identity: velocities, impulses and Delassus blocks are those of the map and the inertia.

use nalgebra::{DMatrix, DVector, SVector};
use proptest::prelude::*;
use signorini_core::{BlockDiagonal, FrozenMap};

proptest! {
    #[test]
    fn property_whitened_rows_are_those_of_map_and_inertia(
        sizes in prop::collection::vec(1_usize..10, 2..5),
        entries in prop::collection::vec(-1.0..1.0_f64, 97),
    ) {
        let mut next = entries.iter().copied().cycle();
        let mut inertia = BlockDiagonal::with_sizes(&sizes);
        for (b, &n) in sizes.iter().enumerate() {
            let g = DMatrix::from_fn(n, n, |_, _| next.next().unwrap());
            inertia.block_mut(b).copy_from_slice((&g * g.transpose() + DMatrix::identity(n, n)).as_slice());
        }
        inertia.factor().unwrap();
        let mut map = FrozenMap::new(&[&[0], &sizes.iter().scan(0, |s, n| { *s += n; Some(*s) }).collect::<Vec<_>>()[..]].concat());
        for k in 0..4 {
            map.push_constraint([[0.1, 0.2, 0.3].as_slice(), &[-0.4]][k % 2]);
            for b in [k % 2, sizes.len() - 1] {
                map.push_block(b).iter_mut().for_each(|j| *j = next.next().unwrap());
                if sizes.len() == 2 && k % 2 == 1 {
                    break;
                }
            }
        }
        // Two constraints that share their rows.
        map.push_shared();
        for b in [0, 1] {
            map.push_shared_block(b).iter_mut().for_each(|j| *j = next.next().unwrap());
        }
        for d in [3, 1] {
            let select: Vec<f64> = next.by_ref().take(6 * d).collect();
            map.push_member(&select, &[0.3, 0.1, -0.2][..d]);
        }
        let (a, j) = (inertia.to_dense(), map.to_dense());
        let inverse = a.clone().try_inverse().unwrap();
        let v = DVector::from_fn(a.nrows(), |i, _| (1.0 + i as f64).cos());
        let mut whitened = FrozenMap::default();
        inertia.whiten_map(&map, &mut whitened);
        let blocks: Vec<_> = map.block_starts().windows(2).map(|w| w[0]..w[1]).collect();
        let mut x = v.as_slice().to_vec();
        blocks.iter().enumerate().for_each(|(b, at)| inertia.whiten(b, &mut x[at.clone()]));
        // Round-off: condition numbers stay below 1e3.
        let tiny = 1e-11;
        let v_c = &j * &v + DVector::from_column_slice(map.bias());
        let w = &j * &inverse * j.transpose();
        let gamma = SVector::from([0.7, -0.2, 0.4]);
        for k in 0..6 {
            let (r, d) = map.rows_of(k);
            if d == 3 {
                prop_assert!((whitened.velocity_of::<3>(k, &x) - v_c.fixed_rows::<3>(r)).amax() < tiny);
                prop_assert!((whitened.square_of::<3>(k) - w.fixed_view::<3, 3>(r, r)).amax() < tiny);
            } else {
                prop_assert!((whitened.velocity_of::<1>(k, &x)[0] - v_c[r]).abs() < tiny);
                prop_assert!((whitened.square_of::<1>(k)[(0, 0)] - w[(r, r)]).abs() < tiny);
            }
        }
        let mut after = v;
        for k in [2, 4] {
            whitened.push::<3>(k, &gamma, &mut x);
            after += &inverse * j.rows(map.rows_of(k).0, 3).transpose() * gamma;
        }
        blocks.iter().enumerate().for_each(|(b, at)| inertia.unwhiten(b, &mut x[at.clone()]));
        prop_assert!((DVector::from_vec(x) - after).amax() < tiny);
    }
}
