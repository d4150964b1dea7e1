use signorini_core::na::{Matrix3, Point3, Vector3};
use signorini_core::{AcceptedStep, StepReport};
use signorini_multibody::{ActuatorInput, Dynamics, contact_impulse};
use signorini_run::ComFree;
use signorini_scene::Pose;

use super::data::{Contact, MjData as Data};
use super::error::{fit, within};
use super::fields::quat;
use super::{Model, MujocoError};
use crate::gain_look::check_lane_end;

/// `mj_step`: computes everything at the present state, then advances it by `opt.timestep`. As in MuJoCo, the results are afterwards those of
/// the state before.
///
/// # Errors
/// Arrays of the wrong length, numbers that are not finite, a step that fails. The state is then the one before.
pub fn step(model: &Model, data: &mut Data) -> Result<(), MujocoError> {
    let report = evaluate(model, data)?;
    let e = &mut *data.engine;
    e.report.add_work(&report);
    e.report.add_step(&report);
    e.gains.look_at_loads(
        &e.system,
        e.x0.t,
        e.scheme.last_solve(),
        e.method.as_comfree().and_then(ComFree::recovery),
    );
    e.gains.look_at_depths(&e.sizes, e.x0.t, e.scheme.last_solve().contacts);
    data.time = e.x1.t;
    data.qpos.clone_from(&e.x1.q);
    data.qvel.clone_from(&e.x1.v);
    data.act.clone_from(&e.x1.z);
    std::mem::swap(&mut e.x0, &mut e.x1);
    Ok(())
}

/// `mj_forward`: computes everything at the present state. Accelerations, contact forces and the sensors that depend on them are means over a step of
/// `opt.timestep` from here.
///
/// # Errors
/// As [`step`].
pub fn forward(model: &Model, data: &mut Data) -> Result<(), MujocoError> {
    evaluate(model, data).map(|_| ())
}

fn row_major(r: &Matrix3<f64>) -> [f64; 9] {
    let mut out = [0.0; 9];
    out.copy_from_slice(r.transpose().as_slice());
    out
}

/// Fills the results; the state after the step is left in the engine.
fn evaluate(model: &Model, data: &mut Data) -> Result<StepReport, MujocoError> {
    data.check_lengths(model)?;
    data.refresh(model)?;
    data.take_inputs(model)?;
    places(model, data);
    forces(data)?;
    let e = &mut *data.engine;
    let dt = model.opt.timestep;
    if !(dt > 0.0 && dt.is_finite()) {
        let field = "opt.timestep".to_owned();
        return Err(MujocoError::Value { field, value: dt, remedy: "give a positive step" });
    }
    let report = e.scheme.step(&mut e.system, &e.x0, dt, false, &mut e.x1)?;
    check_lane_end(&e.system, &e.x1, e.x0.t, dt, e.look.is_some())?;
    let rates = e.x1.v.iter().zip(&e.x0.v);
    data.qacc.iter_mut().zip(rates).for_each(|(a, (v1, v0))| *a = (v1 - v0) / dt);
    let (first, last) = (e.scheme.first_solve(), e.scheme.last_solve());
    let accepted = AcceptedStep {
        x0: &e.x0,
        x1: &e.x1,
        report: &report,
        rejected: 0,
        first,
        last,
        system: Some(&e.system),
    };
    let dim = e.system.contact_dim();
    e.sensors.read(e.system.model(), e.system.held(), dim, &e.x0, &accepted);
    data.sensordata.copy_from_slice(e.sensors.values());
    data.contact.clear();
    for c in last.contacts {
        let force = contact_impulse(&last, c, dim).map(|x| x / last.dt);
        let geom = c.geoms.map(|g| g as usize);
        let margin: f64 = geom.iter().map(|g| model.scene().geoms[*g].surface.margin).sum();
        // Contacts that were only looked at because they may close within the step are none of MuJoCo's.
        if c.gap <= margin || force.iter().any(|f| *f != 0.0) {
            let frame = row_major(&c.r_wc.transpose());
            data.contact.push(Contact { dist: c.gap, pos: c.p_wc.coords.into(), frame, geom, dim, force });
        }
    }
    if let Some(look) = &mut e.look {
        look.look(&mut e.gains, &mut e.system, &e.x0, dt, last, None);
    }
    Ok(report)
}

/// Poses and energies at the start.
fn places(model: &Model, data: &mut Data) {
    let e = &mut *data.engine;
    let m = e.system.model();
    e.kin.set_positions(m, &e.x0.q, &e.mocap);
    e.kin.set_velocities(m, &e.x0.v);
    e.tendons.set_positions(m, &e.kin, &e.x0.q);
    e.tendons.set_velocities(m, &e.x0.v);
    e.actuators.set_positions(m, &e.kin, &e.tendons, &e.x0.q);
    e.actuators.set_velocities(m, &e.x0.v);
    for (b, x) in e.kin.x_wb.iter().enumerate() {
        data.xpos[b] = x.translation.vector.into();
        data.xquat[b] = quat(&x.rotation);
        data.xmat[b] = row_major(&e.kin.r_wb[b]);
        data.xipos[b] = e.kin.com(m, b).coords.into();
    }
    let place = |body: usize, pose: &Pose| -> ([f64; 3], [f64; 9]) {
        let x = e.kin.x_wb[body] * pose;
        (x.translation.vector.into(), row_major(x.rotation.to_rotation_matrix().matrix()))
    };
    for (i, g) in m.geoms.iter().enumerate() {
        (data.geom_xpos[i], data.geom_xmat[i]) = place(g.body, &g.pose);
    }
    for (i, s) in m.sites.iter().enumerate() {
        (data.site_xpos[i], data.site_xmat[i]) = place(s.body, &s.pose);
    }
    data.ten_length.copy_from_slice(&e.tendons.length);
    data.actuator_length.copy_from_slice(&e.actuators.length);
    data.actuator_velocity.copy_from_slice(&e.actuators.rate);
    data.energy = [
        Dynamics::gravity_energy(m, &e.kin, &m.gravity) + m.spring_energy(&e.x0.q, &e.tendons),
        Dynamics::kinetic_energy(m, &e.kin) + m.armature_energy(&e.x0.v, &e.tendons),
    ];
    debug_assert_eq!(model.nbody(), data.xpos.len());
}

