//! Contacts of two triangle surfaces: their critical points, and the patches about these.
//!
//! Apart, a critical point is a local minimum of the distance. Overlapping, it is a way of B out of A as short as any near it, along a normal that
//! both surfaces share. Ways through a third part of either surface are none; those of overlaps that a shorter way ends are left out.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::ops::Range;

use signorini_core::na::{Isometry3, Point3, Vector3};

use super::ContactPoint;
use super::core::{Core, Pair};
use super::critical::{Critical, Part, ROUND_OFF, Surfaces, Tiles, Turned};
use super::lens::Lens;
use super::level::LevelCorners;
use super::near_triangles::{Boxes, NearTriangles};
use super::patch::{FACING, flat_parts};
use super::surface::{SAME_NORMAL, spread};
use super::triangles::{Surface, surface_code};
use crate::mesh_links::{Tile, box_behind};
use crate::surface_parts::SurfaceParts;
use crate::{Bvh, TriangleMesh};

type V = Vector3<f64>;

/// Distance of a point from a plane, relative to the size of the numbers, within which it counts as on it.
const ON: f64 = 1e-7;

/// Pairs of features that are sought.
#[derive(Clone, Copy, PartialEq)]
enum Sought {
    /// Corners of B behind faces of A.
    Sunk,
    /// All others.
    Others,
    /// All of solids without a common point.
    Apart,
}

#[derive(Default)]
struct Scratch {
    critical: Vec<Critical>,
    /// Pairs of triangles within the margin that may face each other.
    facing: Vec<[u32; 2]>,
    faces: Vec<Faced>,
    /// Critical points with one normal.
    about: Vec<Critical>,
    of_a: Vec<u32>,
    of_b: Vec<u32>,
    near: Vec<u32>,
    turned: TurnedTiles,
    points: Vec<ContactPoint>,
    group: Vec<ContactPoint>,
    lens: Lens,
    level_a: LevelCorners,
    level_b: LevelCorners,
}

/// Triangles of B in the frame of A, each turned once.
#[derive(Default)]
struct TurnedTiles {
    list: Vec<Turned>,
    /// By triangle, its place in the list and the search that put it there.
    places: Vec<[u32; 2]>,
    search: u32,
}

impl TurnedTiles {
    /// Begins a search among so many triangles.
    fn begin(&mut self, count: usize) {
        self.list.clear();
        self.search = self.search.wrapping_add(1);
        if self.search == 0 {
            self.places.clear();
            self.search = 1;
        }
        if self.places.len() < count {
            self.places.resize(count, [0, 0]);
        }
    }

