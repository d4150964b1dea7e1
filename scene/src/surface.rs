use signorini_core::ContactMaterial;

use crate::Hydroelastic;

/// MuJoCo's constraint parameters, kept for the laws that use them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolParams {
    /// (time constant \[s\], damping ratio), or (−stiffness, −damping) when both are ≤ 0.
    pub solref: [f64; 2],
    /// (dmin, dmax, width, midpoint, power).
    pub solimp: [f64; 5],
    /// The file states solref, by itself or by a class: stiffness and damping of the constraint follow from both. Otherwise the constraint is as the scene's defaults have it.
    pub stated: bool,
}

impl Default for SolParams {
    fn default() -> Self {
        Self { stated: false, solref: [0.02, 1.0], solimp: [0.9, 0.95, 0.001, 0.5, 2.0] }
    }
}

/// Surface of one geom: SI parameters that mean the same to every law, and MuJoCo's for the laws that use them.
///
/// A None takes the scene's default ([`ContactDefaults`]).
///
/// Every law reads stiffness, dissipation and friction in SI units, with one meaning. A surface that states none takes those of the
/// scene ([`ContactDefaults`]); [`CombinationRule`] makes one material of two surfaces.
///
/// | MJCF | here | used by |
/// |---|---|---|
/// | `friction` 1st, 2nd, 3rd | [`Surface::friction`], `friction_torsional`, `friction_rolling` | all laws; static and dynamic friction are equal |
/// | `condim` | [`Surface::condim`] | all laws: 1 without friction, 3 sliding, 4 with torsion, 6 with rolling |
/// | `priority`, `solmix` | the same | combination of two surfaces |
/// | `margin` + `gap` | [`Surface::margin`] | contacts are found below it (sum over both surfaces) |
/// | `gap` | [`Surface::inactive_gap`] | contacts above margin − gap are found but do not act |
/// | `solref`, `solimp` | [`SolParams`] | where `solref` is stated: stiffness, damping and impedance by the inverse mass at the reference configuration, for laws that read a stiffness, unless one of both surfaces states stiffness or dissipation in SI units; `solimp` by the published dual cone |
/// | `impratio` | [`crate::Options::impedance_ratio`] | the same laws |
/// | `surfacevel` | [`Surface::velocity`] | all laws |
///
/// SI values are written into an MJCF file without disturbing MuJoCo, which passes over custom texts:
///
/// ```xml
/// <custom>
///   <text name="signorini:default" data="stiffness=4e5 dissipation=20 relaxation_time=0 stiction_speed=1e-4 recovery_speed=1 shortest_step=1e-4"/>
///   <text name="signorini:geom:left_foot" data="stiffness=1e5 dissipation=10 friction=0.8 friction_dynamic=0.6"/>
///   <text name="signorini:geom:finger" data="compliant_hydroelastic hydroelastic_modulus=1e6 mesh_resolution_hint=0.01"/>
///   <text name="signorini:geom:cup" data="rigid_hydroelastic"/>
///   <text name="signorini:equality:close" data="stiffness=1e6 damping=1e3"/>
/// </custom>
/// ```
///
/// Keys that are left out keep the scene's default, of contact over areas as well (`compliant_hydroelastic hydroelastic_modulus=1e6` for all geoms that collide and have an inside; others become rigid); `stiffness=inf` on a geom makes that surface rigid. Contact over areas ([`Surface::hydroelastic`]) has the
/// names of Drake's `drake:proximity_properties`, which URDF and SDFormat files state: `rigid_hydroelastic`, or `compliant_hydroelastic` with
/// `hydroelastic_modulus` \[Pa\], `mesh_resolution_hint` \[m\] and, for a half-space, `slab_thickness` \[m\].
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// Static friction μ_s, ≥ 0.
    pub friction: f64,
    /// Dynamic friction μ_d ≤ μ_s; None: equal to `friction`.
    pub friction_dynamic: Option<f64>,
    /// Torsional friction \[m\], ≥ 0.
    pub friction_torsional: f64,
    /// Rolling friction \[m\], ≥ 0.
    pub friction_rolling: f64,
    /// Stiffness \[N/m\], > 0; `f64::INFINITY` for a rigid surface.
    pub stiffness: Option<f64>,
    /// Hunt–Crossley dissipation \[s/m\], ≥ 0.
    pub dissipation: Option<f64>,
    /// Contact dimension 1, 3, 4 or 6.
    pub condim: u8,
    /// The surface of higher priority sets friction, condim, solref and solimp alone.
    pub priority: i32,
    /// Weight of solref and solimp in mixing.
    pub solmix: f64,
    /// MuJoCo's solref and solimp.
    pub sol: SolParams,
    /// Contacts are found below this gap, summed over both surfaces \[m\] (MJCF `margin` + `gap`; see [`CombinationRule::margins`]).
    pub margin: f64,
    /// Contacts with gap above margin − this, both summed over the surfaces, do not act (MJCF `gap`) \[m\].
    pub inactive_gap: f64,
    /// Velocity of the surface in the geom frame \[m/s\] (conveyors).
    pub velocity: [f64; 3],
    /// Contact over areas.
    pub hydroelastic: Hydroelastic,
    /// The model states that the surface meets others in points: defaults and options for contact over areas leave it so.
    pub stays_in_points: bool,
}

