use signorini_core::Shown;
use signorini_geometry::Shape;

use crate::hydroelastic::doubt_of_modulus;
use crate::{Geom, GeomShape, Hydroelastic, Scene};

/// Geoms of one kind: the first, and how many more.
#[derive(Clone, Copy, Debug, Default)]
struct Counted {
    first: Option<usize>,
    more: usize,
}

impl Counted {
    fn add(&mut self, geom: usize) {
        match self.first {
            None => self.first = Some(geom),
            Some(_) => self.more += 1,
        }
    }

    /// `PLACE` or `PLACE (and 2 more)`.
    fn shown(&self, geoms: &[Geom]) -> Option<String> {
        let place = geoms[self.first?].named_place();
        Some(match self.more {
            0 => place.to_string(),
            n => format!("{place} (and {n} more)"),
        })
    }
}

impl Scene {
    /// Makes all geoms that collide and meet others in points compliant, of a modulus \[Pa\] at the resolutions of their shapes. Those without an inside, half-spaces, height fields and meshes that are no surface of a solid, become rigid. Geoms that the model states to be rigid, compliant or in points stay
    /// as they are. Returns a line for each of both, with the first geom.
    ///
    /// # Errors
    /// Why no geom becomes compliant, and the remedy: the modulus is not positive and finite, or no geom can be.
    pub fn make_compliant(&mut self, modulus: f64) -> Result<Vec<String>, String> {
        let kind = Hydroelastic::compliant(modulus);
        if !(modulus > 0.0 && modulus.is_finite()) {
            return Err("give a positive, finite modulus in Pa; 1e5 to 1e8 is usual".to_owned());
        }
        let (mut own, mut hard, mut made) = (Counted::default(), Counted::default(), false);
        let paired: Vec<usize> = self.pairs.iter().flat_map(|p| [p.geom_a, p.geom_b]).collect();
        for i in 0..self.geoms.len() {
            let g = &self.geoms[i];
            if g.mask.is_empty() && !paired.contains(&i) {
                continue;
            }
            if g.surface.hydroelastic != Hydroelastic::Point || g.surface.stays_in_points {
                own.add(i);
            } else if let Some(kind) = self.possible(i, kind) {
                match kind {
                    Hydroelastic::Compliant { .. } => made = true,
                    _ => hard.add(i),
                }
                self.geoms[i].surface.hydroelastic = kind;
            }
        }
        if !made {
            let why = "no geom becomes compliant: those that collide have surfaces of their own or no inside";
            return Err(format!("{why}; leave it out"));
        }
        let lines = [
            (own, "keeps the surface that the model states".to_owned()),
            (hard, format!("is rigid, not compliant at {} Pa: {NO_INSIDE}", Shown(modulus))),
        ];
        let told = |(of, what): (Counted, String)| Some(format!("{}: {what}", of.shown(&self.geoms)?));
        Ok(lines.into_iter().filter_map(told).chain(doubt_of_modulus(modulus)).collect())
    }

    /// A kind of surface as a geom can have it: rigid where it would be compliant and has no inside. None where it has no shape, or none for areas.
    pub(crate) fn possible(&self, geom: usize, kind: Hydroelastic) -> Option<Hydroelastic> {
        let GeomShape::Solid(shape) = &self.geoms[geom].shape else { return None };
        let Hydroelastic::Compliant { resolution, thickness, .. } = kind else { return Some(kind) };
        let inside = match shape {
            Shape::HalfSpace => thickness.is_some(),
            Shape::HeightField(_) => false,
            Shape::Mesh(_) => self.fields.field(shape, resolution).is_ok(),
            // Models tell of what is wrong with others.
            _ => true,
        };
        match inside {
            true => Some(kind),
            false => self.fields.surface(shape, None).is_ok().then(Hydroelastic::rigid),
        }
    }
}

/// Why a geom is rigid where others are compliant.
pub(crate) const NO_INSIDE: &str = "its shape has no inside for a pressure field";
