//! Meaning of every setting, field and function of MuJoCo in this module.

use signorini_scene::Scene;

use super::MujocoError;

/// Closeness of a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// As in MuJoCo.
    Same,
    /// Something else, which is said.
    Differs,
    /// Has no effect and needs none: buffers, tolerances of MuJoCo's own solver.
    NoEffect,
    /// An error when the file is read, or no such name here.
    Refused,
}

/// One setting, field or function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Supported {
    /// `option`, `mjModel`, `mjData` or `function`.
    pub place: &'static str,
    /// Names, separated by spaces; for an option `name` or `name=value`.
    pub names: &'static str,
    /// Closeness of the meaning.
    pub meaning: Meaning,
    /// The meaning here, or the remedy.
    pub how: &'static str,
}

const fn row(place: &'static str, names: &'static str, meaning: Meaning, how: &'static str) -> Supported {
    Supported { place, names, meaning, how }
}

use Meaning::{Differs, NoEffect, Refused, Same};

/// All that is known under MuJoCo's names. A name that does not stand here does not exist in this module, or is refused by the reader of files.
///
/// Rows of options are looked through in order; the first that fits a setting decides.
pub const SUPPORTED: &[Supported] = &[
    row("option", "timestep gravity", Same, "`model.opt`, may be changed between steps"),
    row(
        "option",
        "integrator=RK4",
        Refused,
        "there is no Runge–Kutta step with contact here; remove it, or integrate with error control (`signorini_integrators::cenic`)",
    ),
    row(
        "option",
        "integrator",
        Differs,
        "one semi-implicit step whatever it says: joint and tendon damping and stiffness, actuators, limits and equalities are implicit, Coriolis and gyroscopic \
         forces of chains explicit, as `Euler` has them; bodies that float freely, and chains that swing without servos, loops and contact, move as their springs, dampers and dry friction let them, free of drift; closest to `Euler` with implicit damping",
    ),
    row(
        "option",
        "cone",
        Differs,
        "friction is the dual cone with eight tangential directions: more than the four of a pyramid, a polygon in place of an ellipse; coefficients above 5 are taken as 5, with a warning",
    ),
    row("option", "noslip_iterations=0", NoEffect, "off"),
    row(
        "option",
        "noslip_iterations",
        Refused,
        "there is no such post-processing; remove it: contact at rest does not creep with the default method",
    ),
    row("option", "impratio", Differs, "read and not used: the dual cone has no ratio of impedances"),
    row("option", "density=0 viscosity=0", NoEffect, "no medium"),
    row("option", "density viscosity", Refused, "no drag or lift acts here; set it to 0"),
    row("option", "wind", NoEffect, "acts through the medium alone, which is absent"),
    row(
        "option",
        "jacobian solver iterations tolerance ls_iterations ls_tolerance noslip_tolerance ccd_iterations ccd_tolerance mpr_iterations mpr_tolerance \
         sdf_iterations sdf_initpoints sleep_tolerance apirate magnetic",
        NoEffect,
        "of MuJoCo's own solver, collision and magnetometer; contact here is by the `Method` of the model, projected Gauss–Seidel over ComFree's impedance by default",
    ),
    row(
        "option",
        "flag sleep=enable",
        Refused,
        "nothing sleeps here; remove it: bodies at rest stay at rest",
    ),
    row(
        "option",
        "flag passive=disable",
        Refused,
        "disable spring and damper, and remove gravity compensation",
    ),
    row("option", "flag ipc=enable", Refused, "this engine does not solve it; remove the flag"),
    row("option", "flag invdiscrete=enable", Refused, "there is no inverse dynamics under MuJoCo's names"),
    row(
        "option",
        "flag eulerdamp=disable",
        Differs,
        "damping is implicit all the same: stable at any step, equal as the step falls",
    ),
    row("option", "flag sensor=disable", Differs, "sensors are computed all the same"),
    row(
        "option",
        "flag autoreset",
        Differs,
        "a state that is not finite is an error, and the state before is kept",
    ),
    row("option", "flag multiccd", Differs, "patches of up to eight points are always found"),
    row(
        "option",
        "flag energy flag warmstart flag refsafe flag midphase flag nativeccd flag island flag fwdinv flag diagexact flag speculative flag forces \
         flag frictionlossfree flag sleep flag passive flag ipc flag invdiscrete flag eulerdamp flag sensor",
        NoEffect,
        "of MuJoCo's engine; energies are always computed",
    ),
    row(
        "mjModel",
        "nq nv nu na nbody njnt ngeom nsite ntendon neq nsensor nsensordata nkey nmocap",
        Same,
        "methods of `Model`",
    ),
    row(
        "mjModel",
        "body_parentid body_mass body_pos body_quat body_ipos body_mocapid jnt_type jnt_qposadr jnt_dofadr jnt_bodyid jnt_limited jnt_range jnt_stiffness \
         dof_bodyid dof_jntid dof_armature dof_damping dof_frictionloss geom_bodyid geom_friction geom_condim site_bodyid actuator_ctrllimited actuator_ctrlrange \
         actuator_forcerange actuator_gear actuator_gainprm actuator_biasprm sensor_adr sensor_dim qpos0 key_qpos key_qvel key_ctrl",
        Same,
        "methods of `Model` that return arrays; gain and bias have three entries",
    ),
    row(
        "mjModel",
        "body_mass geom_friction dof_damping dof_armature actuator_gainprm actuator_biasprm",
        Differs,
        "written by `set_body_mass`, `set_geom_friction`, `set_jnt_damping`, `set_jnt_armature`, `set_actuator_prm`, which check",
    ),
    row(
        "mjData",
        "time qpos qvel act ctrl qfrc_applied xfrc_applied mocap_pos mocap_quat",
        Same,
        "fields, may be written",
    ),
    row(
        "mjData",
        "xpos xquat xmat xipos geom_xpos geom_xmat site_xpos site_xmat qfrc_bias qfrc_passive qfrc_actuator actuator_force actuator_length actuator_velocity \
         ten_length energy",
        Same,
        "fields",
    ),
    row("mjData", "qacc", Differs, "(v₁ − v₀)/timestep: the mean of the step, contact included"),
    row(
        "mjData",
        "contact",
        Differs,
        "dist, pos, frame, geom, dim, and the force itself; found by this engine, so that a patch may have other points; the order of the two geoms may differ",
    ),
    row(
        "mjData",
        "sensordata",
        Differs,
        "MuJoCo's order and values; accelerations, forces and contacts are means of the step, since impulses are",
    ),
    row(
        "function",
        "mj_loadXML mj_name2id mj_id2name",
        Same,
        "`Model::from_xml_path`, `from_xml_string`, `name2id`, `id2name`, `body(\"x\")`, …",
    ),
    row("function", "mj_resetData mj_resetDataKeyframe", Same, "methods of `Data`"),
    row(
        "function",
        "mj_step mj_forward",
        Differs,
        "`step`, `forward`: contact is that of the model's `Method`",
    ),
    row(
        "function",
        "mj_fullM mj_jac mj_jacBody mj_jacBodyCom mj_jacGeom mj_jacSite mj_contactForce",
        Same,
        "`full_m`, `jac`, …",
    ),
    row(
        "function",
        "mj_getState mj_setState",
        Differs,
        "`Data::state`, `set_state` for `mjSTATE_FULLPHYSICS`; the forces that contacts remember are not part of it and start from nothing: `Data::state_with_memory` has them too",
    ),
    row(
        "function",
        "rollout",
        Differs,
        "threaded, independent of their number, worlds and threads kept by `PersistentRollout`; controls only; contacts start without remembered forces: what rests settles again (18 µm of creep in 100 rollouts chained by their states), what is sensitive goes another way",
    ),
    row(
        "function",
        "mj_step1 mj_step2 mj_inverse mj_saveLastXML mj_ray mjd_transitionFD",
        Refused,
        "do not exist here; a step does not come apart, because actuators are implicit",
    ),
];