impl Default for Surface {
    fn default() -> Self {
        Self {
            friction: 1.0,
            friction_dynamic: None,
            friction_torsional: 0.005,
            friction_rolling: 0.0001,
            stiffness: None,
            dissipation: None,
            condim: 3,
            priority: 0,
            solmix: 1.0,
            sol: SolParams::default(),
            margin: 0.0,
            inactive_gap: 0.0,
            velocity: [0.0; 3],
            hydroelastic: Hydroelastic::Point,
            stays_in_points: false,
        }
    }
}

impl Surface {
    /// Stiffness or dissipation are stated in SI units, which hold in place of solref.
    pub fn states_si(&self) -> bool {
        self.stiffness.is_some() || self.dissipation.is_some()
    }
}

/// Rule that combines the parameters of two surfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum CombinationRule {
    /// Friction and condim: the larger, or the surface of higher priority; solref and solimp mixed by `solmix`; stiffness and dissipation
    /// in series as [`CombinationRule::Series`].
    #[default]
    Mujoco,
    /// Springs in series k = k_A k_B/(k_A + k_B); dissipation d = (k_B d_A + k_A d_B)/(k_A + k_B); friction 2 μ_A μ_B/(μ_A + μ_B) (Drake's).
    Series,
}

/// Contact parameters of a surface that states none; SI.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactDefaults {
    /// Stiffness of one surface \[N/m\]; two equal surfaces in contact have half of it.
    pub stiffness: f64,
    /// Dissipation \[s/m\].
    pub dissipation: f64,
    /// SAP's relaxation time \[s\].
    pub relaxation_time: f64,
    /// Regularisation speed of friction \[m/s\].
    pub stiction_speed: f64,
}

impl Default for ContactDefaults {
    fn default() -> Self {
        Self { stiffness: 4.0e5, dissipation: 20.0, relaxation_time: 0.0, stiction_speed: 1.0e-4 }
    }
}

impl CombinationRule {
    /// Gaps of a pair \[m\]: contacts are found below the first and act below the second. Both surfaces add their share, as in
    /// MuJoCo 4.
    pub fn margins(self, a: &Surface, b: &Surface) -> (f64, f64) {
        let found = a.margin + b.margin;
        (found, found - a.inactive_gap - b.inactive_gap)
    }

