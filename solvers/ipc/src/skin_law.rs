use std::collections::BTreeMap;
use std::sync::Arc;

use signorini_core::na::{Matrix3, Vector3};
use signorini_core::{ContactMaterial, ContactSeed, LawPool};

use crate::BodyError;
use crate::spread::Side;
use crate::world::{DRIVEN, SurfacePart, World};

/// Material and curvature of two parts of surfaces that meet, for a [`SkinLaw`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SkinPair {
    /// Parameters of the contact, friction included; the stiffness is that of each point.
    pub material: ContactMaterial,
    /// Principal curvatures of the gap \[1/m\], the larger first, as [`ContactSeed::curvature`]; None where they are not known. Meshes are facets: whoever made one of a ball knows that of the ball.
    pub curvature: Option<[f64; 2]>,
}

type Pairs = Arc<dyn Fn(SurfacePart, SurfacePart) -> SkinPair + Send + Sync>;

/// A contact law on the skin of affine bodies, beside the barrier that keeps them apart.
///
/// ```text
/// + Σ ℓ(Rᵀ Σ wᵢ ẋᵢ),   φ₀ = n·Σ wᵢ xᵢ − r          papers/chen2022midas, "A law of one's own"
/// ```
/// Bodies have a skin: surfaces nearer than r press on each other by the law, whose gap is distance less r. Contacts are the corners of the overlap of two faces: each point of one surface near the other, and crossings of edges that stick out. The barrier and its
/// friction stay underneath and act within their range d̂ < r, on bodies that press a law through. Normals, directions and weights w are those where the step begins, or where the free motion comes within r.
#[derive(Clone)]
pub struct SkinLaw {
    law: Arc<dyn LawPool>,
    skin: f64,
    pairs: Pairs,
}

impl SkinLaw {
    /// The law of a pool, whose content is not read, with one material everywhere; `skin` r is the distance of two surfaces at which it begins \[m\].
    pub fn new(law: &dyn LawPool, skin: f64, material: ContactMaterial) -> Self {
        let pair = SkinPair { material, ..SkinPair::default() };
        Self { law: Arc::from(law.boxed_empty()), skin, pairs: Arc::new(move |_, _| pair) }
    }

    /// A law with materials and curvatures of each two parts of surfaces; called with the part of the body of the lower number first.
    #[must_use]
    pub fn with_pairs(
        self,
        pairs: impl Fn(SurfacePart, SurfacePart) -> SkinPair + Send + Sync + 'static,
    ) -> Self {
        Self { pairs: Arc::new(pairs), ..self }
    }

    /// r \[m\].
    pub fn skin(&self) -> f64 {
        self.skin
    }

    /// The law, empty.
    pub fn law(&self) -> &dyn LawPool {
        &*self.law
    }

    /// Fails on a law that affine bodies cannot have, or numbers out of range.
    pub(crate) fn check(&self, world: &World) -> Result<(), BodyError> {
        let (law, least) = (&self.law, world.reach());
        if !(self.skin > least && self.skin.is_finite()) {
            let range = "a length above the range of the barrier and its separation together";
            return Err(BodyError::Options { what: "skin", value: self.skin, range });
        }
        let refused = |why: &str| Err(BodyError::Law { law: law.key(), why: why.into() });
        if law.dim() != 3 || !law.boxed_empty().reset(&Vec::<ContactSeed>::new()) {
            return refused(
                "is not one of contacts with three rows; take one with seeds of `ContactSeed` and D = 3 (friction of zero in its material for contact without)",
            );
        }
        if !law.properties().convex {
            return refused(
                "is not convex in the contact velocity, and steps of affine bodies are minima; lag what makes it so, as friction by the normal impulse of the start of the step",
            );
        }
        if law.properties().barrier {
            return refused(
                "is infinite beyond a bound that collision detection does not know; give it a finite force there, the barrier of the bodies stays underneath",
            );
        }
        let surfaces = 0..world.part_count() as u32;
        let all = surfaces.clone().flat_map(|a| surfaces.clone().map(move |b| (a, b)));
        let mut curved = !law.properties().reads_curvature;
        for (a, b) in all.filter(|(a, b)| a < b && world.collide(*a, *b)) {
            let pair = (self.pairs)(world.part(a), world.part(b));
            let name = |s: u32| &world.bodies[world.part(s).body].name;
            if let Err(e) = pair.material.check(0) {
                let why = format!("has a material between '{}' and '{}': {e}", name(a), name(b));
                return refused(&why);
            }
            curved |= pair.curvature.is_some();
        }
        if !curved {
            return refused(
                "asks for the curvature of surfaces, and no two that collide have one; tell them by `SkinLaw::with_pairs`, in a scene by spheres",
            );
        }
        Ok(())
    }
}

/// An edge that sticks out: its two points are the key; here the third points of its two triangles.
type Ridges = BTreeMap<[u32; 2], [u32; 2]>;

/// A [`SkinLaw`] with its quantities of the bodies.
pub(crate) struct Skin {
    pub law: SkinLaw,
    pub ridges: Ridges,
    /// 1/m and S⁻¹ of each body \[1/kg, 1/(kg·m²)\]; None of those that are held.
    mobility: Vec<Option<(f64, Matrix3<f64>)>>,
}

/// Sine of the angle by which the faces of an edge turn at least for it to stick out.
const TURN: f64 = 0.05;

impl Skin {
    pub(crate) fn new(law: SkinLaw, world: &World) -> Self {
        let mut ridges = Ridges::new();
        for (b, body) in world.bodies.iter().enumerate() {
            let mut faces: BTreeMap<[u32; 2], Vec<[u32; 3]>> = BTreeMap::new();
            for [a, b, c] in body.triangles.iter().copied() {
                for [i, j, k] in [[a, b, c], [b, c, a], [c, a, b]] {
                    faces.entry([i.min(j), i.max(j)]).or_default().push([i, j, k]);
                }
            }
            let x = |i: u32| body.points[i as usize];
            let first = world.first[b];
            for (edge, faces) in faces {
                let [[i, j, k], [.., other]] = faces[..] else { continue };
                let normal = (x(j) - x(i)).cross(&(x(k) - x(i))).normalize();
                let along = (x(j) - x(i)).normalize();
                let out = x(other) - x(i);
                let across = out - along * along.dot(&out);
                if normal.dot(&across) < -TURN * across.norm() {
                    ridges.insert(edge.map(|p| first + p), [first + k, first + other]);
                }
            }
        }
        let mobility = world.bodies.iter().map(|body| {
            let inverse = body.second_moment.try_inverse().filter(|_| !body.fixed)?;
            let factor = if body.driven { DRIVEN } else { 1.0 };
            Some((1.0 / (factor * body.mass), inverse / factor))
        });
        Self { law, ridges, mobility: mobility.collect() }
    }

    /// Material and curvature of two surfaces.
    pub(crate) fn pair(&self, world: &World, surfaces: [u32; 2]) -> SkinPair {
        let [a, b] = surfaces.map(|s| world.part(s));
        (self.law.pairs)(a, b)
    }

    /// Inverse mass of a body where it is met \[1/kg\], the same in all directions: x = p + A X, and the rows of A move by themselves. Joints and the energy that keeps bodies rigid are left out.
    pub(crate) fn inverse_mass(&self, body: u32, spread: &Side) -> f64 {
        self.mobility[body as usize].map_or(0.0, |(m, inverse)| {
            let arm = Vector3::new(spread[1], spread[2], spread[3]);
            m * spread[0] * spread[0] + arm.dot(&(inverse * arm))
        })
    }
}
