//! Corners of a surface at nearly the height of a critical one.
//!
//! A body that leans by 10⁻⁵ rad on a ring of corners has one that is critical, and comes down on the others within the next step.

use signorini_core::na::Vector3;

use super::critical::{Critical, Part};
use super::patch::FACING;
use super::triangles::Surface;
use crate::mesh_links::MeshLinks;

type V = Vector3<f64>;

/// Corners of a mesh that edges near the tangent plane join to critical ones.
#[derive(Default)]
pub(super) struct LevelCorners {
    list: Vec<u32>,
    /// By vertex.
    marked: Vec<bool>,
}

impl LevelCorners {
    /// Forgets all.
    pub(super) fn clear(&mut self) {
        let Self { list, marked } = self;
        list.drain(..).for_each(|v| marked[v as usize] = false);
    }

    /// Adds those about the corner of `surface`, the second or first one of `c`, that is critical to a face, along the unit vector `d` out of the surface; those less than `most` behind it \[m\].
    pub(super) fn spread(
        &mut self,
        surface: &Surface<'_>,
        c: &Critical,
        [own, other]: [usize; 2],
        d: &V,
        most: f64,
    ) {
        let (Surface::Mesh(mesh), Part::Corner(k), Part::Face) = (surface, c.parts[own], c.parts[other])
        else {
            return;
        };
        let links = mesh.links();
        self.marked.resize(self.marked.len().max(links.points().len()), false);
        let first = links.vertex(c.triangles[own], k);
        if self.marked[first as usize] {
            return;
        }
        let top = d.dot(&links.points()[first as usize]);
        let mut next = self.list.len();
        self.push(first);
        while let Some(v) = self.list.get(next).copied() {
            next += 1;
            let p = links.points()[v as usize];
            links.beside(v, |w| {
                let e = links.points()[w as usize] - p;
                let near = d.dot(&e).abs() <= FACING * e.norm() && top - d.dot(&(p + e)) < most;
                if near && !self.marked[w as usize] {
                    self.push(w);
                }
            });
        }
    }

    fn push(&mut self, v: u32) {
        self.marked[v as usize] = true;
        self.list.push(v);
    }

    /// Whether triangle `j` of the surface has one of them.
    pub(super) fn are_of(&self, surface: &Surface<'_>, j: u32) -> bool {
        let has = |links: &MeshLinks| (0..3).any(|k| self.marked[links.vertex(j, k) as usize]);
        !self.list.is_empty() && matches!(surface, Surface::Mesh(m) if has(m.links()))
    }
}
