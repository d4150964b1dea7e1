//! The path of a tendon past an obstacle.

use proptest::prelude::*;
use signorini_core::na::{Point3, Vector3};
use signorini_multibody::{Obstacle, Wrap, wrap};

fn point() -> impl Strategy<Value = Point3<f64>> {
    (-1.0..1.0f64, -1.0..1.0f64, -1.0..1.0f64).prop_map(|(x, y, z)| Point3::new(x, y, z))
}

fn obstacle() -> impl Strategy<Value = Obstacle> {
    (0.05..0.4f64, any::<bool>()).prop_map(|(radius, ball)| match ball {
        true => Obstacle::Sphere { radius },
        false => Obstacle::Cylinder { radius },
    })
}

fn radius(o: Obstacle) -> f64 {
    match o {
        Obstacle::Sphere { radius } | Obstacle::Cylinder { radius } => radius,
    }
}

/// Distance from the axis or centre, with its direction.
fn radial(o: Obstacle, p: &Point3<f64>) -> Vector3<f64> {
    match o {
        Obstacle::Sphere { .. } => p.coords,
        Obstacle::Cylinder { .. } => Vector3::new(p.x, p.y, 0.0),
    }
}

fn length(a: &Point3<f64>, b: &Point3<f64>, w: &Wrap) -> f64 {
    (w.first - a).norm() + w.length + (b - w.last).norm()
}

/// Whether the segment comes nearer to the axis or centre than the radius.
fn meets(o: Obstacle, a: &Point3<f64>, b: &Point3<f64>) -> f64 {
    let (p, q) = (radial(o, a), radial(o, b));
    let d = q - p;
    let s = (-p.dot(&d) / d.norm_squared()).clamp(0.0, 1.0);
    (p + d * s).norm()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn property_a_wrapped_path_is_tangent_and_shortest(o in obstacle(), a in point(), b in point()) {
        let r = radius(o);
        let outside = radial(o, &a).norm() > r && radial(o, &b).norm() > r;
        let hit = meets(o, &a, &b) <= r;
        let w = wrap(o, &a, &b, None);
        prop_assert_eq!(w.is_some(), outside && hit);
        let Some(w) = w else { return Ok(()) };
        // On the surface, and leaving it tangentially: round-off.
        for (p, end) in [(w.first, a), (w.last, b)] {
            prop_assert!((radial(o, &p).norm() - r).abs() < 1e-12);
            prop_assert!(radial(o, &p).dot(&(end - p)).abs() < 1e-9);
        }
        // Longer than straight, and no longer than the detour over any other point of the surface that both ends see.
        let l = length(&a, &b, &w);
        prop_assert!(l >= (b - a).norm() - 1e-12);
        // The arc is at most half a turn, so that no shorter one exists on the other side.
        let turn = match o {
            Obstacle::Sphere { .. } => w.length,
            Obstacle::Cylinder { .. } => (w.length.powi(2) - (w.last.z - w.first.z).powi(2)).max(0.0).sqrt(),
        };
        prop_assert!(turn <= std::f64::consts::PI * r + 1e-9);
        // The chord agrees with the arc.
        let chord = (radial(o, &w.last) - radial(o, &w.first)).norm();
        prop_assert!((2.0 * r * (0.5 * turn / r).sin() - chord).abs() < 1e-9);
    }

    /// The derivative of the length with an end point is the unit vector of its straight piece: the path is stationary.
    #[test]
    fn property_length_is_stationary(
        o in obstacle(), a in point(), b in point(), side in point(), with_side in any::<bool>(), t in point(),
    ) {
        let side = with_side.then_some(side);
        let Some(w) = wrap(o, &a, &b, side.as_ref()) else { return Ok(()) };
        let h = 1e-6;
        let at = |s: f64| {
            let moved = a + t.coords * s;
            wrap(o, &moved, &b, side.as_ref()).map(|w| length(&moved, &b, &w))
        };
        let (Some(l0), Some(l1)) = (at(-h), at(h)) else { return Ok(()) };
        // Where a neighbour takes another branch (other side, other plane) there is no derivative.
        prop_assume!((l1 - l0).abs() < 10.0 * h);
        // Through the axis both ways round are as long, and neighbours take one or the other.
        prop_assume!(meets(o, &a, &b) > 10.0 * h);
        let u = (a - w.first).normalize();
        // Tangent points move fast when the end is near the surface: second derivative up to 1/(distance to the surface).
        let clearance = (radial(o, &a).norm() - radius(o)).min(radial(o, &b).norm() - radius(o));
        prop_assume!(clearance > 0.02);
        prop_assert!(((l1 - l0) / (2.0 * h) - u.dot(&t.coords)).abs() < 1e-6);
    }

    /// Inverse wrapping touches the obstacle at the point over which the path is shortest.
    #[test]
    fn property_inverse_wrapping_is_shortest(o in obstacle(), a in point(), b in point(), turn in -3.2..3.2f64) {
        let inside = Point3::new(0.3 * radius(o), 0.1 * radius(o), 0.0);
        let r = radius(o);
        let outside = radial(o, &a).norm() > r && radial(o, &b).norm() > r;
        let w = wrap(o, &a, &b, Some(&inside));
        prop_assert_eq!(w.is_some(), outside && meets(o, &a, &b) > r);
        let Some(w) = w else { return Ok(()) };
        prop_assert_eq!((w.first, w.length), (w.last, 0.0));
        prop_assert!((radial(o, &w.first).norm() - r).abs() < 1e-12);
        // No other point of the same surface, near or far, gives a shorter path.
        let l = length(&a, &b, &w);
        for scale in [1.0, 1e-2, 1e-4] {
            let axis = match o {
                Obstacle::Sphere { .. } => (a.coords.cross(&b.coords)).normalize(),
                Obstacle::Cylinder { .. } => Vector3::z(),
            };
            let rotation = signorini_core::na::UnitQuaternion::from_scaled_axis(axis * turn * scale);
            let p = rotation * w.first;
            prop_assert!((p - a).norm() + (b - p).norm() >= l - 1e-12);
        }
    }
}