/// Forces at the start, and those that are applied for the step.
fn forces(data: &mut Data) -> Result<(), MujocoError> {
    let e = &mut *data.engine;
    let m = e.system.model();
    e.dynamics.inverse_dynamics(m, &e.kin, &m.gravity, None, &mut data.qfrc_bias);
    data.qfrc_passive.fill(0.0);
    m.add_spring_forces(&e.x0.q, &e.tendons, &mut data.qfrc_passive);
    m.add_damping_forces(&e.x0.v, &e.tendons, &mut data.qfrc_passive);
    m.add_gravity_compensation(&e.kin, &m.gravity, false, &mut data.qfrc_passive);
    let inputs = ActuatorInput { z: &e.x0.z, control: &data.ctrl, dt: 0.0 };
    m.actuator_forces(&e.kin, &e.actuators, inputs, &mut data.actuator_force, &mut data.qfrc_actuator);
    let mut applied = std::mem::take(&mut e.x1.v);
    applied.clone_from(&data.qfrc_applied);
    for (b, w) in data.xfrc_applied.iter().enumerate().filter(|(_, w)| **w != [0.0; 6]) {
        let (force, torque) = (Vector3::new(w[0], w[1], w[2]), Vector3::new(w[3], w[4], w[5]));
        let com = e.kin.com(m, b);
        e.kin.for_columns(m, b, &com, |i, linear, angular| {
            applied[i] += linear.dot(&force) + angular.dot(&torque);
        });
    }
    e.system.applied_force_mut().copy_from_slice(&applied);
    e.x1.v = applied;
    Ok(())
}

/// `mj_contactForce`: force and torque of a contact in its frame \[N, N·m\].
///
/// # Errors
/// [`MujocoError::Index`].
pub fn contact_force(data: &Data, contact: usize) -> Result<[f64; 6], MujocoError> {
    within("contact", contact, data.contact.len())?;
    Ok(data.contact[contact].force)
}

/// `mj_fullM`: the mass matrix at the state of the last [`step`] or [`forward`], armature included, nv × nv.
pub fn full_m(data: &mut Data) -> Vec<f64> {
    let e = &mut *data.engine;
    let m = e.system.model();
    let nv = m.nv();
    let mut out = vec![0.0; nv * nv];
    e.dynamics.mass_matrix(m, &e.kin, |i, j, x| {
        out[i * nv + j] = x;
        out[j * nv + i] = x;
    });
    out
}

/// `mj_jac`: Jacobians of a point (world \[m\]) of a body, linear and angular, each 3 × nv row-major, at the state of the last [`step`] or [`forward`].
///
/// # Errors
/// [`MujocoError::Index`].
pub fn jac(data: &Data, point: [f64; 3], body: usize) -> Result<[Vec<f64>; 2], MujocoError> {
    let m = data.engine.system.model();
    within("body", body, data.engine.kin.x_wb.len())?;
    let (linear, angular) = data.engine.kin.jacobian(m, body, &Point3::from(point));
    let nv = m.nv();
    let rows = |j: Vec<f64>| (0..3).flat_map(|r| (0..nv).map(move |c| 3 * c + r)).map(|i| j[i]).collect();
    Ok([rows(linear), rows(angular)])
}

/// `mj_jacBody`: [`jac`] of the origin of a body.
///
/// # Errors
/// [`MujocoError::Index`]; [`MujocoError::Length`] for positions that were resized.
pub fn jac_body(data: &Data, body: usize) -> Result<[Vec<f64>; 2], MujocoError> {
    fit("xpos", data.engine.kin.x_wb.len(), data.xpos.len())?;
    within("body", body, data.xpos.len())?;
    jac(data, data.xpos[body], body)
}

/// `mj_jacBodyCom`: [`jac`] of the centre of mass of a body.
///
/// # Errors
/// [`MujocoError::Index`]; [`MujocoError::Length`] for positions that were resized.
pub fn jac_body_com(data: &Data, body: usize) -> Result<[Vec<f64>; 2], MujocoError> {
    fit("xipos", data.engine.kin.x_wb.len(), data.xipos.len())?;
    within("body", body, data.xipos.len())?;
    jac(data, data.xipos[body], body)
}

/// `mj_jacGeom`: [`jac`] of the centre of a geom.
///
/// # Errors
/// [`MujocoError::Index`]; [`MujocoError::Length`] for positions that were resized.
pub fn jac_geom(data: &Data, geom: usize) -> Result<[Vec<f64>; 2], MujocoError> {
    let geoms = &data.engine.system.model().geoms;
    fit("geom_xpos", geoms.len(), data.geom_xpos.len())?;
    within("geom", geom, geoms.len())?;
    jac(data, data.geom_xpos[geom], geoms[geom].body)
}

/// `mj_jacSite`: [`jac`] of a site.
///
/// # Errors
/// [`MujocoError::Index`]; [`MujocoError::Length`] for positions that were resized.
pub fn jac_site(data: &Data, site: usize) -> Result<[Vec<f64>; 2], MujocoError> {
    let sites = &data.engine.system.model().sites;
    fit("site_xpos", sites.len(), data.site_xpos.len())?;
    within("site", site, sites.len())?;
    jac(data, data.site_xpos[site], sites[site].body)
}
