use std::collections::BTreeMap;
use std::path::Path;

use nalgebra::Matrix3;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::coupling::CoupledInertia;
use crate::{
    BlockDiagonal, ContactGeometry, ContactLaw, Coupling, Evals, FrozenMap, FrozenProblem, Inconsistent,
    LawPool, Pool, Pools, ProblemError, StepProblem,
};

/// Why a snapshot could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// The file system.
    #[error("{path}: {source}")]
    Io {
        /// File.
        path: String,
        /// Reason.
        source: std::io::Error,
    },
    /// The text is not a snapshot.
    #[error("{path}: not a snapshot: {source}")]
    Format {
        /// File.
        path: String,
        /// Reason.
        source: serde_json::Error,
    },
    /// A law that is not registered.
    #[error("the snapshot uses law {key} with {dim} rows, which is not registered; known: {known}")]
    UnknownLaw {
        /// Law name.
        key: String,
        /// Rows per constraint.
        dim: usize,
        /// Registered laws.
        known: String,
    },
    /// Entries do not fit together.
    #[error("inconsistent snapshot: {0}; write it again with this version")]
    Inconsistent(#[from] Inconsistent),
    /// The content is no problem that can be solved.
    #[error("inconsistent snapshot: {0}")]
    Problem(#[from] ProblemError),
}

type Loader = fn(serde_json::Value) -> Result<Box<dyn LawPool>, serde_json::Error>;

/// Laws by name, so that a snapshot can be read back.
#[derive(Clone, Default)]
pub struct LawRegistry {
    loaders: BTreeMap<(String, usize), Loader>,
}

#[derive(Deserialize)]
#[serde(bound = "")]
struct SavedPool<L: DeserializeOwned, P: DeserializeOwned> {
    law: L,
    params: Vec<P>,
}

impl LawRegistry {
    /// Adds a law.
    pub fn register<L: ContactLaw<D>, const D: usize>(&mut self) -> &mut Self {
        self.loaders.insert((L::KEY.to_owned(), D), |value| {
            let saved: SavedPool<L, L::Params> = serde_json::from_value(value)?;
            Ok(Box::new(Pool::<L, D>::from_params(saved.law, saved.params)))
        });
        self
    }

    /// Registered laws as (key, rows).
    pub fn laws(&self) -> impl Iterator<Item = (&str, usize)> {
        self.loaders.keys().map(|(k, d)| (k.as_str(), *d))
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct PoolRecord {
    key: String,
    dim: usize,
    content: serde_json::Value,
}

/// A frozen step as a file: bug reports, golden data, cross-solver tests. JSON, full precision.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Snapshot {
    dt: f64,
    inertia: BlockDiagonal,
    #[serde(default, skip_serializing_if = "Coupling::is_empty")]
    coupling: Coupling,
    free_velocity: Vec<f64>,
    map: FrozenMap,
    contacts: Vec<ContactGeometry>,
    pools: Vec<PoolRecord>,
}

impl Snapshot {
    /// Takes a snapshot of a frozen step.
    ///
    /// # Errors
    /// A law whose parameters cannot be written as JSON.
    pub fn take(p: &FrozenProblem) -> Result<Self, SnapshotError> {
        let format = |source| SnapshotError::Format { path: "(memory)".into(), source };
        let pools = p.pools().members().iter().map(|m| {
            Ok(PoolRecord { key: m.key().to_owned(), dim: m.dim(), content: m.save().map_err(format)? })
        });
        Ok(Self {
            dt: p.dt(),
            inertia: p.block_inertia().clone(),
            coupling: p.coupling().clone(),
            free_velocity: p.free_velocity().to_vec(),
            map: p.frozen_map().clone(),
            contacts: p.contacts().to_vec(),
            pools: pools.collect::<Result<_, SnapshotError>>()?,
        })
    }

    /// The problem again. Everything is checked: indices, lengths, numbers, and that each law has finite values at the free velocity.
    ///
    /// # Errors
    /// Unknown laws; content that does not fit, naming the entry.
    pub fn problem(&self, laws: &LawRegistry) -> Result<FrozenProblem, SnapshotError> {
        let inertia = CoupledInertia::restored(&self.inertia, &self.coupling)?;
        self.map.check()?;
        check_contacts(&self.contacts, self.map.constraint_count())?;
        let mut members = Vec::new();
        for r in &self.pools {
            let load =
                laws.loaders.get(&(r.key.clone(), r.dim)).ok_or_else(|| SnapshotError::UnknownLaw {
                    key: r.key.clone(),
                    dim: r.dim,
                    known: laws.laws().map(|(k, d)| format!("{k}/{d}")).collect::<Vec<_>>().join(", "),
                })?;
            let source = |source| SnapshotError::Format { path: format!("pool {}", r.key), source };
            members.push(load(r.content.clone()).map_err(source)?);
        }
        let mut p = FrozenProblem::of(
            self.dt,
            inertia,
            self.free_velocity.clone(),
            self.map.clone(),
            Pools::new(members),
            self.contacts.clone(),
        )?;
        check_laws(&mut p)?;
        Ok(p)
    }

    /// Writes JSON.
    ///
    /// # Errors
    /// The file system.
    pub fn write(&self, path: &Path) -> Result<(), SnapshotError> {
        let name = path.display().to_string();
        let text = serde_json::to_string(self)
            .map_err(|source| SnapshotError::Format { path: name.clone(), source })?;
        std::fs::write(path, text).map_err(|source| SnapshotError::Io { path: name, source })
    }

    /// Reads JSON.
    ///
    /// # Errors
    /// The file system, or text that is not a snapshot.
    pub fn read(path: &Path) -> Result<Self, SnapshotError> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|source| SnapshotError::Io { path: name.clone(), source })?;
        serde_json::from_str(&text).map_err(|source| SnapshotError::Format { path: name, source })
    }
}

