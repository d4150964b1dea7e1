//! Pins: particles that are held at points of obstacles or of the world.

use std::f64::consts::{PI, TAU};
use std::ops::Range;

use signorini_core::na::{Point3, Vector3};
use signorini_laws::NearRigidSeed;

use crate::error::{MpmError, value};
use crate::obstacle::Obstacle;
use crate::particles::Particles;

/// Period of a rigid pin in steps: shorter ones show less than 10⁻⁶ m, and cost iterations and digits of the solve.
pub(crate) const RIGID_PERIOD: f64 = 1.0;

/// A particle that is held at a point of an obstacle, or of the world, by a spring and a damper that push and pull alike.
///
/// ```text
/// γ = −δt (k (g₀ + δt c) + d c),   g₀ = x − a,   c = Σ w v_i − v_o(x)
/// ```
/// a: the anchor, which moves with the obstacle. Force and velocity are those at the end of the step, a convex part of its problem like contact ([`signorini_laws::NearRigid`]): no stiffness limits the step. The obstacle has −γ at x among its impulses, and does not meet the particles that are pinned to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pin {
    /// Number of the particle.
    pub particle: usize,
    /// Number of the obstacle that holds it; none for the world.
    pub obstacle: Option<usize>,
    /// Anchor in the frame of the obstacle, or of the world \[m\].
    pub anchor: Vector3<f64>,
    /// k > 0 \[N/m\]; infinite for a rigid one, whose period on the nodes that it moves is one step, critically damped. None is stiffer than that.
    pub stiffness: f64,
    /// d ≥ 0 \[N·s/m\], 0 for a rigid one. None is more than the rigid one's.
    pub damping: f64,
}

impl Pin {
    /// Pins for particles where they are, rigid until [`Pin::spring`] makes them softer.
    ///
    /// # Errors
    /// [`MpmError::Pin`] without particles, for one that does not exist, and for an obstacle that does not.
    pub fn all(
        particles: &Particles,
        chosen: impl IntoIterator<Item = usize>,
        obstacle: Option<usize>,
        obstacles: &[Obstacle],
    ) -> Result<Vec<Self>, MpmError> {
        let made: Vec<Self> = chosen
            .into_iter()
            .map(|particle| {
                let pin = Self {
                    particle,
                    obstacle,
                    anchor: Vector3::zeros(),
                    stiffness: f64::INFINITY,
                    damping: 0.0,
                };
                pin.check(particles.len(), obstacles.len())?;
                let x = particles.x[particle];
                let anchor = obstacle
                    .map_or(x, |o| obstacles[o].pose.inverse_transform_point(&Point3::from(x)).coords);
                Ok(Self { anchor, ..pin })
            })
            .collect::<Result<_, MpmError>>()?;
        if made.is_empty() {
            let what = "no particle is chosen".into();
            return Err(MpmError::Pin { what, remedy: "choose some that lie where the pins are to hold" });
        }
        Ok(made)
    }

    /// With a spring of this stiffness \[N/m\] and a damper \[N·s/m\].
    #[must_use]
    pub fn spring(self, stiffness: f64, damping: f64) -> Self {
        Self { stiffness, damping, ..self }
    }

    /// Place of the anchor \[m\].
    pub fn place(&self, obstacles: &[Obstacle]) -> Vector3<f64> {
        self.obstacle.map_or(self.anchor, |o| (obstacles[o].pose * Point3::from(self.anchor)).coords)
    }

    /// Elastic energy \[J\] of a particle at `x` \[m\]; a rigid pin gives nothing back.
    pub(crate) fn stored_energy(&self, x: &Vector3<f64>, obstacles: &[Obstacle]) -> f64 {
        let gap = x - self.place(obstacles);
        if self.stiffness.is_finite() { 0.5 * self.stiffness * gap.norm_squared() } else { 0.0 }
    }

    /// Fails on numbers with which it cannot be, among so many particles and obstacles.
    pub(crate) fn check(&self, particles: usize, obstacles: usize) -> Result<(), MpmError> {
        let refuse = |what: String, remedy| Err(MpmError::Pin { what, remedy });
        if self.particle >= particles {
            let what = format!("particle {} is not one of {particles}", self.particle);
            return refuse(what, "count particles from 0 on");
        }
        if let Some(o) = self.obstacle.filter(|o| *o >= obstacles) {
            return refuse(
                format!("obstacle {o} is not one of {obstacles}"),
                "count obstacles from 0 on, or pin to the world",
            );
        }
        let of = |what: &str| format!("{what} of the pin of particle {}", self.particle);
        for x in &self.anchor {
            value(of("a coordinate of the anchor"), *x, true, "m, a finite number")?;
        }
        if self.stiffness.is_nan() || self.stiffness <= 0.0 {
            value(of("the stiffness"), self.stiffness, false, "N/m > 0, or infinite")?;
        }
        value(of("the damping"), self.damping, self.damping >= 0.0, "N·s/m, 0 or more")?;
        let free = self.stiffness.is_finite() || self.damping == 0.0;
        value(of("the damping"), self.damping, free, "none to a rigid one, or a stiffness too")
    }
}

