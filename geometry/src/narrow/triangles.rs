//! Surfaces of triangles: meshes and height fields.

use signorini_core::na::Vector3;

use super::core::{Core, unit};
use super::face::{EDGE, FACE};
use crate::{Aabb, HeightField, Shape, TriangleMesh};

type V = Vector3<f64>;

/// A surface made of triangles.
#[derive(Clone, Copy)]
pub(super) enum Surface<'a> {
    Mesh(&'a TriangleMesh),
    /// Solid below: sunken shapes are pushed up.
    Field(&'a HeightField),
}

impl<'a> Surface<'a> {
    pub(super) fn of(shape: &'a Shape) -> Option<Self> {
        match shape {
            Shape::Mesh(m) => Some(Self::Mesh(m)),
            Shape::HeightField(h) => Some(Self::Field(h)),
            _ => None,
        }
    }

    pub(super) fn near(&self, aabb: &Aabb, out: &mut Vec<u32>) {
        match self {
            Self::Mesh(m) => m.triangles_in_aabb(aabb, out),
            Self::Field(h) => h.triangles_in_aabb(aabb, out),
        }
    }

    pub(super) fn bounds(&self) -> Aabb {
        match self {
            Self::Mesh(m) => m.bvh().bounds(),
            Self::Field(h) => h.aabb(),
        }
    }

    pub(super) fn triangle(&self, i: u32) -> [V; 3] {
        let t = match self {
            Self::Mesh(m) => m.triangle(i as usize),
            Self::Field(h) => h.triangle(i as usize),
        };
        t.map(|p| p.coords)
    }

    /// Calls `visit` with the triangles that share a corner with triangle `i`, and perhaps others near it.
    pub(super) fn touching(&self, i: u32, mut visit: impl FnMut(u32)) {
        match self {
            Self::Mesh(m) => m.links().touching(i, visit),
            Self::Field(h) => {
                let cols = h.cols - 1;
                let (row, col) = (i as usize / 2 / cols, i as usize / 2 % cols);
                for r in row.saturating_sub(1)..=(row + 1).min(h.rows - 2) {
                    for c in col.saturating_sub(1)..=(col + 1).min(cols - 1) {
                        let first = 2 * (r * cols + c) as u32;
                        [first, first + 1].into_iter().filter(|j| *j != i).for_each(&mut visit);
                    }
                }
            }
        }
    }

    /// Triangle `j` with a point within the solid behind it; None for one without area.
    pub(super) fn wedge(&self, j: u32) -> Option<Core<'static>> {
        let t = self.triangle(j);
        let center = (t[0] + t[1] + t[2]) / 3.0;
        let n = unit(&(t[1] - t[0]).cross(&(t[2] - t[0])), 0.0)?;
        Some(Core::Wedge(
            t,
            match self {
                Self::Mesh(m) => center - n * m.links().depth(j),
                Self::Field(h) => V::new(center.x, center.y, 0.5 * (center.z - h.base)),
            },
        ))
    }
}

/// A feature of triangle `i`: corners 0 to 2, edges 3 to 5, the face 6.
pub(super) fn surface_code(i: u32, code: u32) -> u32 {
    let local = match code & (3 << 30) {
        EDGE => 2 + (code >> 15 & 0x7fff) + (code & 0x7fff),
        FACE => 6,
        _ => code & 3,
    };
    FACE | (i << 3 | local) & !(3 << 30)
}
