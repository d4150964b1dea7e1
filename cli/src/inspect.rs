use std::error::Error;
use std::path::PathBuf;

use clap::Args;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use signorini_core::Shown;
use signorini_core::na::{Point3, Vector3};
use signorini_multibody::{CollidingPair, Dynamics, Kinematics, Model, TreeFactor};
use signorini_run::Method;
use signorini_run::areas::area_doubts;
use signorini_scene::{ActuatorForce, CombinationRule, GeomShape, NoteKind, Scene, Transmission};

use crate::model::ModelArguments;
use crate::{areas, dual_cone};

/// Arguments of `inspect`.
#[derive(Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub model: ModelArguments,
    /// State to inspect at: a JSON file with `q`, `v`, `tau` and, when in another order than the model's, `joints`; the drawn configuration at rest when left out.
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// Bodies whose Jacobians are printed, separated by commas.
    #[arg(long, value_delimiter = ',', value_name = "BODIES")]
    jacobian: Vec<String>,
    /// Leave out armature, damping, springs and the other terms beyond rigid-body dynamics.
    #[arg(long)]
    strip: bool,
}

impl Arguments {
    /// Fails on options that scene files of material points have no use for.
    pub(crate) fn check_of_points(&self) -> Result<(), String> {
        let given = [
            ("--state", self.state.is_some()),
            ("--json", self.json),
            ("--jacobian", !self.jacobian.is_empty()),
            ("--strip", self.strip),
        ];
        match given.iter().find(|g| g.1) {
            Some((name, _)) => Err(format!(
                "{name}: a scene file of material points is checked and told about in words; leave it out, or inspect the `model` that the file names"
            )),
            None => Ok(()),
        }
    }
}

/// A state; positions and velocities in the order of `joints`, or of the model. The other keys of a printed configuration may stand beside
/// them, so that a printed configuration can be read again.
#[derive(Deserialize, Default)]
struct StateFile {
    /// Joints in the order in which the numbers are given.
    #[serde(default)]
    joints: Vec<JointName>,
    #[serde(default)]
    q: Vec<f64>,
    #[serde(default)]
    v: Vec<f64>,
    #[serde(default)]
    tau: Vec<f64>,
}

/// A joint as a state file names it.
#[derive(Deserialize)]
#[serde(untagged)]
enum JointName {
    Name(String),
    Printed { name: String },
}

impl JointName {
    fn name(&self) -> &str {
        let (Self::Name(name) | Self::Printed { name }) = self;
        name
    }
}

/// Says how many numbers `what` needs and in which order.
fn wrong_length(
    what: &str,
    found: usize,
    expected: usize,
    model: &Model,
    joints: impl Iterator<Item = usize>,
) -> String {
    use signorini_scene::JointKind::{Ball, Free, Hinge, Slide};
    let order: Vec<String> = joints
        .map(|j| {
            let j = &model.joints[j];
            let parts = match (j.kind, what == "q") {
                (Free, true) => " (x y z qw qx qy qz)",
                (Free, false) => " (vx vy vz wx wy wz)",
                (Ball, true) => " (qw qx qy qz)",
                (Ball, false) => " (wx wy wz)",
                (Hinge | Slide, _) => "",
            };
            format!("{}{parts}", j.name)
        })
        .collect();
    let order = if order.is_empty() { "no joint".into() } else { order.join(", ") };
    format!(
        "{what} has {found} entries and needs {expected}, in the order: {order}; `joints` may name another order"
    )
}

/// Keys of a configuration beside those of a state.
const PRINTED: [&str; 15] = [
    "bodies",
    "mass_matrix",
    "bias",
    "gravity_force",
    "qdd",
    "com",
    "com_velocity",
    "angular_momentum_about_com",
    "kinetic_energy",
    "potential_energy",
    "total_energy",
    "jacobians",
    "condition_number_M",
    "residual_M_qdd_plus_bias_minus_tau",
    "contact_over_areas",
];

