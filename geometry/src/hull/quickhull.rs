use signorini_core::na::{Point3, Vector3};

use super::{FLAT, HullError, Triangles};

/// A triangle of the growing hull.
struct Facet {
    corners: [u32; 3],
    /// Facet across the edge from corner k to corner k + 1.
    across: [u32; 3],
    /// Points strictly above this facet that are not on the hull yet.
    above: Vec<u32>,
    alive: bool,
    /// Round in which the facet was last asked about, and the answer.
    asked: u32,
    visible: bool,
}

/// An edge between a facet that the new point sees and one that it does not.
struct HorizonEdge {
    from: u32,
    to: u32,
    beyond: u32,
}

/// The triangulated hull of `points[ids]`, whose largest extent is `size`. Signs of volumes are exact (Shewchuk's adaptive
/// predicate), so the result is the hull of the very numbers given: no triangle has zero area, coplanar triangles may
/// be many.
///
/// The farthest point of a facet is added first (Barber, Dobkin, Huhdanpaa, "The Quickhull algorithm", 1996).
pub(super) fn hull(points: &[Point3<f64>], ids: &[u32], size: f64) -> Result<Triangles, HullError> {
    let mut work = Quickhull { points, facets: Vec::new(), starts: vec![(0, 0); points.len()], round: 0 };
    work.first_simplex(ids, size)?;
    let mut pending: Vec<u32> = (0..4).collect();
    while let Some(f) = pending.pop() {
        if work.facets[f as usize].alive
            && let Some(p) = work.farthest(f)
        {
            let before = work.facets.len() as u32;
            work.add(p, f)?;
            pending.extend(before..work.facets.len() as u32);
        }
    }
    Ok(work.facets.iter().filter(|f| f.alive).map(|f| f.corners).collect())
}

struct Quickhull<'a> {
    points: &'a [Point3<f64>],
    facets: Vec<Facet>,
    /// For each point: the round in which a new facet's first corner was it, and that facet.
    starts: Vec<(u32, u32)>,
    round: u32,
}