/// A side site on the axis of a cylinder is inside near the middle and outside beyond the radius; lengths of MuJoCo 4.0.
#[test]
fn conformance_side_sites_along_a_cylinder() {
    let o = Obstacle::Cylinder { radius: 0.1 };
    let b = Point3::new(0.3, 0.05, 0.1);
    for (y, z, expected) in [
        (0.15, 0.0, 0.6164414002968976),
        (-0.15, 0.0, 0.6403124237432849),
        (0.15, 0.5, 0.6164474271262637),
        (-0.15, 0.5, 0.7081085082734104),
    ] {
        let a = Point3::new(-0.3, y, 0.0);
        let found = match wrap(o, &a, &b, Some(&Point3::new(0.02, 0.05, z))) {
            Some(w) => length(&a, &b, &w),
            None => (b - a).norm(),
        };
        // MuJoCo stops inverse wrapping at 1e-6 of an angle, where the length is stationary.
        assert!((found - expected).abs() < 1e-11, "{y} {z}: {found}");
    }
}

/// Obstacle (sphere or cylinder along z), its radius, ends and side site in its frame, length and its derivative with the second end.
type SideCase = (bool, f64, [f64; 3], [f64; 3], [f64; 3], f64, [f64; 3]);

/// Drawn by NumPy's default_rng(36) among those whose segment meets the obstacle or passes it away from the side site; `ten_length`
/// and `ten_J` of MuJoCo 4.0.
#[rustfmt::skip]
const SIDE_CASES: [SideCase; 24] = [
    (true, 0.28, [-0.68, -0.52, 0.14], [0.86, 0.09, -0.64], [-0.12, 0.44, -0.36], 2.2179178070665952, [0.7037424334055128, -0.13859224163788345, -0.696806126538992]),
    (false, 0.44, [-0.98, -0.24, 0.12], [0.68, 0.8, -0.69], [0.66, -0.55, -0.33], 2.6522989304954896, [0.2558940635132158, 0.9171978266602727, -0.3053954404184297]),
    (true, 0.31, [-0.4, 0.23, -0.27], [-0.84, -0.55, 0.64], [0.39, -0.12, -0.32], 2.363392278393101, [-0.8656745530224234, -0.32684871570568347, 0.37918001699848697]),
    (false, 0.33, [-0.2, 0.53, -0.83], [-0.55, -0.94, 0.77], [-0.0, 0.3, -0.71], 2.2009440050804234, [-0.15089184306306702, -0.6698952579795189, 0.7269607933262872]),
    (true, 0.43, [0.79, -0.26, 0.48], [0.12, -0.74, -0.62], [0.7, 0.82, 0.46], 1.3745180973708568, [-0.4874435638799947, -0.34921329949611557, -0.8002804780119317]),
    (false, 0.31, [0.04, -0.68, -0.45], [0.36, -0.97, 0.72], [-0.45, 0.43, 0.55], 1.247156766409099, [0.2565836217377599, -0.23252890719984481, 0.9381338669786845]),
    (true, 0.48, [-0.33, -0.13, -0.36], [-0.4, -0.31, 0.48], [0.35, 0.98, -0.11], 2.3830268665228345, [-0.8660143452055572, -0.4999240431424858, 0.009752178539179828]),
    (false, 0.32, [0.82, -0.12, 0.45], [0.01, 0.32, 0.36], [-0.79, 0.94, 0.72], 0.932179933771247, [-0.9933862367799641, 0.06214733055123173, -0.09654788387891586]),
    (true, 0.36, [-0.43, -0.41, 0.89], [-0.85, 0.81, -0.68], [0.53, 0.16, 0.18], 2.9558848381162512, [-0.7912076702765147, 0.5328490042633379, -0.30010391725397234]),
    (false, 0.29, [0.43, 0.72, 0.67], [0.63, -0.86, 0.23], [-0.73, 0.85, 0.66], 2.3756322893912474, [0.7744814367665193, -0.6048754700452402, -0.18521384894661008]),
    (true, 0.38, [-0.78, -0.75, -0.09], [-0.96, 0.97, -0.97], [-0.07, -0.15, 0.73], 1.9404123273160268, [-0.09276378915247126, 0.8864095407902811, -0.4535118580787485]),
    (false, 0.5, [-0.75, 0.98, 0.11], [0.88, -0.14, -0.58], [-0.59, -0.46, -0.7], 2.837324549493368, [0.8784250439679525, 0.4113752562807555, -0.24318684308540114]),
    (true, 0.29, [0.19, -0.93, -0.91], [0.21, -0.07, 0.7], [-0.46, 0.4, -0.89], 2.4255600753380584, [0.4057913422388716, -0.4472538895182235, 0.7970554214575016]),
    (false, 0.55, [0.89, 0.46, 0.77], [-0.37, 0.54, 0.87], [0.13, 0.74, 0.46], 1.2687215053434384, [-0.9965096230997976, -0.027496487585367692, 0.07881950418498673]),
    (true, 0.59, [-0.72, 0.3, -0.92], [-0.45, -0.39, 0.61], [-0.71, 0.48, 0.3], 1.7005938764376847, [0.19312747843800643, -0.3973976725414442, 0.8970935664304034]),
    (false, 0.45, [0.38, 0.74, 0.26], [-0.59, -0.58, -0.72], [0.69, -0.94, 0.22], 2.2755367905882506, [-0.8842028943477834, -0.18086085243524047, -0.43066761392447506]),
    (true, 0.44, [-0.66, 0.53, -1.0], [-0.64, 0.62, 0.91], [0.47, 0.47, 0.58], 1.9122238362702209, [0.010459026616366145, 0.04706561977364759, 0.9988370418629661]),
    (false, 0.2, [-0.41, -0.92, 0.62], [0.74, 0.15, 0.17], [-0.5, 0.14, 0.72], 2.0491774926902173, [0.9733292708638972, -0.06637647954319317, -0.21960030383177184]),
    (true, 0.26, [0.56, 0.95, -0.58], [0.65, 0.08, -0.52], [-0.43, 0.53, 0.44], 0.8766983517721475, [0.1026578866243732, -0.9923595707022745, 0.06843859108291542]),
    (false, 0.55, [1.0, 0.01, -0.34], [-0.07, 0.59, 0.05], [-0.02, -0.23, -0.48], 1.2780453826057978, [-0.837215966320683, 0.45381800043551035, 0.3051534830514639]),
    (true, 0.51, [-0.81, 0.7, -0.6], [0.77, -0.4, 0.77], [-0.63, -0.3, 0.61], 2.4628542464650276, [0.6324457910780741, -0.6825936268747917, 0.36616698635669875]),
    (false, 0.31, [0.23, -0.35, 0.3], [-0.24, 0.96, 0.47], [0.38, 0.12, 0.55], 1.4839424737610902, [-0.5307312337221033, 0.839762129057812, 0.11455969689251537]),
    (true, 0.47, [-0.6, 0.52, -0.4], [0.06, -0.94, -0.04], [-0.71, 0.45, 0.92], 1.6473237378459185, [0.4543209049334636, -0.8515507551802396, 0.26163682212640177]),
    (false, 0.54, [-0.64, 0.41, -0.81], [0.67, 0.67, 0.05], [0.13, -0.23, -0.06], 1.5884898488816352, [0.8246826386220195, 0.16367747026085888, 0.5413947093243793]),
];