impl StateFile {
    fn read(text: &str) -> Result<Self, Box<dyn Error>> {
        let value: Map<String, Value> = serde_json::from_str(text)?;
        let known = |k: &str| {
            ["q", "v", "tau", "joints", "engine_qacc_rel_diff"].contains(&k) || PRINTED.contains(&k)
        };
        if let Some(k) = value.keys().find(|k| !known(k)) {
            return Err(format!("unknown key '{k}'; a state has q, v, tau and joints").into());
        }
        Ok(serde_json::from_value(Value::Object(value))?)
    }

    /// Brings the numbers into the order of the model.
    fn reorder(&mut self, model: &Model) -> Result<(), Box<dyn Error>> {
        if self.joints.is_empty() {
            return Ok(());
        }
        let (mut q, mut v) = (Vec::new(), Vec::new());
        for name in self.joints.iter().map(JointName::name) {
            let j = model.joint(name).ok_or_else(|| {
                let known: Vec<_> = model.joints.iter().map(|j| j.name.as_str()).collect();
                format!("joints: no joint '{name}'; the model has: {}", known.join(", "))
            })?;
            let j = &model.joints[j];
            q.extend(j.q..j.q + j.kind.nq());
            v.extend(j.v..j.v + j.kind.nv());
        }
        for (what, order, x) in [("q", &q, &mut self.q), ("v", &v, &mut self.v), ("tau", &v, &mut self.tau)] {
            if x.is_empty() {
                continue;
            }
            if x.len() != order.len() {
                let found = x.len();
                let given = self.joints.iter().filter_map(|j| model.joint(j.name()));
                return Err(wrong_length(what, found, order.len(), model, given).into());
            }
            let nothing = if what == "q" { model.reference_q.clone() } else { vec![0.0; model.nv()] };
            let given = std::mem::replace(x, nothing);
            order.iter().zip(given).for_each(|(&i, value)| x[i] = value);
        }
        Ok(())
    }
}

pub(crate) fn run(a: &Arguments) -> Result<bool, Box<dyn Error>> {
    let mut scene = a.model.load()?;
    if a.strip {
        strip(&mut scene);
    }
    let mut state = match &a.state {
        Some(path) => {
            let name = path.display();
            let text = std::fs::read_to_string(path).map_err(|e| format!("{name}: {e}"))?;
            StateFile::read(&text).map_err(|e| format!("{name}: expected an object with q, v, tau: {e}"))?
        }
        None => StateFile::default(),
    };
    let model = Model::new(&scene)?;
    state.reorder(&model)?;
    if state.q.is_empty() {
        state.q.clone_from(&model.reference_q);
    }
    if state.v.is_empty() {
        state.v = vec![0.0; model.nv()];
    }
    if state.tau.is_empty() {
        state.tau = vec![0.0; model.nv()];
    }
    for (what, x, n) in
        [("q", &state.q, model.nq), ("v", &state.v, model.nv()), ("tau", &state.tau, model.nv())]
    {
        if x.len() != n {
            return Err(wrong_length(what, x.len(), n, &model, 0..model.joints.len()).into());
        }
    }
    model.check_state(&state.q, &state.v)?;
    signorini_core::check_finite("tau", &state.tau)?;
    model.normalize(&mut state.q);
    if a.json {
        say!("{}", serde_json::to_string_pretty(&configuration(&scene, &model, &state, &a.jacobian)?)?);
    } else {
        describe(&scene, &model)?;
    }
    Ok(true)
}

/// Removes the terms that the equation M q̈ + c = τ of rigid bodies alone does not have.
fn strip(scene: &mut Scene) {
    for j in &mut scene.joints {
        (j.armature, j.damping, j.stiffness, j.dry_friction, j.range) = (0.0, 0.0, 0.0, 0.0, None);
    }
    for b in &mut scene.bodies {
        b.gravity_compensation = 0.0;
    }
    scene.tendons.clear();
    scene.actuators.clear();
    scene.equalities.clear();
    scene.sensors.clear();
    scene.options.switches.contact = false;
}

