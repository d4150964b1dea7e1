//! Features that material points take: materials, laws under solvers, shapes as obstacles, asked of the crates themselves.

use std::fmt::Write;

use signorini_core::na::{Isometry3, Matrix3, UnitQuaternion, Vector3};
use signorini_core::{
    ContactMaterial, ContactSolver, LawPool, Slot, SolveError, SolveStatus, StepSolution, System, Tolerance,
};
use signorini_coupling::{Monolithic, obstacles, scene_file_keys};
use signorini_geometry::Shape;
use signorini_icf::IcfSolver;
use signorini_integrators::ContactStep;
use signorini_laws::contact_pool;
use signorini_mpm::{
    Cloth, ClothMaterial, Dilatancy, DruckerPrager, FixedCorotated, InertialFriction, Lame, LinearCorotated,
    Liquid, Material, Maxwell, MpmEngine, MpmOptions, MpmSolver, MpmSystem, Obstacle, Particles, Real, Snow,
    SnowStrength, Viscous, VonMises, sheet,
};
use signorini_multibody::{RigidOptions, RigidSystem};
use signorini_scene::{LoadOptions, Scene};

use super::laws::{by_contact_law, cell};
use super::shapes;
use crate::agreement::{SOLVERS, SWEPT, Solved, Stops, Uncompliant, solver};
use signorini_report::PageError;

const DT: f64 = 1e-3;
const SPACING: f64 = 0.05;

/// A material of a user's own, that has an energy and its stress and nothing else.
struct Own(FixedCorotated);

impl Material for Own {
    fn energy(&self, f: &Matrix3<f64>) -> f64 {
        self.0.energy(f)
    }
    fn stress(&self, f: &Matrix3<f64>) -> Matrix3<f64> {
        self.0.stress(f)
    }
    fn wave_modulus(&self) -> f64 {
        self.0.wave_modulus()
    }
    fn name(&self) -> &'static str {
        "own"
    }
}

/// A block or a sheet that lies on the plane z = 0, its lowest particles a little inside.
#[derive(Default)]
struct Lying {
    particles: Particles,
    materials: Vec<Box<dyn Material>>,
    cloth: Option<Cloth>,
}

impl Lying {
    fn block(material: impl Material + 'static) -> Result<Self, PageError> {
        let mut particles = Particles::default();
        let block = Shape::Box { half_extents: Vector3::repeat(SPACING) };
        particles
            .fill(&block, &Isometry3::translation(0.0, 0.0, 0.7 * SPACING), 0.5 * SPACING, 1000.0, 0)
            .map_err(PageError::from_error)?;
        Ok(Self { particles, materials: vec![Box::new(material)], cloth: None })
    }

    fn sheet() -> Result<Self, PageError> {
        let mut out = Self::default();
        let mesh = sheet([4.0 * SPACING; 2], [8; 2]).map_err(PageError::from_error)?;
        let material = ClothMaterial::new(1e4, 0.3, 1000.0, 1e-3).map_err(PageError::from_error)?;
        let cloth = Cloth::new(&mut out.particles, mesh.vertices(), mesh.triangles(), material);
        out.cloth = Some(cloth.map_err(PageError::from_error)?);
        out.particles.x.iter_mut().for_each(|x| x.z = -1e-3);
        Ok(out)
    }

    fn system(self, obstacles: Vec<Obstacle>, law: Box<dyn LawPool>) -> Result<MpmSystem, PageError> {
        let Self { particles, materials, cloth } = self;
        let system = MpmSystem::new(particles, materials, vec![], obstacles, law, options());
        let system = system.map_err(PageError::from_error)?;
        match cloth {
            Some(c) => system.with_cloth(c).map_err(PageError::from_error),
            None => Ok(system),
        }
    }
}

fn options() -> MpmOptions {
    MpmOptions { spacing: SPACING, ..MpmOptions::default() }
}

fn floor(shape: Shape) -> Obstacle {
    let surface = ContactMaterial { stiffness: 1e4, ..ContactMaterial::default() };
    Obstacle::new("floor", shape, Isometry3::identity(), surface)
}

/// Answer of a solver to the first step.
fn solved(mut system: MpmSystem, solver: &mut dyn ContactSolver) -> Result<String, PageError> {
    let x = system.initial_state();
    system.prepare(Slot::Start, &x, DT).map_err(PageError::from_error)?;
    let (mut guess, mut solution) = (Vec::new(), StepSolution::default());
    system.guess(Slot::Start, &x, &mut guess);
    let problem = system.problem(Slot::Start, DT).map_err(PageError::from_error)?;
    Ok(match solver.solve(problem, &guess, Tolerance::default(), &mut solution) {
        Ok(status) if status.is_complete() && solution.gamma.iter().all(|g| *g == 0.0) => "no contact".into(),
        Ok(SolveStatus::Converged) => "runs".into(),
        Ok(SolveStatus::Evaluated) => "one evaluation".into(),
        Ok(other) => format!("{other:?}"),
        Err(SolveError::Unsupported { .. }) => "refused".into(),
        Err(e) => format!("fails: {e}"),
    })
}

