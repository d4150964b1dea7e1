//! Convex hulls. [`quickhull`] makes the exact triangulated hull of points in double precision; [`polygons`] merges its
//! nearly coplanar triangles.

pub(crate) mod ascent;
mod polygons;
mod quickhull;

use self::ascent::{Ascent, Rows};
use signorini_core::Shown;
use signorini_core::na::{Point3, Vector3};

use crate::{Aabb, ConvexMesh};

/// Triangles within this fraction of the size of the points from one plane become one face. Above the rounding of
/// single-precision files, far below what contact resolves.
const MERGE: f64 = 2e-7;
/// Points thinner than this fraction of their size, in some direction, have no hull.
const FLAT: f64 = 1e-6;
/// Coordinates smaller than this fraction of the size count as 0, so that exact predicates cannot underflow.
const FLUSH: f64 = 1e-30;
/// Sizes outside these bounds \[m\] are refused for the same reason.
const SMALLEST: f64 = 1e-30;
const LARGEST: f64 = 1e30;

/// Why points have no convex hull.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HullError {
    /// Fewer than four points.
    #[error("a convex hull needs at least 4 points, got {points}")]
    TooFewPoints {
        /// Points given.
        points: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("point {index} of a convex hull is not finite: {value:?}; repair or re-export the mesh")]
    NonFinite {
        /// Index of the point, from 0.
        index: usize,
        /// Coordinates that were given.
        value: [f64; 3],
    },
    /// Sizes that double precision cannot work with.
    #[error(
        "the points of a convex hull span {} m about coordinates up to {} m; between 1e-30 and 1e30 is allowed",
        Shown(*size), Shown(*largest)
    )]
    OutOfRange {
        /// Largest extent \[m\].
        size: f64,
        /// Largest coordinate \[m\].
        largest: f64,
    },
    /// All points coincide.
    #[error("all points of a convex hull coincide; give points that span a volume")]
    Coincident,
    /// All points lie on a line, to 1e-6 of their size.
    #[error(
        "the points of a convex hull lie on a line: {} m wide for a length of {} m; use a capsule or thicken the mesh",
        Shown(*width), Shown(*size)
    )]
    Collinear {
        /// Largest distance from the line \[m\].
        width: f64,
        /// Largest extent \[m\].
        size: f64,
    },
    /// All points lie in a plane, to 1e-6 of their size.
    #[error(
        "the points of a convex hull lie in a plane: {} m thick for a size of {} m; use a thin box or thicken the mesh",
        Shown(*thickness), Shown(*size)
    )]
    Coplanar {
        /// Largest distance from the plane \[m\].
        thickness: f64,
        /// Largest extent \[m\].
        size: f64,
    },
    /// Inconsistent predicates; not known to happen.
    #[error("the convex hull of {points} points failed on rounding; please report the mesh")]
    Numerical {
        /// Points given.
        points: usize,
    },
}

/// A closed triangulated hull: ids of points, outward counter-clockwise.
type Triangles = Vec<[u32; 3]>;

impl ConvexMesh {
    /// The convex hull of `points` \[m\]: vertices in the order of `points`, coplanar triangles (to 2e-7 of the size)
    /// merged into polygons, and vertices dropped that lie within faces or on straight edges to that tolerance. Every
    /// point lies behind every face plane `normals[f]·x = offsets[f]`, up to rounding.
    ///
    /// Orientation tests are exact, so nearly degenerate input is no special case.
    ///
    /// # Errors
    /// A [`HullError`] for fewer than four points, NaN, or points without volume.
    pub fn from_points(points: &[Point3<f64>]) -> Result<Self, HullError> {
        let (points, size) = checked(points)?;
        let all: Vec<u32> = (0..points.len() as u32).collect();
        let mut triangles = quickhull::hull(&points, &all, size)?;
        let mut dropped = Vec::new();
        // Dropping makes new triangles, which may let further vertices be dropped; each round drops at least one.
        let regions = loop {
            let regions = polygons::regions(&points, &triangles, MERGE * size);
            let superfluous = polygons::superfluous(&points, &triangles, &regions, MERGE * size);
            if superfluous.is_empty() {
                break regions;
            }
            let kept = vertices_without(&triangles, &superfluous);
            match quickhull::hull(&points, &kept, size) {
                Ok(next) => triangles = next,
                // the rest has no volume: keep the finer hull
                Err(_) => break regions,
            }
            dropped.extend(superfluous);
        };
        let faces = polygons::merge(&points, &triangles, &regions, MERGE * size);
        let hull = Hull { points: &points, triangles: &triangles, dropped: &dropped };
        hull.assemble(&faces, size)
            .or_else(|| {
                // not convex after all: keep the triangles, which always close up
                let faces: Vec<Vec<u32>> = triangles.iter().map(|t| t.to_vec()).collect();
                hull.assemble(&faces, f64::INFINITY)
            })
            .ok_or(HullError::Numerical { points: points.len() })
    }
}

