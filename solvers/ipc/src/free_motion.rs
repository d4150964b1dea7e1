//! Motion of bodies on which nothing acts, and of those that are driven.

use signorini_core::na::{Isometry3, Matrix3, Quaternion, Rotation3, Translation3, UnitQuaternion, Vector3};

use crate::body::{axial, matrix, nearest_rotation};
use crate::joints::{Joint, coordinates};
use crate::world::{DRIVEN, N, World};

/// Entries of z that each driven body has: position of its centre of mass \[m\] and rotation (w, x, y, z) as they are commanded.
pub(crate) const COMMANDED: usize = 7;

/// Times that a driven body counts with the mass of the bodies that hang on it: its lag under their weight is a thousandth of their free fall in a step. More would bring the lag, and with it the speeds that solves are judged by, near round-off.
const HANGING: f64 = 1e3;

/// Largest speed at which a driven body makes up for a lag \[m/s, rad/s\].
const CATCH_UP: f64 = 1.0;

/// Inertia about the centre of mass of a body with the second moment `s` where it has the matrix `a`: tr(W) 1 − W, W = A S Aᵀ \[kg·m²\].
fn inertia(a: &Matrix3<f64>, s: &Matrix3<f64>) -> Matrix3<f64> {
    let w = a * s * a.transpose();
    w.trace() * Matrix3::identity() - w
}

/// Angular momentum about the centre of mass, the axial vector of Ȧ S Aᵀ \[N·m·s\].
fn angular_momentum(rate: &Matrix3<f64>, s: &Matrix3<f64>, a: &Matrix3<f64>) -> Vector3<f64> {
    axial(&(rate * s * a.transpose()))
}

/// Angular velocity at which a body has an angular momentum; zero where it is flat.
fn angular_velocity(momentum: &Vector3<f64>, a: &Matrix3<f64>, s: &Matrix3<f64>) -> Vector3<f64> {
    inertia(a, s).cholesky().map_or_else(Vector3::zeros, |i| i.solve(momentum))
}

/// Ȧ with which a body without load arrives after `dt` \[s\] where its angular momentum L turns it, and its strain goes straight on.
///
/// ```text
/// Ȧ* = (exp(θ) (A₀ + δt E₀) − A₀)/δt,   θ = δt I(exp(θ/2) A₀)⁻¹ L,   Ȧ₀ = [I(A₀)⁻¹ L]ₓ A₀ + E₀
/// ```
pub(crate) fn free_rate(a: &Matrix3<f64>, rate: &Matrix3<f64>, s: &Matrix3<f64>, dt: f64) -> Matrix3<f64> {
    let momentum = angular_momentum(rate, s, a);
    let spin = angular_velocity(&momentum, a, s);
    let strain = rate - spin.cross_matrix() * a;
    let mut turn = dt * spin;
    // A contraction by the part of the turn that differences of moments of inertia make.
    for _ in 0..30 {
        let half = Rotation3::new(0.5 * turn) * a;
        let next = dt * angular_velocity(&momentum, &half, s);
        let done = (next - turn).amax() <= 1e-15;
        turn = next;
        if done {
            break;
        }
    }
    (Rotation3::new(turn) * (a + dt * strain) - a) / dt
}

/// Ȧ at the end of a step to `a1` that began with A and Ȧ as in `from`: the angular momentum that forces left, and the strain of the step.
///
/// ```text
/// L₁ = L₀ + axial((Ȧ − Ȧ*) S A₁ᵀ),   E₁ = (A₁ − R₁ R₀ᵀ A₀)/δt,   R the rotation nearest to A
/// ```
pub(crate) fn end_rate(
    from: [&Matrix3<f64>; 2],
    a1: &Matrix3<f64>,
    s: &Matrix3<f64>,
    dt: f64,
) -> Matrix3<f64> {
    let [a0, rate] = from;
    let pushed = (a1 - a0) / dt - free_rate(a0, rate, s, dt);
    let momentum = angular_momentum(rate, s, a0) + angular_momentum(&pushed, s, a1);
    let strain = strain_rate([a0, a1], dt);
    let turning = momentum - angular_momentum(&strain, s, a1);
    angular_velocity(&turning, a1, s).cross_matrix() * a1 + strain
}

/// Rotation of a step.
pub(crate) fn turn([a0, a1]: [&Matrix3<f64>; 2]) -> Matrix3<f64> {
    nearest_rotation(a1) * nearest_rotation(a0).transpose()
}

