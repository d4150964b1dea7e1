//! The barrier of two meshes against `oracles/ipc/mesh_oracle.npz`: value, gradient and Hessians, with and without area weights, the smallest distance, step sizes.
//!
//! Its keys `improved_*` are of a potential that we do not have: the "improved max approximation" of ipctk takes the double count of overlapping vertex–triangle and edge–edge pairs off again, by terms of negative weight.
//! `*_counts` says how the reference merges pairs with the same nearest features; we merge none, and sums are the same.

use crate::common;

use std::collections::HashMap;

use signorini_core::na::{DMatrix, DVector, Isometry3, Point3, SMatrix, SymmetricEigen, Vector3};
use signorini_core::{Evals, Slot, System, WholePart};
use signorini_geometry::{Mollifier, Stencil, StencilDistance, TriangleMesh};
use signorini_ipc::{AffineBody, AffineSystem, BarrierSeed, IpcOptions};
use signorini_reference::DenseHessian;

use common::archive;

const CASES: [&str; 6] =
    ["face_face", "face_face_aligned", "corner_face", "edge_edge", "parallel_edges", "two_links"];

/// The stated acceptance of gradients and Hessians, as a part of their norms; values are as good.
const ACCEPTED: f64 = 1e-6;

/// One of the meshes of the file.
struct Case<'a> {
    data: &'a HashMap<String, Vec<f64>>,
    name: &'a str,
}

impl Case<'_> {
    fn of(&self, what: &str) -> &[f64] {
        &self.data[&format!("{}_{what}", self.name)]
    }

    fn bodies(&self) -> Vec<(AffineBody, Isometry3<f64>)> {
        let (points, body) = (self.of("V"), self.of("body"));
        let first = body.iter().filter(|b| **b == body[0]).count();
        let mesh = |low: usize, high: usize| {
            let own =
                points[3 * low..3 * high].chunks_exact(3).map(|p| Point3::new(p[0], p[1], p[2])).collect();
            let faces = self.of("F").chunks_exact(3).filter(|f| (low..high).contains(&(f[0] as usize)));
            let triangles = faces.map(|f| [f[0], f[1], f[2]].map(|i| (i as usize - low) as u32)).collect();
            let mesh = TriangleMesh::new(own, triangles).unwrap();
            AffineBody::solid(self.name, &mesh, 1000.0).unwrap()
        };
        let count = points.len() / 3;
        vec![(mesh(0, first), Isometry3::identity()), (mesh(first, count), Isometry3::identity())]
    }

    fn system(&self, area_weights: bool) -> AffineSystem {
        let options = IpcOptions {
            range: self.of("dhat")[0],
            stiffness: self.of("kappa")[0],
            area_weights,
            ..IpcOptions::default()
        };
        AffineSystem::new(self.bodies(), &[], options).unwrap()
    }

    /// A symmetric matrix over the points of the file, given by its entries.
    fn matrix(&self, what: &str) -> DMatrix<f64> {
        let n = self.of("V").len();
        let mut m = DMatrix::zeros(n, n);
        let [rows, cols, values] = ["rows", "cols", "vals"].map(|k| self.of(&format!("{what}_{k}")));
        for ((r, c), v) in rows.iter().zip(cols).zip(values) {
            m[(*r as usize, *c as usize)] += v;
        }
        m
    }
}

/// ∂x/∂q of all points by the coordinates of both bodies: x = p + A X, A = 1.
fn jacobian(bodies: &[AffineBody]) -> DMatrix<f64> {
    let points: Vec<_> =
        bodies.iter().enumerate().flat_map(|(b, body)| body.points.iter().map(move |p| (b, p))).collect();
    let mut j = DMatrix::zeros(3 * points.len(), 24);
    for (i, (b, p)) in points.iter().enumerate() {
        for r in 0..3 {
            j[(3 * i + r, 12 * b + r)] = 1.0;
            (0..3).for_each(|c| j[(3 * i + r, 12 * b + 3 + 3 * r + c)] = p[c]);
        }
    }
    j
}

