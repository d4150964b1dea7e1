//! Particles that may touch, and the search for the sides of obstacles that they meet.

use std::ops::Range;

use signorini_core::ContactGeometry;
use signorini_core::na::Vector3;
use signorini_geometry::SignedDistance;

use crate::cloth::{Cloth, area, thickness_at};
use crate::contacts::{Known, Touch, Touches, sum_of};
use crate::corners::{Meeting, TouchPart};
use crate::obstacle::Obstacle;
use crate::pin::{Hold, Holds, Pin};

/// Factor by which obstacles are sought further ahead than a particle goes without contact: contact of its neighbours may make it faster.
const AHEAD: f64 = 2.0;

/// Distance ahead at which a block of particles is looked at where none is faster than `apart` \[m/s\] beside an obstacle, within `horizon` \[s\].
pub(crate) fn farthest(apart: f64, horizon: f64) -> f64 {
    AHEAD * horizon * apart
}

/// A particle, and the nodes that it reaches, with weights.
pub(crate) struct Reaching {
    /// \[m\].
    pub x: Vector3<f64>,
    /// \[m/s\].
    pub v: Vector3<f64>,
    /// \[kg\].
    pub mass: f64,
    /// \[m³\].
    pub volume: f64,
    pub material: u32,
    pub nodes: [(u32, f64); 27],
}

