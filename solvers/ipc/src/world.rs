use signorini_core::na::Vector3;
use signorini_geometry::{Mollifier, Stencil, StencilPair, SurfaceFeatures};

use crate::body::place;
use crate::{AffineBody, BarrierSeed, IpcOptions};

/// Coordinates of a body.
pub(crate) const N: usize = 12;

/// The bodies and where they are held: what problems share.
pub(crate) struct World {
    pub bodies: Vec<AffineBody>,
    /// Number among the free bodies; None for bodies that are held.
    pub free: Vec<Option<u32>>,
    pub options: IpcOptions,
    /// Bodies that do not collide with each other, ascending pairs.
    pub excluded: Vec<[u32; 2]>,
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
}

impl World {
    /// Bodies at their coordinates.
    pub(crate) fn new(
        bodies: Vec<(AffineBody, [f64; N])>,
        excluded: Vec<[u32; 2]>,
        options: IpcOptions,
    ) -> Self {
        let (mut free, mut first, mut rest, mut owner, mut held, mut radius) =
            (Vec::new(), vec![0], Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut count = 0;
        for (b, (body, q)) in (0..).zip(&bodies) {
            free.push((!body.fixed).then_some(count));
            count += u32::from(!body.fixed);
            rest.extend_from_slice(&body.points);
            owner.extend(body.points.iter().map(|_| b));
            held.extend(body.points.iter().map(|x| if body.fixed { place(q, x) } else { Vector3::zeros() }));
            radius.push(body.points.iter().map(Vector3::norm).fold(0.0, f64::max));
            first.push(rest.len() as u32);
        }
        let (bodies, held_coordinates) = bodies.into_iter().unzip();
        Self { bodies, free, options, excluded, first, rest, owner, held_coordinates, held, radius }
    }

    /// Number of unknowns.
    pub(crate) fn unknowns(&self) -> usize {
        N * self.free.iter().flatten().count()
    }

    /// The surfaces with points numbered among all.
    pub(crate) fn surfaces(&self) -> Vec<SurfaceFeatures> {
        let of = |(body, ends): (&AffineBody, &[u32])| SurfaceFeatures {
            points: ends[0]..ends[1],
            triangles: body.triangles.iter().map(|t| t.map(|i| i + ends[0])).collect(),
            edges: body.edges.iter().map(|e| e.map(|i| i + ends[0])).collect(),
        };
        self.bodies.iter().zip(self.first.windows(2)).map(of).collect()
    }

    /// Whether two bodies collide.
    pub(crate) fn collide(&self, a: u32, b: u32) -> bool {
        let fixed = |b: u32| self.bodies[b as usize].fixed;
        !(fixed(a) && fixed(b)) && self.excluded.binary_search(&[a, b]).is_err()
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
        let edge = |a: u32, b: u32| {
            let ((body, a), (_, b)) = (point(a), point(b));
            let at = body.edges.binary_search(&[a.min(b), a.max(b)]);
            at.map_or(0.0, |e| body.edge_areas[e])
        };
        let [a, b, c, d] = pair.points;
        0.25 * match pair.stencil {
            Stencil::PointTriangle => {
                let (body, i) = point(a);
                body.point_areas[i as usize]
            }
            Stencil::EdgeEdge => edge(a, b) + edge(c, d),
        }
    }

    /// Which of the two surfaces of a pair each point belongs to.
    pub(crate) fn sides(&self, pair: &StencilPair) -> [u8; 4] {
        pair.points.map(|i| u8::from(self.owner[i as usize] == pair.surfaces[1]))
    }

    /// Larger coefficient of friction of the two bodies.
    pub(crate) fn friction(&self, pair: &StencilPair) -> f64 {
        pair.surfaces.map(|b| self.bodies[b as usize].friction).into_iter().fold(0.0, f64::max)
    }

    pub(crate) fn barrier(&self, dt: f64, distance: f64, stiffness: f64) -> BarrierSeed {
        let o = &self.options;
        BarrierSeed { dt, distance, range: o.range, separation: o.separation, stiffness }
    }
}

/// The points of a pair.
#[inline]
pub(crate) fn gather(pair: &StencilPair, x: &[Vector3<f64>]) -> [Vector3<f64>; 4] {
    let [a, b, c, d] = pair.points;
    [x[a as usize], x[b as usize], x[c as usize], x[d as usize]]
}