/// Change of a matrix over a step less its rotation, per second.
pub(crate) fn strain_rate([a0, a1]: [&Matrix3<f64>; 2], dt: f64) -> Matrix3<f64> {
    (a1 - turn([a0, a1]) * a0) / dt
}

/// Pose of the centre of mass and the axes of a body at its coordinates.
fn frame(q: &[f64]) -> Isometry3<f64> {
    let r = Rotation3::from_matrix_unchecked(nearest_rotation(&matrix(q)));
    let centre = Translation3::new(q[0], q[1], q[2]);
    Isometry3::from_parts(centre, UnitQuaternion::from_rotation_matrix(&r))
}

/// The commanded poses of driven bodies at the start, seven numbers each.
pub(crate) fn commanded_at_start(world: &World, q: &[f64]) -> Vec<f64> {
    let driven = (0..world.bodies.len()).filter(|b| world.bodies[*b].driven);
    let numbers = |b: usize| {
        let pose = frame(coordinates(world, q, b));
        let (p, r) = (pose.translation.vector, pose.rotation);
        [p.x, p.y, p.z, r.w, r.i, r.j, r.k]
    };
    driven.flat_map(numbers).collect()
}

/// Commanded pose of a driven body.
pub(crate) fn commanded(world: &World, z: &[f64], body: usize) -> Option<Isometry3<f64>> {
    let at = COMMANDED * world.driven.get(body).copied().flatten()?;
    let [x, y, t, w, i, j, k] = z.get(at..at + COMMANDED)?.try_into().ok()?;
    let turn = UnitQuaternion::from_quaternion(Quaternion::new(w, i, j, k));
    Some(Isometry3::from_parts(Translation3::new(x, y, t), turn))
}

/// Rate of the coordinates with which a driven body comes to where it is commanded to be at the end of a step of `dt` \[s\]. A lag beyond [`CATCH_UP`] is made up for in the steps after.
pub(crate) fn driven_rate(
    q: &[f64],
    commanded: &Isometry3<f64>,
    [linear, angular]: [Vector3<f64>; 2],
    dt: f64,
) -> [f64; N] {
    let (now, a) = (frame(q), matrix(q));
    let most = CATCH_UP * dt;
    let within = |lag: Vector3<f64>| lag * (most / lag.norm().max(most));
    let way = within(commanded.translation.vector - now.translation.vector);
    let lag = within((commanded.rotation * now.rotation.inverse()).scaled_axis());
    let target = Rotation3::new(dt * angular) * Rotation3::new(lag) * now.rotation.to_rotation_matrix();
    let rate = (target.matrix() - a) / dt;
    std::array::from_fn(|i| if i < 3 { linear[i] + way[i] / dt } else { rate[((i - 3) / 3, (i - 3) % 3)] })
}

/// Mass \[kg\] and second moment \[kg·m²\] that each body counts with: its own, for a driven one a million times its own and [`HANGING`] times those of all that joints hang on it, at their distances at the start.
pub(crate) fn counted(world: &World, joints: &[Joint]) -> Vec<(f64, Matrix3<f64>)> {
    let mut mechanism: Vec<usize> = (0..world.bodies.len()).collect();
    for joint in joints {
        let linked: Vec<usize> =
            joint.linked(joints).into_iter().filter(|b| !world.bodies[*b].fixed).collect();
        for pair in linked.windows(2) {
            let (low, high) =
                (mechanism[pair[0]].min(mechanism[pair[1]]), mechanism[pair[0]].max(mechanism[pair[1]]));
            mechanism.iter_mut().filter(|m| **m == high).for_each(|m| *m = low);
        }
    }
    let centre = |b: usize| Vector3::from_column_slice(&world.held_coordinates[b][..3]);
    let of = |b: usize| {
        let body = &world.bodies[b];
        if !body.driven {
            return (body.mass, body.second_moment);
        }
        let (mut mass, mut moment) = (DRIVEN * body.mass, DRIVEN * body.second_moment);
        let others = (0..world.bodies.len()).filter(|o| *o != b && mechanism[*o] == mechanism[b]);
        for o in others.filter(|o| !world.bodies[*o].fixed) {
            let other = &world.bodies[o];
            mass += HANGING * other.mass;
            // Half of an upper bound of the moment of inertia about the driven body's centre, which is that of twice this multiple of 1.
            let arm = (centre(o) - centre(b)).norm_squared();
            moment += 0.5 * HANGING * (other.mass * arm + other.second_moment.trace()) * Matrix3::identity();
        }
        (mass, moment)
    };
    (0..world.bodies.len()).map(of).collect()
}
