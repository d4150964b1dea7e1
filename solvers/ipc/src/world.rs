use std::sync::Arc;

use signorini_core::na::Vector3;
use signorini_geometry::{Mollifier, Stencil, StencilPair, SurfaceFeatures};

use crate::body::place;
use crate::multiplicity::Multiplicity;
use crate::{AffineBody, BarrierSeed, IpcOptions};

/// Coordinates of a body.
pub(crate) const N: usize = 12;

/// Factor of the inertia of driven bodies.
pub(crate) const DRIVEN: f64 = 1e6;

/// A part of the surface of a body; most bodies have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SurfacePart {
    /// Number of the body.
    pub body: usize,
    /// Number of the part among those of the body.
    pub part: usize,
}

/// Coefficient of friction of two parts; None where they do not collide.
pub(crate) type Rule = Arc<dyn Fn(SurfacePart, SurfacePart) -> Option<f64> + Send + Sync>;

/// The bodies and where they are held, shared by problems.
pub(crate) struct World {
    pub bodies: Vec<AffineBody>,
    /// Number among the free bodies; None for bodies that are held.
    pub free: Vec<Option<u32>>,
    /// Number among the driven bodies; None for others.
    pub driven: Vec<Option<usize>>,
    /// Driven bodies by their numbers among the free ones.
    pub driven_blocks: Vec<u32>,
    pub options: IpcOptions,
    rule: Rule,
    /// All parts of surfaces, by bodies.
    parts: Vec<SurfacePart>,
    /// Distance of each surface from its features \[m\].
    radii: Vec<f64>,
    /// First point of each body among all, and the number of points as the last entry.
    pub first: Vec<u32>,
    /// X of all points \[m\].
    pub rest: Vec<Vector3<f64>>,
    /// Body of each point.
    pub owner: Vec<u32>,
    /// Coordinates of each body at the start.
    pub held_coordinates: Vec<[f64; N]>,
    /// Positions of all points of bodies that are held \[m\], zero for others.
    held: Vec<Vector3<f64>>,
    /// Distance of the furthest point of each body from its centre \[m\].
    pub radius: Vec<f64>,
    /// Counts of edges and points where round parts meet triangles.
    pub multiplicity: Multiplicity,
}

