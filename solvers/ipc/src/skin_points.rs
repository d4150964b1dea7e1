use std::sync::Arc;

use signorini_core::na::{Matrix3, Vector3};
use signorini_core::{ContactGeometry, ContactSeed, ContactSide};
use signorini_geometry::{Ccd, Impact, Stencil, StencilDistance, StencilPair};

use crate::candidates::Candidates;
use crate::skin_law::{Skin, SkinPair};
use crate::spread::{Side, at_surface, relative_velocity, spread};
use crate::threads::Threads;
use crate::world::{World, gather};

/// A point at which two bodies press on each other by the law of their skin.
#[derive(Clone, Debug)]
pub(crate) struct SkinPoint {
    pub pair: StencilPair,
    /// Σ wᵢ xᵢ leads from the first body to the second.
    pub weights: [f64; 4],
    /// Spread of the points of the features, and that of the material points where the surfaces touch.
    pub spread: [Side; 2],
    pub surface: [Side; 2],
    /// Columns n, t₁, t₂, world axes; n points from the first body to the second.
    pub frame: Matrix3<f64>,
    /// φ₀ = n·Σ wᵢ xᵢ − r, less the radii of both surfaces, where the step begins \[m\].
    pub gap: f64,
}

impl SkinPoint {
    /// A vector of the frame in world axes, as its parts along the normal, which moves with the features, and across, which moves with the surface.
    pub(crate) fn parts(&self, e: &Vector3<f64>) -> [Vector3<f64>; 2] {
        let f = &self.frame;
        [f.column(0) * e[0], f.column(1) * e[1] + f.column(2) * e[2]]
    }

    /// Velocity in the frame \[m/s\].
    pub(crate) fn velocity(&self, world: &World, v: &[f64]) -> Vector3<f64> {
        let along = relative_velocity(world, &self.pair, &self.spread, v);
        let across = self.frame.transpose() * relative_velocity(world, &self.pair, &self.surface, v);
        Vector3::new(self.frame.column(0).dot(&along), across[1], across[2])
    }
}

/// Features that come within the skin, with the time and the vector that joins them then.
#[derive(Clone, Debug)]
struct Found {
    pair: StencilPair,
    /// Part of the step.
    time: f64,
    distance: StencilDistance,
    /// To the first point.
    normal: Vector3<f64>,
}

/// Finds the points at which bodies press on each other.
#[derive(Clone, Debug)]
pub(crate) struct SkinSearch {
    candidates: Candidates,
    found: Vec<Found>,
    /// Ways of points, and the coordinates that they lead to.
    ways: Vec<Vector3<f64>>,
    end: Vec<f64>,
}

/// Places of points, and those that they would reach without contact.
#[derive(Clone, Copy)]
pub(crate) struct FreeMotion<'a> {
    /// Coordinates of the free bodies.
    pub q: &'a [f64],
    /// Positions of all points \[m\].
    pub x: &'a [Vector3<f64>],
    /// Change of the coordinates in the step.
    pub dq: &'a [f64],
}

/// Cosine of the angle up to which two normals at one point of a surface are of one contact: 30°.
const ONE_CONTACT: f64 = 0.866;

/// Sine of the angle by which a face may lean towards the other body beyond an edge that still counts.
const LEAN: f64 = 0.1;

/// Part of an edge from its end on in which a crossing counts: beyond round-off.
const INSIDE: f64 = 1e-9;

impl Found {
    /// Contacts of one point with one surface stand together, the nearest first; edges stand by themselves.
    fn group(&self) -> ([u32; 2], bool, u32) {
        let edges = self.pair.stencil == Stencil::EdgeEdge;
        (self.pair.surfaces, edges, if edges { 0 } else { self.pair.points[0] })
    }

    /// Whether the closest point of the triangle is on a triangle that is nearer or as near.
    fn ends_on(&self, nearer: &Self) -> bool {
        let other = &nearer.pair.points[1..];
        (1..4).all(|k| self.distance.weights[k] == 0.0 || other.contains(&self.pair.points[k]))
    }
}

