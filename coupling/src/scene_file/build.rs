//! Material points of a scene file beside the bodies of its model.

use std::ops::Range;

use signorini_core::ContactMaterial;
use signorini_core::na::{Isometry3, Point3, Vector3};
use signorini_geometry::{Aabb, Shape, TriangleMesh, aabb};
use signorini_mpm::{Cloth, Material, MpmOptions, Obstacle, Particles, Pin};
use signorini_scene::{GeomShape, Scene, did_you_mean};

use super::file::{Body, Kind, MOST, SceneFile};
use super::material::Solid;
use super::section::{Named, SceneFileError};
use crate::{CouplingError, geoms_named, obstacles};

/// Particles to a spacing of the grid along each axis.
pub(super) const ALONG: f64 = 2.0;
/// Spacings of the grid to the smallest size of a body, unless one is given.
const CELLS: f64 = 6.0;
/// Part of the stiffest modulus that presses the surface as deep as is wanted.
const STRAIN: f64 = 0.1;
/// Furthest way that a body is taken to fall before it meets something, in its own sizes.
const FALL: f64 = 40.0;
/// Depth in a body, in distances of particles, from which on further particles lie between the others.
const DEEP: f64 = 0.2;
/// Stiffest contact: m/(k a δt²) of a particle of mass m on an area a in a step δt of the bodies.
const STIFFEST: f64 = 1e-9;
/// Part of a modulus beyond which a solid's own weight is told to be too much for it.
const SINKS: f64 = 0.5;
/// Least wanted depth in spacings of the grid.
const SHALLOWEST: f64 = 1e-6;
/// Wanted depth in spacings of the grid, unless one is given.
const DEPTH: f64 = 0.05;
/// Spacings of the grid to an edge of cloth.
const EDGES: f64 = 1.5;
/// Dissipation \[s/m\] and speed below which friction holds \[m/s\] of contacts of points, unless others are given.
const DISSIPATION: f64 = 1.0;
const STICTION_SPEED: f64 = 1e-3;

/// Particles of one body of points, or of a cloth.
#[derive(Clone, Debug)]
pub struct PointBody {
    /// Name.
    pub name: String,
    /// Its particles; of cloth those at vertices.
    pub particles: Range<usize>,
    /// Half the distance of particles \[m\]; 0 for cloth.
    pub radius: f64,
    /// Corners of triangles, counted from its first particle; none of solids.
    pub triangles: Vec<u32>,
}

/// Parts that an engine is made of.
pub(super) struct Parts {
    pub particles: Particles,
    pub materials: Vec<Box<dyn Material>>,
    pub cloth: Vec<Cloth>,
    pub bodies: Vec<PointBody>,
    /// All particles of each body.
    pub ranges: Vec<Range<usize>>,
    pub geoms: Vec<usize>,
    pub obstacles: Vec<Obstacle>,
    pub options: MpmOptions,
    /// Choices that were made, in words.
    pub choices: Vec<String>,
    pub warnings: Vec<String>,
}

/// Adds particles of another material between those of a solid, where these tell them to be deep in it. All together fill as much as the others; mass goes by the wave moduli \[Pa\] of both, so that both bear one step.
fn add_between(
    particles: &mut Particles,
    own: Range<usize>,
    apart: f64,
    [elastic, other]: [f64; 2],
    deep: impl Fn(&Vector3<f64>) -> bool,
) -> Result<(), String> {
    let middles = own.clone().map(|p| particles.x[p] + Vector3::repeat(0.5 * apart));
    let middles: Vec<Vector3<f64>> = middles.filter(deep).collect();
    if middles.is_empty() {
        return Err("loss_factor: the body has no particle between others; take a smaller spacing".into());
    }
    let sum = |list: &[f64]| list[own.clone()].iter().sum::<f64>();
    let (volume, mass) = (sum(&particles.volume), sum(&particles.mass));
    let each = volume / middles.len() as f64;
    let per_volume = mass / (volume * (elastic + other));
    for p in own.clone() {
        particles.mass[p] = per_volume * elastic * particles.volume[p];
    }
    let material = particles.material[own.start] + 1;
    for x in middles {
        particles.lattice(x, 1.0, [1; 3], per_volume * other, each, material);
    }
    Ok(())
}

