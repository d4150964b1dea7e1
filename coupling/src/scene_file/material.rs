//! Materials of bodies of points.

use signorini_mpm::{
    Dilatancy, DruckerPrager, FixedCorotated, InertialFriction, Lame, Liquid, Material, Maxwell, MpmError,
    Snow, SnowStrength, Viscous, VonMises,
};

use super::keys::MATERIALS;
use super::section::{SceneFileError, Section};

/// Material of a solid or a liquid, as a scene file has it; its keys are among [`crate::scene_file_keys`]. One with a loss factor has particles of [`Maxwell`] between the others.
pub struct Solid {
    /// Young's modulus, or the bulk modulus \[Pa\].
    pub modulus: f64,
    /// \[kg/m³\].
    pub density: f64,
    /// Elastic part, and the one that forgets, of a material with a loss factor.
    pub loss: Option<(Lame, Maxwell)>,
    make: Box<dyn Fn() -> Box<dyn Material>>,
}

impl std::fmt::Debug for Solid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = (self.make)().name();
        f.debug_struct("Solid")
            .field("name", &name)
            .field("modulus", &self.modulus)
            .field("density", &self.density)
            .finish()
    }
}

type Found<T> = Result<T, SceneFileError>;

/// Young's modulus, Poisson's ratio and density.
pub(super) fn elastic(s: &Section<'_>) -> Found<[f64; 3]> {
    Ok([
        s.needed("young", "Young's modulus, Pa > 0", |x| x > 0.0)?,
        s.number("poisson", "Poisson's ratio, above −1 and below ½", |x| x > -1.0 && x < 0.5)?.unwrap_or(0.3),
        density(s)?,
    ])
}

fn density(s: &Section<'_>) -> Found<f64> {
    s.needed("density", "kg/m³ > 0", |x| x > 0.0)
}

/// An angle \[rad\] that must be there \[°\].
fn angle(s: &Section<'_>, key: &str) -> Found<f64> {
    Ok(s.needed(key, "° above 0 and below 90", |x| x > 0.0 && x < 90.0)?.to_radians())
}

fn positive(s: &Section<'_>, key: &str, wanted: &str) -> Found<f64> {
    s.needed(key, wanted, |x| x > 0.0)
}

/// Sand with the rate and the dilatancy that are given.
fn sand(s: &Section<'_>, lame: Lame) -> Found<DruckerPrager> {
    let wrong = |e: MpmError| s.wrong(e.to_string());
    let mut sand = DruckerPrager::new(lame, angle(s, "friction_angle")?).map_err(wrong)?;
    let rate = ["limit_angle", "grain_diameter", "grain_density", "inertial_number"];
    if rate.iter().any(|k| s.has(k)) {
        let number = s.number("inertial_number", "a number > 0", |x| x > 0.0)?;
        let of = InertialFriction {
            limit_angle: angle(s, "limit_angle")?,
            inertial_number: number.unwrap_or(0.3),
            diameter: positive(s, "grain_diameter", "m > 0")?,
            density: positive(s, "grain_density", "kg/m³ > 0")?,
        };
        sand = sand.with_rate(of).map_err(|e| s.wrong_at("limit_angle", e.to_string()))?;
    }
    if ["dilatancy_angle", "expansion"].iter().any(|k| s.has(k)) {
        let expansion =
            positive(s, "expansion", "the logarithm of the volume at the end over that at the start, > 0")?;
        sand = sand
            .with_dilatancy(Dilatancy { angle: angle(s, "dilatancy_angle")?, expansion })
            .map_err(wrong)?;
    }
    Ok(sand)
}

/// Makes one of a material, again and again.
fn maker(
    material: impl Material + Copy + 'static,
    viscosity: f64,
) -> Result<Box<dyn Fn() -> Box<dyn Material>>, MpmError> {
    if viscosity == 0.0 {
        return Ok(Box::new(move || Box::new(material)));
    }
    let viscous = Viscous::new(material, viscosity, 0.0)?;
    Ok(Box::new(move || Box::new(viscous)))
}

impl Solid {
    /// Reads the material of a body.
    pub(super) fn read(s: &Section<'_>) -> Found<Self> {
        let kind = s.word("material", &MATERIALS.map(|m| m.0))?.unwrap_or("elastic");
        for (of, keys) in MATERIALS.iter().filter(|m| m.0 != kind) {
            if let Some((key, _)) = keys.iter().find(|k| s.has(k.0)) {
                return Err(s.wrong_at(key, format!("only material = \"{of}\" has one; leave it out")));
            }
        }
        let viscosity = s.number("viscosity", "Pa·s ≥ 0", |x| x >= 0.0)?.unwrap_or(0.0);
        let wrong = |e: MpmError| s.wrong(e.to_string());
        if kind == "liquid" {
            if let Some(key) = ["young", "poisson"].into_iter().find(|k| s.has(k)) {
                return Err(s.wrong_at(key, "a liquid has a bulk_modulus alone; leave it out"));
            }
            let modulus = positive(s, "bulk_modulus", "Pa > 0")?;
            let liquid = Liquid::new(modulus).map_err(wrong)?;
            return Ok(Self {
                modulus,
                density: density(s)?,
                loss: None,
                make: maker(liquid, viscosity).map_err(wrong)?,
            });
        }
        let [modulus, poisson, density] = elastic(s)?;
        let lame = Lame::new(modulus, poisson).map_err(wrong)?;
        let make = match kind {
            "plastic" => {
                let yields = positive(s, "yield_stress", "Pa > 0")?;
                VonMises::new(lame, yields).and_then(|m| maker(m, viscosity))
            }
            "sand" => maker(sand(s, lame)?, viscosity),
            "snow" => {
                let strength = SnowStrength {
                    compression: positive(
                        s,
                        "compression",
                        "the pressure that it bears at the start, Pa > 0",
                    )?,
                    cohesion: s
                        .needed("cohesion", "tension borne over pressure borne, ≥ 0", |x| x >= 0.0)?,
                    friction: positive(s, "slope", "that of the critical line, > 0")?,
                    hardening: positive(s, "hardening", "a number > 0")?,
                };
                Snow::new(lame, strength).and_then(|m| maker(m, viscosity))
            }
            _ => maker(FixedCorotated(lame), viscosity),
        };
        let factor = s.number("loss_factor", "a number above 0 and below 1", |x| x > 0.0 && x < 1.0)?;
        let loss = match (factor, s.has("loss_frequency")) {
            (None, false) => None,
            (None, true) => {
                return Err(s.wrong_at("loss_frequency", "give a loss_factor too, or leave it out"));
            }
            (Some(factor), _) => {
                let frequency = std::f64::consts::TAU * positive(s, "loss_frequency", "Hz > 0")?;
                Some((lame, Maxwell::with_loss(lame.mu, factor, frequency).map_err(wrong)?))
            }
        };
        Ok(Self { modulus, density, loss, make: make.map_err(wrong)? })
    }

    pub(super) fn boxed(&self) -> Box<dyn Material> {
        (self.make)()
    }
}
