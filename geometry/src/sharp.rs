use signorini_core::na::Vector3;

use crate::mesh_links::first_hit;
use crate::weld::weld;
use crate::{ConvexMesh, Shape, TriangleMesh};

type V = Vector3<f64>;

/// Sine of the angle by which a solid has to fall off at a corner or an edge, to all sides, so that it is a sharp one.
const SHARP: f64 = 0.2;

/// Sine of the angle by which an edge may rise above a face of its corner that counts as convex: files have few digits.
const ROUGH: f64 = 1e-2;

/// Part of the size of a mesh by which a ray into it starts inside.
const INSIDE: f64 = 1e-6;

/// Part of the way through a solid by which a point may be in front of a face that counts as on it: round-off.
const ON_FACE: f64 = 1e-9;

/// Convex corner of a polyhedron, in the frame of its shape.
#[derive(Clone, Debug, PartialEq)]
pub struct SharpCorner {
    /// Place \[m\].
    pub x: V,
    /// Unit vector out of the solid: the mean of its faces' normals by their angles.
    pub outward: V,
    /// Half the way through the solid from the corner against `outward` \[m\].
    pub depth: f64,
    /// Outward unit normals of its faces.
    pub normals: Vec<V>,
    /// Unit vectors along its edges, away from it.
    pub along: Vec<V>,
}

impl SharpCorner {
    /// Whether no edge of the corner rises in front of the plane through it with this unit normal by more than an angle of sine `slack`.
    pub fn is_foremost(&self, normal: &V, slack: f64) -> bool {
        self.along.iter().all(|e| e.dot(normal) <= slack)
    }

    /// Whether a point is behind all faces of the corner, as if they went on without end, or on them but for round-off.
    pub fn holds(&self, x: &V) -> bool {
        self.normals.iter().all(|n| n.dot(&(x - self.x)) <= ON_FACE * self.depth)
    }
}

/// Convex edge of a polyhedron, in the frame of its shape.
#[derive(Clone, Debug, PartialEq)]
pub struct SharpEdge {
    /// Ends \[m\].
    pub ends: [V; 2],
    /// Unit vector out of the solid, between the normals of its faces.
    pub outward: V,
    /// Half the way through the solid from the middle of the edge against `outward` \[m\].
    pub depth: f64,
    /// Outward unit normals of its faces.
    pub normals: [V; 2],
    /// Unit vectors within its faces, across the edge and away from it.
    pub across: [V; 2],
    /// Outward unit normals of the other faces at each of its ends.
    pub beyond: [Vec<V>; 2],
}

impl SharpEdge {
    /// Whether neither face of the edge rises in front of the plane through it with this unit normal by more than an angle of sine `slack`.
    pub fn is_foremost(&self, normal: &V, slack: f64) -> bool {
        self.across.iter().all(|a| a.dot(normal) <= slack)
    }

    /// Whether a part of a segment is behind both faces of the edge, as if they went on without end, or on them but for round-off.
    pub fn holds_part_of(&self, [a, b]: &[V; 2]) -> bool {
        let (mut from, mut to) = (0.0f64, 1.0f64);
        for n in &self.normals {
            let [s, e] = [a, b].map(|x| n.dot(&(x - self.ends[0])) - ON_FACE * self.depth);
            match (s > 0.0, e > 0.0) {
                (true, true) => return false,
                (true, false) => from = from.max(s / (s - e)),
                (false, true) => to = to.min(s / (s - e)),
                (false, false) => {}
            }
        }
        from <= to
    }
}

/// Corners and edges at which a box, a hull or a closed mesh stands out: convex ones from which the solid falls off by more than an angle of sine 0.2 to all sides. Other shapes have none here, nor have dents.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SharpFeatures {
    /// Corners, in the order of vertices.
    pub corners: Vec<SharpCorner>,
    /// Edges, ascending by the numbers of their vertices.
    pub edges: Vec<SharpEdge>,
}

/// Vertices of a face, counter-clockwise from outside, and its outward unit normal.
type Face<'a> = (&'a [u32], V);

impl SharpFeatures {
    /// Corners and edges of a shape.
    pub fn of(shape: &Shape) -> Self {
        match shape {
            Shape::Box { half_extents } => {
                ConvexMesh::cuboid(half_extents).map(|hull| Self::of_hull(&hull)).unwrap_or_default()
            }
            Shape::Convex(hull) => Self::of_hull(hull),
            Shape::Mesh(mesh) => Self::of_mesh(mesh),
            _ => Self::default(),
        }
    }

    /// True without any.
    pub fn is_empty(&self) -> bool {
        self.corners.is_empty() && self.edges.is_empty()
    }