#[test]
fn conformance_mesh_values_and_gradients() {
    let Some(data) = archive("mesh_oracle.npz") else { return };
    for name in CASES {
        let case = Case { data: &data, name };
        for (kind, area_weights) in [("plain", false), ("area", true)] {
            let mut s = case.system(area_weights);
            let x = s.initial_state();
            let value = s.energy(&x).contact;
            let expected = case.of(&format!("{kind}_B"))[0];
            assert!((value - expected).abs() < ACCEPTED * expected, "{name}, {kind}: {value:e} {expected:e}");
            let (least, _) = s.smallest_distance(&x).unwrap();
            assert!((least - case.of(&format!("{kind}_min_d"))[0]).abs() < 1e-12, "{name}: {least:e}");
            assert_eq!(s.crossing(&x).is_some(), case.of("intersects")[0] != 0.0, "{name}");
            // The gradient by the points, as one by the coordinates of both bodies.
            let gradient = DVector::from_column_slice(case.of(&format!("{kind}_grad")));
            let pulled = jacobian(s.bodies()).transpose() * gradient;
            let dt = 0.01;
            s.prepare(Slot::Start, &x, dt).unwrap();
            let p = s.problem(Slot::Start, dt).unwrap();
            let mut whole = WholePart::default();
            whole.fit(p);
            let mut evals = Evals::default();
            p.pools().size_evals(&mut evals);
            p.pools().eval(whole.part(), p.contact_velocities(), &mut evals);
            let mut ours = vec![0.0; 24];
            p.map().add_gradient(whole.part(), p.pools(), &evals, &mut ours);
            for (a, b) in ours.iter().zip(&pulled) {
                assert!((a / dt - b).abs() < ACCEPTED * pulled.amax(), "{name}, {kind}: {} {b}", a / dt);
            }
        }
    }
}

/// A pair of features of the two meshes within the range of the barrier.
struct Near {
    points: [usize; 4],
    x: [Vector3<f64>; 4],
    distance: StencilDistance,
    mollifier: Option<Mollifier>,
    weight: f64,
}

/// All of them, found by looking at each.
fn near(bodies: &[AffineBody], options: &IpcOptions) -> Vec<Near> {
    let mut out = Vec::new();
    let mut add = |stencil: Stencil, from: [(usize, u32); 4], weight: f64| {
        let x = from.map(|(b, i)| bodies[b].points[i as usize] + bodies[b].com);
        let distance = stencil.distance(&x);
        if distance.distance() < options.range {
            let points = from.map(|(b, i)| i as usize + if b == 1 { bodies[0].points.len() } else { 0 });
            let rest = [(x[1] - x[0]).norm_squared(), (x[3] - x[2]).norm_squared()];
            let mollifier = (stencil == Stencil::EdgeEdge).then(|| Mollifier::new(rest));
            let weight = if options.area_weights { 0.25 * weight } else { 1.0 };
            out.push(Near { points, x, distance, mollifier, weight });
        }
    };
    for (a, b) in [(0, 1), (1, 0)] {
        for (i, area) in bodies[a].point_areas.iter().enumerate() {
            for t in &bodies[b].triangles {
                let from = [(a, i as u32), (b, t[0]), (b, t[1]), (b, t[2])];
                add(Stencil::PointTriangle, from, *area);
            }
        }
    }
    for (e, first) in bodies[0].edges.iter().zip(&bodies[0].edge_areas) {
        for (f, second) in bodies[1].edges.iter().zip(&bodies[1].edge_areas) {
            let from = [(0, e[0]), (0, e[1]), (1, f[0]), (1, f[1])];
            add(Stencil::EdgeEdge, from, first + second);
        }
    }
    out
}

type Local = SMatrix<f64, 12, 12>;

impl Near {
    /// ∇²d² of two points that are nearest to each other, where faces and edges that end in them are as near: the Hessian of a distance jumps where one feature takes over from another, and the reference
    /// has it of points there. With ∇²d² ≤ that of points everywhere and b′ < 0, that of the potential is the least of all there.
    fn of_points(&self) -> Option<Local> {
        let ends = self.distance.weights.map(f64::round);
        let off = (0..4).map(|i| (ends[i] - self.distance.weights[i]).abs()).fold(0.0, f64::max);
        // Round-off of a weight.
        (off < 1e-12).then(|| {
            Local::from_fn(|i, j| if i % 3 == j % 3 { 2.0 * ends[i / 3] * ends[j / 3] } else { 0.0 })
        })
    }

    /// Hessian of m b(d²) by the four points, given that of d².
    fn hessian(&self, [b, slope, curvature]: [f64; 3], of_distance: Local) -> Local {
        let g = self.distance.gradient();
        let h = curvature * g * g.transpose() + slope * of_distance;
        match self.mollifier.and_then(|m| m.derivatives(&self.x)) {
            Some((m, gm, hm)) => {
                self.weight * (m * h + slope * (g * gm.transpose() + gm * g.transpose()) + b * hm)
            }
            None => self.weight * h,
        }
    }

