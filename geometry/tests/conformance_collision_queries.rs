//! The public queries of Wang et al. (2021), "A large-scale benchmark and an inclusion-based algorithm for continuous collision detection": exact answers to 7 279 paths.

use std::collections::BTreeMap;
use std::path::Path;

use signorini_core::na::Vector3;
use signorini_geometry::{Ccd, Impact, Stencil};
use signorini_testkit::data;

struct Query {
    stencil: Stencil,
    x: [Vector3<f64>; 4],
    dx: [Vector3<f64>; 4],
    hit: bool,
}

/// Eight rows a query, four points at the start and four at the end; a coordinate is a numerator and a denominator, the last column the answer.
fn queries(file: &Path, stencil: Stencil) -> Vec<Query> {
    let text = std::fs::read_to_string(file).unwrap();
    let rows: Vec<Vec<f64>> =
        text.lines().map(|l| l.split(',').map(|n| n.trim().parse().unwrap()).collect()).collect();
    assert_eq!(rows.len() % 8, 0, "{}", file.display());
    let point = |r: &Vec<f64>| Vector3::new(r[0] / r[1], r[2] / r[3], r[4] / r[5]);
    rows.chunks_exact(8)
        .map(|r| {
            let x: [_; 4] = std::array::from_fn(|i| point(&r[i]));
            Query { stencil, x, dx: std::array::from_fn(|i| point(&r[4 + i]) - x[i]), hit: r[0][6] == 1.0 }
        })
        .collect()
}

/// Queries, hits, hits missed, misses that [`Ccd::touches`] takes for hits, misses along which [`Ccd::impact`] keeps part of the distance.
type Counts = [usize; 5];

fn count(counts: &mut Counts, q: &Query) {
    let ccd = Ccd::default();
    let touches = ccd.touches(q.stencil, &q.x, &q.dx);
    let bounded = ccd.impact(q.stencil, &q.x, &q.dx) != Impact::None;
    counts[0] += 1;
    counts[1] += usize::from(q.hit);
    counts[2] += usize::from(q.hit && !(touches && bounded));
    counts[3] += usize::from(!q.hit && touches);
    counts[4] += usize::from(!q.hit && bounded);
}

#[test]
fn conformance_public_collision_queries() {
    let Some(folder) = data::case("ccd") else { return };
    let mut sets: BTreeMap<String, Counts> = BTreeMap::new();
    for set in std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()) {
        for (kind, stencil) in [("vertex-face", Stencil::PointTriangle), ("edge-edge", Stencil::EdgeEdge)] {
            let Ok(files) = std::fs::read_dir(set.join(kind)) else { continue };
            let name = set.file_name().unwrap().to_string_lossy().into_owned();
            let counts = sets.entry(name).or_default();
            files.flat_map(|f| queries(&f.unwrap().path(), stencil)).for_each(|q| count(counts, &q));
        }
    }
    println!("{:<30} queries, hits, missed, false alarms, near misses kept off", "set");
    sets.iter().for_each(|(name, c)| println!("{name:<30} {c:?}"));
    let sum = sets.values().fold([0; 5], |s: Counts, c| std::array::from_fn(|i| s[i] + c[i]));
    println!("{:<30} {sum:?}", "all");
    let [queries, hits, missed, alarms, kept] = sum;
    assert!(queries > 0 && hits > 0, "no queries in {}", folder.display());
    assert_eq!(missed, 0, "{sets:?}");
    // Of all 7 279: 471 of the exact method of the set's authors, 573 of the additive one of another library.
    assert!(alarms * 7279 <= 480 * queries && kept * 7279 <= 544 * queries, "{sets:?}");
}
