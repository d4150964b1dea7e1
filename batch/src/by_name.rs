//! States and poses by the names of the scene.

use signorini_core::{ObservationError, State, StepError};
use signorini_multibody::Model;
use signorini_scene::{JointKind, Pose};

pub(crate) fn unfit(engine: &str, wanted: String, why: String) -> ObservationError {
    ObservationError::Unfit { engine: engine.to_owned(), wanted, why }
}

/// The state of a keyframe, or without one as drawn.
pub(crate) fn start(
    model: &Model,
    engine: &str,
    keyframe: Option<&str>,
    x: &mut State,
) -> Result<(), ObservationError> {
    let key = match keyframe {
        None => None,
        Some(name) => Some(model.keyframe(name).ok_or_else(|| {
            let known = model.keyframes.iter().map(|k| k.name.as_str());
            ObservationError::unknown(engine, format!("the start '{name}'"), "keyframe", name, known)
        })?),
    };
    let made = model.state_at(key, model.nz);
    *x = made
        .map_err(|e| unfit(engine, format!("the start {}", keyframe.unwrap_or("as drawn")), e.to_string()))?;
    Ok(())
}

/// Writes coordinates and velocities of a joint.
pub(crate) fn set_joint(
    model: &Model,
    engine: &str,
    name: &str,
    q: &[f64],
    v: &[f64],
    x: &mut State,
) -> Result<(), ObservationError> {
    let wanted = format!("joint '{name}'");
    let Some(j) = model.joints.iter().find(|j| j.name == name) else {
        let known = model.joints.iter().map(|j| j.name.as_str());
        return Err(ObservationError::unknown(engine, wanted, "joint", name, known));
    };
    let parts =
        [("positions", q, j.q, j.kind.nq(), model.nq), ("velocities", v, j.v, j.kind.nv(), model.nv())];
    for (what, given, _, n, _) in parts {
        if !given.is_empty() && given.len() != n {
            return Err(unfit(
                engine,
                wanted,
                format!("it has {n} {what}, not {}; give as many, or none", given.len()),
            ));
        }
        if given.iter().any(|x| !x.is_finite()) {
            return Err(unfit(engine, wanted, format!("its {what} are not finite; give numbers that are")));
        }
    }
    let turn = match j.kind {
        JointKind::Free => q.get(3..).unwrap_or_default(),
        JointKind::Ball => q,
        JointKind::Hinge | JointKind::Slide => &[],
    };
    if !turn.is_empty() && turn.iter().map(|x| x * x).sum::<f64>() < 1e-20 {
        return Err(unfit(engine, wanted, "its quaternion is zero; give one with a direction".into()));
    }
    for ((what, given, at, _, total), out) in parts.into_iter().zip([&mut x.q, &mut x.v]) {
        if out.len() != total {
            return Err(unfit(
                engine,
                wanted,
                format!("the state has {} {what}, not {total}; take one of this engine", out.len()),
            ));
        }
        if !given.is_empty() {
            out[at..at + given.len()].copy_from_slice(given);
        }
    }
    model.normalize(&mut x.q);
    x.memory.clear();
    Ok(())
}

/// Fails on a pose that is not finite for a body, and on a lane that is not there.
pub(crate) fn check_pose(
    engine: &str,
    body: &str,
    pose: &Pose,
    lane: Result<(), StepError>,
) -> Result<(), ObservationError> {
    let refused = |why: String| unfit(engine, format!("the mocap body '{body}'"), why);
    lane.map_err(|e| refused(e.to_string()))?;
    let mut numbers = pose.translation.vector.iter().chain(pose.rotation.coords.iter());
    if numbers.all(|x| x.is_finite()) {
        return Ok(());
    }
    Err(refused("its pose is not finite; give seven finite numbers".into()))
}

/// Number of a body among those moved from outside.
pub(crate) fn mocap_body(model: &Model, engine: &str, name: &str) -> Result<usize, ObservationError> {
    let found = model.bodies.iter().find(|b| b.name == name).and_then(|b| b.mocap);
    found.ok_or_else(|| {
        let known = model.bodies.iter().filter(|b| b.mocap.is_some()).map(|b| b.name.as_str());
        ObservationError::unknown(engine, format!("the mocap body '{name}'"), "mocap body", name, known)
    })
}
