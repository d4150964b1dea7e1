use signorini_core::na::{Point3, Vector3};

use crate::model::tendon::{BodyPoint, Path, Piece};
use crate::{Kinematics, Model, SparseRow, SparseRows, wrap};

/// Lengths, rates and moment arms of all tendons; no allocation after construction.
#[derive(Clone, Debug)]
pub struct TendonState {
    /// Lengths \[m\].
    pub length: Vec<f64>,
    /// Rates \[m/s\].
    pub rate: Vec<f64>,
    moments: SparseRows,
}

impl TendonState {
    /// Sized for a model.
    pub fn new(model: &Model) -> Self {
        let n = model.tendons.len();
        let moments = SparseRows::new(model.nv(), model.tendons.iter().map(|t| t.dofs.len()));
        Self { length: vec![0.0; n], rate: vec![0.0; n], moments }
    }

    /// Lengths and moment arms ∂length/∂q̇ at the positions of `kin`.
    pub fn set_positions(&mut self, model: &Model, kin: &Kinematics, q: &[f64]) {
        for (i, tendon) in model.tendons.iter().enumerate() {
            self.length[i] = self.moments.set(i, &tendon.dofs, |moment| add_length(model, kin, i, q, moment));
        }
    }

    /// Rates at v; positions first.
    pub fn set_velocities(&mut self, model: &Model, v: &[f64]) {
        for i in 0..model.tendons.len() {
            self.rate[i] = self.row(model, i).dot(v);
        }
    }

    /// Moment arms of a tendon: rate = row · v.
    pub fn row<'a>(&'a self, model: &'a Model, tendon: usize) -> SparseRow<'a> {
        self.moments.row(tendon, &model.tendons[tendon].dofs)
    }
}

/// Length of one tendon; its moment arms are added to `column`.
pub(crate) fn add_length(
    model: &Model,
    kin: &Kinematics,
    tendon: usize,
    q: &[f64],
    column: &mut [f64],
) -> f64 {
    match &model.tendons[tendon].path {
        Path::Fixed(terms) => {
            terms.iter().for_each(|&(_, v, c)| column[v] += c);
            terms.iter().map(|&(at, _, c)| c * q[at]).sum()
        }
        Path::Spatial(pieces) => spatial(model, kin, pieces, column),
    }
}

/// Moment arms of one tendon, added to `column`.
pub(crate) fn add_moment(model: &Model, kin: &Kinematics, tendon: usize, column: &mut [f64]) {
    match &model.tendons[tendon].path {
        Path::Fixed(terms) => terms.iter().for_each(|&(_, v, c)| column[v] += c),
        Path::Spatial(pieces) => {
            spatial(model, kin, pieces, column);
        }
    }
}

/// l̈ of a tendon without wrapped geoms, where `acceleration(body, p)` is that of a material point; a field that is the same everywhere drops
/// out of it.
///
/// ```text
/// l̈ = Σ (u·(a_B − a_A) + (|v|² − (u·v)²)/|d|)/divisor,   d = p_B − p_A,   u = d/|d|,   v = v_B − v_A
/// ```
pub(crate) fn second_rate(
    model: &Model,
    kin: &Kinematics,
    tendon: usize,
    acceleration: impl Fn(usize, &Point3<f64>) -> Vector3<f64>,
) -> f64 {
    let Path::Spatial(pieces) = &model.tendons[tendon].path else { return 0.0 };
    let (mut sum, mut divisor) = (0.0, 1.0);
    let mut last: Option<PathPoint> = None;
    for piece in pieces {
        match piece {
            Piece::Pulley(d) => (divisor, last) = (*d, None),
            Piece::Around { .. } => {}
            Piece::Through(p) => {
                let next = PathPoint { body: p.body, p: world(p, kin) };
                if let Some(from) = last {
                    let d = next.p - from.p;
                    let length = d.norm();
                    if length > 0.0 && model.bodies[from.body].moved_by != model.bodies[next.body].moved_by {
                        let u = d / length;
                        let speed = |x: &PathPoint| kin.point_velocity(model, x.body, &x.p);
                        let v = speed(&next) - speed(&from);
                        let a = acceleration(next.body, &next.p) - acceleration(from.body, &from.p);
                        sum += (u.dot(&a) + (v.norm_squared() - u.dot(&v).powi(2)) / length) / divisor;
                    }
                }
                last = Some(next);
            }
        }
    }
    sum
}

/// A material point in the world.
fn world(p: &BodyPoint, kin: &Kinematics) -> Point3<f64> {
    kin.x_wb[p.body] * p.point
}

/// A point of a path in the world, and the body that it moves with.
#[derive(Clone, Copy)]
struct PathPoint {
    body: usize,
    p: Point3<f64>,
}

/// Adds the derivative of a straight piece divided by `divisor`; returns its length over the divisor.
fn straight(
    model: &Model,
    kin: &Kinematics,
    from: PathPoint,
    to: PathPoint,
    divisor: f64,
    column: &mut [f64],
) -> f64 {
    let (PathPoint { body: body_a, p: a }, PathPoint { body: body_b, p: b }) = (from, to);
    let d = b - a;
    let length = d.norm();
    if length > 0.0 && model.bodies[body_a].moved_by != model.bodies[body_b].moved_by {
        let u: Vector3<f64> = d / (length * divisor);
        kin.for_columns(model, body_b, &b, |i, linear, _| column[i] += u.dot(&linear));
        kin.for_columns(model, body_a, &a, |i, linear, _| column[i] -= u.dot(&linear));
    }
    length / divisor
}

/// Length of a spatial path; its derivative is added to `column`. The path on an obstacle is a geodesic, so that its end points
/// count as material points of the obstacle.
fn spatial(model: &Model, kin: &Kinematics, pieces: &[Piece], column: &mut [f64]) -> f64 {
    let mut length = 0.0;
    let mut divisor = 1.0;
    let mut last: Option<PathPoint> = None;
    let mut pending: Option<&Piece> = None;
    for piece in pieces {
        match piece {
            Piece::Pulley(d) => {
                divisor = *d;
                last = None;
            }
            Piece::Around { .. } => pending = Some(piece),
            Piece::Through(p) => {
                let next = PathPoint { body: p.body, p: world(p, kin) };
                if let Some(from) = last {
                    length += match pending.take() {
                        Some(Piece::Around { body, pose, obstacle, side }) => {
                            let x = kin.x_wb[*body] * pose;
                            let local = |p: &Point3<f64>| x.inverse_transform_point(p);
                            let on = |p| PathPoint { body: *body, p };
                            let side = side.map(|s| local(&world(&s, kin)));
                            match wrap(*obstacle, &local(&from.p), &local(&next.p), side.as_ref()) {
                                Some(w) => {
                                    straight(model, kin, from, on(x * w.first), divisor, column)
                                        + w.length / divisor
                                        + straight(model, kin, on(x * w.last), next, divisor, column)
                                }
                                None => straight(model, kin, from, next, divisor, column),
                            }
                        }
                        _ => straight(model, kin, from, next, divisor, column),
                    };
                }
                last = Some(next);
            }
        }
    }
    length
}
