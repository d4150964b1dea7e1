use std::sync::Arc;

use signorini_core::na::Vector3;

use crate::{ConvexMesh, HeightField, TriangleMesh};

/// A shape in its own frame. Lengths in metres; axes of revolution along local z.
#[derive(Clone, Debug)]
pub enum Shape {
    /// Ball about the origin; `radius` > 0 \[m\].
    Sphere {
        /// Radius \[m\].
        radius: f64,
    },
    /// Cuboid about the origin.
    Box {
        /// Half edge lengths \[m\], 3, each > 0.
        half_extents: Vector3<f64>,
    },
    /// Segment from −half_length to +half_length on z, swept by a ball (the caps are not in `half_length`).
    Capsule {
        /// Radius \[m\].
        radius: f64,
        /// Half length of the segment \[m\].
        half_length: f64,
    },
    /// Solid circular cylinder, |z| ≤ half_length.
    Cylinder {
        /// Radius \[m\].
        radius: f64,
        /// Half height \[m\].
        half_length: f64,
    },
    /// x²/a² + y²/b² + z²/c² ≤ 1.
    Ellipsoid {
        /// Semi-axes a, b, c \[m\], 3.
        semi_axes: Vector3<f64>,
    },
    /// All points with local z ≤ 0; outward normal +z. Has no volume or inertia.
    HalfSpace,
    /// Solid below a grid of heights.
    HeightField(Arc<HeightField>),
    /// Convex hull of a vertex set.
    Convex(Arc<ConvexMesh>),
    /// The triangle surface itself (two-sided distances are not defined: outward by winding).
    Mesh(Arc<TriangleMesh>),
}

impl Shape {
    /// Name of the kind of shape.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Sphere { .. } => "sphere",
            Self::Box { .. } => "box",
            Self::Capsule { .. } => "capsule",
            Self::Cylinder { .. } => "cylinder",
            Self::Ellipsoid { .. } => "ellipsoid",
            Self::HalfSpace => "half-space",
            Self::HeightField(_) => "height field",
            Self::Convex(_) => "convex hull",
            Self::Mesh(_) => "triangle mesh",
        }
    }

    /// A length of it that is not positive and finite \[m\], if there is one.
    pub fn wrong_size(&self) -> Option<f64> {
        let sizes: &[f64] = match self {
            Self::Sphere { radius } => &[*radius],
            Self::Box { half_extents: h } | Self::Ellipsoid { semi_axes: h } => h.as_slice(),
            Self::Capsule { radius, half_length } | Self::Cylinder { radius, half_length } => {
                &[*radius, *half_length]
            }
            Self::HeightField(h) => &[h.half_extents[0], h.half_extents[1], h.base],
            Self::HalfSpace | Self::Convex(_) | Self::Mesh(_) => &[],
        };
        sizes.iter().copied().find(|s| !(*s > 0.0 && s.is_finite()))
    }
}