/// Largest distance of a contact frame from a rotation: files are written with all digits.
const FRAME_TOLERANCE: f64 = 1e-6;

/// Contacts belong to constraints and have frames.
fn check_contacts(contacts: &[ContactGeometry], constraints: usize) -> Result<(), Inconsistent> {
    for (i, c) in contacts.iter().enumerate() {
        let fail = |why: String| Err(Inconsistent { entry: "contacts", why: format!("contact {i}: {why}") });
        if c.constraint as usize >= constraints {
            return fail(format!("constraint {} of {constraints}", c.constraint));
        }
        if !c.p_wc.iter().chain(c.r_wc.iter()).chain([&c.gap]).all(|x| x.is_finite()) {
            return fail("its point, frame or gap is not finite".into());
        }
        if (c.r_wc.transpose() * c.r_wc - Matrix3::identity()).amax() > FRAME_TOLERANCE {
            return fail("its frame is not of three unit vectors at right angles".into());
        }
    }
    Ok(())
}

/// A law without barrier has finite values at the free velocity, and a convex one no negative curvature along its axes.
fn check_laws(p: &mut FrozenProblem) -> Result<(), SnapshotError> {
    let v = p.free_velocity().to_vec();
    p.relinearize(&v)?;
    let mut evals = Evals::default();
    p.pools().size_evals(&mut evals);
    p.pools().eval(p.whole(), p.contact_velocities(), &mut evals);
    for (i, pool) in p.pools().members().iter().enumerate().filter(|(_, m)| !m.properties().barrier) {
        let d = pool.dim();
        for local in 0..pool.len() {
            let k = p.pools().first_constraint(i) + local;
            let (row, at) = (p.pools().rows(k).0, p.pools().hess_start(k));
            let (grad, hess) = (&evals.grad[row..row + d], &evals.hess[at..at + d * d]);
            let wrong = if !grad.iter().chain(hess).chain([&evals.cost[k]]).all(|x| x.is_finite()) {
                "cost, impulse or Hessian at the free velocity is not finite"
            } else if pool.properties().convex && (0..d).any(|r| hess[r * (d + 1)] < 0.0) {
                "the law is convex, but its Hessian is negative"
            } else {
                continue;
            };
            let why = format!("pool {i} ({}), constraint {local}: {wrong}", pool.key());
            return Err(Inconsistent { entry: "pools", why }.into());
        }
    }
    Ok(())
}
