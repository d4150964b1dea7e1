//! Random step problems, and pools of every law for them.

use signorini_core::na::{DMatrix, DVector, Matrix3, SVector, Vector3};
use signorini_core::{
    BlockDiagonal, ContactLaw, ContactMaterial, ContactSeed, FrozenMap, FrozenProblem, LawPool, Pool, Pools,
    SweptLaw,
};
use signorini_laws::{
    CONTACT_LAWS, DryFriction, DryFrictionSeed, DualCone, DualConeLaw, DualConeLimit, Gain, GainSeed, Limit,
    LimitSeed, NearRigid, NearRigidSeed, PublishedDualCone, contact_pool,
};
use signorini_report::PageError;

use super::uncompliant::{Gap, Stopped, Stops, stiff_dual_cone, stiff_published};
use crate::random::Random;

const DT: f64 = 0.01;
const BODIES: usize = 3;
const CONSTRAINTS: usize = 5;

/// Constraint as a law's seed sees it.
pub(super) struct Touch {
    gap: f64,
    contact: ContactSeed,
    inverse_mass: f64,
    random: [f64; 6],
}

/// A law's pool filled with constraints.
pub(super) type Fill = Box<dyn Fn(&[Touch]) -> Result<Box<dyn LawPool>, PageError>>;

/// A law of the registry.
pub(super) struct Sample {
    /// Rows of a constraint.
    pub dim: usize,
    /// The law.
    pub fill: Fill,
    /// As [`Stops`]; None for laws without multipliers.
    pub stops: Option<[Fill; 2]>,
}

/// A pool of a law, one constraint per touch.
fn filled<L: ContactLaw<D>, const D: usize>(law: L, seed: impl Fn(&Touch) -> L::Seed + 'static) -> Fill {
    Box::new(move |touches| {
        let mut p = Pool::<L, D>::new(law.clone());
        touches.iter().for_each(|t| p.push(&seed(t)));
        Ok(Box::new(p) as Box<dyn LawPool>)
    })
}

/// A pool of contacts, one per touch.
fn of_contacts(make: impl Fn() -> Result<Box<dyn LawPool>, PageError> + 'static) -> Fill {
    Box::new(move |touches| {
        let mut p = make()?;
        if p.reset(&touches.iter().map(|t| t.contact).collect::<Vec<_>>()) {
            return Ok(p);
        }
        Err(PageError::Run(format!("law {} does not take contacts", p.key())))
    })
}

/// A law without multipliers.
fn plain<L: ContactLaw<D>, const D: usize>(law: L, seed: impl Fn(&Touch) -> L::Seed + 'static) -> Sample {
    Sample { dim: D, fill: filled::<L, D>(law, seed), stops: None }
}

/// A law with multipliers, and itself with stiff gains.
fn swept<L: SweptLaw<D>, const D: usize>(law: L, stiff: L, seed: fn(&Touch) -> L::Seed) -> Sample
where
    L::Seed: Gap,
{
    let stops = [Stopped(law.clone()), Stopped(stiff)].map(|law| filled::<_, D>(law, seed));
    Sample { dim: D, fill: filled::<L, D>(law, seed), stops: Some(stops) }
}

/// Contacts of one, four and six rows, and a limit.
fn dual_cones<L: DualConeLaw>(law: L, stiff: L) -> [Sample; 4] {
    [
        swept::<L, 1>(law, stiff, |t| t.contact),
        swept::<L, 4>(law, stiff, |t| t.contact),
        swept::<L, 6>(law, stiff, |t| t.contact),
        swept::<_, 1>(DualConeLimit { law }, DualConeLimit { law: stiff }, limit),
    ]
}

fn near_rigid<const D: usize>(t: &Touch) -> NearRigidSeed<D> {
    let gap = SVector::from_fn(|i, _| 2e-3 * (t.random[i] - 0.5));
    NearRigidSeed {
        dt: DT,
        gap,
        inverse_mass: t.inverse_mass,
        recovery_speed: 1.0,
        shortest_step: 1e-4,
        spring: None,
        softness: None,
        velocity: SVector::zeros(),
    }
}

fn limit(t: &Touch) -> LimitSeed {
    LimitSeed {
        contacts: CONSTRAINTS as u32,
        recovery_speed: 1.0,
        ..LimitSeed::new(DT, t.gap, t.inverse_mass)
    }
}

/// The laws of the registry.
pub(super) fn laws() -> Result<Vec<Sample>, PageError> {
    let mut all = Vec::new();
    for name in CONTACT_LAWS {
        let dim = contact_pool(name).map_err(PageError::from_error)?.dim();
        let fill = of_contacts(move || contact_pool(name).map_err(PageError::from_error));
        let stops = Stops::of(name)
            .map(|Stops { own, stiff }| [own, stiff].map(|law| of_contacts(move || Ok(law.boxed_empty()))));
        all.push(Sample { dim, fill, stops });
    }
    all.extend(dual_cones(DualCone::default(), stiff_dual_cone()));
    all.extend(dual_cones(PublishedDualCone::default(), stiff_published()));
    all.push(plain::<_, 1>(NearRigid::default(), near_rigid));
    all.push(plain::<_, 3>(NearRigid::default(), near_rigid));
    all.push(plain::<_, 6>(NearRigid::default(), near_rigid));
    all.push(plain::<_, 1>(Limit::default(), limit));
    all.push(plain::<_, 1>(Gain, |t| GainSeed {
        dt: DT,
        gain: 20.0 * t.random[0],
        bias: 10.0 * (t.random[1] - 0.5),
        limits: (t.random[2] < 0.5).then_some([-0.5, 0.5]),
    }));
    all.push(plain::<_, 1>(DryFriction::default(), |t| DryFrictionSeed {
        dt: DT,
        force: 5.0 * t.random[0],
        stiction_speed: 1e-3,
        inverse_mass: t.inverse_mass,
    }));
    Ok(all)
}

