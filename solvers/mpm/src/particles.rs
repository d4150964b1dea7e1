use signorini_core::na::{Matrix3, Vector3};

/// Material points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Particles {
    /// Positions \[m\].
    pub x: Vec<Vector3<f64>>,
    /// Velocities \[m/s\].
    pub v: Vec<Vector3<f64>>,
    /// Affine velocities: v(x_p + r) = v + C r \[1/s\].
    pub c: Vec<Matrix3<f64>>,
    /// Elastic deformation gradients.
    pub f: Vec<Matrix3<f64>>,
    /// Memory of materials.
    pub memory: Vec<f64>,
    /// Masses \[kg\].
    pub mass: Vec<f64>,
    /// Volumes at rest \[m³\].
    pub volume: Vec<f64>,
    /// Factors of the stresses of their materials, strengths and viscosities included, > 0: stiffness that differs from particle to particle.
    pub factor: Vec<f64>,
    /// Number of the material of each.
    pub material: Vec<u32>,
}

impl Particles {
    /// Number of no material: that of particles without stress of their own, as those of a [`crate::Cloth`].
    pub const BARE: u32 = u32::MAX;

    /// Number of particles.
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }

    /// Volume for each mass of a particle times the factor of its stresses \[m³/kg\].
    pub(crate) fn per_mass(&self, p: usize) -> f64 {
        self.factor[p] * self.volume[p] / self.mass[p]
    }

    /// Adds a particle at rest, undeformed.
    pub fn push(&mut self, x: Vector3<f64>, mass: f64, volume: f64, material: u32) {
        self.x.push(x);
        self.v.push(Vector3::zeros());
        self.c.push(Matrix3::zeros());
        self.f.push(Matrix3::identity());
        self.memory.push(0.0);
        self.mass.push(mass);
        self.volume.push(volume);
        self.factor.push(1.0);
        self.material.push(material);
    }

    /// Σ m v \[N·s\].
    pub fn momentum(&self) -> Vector3<f64> {
        self.mass.iter().zip(&self.v).map(|(m, v)| *m * v).sum()
    }

    /// Angular momentum about the origin of the world \[N·m·s\], that of affine velocities included.
    ///
    /// ```text
    /// Σ x × m v + m h²/4 axial(C − Cᵀ)
    /// ```
    pub fn angular_momentum(&self, spacing: f64) -> Vector3<f64> {
        let moment = 0.25 * spacing * spacing;
        let of = |p: usize| {
            let c = &self.c[p];
            let axial = Vector3::new(c[(2, 1)] - c[(1, 2)], c[(0, 2)] - c[(2, 0)], c[(1, 0)] - c[(0, 1)]);
            self.mass[p] * (self.x[p].cross(&self.v[p]) + moment * axial)
        };
        (0..self.len()).map(of).sum()
    }

    /// ½ Σ m (|v|² + h²/4 |C|²) \[J\]: the kinetic energy that the particles carry.
    pub fn kinetic_energy(&self, spacing: f64) -> f64 {
        let moment = 0.25 * spacing * spacing;
        let of = |p: usize| self.mass[p] * (self.v[p].norm_squared() + moment * self.c[p].norm_squared());
        0.5 * (0..self.len()).map(of).sum::<f64>()
    }
}
