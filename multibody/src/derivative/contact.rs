use signorini_core::na::{DMatrix, Matrix3, Vector3};
use signorini_core::{BlockDiagonal, ContactGeometry, FrozenMap, Inertia};
use signorini_geometry::Shape;
use signorini_laws::{ContactTangent, SideTangent};
use signorini_scene::Pose;

use super::DerivativeError;
use super::motion::{MotionTangent, MovedPoint};
use super::surface::{Surface, Touch, TouchTangent, frame_tangent};
use crate::contact::found::FoundContact;
use crate::{Kinematics, Model};

/// A contact as the derivative needs it, the same for all directions.
pub(super) struct Contact {
    found: FoundContact,
    surfaces: [Surface; 2],
    frame: Matrix3<f64>,
}

impl Contact {
    /// `shapes` are those of both geoms with their poses in the world.
    pub(super) fn new(
        found: FoundContact,
        shapes: [(&Shape, Pose, &str); 2],
    ) -> Result<Self, DerivativeError> {
        let plane = |s: usize| matches!(shapes[s].0, Shape::HalfSpace);
        let normal = found.point.normal;
        let surface = |s: usize, p, m: Vector3<f64>| {
            let (shape, pose, name) = &shapes[s];
            Surface::new(shape, pose, p, &m, plane(1 - s)).ok_or_else(|| DerivativeError::Unsupported {
                what: format!("contact of geom '{name}' ({})", shape.name()),
                remedy: "use spheres, capsules, ellipsoids, boxes, convex meshes or half-spaces",
            })
        };
        let surfaces = [surface(0, &found.point.p_a, normal)?, surface(1, &found.point.p_b, -normal)?];
        Ok(Self { frame: ContactGeometry::frame(&normal), found, surfaces })
    }

    /// Change of gap, normal and witnesses.
    fn touch(
        &self,
        model: &Model,
        kin: &Kinematics,
        t: &MotionTangent,
    ) -> Result<TouchTangent, DerivativeError> {
        let c = &self.found;
        let moved =
            [(0, &c.point.p_a), (1, &c.point.p_b)].map(|(s, p)| t.of_point(model, kin, c.bodies[s], p));
        let touch = Touch {
            surfaces: [&self.surfaces[0], &self.surfaces[1]],
            normal: c.point.normal,
            gap: c.point.gap,
            shift: moved.map(|m| m.0),
            turn: moved.map(|m| m.1),
        };
        touch.tangent().ok_or(DerivativeError::Parallel { geoms: c.geoms })
    }

    /// Change of the gap and of the D × nv Jacobian.
    pub(super) fn tangent(
        &self,
        model: &Model,
        kin: &Kinematics,
        t: &MotionTangent,
        dim: usize,
    ) -> Result<(f64, DMatrix<f64>), DerivativeError> {
        let touch = self.touch(model, kin, t)?;
        let c = &self.found;
        let [a, b] = touch.witness;
        let between = c.weight_a * a + (1.0 - c.weight_a) * b;
        let moved = if c.apart { [a, b] } else { [between; 2] };
        let d_frame = frame_tangent(&self.frame, &touch.normal);
        let mut d_jac = DMatrix::zeros(dim, model.nv());
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let body = c.bodies[side];
            let mut add = |dof: usize, frame: &Matrix3<f64>, linear: Vector3<f64>, angular: Vector3<f64>| {
                for r in 0..dim {
                    let motion = if r < 3 { &linear } else { &angular };
                    d_jac[(r, dof)] += sign * frame.column(r % 3).dot(motion);
                }
            };
            let p = c.point_of(side);
            kin.for_columns(model, body, p, |dof, l, a| add(dof, &d_frame, l, a));
            t.for_columns(model, kin, body, MovedPoint { p, dp: &moved[side] }, |dof, l, a| {
                add(dof, &self.frame, l, a)
            });
        }
        Ok((touch.gap, d_jac))
    }
}

/// Change of the Delassus blocks of constraint `k` on both sides when its rows change by `d_jac` (D × nv) and the inertia by `d_inertia` (nv × nv).
pub(super) fn side_tangents(
    inertia: &BlockDiagonal,
    map: &FrozenMap,
    k: usize,
    d_jac: &DMatrix<f64>,
    d_inertia: &DMatrix<f64>,
) -> [SideTangent; 2] {
    let starts = inertia.block_starts();
    let (_, dim) = map.rows_of(k);
    let mut out = [SideTangent::default(); 2];
    for (i, (b, block)) in map.entries(k).enumerate() {
        let (from, n) = (starts[b], starts[b + 1] - starts[b]);
        // Y = A⁻¹ Jᵀ of this block.
        let mut y = DMatrix::from_column_slice(dim, n, &block).transpose();
        for mut column in y.column_iter_mut() {
            let mut x: Vec<f64> = column.iter().copied().collect();
            inertia.solve_block(b, &mut x);
            column.copy_from_slice(&x);
        }
        let half = d_jac.columns(from, n) * &y;
        let w = &half + half.transpose() - y.transpose() * d_inertia.view((from, from), (n, n)) * &y;
        let at = |i: usize, j: usize| if i < dim && j < dim { w[(i, j)] } else { 0.0 };
        let side = &mut out[i.min(1)];
        side.linear += match dim {
            1 => Matrix3::from_diagonal_element(at(0, 0)),
            _ => Matrix3::from_fn(at),
        };
        side.angular += Matrix3::from_fn(|i, j| at(i + 3, j + 3));
        side.coupling += Vector3::from_fn(|i, _| at(0, i + 3));
    }
    out
}

/// The seed's tangent.
pub(super) fn seed_tangent(gap: f64, velocity: Vector3<f64>, sides: [SideTangent; 2]) -> ContactTangent {
    ContactTangent { gap, velocity, sides }
}
