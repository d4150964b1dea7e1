//! Signed distances, normals and witness points against independent engines.

use crate::narrow_common;

use narrow_common::{extent, oracle, pose, shape, vector};
use signorini_core::na::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use signorini_geometry::distance;

/// Pairs with a round shape, all but 342 penetrating, whose normal in the oracle is off by 1.1e-6 to 2e-5: its search ended on the distance,
/// and about its maximum the separation along n is flat, so that an error of 8e-14 to 1.3e-11 m in it (within the oracle's own certificate
/// except for 342, and below a hundredth of the 1e-9 asked of distances) leaves an angle of √(2 Δs / curvature).
///
/// Beside each the normal of largest separation, found apart from this library: nested golden-section search over two angles about
/// the oracle's normal, separations from the shapes' support functions, in 50 digits (mpmath 1.3). It separates further than the oracle's in
/// every case. These are held to it, to 2e-9: there separations differ by less than 6e-17 m, the roundoff of the sizes.
const ORACLE_NORMAL_IS_COARSE: [(u64, [f64; 3]); 19] = [
    (192, [0.13085235757614, 0.83064546767621, -0.54120769353893]),
    (194, [-0.083358606522593, -0.95463737758238, 0.2858650381583]),
    (196, [0.11083824307828, 0.8306320449487, 0.54567874227943]),
    (198, [-0.45170913993459, -0.69471537892873, -0.55975833640909]),
    (199, [0.080272458814505, 0.32362423906162, 0.9427744609649]),
    (273, [0.99847628746036, -0.024156370806201, -0.049614243205551]),
    (313, [-0.029168284472558, -0.79009086657308, -0.61229538111824]),
    (315, [-0.60929058575159, 0.78712596686675, 0.095904610934917]),
    (332, [-0.82233794748891, -0.18912859720792, -0.53664762539108]),
    (333, [0.74714146925227, -0.27589147755581, -0.60470118036567]),
    (334, [-0.31897426662228, 0.79497017987482, -0.51602115299915]),
    (335, [0.86876157231303, 0.29255301133156, -0.39958236451705]),
    (342, [-0.28882507020836, 0.94848978385979, -0.13018144542421]),
    (355, [0.51575376763491, 0.39732765517774, 0.75903147866301]),
    (357, [0.14273323827783, -0.70956985337453, -0.69002742400051]),
    (358, [0.43584049789595, 0.51879664015223, 0.73545435382528]),
    (359, [0.27134807416945, -0.92298766868283, 0.27288090095123]),
    (394, [-0.47619321714021, 0.85862146072051, -0.18976092100281]),
    (395, [-0.59122471882561, 0.60822769782663, 0.52963421287347]),
];

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
        let id = c["id"].as_u64().unwrap();
        let coarse = ORACLE_NORMAL_IS_COARSE.iter().find(|e| e.0 == id);
        let normal = match coarse {
            Some((_, n)) => (w.normal - Vector3::from(*n)).norm(),
            None => (w.normal - want).norm(),
        };
        assert!(coarse.is_none() || better, "{id}: the oracle's normal separates further");
        let p_a = (w.p_a.coords - vector(&c["point_on_A"])).norm();
        let p_b = (w.p_b.coords - vector(&c["point_on_B"])).norm();
        let witness = p_a.max(p_b);
        // The oracle's own accuracy, as its README states; penetrating pairs of curved shapes have witness points good to 1e-5.
        let smooth = |k: &str| ["cylinder", "ellipsoid"].contains(&c[k]["type"].as_str().unwrap());
        let loose = c["regime"] == "penetrating" && smooth("A") && smooth("B");
        if gap > 1e-9
            || normal > if coarse.is_some() { 2e-9 } else { 1e-6 }
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
