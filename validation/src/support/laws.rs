//! Law against solver: each law on one small problem, under each solver.

use std::collections::BTreeSet;
use std::fmt::Write;

use signorini_core::na::{DMatrix, Matrix3, SVector, Vector3};
use signorini_core::{
    BlockDiagonal, ContactLaw, ContactMaterial, ContactSeed, ContactSide, FrozenMap, FrozenProblem, LawPool,
    Pool, Pools, SolveError, SolveStatus, StepProblem, StepSolution, Tolerance,
};
use signorini_laws::{
    DryFriction, DryFrictionSeed, DualCone, DualConeLimit, Gain, GainSeed, Limit, LimitSeed, NearRigid,
    NearRigidSeed, PublishedDualCone, contact_law_names, contact_pool, registry,
};

use super::solvers::{SOLVERS, solver};
use signorini_report::PageError;

const DT: f64 = 0.01;

fn pool<L: ContactLaw<D>, const D: usize>(law: L, seed: &L::Seed) -> Box<dyn LawPool> {
    let mut p = Pool::<L, D>::new(law);
    p.push(seed);
    Box::new(p)
}

fn near_rigid<const D: usize>() -> NearRigidSeed<D> {
    NearRigidSeed { dt: DT, gap: SVector::repeat(1e-3), inverse_mass: 1.0, recovery_speed: 1.0, spring: None }
}

/// Every law with one constraint that acts.
fn pools() -> Result<Vec<Box<dyn LawPool>>, PageError> {
    let contact = ContactSeed {
        dt: DT,
        gap: -1e-3,
        velocity: Vector3::new(-0.1, 0.5, 0.0),
        material: ContactMaterial::default(),
        sides: ContactSide::single(Matrix3::identity(), 1),
        curvature: [0.0; 2],
    };
    let mut all = Vec::new();
    for name in contact_law_names() {
        let mut p = contact_pool(name).map_err(PageError::from_error)?;
        if !p.reset(&vec![contact]) {
            return Err(PageError::Run(format!("law {name} does not take contacts")));
        }
        all.push(p);
    }
    all.push(pool::<_, 1>(DualCone::default(), &contact));
    all.push(pool::<_, 4>(DualCone::default(), &contact));
    all.push(pool::<_, 6>(DualCone::default(), &contact));
    all.push(pool::<_, 1>(PublishedDualCone::default(), &contact));
    all.push(pool::<_, 4>(PublishedDualCone::default(), &contact));
    all.push(pool::<_, 6>(PublishedDualCone::default(), &contact));
    all.push(pool::<_, 1>(NearRigid::default(), &near_rigid::<1>()));
    all.push(pool::<_, 3>(NearRigid::default(), &near_rigid::<3>()));
    all.push(pool::<_, 6>(NearRigid::default(), &near_rigid::<6>()));
    let limit = LimitSeed::new(DT, -1e-3, 1.0);
    all.push(pool::<_, 1>(Limit::default(), &limit));
    all.push(pool::<_, 1>(DualConeLimit { law: DualCone::default() }, &limit));
    all.push(pool::<_, 1>(DualConeLimit { law: PublishedDualCone::default() }, &limit));
    all.push(pool::<_, 1>(Gain, &GainSeed { dt: DT, gain: 10.0, bias: 1.0, limits: Some([-0.5, 0.5]) }));
    let friction = DryFrictionSeed { dt: DT, force: 0.5, stiction_speed: 1e-3, inverse_mass: 1.0 };
    all.push(pool::<_, 1>(DryFriction::default(), &friction));
    let known: BTreeSet<(String, usize)> = registry().laws().map(|(k, d)| (k.to_owned(), d)).collect();
    let here: BTreeSet<(String, usize)> = all.iter().map(|p| (p.key().to_owned(), p.dim())).collect();
    if known != here {
        return Err(PageError::Run(format!(
            "the laws of the registry and of this table differ: {known:?}, {here:?}"
        )));
    }
    Ok(all)
}

/// A body of unit inertia that moves against one constraint.
fn problem(law: Box<dyn LawPool>) -> Result<FrozenProblem, PageError> {
    let n = law.dim();
    let mut map = FrozenMap::new(&[0, n]);
    map.push_constraint(&vec![0.0; n]);
    map.push_block(0).copy_from_slice(DMatrix::<f64>::identity(n, n).as_slice());
    let inertia = BlockDiagonal::dense(&DMatrix::identity(n, n)).map_err(PageError::from_error)?;
    let free: Vec<f64> = (0..n).map(|i| if i == 0 { -0.2 } else { 0.3 }).collect();
    FrozenProblem::new(DT, inertia, free, map, Pools::new(vec![law]), Vec::new())
        .map_err(PageError::from_error)
}

/// The table: a row per law, a column per solver.
pub(super) fn table() -> Result<String, PageError> {
    let mut out = String::from("| law | rows | paper | convex | barrier |");
    for s in SOLVERS {
        _ = write!(out, " {s} |");
    }
    out += "\n|---|---|---|---|---|";
    out += &"---|".repeat(SOLVERS.len());
    let word = |b: bool| if b { "yes" } else { "no" };
    for law in pools()? {
        let p = law.properties();
        _ = write!(
            out,
            "\n| `{}` | {} | `{}` | {} | {} |",
            law.key(),
            law.dim(),
            law.paper(),
            word(p.convex),
            word(p.barrier)
        );
        let mut problem = problem(law)?;
        for s in SOLVERS {
            let mut solver = solver(s)?;
            let mut solution = StepSolution::default();
            let guess = vec![0.0; problem.velocity_count()];
            let cell = match solver.solve(&mut problem, &guess, Tolerance::default(), &mut solution) {
                Ok(SolveStatus::Converged) => "runs".to_owned(),
                Ok(SolveStatus::Evaluated) => "one evaluation".to_owned(),
                Ok(other) => format!("{other:?}"),
                Err(SolveError::Unsupported { .. }) => "refused".into(),
                Err(e) => return Err(PageError::from_error(e)),
            };
            _ = write!(out, " {cell} |");
        }
    }
    out.push('\n');
    Ok(out)
}
