//! Distances, mollifier and collision times of stencils against `oracles/ipc`.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::HashMap;
use std::path::PathBuf;

use signorini_core::na::Vector3;
use signorini_geometry::{Ccd, Impact, Mollifier, Stencil};

/// Rows of a table by column; None, with a note, when it is absent.
fn table(name: &str) -> Option<Vec<HashMap<String, String>>> {
    let root = std::env::var_os("SIGNORINI_ORACLES").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/oracles"),
        PathBuf::from,
    );
    let path = root.join("ipc").join(name);
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: {} is absent", path.display());
        return None;
    };
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap().split(',').collect();
    let row = |l: &str| head.iter().map(|h| (*h).to_owned()).zip(l.split(',').map(str::to_owned)).collect();
    Some(lines.map(row).collect())
}

fn number(row: &HashMap<String, String>, key: &str) -> f64 {
    row[key].parse().unwrap()
}

fn points(row: &HashMap<String, String>, prefix: &str) -> [Vector3<f64>; 4] {
    std::array::from_fn(|i| Vector3::from_fn(|j, _| number(row, &format!("{prefix}{}", 3 * i + j))))
}

/// Largest relative errors of squared distances and of gradients by category.
fn distances(name: &str, stencil: Stencil) {
    let Some(rows) = table(name) else { return };
    let mut worst: HashMap<String, (f64, f64)> = HashMap::new();
    for row in &rows {
        let x = points(row, "x");
        let d = stencil.distance(&x);
        let exact = number(row, "d2_exact");
        let error = (d.squared - exact).abs() / exact;
        // Coordinates of size L leave 1e-16 L in any distance d.
        let size = x.iter().map(|p| (p - x[0]).norm()).fold(0.0, f64::max);
        let digits = 16.0 * f64::EPSILON * size / exact.sqrt();
        let error =
            if digits > 1e-12 && row["cat"] != "near_parallel" { error.max(digits) - digits } else { error };
        let of = worst.entry(row["cat"].clone()).or_default();
        of.0 = of.0.max(error);
        let agree = (number(row, "d2_ipctk") - exact).abs() <= 1e-6 * exact;
        // Where several features or points are as near to the digits, gradients of one are as right as those of another.
        if agree
            && !["region_boundary", "parallel", "near_parallel", "collinear"].contains(&row["cat"].as_str())
        {
            let g = d.gradient();
            let other = (0..12).map(|i| (g[i] - number(row, &format!("g{i}"))).powi(2)).sum::<f64>().sqrt();
            of.1 = of.1.max(other / g.norm());
        }
    }
    for (cat, (value, gradient)) in worst {
        // The stated acceptance beyond these digits; near-parallel edges and slivers lose digits in any formula, and the reference's gradients with them.
        let (most, slope) = match cat.as_str() {
            "near_touch" => (1e-5, 1e-4),
            "near_parallel" => (1e-9, 0.0),
            "sliver" => (1e-9, 1e-4),
            _ => (1e-12, 1e-6),
        };
        println!("{name} {cat}: d² {value:.1e}, gradient {gradient:.1e}");
        assert!(value <= most, "{cat}: {value:e}");
        assert!(gradient <= slope, "{cat}: gradient {gradient:e}");
    }
}

#[test]
fn conformance_point_triangle_distance() {
    distances("pt_distance.csv", Stencil::PointTriangle);
}

#[test]
fn conformance_edge_edge_distance() {
    distances("ee_distance.csv", Stencil::EdgeEdge);
}

#[test]
fn conformance_mollifier() {
    let Some(rows) = table("ee_distance.csv") else { return };
    for row in &rows {
        let x = points(row, "x");
        // The file states the threshold; the edges are at rest.
        let rest = [(x[1] - x[0]).norm_squared(), (x[3] - x[2]).norm_squared()];
        let m = Mollifier::new(rest);
        let eps = number(row, "eps_x");
        assert!((1e-3 * rest[0] * rest[1] - eps).abs() <= 1e-12 * eps);
        // c is a difference of squares in the reference: 1e-16 of their size, 1e3 of the threshold.
        assert!((m.value(&x) - number(row, "mollifier")).abs() < 1e-12, "{row:?}");
        let g = m.derivatives(&x).map_or_else(Default::default, |d| d.1);
        let scale = 1.0 / rest[0].min(rest[1]).sqrt();
        for i in 0..12 {
            let other = number(row, &format!("gm{i}"));
            assert!((g[i] - other).abs() <= 1e-9 * (g.norm() + scale), "{} {other} {row:?}", g[i]);
        }
    }
}

#[test]
fn conformance_ccd() {
    let Some(rows) = table("ccd.csv") else { return };
    let mut early: Vec<f64> = Vec::new();
    for row in &rows {
        let stencil = if row["is_ee"] == "1" { Stencil::EdgeEdge } else { Stencil::PointTriangle };
        let (a, b) = (points(row, "a"), points(row, "b"));
        let dx = std::array::from_fn(|i| b[i] - a[i]);
        let exact = number(row, "toi_exact");
        match Ccd::default().impact(stencil, &a, &dx) {
            Impact::None => assert!(exact.is_infinite(), "missed: {row:?}"),
            Impact::Before(t) => {
                assert!(t > 0.0 && t <= exact + 1e-12, "{t} after {exact}: {row:?}");
                if exact.is_finite() {
                    early.push(t / exact);
                }
            }
            Impact::AtStart => panic!("starts apart: {row:?}"),
        }
        let separation = number(row, "min_sep");
        let ccd = Ccd { separation, ..Ccd::default() };
        if let Impact::Before(t) = ccd.impact(stencil, &a, &dx) {
            let at = std::array::from_fn(|i| a[i] + t * dx[i]);
            assert!(stencil.distance(&at).distance() > separation, "{row:?}");
        }
    }
    early.sort_by(f64::total_cmp);
    println!("hits: {}, median of time over the exact one {:.3}", early.len(), early[early.len() / 2]);
    // A tenth of the start is left: the median of the reference implementation is 0.85 to 0.9.
    assert!(early[early.len() / 2] > 0.8);
}
