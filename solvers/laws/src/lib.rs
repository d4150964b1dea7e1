//! Every contact and constraint law, one file each; each is a potential ℓ of the contact velocity with impulse γ = −∇ℓ.
//!
//! ```
//! use signorini_core::na::{Matrix3, Vector3};
//! use signorini_core::{ContactLaw, ContactMaterial, ContactSeed, ContactSide};
//! use signorini_laws::Lagged;
//!
//! // A contact 0.1 mm deep, of 10⁵ N/m and μ = 0.5, that stands still at the start of a step of 1 ms.
//! let seed = ContactSeed {
//!     dt: 1e-3,
//!     gap: -1e-4,
//!     material: ContactMaterial::compliant(1e5, 0.0, 0.5),
//!     sides: ContactSide::single(Matrix3::identity(), 1),
//!     ..ContactSeed::default()
//! };
//! let law = Lagged::default();
//! let p = law.prepare(&seed);
//! let at_rest = -law.eval(&p, Vector3::zeros()).grad; // γ [N·s]
//! assert!((at_rest.x - 1e-3 * 1e5 * 1e-4).abs() < 1e-15); // δt k |φ₀|
//! let sliding = -law.eval(&p, Vector3::new(0.0, 1.0, 0.0)).grad;
//! assert!((sliding.y / sliding.x + 0.5).abs() < 1e-6); // Coulomb, against the motion
//! ```
//!
//! Contact laws ([`Lagged`], [`Similar`], [`Sap`], [`Frictionless`], [`DualCone`], [`PublishedDualCone`]) are made from a [`signorini_core::ContactSeed`], and [`Law`] is one of them or a law of one's own; constraint laws
//! ([`NearRigid`], [`Limit`], [`Gain`], [`DryFriction`]) have seeds of their own. A new law is one file with one trait.

mod closing_hessian;
mod directions;
mod dry_friction;
mod dual_cone;
mod dual_cone_law;
mod dual_cone_limit;
mod dual_cone_tangent;
mod dual_number;
mod facet_gains;
mod facet_law;
mod facet_masses;
mod facet_pairs;
mod facet_rows;
mod facet_sums;
mod facet_tangent;
mod facets;
mod friction;
mod frictionless;
mod gain;
mod impact;
mod lagged;
mod law;
mod limit;
mod near_rigid;
mod normal;
mod published_dual_cone;
mod published_dual_cone_tangent;
mod ramp;
mod reads;
mod registry;
mod sap;
mod similar;
mod slip;
mod softness;
mod solimp;

pub use closing_hessian::closing_hessian;
pub use dry_friction::{DryFriction, DryFrictionParams, DryFrictionSeed};
pub use dual_cone::DualCone;
pub use dual_cone_law::{DualConeLaw, LimitFacet};
pub use dual_cone_limit::{DualConeLimit, DualConeLimitParams};
pub use facet_gains::Gains;
pub use facet_tangent::{ContactTangent, SideTangent};
pub use facets::Facets;
pub use friction::{friction_coefficient, sigmoid};
pub use frictionless::Frictionless;
pub use gain::{Gain, GainParams, GainPiece, GainSeed};
pub use lagged::{Lagged, LaggedParams};
pub use law::{CONTACT_LAWS, Law, OwnLaw, UnknownLaw};
pub use limit::{Limit, LimitParams, LimitSeed};
pub use near_rigid::{Compliance, NearRigid, NearRigidParams, NearRigidSeed};
pub use normal::NormalPotential;
pub use published_dual_cone::{MassScale, PublishedDualCone};
pub use reads::ContactParameter;
pub use registry::{contact_pool, registry};
pub use sap::{Sap, SapParams};
pub use similar::{Similar, SimilarParams};
pub use slip::SlipPotential;
pub use softness::Softness;
pub use solimp::impedance;
