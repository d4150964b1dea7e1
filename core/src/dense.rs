use nalgebra::{DMatrix, DVector};

use crate::{
    BlockDiagonal, ContactLaw, ContactMaterial, ContactSeed, ContactSide, FrozenMap, FrozenProblem, Pool,
    Pools, ProblemError,
};

/// The smallest way to state a contact problem: five arrays, no scene, no files.
///
/// Rows of `J` come in groups of three per contact, (n, t₁, t₂) of B relative to A.
#[derive(Clone, Debug)]
#[allow(non_snake_case, reason = "the paper's letters, in the one struct that exists to look like the paper")]
pub struct DenseProblem {
    /// Inertia A \[kg\], nv × nv, symmetric positive definite.
    pub A: DMatrix<f64>,
    /// Velocity without contact v* \[m/s\], nv.
    pub v_star: DVector<f64>,
    /// Contact Jacobian J, 3·nc × nv.
    pub J: DMatrix<f64>,
    /// Gaps φ₀ at the start of the step \[m\], nc.
    pub phi0: DVector<f64>,
    /// Velocity at the start of the step v₀ \[m/s\], nv, for lagged laws.
    pub v0: DVector<f64>,
    /// Surface parameters, nc.
    pub materials: Vec<ContactMaterial>,
    /// Step size δt \[s\].
    pub dt: f64,
}

impl DenseProblem {
    /// The step problem under a contact law; unknowns form one block.
    ///
    /// # Errors
    /// Arrays whose sizes disagree, entries that are not finite, contact parameters out of range, an inertia that is not symmetric
    /// positive definite.
    pub fn build<L: ContactLaw<3, Seed = ContactSeed>>(&self, law: L) -> Result<FrozenProblem, ProblemError> {
        let (nv, nc) = (self.A.nrows(), self.phi0.len());
        let fit = |what, expected, found| {
            if expected == found { Ok(()) } else { Err(ProblemError::Shape { what, expected, found }) }
        };
        fit("v_star", nv, self.v_star.len())?;
        fit("v0", nv, self.v0.len())?;
        fit("columns of J", nv, self.J.ncols())?;
        fit("rows of J", 3 * nc, self.J.nrows())?;
        fit("materials", nc, self.materials.len())?;
        crate::check_finite("gap", self.phi0.as_slice())?;
        crate::check_finite("v0", self.v0.as_slice())?;
        for (k, m) in self.materials.iter().enumerate() {
            m.check(k)?;
        }
        let inertia = BlockDiagonal::dense(&self.A)?;
        let mut map = FrozenMap::new(&[0, nv]);
        let mut pool = Pool::<L, 3>::new(law);
        for k in 0..nc {
            map.push_constraint(&[0.0; 3]);
            let rows = self.J.rows(3 * k, 3);
            map.push_block(0).copy_from_slice(rows.clone_owned().as_slice());
            pool.push(&ContactSeed {
                preload: 0.0,
                dt: self.dt,
                gap: self.phi0[k],
                velocity: FrozenProblem::contact_velocity_at(&map, k, self.v0.as_slice()),
                curvature: None,
                material: self.materials[k],
                sides: ContactSide::single(FrozenProblem::delassus(&inertia, &map, k), nc as u32),
            });
        }
        let pools = Pools::new(vec![Box::new(pool)]);
        FrozenProblem::new(self.dt, inertia, self.v_star.as_slice().to_vec(), map, pools, Vec::new())
    }
}