    /// The bound of it that the solver uses.
    fn bound(&self, [b, slope, curvature]: [f64; 3]) -> Local {
        // By the distance: b_d = 2 d b′, b_dd = 4 d² b″ + 2 b′.
        let d = self.distance.distance();
        let by_d = [b, 2.0 * d * slope, 4.0 * d * d * curvature + 2.0 * slope];
        let vectors = self.distance.curvature_vectors(&self.x, by_d, self.mollifier.as_ref(), [true; 4]);
        self.weight * vectors.vectors().iter().map(|v| v.dense() * v.dense().transpose()).sum::<Local>()
    }
}

/// The nearest positive semidefinite matrix.
fn projected(h: &Local) -> Local {
    let eigen = SymmetricEigen::new(0.5 * (h + h.transpose()));
    let v = eigen.eigenvectors;
    v * Local::from_diagonal(&eigen.eigenvalues.map(|l| l.max(0.0))) * v.transpose()
}

fn least_eigenvalue(m: &DMatrix<f64>) -> f64 {
    SymmetricEigen::new(0.5 * (m + m.transpose())).eigenvalues.min()
}

/// Exact Hessians agree with the reference's, and their projections, pair by pair, with its projected ones. The solver uses neither: its Hessian is a sum of squares in closed form that bounds that of each pair from
/// above (`StencilDistance::curvature_vectors`). So of it we ask the provable: it is positive semidefinite, at least the exact Hessian in every direction, hence at least as large in trace as the nearest
/// positive semidefinite matrix, and the solver is given it.
#[test]
fn conformance_mesh_hessians() {
    let Some(data) = archive("mesh_oracle.npz") else { return };
    for name in CASES {
        let case = Case { data: &data, name };
        for (kind, area_weights) in [("plain", false), ("area", true)] {
            let mut s = case.system(area_weights);
            let options = IpcOptions {
                range: case.of("dhat")[0],
                stiffness: case.of("kappa")[0],
                area_weights,
                ..IpcOptions::default()
            };
            let barrier = BarrierSeed {
                dt: 1.0,
                distance: options.range,
                range: options.range,
                separation: 0.0,
                stiffness: options.stiffness,
            };
            let n = case.of("V").len();
            let mut sums = [DMatrix::zeros(n, n), DMatrix::zeros(n, n), DMatrix::zeros(n, n)];
            for pair in near(s.bodies(), &options) {
                let potential = barrier.potential(pair.distance.squared);
                let own = pair.hessian(potential, pair.distance.hessian(&pair.x));
                let exact = pair.of_points().map_or(own, |h| pair.hessian(potential, h));
                let local = [exact, projected(&exact), pair.bound(potential)];
                let at = |i: usize| 3 * pair.points[i / 3] + i % 3;
                let norm = local[2].norm();
                // Round-off of eigenvalues of a 12 × 12 matrix is some tens of ε of its norm.
                for (what, m) in [("bound", local[2]), ("bound less exact", local[2] - own)] {
                    let least = SymmetricEigen::new(0.5 * (m + m.transpose())).eigenvalues.min();
                    assert!(least >= -1e-12 * norm, "{name}, {kind}: {what} has {least:e} of {norm:e}");
                }
                for (sum, h) in sums.iter_mut().zip(&local) {
                    for i in 0..12 {
                        (0..12).for_each(|j| sum[(at(i), at(j))] += h[(i, j)]);
                    }
                }
            }
            let [exact, projected, bound] = &sums;
            for (what, ours) in [("H", exact), ("Hpsd", projected)] {
                let expected = case.matrix(&format!("{kind}_{what}"));
                let error = (ours - &expected).norm() / expected.norm();
                println!("{name}, {kind}, {what}: {error:.1e}");
                assert!(error < ACCEPTED, "{name}, {kind}, {what}: {error:e}");
            }
            // The acceptance of clamped Hessians; the bound less the reference's own numbers, known to ACCEPTED.
            let norm = bound.norm();
            assert!(least_eigenvalue(projected) >= -1e-12 * norm && least_eigenvalue(bound) >= -1e-12 * norm);
            let above = least_eigenvalue(&(bound - case.matrix(&format!("{kind}_H"))));
            assert!(above >= -ACCEPTED * norm, "{name}, {kind}: {above:e} of {norm:e}");
            // The nearest positive semidefinite matrix has the least trace of all above H.
            let ratio = bound.trace() / projected.trace();
            println!("{name}, {kind}: trace of the bound over that of the projection {ratio:.3}");
            assert!(ratio >= 1.0 - 1e-12, "{name}, {kind}: {ratio}");
            // The solver is given this bound, by the coordinates of both bodies.
            let j = jacobian(s.bodies());
            let pulled = j.transpose() * bound * &j;
            let (x, dt) = (s.initial_state(), 0.01);
            s.prepare(Slot::Start, &x, dt).unwrap();
            let p = s.problem(Slot::Start, dt).unwrap();
            let mut whole = WholePart::default();
            whole.fit(p);
            let mut evals = Evals::default();
            p.pools().size_evals(&mut evals);
            p.pools().eval(whole.part(), p.contact_velocities(), &mut evals);
            let mut ours = DenseHessian::new(p.inertia().block_starts());
            p.map().add_hessian(whole.part(), p.pools(), &evals, &mut ours);
            let error = (ours.matrix() / (dt * dt) - &pulled).norm() / pulled.norm();
            // b″ grows as 1/s², and a distance of 4e-4 m between points half a metre off is known to 1e-13 of itself.
            assert!(error < 1e-11, "{name}, {kind}: {error:e}");
        }
    }
}