/// A pin, and the time at which it lets go \[s\].
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub pin: Pin,
    pub until: f64,
}

/// Edges of the box about a body in its own frame \[m\].
fn extents(body: &Body) -> Vector3<f64> {
    2.0 * body.bounds(&Isometry3::identity()).half_extents()
}

fn longest_edge(mesh: &TriangleMesh) -> f64 {
    let x = mesh.vertices();
    let edges = mesh.triangles().iter().flat_map(|t| (0..3).map(move |i| (t[i], t[(i + 1) % 3])));
    edges.map(|(a, b)| (x[a as usize] - x[b as usize]).norm()).fold(0.0, f64::max)
}

impl Body {
    /// Box about the body at a pose.
    pub(super) fn bounds(&self, pose: &Isometry3<f64>) -> Aabb {
        match &self.kind {
            Kind::Solid { shape, .. } => aabb(shape, pose),
            Kind::Cloth { mesh, .. } => mesh.aabb().transformed(pose),
        }
    }

    /// Wave speed \[m/s\] and rate of viscosity \[1/s\] of a solid.
    fn rates(&self, material: &Solid, spacing: f64) -> [f64; 2] {
        signorini_mpm::rates(&*material.boxed(), 1.0 / self.density, spacing)
    }

    /// Pressures that press the surface `depth` \[m\] deep, as is wanted \[Pa\]: a part of the modulus, the weight, and the impact of a solid that arrives at `speed` \[m/s\]: the stress of a wave behind its face, which is stopped, and what takes the energy of the layer of nodes that moves with the face.
    ///
    /// ```text
    /// ρ c v + ρ h v²/d
    /// ```
    fn pressures(&self, gravity: f64, speed: f64, spacing: f64, depth: f64) -> [f64; 3] {
        let impact = match &self.kind {
            Kind::Solid { material, .. } => self.rates(material, spacing)[0] + spacing * speed / depth,
            Kind::Cloth { .. } => 0.0,
        };
        let weight = self.density * gravity * extents(self).max();
        [STRAIN * self.modulus, weight, self.density * impact * speed]
    }

    /// Layer of particles that meets a geom \[m\].
    fn thinnest(&self, spacing: f64) -> f64 {
        match &self.kind {
            Kind::Solid { .. } => spacing / ALONG,
            Kind::Cloth { material, .. } => material.thickness(),
        }
    }

    /// Rate at which waves cross cells of `spacing` \[m\], or viscosity or bending acts, the largest \[1/s\].
    fn rate(&self, spacing: f64) -> f64 {
        match &self.kind {
            Kind::Solid { material, .. } => {
                let [wave, viscous] = self.rates(material, spacing);
                viscous.max(wave / spacing)
            }
            Kind::Cloth { material, mesh } => {
                let wave = (material.wave_modulus() / self.density).sqrt() / spacing;
                let edge = longest_edge(mesh);
                let plate = (material.bending() / (self.density * material.thickness())).sqrt();
                wave.max(plate / (edge * edge))
            }
        }
    }
}

impl SceneFile {
    fn of<E: std::fmt::Display>(&self, body: &Body) -> impl Fn(E) -> SceneFileError {
        let (name, line) = (body.name.clone(), body.line);
        move |e| self.wrong(line, format!("'{name}': {e}"))
    }

