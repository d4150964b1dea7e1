use signorini_core::ContactSeed;

use crate::dual_number::Dual;
use crate::facet_tangent::{FacetSum, Masses, facet_impulse, facet_rows, friction};
use crate::published_dual_cone::DIRECTIONS;
use crate::solimp::impedance_slope;
use crate::{ContactTangent, DualConeLaw, LimitFacet, LimitSeed, MassScale, PublishedDualCone};

impl DualConeLaw for PublishedDualCone {
    const LIMIT_KEY: &'static str = "published_dual_cone_limit";

    fn limit_facet(&self, seed: &LimitSeed) -> LimitFacet {
        let (relative, shift) = self.relative(seed.dt, seed.gap, &seed.solimp);
        let w = match self.mass {
            MassScale::Mean if seed.reference > 0.0 => seed.reference,
            _ => seed.inverse_mass,
        };
        LimitFacet { gain: relative / w, shift, smoothing: 0.0 }
    }

    fn gain_parameters(&self) -> [f64; 2] {
        [self.k, self.d]
    }

    fn with_gain_parameters(self, [k, d]: [f64; 2]) -> Self {
        Self { k, d, ..self }
    }

    fn impulse_tangent<const D: usize>(
        &self,
        seed: &ContactSeed,
        tangent: &ContactTangent,
        (v_c, dv_c): (&[f64; D], &[f64; D]),
        gains: [f64; 2],
    ) -> ([f64; D], [f64; D]) {
        let m = &seed.material;
        let rows = facet_rows(usize::from(m.condim).min(D), DIRECTIONS, friction(seed, tangent));
        let gap = Dual::new(seed.gap, tangent.gap);
        let (relative, shift) = self.relative_tangent(seed.dt, gap, &m.solimp, gains);
        let trace = Masses::new(seed, tangent, [1.0; 2]).trace();
        let reference = seed.sides[0].reference + seed.sides[1].reference;
        let gain = match self.mass {
            MassScale::Trace => relative * trace.over(),
            MassScale::Mean if reference > 0.0 => relative * (1.0 / reference),
            MassScale::Mean => relative * trace.over() * 3.0,
        };
        let gains = vec![gain; rows.len()];
        FacetSum { rows: &rows, gains: &gains, shift, smoothing: 0.0 }.at(v_c, dv_c)
    }

    fn limit_tangent(
        &self,
        seed: &LimitSeed,
        tangent: [f64; 2],
        (v_c, dv_c): (f64, f64),
        gains: [f64; 2],
    ) -> (f64, f64) {
        let gap = Dual::new(seed.gap, tangent[0]);
        let (relative, shift) = self.relative_tangent(seed.dt, gap, &seed.solimp, gains);
        let w = match self.mass {
            MassScale::Mean if seed.reference > 0.0 => Dual::constant(seed.reference),
            _ => Dual::new(seed.inverse_mass, tangent[1]),
        };
        let lambda = facet_impulse(relative / w, -Dual::new(v_c, dv_c) - shift, 0.0);
        (lambda.x, lambda.d)
    }
}

impl PublishedDualCone {
    /// (R (d + k δt), s) as in the law.
    fn relative_tangent(&self, dt: f64, gap: Dual, solimp: &[f64; 5], gains: [f64; 2]) -> (Dual, Dual) {
        let (r, slope) = impedance_slope(solimp, gap.x);
        let r = gap.map(r, slope);
        let (k, d) = (Dual::new(self.k, gains[0]), Dual::new(self.d, gains[1]));
        let sum = d + k * dt;
        let shift = if sum.x == 0.0 { Dual::default() } else { k * gap / sum };
        (r / (Dual::constant(1.0) - r) * sum, shift)
    }
}
