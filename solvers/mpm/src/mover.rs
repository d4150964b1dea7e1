//! Particles that may touch, and the search for the sides of obstacles that they meet.

use std::ops::Range;

use signorini_core::ContactGeometry;
use signorini_core::na::Vector3;
use signorini_geometry::SignedDistance;

use crate::cloth::{Cloth, area, thickness_at};
use crate::contacts::{Known, Touch, Touches};
use crate::corners::{Meeting, TouchPart};
use crate::obstacle::Obstacle;
use crate::pin::{Hold, Holds, Pin};

/// Factor by which obstacles are sought further ahead than a particle goes without contact: contact of its neighbours may make it faster.
const AHEAD: f64 = 2.0;

/// Behind the last node of a list.
const END: (u32, f64) = (u32::MAX, 0.0);

/// Distance ahead at which a block of particles is looked at where none is faster than `apart` \[m/s\] beside an obstacle, within `horizon` \[s\].
pub(crate) fn farthest(apart: f64, horizon: f64) -> f64 {
    AHEAD * horizon * apart
}

/// Nodes that a particle reaches, with weights, ascending.
pub(crate) type Reached = [(u32, f64); 27];

/// Place and velocities of a particle.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Motion {
    /// \[m\].
    pub x: Vector3<f64>,
    /// \[m/s\].
    pub v: Vector3<f64>,
    /// Σ w v_i* without contact \[m/s\].
    pub free: Vector3<f64>,
    /// Σ w v_i after contact as it was solved last \[m/s\].
    pub now: Vector3<f64>,
}

impl Motion {
    fn add(&mut self, weight: f64, more: &Self) {
        self.x += weight * more.x;
        self.v += weight * more.v;
        self.free += weight * more.free;
        self.now += weight * more.now;
    }
}

/// Sizes of a particle that a contact has of it whatever its place.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Matter {
    /// \[kg\].
    pub mass: f64,
    /// \[m³\].
    pub volume: f64,
    pub material: u32,
}

/// Particles on the nodes of a grid.
pub(crate) trait Field: Sync {
    /// Place of a particle \[m\].
    fn place(&self, particle: usize) -> Vector3<f64>;
    fn matter(&self, particle: usize) -> Matter;
    fn motion(&self, particle: usize) -> Motion;
    fn reached(&self, particle: usize) -> Reached;
}

/// A particle that may touch, or a point of its triangle that a body may meet, and the particles with which its place moves: itself; a centre of cloth goes to the middle of its triangle's corners, another point of the triangle with them by its weights.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mover {
    particle: usize,
    motion: Motion,
    matter: Matter,
    /// Thickness of the cloth that it is of \[m\].
    thickness: Option<f64>,
    part: TouchPart,
    /// The one side that there is, of a point of a triangle.
    side: Option<SignedDistance>,
    /// Particles whose places have the mean, with these weights, that its place is; those of no weight are none.
    corners: [(u32, f64); 3],
}

/// Contacts that were found by a part of a search, and room to work.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub touches: Touches,
    sides: Vec<SignedDistance>,
}

/// An obstacle by number, and how far ahead contacts with it are sought \[s\].
#[derive(Clone, Copy)]
pub(crate) struct Sought<'a> {
    pub number: usize,
    pub obstacle: &'a Obstacle,
    pub horizon: f64,
}

impl Mover {
    /// Takes a particle, or the middle of the corners of cloth whose centre it is.
    pub(crate) fn set(&mut self, particle: usize, cloth: &[Cloth], field: &impl Field) {
        (self.part, self.side) = (TouchPart::Particle, None);
        let corners = match cloth.iter().find_map(|c| c.corners(particle)) {
            Some(corners) => corners.map(|c| (c, 1.0 / 3.0)),
            None => [(particle as u32, 1.0), (0, 0.0), (0, 0.0)],
        };
        self.take(particle, corners, cloth, field);
    }

    /// Takes the point of a triangle that a corner or an edge of a body meets, in place of the triangle's centre: it has the centre's mass, volume and material.
    pub(crate) fn set_meeting(&mut self, m: &Meeting, cloth: &[Cloth], field: &impl Field) {
        (self.part, self.side) = (m.part, Some(m.side));
        self.take(m.centre, m.weights.map(|(c, w)| (c, w.max(0.0))), cloth, field);
    }

    fn take(&mut self, particle: usize, corners: [(u32, f64); 3], cloth: &[Cloth], field: &impl Field) {
        (self.particle, self.matter) = (particle, field.matter(particle));
        self.thickness = thickness_at(cloth, particle);
        self.corners = corners;
        self.motion = Motion::default();
        for (corner, weight) in corners.iter().filter(|c| c.1 > 0.0) {
            self.motion.add(*weight, &field.motion(*corner as usize));
        }
    }