impl Quickhull<'_> {
    fn at(&self, v: u32) -> Point3<f64> {
        self.points[v as usize]
    }

    /// Whether `p` is strictly outside the facet with these corners.
    fn is_above(&self, [a, b, c]: [u32; 3], p: u32) -> bool {
        let coord = |v: u32| {
            let p = self.at(v);
            robust::Coord3D { x: p.x, y: p.y, z: p.z }
        };
        robust::orient3d(coord(a), coord(b), coord(c), coord(p)) < 0.0
    }

    fn push(&mut self, corners: [u32; 3], across: [u32; 3]) {
        self.facets.push(Facet { corners, across, above: Vec::new(), alive: true, asked: 0, visible: false });
    }

    fn first_simplex(&mut self, ids: &[u32], size: f64) -> Result<(), HullError> {
        let farthest = |measure: &dyn Fn(Point3<f64>) -> f64| {
            let mut best = (ids[0], f64::NEG_INFINITY);
            for &v in ids {
                let m = measure(self.at(v));
                if m > best.1 {
                    best = (v, m);
                }
            }
            best
        };
        if ids.len() < 4 {
            return Err(HullError::TooFewPoints { points: ids.len() });
        }
        let (a, _) = farthest(&|p| -p.x);
        let (b, length) = farthest(&|p| (p - self.at(a)).norm());
        if length <= 0.0 {
            return Err(HullError::Coincident);
        }
        let direction = (self.at(b) - self.at(a)) / length;
        let (c, width) = farthest(&|p| (p - self.at(a)).cross(&direction).norm());
        if width <= FLAT * size {
            return Err(HullError::Collinear { width, size });
        }
        let normal = direction.cross(&(self.at(c) - self.at(a))).normalize();
        let (d, thickness) = farthest(&|p| (p - self.at(a)).dot(&normal).abs());
        if thickness <= FLAT * size {
            return Err(HullError::Coplanar { thickness, size });
        }
        let (b, c) = if self.is_above([a, b, c], d) { (c, b) } else { (b, c) };
        self.push([a, b, c], [1, 2, 3]);
        self.push([b, a, d], [0, 3, 2]);
        self.push([c, b, d], [0, 1, 3]);
        self.push([a, c, d], [0, 2, 1]);
        let rest = ids.iter().copied().filter(|v| ![a, b, c, d].contains(v)).collect();
        self.distribute(rest, 0);
        Ok(())
    }

    /// Gives each point to the first facet from number `from` on that it is above; points above none are inside.
    fn distribute(&mut self, orphans: Vec<u32>, from: usize) {
        for p in orphans {
            let found = (from..self.facets.len()).find(|f| self.is_above(self.facets[*f].corners, p));
            if let Some(f) = found {
                self.facets[f].above.push(p);
            }
        }
    }

    /// The point highest above facet `f`, to rounding.
    fn farthest(&self, f: u32) -> Option<u32> {
        let facet = &self.facets[f as usize];
        let [a, b, c] = facet.corners.map(|v| self.at(v));
        let normal: Vector3<f64> = (b - a).cross(&(c - a));
        let height = |v: u32| (self.at(v) - a).dot(&normal);
        let mut best: Option<(u32, f64)> = None;
        for &v in &facet.above {
            let h = height(v);
            if best.is_none_or(|(_, highest)| h > highest) {
                best = Some((v, h));
            }
        }
        best.map(|(v, _)| v)
    }

    /// Replaces the facets that `p` sees, `seed` being one, by the cone from `p` to their rim.
    fn add(&mut self, p: u32, seed: u32) -> Result<(), HullError> {
        self.round += 1;
        let (visible, horizon) = self.horizon(p, seed);
        let first = self.facets.len() as u32;
        let failed = HullError::Numerical { points: self.points.len() };
        for (k, edge) in horizon.iter().enumerate() {
            let id = first + k as u32;
            if self.starts[edge.from as usize].0 == self.round {
                return Err(failed);
            }
            self.starts[edge.from as usize] = (self.round, id);
            self.push([edge.from, edge.to, p], [edge.beyond, 0, 0]);
            let beyond = &mut self.facets[edge.beyond as usize];
            let side =
                (0..3).find(|k| beyond.corners[*k] == edge.to && beyond.corners[(*k + 1) % 3] == edge.from);
            let Some(side) = side else { return Err(failed) };
            beyond.across[side] = id;
        }
        for k in 0..horizon.len() as u32 {
            let (round, next) = self.starts[self.facets[(first + k) as usize].corners[1] as usize];
            if round != self.round {
                return Err(failed);
            }
            self.facets[(first + k) as usize].across[1] = next;
            self.facets[next as usize].across[2] = first + k;
        }
        let mut orphans = Vec::new();
        for f in visible {
            self.facets[f as usize].alive = false;
            orphans
                .extend(std::mem::take(&mut self.facets[f as usize].above).into_iter().filter(|v| *v != p));
        }
        self.distribute(orphans, first as usize);
        Ok(())
    }

    /// The facets visible from `p` and the rim of that region.
    fn horizon(&mut self, p: u32, seed: u32) -> (Vec<u32>, Vec<HorizonEdge>) {
        let mut visible = vec![seed];
        let mut rim = Vec::new();
        let facet = &mut self.facets[seed as usize];
        (facet.asked, facet.visible) = (self.round, true);
        let mut next = 0;
        while next < visible.len() {
            let Facet { corners, across, .. } = self.facets[visible[next] as usize];
            next += 1;
            for k in 0..3 {
                let beyond = across[k];
                if self.facets[beyond as usize].asked != self.round {
                    let sees = self.is_above(self.facets[beyond as usize].corners, p);
                    let facet = &mut self.facets[beyond as usize];
                    (facet.asked, facet.visible) = (self.round, sees);
                    if sees {
                        visible.push(beyond);
                    }
                }
                if !self.facets[beyond as usize].visible {
                    rim.push(HorizonEdge { from: corners[k], to: corners[(k + 1) % 3], beyond });
                }
            }
        }
        (visible, rim)
    }
}