/// Bodies of random mass and inertia, 6 unknowns each, and constraints of `dim` rows at random points between them or with the world.
pub(super) struct Family {
    inertia: BlockDiagonal,
    free: Vec<f64>,
    map: FrozenMap,
    touches: Vec<Touch>,
}

impl Family {
    pub(super) fn new(seed: u64, dim: usize) -> Result<Self, PageError> {
        let mut r = Random::new(seed);
        let mut a = DMatrix::zeros(6 * BODIES, 6 * BODIES);
        for b in 0..BODIES {
            let (mass, turn) = (0.5 + 2.0 * r.uniform(), r.rotation().to_rotation_matrix());
            let moments = Vector3::from_fn(|_, _| 0.01 * mass * (0.5 + r.uniform()));
            let inertia = turn * Matrix3::from_diagonal(&moments) * turn.inverse();
            a.view_mut((6 * b, 6 * b), (3, 3)).copy_from(&(mass * Matrix3::identity()));
            a.view_mut((6 * b + 3, 6 * b + 3), (3, 3)).copy_from(&inertia);
        }
        let mut inertia = BlockDiagonal::with_sizes(&[6; BODIES]);
        for b in 0..BODIES {
            inertia.block_mut(b).copy_from_slice(a.view((6 * b, 6 * b), (6, 6)).into_owned().as_slice());
        }
        inertia.factor().map_err(PageError::from_error)?;
        let free: Vec<f64> = (0..6 * BODIES).map(|_| 0.4 * r.normal()).collect();
        let starts: Vec<usize> = (0..=BODIES).map(|b| 6 * b).collect();
        let mut map = FrozenMap::new(&starts);
        let mut on = [0; BODIES];
        let mut pairs = Vec::new();
        for k in 0..CONSTRAINTS {
            map.push_constraint(&vec![0.0; dim]);
            let first = k % BODIES;
            let second = (r.uniform() < 0.5 && first + 1 < BODIES).then_some(first + 1);
            // Rows n, t₁, t₂, spin, two rolls of the relative motion at a point.
            let frame = r.rotation().to_rotation_matrix().into_inner();
            for (body, sign) in std::iter::once((first, 1.0)).chain(second.map(|b| (b, -1.0))) {
                let arm = 0.1 * Vector3::from_fn(|_, _| r.normal());
                let turning = frame.transpose() * arm.cross_matrix();
                let block = map.push_block(body);
                for (i, x) in block.iter_mut().enumerate() {
                    let (row, column) = (i % dim, i / dim);
                    *x = sign
                        * match (row < 3, column < 3) {
                            (true, true) => frame[(column, row)],
                            (true, false) => -turning[(row, column - 3)],
                            (false, true) => 0.0,
                            (false, false) => frame[(column - 3, row - 3)],
                        };
                }
                on[body] += 1;
            }
            pairs.push((first, second));
        }
        let mut touches = Vec::new();
        for (k, (first, second)) in pairs.into_iter().enumerate() {
            let mut sides = FrozenProblem::sides(&inertia, &map, k);
            sides[0].contacts = on[first];
            sides[1].contacts = second.map_or(0, |b| on[b]);
            let gap = 4e-3 * (r.uniform() - 0.75);
            let material = ContactMaterial {
                stiffness: 10f64.powf(2.0 + 3.0 * r.uniform()),
                friction_static: 0.5,
                friction_dynamic: 0.5,
                friction_torsional: 0.02,
                friction_rolling: 0.01,
                condim: dim as u8,
                ..ContactMaterial::default()
            };
            let velocity = if dim < 3 {
                let v = DVector::from_column_slice(&free);
                let jac = map.to_dense();
                Vector3::new((jac.row(k) * v)[0], 0.0, 0.0)
            } else {
                FrozenProblem::contact_velocity_at(&map, k, &free)
            };
            let contact =
                ContactSeed { preload: 0.0, dt: DT, gap, velocity, material, sides, curvature: None };
            let inverse_mass = contact.inverse_mass();
            touches.push(Touch { gap, contact, inverse_mass, random: std::array::from_fn(|_| r.uniform()) });
        }
        Ok(Self { inertia, free, map, touches })
    }

    pub(super) fn problem(&self, fill: &Fill) -> Result<FrozenProblem, PageError> {
        let pools = Pools::new(vec![fill(&self.touches)?]);
        FrozenProblem::new(DT, self.inertia.clone(), self.free.clone(), self.map.clone(), pools, Vec::new())
            .map_err(PageError::from_error)
    }
}
