use std::collections::HashMap;

use signorini_core::na::{Point3, Vector3};

/// Rounds of fitting a region's plane to its triangles and growing it again.
const REFITS: usize = 3;

/// Unit normal of a polygon (Newell), outward for a counter-clockwise loop; `None` without area.
pub(super) fn normal(points: &[Point3<f64>], face: &[u32]) -> Option<Vector3<f64>> {
    double_area(points, face).try_normalize(0.0).filter(|n| n.iter().all(|x| x.is_finite()))
}

fn double_area(points: &[Point3<f64>], face: &[u32]) -> Vector3<f64> {
    let at = |k: usize| points[face[k] as usize];
    let origin = at(0);
    (1..face.len() - 1).map(|k| (at(k) - origin).cross(&(at(k + 1) - origin))).sum()
}

/// Numbers the planar regions of a triangulated hull: the region of each triangle. A region is connected, its vertices
/// lie within `tolerance` \[m\] of a plane, and its triangles, slivers aside, face the same side of it. Large triangles are the seeds.
pub(super) fn regions(points: &[Point3<f64>], triangles: &[[u32; 3]], tolerance: f64) -> Vec<u32> {
    let across = neighbors(triangles);
    let areas: Vec<Vector3<f64>> = triangles.iter().map(|t| double_area(points, t)).collect();
    let mut seeds: Vec<u32> = (0..triangles.len() as u32).collect();
    let key = |t: u32| areas[t as usize].norm_squared();
    seeds.sort_by(|a, b| {
        key(*b).total_cmp(&key(*a)).then_with(|| triangles[*a as usize].cmp(&triangles[*b as usize]))
    });
    // no higher than the tolerance: its normal means nothing
    let is_sliver = |t: u32| {
        let [a, b, c] = triangles[t as usize].map(|v| points[v as usize]);
        let longest = (b - a).norm().max((c - b).norm()).max((a - c).norm());
        areas[t as usize].norm() <= tolerance * longest
    };
    let mut region = vec![u32::MAX; triangles.len()];
    let mut count = 0;
    let mut stamp = vec![0u32; triangles.len()];
    let mut round = 0;
    for seed in seeds {
        if region[seed as usize] != u32::MAX {
            continue;
        }
        let mut members = vec![seed];
        for _ in 0..REFITS {
            let Some(plane) = plane(points, triangles, &areas, &members) else { break };
            round += 1;
            let mut grown = vec![seed];
            stamp[seed as usize] = round;
            let mut next = 0;
            while next < grown.len() {
                for n in across[grown[next] as usize] {
                    let near = |v: &u32| (plane.0.dot(&(points[*v as usize] - plane.1))).abs() <= tolerance;
                    if stamp[n as usize] != round
                        && region[n as usize] == u32::MAX
                        && (areas[n as usize].dot(&plane.0) > 0.0 || is_sliver(n))
                        && triangles[n as usize].iter().all(near)
                    {
                        stamp[n as usize] = round;
                        grown.push(n);
                    }
                }
                next += 1;
            }
            let done = grown.len() == members.len();
            members = grown;
            if done {
                break;
            }
        }
        for t in members {
            region[t as usize] = count;
        }
        count += 1;
    }
    region
}

/// Area-weighted normal and centroid of triangles.
fn plane(
    points: &[Point3<f64>],
    triangles: &[[u32; 3]],
    areas: &[Vector3<f64>],
    members: &[u32],
) -> Option<(Vector3<f64>, Point3<f64>)> {
    let normal = members.iter().map(|t| areas[*t as usize]).sum::<Vector3<f64>>().try_normalize(0.0)?;
    let origin = points[triangles[members[0] as usize][0] as usize];
    let (mut sum, mut weight) = (Vector3::zeros(), 0.0);
    for &t in members {
        let w = areas[t as usize].dot(&normal).max(0.0);
        for v in triangles[t as usize] {
            sum += (points[v as usize] - origin) * w;
            weight += w;
        }
    }
    (weight > 0.0 && normal.iter().all(|x| x.is_finite())).then(|| (normal, origin + sum / weight))
}