impl SkinSearch {
    pub(crate) fn new(world: &World, skin: &Skin, threads: Threads) -> Self {
        Self {
            candidates: Candidates::new(world, skin.law.skin(), threads),
            found: Vec::new(),
            ways: Vec::new(),
            end: Vec::new(),
        }
    }

    /// The points of a step, sorted by surfaces.
    ///
    /// A point of one surface counts with each closest point of the other that is a local minimum of the distance; of those whose normals are within 30° of each other the nearest counts. Edges count where they cross, stick out, and are no more nearly parallel than their mollifier allows.
    pub(crate) fn find(&mut self, world: &World, skin: &Skin, to: FreeMotion<'_>, out: &mut Vec<SkinPoint>) {
        let r = skin.law.skin();
        self.end.clear();
        self.end.extend(to.q.iter().zip(to.dq).map(|(q, d)| q + d));
        self.candidates.ensure(world, to.q, &self.end);
        world.ways(to.dq, &mut self.ways);
        self.found.clear();
        for c in self.candidates.list() {
            let (x, dx) = (gather(&c.pair, to.x), gather(&c.pair, &self.ways));
            let reach = r + c.thickness;
            let ccd = Ccd { separation: reach, ..Ccd::default() };
            let time = if c.pair.stencil.distance(&x).squared < reach * reach {
                0.0
            } else {
                match ccd.impact(c.pair.stencil, &x, &dx) {
                    Impact::None => continue,
                    Impact::Before(time) => time,
                    Impact::AtStart => 0.0,
                }
            };
            let then: [Vector3<f64>; 4] = std::array::from_fn(|i| x[i] + time * dx[i]);
            let distance = c.pair.stencil.distance(&then);
            let normal = distance.r / distance.distance();
            let found = Found { pair: c.pair, time, distance, normal };
            let place = |i: u32| to.x[i as usize] + time * self.ways[i as usize];
            let counts = match c.pair.stencil {
                Stencil::PointTriangle => true,
                Stencil::EdgeEdge => {
                    c.mollifier.is_none_or(|m| m.value(&then) >= 1.0)
                        && crosses(world, skin, &found, &then, place)
                }
            };
            if counts && normal.iter().all(|n| n.is_finite()) {
                self.found.push(found);
            }
        }
        self.found.sort_by(|a, b| {
            let nearer = a.distance.squared.total_cmp(&b.distance.squared);
            a.group().cmp(&b.group()).then(a.time.total_cmp(&b.time)).then(nearer)
        });
        out.clear();
        // Start of the group among the points found, and among those kept.
        let (mut first, mut kept): (usize, Vec<Vector3<f64>>) = (0, Vec::new());
        for (i, f) in self.found.iter().enumerate() {
            if f.group() != self.found[first].group() {
                first = i;
                kept.clear();
            }
            if f.pair.stencil == Stencil::PointTriangle {
                let minimum =
                    f.distance.dimension() == 2 || !self.found[first..i].iter().any(|n| f.ends_on(n));
                if !minimum || kept.iter().any(|n| n.dot(&f.normal) > ONE_CONTACT) {
                    continue;
                }
                kept.push(f.normal);
            }
            out.push(point(world, r, f, to));
        }
    }
}

