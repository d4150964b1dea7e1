//! No heap allocation in a warm broad phase, refit or query.

use std::hint::black_box;
use std::time::Instant;

use signorini_core::na::{Isometry3, Point3, Vector3};
use signorini_geometry::{Aabb, BroadPhase, Bvh, ConvexMesh, TriangleMesh};
use signorini_testkit::allocations::{CountingAllocator, allocations};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// `n` unit boxes at pseudo-random places of a volume in which each meets a few, a little later at each `step`.
fn scene(n: usize, step: usize) -> Vec<Aabb> {
    let mut seed = 12345u64;
    let mut next = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1u64 << 53) as f64
    };
    let side = (n as f64).cbrt() * 1.1;
    (0..n)
        .map(|_| {
            let drift = Vector3::new(next() - 0.5, next() - 0.5, next() - 0.5) * 0.02 * step as f64;
            let c = Point3::new(next() * side, next() * side, next() * side) + drift;
            Aabb::new(c, c + Vector3::repeat(1.0))
        })
        .collect()
}

#[test]
fn alloc_warm_broad_phase_allocates_nothing() {
    for n in [20, 1000] {
        let steps: Vec<Vec<Aabb>> = (0..20).map(|k| scene(n, k)).collect();
        let margins = vec![0.01; n];
        let mut phase = BroadPhase::new();
        let run = |phase: &mut BroadPhase| {
            for boxes in &steps {
                black_box(phase.pairs(boxes, &margins, |_, _| true).unwrap());
            }
        };
        run(&mut phase);
        assert_eq!(allocations(|| run(&mut phase)), 0, "{n} proxies");
    }
    let boxes = scene(500, 0);
    let mut tree = Bvh::build(&boxes);
    let mut out = Vec::with_capacity(500);
    let warm = allocations(|| {
        tree.refit(&boxes);
        tree.query(&boxes[3], &mut out);
        tree.self_pairs(|i, j| {
            black_box((i, j));
        });
        tree.pairs(&tree, &Isometry3::translation(0.1, 0.0, 0.0), |i, j| {
            black_box((i, j));
        });
    });
    assert_eq!(warm, 0);
    let mesh = TriangleMesh::torus(1.0, 0.3, 40, 30).unwrap();
    let mut triangles = Vec::new();
    mesh.triangles_in_aabb(&mesh.aabb(), &mut triangles);
    assert_eq!(allocations(|| mesh.triangles_in_aabb(&mesh.aabb(), &mut triangles)), 0);
}

fn median_us(mut f: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..51)
        .map(|_| {
            let start = Instant::now();
            f();
            start.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

#[test]
#[ignore = "prints timings; run it alone"]
fn print_timings() {
    for n in [20, 40, 100, 1000, 10_000] {
        let steps: Vec<Vec<Aabb>> = (0..51).map(|k| scene(n, k)).collect();
        let margins = vec![0.01; n];
        let mut tree = Bvh::build(&steps[0]);
        let build = median_us(|| tree.rebuild(&steps[0]));
        let refit = median_us(|| tree.refit(&steps[0]));
        let mut pairs = 0;
        let own = median_us(|| {
            pairs = 0;
            tree.self_pairs(|_, _| pairs += 1);
        });
        let mut phase = BroadPhase::new();
        let mut k = 0;
        let whole = median_us(|| {
            black_box(phase.pairs(&steps[k % steps.len()], &margins, |_, _| true).unwrap());
            k += 1;
        });
        let mut still = BroadPhase::new();
        let at_rest = median_us(|| {
            black_box(still.pairs(&steps[0], &margins, |_, _| true).unwrap());
        });
        println!(
            "at rest {at_rest:.1} us; {n} boxes, {pairs} pairs: build {build:.1} us, refit {refit:.1} us, self-pairs {own:.1} us; broad phase {whole:.1} us"
        );
    }
    for level in [3, 4, 5] {
        let ball = TriangleMesh::icosphere(0.1, level).unwrap();
        let hull = median_us(|| {
            black_box(ConvexMesh::from_points(ball.vertices()).unwrap());
        });
        println!("hull of {} points on a sphere: {hull:.0} us", ball.vertices().len());
    }
}
