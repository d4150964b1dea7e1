use std::collections::HashMap;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use signorini_core::na::{Isometry3, Point3, Vector3};
use signorini_geometry::{Aabb, MassProperties, Shape};

use crate::error::{MpmError, value};
use crate::particles::Particles;

/// Nearest distance of random particles, in parts of their mean distance, and how many throws each is worth.
const NEAREST: f64 = 0.8;
const THROWS: u64 = 2000;

/// Most places in the box about a shape: a hundred million particles take 20 GB.
const MOST: f64 = 1e8;

impl Particles {
    /// Fills a shape at a pose with particles of one material and density \[kg/m³\], on a lattice in the frame of the shape, about `apart` from each other \[m\]. Their volumes add up to that of the shape. Two to each spacing of the grid and axis are usual.
    /// Returns how many were added.
    ///
    /// # Errors
    /// Numbers out of range; shapes without a volume, among them meshes that are not closed; a shape in which no point of the lattice lies.
    pub fn fill(
        &mut self,
        shape: &Shape,
        pose: &Isometry3<f64>,
        apart: f64,
        density: f64,
        material: u32,
    ) -> Result<usize, MpmError> {
        let (bounds, volume) = room(shape, apart)?;
        // As many cells along each axis as fit best: boxes are filled to their faces.
        let size = bounds.max - bounds.min;
        let count = size.map(|s| (s / apart).round().max(1.0));
        let cell = size.component_div(&count);
        let mut inside = Vec::new();
        for i in 0..count.x as usize {
            for j in 0..count.y as usize {
                for k in 0..count.z as usize {
                    let at = Vector3::new(i as f64 + 0.5, j as f64 + 0.5, k as f64 + 0.5);
                    let at = at.component_mul(&cell) + bounds.min.coords;
                    if is_inside(shape, &at) {
                        inside.push(at);
                    }
                }
            }
        }
        self.place(&inside, pose, volume, density, material)
    }

    /// Fills a shape as [`Particles::fill`], with particles thrown at random, the same for a `seed`: as many as there is room for at a mean distance of `apart` \[m\], no two nearer to each other than 0.8 of that.
    ///
    /// # Errors
    /// As [`Particles::fill`].
    pub fn fill_random(
        &mut self,
        shape: &Shape,
        pose: &Isometry3<f64>,
        apart: f64,
        density: f64,
        material: u32,
        seed: u64,
    ) -> Result<usize, MpmError> {
        let (bounds, volume) = room(shape, apart)?;
        let wanted = (volume / apart.powi(3)).round().max(1.0) as u64;
        let nearest = NEAREST * apart;
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut uniform = || (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        let mut inside: Vec<Vector3<f64>> = Vec::new();
        let mut cells: HashMap<[i64; 3], Vec<usize>> = HashMap::new();
        let cell = |x: &Vector3<f64>| [x.x, x.y, x.z].map(|x| (x / nearest).floor() as i64);
        for _ in 0..wanted * THROWS {
            if inside.len() as u64 == wanted {
                break;
            }
            let size = bounds.max - bounds.min;
            let at = bounds.min.coords + size.component_mul(&Vector3::new(uniform(), uniform(), uniform()));
            let own = cell(&at);
            let near = (0..27).any(|n| {
                let place = [own[0] + n / 9 - 1, own[1] + n / 3 % 3 - 1, own[2] + n % 3 - 1];
                let taken = |k: &usize| (inside[*k] - at).norm() < nearest;
                cells.get(&place).is_some_and(|c| c.iter().any(taken))
            });
            if !near && is_inside(shape, &at) {
                cells.entry(own).or_default().push(inside.len());
                inside.push(at);
            }
        }
        self.place(&inside, pose, volume, density, material)
    }

    /// Adds particles at rest on a lattice: `count` along each axis, `apart` from each other \[m\], from `first` on \[m\], the last axis fastest; each has a density \[kg/m³\] and a volume \[m³\].
    pub fn lattice(
        &mut self,
        first: Vector3<f64>,
        apart: f64,
        count: [usize; 3],
        density: f64,
        volume: f64,
        material: u32,
    ) {
        for n in 0..count.iter().product() {
            let k = [n / count[2] / count[1], n / count[2] % count[1], n % count[2]];
            let at = first + apart * Vector3::from(k.map(|k| k as f64));
            self.push(at, density * volume, volume, material);
        }
    }

    /// Particles of equal volumes at points of the frame of a shape.
    fn place(
        &mut self,
        inside: &[Vector3<f64>],
        pose: &Isometry3<f64>,
        volume: f64,
        density: f64,
        material: u32,
    ) -> Result<usize, MpmError> {
        value("the density", density, density > 0.0, "kg/m³ > 0")?;
        let found = inside.len() as f64;
        value("the number of particles", found, found > 0.0, "a distance that lets some fit")?;
        let share = volume / found;
        for x in inside {
            self.push((pose * Point3::from(*x)).coords, density * share, share, material);
        }
        Ok(inside.len())
    }
}

/// The box about a shape that can be filled, and its volume \[m³\].
fn room(shape: &Shape, apart: f64) -> Result<(Aabb, f64), MpmError> {
    value("the distance of particles", apart, apart > 0.0, "m > 0")?;
    let unfit = |why: String| MpmError::Shape { name: format!("the {} to fill", shape.name()), why };
    shape.check_solid().map_err(|e| unfit(e.to_string()))?;
    // At unit density the mass is the volume.
    let mass = MassProperties::of_shape(shape, 1.0).map_err(|e| unfit(e.to_string()))?;
    let bounds = signorini_geometry::aabb(shape, &Isometry3::identity());
    let places = (bounds.max - bounds.min).iter().map(|s| (s / apart).max(1.0)).product::<f64>();
    value(
        "the number of particles in the box about the shape",
        places,
        places <= MOST,
        "at most 1e8: a larger distance of particles",
    )?;
    Ok((bounds, mass.mass))
}

fn is_inside(shape: &Shape, x: &Vector3<f64>) -> bool {
    // Nothing outside is within no reach.
    shape.signed_distance_within(x, 0.0).is_some()
}