/// The triangle across each edge (corner k to k + 1) of a closed surface.
fn neighbors(triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let mut owner: HashMap<[u32; 2], u32> = HashMap::with_capacity(3 * triangles.len());
    for (t, corners) in triangles.iter().zip(0u32..).map(|(c, t)| (t, c)) {
        for k in 0..3 {
            owner.insert([corners[k], corners[(k + 1) % 3]], t);
        }
    }
    let across =
        |c: &[u32; 3], k: usize, own: u32| owner.get(&[c[(k + 1) % 3], c[k]]).copied().unwrap_or(own);
    triangles.iter().zip(0u32..).map(|(c, own)| [0, 1, 2].map(|k| across(c, k, own))).collect()
}

/// Vertices that the merged polyhedron does not need, ascending: inside one region; on a straight line between two; or closer than
/// `tolerance` to a vertex that stays.
pub(super) fn superfluous(
    points: &[Point3<f64>],
    triangles: &[[u32; 3]],
    region: &[u32],
    tolerance: f64,
) -> Vec<u32> {
    // (vertex, region, next vertex of that region's rim) for each rim edge, and (vertex, region) for each corner
    let across = neighbors(triangles);
    let mut around: Vec<(u32, u32)> = Vec::with_capacity(3 * triangles.len());
    let mut rim: Vec<(u32, u32)> = Vec::new();
    let mut short: Vec<(u32, u32)> = Vec::new();
    for (t, corners) in triangles.iter().enumerate() {
        for k in 0..3 {
            let (a, b) = (corners[k], corners[(k + 1) % 3]);
            around.push((a, region[t]));
            if region[across[t][k] as usize] != region[t] {
                rim.push((a, b));
            }
            if a < b && (points[a as usize] - points[b as usize]).norm() < tolerance {
                short.push((a, b));
            }
        }
    }
    around.sort_unstable();
    around.dedup();
    rim.sort_unstable();
    let mut out = Vec::new();
    for group in around.chunk_by(|a, b| a.0 == b.0) {
        let v = group[0].0;
        let superfluous = match group.len() {
            1 => true,
            2 => {
                let from = rim.partition_point(|e| e.0 < v);
                let ends: Vec<u32> = rim[from..].iter().take_while(|e| e.0 == v).map(|e| e.1).collect();
                matches!(ends[..], [a, b] if off_chord(points, a, v, b) <= tolerance)
            }
            _ => false,
        };
        if superfluous {
            out.push(v);
        }
    }
    short.sort_unstable();
    for (a, b) in short {
        if out.binary_search(&a).is_err()
            && let Err(at) = out.binary_search(&b)
        {
            out.insert(at, b);
        }
    }
    out
}

/// Distance of `v` from the segment a–b \[m\]; infinite if its foot is outside.
fn off_chord(points: &[Point3<f64>], a: u32, v: u32, b: u32) -> f64 {
    let [a, v, b] = [a, v, b].map(|i| points[i as usize]);
    let chord = b - a;
    let along = (v - a).dot(&chord);
    if along < 0.0 || along > chord.norm_squared() {
        return f64::INFINITY;
    }
    (v - a).cross(&chord).norm() / chord.norm()
}