    /// Spacing of the grid, and how it was chosen.
    fn grid(&self, choices: &mut Vec<String>) -> Result<f64, SceneFileError> {
        let edge = self.bodies.iter().filter_map(|b| match &b.kind {
            Kind::Cloth { mesh, .. } => Some((b, longest_edge(mesh))),
            Kind::Solid { .. } => None,
        });
        let edge = edge.max_by(|a, b| a.1.total_cmp(&b.1));
        let solids = self.bodies.iter().filter(|b| matches!(b.kind, Kind::Solid { .. }));
        let smallest = solids.map(|b| (b, extents(b).min())).min_by(|a, b| a.1.total_cmp(&b.1));
        let spacing = self.spacing.unwrap_or_else(|| {
            let least = edge.map_or(0.0, |e| EDGES * e.1);
            smallest.map_or(least, |s| s.1 / CELLS).max(least)
        });
        if let Some((body, edge)) = edge.filter(|e| e.1 > spacing) {
            let why = format!(
                "'{}' has edges up to {edge:.3e} m, longer than the spacing of the grid of {spacing:.3e} m, so that layers pass through each other; take a finer mesh, or a larger spacing",
                body.name
            );
            return Err(self.wrong(body.line, why));
        }
        if let Some((body, size)) = smallest.filter(|s| ALONG * s.1 < spacing) {
            let why = format!(
                "'{}' is {size:.3e} m thin, less than half a cell of the grid of {spacing:.3e} m; take a smaller spacing, or shorter edges of cloth",
                body.name
            );
            return Err(self.wrong(body.line, why));
        }
        let how = match (self.spacing, smallest, edge) {
            (Some(_), ..) => "as given",
            (None, Some(_), None) => "chosen by the smallest body",
            (None, None, _) => "chosen by the longest edge of cloth",
            (None, Some(_), Some(_)) => "chosen by the smallest body and the longest edge of cloth",
        };
        choices.push(format!("grid of {spacing:.4e} m, {how}"));
        Ok(spacing)
    }

    /// Number of substeps to a step of the bodies where points on a grid of `spacing` \[m\] bear `longest` \[s\].
    pub(super) fn substeps(&self, longest: f64, spacing: f64) -> Result<f64, SceneFileError> {
        signorini_mpm::steps_within(self.step, longest).map_err(|e| {
            let fastest = self.bodies.iter().max_by(|a, b| a.rate(spacing).total_cmp(&b.rate(spacing)));
            let (name, line) = fastest.map_or(("", 1), |b| (&b.name, b.line));
            self.wrong(line, format!("waves, viscosity and bending of '{name}' ask for short steps: {e}; take a softer, heavier or less viscous material, a larger spacing, or a shorter step of the bodies"))
        })
    }

    /// Depth to which contact is pressed on a grid of this spacing \[m\].
    pub(super) fn depth(&self, spacing: f64) -> f64 {
        self.contact.depth.unwrap_or(DEPTH * spacing)
    }

    /// Fastest speed at which a body first meets an obstacle or leaves \[m/s\]: that of its start and of its fall.
    fn arrival(&self, b: &Body, gravity: &Vector3<f64>, obstacles: &[Obstacle]) -> f64 {
        let g = gravity.norm();
        let most = (FALL * extents(b).max()).min(0.5 * g * self.time * self.time);
        let fall = gravity.try_normalize(0.0).map_or(0.0, |down| b.fall(&down, most, obstacles));
        (b.velocity.norm_squared() + 2.0 * g * fall).sqrt()
    }

