use signorini_core::ContactSeed;
use signorini_core::na::{SMatrix, SVector};

use crate::dual_number::Dual;
use crate::friction::{friction_coefficient, friction_slope};
use crate::ramp::Ramp;

/// Change of a [`ContactSeed`] along one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactTangent {
    /// Of the gap \[m\].
    pub gap: f64,
    /// Of the velocity at the start \[m/s\], 3.
    pub velocity: SVector<f64, 3>,
    /// Of the Delassus blocks of both sides \[1/kg\], as in [`signorini_core::ContactSide`]: linear, angular, coupling.
    pub sides: [SideTangent; 2],
}

/// Change of a [`signorini_core::ContactSide`] along one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SideTangent {
    /// Of the linear rows, 3 × 3.
    pub linear: SMatrix<f64, 3, 3>,
    /// Of the angular rows, 3 × 3.
    pub angular: SMatrix<f64, 3, 3>,
    /// Between n and the angular rows, 3.
    pub coupling: SVector<f64, 3>,
}

/// W of both sides, each times its weight, as dual numbers.
pub(crate) struct Masses {
    linear: [[Dual; 3]; 3],
    angular: [[Dual; 3]; 3],
    coupling: [Dual; 3],
}

impl Masses {
    pub(crate) fn new(seed: &ContactSeed, tangent: &ContactTangent, weights: [f64; 2]) -> Self {
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

    pub(crate) fn trace(&self) -> Dual {
        self.linear[0][0] + self.linear[1][1] + self.linear[2][2]
    }

    /// aᵀ W a; the tangents of `a` go with the linear rows, the others one by one with the normal.
    pub(crate) fn of(&self, a: &[Dual; 6]) -> Dual {
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

/// (sliding, spin, rolling): friction at the slip speed of the start.
pub(crate) fn friction(seed: &ContactSeed, tangent: &ContactTangent) -> [Dual; 3] {
    let m = &seed.material;
    let (t, dt) = (seed.velocity.fixed_rows::<2>(1), tangent.velocity.fixed_rows::<2>(1));
    let slip = t.norm();
    let d_slip = if slip > 0.0 { t.dot(&dt) / slip } else { 0.0 };
    let ratio = slip / m.stiction_speed;
    let slope = friction_slope(m.friction_static, m.friction_dynamic, ratio) / m.stiction_speed;
    let sliding = friction_coefficient(m.friction_static, m.friction_dynamic, ratio);
    [
        Dual::new(sliding, slope * d_slip),
        Dual::constant(m.friction_torsional),
        Dual::constant(m.friction_rolling),
    ]
}

/// a_f = (normal, t₁, t₂, spin, roll₁, roll₂) of all facets.
pub(crate) fn facet_rows(
    condim: usize,
    directions: u8,
    [sliding, spin, rolling]: [Dual; 3],
) -> Vec<[Dual; 6]> {
    let facet = |parts: &[(usize, Dual)]| {
        let mut a = [Dual::default(); 6];
        a[0] = Dual::constant(1.0);
        parts.iter().for_each(|(i, x)| a[*i] = *x);
        a
    };
    if condim == 1 {
        return vec![facet(&[])];
    }
    let mut out: Vec<[Dual; 6]> = (0..directions)
        .map(|j| {
            let (sin, cos) = (f64::from(j) * std::f64::consts::TAU / f64::from(directions)).sin_cos();
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

/// λ = G x₊ with its smooth maximum of this width \[m/s\], where x is the shortfall of the rate of a facet from −s.
pub(crate) fn facet_impulse(gain: Dual, x: Dual, smoothing: f64) -> Dual {
    let (value, slope, _) = Ramp { width: smoothing }.eval(x.x);
    gain * x.map(value, slope)
}

/// Σ λ_f a_f of facets without multipliers, and its change.
pub(crate) struct FacetSum<'a> {
    pub rows: &'a [[Dual; 6]],
    pub gains: &'a [Dual],
    pub shift: Dual,
    pub smoothing: f64,
}

impl FacetSum<'_> {
    /// At the velocity `v_c` that changes by `dv_c`.
    pub(crate) fn at<const D: usize>(&self, v_c: &[f64; D], dv_c: &[f64; D]) -> ([f64; D], [f64; D]) {
        let (mut gamma, mut change) = ([0.0; D], [0.0; D]);
        for (a, g) in self.rows.iter().zip(self.gains) {
            let mut x = -self.shift;
            for i in 0..D {
                x = x - a[i] * Dual::new(v_c[i], dv_c[i]);
            }
            let lambda = facet_impulse(*g, x, self.smoothing);
            for i in 0..D {
                let part = lambda * a[i];
                gamma[i] += part.x;
                change[i] += part.d;
            }
        }
        (gamma, change)
    }
}