#[test]
fn conformance_side_sites_anywhere() {
    for (i, (ball, radius, a, b, side, expected, slope)) in SIDE_CASES.into_iter().enumerate() {
        let o = if ball { Obstacle::Sphere { radius } } else { Obstacle::Cylinder { radius } };
        let [a, b, side] = [a, b, side].map(Point3::from);
        let (found, last) = match wrap(o, &a, &b, Some(&side)) {
            Some(w) => (length(&a, &b, &w), w.last),
            None => ((b - a).norm(), a),
        };
        // MuJoCo stops inverse wrapping at 1e-6 of an angle; the length is stationary there, its derivative is not.
        assert!((found - expected).abs() < 1e-11, "case {i}: {found} for {expected}");
        assert!(((b - last).normalize() - Vector3::from(slope)).norm() < 1e-5, "case {i}");
    }
}

/// A quarter turn around a unit cylinder, by hand; the side site picks it over the shorter way past the other side.
#[test]
fn analytic_quarter_turn() {
    let o = Obstacle::Cylinder { radius: 1.0 };
    let side = Some(Point3::new(5.0, 5.0, 0.0));
    let (a, b) = (Point3::new(1.0, -2.0, 0.0), Point3::new(-2.0, 1.0, 0.0));
    let w = wrap(o, &a, &b, side.as_ref()).unwrap();
    // Round-off.
    assert!((w.first - Point3::new(1.0, 0.0, 0.0)).norm() < 1e-15);
    assert!((w.last - Point3::new(0.0, 1.0, 0.0)).norm() < 1e-15);
    assert!((w.length - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
    // With a rise: the straight pieces and the arc share it in proportion to their lengths.
    let rise = 3.0;
    let b = Point3::new(-2.0, 1.0, rise);
    let w = wrap(o, &a, &b, side.as_ref()).unwrap();
    let flat = 4.0 + std::f64::consts::FRAC_PI_2;
    assert!((w.first.z - rise * 2.0 / flat).abs() < 1e-14);
    assert!((length(&a, &b, &w) - flat.hypot(rise)).abs() < 1e-14);
    // Without a side it takes the shorter arc on the side where the segment passes.
    let w = wrap(o, &a, &b, None).unwrap();
    assert!(w.first.x + w.first.y < 0.0 && w.length < 1.0);
}

/// Ends that are opposite to each other leave the plane of a sphere open.
#[test]
fn property_opposite_ends_are_harmless() {
    let o = Obstacle::Sphere { radius: 0.5 };
    for side in [None, Some(Point3::new(0.0, 0.0, 2.0)), Some(Point3::new(3.0, 0.0, 0.0))] {
        let w = wrap(o, &Point3::new(1.0, 0.0, 0.0), &Point3::new(-1.0, 0.0, 0.0), side.as_ref()).unwrap();
        // Half a turn less the two angles arccos(r/d) = 60°.
        assert!((w.length - 0.5 * std::f64::consts::FRAC_PI_3).abs() < 1e-14);
    }
    let w =
        wrap(o, &Point3::new(1.0, 0.0, 0.0), &Point3::new(-1.0, 0.0, 0.0), Some(&Point3::new(0.0, 0.0, 2.0)));
    assert!(w.unwrap().first.z > 0.0);
    assert_eq!(wrap(o, &Point3::origin(), &Point3::new(-1.0, 0.0, 0.0), None), None);
}