    /// Triangle `j`; None without area.
    fn get(&mut self, pair: &Surfaces<'_>, j: u32) -> Option<&Turned> {
        let [at, search] = &mut self.places[j as usize];
        if *search != self.search {
            let turned = pair.turned(j)?;
            (*at, *search) = (self.list.len() as u32, self.search);
            self.list.push(turned);
        }
        self.list.get(*at as usize)
    }
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Appends the contacts of two surfaces; `near` holds pairs of their triangles from earlier queries, or of the surfaces in the other order.
pub(super) fn contacts(
    surfaces: [Surface<'_>; 2],
    [x_wa, x_wb]: [&Isometry3<f64>; 2],
    margin: f64,
    near: Option<(&mut NearTriangles, bool)>,
    out: &mut Vec<ContactPoint>,
) {
    let pair = Surfaces::new(surfaces, x_wa.inv_mul(x_wb), margin, near);
    SCRATCH.with(|s| match s.try_borrow_mut() {
        Ok(mut s) => s.find(&pair, x_wa, out),
        Err(_) => Scratch::default().find(&pair, x_wa, out),
    });
}

impl Scratch {
    fn find(&mut self, pair: &Surfaces<'_>, x_wa: &Isometry3<f64>, out: &mut Vec<ContactPoint>) {
        self.critical.clear();
        self.facing.clear();
        self.points.clear();
        if let Surface::Mesh(b) = pair.b {
            self.turned.begin(b.triangles().len());
        }
        match pair.disjoint {
            true if pair.margin <= 0.0 => return,
            true => {
                self.visit(pair, Sought::Apart);
                self.critical.sort_unstable_by(|c, d| order(d, c));
            }
            false => {
                self.visit(pair, Sought::Sunk);
                self.visit(pair, Sought::Others);
                self.keep_ways_out(pair);
            }
        }
        self.patches(pair, x_wa);
        spread(1e-9 * pair.scale, &mut self.points, &mut self.group, out);
    }

    /// Meets all pairs of triangles that may be critical to each other.
    fn visit(&mut self, pair: &Surfaces<'_>, sought: Sought) {
        let margin = if sought == Sought::Sunk { 0.0 } else { pair.margin.max(0.0) };
        let Self { critical, facing, of_a, of_b, turned, .. } = self;
        let mut meet = |i: u32, j: u32, tile: &Tile, turned: &Turned| {
            let tiles = Tiles { triangles: [i, j], a: tile, b: turned };
            if sought == Sought::Sunk {
                pair.meet_sunk(&tiles, critical);
            } else if pair.meet(&tiles, critical) && tile.n.dot(&turned.n) < FACING {
                facing.push([i, j]);
            }
        };
        if let (Surface::Mesh(a), Surface::Mesh(b)) = (pair.a, pair.b) {
            let links = a.links();
            let meet = |i: u32, j: u32| {
                let Some(tile) = links.tile(i) else { return };
                if let Some(turned) = turned.get(pair, j) {
                    meet(i, j, tile, turned);
                }
            };
            match pair.near {
                Some(near) => near.visit([a, b], boxes(sought), &pair.x_ab, margin, meet),
                None if sought == Sought::Apart => {
                    let (parts, t) = ([a, b].map(|m| m.links().parts()), &pair.x_ab.translation.vector);
                    let within = margin + ROUND_OFF * pair.scale;
                    let beyond = |nodes: [usize; 2]| {
                        SurfaceParts::apart(parts, (&pair.r, t), nodes, within, |s, _, _, _| s) > within
                    };
                    a.bvh().pairs_but(b.bvh(), &pair.x_ab, margin, beyond, meet);
                }
                None => {
                    let [tree_a, tree_b] = trees(a, b, sought);
                    tree_a.pairs_within(tree_b, &pair.x_ab, margin, meet);
                }
            }
            return;
        }
        let x_ba = pair.x_ab.inverse();
        let reach = margin + 1e-9 * pair.scale;
        pair.b.near(&pair.a.bounds().transformed(&x_ba).inflated(reach), of_b);
        for &j in &*of_b {
            let Some(turned) = pair.turned(j) else { continue };
            let behind = if sought == Sought::Sunk { 0.0 } else { turned.tile.reach };
            pair.a.near(&box_behind(&turned.x, &turned.n, behind).inflated(reach), of_a);
            for &i in &*of_a {
                if let Some(tile) = pair.a.tile(i) {
                    meet(i, j, &tile, &turned);
                }
            }
        }
    }

    /// Of overlaps keeps the shortest way out, and those that it does not free. Where surfaces touch, the shortest way has no length.
    fn keep_ways_out(&mut self, pair: &Surfaces<'_>) {
        let Self { critical, near, lens, .. } = self;
        let round_off = 1e-12 * pair.scale;
        critical.sort_unstable_by(order);
        let first = critical.partition_point(|c| c.gap >= -round_off);
        let touching = critical.partition_point(|c| c.gap >= ROUND_OFF * pair.scale);
        let mut shortest = critical.get(first).copied();
        let mut kept = first;
        for k in first..critical.len() {
            let c = critical[k];
            let same = |w: &Critical| w.n.dot(&c.n) > SAME_NORMAL;
            let ways = &critical[touching..kept];
            let freed = !ways.iter().any(same) && ways.iter().any(|w| pair.is_freed(&c, w, near));
            if !freed && pair.is_overlap(&c, near) {
                critical[kept] = c;
                kept += 1;
            }
        }
        critical.truncate(kept);
        if let (Surface::Mesh(a), Surface::Mesh(b)) = (pair.a, pair.b)
            && a.links().is_closed()
            && b.links().is_closed()
        {
            let way = way_between_boxes(pair);
            critical.retain(|c| c.gap >= way.gap - ROUND_OFF * pair.scale);
            shortest = shortest.filter(|s| s.gap >= way.gap).or(Some(way));
        }
        // Sharp edges may cross beside each other's solids, and a body may stand out of a plate on both sides.
        if let Some(shortest) = shortest
            && [critical.len(), touching] == [first; 2]
            && cross(pair)
        {
            critical.push(lens.way_out(pair).filter(|l| l.gap > shortest.gap).unwrap_or(shortest));
        }
        critical.reverse();
    }

    /// The critical points, deepest first, each with the patch of the triangles in the planes that meet there.
    fn patches(&mut self, pair: &Surfaces<'_>, x_wa: &Isometry3<f64>) {
        if self.critical.is_empty() {
            return;
        }
        self.facing.sort_unstable();
        self.faces.clear();
        let mut from = 0;
        for of_i in self.facing.chunk_by(|p, q| p[0] == q[0]) {
            let partners = from..from + of_i.len();
            from = partners.end;
            let tile = pair.a.tile(of_i[0][0]);
            self.faces.extend(tile.map(|tile| Faced { i: of_i[0][0], tile, partners }));
        }
        while let Some(first) = self.critical.first().copied() {
            let same = |c: &Critical| c.n.dot(&first.n) > SAME_NORMAL;
            self.about.clear();
            self.about.extend(self.critical.iter().filter(|c| same(c)));
            self.critical.retain(|c| !same(c));
            for c in &self.about {
                let (p_a, normal) = (x_wa * Point3::from(c.p), x_wa.rotation * c.n);
                let [i, j] = c.triangles;
                let codes = [surface_code(i, c.parts[0].code()), surface_code(j, c.parts[1].code())];
                let feature = super::feature(codes);
                self.points.push(ContactPoint {
                    p_a,
                    p_b: p_a + normal * c.gap,
                    normal,
                    gap: c.gap,
                    feature,
                });
            }
            self.patch(pair, x_wa, &first);
        }
    }

    /// The patch about critical points with the normal of the first, which is the deepest.
    fn patch(&mut self, pair: &Surfaces<'_>, x_wa: &Isometry3<f64>, first: &Critical) {
        let Self { facing, faces, about, points, level_a, level_b, .. } = self;
        let n = first.n;
        let on = |m: &V, t: &V, p: &V| m.dot(&(p - t)).abs() <= ON * pair.scale;
        level_a.clear();
        level_b.clear();
        for c in &*about {
            level_a.spread(&pair.a, c, [0, 1], &n, pair.margin - c.gap);
            level_b.spread(&pair.b, c, [1, 0], &pair.against(&n), pair.margin - c.gap);
        }
        let is_face = |m: &V| m.cross(&n).norm_squared() <= FACING * FACING;
        // No corner of a patch is deeper than its critical point.
        let deepest = first.gap - 1e-9 * pair.scale;
        for Faced { i, tile: a, partners } in faces.iter().filter(|f| f.tile.n.dot(&n) > 0.0) {
            let faces_a = is_face(&a.n);
            let meets_a = |c: &&Critical| match faces_a {
                true => on(&a.n, &a.t[0], &c.p),
                false => c.parts[0].is_held(&pair.a, *i, c.triangles[0]) || level_a.are_of(&pair.a, *i),
            };
            if !about.iter().any(|c| meets_a(&c)) {
                continue;
            }
            for &[_, j] in &facing[partners.clone()] {
                let Some(b) = pair.turned(j).filter(|b| b.n.dot(&n) < 0.0) else { continue };
                let faces_b = is_face(&b.n);
                let meets_b = |c: &&Critical| match faces_b {
                    true => on(&b.n, &b.x[0], &c.point_of_b()),
                    false => c.parts[1].is_held(&pair.b, j, c.triangles[1]) || level_b.are_of(&pair.b, j),
                };
                if !(faces_a || faces_b) || !about.iter().filter(meets_a).any(|c| meets_b(&c)) {
                    continue;
                }
                let start = points.len();
                let cores = Pair::new(Core::Triangle(a.t), Core::Triangle(b.tile.t), &pair.x_ab);
                flat_parts(&cores, &n, x_wa, pair.margin, points);
                // Corners of triangles are none of a patch where a face goes on beyond them.
                let mut kept = start;
                for k in start..points.len() {
                    let mut c = points[k];
                    let codes = [(c.feature >> 32) as u32, c.feature as u32];
                    if c.gap >= deepest && !a.is_within(codes[0]) && !b.tile.is_within(codes[1]) {
                        c.feature = super::feature([surface_code(*i, codes[0]), surface_code(j, codes[1])]);
                        points[kept] = c;
                        kept += 1;
                    }
                }
                points.truncate(kept);
            }
        }
    }
}

/// A triangle of A and its partners among the pairs that may face each other.
struct Faced {
    i: u32,
    tile: Tile,
    partners: Range<usize>,
}

/// Shallowest first.
fn order(c: &Critical, d: &Critical) -> Ordering {
    let codes = |c: &Critical| c.parts.map(Part::code);
    let triangles = c.triangles.cmp(&d.triangles);
    // Edges have two normals.
    d.gap.total_cmp(&c.gap).then(triangles).then_with(|| codes(c).cmp(&codes(d))).then_with(|| {
        let normals = c.n.iter().zip(d.n.iter()).map(|(c, d)| c.total_cmp(d));
        normals.fold(Ordering::Equal, Ordering::then)
    })
}

/// The shortest way of B along an axis of either box around the meshes after which the boxes touch: no overlap of closed meshes is deeper. A plate that a body straddles has ways along itself alone otherwise.
fn way_between_boxes(pair: &Surfaces<'_>) -> Critical {
    let (a, b) = (pair.a.bounds(), pair.b.bounds());
    let (half_a, half_b) = (a.half_extents(), b.half_extents());
    let (center_a, center_b) = (a.center().coords, pair.x_ab * b.center());
    let reach_a = |n: &V| center_a.dot(n) + half_a.dot(&n.abs());
    let reach_b = |n: &V| center_b.coords.dot(n) - half_b.dot(&pair.r.tr_mul(n).abs());
    let axes = (0..3).flat_map(|k| [V::ith(k, 1.0), pair.r.column(k).into()]);
    let (mut least, mut way) = (f64::INFINITY, V::x());
    for n in axes.flat_map(|n: V| [n, -n]) {
        let depth = reach_a(&n) - reach_b(&n);
        if depth < least {
            (least, way) = (depth, n);
        }
    }
    let both = b.transformed(&pair.x_ab);
    let middle = 0.5 * (a.min.coords.sup(&both.min.coords) + a.max.coords.inf(&both.max.coords));
    let p = middle + way * (reach_a(&way) - middle.dot(&way));
    Critical { n: way, gap: -least, p, triangles: [0; 2], parts: [Part::Face; 2] }
}

/// Whether a triangle of one mesh crosses one of the other.
fn cross(pair: &Surfaces<'_>) -> bool {
    let (Surface::Mesh(a), Surface::Mesh(b)) = (pair.a, pair.b) else { return false };
    let mut found = false;
    a.bvh().pairs(b.bvh(), &pair.x_ab, |i, j| {
        found = found || pair.turned(j).is_some_and(|turned| Surface::cross(&pair.a.triangle(i), &turned.x));
    });
    found
}

/// The boxes that are asked: about the solid behind triangles of A for corners of B, behind those of B for all others, behind neither where nothing overlaps.
fn boxes(sought: Sought) -> Boxes {
    match sought {
        Sought::Sunk => Boxes::BehindA,
        Sought::Others => Boxes::BehindB,
        Sought::Apart => Boxes::Triangles,
    }
}

/// The trees over these.
fn trees<'a>(a: &'a TriangleMesh, b: &'a TriangleMesh, sought: Sought) -> [&'a Bvh; 2] {
    match boxes(sought) {
        Boxes::BehindA => [a.links().thick(), b.bvh()],
        Boxes::BehindB => [a.bvh(), b.links().thick()],
        Boxes::Triangles => [a.bvh(), b.bvh()],
    }
}