    /// Combines two surfaces: the material of the contact and the weight w_A of A's witness in the contact point
    /// C = w_A C_A + (1 − w_A) C_B, which lies on the stiffer surface.
    ///
    /// Where both meet over an area, dissipation is weighed by moduli, condim is 3 at most, and the stiffness is that of contact in points, which polygons have in place of theirs ([`Hydroelastic`]).
    pub fn combine(self, a: &Surface, b: &Surface, d: &ContactDefaults) -> (ContactMaterial, f64) {
        let (ka, kb) = (a.stiffness.unwrap_or(d.stiffness), b.stiffness.unwrap_or(d.stiffness));
        let (da, db) = (a.dissipation.unwrap_or(d.dissipation), b.dissipation.unwrap_or(d.dissipation));
        // Share of each side in the compliance: rigid surfaces contribute nothing.
        let weight_a = match (ka.is_infinite(), kb.is_infinite()) {
            (true, true) => 0.5,
            (true, false) => 1.0,
            (false, true) => 0.0,
            _ => ka / (ka + kb),
        };
        let stiffness = match (ka.is_infinite(), kb.is_infinite()) {
            (true, true) => d.stiffness,
            (true, false) => kb,
            (false, true) => ka,
            _ => ka * kb / (ka + kb),
        };
        let area = a.hydroelastic.meeting(&b.hydroelastic).is_area();
        // The share of each side in the compliance of an area.
        let share_a = match (a.hydroelastic.modulus(), b.hydroelastic.modulus()) {
            (Some(ea), Some(eb)) if area && ea.is_finite() && eb.is_finite() => ea / (ea + eb),
            (Some(ea), Some(_)) if area => f64::from(u8::from(ea.is_infinite())),
            _ => weight_a,
        };
        let dissipation = (1.0 - share_a) * da + share_a * db;
        let (mu_a, mu_b) = (a.friction, b.friction);
        let (dyn_a, dyn_b) = (a.friction_dynamic.unwrap_or(mu_a), b.friction_dynamic.unwrap_or(mu_b));
        let pick = match self {
            Self::Mujoco if a.priority > b.priority => Some(a),
            Self::Mujoco if b.priority > a.priority => Some(b),
            _ => None,
        };
        let mix = if a.solmix + b.solmix > 0.0 { a.solmix / (a.solmix + b.solmix) } else { 0.5 };
        let friction = |x: f64, y: f64| match self {
            Self::Mujoco => x.max(y),
            Self::Series if x + y > 0.0 => 2.0 * x * y / (x + y),
            Self::Series => 0.0,
        };
        let blend = |x: f64, y: f64| mix * x + (1.0 - mix) * y;
        let mut m = ContactMaterial {
            stiffness,
            dissipation,
            relaxation_time: d.relaxation_time,
            friction_static: friction(mu_a, mu_b),
            friction_dynamic: friction(dyn_a, dyn_b),
            stiction_speed: d.stiction_speed,
            friction_torsional: friction(a.friction_torsional, b.friction_torsional),
            friction_rolling: friction(a.friction_rolling, b.friction_rolling),
            condim: a.condim.max(b.condim),
            impedance: 0.0,
            solref_stated: a.sol.stated || b.sol.stated,
            solref: std::array::from_fn(|i| blend(a.sol.solref[i], b.sol.solref[i])),
            solimp: std::array::from_fn(|i| blend(a.sol.solimp[i], b.sol.solimp[i])),
            own: [0.0; 4],
        };
        // MuJoCo mixes solref in direct (negative) format by the minimum.
        if a.sol.solref[0] <= 0.0 || b.sol.solref[0] <= 0.0 {
            m.solref = std::array::from_fn(|i| a.sol.solref[i].min(b.sol.solref[i]));
        }
        if let Some(s) = pick {
            m.friction_static = s.friction;
            m.friction_dynamic = s.friction_dynamic.unwrap_or(s.friction);
            m.friction_torsional = s.friction_torsional;
            m.friction_rolling = s.friction_rolling;
            m.condim = s.condim;
            m.solref_stated = s.sol.stated;
            m.solref = s.sol.solref;
            m.solimp = s.sol.solimp;
        }
        m.solref_stated &= !(a.states_si() || b.states_si() || area);
        if area {
            m.condim = m.condim.min(3);
        }
        if m.condim == 1 {
            m.friction_static = 0.0;
            m.friction_dynamic = 0.0;
        }
        (m, weight_a)
    }
}
