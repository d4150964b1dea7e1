use signorini_core::ContactSeed;
use signorini_core::na::{SMatrix, SVector};

use crate::dual::Dual;
use crate::friction::{friction_coefficient, friction_slope};
use crate::ramp::Ramp;
use crate::solimp::impedance_slope;
use crate::{DualCone, Gains, LimitSeed, MassScale};

/// How a [`ContactSeed`] changes along one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactTangent {
    /// Of the gap \[m\].
    pub gap: f64,
    /// Of the velocity at the start \[m/s\], 3.
    pub velocity: SVector<f64, 3>,
    /// Of the Delassus blocks of both sides \[1/kg\], as in [`signorini_core::ContactSide`]: linear, angular, coupling.
    pub sides: [SideTangent; 2],
}

/// How a [`signorini_core::ContactSide`] changes along one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SideTangent {
    /// Of the linear rows, 3 × 3.
    pub linear: SMatrix<f64, 3, 3>,
    /// Of the angular rows, 3 × 3.
    pub angular: SMatrix<f64, 3, 3>,
    /// Between n and the angular rows, 3.
    pub coupling: SVector<f64, 3>,
}

/// W of both sides, scaled by the numbers of contacts, as dual numbers.
struct Masses {
    linear: [[Dual; 3]; 3],
    angular: [[Dual; 3]; 3],
    coupling: [Dual; 3],
}

impl Masses {
    fn new(seed: &ContactSeed, tangent: &ContactTangent, weights: [f64; 2]) -> Self {
        let sum = |x: &dyn Fn(usize) -> (f64, f64)| {
            let [(a, da), (b, db)] = [x(0), x(1)];
            Dual::new(weights[0] * a + weights[1] * b, weights[0] * da + weights[1] * db)
        };
        let square = |x: &dyn Fn(usize, usize, usize) -> (f64, f64)| {
            std::array::from_fn(|i| std::array::from_fn(|j| sum(&|s| x(s, i, j))))
        };
        let (s, t) = (&seed.sides, &tangent.sides);
        Self {
            linear: square(&|k, i, j| (s[k].linear[(i, j)], t[k].linear[(i, j)])),
            angular: square(&|k, i, j| (s[k].angular[(i, j)], t[k].angular[(i, j)])),
            coupling: std::array::from_fn(|i| sum(&|k| (s[k].coupling[i], t[k].coupling[i]))),
        }
    }

    fn trace(&self) -> Dual {
        self.linear[0][0] + self.linear[1][1] + self.linear[2][2]
    }

    /// aᵀ W a; the tangents of `a` go with the linear rows, the others one by one with the normal.
    fn of(&self, a: &[Dual; 6]) -> Dual {
        let mut w = Dual::default();
        for i in 0..3 {
            for j in 0..3 {
                w = w + a[i] * self.linear[i][j] * a[j] + a[i + 3] * self.angular[i][j] * a[j + 3];
            }
            w = w + a[i + 3] * self.coupling[i] * 2.0;
        }
        w
    }
}

impl DualCone {
    /// The gains as they are differentiated: (k, d), (κ, c), (β, 0) or, for [`Gains::Material`], factors (1, 1) of K and D.
    pub fn gain_parameters(&self) -> [f64; 2] {
        match self.gains {
            Gains::PerStep { k, d } => [k, d],
            Gains::Physical { kappa, c } => [kappa, c],
            Gains::Recovery { beta } => [beta, 0.0],
            Gains::Material => [1.0, 1.0],
        }
    }

    /// The same law with other values of [`DualCone::gain_parameters`]; `Gains::Material` stays as it is.
    #[must_use]
    pub fn with_gain_parameters(self, [a, b]: [f64; 2]) -> Self {
        let gains = match self.gains {
            Gains::PerStep { .. } => Gains::PerStep { k: a, d: b },
            Gains::Physical { .. } => Gains::Physical { kappa: a, c: b },
            Gains::Recovery { .. } => Gains::Recovery { beta: a },
            Gains::Material => Gains::Material,
        };
        Self { gains, ..self }
    }