    /// Sets the stiffness of the surface that points meet \[N/m³\] on obstacles at their places, and tells how it was chosen.
    pub(super) fn set_stiffness(&self, parts: &mut Parts) -> Result<(), SceneFileError> {
        let MpmOptions { gravity, spacing, .. } = parts.options;
        let k = match self.contact.stiffness {
            Some(k) => {
                // Beyond, solves lose their digits.
                let lightest = self.bodies.iter().map(|b| b.density * b.thinnest(spacing));
                let most = lightest.fold(f64::INFINITY, f64::min) / (STIFFEST * self.step * self.step);
                if k > most {
                    let why = format!(
                        "contact: stiffness: {k:.1e} N/m³ is more than solves bear beside the points, {most:.1e}; take a softer contact"
                    );
                    return Err(self.wrong(self.contact.line, why));
                }
                parts.choices.push(format!("contact of {k:.3e} N/m³, as given"));
                k
            }
            None => {
                let mut most = [
                    (0.0, "a tenth of the stiffest modulus"),
                    (0.0, "the weight of the heaviest body"),
                    (0.0, "the impact of a body"),
                ];
                let depth = self.depth(spacing);
                for b in &self.bodies {
                    let speed = self.arrival(b, &gravity, &parts.obstacles);
                    let pressures = b.pressures(gravity.norm(), speed, spacing, depth);
                    most.iter_mut().zip(pressures).for_each(|(m, p)| m.0 = f64::max(m.0, p));
                }
                let (pressure, why) = most.into_iter().fold(most[0], |a, b| if b.0 > a.0 { b } else { a });
                let k = pressure / depth;
                parts.choices.push(format!(
                    "contact of {k:.3e} N/m³: {pressure:.3e} Pa, {why}, press {:.3} mm deep",
                    1e3 * depth
                ));
                k
            }
        };
        parts.obstacles.iter_mut().for_each(|o| o.stiffness_per_area = Some(k));
        for b in &self.bodies {
            let high = 2.0 * b.bounds(&b.pose).half_extents();
            let pressure = b.density * high.dot(&gravity.abs());
            if matches!(b.kind, Kind::Solid { .. }) && pressure > SINKS * b.modulus {
                parts.warnings.push(format!(
                    "'{}' gives way under its own weight: {pressure:.2e} Pa press its lowest layer, beside a modulus of {:.2e} Pa; moduli are in Pa, lengths in m",
                    b.name, b.modulus
                ));
            }
        }
        if let Some(o) = parts.obstacles.first() {
            let m = &o.material;
            parts.choices.push(format!(
                "contact dissipates {} s/m; friction holds below {:.1e} m/s",
                m.dissipation, m.stiction_speed
            ));
        }
        Ok(())
    }

    /// Geoms that points meet, as obstacles where they are drawn.
    fn met(
        &self,
        scene: &Scene,
        choices: &mut Vec<String>,
    ) -> Result<(Vec<usize>, Vec<Obstacle>), SceneFileError> {
        let c = &self.contact;
        let geoms = match &c.with {
            Some(names) => {
                if names.is_empty() {
                    choices.push("points meet no geom of the model: with is empty".to_owned());
                }
                let words: Vec<&str> = names.iter().map(|n| n.name.as_str()).collect();
                geoms_named(scene, &words).map_err(|e| {
                    let at = |name: &str| names.iter().find(|n| n.name == name).map(|n| n.line);
                    let line = match &e {
                        CouplingError::Name { name, .. } => at(name),
                        _ => None,
                    };
                    self.wrong(line.unwrap_or(self.contact.line), format!("contact: with: {e}"))
                })?
            }
            None => {
                let solid = |g: &usize| match &scene.geoms[*g].shape {
                    GeomShape::Solid(shape) => shape.check_solid().is_ok(),
                    GeomShape::MissingMesh(_) => false,
                };
                let (all, open): (Vec<usize>, Vec<usize>) =
                    (0..scene.geoms.len()).filter(|g| !scene.geoms[*g].mask.is_empty()).partition(solid);
                if let Some(first) = open.first() {
                    choices.push(format!(
                        "{} geoms that are no closed solids do not meet points, '{}' the first",
                        open.len(),
                        scene.geoms[*first].name
                    ));
                }
                all
            }
        };
        let mut made = obstacles(scene, &geoms, None)
            .map_err(|e| self.wrong(self.contact.line, format!("contact: {e}")))?;
        for o in &mut made {
            let m = &mut o.material;
            *m = ContactMaterial {
                dissipation: c.dissipation.unwrap_or(DISSIPATION),
                stiction_speed: c.stiction_speed.unwrap_or(STICTION_SPEED),
                friction_static: c.friction.unwrap_or(m.friction_static),
                friction_dynamic: c.friction.unwrap_or(m.friction_dynamic),
                ..*m
            };
        }
        Ok((geoms, made))
    }

