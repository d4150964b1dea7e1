//! Triangles of polygons.

use signorini_core::na::{Point2, Point3};

/// Largest entry of a normal that counts as zero.
const FLAT: f32 = f32::EPSILON;

/// Cuts a polygon of three or more corners into triangles, by the rules of `tinyobjloader`, which MuJoCo reads OBJ files with: the volume of a mesh
/// depends on the cuts of faces that are not flat. A quadrangle is cut along its shorter diagonal. Of more corners ears are cut off in the plane
/// of two axes, from the first corner on, in single precision. A rest without an ear becomes a fan, where `tinyobjloader` leaves a hole.
///
/// - `polygon` — indices of corners, each below the number of vertices
/// - `vertices` — positions \[m\]
pub(super) fn polygon_triangles(polygon: &[u32], vertices: &[Point3<f64>], mut add: impl FnMut([u32; 3])) {
    let at = |i: u32| vertices[i as usize].map(|x| x as f32);
    match *polygon {
        [] | [_] | [_, _] => {}
        [a, b, c] => add([a, b, c]),
        [a, b, c, d] => {
            let square = |i: u32, k: u32| (at(i) - at(k)).norm_squared();
            if square(c, a) < square(d, b) {
                add([a, b, c]);
                add([a, c, d]);
            } else {
                add([a, b, d]);
                add([b, c, d]);
            }
        }
        _ => {
            let [u, v] = plane(polygon, at);
            let flat = |i: u32| Point2::new(at(i)[u], at(i)[v]);
            let mut rest = polygon.to_vec();
            cut_ears(&mut rest, flat, &mut add);
            (1..rest.len().saturating_sub(1)).for_each(|k| add([rest[0], rest[k], rest[k + 1]]));
        }
    }
}

/// The two axes across the largest entry of the normal at the first corner that is none of a straight line.
fn plane(polygon: &[u32], at: impl Fn(u32) -> Point3<f32>) -> [usize; 2] {
    let n = polygon.len();
    let normals = (0..n).map(|k| {
        let [a, b, c] = [k, k + 1, k + 2].map(|i| at(polygon[i % n]));
        (b - a).cross(&(c - b)).abs()
    });
    match normals.into_iter().find(|m| m.max() > FLAT) {
        Some(m) if m.x > m.y && m.x > m.z => [1, 2],
        Some(m) if m.z > m.x && m.z > m.y => [0, 1],
        Some(_) => [0, 2],
        None => [1, 2],
    }
}

/// Cuts off ears until three corners or no ear is left.
fn cut_ears(rest: &mut Vec<u32>, flat: impl Fn(u32) -> Point2<f32>, add: &mut impl FnMut([u32; 3])) {
    let (mut guess, mut tries) = (0, rest.len());
    while rest.len() > 3 && tries > 0 {
        let n = rest.len();
        guess %= n;
        tries -= 1;
        let ear = [0, 1, 2].map(|k| rest[(guess + k) % n]);
        let [a, b, c] = ear.map(&flat);
        let (e, f) = (b - a, c - b);
        let turn = e.x * f.y - e.y * f.x;
        // The sign of the area is taken from two corners and the origin.
        let area = (a.x * b.y - a.y * b.x) * 0.5;
        let others = (3..n).map(|k| flat(rest[(guess + k) % n]));
        if turn * area < 0.0 || others.into_iter().any(|p| is_inside(&[a, b, c], p)) {
            guess += 1;
            continue;
        }
        add(ear);
        rest.remove((guess + 1) % n);
        tries = rest.len();
    }
}

/// Whether a ray from a point crosses the edges of a triangle an odd number of times.
fn is_inside(t: &[Point2<f32>; 3], p: Point2<f32>) -> bool {
    let crosses = |i: usize| {
        let (a, b) = (t[i], t[(i + 2) % 3]);
        (a.y > p.y) != (b.y > p.y) && p.x < (b.x - a.x) * (p.y - a.y) / (b.y - a.y) + a.x
    };
    (0..3).filter(|i| crosses(*i)).count() % 2 == 1
}
