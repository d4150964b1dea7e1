//! Vertex–triangle and edge–edge pairs: distances with derivatives, the mollifier of near-parallel edges, the time at which they touch.

mod ccd;
mod crossing;
mod distance;
mod mollifier;
mod projection;

pub use ccd::{Ccd, Impact};
pub use crossing::segment_crosses_triangle;
pub use distance::StencilDistance;
pub use mollifier::Mollifier;
pub use projection::{StencilCurvature, StencilVector};

use signorini_core::na::Vector3;

/// Four points that may touch: a vertex and a triangle, or two edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stencil {
    /// A vertex p and a triangle t₀ t₁ t₂, in this order.
    PointTriangle,
    /// Two edges a₀ a₁ and b₀ b₁, in this order.
    EdgeEdge,
}

impl Stencil {
    /// Distance of four points in this stencil's order, world \[m\].
    pub fn distance(self, x: &[Vector3<f64>; 4]) -> StencilDistance {
        match self {
            Self::PointTriangle => distance::point_triangle(x),
            Self::EdgeEdge => distance::edge_edge(x),
        }
    }
}
