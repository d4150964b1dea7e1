//! Signed distances, normals and witness points against independent engines.
#![allow(clippy::unwrap_used, clippy::panic, reason = "test code")]

mod narrow_common;

use narrow_common::{extent, oracle, pose, shape, vector};
use signorini_core::na::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use signorini_geometry::distance;

/// Penetrating pairs with a round shape (and one separated, 342) whose normal in the oracle is off by 1e-6 to 2e-5, which changes its
/// distance by less than 1.4e-11. The separation along a unit normal never exceeds the signed distance, so of two normals the one
/// with the larger separation is nearer the truth: these are held to that, and to 2e-5.
const ORACLE_NORMAL_IS_COARSE: [u64; 19] =
    [192, 194, 196, 198, 199, 273, 313, 315, 332, 333, 334, 335, 342, 355, 357, 358, 359, 394, 395];

#[test]
fn conformance_primitive_pairs_agree_with_the_oracle() {
    let Some(data) = oracle("primitive_pairs.json") else { return };
    let mut failed = Vec::new();
    let mut worst = [0.0f64; 3];
    let cases = data["cases"].as_array().unwrap();
    for c in cases {
        let (a, b) = (shape(&c["A"], &data["meshes"]), shape(&c["B"], &data["meshes"]));
        let (x_wa, x_wb) = (pose(&c["A"]), pose(&c["B"]));
        let w = distance(&a, &x_wa, &b, &x_wb).unwrap();
        let gap = (w.gap - c["signed_distance"].as_f64().unwrap()).abs();
        let want = vector(&c["normal_A_to_B"]);
        let along = |n: &Vector3<f64>| -extent(&a, &x_wa, n) - extent(&b, &x_wb, &-n);
        let better = along(&w.normal) >= along(&want.normalize());
        let coarse = better && ORACLE_NORMAL_IS_COARSE.contains(&c["id"].as_u64().unwrap());
        let normal = (w.normal - want).norm();
        let p_a = (w.p_a.coords - vector(&c["point_on_A"])).norm();
        let p_b = (w.p_b.coords - vector(&c["point_on_B"])).norm();
        let witness = p_a.max(p_b);
        // The oracle's own accuracy, as its README states; penetrating pairs of curved shapes have witness points good to 1e-5.
        let smooth = |k: &str| ["cylinder", "ellipsoid"].contains(&c[k]["type"].as_str().unwrap());
        let loose = c["regime"] == "penetrating" && smooth("A") && smooth("B");
        if gap > 1e-9
            || normal > if coarse { 2e-5 } else { 1e-6 }
            || witness > if loose { 1e-5 } else { 1e-6 }
            || gap.is_nan()
        {
            failed.push(format!(
                "{} {} {}: {} for {}; off by {gap:e} {normal:e} {witness:e}",
                c["id"], c["pair"], c["regime"], w.gap, c["signed_distance"]
            ));
        }
        worst = [worst[0].max(gap), worst[1].max(normal), worst[2].max(witness)];
    }
    println!("{} cases, largest differences {worst:?}", cases.len());
    assert!(failed.is_empty(), "{} failed:\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn conformance_closed_form_cases() {
    let Some(data) = oracle("analytic_cases.json") else { return };
    // Alone and far from the origin, turned: the result must move with the pair.
    let moves = [
        Isometry3::identity(),
        Isometry3::from_parts(
            Translation3::new(3.0, -2.0, 1.0),
            UnitQuaternion::from_scaled_axis(Vector3::new(0.3, -1.1, 0.7)),
        ),
    ];
    let mut failed = Vec::new();
    for c in data["cases"].as_array().unwrap() {
        let (a, b) = (shape(&c["A"], &data), shape(&c["B"], &data));
        for x in &moves {
            let w = distance(&a, &(x * pose(&c["A"])), &b, &(x * pose(&c["B"]))).unwrap();
            // Closed forms: roundoff of metres.
            let near = |x: f64, tol: f64| x < tol;
            let mut ok = near((w.gap - c["signed_distance"].as_f64().unwrap()).abs(), 1e-12);
            ok &= near((w.normal.norm() - 1.0).abs(), 1e-12);
            ok &= near((w.p_b - w.p_a - w.normal * w.gap).norm(), 1e-12);
            if c["normal_A_to_B"].is_array() {
                ok &= near((w.normal - x.rotation * vector(&c["normal_A_to_B"])).norm(), 1e-9);
            }
            if c["witness_unique"] == true {
                let at = |k: &str| x * Point3::from(vector(&c[k]));
                ok &= near((w.p_a - at("point_on_A")).norm(), 1e-9);
                ok &= near((w.p_b - at("point_on_B")).norm(), 1e-9);
            }
            if !ok {
                failed.push(format!("{}: {w:?}", c["name"]));
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