    /// Points, and the obstacles that the geoms of a scene are to them.
    pub(super) fn parts(&self, scene: &Scene) -> Result<Parts, SceneFileError> {
        let mut choices = Vec::new();
        let gravity = scene.options.gravity;
        let spacing = self.grid(&mut choices)?;
        let of_cell = |depth: f64| match depth / spacing {
            x if x > 1.0 => Some(("more than a cell", "smaller")),
            x if x < SHALLOWEST => Some(("less than a millionth of a cell", "greater")),
            _ => None,
        };
        if let Some((depth, (how, remedy))) = self.contact.depth.and_then(|d| Some((d, of_cell(d)?))) {
            let why = format!(
                "contact: depth: {depth} m is {how} of the grid, {spacing:.3e} m; give a {remedy} one"
            );
            return Err(self.wrong(self.contact.line, why));
        }
        let (geoms, mut obstacles) = self.met(scene, &mut choices)?;
        let (mut particles, mut materials) = (Particles::default(), Vec::<Box<dyn Material>>::new());
        let mut sheets = self.bodies.iter().filter(|b| matches!(b.kind, Kind::Cloth { .. }));
        if let Some(first) = sheets.next()
            && let Some(other) = sheets.find(|b| b.friction != first.friction)
        {
            let why = format!(
                "'{}' has another friction than '{}', and all cloth has one; give both the same, or none",
                other.name, first.name
            );
            return Err(self.wrong(other.line, why));
        }
        let (mut cloth, mut bodies, mut ranges) = (Vec::new(), Vec::new(), Vec::new());
        for body in &self.bodies {
            let first = particles.len();
            let (count, radius, triangles) = match &body.kind {
                Kind::Solid { shape, material } => {
                    let apart = spacing / ALONG;
                    let room = extents(body).product() / apart.powi(3) + particles.len() as f64;
                    // Round shapes fill half of it.
                    if room > 2.0 * MOST {
                        let why = format!(
                            "with '{}' there would be up to {room:.1e} particles {apart:.2e} m apart; take a larger spacing",
                            body.name
                        );
                        return Err(self.wrong(body.line, why));
                    }
                    let count = particles
                        .fill(shape, &body.pose, apart, body.density, materials.len() as u32)
                        .map_err(self.of(body))?;
                    materials.push(material.boxed());
                    if let Some((elastic, forgets)) = material.loss {
                        let own = first..first + count;
                        let deep =
                            |x: &Vector3<f64>| inside(shape, &body.pose, x).is_some_and(|d| d > DEEP * apart);
                        let moduli = [elastic.wave_modulus(), forgets.wave_modulus()];
                        add_between(&mut particles, own, apart, moduli, deep)
                            .map_err(|why| self.wrong(body.line, why))?;
                        materials.push(Box::new(forgets));
                    }
                    (count, 0.5 * apart, Vec::new())
                }
                Kind::Cloth { mesh, material } => {
                    let x: Vec<Point3<f64>> = mesh.vertices().iter().map(|x| body.pose * x).collect();
                    let made =
                        Cloth::new(&mut particles, &x, mesh.triangles(), *material).map_err(self.of(body))?;
                    cloth.push(made);
                    (x.len(), 0.0, mesh.triangles().iter().flatten().copied().collect())
                }
            };
            if let Some(friction) = body.friction {
                let own = (particles.material[first], friction);
                obstacles
                    .iter_mut()
                    .filter(|o| !o.friction_with.contains(&own))
                    .for_each(|o| o.friction_with.push(own));
            }
            if particles.len() as f64 > MOST {
                let why = format!(
                    "with '{}' there are {} particles, more than {MOST:.0e}; take a larger spacing, or longer edges",
                    body.name,
                    particles.len()
                );
                return Err(self.wrong(body.line, why));
            }
            let mass: f64 = particles.mass[first..].iter().sum();
            let middle =
                (first..particles.len()).map(|p| particles.mass[p] * particles.x[p]).sum::<Vector3<f64>>()
                    / mass;
            let turn = body.angular_velocity.cross_matrix();
            for p in first..particles.len() {
                particles.v[p] = body.velocity + turn * (particles.x[p] - middle);
                particles.c[p] = turn;
            }
            choices.push(format!("'{}': {} particles, {mass:.4e} kg", body.name, particles.len() - first));
            ranges.push(first..particles.len());
            let shown = first..first + count;
            bodies.push(PointBody { name: body.name.clone(), particles: shown, radius, triangles });
        }
        if self.bodies.len() > 1 {
            choices.push(format!(
                "bodies of points meet on the grid: they rest about {:.2} mm apart, a cell, and stick to each other",
                1e3 * spacing
            ));
        }
        let options = MpmOptions {
            spacing,
            gravity,
            damping_time: self.damping_time,
            transfer_time: self.transfer_time,
            ..MpmOptions::default()
        };
        Ok(Parts {
            particles,
            materials,
            cloth,
            bodies,
            ranges,
            geoms,
            obstacles,
            options,
            choices,
            warnings: Vec::new(),
        })
    }