/// A particle that may touch, or a point of its triangle that a body may meet, and the nodes with which its place moves: those that the particle reaches; a centre of cloth, which goes to the middle of its triangle's corners, has the means of theirs, another point of the triangle their means by its weights.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mover {
    pub particle: usize,
    /// \[m\].
    pub x: Vector3<f64>,
    /// \[m/s\].
    pub v: Vector3<f64>,
    /// \[kg\].
    pub mass: f64,
    /// \[m³\].
    pub volume: f64,
    material: u32,
    /// Thickness of the cloth that it is of \[m\].
    thickness: Option<f64>,
    part: TouchPart,
    /// The one side that there is, of a point of a triangle.
    side: Option<SignedDistance>,
    /// Particles whose places have the mean, with these weights, that its place is; those of no weight are none.
    corners: [(u32, f64); 3],
    /// The nodes of corners one after the other.
    pub reached: Vec<(u32, f64)>,
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
    pub(crate) fn set(&mut self, particle: usize, cloth: &[Cloth], of: impl Fn(usize) -> Reaching) {
        self.reached.clear();
        (self.part, self.side) = (TouchPart::Particle, None);
        let Reaching { x, v, nodes, .. } = self.take(particle, cloth, &of);
        let Some(corners) = cloth.iter().find_map(|c| c.corners(particle)) else {
            (self.x, self.v) = (x, v);
            self.corners = [(particle as u32, 1.0), (0, 0.0), (0, 0.0)];
            return self.reached.extend(nodes);
        };
        self.corners = corners.map(|c| (c, 1.0 / 3.0));
        (self.x, self.v) = (Vector3::zeros(), Vector3::zeros());
        for Reaching { x, v, nodes, .. } in corners.map(|corner| of(corner as usize)) {
            self.x += x / 3.0;
            self.v += v / 3.0;
            self.reached.extend(nodes.map(|(n, w)| (n, w / 3.0)));
        }
    }

    /// Takes the point of a triangle that a corner or an edge of a body meets, in place of the triangle's centre: it has the centre's mass, volume and material.
    pub(crate) fn set_meeting(&mut self, m: &Meeting, cloth: &[Cloth], of: impl Fn(usize) -> Reaching) {
        self.reached.clear();
        (self.part, self.side) = (m.part, Some(m.side));
        self.take(m.centre, cloth, &of);
        self.corners = m.weights.map(|(c, w)| (c, w.max(0.0)));
        (self.x, self.v) = (Vector3::zeros(), Vector3::zeros());
        for (corner, weight) in m.weights.iter().filter(|w| w.1 > 0.0) {
            let Reaching { x, v, nodes, .. } = of(*corner as usize);
            self.x += *weight * x;
            self.v += *weight * v;
            self.reached.extend(nodes.map(|(n, w)| (n, weight * w)));
        }
    }

    /// Takes over what a contact has of a particle whatever its place.
    fn take(&mut self, particle: usize, cloth: &[Cloth], of: &impl Fn(usize) -> Reaching) -> Reaching {
        let own = of(particle);
        (self.particle, self.mass, self.volume) = (particle, own.mass, own.volume);
        (self.material, self.thickness) = (own.material, thickness_at(cloth, particle));
        own
    }

    /// Replaces `out` by the sides of an obstacle within `reach` \[m\].
    fn sides(&self, obstacle: &Obstacle, reach: f64, out: &mut Vec<SignedDistance>) {
        let Some(side) = self.side else { return obstacle.sides(&self.x, reach, out) };
        out.clear();
        out.extend((side.distance < reach).then_some(side));
    }

    /// Writes the nodes of the contact behind others, each once, ascending.
    fn write_row(&self, rows: &mut Vec<(u32, f64)>) -> Range<usize> {
        let first = rows.len();
        rows.extend_from_slice(&self.reached);
        // Stable, so that sums are the same each time.
        rows[first..].sort_by_key(|r| r.0);
        let mut end = first;
        for i in first..rows.len() {
            if end > first && rows[end - 1].0 == rows[i].0 {
                rows[end - 1].1 += rows[i].1;
            } else {
                rows[end] = rows[i];
                end += 1;
            }
        }
        rows.truncate(end);
        first..end
    }

    /// Adds a pin of its particle.
    pub(crate) fn hold(&self, pin: &Pin, obstacles: &[Obstacle], out: &mut Holds) {
        let velocity = pin.obstacle.map_or_else(Vector3::zeros, |o| obstacles[o].velocity_at(&self.x));
        let row = self.write_row(&mut out.rows);
        let gap = self.x - pin.place(obstacles);
        // Masses of nodes come later.
        let (corners, x, mass) = (self.corners, self.x, self.mass);
        out.list.push(Hold { pin: *pin, x, gap, velocity, mass, inverse_mass: 0.0, row, corners });
    }

    /// Adds a contact for each of the sides.
    fn add(
        &self,
        obstacle: usize,
        velocity: Vector3<f64>,
        (sought, sides): (f64, &[SignedDistance]),
        out: &mut Touches,
    ) {
        if sides.is_empty() {
            return;
        }
        let row = self.write_row(&mut out.rows);
        let area = area(self.volume, self.thickness);
        out.list.extend(sides.iter().map(|side| Touch {
            particle: self.particle,
            part: self.part,
            obstacle,
            x: self.x,
            v: self.v,
            mass: self.mass,
            volume: self.volume,
            material: self.material,
            area,
            gap: side.distance,
            frame: ContactGeometry::frame(&side.normal),
            velocity,
            end: side.distance,
            sought,
            row: row.clone(),
        }));
        out.corners.resize(out.list.len(), self.corners);
    }

    /// Σ w v_i \[m/s\].
    pub(crate) fn sample(&self, velocity: impl Fn(usize) -> Vector3<f64>) -> Vector3<f64> {
        sum_of(&self.reached, velocity)
    }

    /// Distance \[m\] at which an obstacle that moves with `velocity` there \[m/s\] is looked for by one whose nodes would give it `free` \[m/s\] without contact.
    ///
    /// ```text
    /// 2 δt max(|v − v_o|, |Σ w v_i* − v_o|)
    /// ```
    pub(crate) fn reach(&self, free: &Vector3<f64>, velocity: &Vector3<f64>, horizon: f64) -> f64 {
        farthest((self.v - velocity).norm().max((free - velocity).norm()), horizon)
    }

    /// Adds to `out` a contact for each side of an obstacle that it touches, or may touch within the horizon. `sides` is room to work.
    pub(crate) fn find(
        &self,
        free: &Vector3<f64>,
        of: Sought<'_>,
        sides: &mut Vec<SignedDistance>,
        out: &mut Touches,
    ) {
        let Sought { number, obstacle, horizon } = of;
        let velocity = obstacle.velocity_at(&self.x);
        let reach = self.reach(free, &velocity, horizon);
        self.sides(obstacle, reach, sides);
        self.add(number, velocity, (reach, sides), out);
    }

    /// As [`Mover::find`], after contact gave it the velocity `now` \[m/s\] in place of `free`: only sides beyond the first search, which it crosses and which are not `known`.
    pub(crate) fn find_again(
        &self,
        [free, now]: [&Vector3<f64>; 2],
        of: Sought<'_>,
        known: Known<'_>,
        sides: &mut Vec<SignedDistance>,
        out: &mut Touches,
    ) {
        let Sought { number, obstacle, horizon } = of;
        let velocity = obstacle.velocity_at(&self.x);
        let way = horizon * (now - velocity);
        if way.norm() <= self.reach(free, &velocity, horizon) {
            return;
        }
        self.sides(obstacle, way.norm(), sides);
        sides.retain(|side| side.distance + side.normal.dot(&way) < 0.0);
        let is =
            |t: &Touch, side: &SignedDistance| t.gap == side.distance && t.frame.column(0) == side.normal;
        let known = |side: &SignedDistance| {
            known.of(self.particle, self.part).any(|(_, t)| t.obstacle == number && is(t, side))
        };
        sides.retain(|side| !known(side));
        self.add(number, velocity, (way.norm(), sides), out);
    }
}