fn list(v: &Vector3<f64>) -> Value {
    json!([v.x, v.y, v.z])
}

/// One configuration with the keys of the dynamics reference files.
fn configuration(
    scene: &Scene,
    model: &Model,
    s: &StateFile,
    jacobians: &[String],
) -> Result<Value, Box<dyn Error>> {
    let nv = model.nv();
    let mut kin = Kinematics::new(model);
    kin.set_positions(model, &s.q, &model.mocap_poses);
    kin.set_velocities(model, &s.v);
    let mut dynamics = Dynamics::new(model);
    let mut mass = vec![vec![0.0; nv]; nv];
    let mut factor = TreeFactor::new(model);
    dynamics.mass_matrix(model, &kin, |i, j, m| {
        mass[i][j] = m;
        mass[j][i] = m;
        factor.set(i, j, m);
    });
    factor.factor().map_err(|dof| format!("the mass matrix is singular at degree of freedom {dof}"))?;
    let mut bias = vec![0.0; nv];
    dynamics.inverse_dynamics(model, &kin, &model.gravity, None, &mut bias);
    let mut qdd: Vec<f64> = s.tau.iter().zip(&bias).map(|(t, b)| t - b).collect();
    factor.solve_in_place(&mut qdd);
    let mut still = Kinematics::new(model);
    still.set_positions(model, &s.q, &model.mocap_poses);
    still.set_velocities(model, &vec![0.0; nv]);
    let mut gravity = vec![0.0; nv];
    dynamics.inverse_dynamics(model, &still, &model.gravity, None, &mut gravity);
    let mut bodies = Map::new();
    let mjcf = scene.files.first().is_some_and(|f| f.extension().is_some_and(|e| e == "xml" || e == "mjcf"));
    for (b, body) in model.bodies.iter().enumerate() {
        let x = &kin.x_wb[b];
        let (p, r) = (x.translation.vector, x.rotation);
        // A body without mass has no centre of mass. MuJoCo reports its offset in the parent as if it were one in the body.
        let com = match body.mass > 0.0 || !mjcf {
            true => kin.com(model, b),
            false => *x * Point3::from(body.pose.translation.vector),
        };
        bodies.insert(
            body.name.clone(),
            json!({
                "pos": list(&p), "quat_wxyz": [r.w, r.i, r.j, r.k], "com": list(&com.coords),
                "angular_velocity": list(&kin.twist[b].angular),
                "linear_velocity": list(&kin.point_velocity(model, b, &Point3::from(p))),
            }),
        );
    }
    let mut blocks = Map::new();
    for name in jacobians {
        let b = scene.body(name).ok_or_else(|| format!("--jacobian {name}: the model has no such body"))?;
        let (linear, angular) = kin.jacobian(model, b, &kin.x_wb[b].translation.vector.into());
        let rows =
            |j: &[f64]| (0..3).map(|r| (0..nv).map(|c| j[3 * c + r]).collect()).collect::<Vec<Vec<f64>>>();
        blocks.insert(name.clone(), json!({"linear": rows(&linear), "angular": rows(&angular)}));
    }
    let m = Dynamics::momentum(model, &kin);
    let (kinetic, potential) =
        (Dynamics::kinetic_energy(model, &kin), Dynamics::gravity_energy(model, &kin, &model.gravity));
    let joint = |j: &signorini_multibody::JointModel| {
        json!({"name": j.name, "type": format!("{:?}", j.kind).to_lowercase(),
            "body": model.bodies[j.body].name, "q_index": j.q, "v_index": j.v, "range": j.range})
    };
    let joints: Vec<Value> = model.joints.iter().map(joint).collect();
    let mut out = json!({
        "joints": joints, "q": s.q, "v": s.v, "tau": s.tau, "bodies": bodies, "mass_matrix": mass, "bias": bias,
        "gravity_force": gravity, "qdd": qdd, "com": list(&m.com.coords), "com_velocity": list(&m.com_velocity),
        "angular_momentum_about_com": list(&m.angular), "kinetic_energy": kinetic,
        "potential_energy": potential, "total_energy": kinetic + potential, "jacobians": blocks,
    });
    if let Some(areas) = areas::json(scene)? {
        out["contact_over_areas"] = areas;
    }
    Ok(out)
}

