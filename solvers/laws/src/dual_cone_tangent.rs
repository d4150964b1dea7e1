use signorini_core::ContactSeed;

use crate::dual_number::Dual;
use crate::facet_tangent::{FacetSum, Masses, facet_impulse, facet_rows, friction};
use crate::solimp::impedance_slope;
use crate::{ContactTangent, DualCone, DualConeLaw, Gains, LimitFacet, LimitSeed};

impl DualConeLaw for DualCone {
    const LIMIT_KEY: &'static str = "dual_cone_limit";

    fn limit_facet(&self, seed: &LimitSeed) -> LimitFacet {
        let (relative, shift) = self.of_limit(seed).relative(seed.dt, seed.gap, &seed.solimp, [0.0; 2]);
        // A limit has its share of one by its own mass.
        let relative = if self.cap { relative.min(1.0) } else { relative };
        let gain = relative / (f64::from(seed.contacts.max(1)) * seed.inverse_mass);
        LimitFacet { gain, shift, smoothing: self.smoothing }
    }

    fn gain_parameters(&self) -> [f64; 2] {
        match self.gains {
            Gains::PerStep { k, d } => [k, d],
            Gains::Physical { kappa, c } => [kappa, c],
            Gains::Recovery { beta } => [beta, 0.0],
            Gains::Material => [1.0, 1.0],
        }
    }

    fn with_gain_parameters(self, [a, b]: [f64; 2]) -> Self {
        let gains = match self.gains {
            Gains::PerStep { .. } => Gains::PerStep { k: a, d: b },
            Gains::Physical { .. } => Gains::Physical { kappa: a, c: b },
            Gains::Recovery { .. } => Gains::Recovery { beta: a },
            Gains::Material => Gains::Material,
        };
        Self { gains, ..self }
    }

    /// Differentiable everywhere but at φ = 0 with `smoothing` > 0.
    fn impulse_tangent<const D: usize>(
        &self,
        seed: &ContactSeed,
        tangent: &ContactTangent,
        (v_c, dv_c): (&[f64; D], &[f64; D]),
        gains: [f64; 2],
    ) -> ([f64; D], [f64; D]) {
        let m = &seed.material;
        let condim = usize::from(m.condim).min(D);
        let rows = facet_rows(condim, self.directions, friction(seed, tangent));
        let material = [m.stiffness, m.relaxation_time * m.stiffness];
        let gap = Dual::new(seed.gap, tangent.gap);
        let (relative, shift) = self.relative_tangent(seed.dt, gap, &m.solimp, material, gains);
        let relative = relative * (1.0 / rows.len() as f64);
        let counts = seed.sides.map(|s| f64::from(s.contacts.max(1)));
        let of_material = self.gains == Gains::Material;
        let mut g = vec![relative; rows.len()];
        if !of_material {
            let masses = Masses::new(seed, tangent, counts);
            let mut w: Vec<Dual> = rows.iter().map(|a| masses.of(a)).collect();
            if self.is_balanced() && condim > 1 {
                balance(&mut w, self.directions);
            }
            g.iter_mut().zip(w).for_each(|(g, w)| *g = *g * w.over());
        }
        if self.cap {
            let sum = if of_material {
                let alone = Masses::new(seed, tangent, [1.0; 2]);
                let all = rows.iter().zip(&g).fold(Dual::default(), |s, (a, g)| s + *g * alone.of(a));
                all * counts[0].max(counts[1])
            } else {
                relative * rows.len() as f64
            };
            if sum.x > 1.0 {
                g.iter_mut().for_each(|g| *g = *g / sum);
            }
        }
        FacetSum { rows: &rows, gains: &g, shift, smoothing: self.smoothing }.at(v_c, dv_c)
    }

    fn limit_tangent(
        &self,
        seed: &LimitSeed,
        tangent: [f64; 2],
        (v_c, dv_c): (f64, f64),
        gains: [f64; 2],
    ) -> (f64, f64) {
        let law = self.of_limit(seed);
        let gains = if self.gains == Gains::Material { [0.0; 2] } else { gains };
        let gap = Dual::new(seed.gap, tangent[0]);
        let (mut relative, mut shift) = law.relative_tangent(seed.dt, gap, &seed.solimp, [0.0; 2], gains);
        if shift.x == -law.fastest_recovery() && seed.moved_mass > 0.0 {
            // The speed of recovery over the lever, as the root of the inverse mass.
            shift.d = 0.5 * shift.x * tangent[1] / seed.inverse_mass;
        }
        if law.cap && relative.x > 1.0 {
            relative = Dual::constant(1.0);
        }
        let share = f64::from(seed.contacts.max(1));
        let gain = relative / (Dual::new(seed.inverse_mass, tangent[1]) * share);
        let lambda = facet_impulse(gain, -Dual::new(v_c, dv_c) - shift, law.smoothing);
        (lambda.x, lambda.d)
    }
}

impl DualCone {
    /// (R (d + k δt), s) as in the law; for [`Gains::Material`] the gain itself.
    fn relative_tangent(
        &self,
        dt: f64,
        gap: Dual,
        solimp: &[f64; 5],
        material: [f64; 2],
        gains: [f64; 2],
    ) -> (Dual, Dual) {
        let (r, slope) = match gap.x > 0.0 {
            true => (impedance_slope(solimp, 0.0).0, 0.0),
            false => impedance_slope(solimp, gap.x),
        };
        let r = gap.map(r, slope);
        let one = Dual::constant(1.0);
        let scale = r / (one - r);
        let [a, b] = self.gain_parameters();
        let (a, b) = (Dual::new(a, gains[0]), Dual::new(b, gains[1]));
        let (k, d, scale) = match self.gains {
            Gains::PerStep { .. } => (a, b, scale),
            Gains::Physical { .. } => (a * dt, b * dt, scale),
            Gains::Recovery { .. } => (a / (scale * dt), (one - a) / scale, scale),
            Gains::Material => (a * (material[0] * dt), b * (material[1] * dt), one),
        };
        let sum = d + k * dt;
        let shift = match gap {
            _ if sum.x == 0.0 => Dual::default(),
            gap if gap.x > 0.0 => gap * (1.0 / dt),
            gap => {
                let shift = k * gap / sum;
                let most = -self.fastest_recovery();
                if shift.x < most { Dual::constant(most) } else { shift }
            }
        };
        (scale * sum, shift)
    }
}

/// Gives a facet and its opposite the larger of their two inverse masses.
fn balance(w: &mut [Dual], directions: u8) {
    let half = usize::from(directions) / 2;
    let tangents = (0..half).map(|j| (j, j + half));
    for (i, j) in tangents.chain((2 * half..w.len()).step_by(2).map(|i| (i, i + 1))) {
        let larger = if w[i].x > w[j].x { w[i] } else { w[j] };
        (w[i], w[j]) = (larger, larger);
    }
}