    /// Pins to obstacles where they are at the start.
    pub(super) fn held(&self, scene: &Scene, parts: &mut Parts) -> Result<Vec<Held>, SceneFileError> {
        let mut out = Vec::new();
        for table in &self.pins {
            let found = |name: &Named, names: &[&str], what: &str| {
                names.iter().position(|n| *n == name.name).ok_or_else(|| {
                    let near = did_you_mean(&name.name, names);
                    let why =
                        format!("pins: no {what} '{}'{near}; there are {}", name.name, names.join(", "));
                    self.wrong(name.line, why)
                })
            };
            let bodies: Vec<&str> = self.bodies.iter().map(|b| b.name.as_str()).collect();
            let body = found(&table.of, &bodies, "body of points")?;
            let geoms: Vec<&str> = parts.obstacles.iter().map(|o| o.name.as_str()).collect();
            // A body holds by any of its geoms: they move as one.
            let on = |n: &Named| {
                let body = scene.bodies.iter().position(|b| b.name == n.name)?;
                parts.geoms.iter().position(|g| scene.geoms[*g].body == body)
            };
            let to =
                table.to.as_ref().map(|to| match on(to).filter(|_| !geoms.contains(&to.name.as_str())) {
                    Some(o) => Ok(o),
                    None => found(to, &geoms, "geom or body that points meet"),
                });
            let to = to.transpose()?;
            let near = |p: &usize| (parts.particles.x[*p] - table.center).norm() <= table.radius;
            let chosen = parts.ranges[body].clone().filter(near);
            let made = Pin::all(&parts.particles, chosen, to, &parts.obstacles)
                .map_err(|e| self.wrong(table.line, format!("pins of '{}': {e}", table.of.name)))?;
            let holder = table.to.as_ref().map_or("the world", |to| &to.name);
            parts.choices.push(format!("'{}': {} points held by {holder}", table.of.name, made.len()));
            let [stiffness, damping] = table.spring;
            out.extend(
                made.into_iter().map(|pin| Held { pin: pin.spring(stiffness, damping), until: table.until }),
            );
        }
        Ok(out)
    }
}

/// Signed distance of a point to a shape, if it is within reach \[m\].
pub(super) fn signed_distance(
    shape: &Shape,
    pose: &Isometry3<f64>,
    x: &Vector3<f64>,
    reach: f64,
) -> Option<f64> {
    let local = pose.inverse_transform_vector(&(x - pose.translation.vector));
    shape.signed_distance_within(&local, reach).map(|d| d.distance)
}

/// Depth of a point in a shape \[m\]; none outside.
pub(super) fn inside(shape: &Shape, pose: &Isometry3<f64>, x: &Vector3<f64>) -> Option<f64> {
    signed_distance(shape, pose, x, 0.0).map(|d| -d).filter(|d| *d > 0.0)
}