    fn of_hull(hull: &ConvexMesh) -> Self {
        let points: Vec<V> = hull.vertices.iter().map(|x| x.coords).collect();
        let faces: Vec<Face> =
            hull.faces.iter().map(Vec::as_slice).zip(hull.normals.iter().copied()).collect();
        let through = |x: &V, d: &V| {
            let of = |(n, offset): (&V, &f64)| (n.dot(d) > 0.0).then(|| (offset - n.dot(x)) / n.dot(d));
            hull.normals.iter().zip(&hull.offsets).filter_map(of).fold(f64::INFINITY, f64::min)
        };
        Self::new(&points, &faces, through)
    }

    fn of_mesh(mesh: &TriangleMesh) -> Self {
        let (points, triangles) = weld(mesh.vertices(), mesh.triangles());
        let points: Vec<V> = points.iter().map(|x| x.coords).collect();
        let faces: Vec<Face> = triangles
            .iter()
            .filter_map(|t| {
                let [a, b, c] = t.map(|v| points[v as usize]);
                Some((&t[..], (b - a).cross(&(c - a)).try_normalize(0.0)?))
            })
            .collect();
        let start = INSIDE * 2.0 * mesh.aabb().half_extents().norm();
        let through =
            |x: &V, d: &V| first_hit(mesh.surface(), &(x + start * d).into(), d, u32::MAX).unwrap_or(0.0);
        Self::new(&points, &faces, through)
    }

    /// Corners and edges of faces; `through` is the way through the solid from a point along a direction \[m\].
    fn new(points: &[V], faces: &[Face], through: impl Fn(&V, &V) -> f64) -> Self {
        // Ends of edges ascending, the face, and whether it has them in this order; faces at corners with their neighbours there.
        let mut sides: Vec<([u32; 2], usize, bool)> = Vec::new();
        let mut around: Vec<Vec<[usize; 3]>> = vec![Vec::new(); points.len()];
        for (f, (ring, _)) in faces.iter().enumerate() {
            for k in 0..ring.len() {
                let [before, here, next] = [ring.len() - 1, 0, 1].map(|i| ring[(k + i) % ring.len()]);
                sides.push(([here.min(next), here.max(next)], f, here < next));
                around[here as usize].push([f, next as usize, before as usize]);
            }
        }
        sides.sort_unstable();
        let mut out = Self::default();
        for at_edge in sides.chunk_by(|a, b| a.0 == b.0) {
            let [(ends, first, up), (_, second, _)] = at_edge else { continue };
            let beyond = ends.map(|v| {
                let others = around[v as usize].iter().filter(|a| a[0] != *first && a[0] != *second);
                others.map(|a| faces[a[0]].1).collect()
            });
            let ends = ends.map(|v| points[v as usize]);
            let normals = [*first, *second].map(|f| faces[f].1);
            let outward = (normals[0] + normals[1]).try_normalize(0.0);
            let along = (ends[1] - ends[0]).try_normalize(0.0);
            let (Some(outward), Some(along)) = (outward, along) else { continue };
            let turned = if *up { along } else { -along };
            let across = [normals[0].cross(&turned), normals[1].cross(&-turned)];
            if across.iter().any(|a| a.dot(&outward) > -SHARP) {
                continue;
            }
            let middle = 0.5 * (ends[0] + ends[1]);
            let depth = 0.5 * through(&middle, &-outward);
            out.edges.push(SharpEdge { ends, outward, depth, normals, across, beyond });
        }
        for (x, about) in points.iter().zip(&around) {
            out.corners.extend(corner(x, points, faces, about, &through));
        }
        out
    }
}

/// Corner at x, of faces with the next vertex and the one before, if it is a sharp one.
fn corner(
    x: &V,
    points: &[V],
    faces: &[Face],
    about: &[[usize; 3]],
    through: &impl Fn(&V, &V) -> f64,
) -> Option<SharpCorner> {
    let mut outward = V::zeros();
    let (mut normals, mut along) = (Vec::new(), Vec::new());
    for [f, next, before] in about {
        let (n, [to, from]) = (faces[*f].1, [next, before].map(|v| points[*v] - x));
        outward += to.angle(&from) * n;
        normals.push(n);
        along.push(to.try_normalize(0.0)?);
    }
    let outward = outward.try_normalize(0.0)?;
    let falls = along.iter().all(|e| e.dot(&outward) <= -SHARP);
    let convex = || along.iter().all(|e| normals.iter().all(|n| n.dot(e) <= ROUGH));
    if normals.len() < 3 || !falls || !convex() {
        return None;
    }
    let depth = 0.5 * through(x, &-outward);
    Some(SharpCorner { x: *x, outward, depth, normals, along })
}
