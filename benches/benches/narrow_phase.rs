//! Contacts of pairs of shapes and the broad phase: `cargo bench -p signorini-benches --bench narrow_phase [-- FILTER]`. Throughput is in
//! pairs per second.

#![allow(clippy::expect_used, reason = "a benchmark that cannot run should stop")]
#![allow(missing_docs, reason = "the macros of criterion make undocumented functions")]

use std::sync::Arc;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use signorini_core::na::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use signorini_geometry::{Aabb, BroadPhase, ConvexMesh, Shape, contacts, distance};

type V = Vector3<f64>;
type Pose = Isometry3<f64>;

/// Poses of one pair in one regime.
const POSES: usize = 200;
/// Contacts below this gap \[m\].
const MARGIN: f64 = 0.005;
/// Gaps of the regimes \[m\]; the last has faces parallel, one above the other.
const REGIMES: [(&str, f64); 6] = [
    ("far", 0.3),
    ("near", 0.02),
    ("touching", 0.002),
    ("shallow", -1e-3),
    ("deep", -0.03),
    ("resting", -1e-5),
];

struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    fn vector(&mut self) -> V {
        V::new(self.range(-1.0, 1.0), self.range(-1.0, 1.0), self.range(-1.0, 1.0))
    }
}

/// The hull of points on an ellipsoid the size of a robot's link.
fn hull(points: usize) -> Shape {
    let mut r = Random(11 + points as u64);
    let mut at = || Point3::from(r.vector().normalize().component_mul(&V::new(0.1, 0.12, 0.08)));
    let points: Vec<_> = (0..points).map(|_| at()).collect();
    Shape::Convex(Arc::new(ConvexMesh::from_points(&points).expect("a hull")))
}

fn surface(shape: &Shape) -> Shape {
    let Shape::Convex(m) = shape else { return shape.clone() };
    Shape::Mesh(Arc::new(m.to_triangle_mesh().expect("a surface")))
}

fn shapes() -> Vec<(&'static str, Shape)> {
    let half_extents = V::new(0.1, 0.08, 0.05);
    let cuboid = ConvexMesh::cuboid(&half_extents).expect("a cuboid");
    vec![
        ("plane", Shape::HalfSpace),
        ("ground", Shape::Box { half_extents: V::new(5.0, 5.0, 0.5) }),
        ("sphere", Shape::Sphere { radius: 0.08 }),
        ("box", Shape::Box { half_extents }),
        ("capsule", Shape::Capsule { radius: 0.05, half_length: 0.1 }),
        ("cylinder", Shape::Cylinder { radius: 0.08, half_length: 0.06 }),
        ("ellipsoid", Shape::Ellipsoid { semi_axes: V::new(0.1, 0.07, 0.05) }),
        ("hull8", Shape::Convex(Arc::new(cuboid))),
        ("hull60", hull(60)),
        ("hull400", hull(400)),
    ]
}

/// Poses at which the pair has about the given gap.
fn poses([a, b]: [&Shape; 2], ground: bool, regime: &str, gap: f64) -> Vec<(Pose, Pose)> {
    let mut r = Random(77);
    let mut out = Vec::with_capacity(POSES);
    let resting = regime == "resting";
    while out.len() < POSES {
        let mut turn = || UnitQuaternion::from_scaled_axis(r.vector() * 3.0);
        let (free_a, free_b) = (turn(), turn());
        let level = UnitQuaternion::from_axis_angle(&V::z_axis(), r.range(-3.0, 3.0));
        let side = 0.03 * r.vector();
        let (base, along) = if resting || ground {
            (V::new(side.x, side.y, 0.0), V::z())
        } else {
            (V::zeros(), r.vector().normalize())
        };
        let xa = Pose::from_parts(
            Translation3::identity(),
            if resting || ground { UnitQuaternion::identity() } else { free_a },
        );
        let turn_b = if resting { level } else { free_b };
        let at = |s: f64| Pose::from_parts(Translation3::from(base + along * s), turn_b);
        let (mut low, mut high) = (0.0, 3.0);
        for _ in 0..45 {
            let middle = 0.5 * (low + high);
            let w = distance(a, &xa, b, &at(middle)).expect("a convex pair");
            if w.gap > gap { high = middle } else { low = middle }
        }
        out.push((xa, at(high)));
    }
    out
}

fn pairs(c: &mut Criterion) {
    let shapes = shapes();
    let mut group = c.benchmark_group("pairs");
    group
        .sample_size(10)
        .measurement_time(Duration::from_millis(300))
        .warm_up_time(Duration::from_millis(100));
    group.throughput(Throughput::Elements(POSES as u64));
    let mut bench = |name: String, regime: &str, [a, b]: [&Shape; 2], poses: &[(Pose, Pose)]| {
        let mut out = Vec::with_capacity(64);
        group.bench_function(BenchmarkId::new(name, regime), |bencher| {
            bencher.iter(|| {
                for (xa, xb) in poses {
                    out.clear();
                    contacts(a, xa, b, xb, MARGIN, &mut out).expect("a supported pair");
                }
                out.len()
            });
        });
    };
    for (i, (name_a, a)) in shapes.iter().enumerate() {
        for (name_b, b) in &shapes[i.max(2)..] {
            for (regime, gap) in REGIMES {
                let poses = poses([a, b], i < 2, regime, gap);
                bench(format!("{name_a}-{name_b}"), regime, [a, b], &poses);
                let surfaces = [surface(a), surface(b)];
                if *name_a != "hull400" && *name_b != "hull400" && name_b.starts_with("hull") {
                    bench(format!("{name_a}-{name_b} surface"), regime, [&surfaces[0], &surfaces[1]], &poses);
                }
            }
        }
    }
    group.finish();
}

/// Boxes of a settling pile: about six neighbours each, all moving a little between queries.
fn broad_phase(c: &mut Criterion) {
    let mut group = c.benchmark_group("broad phase");
    group
        .sample_size(20)
        .measurement_time(Duration::from_millis(500))
        .warm_up_time(Duration::from_millis(100));
    for n in [4usize, 16, 64, 256, 1000] {
        let mut r = Random(5);
        let side = 0.17 * (n as f64).cbrt();
        let centers: Vec<V> = (0..n).map(|_| r.vector() * (0.5 * side)).collect();
        let drift: Vec<V> = (0..n).map(|_| r.vector() * 2e-3).collect();
        let margins = vec![0.002; n];
        let boxes = |step: usize, out: &mut Vec<Aabb>| {
            let s = (step % 50) as f64;
            out.clear();
            out.extend(centers.iter().zip(&drift).map(|(c, d)| {
                let (c, h) = (Point3::from(c + d * s), V::repeat(0.1));
                Aabb::new(c - h, c + h)
            }));
        };
        let mut bounds = Vec::new();
        let mut phase = BroadPhase::new();
        let mut step = 0;
        group.bench_function(BenchmarkId::new("tree", n), |b| {
            b.iter(|| {
                step += 1;
                boxes(step, &mut bounds);
                phase.pairs(&bounds, &margins, |_, _| true).expect("finite boxes").len()
            });
        });
        group.bench_function(BenchmarkId::new("all pairs", n), |b| {
            b.iter(|| {
                step += 1;
                boxes(step, &mut bounds);
                let mut count = 0;
                for i in 0..n {
                    let grown = bounds[i].inflated(0.004);
                    count += bounds[i + 1..].iter().filter(|b| grown.overlaps(b)).count();
                }
                count
            });
        });
    }
    group.finish();
}

criterion_group!(benches, pairs, broad_phase);
criterion_main!(benches);