/// The names of a row; flags have two words, `flag sleep=enable`.
fn words(names: &str) -> impl Iterator<Item = String> + '_ {
    let mut words = names.split_whitespace();
    std::iter::from_fn(move || match words.next()? {
        "flag" => Some(format!("flag {}", words.next().unwrap_or_default())),
        word => Some(word.to_owned()),
    })
}

/// Whether a row speaks of a setting with a value.
fn speaks_of(names: &str, name: &str, value: &str) -> bool {
    let equal = |wanted: &str| match (wanted.parse::<f64>(), value.parse::<f64>()) {
        (Ok(a), Ok(b)) => a == b,
        _ => wanted == value,
    };
    words(names).any(|word| match word.split_once('=') {
        Some((known, wanted)) => known == name && equal(wanted),
        None => word == name,
    })
}

/// The row of a setting.
fn find(name: &str, value: &str) -> Option<&'static Supported> {
    SUPPORTED.iter().find(|r| r.place == "option" && speaks_of(r.names, name, value))
}

/// Settings of the file that no solver here reads, and the ratio of impedances.
fn settings(scene: &Scene) -> Vec<(String, String)> {
    let mut all = scene.options.unused.clone();
    if scene.options.impedance_ratio != 1.0 {
        all.push(("impratio".to_owned(), scene.options.impedance_ratio.to_string()));
    }
    all
}

/// Fails on a setting that cannot keep its meaning, and on one that no row speaks of.
pub(super) fn check_settings(scene: &Scene) -> Result<(), MujocoError> {
    for (name, value) in settings(scene) {
        let how = match find(&name, &value) {
            Some(r) if r.meaning != Refused => continue,
            Some(r) => r.how,
            None => "it is not known here; remove it",
        };
        return Err(MujocoError::Unsupported { name, value, how });
    }
    Ok(())
}

/// Settings of the scene that mean something else here, with their values.
pub(super) fn differences(scene: &Scene) -> Vec<(&'static Supported, String)> {
    let found =
        settings(scene).into_iter().filter_map(|(n, v)| find(&n, &v).map(|r| (r, format!("{n}=\"{v}\""))));
    found.filter(|(r, _)| r.meaning == Differs).collect()
}

/// The table as Markdown.
pub fn table() -> String {
    let mut out = String::from("| in | names | meaning | here |\n|---|---|---|---|\n");
    for r in SUPPORTED {
        let meaning = match r.meaning {
            Same => "same",
            Differs => "differs",
            NoEffect => "no effect",
            Refused => "refused",
        };
        let names: Vec<String> = words(r.names).map(|n| format!("`{n}`")).collect();
        out += &format!("| {} | {} | {meaning} | {} |\n", r.place, names.join(" "), r.how);
    }
    out
}
