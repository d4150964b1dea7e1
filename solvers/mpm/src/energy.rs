use signorini_core::na::Vector3;
use signorini_core::{ContactSeed, Energy, LawPool};
use signorini_geometry::SignedDistance;

use crate::cloth::{Cloth, area, thickness_at};
use crate::corners::{Around, Polyhedra};
use crate::material::Material;
use crate::obstacle::Obstacle;
use crate::particles::Particles;
use crate::pin::{Pin, holds};
use crate::setup::MpmOptions;

/// Material points, and all that may hold energy in them.
#[derive(Clone, Copy)]
pub(crate) struct Points<'a> {
    pub particles: &'a Particles,
    pub materials: &'a [Box<dyn Material>],
    pub cloth: &'a [Cloth],
    pub pins: &'a [Pin],
    pub obstacles: &'a [Obstacle],
    pub law: &'a dyn LawPool,
    pub options: &'a MpmOptions,
}

impl Points<'_> {
    /// Kinetic energy of the particles, elastic energy and that of weight, and that of contacts and pins \[J\]; `polyhedra` is room to work.
    pub(crate) fn energy(&self, polyhedra: &mut Polyhedra) -> Energy {
        let Self { particles: p, materials, cloth, options, .. } = *self;
        let potential = |i: usize| {
            let elastic = materials.get(p.material[i] as usize).map_or(0.0, |m| m.energy(&p.f[i]));
            p.volume[i] * p.factor[i] * elastic - p.mass[i] * options.gravity.dot(&p.x[i])
        };
        let cloth: f64 = cloth.iter().map(|c| c.energy(&p.x, &p.f)).sum();
        Energy {
            kinetic: p.kinetic_energy(options.spacing),
            potential: (0..p.len()).map(potential).sum::<f64>() + cloth,
            contact: self.stored(polyhedra),
        }
    }

    /// That contacts with obstacles, and pins, hold, as their laws tell it \[J\].
    fn stored(&self, polyhedra: &mut Polyhedra) -> f64 {
        let Self { particles, cloth, pins, obstacles, law, .. } = *self;
        let (mut seeds, mut sides) = (Vec::<ContactSeed>::new(), Vec::new());
        let seed = |o: &Obstacle, p: usize, x: &Vector3<f64>, side: SignedDistance| ContactSeed {
            dt: 1.0,
            gap: side.distance,
            material: o.surface_of(area(particles.volume[p], thickness_at(cloth, p)), particles.material[p]),
            curvature: o.curvature_for(law.properties(), particles.volume[p], x, &side.normal),
            ..Default::default()
        };
        for (p, x) in particles.x.iter().enumerate() {
            let corners = cloth.iter().find_map(|c| c.corners(p));
            let x = corners.map_or(*x, |c| c.iter().map(|i| particles.x[*i as usize] / 3.0).sum());
            for (number, o) in obstacles.iter().enumerate() {
                if holds(pins, p, number) {
                    continue;
                }
                o.sides(&x, 0.0, &mut sides);
                seeds.extend(sides.iter().filter(|s| s.distance < 0.0).map(|side| seed(o, p, &x, *side)));
            }
        }
        if !cloth.is_empty() {
            polyhedra.fit(obstacles);
            Around { cloth, obstacles, polyhedra, pins }.pressed(&|p| particles.x[p], |m| {
                let (o, p) = (&obstacles[m.obstacle], m.centre);
                let x = m.weights.iter().map(|(i, w)| *w * particles.x[*i as usize]).sum();
                seeds.push(seed(o, p, &x, m.side));
            });
        }
        let held: f64 = pins.iter().map(|pin| pin.stored_energy(&particles.x[pin.particle], obstacles)).sum();
        law.stored_energy(&seeds).unwrap_or_default() + held
    }
}