/// Joint, tendon, site or body that an actuator acts on, by name.
fn target(scene: &Scene, t: &Transmission) -> String {
    match t {
        Transmission::Joint(j) => format!("joint {}", scene.joints[*j].name),
        Transmission::JointInParent(j) => format!("joint {} (parent axes)", scene.joints[*j].name),
        Transmission::Tendon(t) => format!("tendon {}", scene.tendons[*t].name),
        Transmission::Site { site, .. } => format!("site {}", scene.sites[*site].name),
        Transmission::Body(b) => format!("body {}", scene.bodies[*b].name),
        Transmission::SliderCrank { crank, slider, .. } => {
            format!("crank {} of slider {}", scene.sites[*crank].name, scene.sites[*slider].name)
        }
    }
}

/// An affine force law, terms that are zero left out; l is the length, r its rate.
fn force(f: &ActuatorForce) -> String {
    let terms = |c: &[f64; 3]| {
        let named = c.iter().zip(["", " l", " r"]).filter(|(c, _)| **c != 0.0);
        named.map(|(c, x)| format!("{c}{x}")).collect::<Vec<_>>().join(" + ").replace("+ -", "− ")
    };
    let of_muscle = |curves: bool, law: String| if curves { "muscle".to_owned() } else { law };
    let m = f.muscle.unwrap_or_default();
    let gain = of_muscle(m.gain.is_some(), terms(&f.gain));
    let bias = of_muscle(m.bias.is_some(), terms(&f.bias));
    let gain = if gain.contains(' ') { format!("({gain}) a") } else { format!("{gain} a") };
    let damped = f.damping_ratio.map_or(String::new(), |z| format!(", damping ratio {z}"));
    if bias.is_empty() {
        format!("{gain}{damped}")
    } else {
        format!("{gain} + {bias}{damped}").replace("+ -", "− ")
    }
}

