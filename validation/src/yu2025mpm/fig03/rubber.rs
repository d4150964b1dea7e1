//! Rubber of fig. 3: its particles, and beams of it.

use signorini_core::na::Vector3;
use signorini_mpm::{FixedCorotated, Lame, Material, Maxwell, MpmError, Particles};

/// Side of all cubes, and how far each panel moves in \[m\].
pub(super) const SIDE: f64 = 0.1;
pub(super) const CLOSED: f64 = 0.01;
/// Density \[kg/m³\].
pub(super) const RUBBER: f64 = 100.0;
/// Young's modulus \[Pa\] and Poisson's ratio.
pub(super) const ELASTIC: (f64, f64) = (5e5, 0.4);
/// Loss factor of rubber, tan δ, and the angular frequency at which it has that \[rad/s\], near that of the swing.
pub(super) const LOSS: (f64, f64) = (0.1, 30.0);

/// Elastic rubber, and what in it forgets.
pub(super) struct Rubber {
    /// Elastic particles along a cube, those of its faces on them.
    pub(super) along: usize,
    pub(super) elastic: Lame,
    pub(super) forgets: Maxwell,
}

impl Rubber {
    pub(super) fn new(along: usize) -> Result<Self, MpmError> {
        let elastic = Lame::new(ELASTIC.0, ELASTIC.1)?;
        Ok(Self { along, elastic, forgets: Maxwell::with_loss(elastic.mu, LOSS.0, LOSS.1)? })
    }

    /// Both cubes: elastic particles first, then those that forget, in the middle between eight of the others, so that no body meets them. They have as much of a section as the others, and of the mass what they have of the wave modulus, so that both bear the same step.
    pub(super) fn particles(&self) -> Particles {
        let mut p = Particles::default();
        let Self { along, .. } = *self;
        let (n, apart) = (along as f64, self.apart());
        let (volume, wider) = ((SIDE / n).powi(3), (n / (n - 1.0)).powi(2));
        let [own, other] = [self.elastic.wave_modulus(), self.forgets.wave_modulus()];
        let whole = n.powi(3) * own + (n - 1.0).powi(3) * wider * other;
        let density = |modulus: f64| RUBBER * n.powi(3) * modulus / whole;
        let corner = |side: f64| Vector3::new(side * SIDE, -0.5 * SIDE, 0.0);
        for side in [-1.5, 0.5] {
            p.lattice(corner(side), apart, [along; 3], density(own), volume, 0);
        }
        for side in [-1.5, 0.5] {
            let first = corner(side).add_scalar(0.5 * apart);
            p.lattice(first, apart, [along - 1; 3], density(other), wider * volume, 1);
        }
        p
    }

    /// Distance of elastic particles \[m\].
    pub(super) fn apart(&self) -> f64 {
        SIDE / (self.along - 1) as f64
    }

    /// Number of elastic particles of both cubes.
    pub(super) fn elastic_count(&self) -> usize {
        2 * self.along.pow(3)
    }

    /// Spacing of the grid \[m\]: eight elastic particles in a cell. Table I has 0.01 m, but its 3456 particles and 1576 nodes are those of the grid that 12 along a cube have: at 0.01 m 1.3 particles are in a cell, and the layer on the heavy cube is torn off (particles more than a cell apart).
    pub(super) fn spacing(&self) -> f64 {
        2.0 * SIDE / self.along as f64
    }

    pub(super) fn materials(&self) -> Vec<Box<dyn Material>> {
        vec![Box::new(FixedCorotated(self.elastic)), Box::new(self.forgets)]
    }

    /// Young's modulus and the shear modulus \[Pa\], of slow motion or of fast motion.
    fn moduli(&self, fast: bool) -> [f64; 2] {
        let shear = self.elastic.mu + if fast { self.forgets.shear() } else { 0.0 };
        let bulk = self.elastic.bulk();
        [9.0 * bulk * shear / (3.0 * bulk + shear), shear]
    }

    /// Part of a section that particles make up: n along a side, the outer ones on its faces, have side³/n³ each and are side/(n − 1) apart, so that a section has n² side³/n³ (n − 1)/side.
    fn section(&self) -> f64 {
        (self.along - 1) as f64 / self.along as f64
    }

    /// Stiffness \[N/m\] of both rubber cubes against the red one's weight, pressed by `force` \[N\]: short beams between faces that stay parallel, in shear and bending, softened by the force that presses them; of slow motion or of fast motion.
    ///
    /// ```text
    /// k = 1/(L/(κ G A) + L³/(12 E I)) − 6 N/(5 L),   κ = 5/6,   L = side − closed;   both: 2 k
    /// ```
    pub(super) fn stiffness(&self, fast: bool, force: f64) -> f64 {
        let ([young, shear], section) = (self.moduli(fast), self.section());
        let (length, area, moment) = (SIDE - CLOSED, section * SIDE * SIDE, section * SIDE.powi(4) / 12.0);
        let soft = length / (5.0 / 6.0 * shear * area) + length.powi(3) / (12.0 * young * moment);
        2.0 * (1.0 / soft - 1.2 * force / length)
    }

    /// Frequency \[Hz\] at which the heavy cube rocks between the rubber ones about the way along their faces, by the same beams with shear: their ends turn by θ and go down by a θ, a half of a side.
    ///
    /// ```text
    /// k = 2 [(12 a² + 12 a L + (4 + Φ) L²) E I/(L³ (1 + Φ)) − N (6 a²/5L + a/5 + 2 L/15)],   Φ = 12 E I/(κ G A L²),   f = √(k/I_c)/2π
    /// ```
    pub(super) fn rocking(&self, force: f64, mass: f64) -> f64 {
        let ([young, shear], section) = (self.moduli(false), self.section());
        let (length, a) = (SIDE - CLOSED, 0.5 * SIDE);
        let (bending, shearing) =
            (young * section * SIDE.powi(4) / 12.0, 5.0 / 6.0 * shear * section * SIDE * SIDE);
        let phi = 12.0 * bending / (shearing * length * length);
        let soft = force * (1.2 * a * a / length + 0.2 * a + 2.0 * length / 15.0);
        let ends = 12.0 * a * a + 12.0 * a * length + (4.0 + phi) * length * length;
        let k = 2.0 * (ends * bending / (length.powi(3) * (1.0 + phi)) - soft);
        (k / (mass * SIDE * SIDE / 6.0)).sqrt() / std::f64::consts::TAU
    }
}