/// The plain path's system of a block under a law, before its first step.
fn block(law: &dyn LawPool) -> Result<MpmSystem, PageError> {
    let lame = Lame::new(1e4, 0.3).map_err(PageError::from_error)?;
    let lying = Lying::block(FixedCorotated(lame))?;
    let mut system = lying.system(vec![floor(Shape::HalfSpace)], law.boxed_empty())?;
    let x = system.initial_state();
    system.prepare(Slot::Start, &x, DT).map_err(PageError::from_error)?;
    Ok(system)
}

/// The deviation of a solver's first step under a contact law from the reference's.
fn agrees(law: &str, by: &str) -> Result<String, PageError> {
    let pool = contact_pool(law).map_err(PageError::from_error)?;
    let mut own = block(&*pool)?;
    let problem = own.problem(Slot::Start, DT).map_err(PageError::from_error)?;
    let mut solver = match by {
        "`MpmSolver`" => Box::new(MpmSolver::default()),
        name => solver(name)?,
    };
    let answer = match Stops::of(law) {
        Some(stops) if by == SWEPT => {
            let [mut stopped, mut stiff] = [block(&*stops.own)?, block(&*stops.stiff)?];
            let [stopped, stiff] = [&mut stopped, &mut stiff].map(|s| s.problem(Slot::Start, DT));
            let (stopped, stiff) =
                (stopped.map_err(PageError::from_error)?, stiff.map_err(PageError::from_error)?);
            Uncompliant::new(stopped, stiff)?.map(|mut s| s.answer(&mut *solver, problem)).transpose()?
        }
        _ => Solved::new(problem)?.map(|mut s| s.answer(&mut *solver)).transpose()?,
    };
    Ok(answer.map_or_else(|| "no contact".into(), |a| cell(&a)))
}

/// Answer of the fast path to the first step.
fn fast<T: Real>(lying: Lying) -> Result<String, PageError> {
    let law = contact_pool("lagged").map_err(PageError::from_error)?;
    let lanes = lying.materials.first().map(|m| m.lanes());
    let floor = vec![floor(Shape::HalfSpace)];
    let engine = MpmEngine::<T>::new(lying.particles, lying.materials, vec![], floor, law, options());
    let mut engine = engine.map_err(PageError::from_error)?;
    if let Some(c) = lying.cloth {
        engine = engine.with_cloth(c).map_err(PageError::from_error)?;
    }
    let report = engine.step(DT).map_err(PageError::from_error)?;
    Ok(match (report.unconverged, lanes) {
        (1.., _) => "not converged".into(),
        (0, Some(signorini_mpm::LaneLaw::Scalar)) => "runs, particle by particle".into(),
        (0, _) => "runs".into(),
    })
}

/// Answer of a step of both, beside a body on a floor.
fn strong(lying: Lying) -> Result<String, PageError> {
    let text = "<mujoco><worldbody><body pos='0 0 -1'><freejoint/><geom name='plate' type='box' size='1 1 1'/></body></worldbody></mujoco>";
    let scene =
        Scene::from_mjcf(text, "plate.xml", &LoadOptions::default()).map_err(PageError::from_error)?;
    let law = || contact_pool("lagged").map_err(PageError::from_error);
    let surface = ContactMaterial { stiffness: 1e4, ..ContactMaterial::default() };
    let plate = obstacles(&scene, &[0], surface).map_err(PageError::from_error)?;
    let points = lying.system(plate, law()?)?;
    let mut x = points.initial_state();
    let mut rigid =
        RigidSystem::new(&scene, &*law()?, RigidOptions::default()).map_err(PageError::from_error)?;
    let mut y = rigid.initial_state(None).map_err(PageError::from_error)?;
    let step = ContactStep::new(IcfSolver::default());
    let both = Monolithic::new(&scene, &[0], points, rigid, step);
    Ok(match both.map_err(PageError::from_error)?.step(&mut x, &mut y, DT) {
        Ok(r) if r.unconverged == 0 => "runs".into(),
        Ok(_) => "not converged".into(),
        Err(_) => "refused".into(),
    })
}