/// Whether one of the pins, in the order of [`in_order`], holds a particle at an obstacle.
pub(crate) fn holds(pins: &[Pin], particle: usize, obstacle: usize) -> bool {
    pins.binary_search_by_key(&(particle, Some(obstacle)), |pin| (pin.particle, pin.obstacle)).is_ok()
}

/// Pins that can be, by their particles and obstacles.
pub(crate) fn in_order(mut pins: Vec<Pin>, particles: usize, obstacles: usize) -> Result<Vec<Pin>, MpmError> {
    pins.iter().try_for_each(|pin| pin.check(particles, obstacles))?;
    let place = |pin: &Pin| (pin.particle, pin.obstacle);
    pins.sort_by_key(place);
    if let Some(twice) = pins.windows(2).find(|w| place(&w[0]) == place(&w[1])) {
        let to = twice[0].obstacle.map_or_else(|| "the world".into(), |o| format!("obstacle {o}"));
        let what = format!("particle {} is pinned to {to} twice", twice[0].particle);
        return Err(MpmError::Pin { what, remedy: "give one pin, as stiff as both" });
    }
    Ok(pins)
}

/// A pin in a step.
#[derive(Clone, Debug)]
pub struct Hold {
    /// The pin.
    pub pin: Pin,
    /// Place of the particle \[m\].
    pub x: Vector3<f64>,
    /// g₀ \[m\], world axes.
    pub gap: Vector3<f64>,
    /// Velocity of the obstacle at x \[m/s\].
    pub velocity: Vector3<f64>,
    /// Impulse that it gave what holds it in the step, world axes \[N·s\]. None before there is one.
    pub impulse: Vector3<f64>,
    /// Mass of the particle \[kg\].
    pub mass: f64,
    /// Σ w²/m of the nodes of its row, free or not \[1/kg\].
    pub inverse_mass: f64,
    /// Places in [`Holds::rows`] of the nodes that the particle moves with.
    pub row: Range<usize>,
    /// Particles whose places have the mean, with these weights, that its place is.
    pub(crate) corners: [(u32, f64); 3],
}

/// Pins in a step, and the nodes of each with weights.
#[derive(Clone, Debug, Default)]
pub struct Holds {
    /// The pins.
    pub list: Vec<Hold>,
    /// (Node, weight) of all pins one after the other, each node once in a pin, ascending.
    pub rows: Vec<(u32, f64)>,
}

impl Holds {
    pub(crate) fn clear(&mut self) {
        self.list.clear();
        self.rows.clear();
    }
}

impl Hold {
    /// Stiffness \[N/m\] and damping \[N·s/m\] in a step of `dt` \[s\], on nodes alone.
    pub fn spring(&self, dt: f64) -> [f64; 2] {
        self.spring_on(dt, self.inverse_mass)
    }

    /// Stiffness \[N/m\] and damping \[N·s/m\] in a step of `dt` \[s\] on rows of this inverse mass \[1/kg\], neither above that of a rigid pin.
    fn spring_on(&self, dt: f64, inverse_mass: f64) -> [f64; 2] {
        let period = RIGID_PERIOD * dt;
        let rigid = (TAU / period).powi(2) / inverse_mass;
        let damper = period / PI * rigid;
        match self.pin.stiffness.is_finite() {
            true => [self.pin.stiffness.min(rigid), self.pin.damping.min(damper)],
            false => [rigid, damper],
        }
    }

    /// Seed of the law in a step of `dt` \[s\], where nodes are not all of its rows' inverse mass: the `rest` is that of a body \[1/kg\].
    pub fn seed(&self, dt: f64, rest: f64) -> NearRigidSeed<3> {
        NearRigidSeed {
            dt,
            gap: self.gap,
            inverse_mass: self.inverse_mass + rest,
            recovery_speed: f64::INFINITY,
            shortest_step: 0.0,
            spring: Some(self.spring_on(dt, self.inverse_mass + rest)),
            softness: None,
            velocity: Vector3::zeros(),
        }
    }
}
