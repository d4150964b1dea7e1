//! Boxes, the box tree and the broad phase against brute force.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use signorini_core::na::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use signorini_geometry::{Aabb, BroadPhase, BroadPhaseError, Bvh, TriangleMesh};

fn a_box() -> impl Strategy<Value = Aabb> {
    // a coarse grid makes boxes touch and coincide
    let corner = || prop::array::uniform3((-8..8i32).prop_map(|x| f64::from(x) * 0.5));
    let size = prop::array::uniform3((0..6i32).prop_map(|x| f64::from(x) * 0.25));
    (corner(), size).prop_map(|(c, s)| Aabb::new(Point3::from(c), Point3::from(c) + Vector3::from(s)))
}

fn boxes(n: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Aabb>> {
    prop::collection::vec(a_box(), n)
}

fn pose() -> impl Strategy<Value = Isometry3<f64>> {
    let three = || prop::array::uniform3(-3.0..3.0f64);
    (three(), three()).prop_map(|(r, t)| {
        Isometry3::from_parts(Translation3::from(t), UnitQuaternion::from_scaled_axis(Vector3::from(r)))
    })
}

fn brute(boxes: &[Aabb], margins: &[f64], keep: impl Fn(u32, u32) -> bool) -> Vec<[u32; 2]> {
    let mut out = Vec::new();
    for i in 0..boxes.len() {
        for j in i + 1..boxes.len() {
            let meet = boxes[i].inflated(margins[i]).overlaps(&boxes[j].inflated(margins[j]));
            if meet && keep(i as u32, j as u32) {
                out.push([i as u32, j as u32]);
            }
        }
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, rng_seed: RngSeed::Fixed(4), ..ProptestConfig::default() })]

    #[test]
    fn property_tree_finds_what_brute_force_finds(first in boxes(0..90), second in boxes(90..91), probe in a_box()) {
        let mut tree = Bvh::build(&first);
        prop_assert_eq!(tree.len(), first.len());
        // refitted to boxes that have nothing to do with those it was built for
        for boxes in [&first, &second[..first.len()].to_vec()] {
            tree.refit(boxes);
            let mut found = Vec::new();
            tree.query(&probe, &mut found);
            found.sort_unstable();
            let expected: Vec<u32> = (0..boxes.len() as u32).filter(|i| boxes[*i as usize].overlaps(&probe)).collect();
            prop_assert_eq!(found, expected);
            let mut pairs = Vec::new();
            tree.self_pairs(|i, j| pairs.push([i, j]));
            pairs.sort_unstable();
            prop_assert_eq!(pairs, brute(boxes, &vec![0.0; boxes.len()], |_, _| true));
        }
    }

    #[test]
    fn property_two_trees_miss_no_pair(a in boxes(0..40), b in boxes(0..40), x in pose()) {
        let (ta, tb) = (Bvh::build(&a), Bvh::build(&b));
        let mut identity = Vec::new();
        ta.pairs(&tb, &Isometry3::identity(), |i, j| identity.push((i, j)));
        identity.sort_unstable();
        let mut moved = Vec::new();
        ta.pairs(&tb, &x, |i, j| moved.push((i, j)));
        moved.sort_unstable();
        prop_assert!(moved.windows(2).all(|w| w[0] != w[1]));
        for i in 0..a.len() {
            for j in 0..b.len() {
                let pair = (i as u32, j as u32);
                if a[i].overlaps(&b[j]) {
                    prop_assert!(identity.binary_search(&pair).is_ok());
                }
                if a[i].overlaps(&b[j].transformed(&x)) {
                    prop_assert!(moved.binary_search(&pair).is_ok());
                }
                // nor reports boxes that are apart by more than rounding
                if !a[i].inflated(1e-12).overlaps(&b[j].transformed(&x)) {
                    prop_assert!(moved.binary_search(&pair).is_err());
                }
            }
        }
    }

    // Below and above the size where trying all pairs gives way to the tree; a broad phase with a past gives the pairs of a new one.
    #[test]
    fn property_broad_phase_is_brute_force_without_memory(
        history in prop::collection::vec(prop_oneof![boxes(0..60), boxes(150..260)], 1..4), margin in 0.0..0.5f64, infinite in prop::collection::vec(any::<prop::sample::Index>(), 0..3),
    ) {
        let mut phase = BroadPhase::new();
        for mut boxes in history {
            let n = boxes.len();
            for at in infinite.iter().filter(|_| n > 0) {
                boxes[at.index(n)].min.z = f64::NEG_INFINITY;
            }
            let margins: Vec<f64> = (0..n).map(|i| margin * (i % 3) as f64).collect();
            let keep = |i: u32, j: u32| { assert!(i < j); !(i + j).is_multiple_of(5) };
            let expected = brute(&boxes, &margins, keep);
            prop_assert_eq!(phase.pairs(&boxes, &margins, keep).unwrap(), &expected);
            let mut fresh = BroadPhase::new();
            prop_assert_eq!(fresh.pairs(&boxes, &margins, keep).unwrap(), &expected);
        }
    }

    #[test]
    fn property_box_of_a_moved_box_holds_its_points(b in a_box(), x in pose(), u in prop::array::uniform3(0.0..=1.0f64)) {
        let p = b.min + (b.max - b.min).component_mul(&Vector3::from(u));
        // rounding of a rigid motion over 10 m
        prop_assert!(b.transformed(&x).inflated(1e-14 * 10.0).contains_point(&(x * p)));
        prop_assert!(b.contains_point(&p));
    }

    #[test]
    fn property_mesh_triangles_in_a_box(b in a_box(), scale in 0.5..4.0f64) {
        let mesh = TriangleMesh::torus(scale, 0.4 * scale, 14, 9).unwrap();
        let mut found = vec![7];
        mesh.triangles_in_aabb(&b, &mut found);
        let expected: Vec<u32> = (0..mesh.triangles().len() as u32)
            .filter(|t| Aabb::from_points(&mesh.triangle(*t as usize)).overlaps(&b)).collect();
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn analytic_box_algebra() {
    let a = Aabb::new(Point3::new(0.0, 0.0, 0.0), Point3::new(1.0, 2.0, 3.0));
    assert_eq!(a.surface_area(), 22.0);
    assert_eq!(Aabb::empty().surface_area(), 0.0);
    assert_eq!(Aabb::empty().merged(&a), a);
    assert!(Aabb::empty().is_empty() && !a.is_empty() && !Aabb::empty().overlaps(&a));
    assert!(Aabb::unbounded().contains(&a) && !Aabb::unbounded().is_finite());
    assert!(a.inflated(0.1).contains(&a) && !a.contains(&a.inflated(0.1)));
    let beside = Aabb::new(Point3::new(1.0, 0.0, 0.0), Point3::new(2.0, 1.0, 1.0));
    assert!(a.overlaps(&beside), "touching counts");
    assert!(!a.inflated(-0.1).overlaps(&beside));
    assert_eq!(Aabb::unbounded().transformed(&Isometry3::translation(1.0, 0.0, 0.0)), Aabb::unbounded());
}

#[test]
fn analytic_broad_phase_refuses_bad_boxes() {
    let good = Aabb::new(Point3::origin(), Point3::new(1.0, 1.0, 1.0));
    let mut phase = BroadPhase::new();
    let mut bad = good;
    bad.max.y = f64::NAN;
    assert!(matches!(
        phase.pairs(&[good, bad], &[0.0; 2], |_, _| true),
        Err(BroadPhaseError::Bounds { proxy: 1, .. })
    ));
    assert!(matches!(
        phase.pairs(&[Aabb::empty()], &[0.0], |_, _| true),
        Err(BroadPhaseError::Bounds { proxy: 0, .. })
    ));
    for m in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(
            phase.pairs(&[good], &[m], |_, _| true),
            Err(BroadPhaseError::Margin { proxy: 0, .. })
        ));
    }
    assert!(matches!(phase.pairs(&[good], &[], |_, _| true), Err(BroadPhaseError::Length { .. })));
    assert_eq!(phase.pairs(&[good, good], &[0.0; 2], |_, _| true).unwrap(), [[0, 1]]);
}

#[test]
fn analytic_tree_depth_is_bounded() {
    // boxes at powers of two push the heuristic towards a list
    let boxes: Vec<Aabb> = (0..1000)
        .map(|i| {
            let p = Point3::new(2f64.powi(i), 0.0, 0.0);
            Aabb::new(p, p)
        })
        .collect();
    let tree = Bvh::build(&boxes);
    let mut found = Vec::new();
    tree.query(&boxes[500], &mut found);
    assert_eq!(found, [500]);
    let same = vec![boxes[0]; 500];
    let mut count = 0;
    Bvh::build(&same).self_pairs(|_, _| count += 1);
    assert_eq!(count, 500 * 499 / 2);
    assert!(Bvh::build(&[]).is_empty());
}