/// The model in words.
fn describe(scene: &Scene, model: &Model) -> Result<(), Box<dyn Error>> {
    say!(
        "{}: {} bodies, {} joints, nq {}, nv {}, {} trees, {} geoms, {} actuators, {} equalities, {} tendons, {} sensors, {} keyframes, mass {:.6} kg",
        scene.name,
        scene.bodies.len(),
        scene.joints.len(),
        model.nq,
        model.nv(),
        model.trees.len(),
        scene.geoms.len(),
        scene.actuators.len(),
        scene.equalities.len(),
        scene.tendons.len(),
        scene.sensors.len(),
        scene.keyframes.len(),
        model.total_mass()
    );
    say!("\n{:>4} {:<32} {:<28} {:>10}  joints", "body", "name", "parent", "mass kg");
    for (b, body) in model.bodies.iter().enumerate() {
        let joints = model.joints[body.joints.clone()].iter().map(|j| {
            let range = j.range.map_or(String::new(), |[a, b]| format!(" [{a:.3}, {b:.3}]"));
            format!("{} ({:?}{range})", j.name, j.kind)
        });
        let joints = joints.collect::<Vec<_>>().join(", ");
        say!("{b:>4} {:<32} {:<28} {:>10.4}  {joints}", body.name, model.bodies[body.parent].name, body.mass);
    }
    if !scene.actuators.is_empty() {
        say!("\nactuators");
        say!(
            "  {:<28} {:<28} {:<44} {:<22} force range",
            "name",
            "acts on",
            "force, a its activation",
            "control range"
        );
        for a in &scene.actuators {
            let range = |r: Option<[f64; 2]>| r.map_or("unlimited".into(), |[a, b]| format!("[{a}, {b}]"));
            let (target, force) = (target(scene, &a.transmission), force(&a.force));
            let (control, limits) = (range(a.control_range), range(a.force_range));
            say!("  {:<28} {target:<28} {force:<44} {control:<22} {limits}", a.name);
        }
    }
    let c = &scene.options.contact;
    say!(
        "\ncontact: surfaces combine {}; where a surface states nothing: stiffness {:e} N/m, dissipation {} s/m, stiction speed {:e} m/s",
        match scene.options.combination {
            CombinationRule::Mujoco => "by MuJoCo's rules",
            CombinationRule::Series => "in series",
        },
        c.stiffness,
        c.dissipation,
        c.stiction_speed
    );
    say!(
        "  lagged, similar, sap and frictionless read stiffness k, dissipation d, relaxation time τ and friction; where the file states solref, k, τ and impedance I follow from it, from solimp and from the masses, as at touch here."
    );
    say!(
        "  dual_cone (comfree) reads friction and condim, and solimp with gains of the step (--gains) or physical ones (--accuracy); by default it undoes a part of each penetration, whatever solimp says."
    );
    if let Some(note) = dual_cone::cones(scene) {
        say!("  {note}");
    }
    let sys = Method::default().system(scene)?;
    let mut groups: Vec<(CollidingPair, usize)> = Vec::new();
    for p in sys.contact_pairs() {
        let alike = |g: &CollidingPair| {
            g.material == p.material
                && g.margin == p.margin
                && areas::meeting(scene, g) == areas::meeting(scene, &p)
        };
        match groups.iter_mut().find(|g| alike(&g.0)) {
            Some(g) => g.1 += 1,
            None => groups.push((p, 1)),
        }
    }
    let all: usize = groups.iter().map(|g| g.1).sum();
    say!("  {all} pairs of geoms can collide; their contacts:");
    for (p, n) in &groups {
        let m = &p.material;
        let [a, b] = p.geoms.map(|g| &scene.geoms[g].name);
        let how = areas::meeting(scene, p);
        if p.meeting.is_area() {
            let (d, mu) = (Shown(m.dissipation), [m.friction_static, m.friction_dynamic].map(Shown));
            let text = format!("d {d} s/m, friction {}/{}, condim {}", mu[0], mu[1], m.condim);
            say!("  {n:>6} pairs, such as {a} – {b}: {how}: {text}");
            continue;
        }
        let text = format!(
            "k {:.4e} N/m, d {} s/m, τ {:.4} s, I {:.4}, friction {}/{}, torsional {} m, rolling {} m, condim {}, solref {:?}, solimp {:?}, margin {} m",
            m.stiffness,
            m.dissipation,
            m.relaxation_time,
            m.impedance,
            m.friction_static,
            m.friction_dynamic,
            m.friction_torsional,
            m.friction_rolling,
            m.condim,
            m.solref,
            m.solimp,
            p.margin
        );
        say!("  {n:>6} pairs, such as {a} – {b}: {how}{text}");
    }
    if groups.iter().any(|g| g.0.material.condim > 3) {
        say!(
            "  torsional friction (condim 4) and rolling friction (condim 6) are not used by lagged, similar and sap: take --solver comfree, whose dual cone has them."
        );
    }
    let missing = scene.geoms.iter().filter(|g| matches!(g.shape, GeomShape::MissingMesh(_))).count();
    if missing > 0 {
        say!("  {missing} geoms have no mesh and do not collide");
    }
    areas::lines(scene).iter().for_each(|line| say!("  {line}"));
    area_doubts(scene).iter().for_each(|note| say!("  {note}"));
    say!("\n{} notes", scene.notes.len());
    for kind in [NoteKind::Warning, NoteKind::Unknown, NoteKind::Converted, NoteKind::Visual] {
        for n in scene.notes.iter().filter(|n| n.kind == kind) {
            say!("  {kind:?}: {}: {}", n.place, n.text);
        }
    }
    Ok(())
}