/// A material's name and a block or sheet of it.
type Sample = (&'static str, Box<dyn Fn() -> Result<Lying, PageError>>);

fn samples() -> Result<Vec<Sample>, PageError> {
    let lame = Lame::new(1e4, 0.3).map_err(PageError::from_error)?;
    let dough = VonMises::new(lame, 1e3).map_err(PageError::from_error)?;
    let sand = DruckerPrager::new(lame, 0.5).map_err(PageError::from_error)?;
    let rate = InertialFriction { limit_angle: 0.7, inertial_number: 0.3, diameter: 1e-3, density: 2500.0 };
    let grains = sand
        .with_rate(rate)
        .and_then(|s| s.with_dilatancy(Dilatancy { angle: 0.2, expansion: 0.05 }))
        .map_err(PageError::from_error)?;
    let strength = SnowStrength { compression: 1e3, cohesion: 0.3, friction: 1.2, hardening: 5.0 };
    let snow = Snow::new(lame, strength).map_err(PageError::from_error)?;
    let liquid = Liquid::new(1e4).map_err(PageError::from_error)?;
    let viscous = Viscous::new(liquid, 1.0, 0.0).map_err(PageError::from_error)?;
    let maxwell = Maxwell::new(1e4, 0.1).map_err(PageError::from_error)?;
    Ok(vec![
        ("`FixedCorotated`", Box::new(move || Lying::block(FixedCorotated(lame)))),
        ("`LinearCorotated`", Box::new(move || Lying::block(LinearCorotated(lame)))),
        ("`VonMises`", Box::new(move || Lying::block(dough))),
        ("`DruckerPrager`", Box::new(move || Lying::block(sand))),
        ("`DruckerPrager`, by rate and dense", Box::new(move || Lying::block(grains))),
        ("`Snow`", Box::new(move || Lying::block(snow))),
        ("`Liquid`", Box::new(move || Lying::block(liquid))),
        ("`Viscous`", Box::new(move || Lying::block(viscous))),
        ("`Maxwell`", Box::new(move || Lying::block(maxwell))),
        (
            "your own, with an energy and its stress alone",
            Box::new(move || Lying::block(Own(FixedCorotated(lame)))),
        ),
        ("`Cloth`", Box::new(Lying::sheet)),
    ])
}

/// The tables.
///
/// # Errors
/// A query that fails for another reason than that it is refused.
pub(super) fn tables() -> Result<String, PageError> {
    let lame = Lame::new(1e4, 0.3).map_err(PageError::from_error)?;
    let mut out = String::from(
        "| material | plain path | fast path, f32 | fast path, f64 | strong coupling |\n|---|---|---|---|---|\n",
    );
    for (name, make) in samples()? {
        let law = contact_pool("lagged").map_err(PageError::from_error)?;
        let plain = solved(make()?.system(vec![floor(Shape::HalfSpace)], law)?, &mut MpmSolver::default())?;
        let (single, double) = (fast::<f32>(make()?)?, fast::<f64>(make()?)?);
        _ = writeln!(out, "| {name} | {plain} | {single} | {double} | {} |", strong(make()?)?);
    }
    out.push('\n');
    let columns: Vec<&str> = std::iter::once("`MpmSolver`").chain(SOLVERS).collect();
    out += &by_contact_law(&columns, |law| Ok(block(law).err().map(|e| e.to_string())), agrees)?;
    out += "\n| obstacle | material points |\n|---|---|\n";
    for shape in shapes::samples()? {
        let name = shape.name();
        let mut obstacle = floor(shape);
        // Lying on its top.
        let top = signorini_geometry::support(&obstacle.shape, &Vector3::z()).map_or(0.0, |p| p.z);
        obstacle.pose =
            Isometry3::from_parts(Vector3::new(0.0, 0.0, -top).into(), UnitQuaternion::identity());
        let law = contact_pool("lagged").map_err(PageError::from_error)?;
        let answer = match Lying::block(FixedCorotated(lame))?.system(vec![obstacle], law) {
            Ok(system) => solved(system, &mut MpmSolver::default())?,
            Err(e) => format!("refused: {e}"),
        };
        _ = writeln!(out, "| {name} | {answer} |");
    }
    out += "\nKeys of scene files (`signorini run SCENE.toml`, `signorini_coupling::SceneFile`), with their units and, behind a semicolon, what holds if they are left out. Others are refused.\n\n| table | key | meaning |\n|---|---|---|\n";
    for (table, keys) in scene_file_keys() {
        for (i, [key, meaning]) in keys.iter().enumerate() {
            let shown = if i == 0 && !table.is_empty() { format!("`{table}`") } else { String::new() };
            _ = writeln!(out, "| {shown} | `{key}` | {meaning} |");
        }
    }
    Ok(out)
}