/// Whether two edges cross and stick out towards each other; `then` are their points, `place` tells those of their faces.
fn crosses(
    world: &World,
    skin: &Skin,
    f: &Found,
    then: &[Vector3<f64>; 4],
    place: impl Fn(u32) -> Vector3<f64>,
) -> bool {
    let [a, b, c, d] = f.pair.points;
    // The edge of a capsule has no faces.
    let ridge = |surface: usize, [i, j]: [u32; 2]| -> Option<&[u32]> {
        if world.radius_of(f.pair.surfaces[surface]) > 0.0 {
            return Some(&[]);
        }
        skin.ridges.get(&[i.min(j), i.max(j)]).map(|r| &r[..])
    };
    let (2, Some(own), Some(other)) = (f.distance.dimension(), ridge(0, [a, b]), ridge(1, [c, d])) else {
        return false;
    };
    // An end is the other surface's point.
    if f.distance.weights.iter().any(|w| w.abs() < INSIDE) {
        return false;
    }
    // No face may lean over the edge towards the other body.
    let free = |[p, q]: [Vector3<f64>; 2], faces: &[u32], n: Vector3<f64>| {
        let along = (q - p).normalize();
        faces.iter().all(|third| {
            let to = place(*third) - p;
            let into = to - along * along.dot(&to);
            n.dot(&into) <= LEAN * into.norm()
        })
    };
    free([then[0], then[1]], own, -f.normal) && free([then[2], then[3]], other, f.normal)
}

/// The contact of the features found, where bodies and points are at the start of `to` as the step begins.
fn point(world: &World, skin: f64, f: &Found, to: FreeMotion<'_>) -> SkinPoint {
    let sides = world.sides(&f.pair);
    // The first point of the pair may be of either body.
    let sign = if sides[0] == 0 { -1.0 } else { 1.0 };
    let (weights, n) = (f.distance.weights.map(|w| sign * w), sign * f.normal);
    let between: Vector3<f64> = gather(&f.pair, to.x).iter().zip(weights).map(|(x, w)| w * x).sum();
    let spread = spread(world, &f.pair, &sides, &weights);
    SkinPoint {
        pair: f.pair,
        weights,
        spread,
        surface: at_surface(world, to.q, &f.pair, spread, &n),
        frame: ContactGeometry::frame(&n),
        gap: n.dot(&between) - world.thickness(&f.pair) - skin,
    }
}

/// The points of the skin in a step, and their seeds for its law.
#[derive(Clone)]
pub(crate) struct SkinStep {
    skin: Arc<Skin>,
    search: SkinSearch,
    seeds: Vec<ContactSeed>,
}

impl SkinStep {
    pub(crate) fn new(world: &World, skin: Arc<Skin>, threads: &Threads) -> Self {
        Self { search: SkinSearch::new(world, &skin, threads.clone()), seeds: Vec::new(), skin }
    }

    pub(crate) fn skin(&self) -> &Arc<Skin> {
        &self.skin
    }

    /// Seeds of the points, in their order.
    pub(crate) fn seeds(&self) -> &Vec<ContactSeed> {
        &self.seeds
    }

    /// Looks for the points of a step of `dt` \[s\] that begins with velocities `v` of the coordinates.
    pub(crate) fn begin(
        &mut self,
        world: &World,
        to: FreeMotion<'_>,
        dt: f64,
        v: &[f64],
        points: &mut Vec<SkinPoint>,
    ) {
        let skin = &*self.skin;
        self.search.find(world, skin, to, points);
        let mut counts = vec![0u32; world.bodies.len()];
        for b in points.iter().flat_map(|p| world.bodies_of(p.pair.surfaces)) {
            counts[b as usize] += 1;
        }
        self.seeds.clear();
        self.seeds.extend(points.iter().map(|p| {
            let SkinPair { material, curvature } = skin.pair(world, p.pair.surfaces);
            let bodies = world.bodies_of(p.pair.surfaces);
            let held = bodies.map(|b| world.free[b as usize].is_none());
            let side = |i: usize| {
                if held[i] {
                    return ContactSide::default();
                }
                ContactSide {
                    linear: skin.inverse_mass(bodies[i], &p.surface[i]) * Matrix3::identity(),
                    reference: 1.0 / world.bodies[bodies[i] as usize].mass,
                    contacts: counts[bodies[i] as usize],
                    ..ContactSide::default()
                }
            };
            let sides = if held[0] { [side(1), side(0)] } else { [side(0), side(1)] };
            let velocity = p.velocity(world, v);
            ContactSeed { preload: 0.0, dt, gap: p.gap, velocity, material, curvature, sides }
        }));
    }
}
