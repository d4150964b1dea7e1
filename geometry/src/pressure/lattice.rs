//! Any closed mesh: a lattice of tetrahedra cut where the distance from the surface is zero.

use std::collections::HashMap;

use signorini_core::na::{Point3, Vector3};

use super::cells::Cells;
use crate::{Shape, TriangleMesh};

/// Nodes nearer to the surface than this part of half an edge lie on it: no tetrahedron is thinner.
const SNAP: f64 = 1e-6;

/// Tetrahedra of the lattice of a mesh at a `resolution` \[m\], about; at least a quarter of the nodes in its box.
pub(super) fn count(mesh: &TriangleMesh, resolution: f64) -> f64 {
    let inside = 12.0 * mesh.signed_volume() / resolution.powi(3);
    let surface = 6.0 * mesh.area() / (resolution * resolution);
    let nodes = 2.0 * cubes(mesh, resolution).iter().product::<f64>();
    (inside + surface).max(0.25 * nodes)
}

/// The finest resolution, from `wanted` \[m\] upwards, at which the lattice of a mesh surely has at most `most` tetrahedra.
///
/// Cut cells are 17 tetrahedra for each square of the resolution where a surface is oblique to the lattice.
pub(super) fn finest(mesh: &TriangleMesh, wanted: f64, most: f64) -> f64 {
    let sure = |h: f64| {
        let cells = 12.0 * mesh.signed_volume().max(0.0) / h.powi(3) + 18.0 * mesh.area() / (h * h);
        cells.max(count(mesh, h))
    };
    let size = 2.0 * mesh.aabb().half_extents().max();
    if sure(wanted) <= most || sure(size) > most {
        return wanted;
    }
    let (mut fine, mut coarse) = (wanted.max(1e-9 * size), size);
    while coarse > (1.0 + 1e-3) * fine {
        let middle = (fine * coarse).sqrt();
        if sure(middle) > most { fine = middle } else { coarse = middle }
    }
    coarse
}

/// Cubes along each axis.
fn cubes(mesh: &TriangleMesh, resolution: f64) -> [f64; 3] {
    (mesh.aabb().half_extents() / resolution).map(|h| 2.0 * h.ceil() + 2.0).into()
}

/// A node of a body-centred cubic lattice, in half edges: corners of cubes have even numbers, centres odd ones.
type Node = [i32; 3];

/// Nodes in use, with their depth \[m\] and, where it is not negative, their vertex.
struct Lattice<'a> {
    shape: &'a Shape,
    origin: Point3<f64>,
    half: f64,
    known: HashMap<Node, (f64, u32)>,
    cuts: HashMap<[Node; 2], u32>,
    out: Cells,
}

impl Lattice<'_> {
    fn at(&self, node: Node) -> Point3<f64> {
        self.origin + Vector3::from_fn(|i, _| self.half * f64::from(node[i]))
    }

    /// Depth of a node \[m\] and its vertex.
    fn node(&mut self, node: Node) -> (f64, u32) {
        if let Some(known) = self.known.get(&node) {
            return *known;
        }
        let at = self.at(node);
        // Edges are not longer than two halves: farther nodes have no cut.
        let reach = 4.0 * self.half;
        let depth = self.shape.signed_distance_within(&at.coords, reach).map_or(-reach, |s| -s.distance);
        let depth = if depth.abs() < SNAP * self.half { 0.0 } else { depth };
        let vertex = if depth >= 0.0 { self.out.vertex(at, depth) } else { u32::MAX };
        self.known.insert(node, (depth, vertex));
        (depth, vertex)
    }

    /// The vertex at which the way from a node inside to another leaves the solid.
    fn exit(&mut self, inside: Node, other: Node) -> u32 {
        let ((a, _), (b, vertex)) = (self.node(inside), self.node(other));
        if b >= 0.0 {
            return vertex;
        }
        let (p, q) = (self.at(inside), self.at(other));
        let out = &mut self.out;
        *self.cuts.entry([inside, other]).or_insert_with(|| out.vertex(p + (q - p) * (a / (a - b)), 0.0))
    }

    /// Adds the part of a tetrahedron that is inside.
    fn add(&mut self, t: [Node; 4]) {
        let values = t.map(|n| self.node(n));
        // Nodes inside first.
        let mut order = [0, 1, 2, 3];
        order.sort_by_key(|i| values[*i].0 <= 0.0);
        let inside = values.iter().filter(|(d, _)| *d > 0.0).count();
        let n = order.map(|i| t[i]);
        let v = order.map(|i| values[i].1);
        if inside > 0 && values.iter().all(|(d, _)| *d >= 0.0) {
            self.out.cell([
                &[v[0], v[1], v[2]],
                &[v[0], v[1], v[3]],
                &[v[0], v[2], v[3]],
                &[v[1], v[2], v[3]],
            ]);
            return;
        }
        match inside {
            1 => {
                let [a, b, c] = [1, 2, 3].map(|k| self.exit(n[0], n[k]));
                self.out.cell([&[a, b, c], &[v[0], a, b], &[v[0], b, c], &[v[0], c, a]]);
            }
            2 => {
                let [a, b] = [2, 3].map(|k| self.exit(n[0], n[k]));
                let [c, d] = [2, 3].map(|k| self.exit(n[1], n[k]));
                self.out.cell([
                    &[v[0], a, b],
                    &[v[1], c, d],
                    &[v[0], v[1], c, a],
                    &[v[0], v[1], d, b],
                    &[a, c, d, b],
                ]);
            }
            3 => {
                let [a, b, c] = [0, 1, 2].map(|k| self.exit(n[k], n[3]));
                self.out.cell([
                    &[v[0], v[1], v[2]],
                    &[a, b, c],
                    &[v[0], v[1], b, a],
                    &[v[1], v[2], c, b],
                    &[v[2], v[0], a, c],
                ]);
            }
            _ => {}
        }
    }
}