/// The first time at which two meshes meet when the second is moved by `way`, and `None` where they do not: exact up to round-off, as volumes of four points are linear in the time then.
fn meeting(bodies: &[AffineBody], way: &Vector3<f64>) -> Option<f64> {
    let place = |b: usize, i: u32| bodies[b].points[i as usize] + bodies[b].com;
    let mut first: Option<f64> = None;
    let mut look = |stencil: Stencil, x: [Vector3<f64>; 4], moving: [bool; 4]| {
        let at = |t: f64| {
            let to = |i: usize| if moving[i] { x[i] + t * way } else { x[i] };
            [to(0), to(1), to(2), to(3)]
        };
        let volume = |y: [Vector3<f64>; 4]| (y[1] - y[0]).cross(&(y[2] - y[0])).dot(&(y[3] - y[0]));
        let (start, end) = (volume(at(0.0)), volume(at(1.0)));
        let t = start / (start - end);
        // Where they are in one plane they are apart, or they touch up to round-off of half a metre.
        if (0.0..=1.0).contains(&t)
            && stencil.distance(&at(t)).distance() < 1e-12
            && first.is_none_or(|f| t < f)
        {
            first = Some(t);
        }
    };
    for (a, b) in [(0, 1), (1, 0)] {
        for i in 0..bodies[a].points.len() as u32 {
            for t in &bodies[b].triangles {
                let x = [place(a, i), place(b, t[0]), place(b, t[1]), place(b, t[2])];
                look(Stencil::PointTriangle, x, [a == 1, b == 1, b == 1, b == 1]);
            }
        }
    }
    for e in &bodies[0].edges {
        for f in &bodies[1].edges {
            let x = [place(0, e[0]), place(0, e[1]), place(1, f[0]), place(1, f[1])];
            look(Stencil::EdgeEdge, x, [false, false, true, true]);
        }
    }
    first
}

#[test]
fn conformance_mesh_step_sizes() {
    let Some(data) = archive("mesh_oracle.npz") else { return };
    for name in CASES {
        let case = Case { data: &data, name };
        let mut s = case.system(false);
        let count = case.of("V").len() - 3;
        // The second body goes along, turned by nothing.
        let way = Vector3::from_fn(|i, _| case.of("V1")[count + i] - case.of("V")[count + i]);
        let exact = meeting(s.bodies(), &way).unwrap();
        let (x, dt) = (s.initial_state(), 0.01);
        s.prepare(Slot::Start, &x, dt).unwrap();
        let p = s.problem(Slot::Start, dt).unwrap();
        let mut dv = vec![0.0; 24];
        (0..3).for_each(|i| dv[12 + i] = way[i] / dt);
        let ours = p.max_step(&[0.0; 24], &dv);
        let [additive, inclusion] = ["alpha_accd", "alpha_ti"].map(|k| case.of(k)[0]);
        println!("{name}: {ours:.3e}, additive {additive:.3e}, inclusion {inclusion:.3e}, exact {exact:.3e}");
        assert!(ours > 0.0 && ours <= exact + 1e-12, "{name}: {ours:e} {exact:e}");
        // The reference's are not late either, or `exact` is none.
        assert!(additive.max(inclusion) <= exact + 1e-12, "{name}");
        // Both additive methods leave a tenth of the distance: ours may stop one step before, by a tenth of the way at most.
        assert!(ours >= 0.9 * additive, "{name}: {ours:e} {additive:e}");
    }
}
