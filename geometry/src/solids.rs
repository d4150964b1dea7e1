//! The solids that one closed surface bounds: parts that no edge joins, and the hollows in each.

use std::cell::OnceCell;
use std::collections::HashMap;

use signorini_core::na::Point3;

use crate::MeshDefect;
use crate::signed_distance::MeshSides;
use crate::triangles::Triangles;
use crate::weld::{weld, weld_ids};

/// Part of the size of a surface beyond which a vertex is off another part of it.
const OFF: f64 = 1e-9;

/// A part of a surface that edges join.
struct Part {
    /// Its first triangle in the whole surface.
    first: usize,
    surface: Triangles,
    volume: f64,
    /// The solid within, whichever way it is wound, and its sides once they are asked for.
    within: Triangles,
    sides: OnceCell<Result<MeshSides, MeshDefect>>,
    /// Parts around it.
    around: Vec<usize>,
}

/// The solids of a closed surface, each with its hollows; none where the surface is one part.
///
/// # Errors
/// [`MeshDefect::PartInsideOut`] and [`MeshDefect::Nested`] for parts that are neither a solid nor the hollow of one.
pub(crate) fn solids(surface: &Triangles) -> Result<Vec<Triangles>, MeshDefect> {
    let labels = labels(surface);
    let count = labels.iter().flatten().max().map_or(0, |l| l + 1);
    if count < 2 {
        return Ok(Vec::new());
    }
    let mut triangles = vec![Vec::new(); count];
    for (label, t) in labels.iter().zip(&surface.triangles) {
        label.iter().for_each(|l| triangles[*l].push(*t));
    }
    let mut parts = Vec::with_capacity(count);
    for (l, triangles) in triangles.into_iter().enumerate() {
        let first = labels.iter().position(|x| *x == Some(l)).unwrap_or_default();
        let (vertices, mut triangles) = weld(&surface.vertices, &triangles);
        let part = Triangles::new(vertices.clone(), triangles.clone());
        let volume = part.signed_volume();
        if volume < 0.0 {
            triangles.iter_mut().for_each(|t| t.swap(1, 2));
        }
        let (within, sides) = (Triangles::new(vertices, triangles), OnceCell::new());
        parts.push(Part { first, surface: part, volume, within, sides, around: Vec::new() });
    }
    for i in 0..count {
        let mut around = Vec::new();
        for j in (0..count).filter(|j| *j != i) {
            if is_inside(&parts[i], &parts[j])? {
                around.push(j);
            }
        }
        parts[i].around = around;
    }
    let hollow = |p: &Part| p.around.len() % 2 == 1;
    for p in &parts {
        match (hollow(p), p.volume > 0.0) {
            (true, true) => {
                let depth = |j: &&usize| parts[**j].around.len();
                let outer = p.around.iter().max_by_key(depth).map_or(0, |j| parts[*j].first);
                return Err(MeshDefect::Nested { triangles: [outer, p.first] });
            }
            (false, false) => {
                return Err(MeshDefect::PartInsideOut { triangle: p.first, volume: p.volume });
            }
            _ => {}
        }
    }
    let with_hollows = |(i, p): (usize, &Part)| {
        let inner = parts.iter().filter(|h| h.around.len() == p.around.len() + 1 && h.around.contains(&i));
        let mut whole = p.surface.clone();
        for h in inner {
            let from = whole.vertices.len() as u32;
            whole.vertices.extend_from_slice(&h.surface.vertices);
            whole.triangles.extend(h.surface.triangles.iter().map(|t| t.map(|v| v + from)));
        }
        Triangles::new(whole.vertices, whole.triangles)
    };
    Ok(parts.iter().enumerate().filter(|(_, p)| !hollow(p)).map(with_hollows).collect())
}

/// For each triangle the number of its part, in the order of their first triangles; None for one that is a line or a point.
fn labels(surface: &Triangles) -> Vec<Option<usize>> {
    let ids = weld_ids(&surface.vertices, &surface.triangles);
    let mut up: Vec<usize> = (0..ids.len()).collect();
    let mut seen: HashMap<[u32; 2], usize> = HashMap::with_capacity(ids.len() * 3 / 2);
    let is_thin = |t: &[u32; 3]| t[0] == t[1] || t[1] == t[2] || t[2] == t[0];
    for (i, t) in ids.iter().enumerate().filter(|(_, t)| !is_thin(t)) {
        for k in 0..3 {
            let (a, b) = (t[k], t[(k + 1) % 3]);
            let j = *seen.entry([a.min(b), a.max(b)]).or_insert(i);
            let (a, b) = (top(&mut up, i), top(&mut up, j));
            up[a.max(b)] = a.min(b);
        }
    }
    let mut number = HashMap::new();
    let label = |(i, t): (usize, &[u32; 3])| {
        let next = number.len();
        (!is_thin(t)).then(|| *number.entry(top(&mut up, i)).or_insert(next))
    };
    ids.iter().enumerate().map(label).collect()
}

/// The least triangle known to be joined to another one.
fn top(up: &mut [usize], mut i: usize) -> usize {
    while up[i] != i {
        up[i] = up[up[i]];
        i = up[i];
    }
    i
}

/// Whether a part lies inside another one, which it does not cross: by its first vertex that is off the other.
fn is_inside(part: &Part, other: &Part) -> Result<bool, MeshDefect> {
    let (inner, outer) = (part.surface.aabb(), other.surface.aabb());
    let holds = (0..3).all(|k| outer.min[k] <= inner.min[k] && inner.max[k] <= outer.max[k]);
    if !holds {
        return Ok(false);
    }
    let off = OFF * outer.half_extents().norm();
    let sides = other.sides.get_or_init(|| MeshSides::new(&other.within));
    let sides = sides.as_ref().map_err(MeshDefect::clone)?;
    let distance = |p: &Point3<f64>| sides.signed_distance(&other.within, &p.coords, f64::INFINITY);
    let mut distances = part.surface.vertices.iter().filter_map(distance).map(|d| d.distance);
    Ok(distances.find(|d| d.abs() > off).is_some_and(|d| d < 0.0))
}