/// Validates and cleans: tiny coordinates become 0.
fn checked(points: &[Point3<f64>]) -> Result<(Vec<Point3<f64>>, f64), HullError> {
    if let Some(index) = points.iter().position(|p| !p.coords.iter().all(|x| x.is_finite())) {
        return Err(HullError::NonFinite { index, value: points[index].coords.into() });
    }
    if points.len() < 4 {
        return Err(HullError::TooFewPoints { points: points.len() });
    }
    let bounds = Aabb::from_points(points);
    let size = (bounds.max - bounds.min).max();
    let largest = bounds.min.coords.amax().max(bounds.max.coords.amax());
    if size == 0.0 {
        return Err(HullError::Coincident);
    }
    if !(SMALLEST..LARGEST).contains(&size) || largest > LARGEST {
        return Err(HullError::OutOfRange { size, largest });
    }
    let flush = |x: f64| if x.abs() < FLUSH * size { 0.0 } else { x };
    Ok((points.iter().map(|p| p.map(flush)).collect(), size))
}

/// Vertices of `triangles` that are not in `dropped` (sorted), in ascending order.
fn vertices_without(triangles: &Triangles, dropped: &[u32]) -> Vec<u32> {
    let mut kept: Vec<u32> = triangles.iter().flatten().copied().collect();
    kept.sort_unstable();
    kept.dedup();
    kept.retain(|v| dropped.binary_search(v).is_err());
    kept
}

/// A finished triangulated hull and the points on which it was a little larger.
struct Hull<'a> {
    points: &'a [Point3<f64>],
    triangles: &'a Triangles,
    dropped: &'a [u32],
}

impl Hull<'_> {
    /// Renumbers the vertices, brings faces into a canonical order, and fills normals, planes, edges and neighbours. `None`
    /// if the polygons do not close up, or are not flat and convex to a few merge tolerances times `size`.
    fn assemble(&self, loops: &[Vec<u32>], size: f64) -> Option<ConvexMesh> {
        let mut used: Vec<u32> = loops.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        let rank = |v: &u32| used.binary_search(v).map(|r| r as u32).ok();
        let vertices: Vec<Point3<f64>> = used.iter().map(|v| self.points[*v as usize]).collect();
        let mut faces = Vec::with_capacity(loops.len());
        for corners in loops {
            let mut face: Vec<u32> = corners.iter().map(rank).collect::<Option<_>>()?;
            let first = (0..face.len()).min_by_key(|k| face[*k])?;
            face.rotate_left(first);
            faces.push(face);
        }
        faces.sort_unstable();
        let directed = directed_edges(&faces)?;
        let edges: Vec<[u32; 2]> = directed.iter().filter(|[a, b]| a < b).copied().collect();
        if vertices.len() + faces.len() != edges.len() + 2 {
            return None;
        }
        let mut neighbor_start = vec![0u32; vertices.len() + 1];
        for [a, _] in &directed {
            neighbor_start[*a as usize + 1] += 1;
        }
        for i in 0..vertices.len() {
            neighbor_start[i + 1] += neighbor_start[i];
        }
        let neighbors = directed.iter().map(|[_, b]| *b).collect();
        let normals = faces.iter().map(|f| polygons::normal(&vertices, f)).collect::<Option<Vec<_>>>()?;
        let folded = |(f, n): (&Vec<u32>, &Vector3<f64>)| {
            (0..f.len()).any(|k| polygons::is_dented(&vertices, f, k, n, 2.0 * MERGE * size))
        };
        if faces.iter().zip(&normals).any(folded) {
            return None;
        }
        let offsets = self.offsets(&used, &faces, &normals, 10.0 * MERGE * size)?;
        let triangles = self.triangles.iter().map(|[a, b, c]| Some([rank(a)?, rank(b)?, rank(c)?]));
        let ascent = match triangles.collect::<Option<Vec<_>>>() {
            Some(t) => Ascent::new(&vertices, &t, &faces),
            // A corner within a polygon: all vertices are tried.
            None => Ascent::of_loose(&vertices),
        };
        Some(ConvexMesh { vertices, faces, normals, offsets, edges, neighbors, neighbor_start, ascent })
    }

    /// The supporting plane along each normal; `None` if a corner of the face lies below it by more than `flatness`
    /// \[m\].
    fn offsets(
        &self,
        used: &[u32],
        faces: &[Vec<u32>],
        normals: &[Vector3<f64>],
        flatness: f64,
    ) -> Option<Vec<f64>> {
        // On the triangles, whose orientation tests are exact, a local maximum of height is the global one.
        let slope = Rows::of_triangles(self.points.len(), self.triangles);
        let mut offsets = Vec::with_capacity(faces.len());
        for (face, n) in faces.iter().zip(normals) {
            let height = |v: u32| n.dot(&self.points[v as usize].coords);
            let top = slope.climb(self.points, n, used[face[0] as usize]).1;
            let offset = self.dropped.iter().map(|v| height(*v)).fold(top, f64::max);
            let lowest = face.iter().map(|v| height(used[*v as usize])).fold(f64::INFINITY, f64::min);
            if offset - lowest > flatness {
                return None;
            }
            offsets.push(offset);
        }
        Some(offsets)
    }
}

/// All edges in both directions, sorted; `None` unless each runs once each way.
fn directed_edges(faces: &[Vec<u32>]) -> Option<Vec<[u32; 2]>> {
    let around = |f: &Vec<u32>| (0..f.len()).map(|k| [f[k], f[(k + 1) % f.len()]]).collect::<Vec<_>>();
    let mut out: Vec<[u32; 2]> = faces.iter().flat_map(around).collect();
    out.sort_unstable();
    let once = out.windows(2).all(|w| w[0] != w[1]);
    let both = out.iter().all(|[a, b]| out.binary_search(&[*b, *a]).is_ok());
    (once && both).then_some(out)
}