    /// The impulse γ of a contact without memory at the velocity `v_c` \[N·s\], and its change along a direction in which the seed changes by
    /// `tangent`, the velocity by `dv_c` and the gains by `gains` (as in [`DualCone::gain_parameters`]): forward derivative of
    /// borse2026comfree, eq. (8). Exact where the law is differentiable; everywhere but at φ = 0 with `smoothing` > 0.
    ///
    /// Numbers of contacts on a tree are held. Lengths are the law's D rows.
    pub fn impulse_tangent<const D: usize>(
        &self,
        seed: &ContactSeed,
        tangent: &ContactTangent,
        (v_c, dv_c): (&[f64; D], &[f64; D]),
        gains: [f64; 2],
    ) -> ([f64; D], [f64; D]) {
        let m = &seed.material;
        let condim = usize::from(m.condim).min(D);
        let (slip, d_slip) = {
            let (t, dt) = (seed.velocity.fixed_rows::<2>(1), tangent.velocity.fixed_rows::<2>(1));
            let s = t.norm();
            (s, if s > 0.0 { t.dot(&dt) / s } else { 0.0 })
        };
        let ratio = slip / m.stiction_speed;
        let slope = friction_slope(m.friction_static, m.friction_dynamic, ratio) / m.stiction_speed;
        let sliding = friction_coefficient(m.friction_static, m.friction_dynamic, ratio);
        let mu = [
            Dual::new(sliding, slope * d_slip),
            Dual::constant(m.friction_torsional),
            Dual::constant(m.friction_rolling),
        ];
        let facets = self.facet_vectors(condim, mu);
        let material = [m.stiffness, m.relaxation_time * m.stiffness];
        let gap = Dual::new(seed.gap, tangent.gap);
        let (relative, shift) = self.relative_tangent(seed.dt, gap, &m.solimp, material, gains);
        let relative = if self.normalize { relative * (1.0 / facets.len() as f64) } else { relative };
        let counts = seed.sides.map(|s| if self.split { f64::from(s.contacts.max(1)) } else { 1.0 });
        let masses = Masses::new(seed, tangent, counts);
        let reference = counts[0] * seed.sides[0].reference + counts[1] * seed.sides[1].reference;
        let same = match (self.gains, self.mass) {
            (Gains::Material, _) => Some(relative),
            (_, MassScale::Exact) => None,
            (_, MassScale::Mean) if reference > 0.0 => Some(relative * (1.0 / reference)),
            (_, MassScale::Mean) => Some(relative * masses.trace().over() * 3.0),
            (_, MassScale::Trace) => Some(relative * masses.trace().over()),
        };
        let mut w: Vec<Dual> = facets.iter().map(|a| masses.of(a)).collect();
        if self.balanced && condim > 1 {
            let half = usize::from(self.directions) / 2;
            let pairs = (0..half).map(|j| (j, j + half));
            for (i, j) in pairs.chain((2 * half..w.len()).step_by(2).map(|i| (i, i + 1))) {
                let larger = if w[i].x > w[j].x { w[i] } else { w[j] };
                (w[i], w[j]) = (larger, larger);
            }
        }
        let mut g: Vec<Dual> = w.iter().map(|w| same.unwrap_or_else(|| relative * w.over())).collect();
        if self.cap {
            let sum = if self.split && same.is_none() {
                relative * facets.len() as f64
            } else {
                let alone = Masses::new(seed, tangent, [1.0; 2]);
                let all = facets.iter().zip(&g).fold(Dual::default(), |s, (a, g)| s + *g * alone.of(a));
                all * f64::from(seed.sides[0].contacts.max(seed.sides[1].contacts).max(1))
            };
            if sum.x > 1.0 {
                g.iter_mut().for_each(|g| *g = *g / sum);
            }
        }
        let (mut gamma, mut change) = ([0.0; D], [0.0; D]);
        for (a, g) in facets.iter().zip(&g) {
            let mut x = -shift;
            for i in 0..D {
                x = x - a[i] * Dual::new(v_c[i], dv_c[i]);
            }
            let (value, slope, _) = Ramp { width: self.smoothing }.eval(x.x);
            let lambda = *g * x.map(value, slope);
            for i in 0..D {
                let part = lambda * a[i];
                gamma[i] += part.x;
                change[i] += part.d;
            }
        }
        (gamma, change)
    }