/// Joins the triangles of each region into convex polygons: one for each region, or, where the rim of a region is dented
/// by more than `tolerance` \[m\], a few.
pub(super) fn merge(
    points: &[Point3<f64>],
    triangles: &[[u32; 3]],
    region: &[u32],
    tolerance: f64,
) -> Vec<Vec<u32>> {
    let mut normals = vec![Vector3::zeros(); triangles.len()];
    for (t, corners) in triangles.iter().enumerate() {
        normals[region[t] as usize] += double_area(points, corners);
    }
    let across = neighbors(triangles);
    let mut loops: Vec<Vec<u32>> = triangles.iter().map(|t| t.to_vec()).collect();
    let mut parent: Vec<u32> = (0..triangles.len() as u32).collect();
    let mut inner: Vec<(f64, u32, u32, u32, u32)> = Vec::new();
    for (t, corners) in triangles.iter().enumerate() {
        for k in 0..3 {
            let (a, b, other) = (corners[k], corners[(k + 1) % 3], across[t][k]);
            if a < b && region[t] == region[other as usize] {
                let length = (points[a as usize] - points[b as usize]).norm();
                inner.push((length, a, b, t as u32, other));
            }
        }
    }
    inner.sort_by(|x, y| y.0.total_cmp(&x.0).then((x.1, x.2).cmp(&(y.1, y.2))));
    // a join may become possible after another; two passes are enough in practice, more do no harm
    let mut joined = true;
    while joined {
        joined = false;
        for &(_, a, b, t, other) in &inner {
            let (p, q) = (root(&mut parent, t), root(&mut parent, other));
            if p == q {
                continue;
            }
            let n = normals[region[t as usize] as usize];
            if let Some(polygon) = join(points, &loops[p as usize], &loops[q as usize], [a, b], &n, tolerance)
            {
                loops[p as usize] = polygon;
                loops[q as usize] = Vec::new();
                parent[q as usize] = p;
                joined = true;
            }
        }
    }
    loops.retain(|l| !l.is_empty());
    loops
}

fn root(parent: &mut [u32], mut t: u32) -> u32 {
    while parent[t as usize] != t {
        parent[t as usize] = parent[parent[t as usize] as usize];
        t = parent[t as usize];
    }
    t
}

/// The union of two counter-clockwise polygons that share the edge \[a, b\], a → b in `left` (b → a in `right`), if it is one convex
/// polygon that touches itself nowhere.
fn join(
    points: &[Point3<f64>],
    left: &[u32],
    right: &[u32],
    edge: [u32; 2],
    normal: &Vector3<f64>,
    tolerance: f64,
) -> Option<Vec<u32>> {
    let [a, b] = edge;
    let (n, m) = (left.len(), right.len());
    let i = (0..n).find(|k| left[*k] == a && left[(k + 1) % n] == b)?;
    let j = (0..m).find(|k| right[*k] == b && right[(k + 1) % m] == a)?;
    // the shared chain may be longer: `after` edges beyond b, `before` edges ahead of a
    let limit = n.min(m) - 2;
    let mut after = 0;
    while after < limit && left[(i + 2 + after) % n] == right[(j + m - 1 - after) % m] {
        after += 1;
    }
    let mut before = 0;
    while before < limit - after && left[(i + n - 1 - before) % n] == right[(j + 2 + before) % m] {
        before += 1;
    }
    let shared = 1 + after + before;
    // from the chain's end round `left` to its start, then round `right` back to the end
    let mut out: Vec<u32> = (0..=n - shared).map(|k| left[(i + 1 + after + k) % n]).collect();
    let start = out.len() - 1;
    out.extend((1..m - shared).map(|k| right[(j + 1 + before + k) % m]));
    if out.len() < 3 || out[start + 1..].iter().any(|v| out[..=start].contains(v)) {
        return None;
    }
    (!is_dented(points, &out, 0, normal, tolerance) && !is_dented(points, &out, start, normal, tolerance))
        .then_some(out)
}

/// Whether corner `k` of a polygon lies inside the chord of its neighbours by more than `tolerance` \[m\], seen along
/// `normal` (of any length).
pub(super) fn is_dented(
    points: &[Point3<f64>],
    polygon: &[u32],
    k: usize,
    normal: &Vector3<f64>,
    tolerance: f64,
) -> bool {
    let n = polygon.len();
    let [p, v, q] = [polygon[(k + n - 1) % n], polygon[k], polygon[(k + 1) % n]].map(|u| points[u as usize]);
    let chord = q - p;
    (v - p).cross(&chord).dot(normal) < -tolerance * chord.norm() * normal.norm()
}