impl World {
    /// Bodies at their coordinates.
    pub(crate) fn new(bodies: Vec<(AffineBody, [f64; N])>, rule: Rule, options: IpcOptions) -> Self {
        let mut parts = Vec::new();
        let (mut free, mut first, mut rest, mut owner, mut held, mut radius) =
            (Vec::new(), vec![0], Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (mut count, mut driven, mut driven_blocks) = (0, Vec::new(), Vec::new());
        for (b, (body, q)) in (0..).zip(&bodies) {
            parts.extend((0..body.parts.len()).map(|part| SurfacePart { body: b as usize, part }));
            free.push((!body.fixed).then_some(count));
            driven_blocks.extend(body.driven.then_some(count));
            count += u32::from(!body.fixed);
            let before = driven.iter().flatten().count();
            driven.push(body.driven.then_some(before));
            rest.extend_from_slice(&body.points);
            owner.extend(body.points.iter().map(|_| b));
            held.extend(body.points.iter().map(|x| if body.fixed { place(q, x) } else { Vector3::zeros() }));
            radius.push(body.extent());
            first.push(rest.len() as u32);
        }
        let (bodies, held_coordinates): (Vec<AffineBody>, _) = bodies.into_iter().unzip();
        let radii = bodies.iter().flat_map(|b| b.parts.iter().map(|p| p.radius)).collect();
        let multiplicity = Multiplicity::new(bodies.iter().zip(first.iter().copied()));
        Self {
            multiplicity,
            bodies,
            free,
            driven,
            driven_blocks,
            options,
            rule,
            parts,
            radii,
            first,
            rest,
            owner,
            held_coordinates,
            held,
            radius,
        }
    }

    /// Number of unknowns.
    pub(crate) fn unknowns(&self) -> usize {
        N * self.free.iter().flatten().count()
    }

    /// The parts of surfaces with points numbered among all.
    pub(crate) fn surfaces(&self) -> Vec<SurfaceFeatures> {
        let of = |at: &SurfacePart| {
            let (body, first) = (&self.bodies[at.body], self.first[at.body]);
            let start = at.part.checked_sub(1).map_or(0, |before| body.parts[before].end);
            let own = start..body.parts[at.part].end;
            SurfaceFeatures {
                radius: body.parts[at.part].radius,
                points: first + own.start..first + own.end,
                triangles: features(&body.triangles, &own, first),
                edges: features(&body.edges, &own, first),
            }
        };
        self.parts.iter().map(of).collect()
    }

    /// Bodies of two parts of surfaces.
    pub(crate) fn bodies_of(&self, surfaces: [u32; 2]) -> [u32; 2] {
        surfaces.map(|s| self.parts[s as usize].body as u32)
    }

    /// Number of parts of surfaces.
    pub(crate) fn part_count(&self) -> usize {
        self.parts.len()
    }

    /// Body of a surface, and the part of it.
    pub(crate) fn part(&self, surface: u32) -> SurfacePart {
        self.parts[surface as usize]
    }

    /// Points of a body at which its connected pieces can be found, of those of one of its parts, numbered among all.
    pub(crate) fn pieces<'a>(&'a self, points: &'a std::ops::Range<u32>) -> impl Iterator<Item = u32> + 'a {
        let body = self.owner[points.start as usize] as usize;
        self.bodies[body].pieces.iter().map(move |i| self.first[body] + i).filter(|i| points.contains(i))
    }

    /// Distance of a surface from its features \[m\].
    pub(crate) fn radius_of(&self, surface: u32) -> f64 {
        self.radii[surface as usize]
    }

    /// Radii of both surfaces of a pair, added \[m\].
    pub(crate) fn thickness(&self, pair: &StencilPair) -> f64 {
        pair.surfaces.iter().map(|s| self.radius_of(*s)).sum()
    }

    /// Whether other pairs stand for one of a round part.
    pub(crate) fn passed_over(&self, pair: &StencilPair) -> bool {
        self.thickness(pair) > 0.0 && self.multiplicity.inside_plane(pair)
    }

    /// Whether two parts of surfaces collide.
    pub(crate) fn collide(&self, a: u32, b: u32) -> bool {
        let (a, b) = (self.part(a), self.part(b));
        let fixed = |s: SurfacePart| self.bodies[s.body].fixed;
        a.body != b.body && !(fixed(a) && fixed(b)) && (self.rule)(a, b).is_some()
    }

    /// Positions of all points at the coordinates of the free bodies.
    pub(crate) fn positions(&self, q: &[f64], out: &mut Vec<Vector3<f64>>) {
        self.points(q, &self.held, out);
    }

    /// Ways of all points under a change of the coordinates.
    pub(crate) fn ways(&self, dq: &[f64], out: &mut Vec<Vector3<f64>>) {
        self.points(dq, &[], out);
    }

    fn points(&self, q: &[f64], held: &[Vector3<f64>], out: &mut Vec<Vector3<f64>>) {
        out.clear();
        for (b, ends) in self.first.windows(2).enumerate() {
            let range = ends[0] as usize..ends[1] as usize;
            match self.free[b] {
                Some(f) => out.extend(self.rest[range].iter().map(|x| place(&q[N * f as usize..], x))),
                None => match held.get(range.clone()) {
                    Some(held) => out.extend_from_slice(held),
                    None => out.resize(range.end, Vector3::zeros()),
                },
            }
        }
    }

    /// d̂ + ξ.
    pub(crate) fn reach(&self) -> f64 {
        self.options.range + self.options.separation
    }

    pub(crate) fn mollifier(&self, pair: &StencilPair) -> Option<Mollifier> {
        let [a, b, c, d] = pair.points.map(|i| self.rest[i as usize]);
        (pair.stencil == Stencil::EdgeEdge)
            .then(|| Mollifier::new([(b - a).norm_squared(), (d - c).norm_squared()]))
    }

    /// Area that a pair stands for \[m²\], one where pairs are not weighed.
    pub(crate) fn weight(&self, pair: &StencilPair) -> f64 {
        if !self.options.area_weights {
            return 1.0;
        }
        let point = |i: u32| {
            let b = self.owner[i as usize] as usize;
            (&self.bodies[b], i - self.first[b])
        };
        // The cap of a ball and the strip of a capsule within the range of a plane that they touch.
        let range = self.options.range;
        let cap = |r: f64| 2.0 * std::f64::consts::PI * r * range;
        let strip = |r: f64, length: f64| 2.0 * (2.0 * r * range).sqrt() * length;
        let edge = |a: u32, b: u32| {
            let length = (self.rest[b as usize] - self.rest[a as usize]).norm();
            let ((body, a), (_, b)) = (point(a), point(b));
            let round = body.radius_at(a);
            if round > 0.0 {
                return strip(round, length);
            }
            let at = body.edges.binary_search(&[a.min(b), a.max(b)]);
            at.map_or(0.0, |e| body.edge_areas[e])
        };
        let [a, b, c, d] = pair.points;
        0.25 * match pair.stencil {
            Stencil::PointTriangle => {
                let (body, i) = point(a);
                if body.radius_at(i) > 0.0 { cap(body.radius_at(i)) } else { body.point_areas[i as usize] }
            }
            Stencil::EdgeEdge => edge(a, b) + edge(c, d),
        }
    }

    /// Surface of a pair, 0 or 1, that each point belongs to.
    pub(crate) fn sides(&self, pair: &StencilPair) -> [u8; 4] {
        let [_, second] = self.bodies_of(pair.surfaces);
        pair.points.map(|i| u8::from(self.owner[i as usize] == second))
    }

    /// Coefficient of friction.
    pub(crate) fn friction(&self, pair: &StencilPair) -> f64 {
        let [a, b] = pair.surfaces.map(|s| self.part(s));
        (self.rule)(a, b).unwrap_or(0.0)
    }

    pub(crate) fn barrier(&self, dt: f64, distance: f64, stiffness: f64) -> BarrierSeed {
        let o = &self.options;
        BarrierSeed { dt, distance, range: o.range, separation: o.separation, stiffness }
    }
}

/// Features whose points are in a range, with points numbered from `first`.
fn features<const K: usize>(of: &[[u32; K]], own: &std::ops::Range<u32>, first: u32) -> Vec<[u32; K]> {
    of.iter().filter(|f| own.contains(&f[0])).map(|f| f.map(|i| i + first)).collect()
}

/// The points of a pair.
#[inline]
pub(crate) fn gather(pair: &StencilPair, x: &[Vector3<f64>]) -> [Vector3<f64>; 4] {
    let [a, b, c, d] = pair.points;
    [x[a as usize], x[b as usize], x[c as usize], x[d as usize]]
}