    /// The same for a limit whose gap and inverse mass change by `tangent`.
    pub fn limit_tangent(
        &self,
        seed: &LimitSeed,
        tangent: [f64; 2],
        (v_c, dv_c): (f64, f64),
        gains: [f64; 2],
    ) -> (f64, f64) {
        let law = match self.gains {
            Gains::Material => Self { gains: Self::default().gains, ..*self },
            _ => *self,
        };
        let gains = if self.gains == Gains::Material { [0.0; 2] } else { gains };
        let gap = Dual::new(seed.gap, tangent[0]);
        let (mut relative, shift) = law.relative_tangent(seed.dt, gap, &seed.solimp, [0.0; 2], gains);
        let inverse_mass = Dual::new(seed.inverse_mass, tangent[1]);
        let contacts = f64::from(seed.contacts.max(1));
        let share = if law.split { contacts } else { 1.0 };
        let w = match law.mass {
            MassScale::Mean if seed.reference > 0.0 => Dual::constant(seed.reference),
            _ => inverse_mass,
        };
        if law.cap {
            let most = w * share / (inverse_mass * contacts);
            relative = if most.x < relative.x { most } else { relative };
        }
        let g = relative / (w * share);
        let x = -Dual::new(v_c, dv_c) - shift;
        let (value, slope, _) = Ramp { width: law.smoothing }.eval(x.x);
        let lambda = g * x.map(value, slope);
        (lambda.x, lambda.d)
    }

    /// a_f = (normal, t₁, t₂, spin, roll₁, roll₂) of all facets.
    fn facet_vectors(&self, condim: usize, [sliding, spin, rolling]: [Dual; 3]) -> Vec<[Dual; 6]> {
        let facet = |parts: &[(usize, Dual)]| {
            let mut a = [Dual::default(); 6];
            a[0] = Dual::constant(1.0);
            parts.iter().for_each(|(i, x)| a[*i] = *x);
            a
        };
        if condim == 1 {
            return vec![facet(&[])];
        }
        let mut out: Vec<[Dual; 6]> = (0..self.directions)
            .map(|j| {
                let (sin, cos) =
                    (f64::from(j) * std::f64::consts::TAU / f64::from(self.directions)).sin_cos();
                facet(&[(1, -sliding * cos), (2, -sliding * sin)])
            })
            .collect();
        if condim >= 4 {
            out.extend([facet(&[(3, -spin)]), facet(&[(3, spin)])]);
        }
        if condim >= 6 {
            out.extend([4, 5].iter().flat_map(|&i| [facet(&[(i, -rolling)]), facet(&[(i, rolling)])]));
        }
        out
    }

    /// (R (d + k δt), s) as in the law; for [`Gains::Material`] the gain itself.
    fn relative_tangent(
        &self,
        dt: f64,
        gap: Dual,
        solimp: &[f64; 5],
        material: [f64; 2],
        gains: [f64; 2],
    ) -> (Dual, Dual) {
        let mut solimp = *solimp;
        solimp[2] = self.width.unwrap_or(solimp[2]);
        let (r, slope) = match self.ballistic && gap.x > 0.0 {
            true => (impedance_slope(&solimp, 0.0).0, 0.0),
            false => impedance_slope(&solimp, gap.x),
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
            gap if gap.x > 0.0 && self.ballistic => gap * (1.0 / dt),
            gap => {
                let shift = k * gap / sum;
                let most = -self.fastest_recovery();
                if shift.x < most { Dual::constant(most) } else { shift }
            }
        };
        (scale * sum, shift)
    }
}