/// The field of a closed mesh: the distance from the surface over the largest, interpolated in a body-centred cubic lattice with edges of `resolution` \[m\].
///
/// The part of each tetrahedron where the distance is not negative is a convex cell, so that nothing is ever inverted, whatever the mesh. The surface of the field is flat where the mesh is flat, of the
/// second order in the resolution where it is curved, and cuts sharp edges off by up to a part of the resolution.
pub(super) fn closed(mesh: &TriangleMesh, shape: &Shape, resolution: f64) -> Cells {
    let mut lattice = Lattice {
        shape,
        origin: mesh.aabb().center(),
        half: 0.5 * resolution,
        known: HashMap::new(),
        cuts: HashMap::new(),
        out: Cells::default(),
    };
    let count = cubes(mesh, resolution).map(|c| c as i32);
    // Centres are odd, from the cube at one end to that at the other.
    let odd = |axis: usize| (-count[axis] + 1..count[axis]).step_by(2);
    for z in odd(2) {
        for y in odd(1) {
            for x in odd(0) {
                let center = [x, y, z];
                for axis in 0..3 {
                    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                    let beyond = {
                        let mut c = center;
                        c[axis] += 2;
                        c
                    };
                    let corner = |k: usize| {
                        let mut c = center;
                        c[axis] += 1;
                        c[u] += if k == 0 || k == 3 { -1 } else { 1 };
                        c[v] += if k < 2 { -1 } else { 1 };
                        c
                    };
                    for k in 0..4 {
                        lattice.add([center, beyond, corner(k), corner((k + 1) % 4)]);
                    }
                }
            }
        }
    }
    let mut out = lattice.out;
    let deepest = deepest(shape, &out, resolution);
    out.extents.iter_mut().for_each(|e| *e = (*e / deepest).min(1.0));
    out.without_loose_vertices()
}

/// Largest distance from the surface \[m\]: at the deepest node, and uphill from there.
fn deepest(shape: &Shape, nodes: &Cells, resolution: f64) -> f64 {
    let depths = nodes.extents.iter().zip(&nodes.vertices);
    let Some((depth, at)) = depths.max_by(|a, b| a.0.total_cmp(b.0)) else { return 1.0 };
    let (mut depth, mut at, mut step) = (*depth, at.coords, resolution);
    while step > 1e-4 * resolution {
        let ways = (0..6).map(|k| Vector3::ith(k % 3, if k < 3 { step } else { -step }));
        let depth_at = |p: Vector3<f64>| shape.signed_distance(&p).map_or(0.0, |s| -s.distance);
        match ways.map(|w| (depth_at(at + w), at + w)).max_by(|a, b| a.0.total_cmp(&b.0)) {
            Some((deeper, there)) if deeper > depth => (depth, at) = (deeper, there),
            _ => step *= 0.5,
        }
    }
    depth
}