    /// Replaces `out` by the sides of an obstacle within `reach` \[m\].
    fn sides(&self, obstacle: &Obstacle, reach: f64, out: &mut Vec<SignedDistance>) {
        let Some(side) = self.side else { return obstacle.sides(&self.motion.x, reach, out) };
        out.clear();
        out.extend((side.distance < reach).then_some(side));
    }

    /// Writes the nodes with which its place moves behind others, each once, ascending.
    fn write_row(&self, field: &impl Field, rows: &mut Vec<(u32, f64)>) -> Range<usize> {
        let first = rows.len();
        if let [(own, 1.0), (_, 0.0), (_, 0.0)] = self.corners {
            rows.extend(field.reached(own as usize));
            return first..rows.len();
        }
        let lists = self.corners.map(|(c, w)| if w > 0.0 { field.reached(c as usize) } else { [END; 27] });
        let mut at = [0; 3];
        let next = |at: &[usize; 3], i: usize| *lists[i].get(at[i]).unwrap_or(&END);
        loop {
            let node = next(&at, 0).0.min(next(&at, 1).0).min(next(&at, 2).0);
            if node == END.0 {
                return first..rows.len();
            }
            let mut sum = 0.0;
            for i in 0..3 {
                let (n, w) = next(&at, i);
                if n == node {
                    sum += self.corners[i].1 * w;
                    at[i] += 1;
                }
            }
            rows.push((node, sum));
        }
    }

    /// Adds a pin of its particle.
    pub(crate) fn hold(&self, pin: &Pin, obstacles: &[Obstacle], field: &impl Field, out: &mut Holds) {
        let velocity = pin.obstacle.map_or_else(Vector3::zeros, |o| obstacles[o].velocity_at(&self.motion.x));
        let row = self.write_row(field, &mut out.rows);
        let gap = self.motion.x - pin.place(obstacles);
        // Masses of nodes come later.
        let (corners, x, mass) = (self.corners, self.motion.x, self.matter.mass);
        let impulse = Vector3::zeros();
        out.list.push(Hold { pin: *pin, x, gap, velocity, impulse, mass, inverse_mass: 0.0, row, corners });
    }

    /// Adds a contact for each of the sides.
    fn add(&self, obstacle: usize, velocity: Vector3<f64>, sought: f64, field: &impl Field, out: &mut Found) {
        let Found { touches: out, sides } = out;
        if sides.is_empty() {
            return;
        }
        let row = self.write_row(field, &mut out.rows);
        let Matter { mass, volume, material } = self.matter;
        let area = area(volume, self.thickness);
        out.list.extend(sides.iter().map(|side| Touch {
            particle: self.particle,
            part: self.part,
            obstacle,
            x: self.motion.x,
            v: self.motion.v,
            mass,
            volume,
            material,
            area,
            gap: side.distance,
            frame: ContactGeometry::frame(&side.normal),
            velocity,
            end: side.distance,
            impulse: Vector3::zeros(),
            sought,
            row: row.clone(),
        }));
        out.corners.resize(out.list.len(), self.corners);
    }

    /// Distance \[m\] at which an obstacle that moves with `velocity` there \[m/s\] is looked for.
    ///
    /// ```text
    /// 2 δt max(|v − v_o|, |Σ w v_i* − v_o|)
    /// ```
    fn reach(&self, velocity: &Vector3<f64>, horizon: f64) -> f64 {
        let Motion { v, free, .. } = &self.motion;
        farthest((v - velocity).norm().max((free - velocity).norm()), horizon)
    }

    /// Adds to `out` a contact for each side of an obstacle that it touches, or may touch within the horizon.
    pub(crate) fn find(&self, of: Sought<'_>, field: &impl Field, out: &mut Found) {
        let Sought { number, obstacle, horizon } = of;
        let velocity = obstacle.velocity_at(&self.motion.x);
        let reach = self.reach(&velocity, horizon);
        self.sides(obstacle, reach, &mut out.sides);
        self.add(number, velocity, reach, field, out);
    }

    /// As [`Mover::find`], after contact was solved: only sides beyond the first search, which it crosses and which are not `known`.
    pub(crate) fn find_again(
        &self,
        of: Sought<'_>,
        (field, known): (&impl Field, Known<'_>),
        out: &mut Found,
    ) {
        let Sought { number, obstacle, horizon } = of;
        let velocity = obstacle.velocity_at(&self.motion.x);
        let way = horizon * (self.motion.now - velocity);
        if way.norm() <= self.reach(&velocity, horizon) {
            return;
        }
        let sides = &mut out.sides;
        self.sides(obstacle, way.norm(), sides);
        sides.retain(|side| side.distance + side.normal.dot(&way) < 0.0);
        let is =
            |t: &Touch, side: &SignedDistance| t.gap == side.distance && t.frame.column(0) == side.normal;
        let known = |side: &SignedDistance| {
            known.of(self.particle, self.part).any(|(_, t)| t.obstacle == number && is(t, side))
        };
        sides.retain(|side| !known(side));
        self.add(number, velocity, way.norm(), field, out);
    }
}
