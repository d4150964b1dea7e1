//! Surfaces between bodies within a step, as polygons that are contacts.

use signorini_core::ProblemError;
use signorini_core::na::{Point3, Translation3, Vector3};
use signorini_geometry::pressure::{ContactPolygon, ContactSurface, SurfaceOptions};
use signorini_geometry::{ContactPoint, Shape};

use crate::contact::area_side::{AreaSide, DEEPEST};
use crate::contact::pairs::Pair;
use crate::contact::passing::Bend;
use crate::contact::placed::Placed;
use crate::contact::quadrature::{Quadrature, is_coarse};

/// Most surfaces that are sought for one pair in a step.
const LOOKS: usize = 8;
/// Part of the depth by which the place of a surface may be off.
const OFF: f64 = 0.25;
/// Part of the depth by which bodies may move that count as at rest.
const STILL: f64 = 1e-3;

/// A polygon beyond what a contact in a point has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct AreaPart {
    /// Number of the pair among those of the search that meet over areas, and of the surface.
    pub patch: u32,
    pub surface: u32,
    /// Force where the gap is zero \[N\]: f₀ = preload − k φ.
    pub preload: f64,
}

/// A polygon as a contact of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PolygonContact {
    /// Points of both bodies at the start of the step, normal, and the depth that force and stiffness make.
    pub point: ContactPoint,
    pub force: f64,
    pub stiffness: f64,
    pub bend: Bend,
    /// Bodies were moved: the points lie apart.
    pub apart: bool,
}

/// Where the bodies of a pair are taken for their surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Posed {
    /// Time along their motion \[s\].
    t: f64,
    /// Way of B beyond \[m\].
    shift: Vector3<f64>,
    /// How much nearer they are than at the start \[m\], and how deep.
    closer: f64,
    depth: f64,
}

/// A way on which bodies are brought together for their surface.
#[derive(Clone, Copy, Debug)]
enum Course {
    /// As they move within the step: at the speed \[m/s\] and the acceleration \[m/s²\] at which they close at first. Beyond its end along the normal.
    Motion { speed: f64, pull: f64 },
    /// As they move up to a time \[s\], when they are so much nearer \[m\], and along the normal from there.
    Straight { t: f64, closer: f64 },
}

impl Course {
    /// Time \[s\] at which bodies are `closer` \[m\] in a step of the length h in which they come nearer by `way` \[m\], and how much of that they go along the normal.
    fn place(self, closer: f64, way: f64, h: f64) -> (f64, f64) {
        match self {
            Self::Straight { t, closer: before } => (t, closer - before),
            // Bodies that part are where they get.
            Self::Motion { .. } if closer >= way || way <= 0.0 => (h, (closer - way).max(0.0)),
            Self::Motion { pull: 0.0, .. } => (h * closer.max(0.0) / way, 0.0),
            Self::Motion { speed, pull } => {
                let closer = closer.max(0.0);
                let root = (speed * speed + 2.0 * pull * closer).max(0.0).sqrt();
                let t = if speed > 0.0 { 2.0 * closer / (speed + root) } else { (root - speed) / pull };
                (t.min(h), 0.0)
            }
        }
    }
}

/// A surface as a spring.
#[derive(Clone, Copy, Debug)]
struct Reading {
    force: f64,
    stiffness: f64,
    /// Largest extent of the softer side.
    extent: f64,
}

impl Reading {
    fn of(surface: &ContactSurface, softer: f64) -> Self {
        let n = surface.force().try_normalize(0.0).unwrap_or_default();
        let stiffness = surface.polygons().iter().map(|p| p.stiffness() * p.normal.dot(&n).powi(2)).sum();
        let pressure = surface.polygons().iter().map(|p| p.pressure).fold(0.0, f64::max);
        Self { force: surface.force().norm(), stiffness, extent: pressure / softer }
    }
}

impl Posed {
    /// Energy of a surface found here \[J\]: of columns along the normals that begin with the pressure of a polygon and lose its gradient, to their end or the depth.
    pub(crate) fn energy(&self, surface: &ContactSurface) -> f64 {
        let column = |p: &ContactPolygon| {
            let gradient = p.gradient().max(0.0);
            let length = (p.pressure / gradient).min(self.depth);
            p.area * length * (p.pressure - 0.5 * gradient * length)
        };
        surface.polygons().iter().map(column).sum()
    }
}

/// Surfaces where bodies are, of the pairs of a search for which they are found first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overlaps {
    surfaces: Vec<ContactSurface>,
    used: usize,
}

/// The surface of a pair where bodies are, as far as it was found before contacts were looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Overlap {
    Unknown,
    /// They do not meet there.
    None,
    /// Its number among [`Overlaps`].
    Surface(usize),
}

impl Overlaps {
    pub(crate) fn clear(&mut self) {
        self.used = 0;
    }

    /// One of them, by number.
    pub(crate) fn surface(&mut self, number: usize) -> &mut ContactSurface {
        &mut self.surfaces[number]
    }
}

impl Placed<'_> {
    /// Finds the surface where bodies are of a pair with a triangle mesh, and adds the point that stands for it: normal of its force, centre of its pressure, depth of its largest pressure in both fields. Contacts of the triangles of such a pair take longer, and nothing else asks for them.
    pub(crate) fn overlap(
        &self,
        p: &Pair,
        overlaps: &mut Overlaps,
        points: &mut Vec<ContactPoint>,
    ) -> Result<Overlap, ProblemError> {
        let Some(sides) = self.areas(p) else { return Ok(Overlap::Unknown) };
        if ![p.a, p.b].iter().any(|i| matches!(self.colliders[*i as usize].shape, Shape::Mesh(_))) {
            return Ok(Overlap::Unknown);
        }
        if overlaps.used == overlaps.surfaces.len() {
            overlaps.surfaces.push(ContactSurface::new());
        }
        let surface = &mut overlaps.surfaces[overlaps.used];
        self.surface_at(p, sides, 0.0, &Vector3::zeros(), surface)?;
        if surface.polygons().is_empty() {
            return Ok(Overlap::None);
        }
        let Some(normal) = surface.force().try_normalize(0.0) else { return Ok(Overlap::Unknown) };
        let (mut force, mut center, mut pressure) = (0.0, Vector3::zeros(), 0.0_f64);
        for polygon in surface.polygons() {
            force += polygon.force();
            center += polygon.force() * polygon.center_of_pressure.coords;
            pressure = pressure.max(polygon.pressure);
        }
        let at = Point3::from(center / force);
        let gap = -pressure * sides.iter().map(|s| s.compliance()).sum::<f64>();
        points.push(ContactPoint { p_a: at, p_b: at, normal, gap, feature: 0 });
        overlaps.used += 1;
        Ok(Overlap::Surface(overlaps.used - 1))
    }

    /// Sides of a pair that meets over an area.
    fn areas(&self, p: &Pair) -> Option<[&AreaSide; 2]> {
        let [a, b] = [p.a, p.b].map(|i| self.colliders[i as usize].area.as_ref());
        p.meeting.is_area().then_some([a?, b?])
    }

    fn surface_at(
        &self,
        p: &Pair,
        [a, b]: [&AreaSide; 2],
        t: f64,
        shift: &Vector3<f64>,
        out: &mut ContactSurface,
    ) -> Result<(), ProblemError> {
        let of = [p.a, p.b].map(|i| &self.colliders[i as usize]);
        let [x_wa, x_wb] = of.map(|c| self.motion.moved(self.kin, self.model, c.body, t) * c.pose);
        let x_wb = Translation3::from(*shift) * x_wb;
        let options = SurfaceOptions { keeps_vertices: true, ..SurfaceOptions::default() };
        let mut neighbours = self.neighbours.borrow_mut();
        neighbours.surface([&a.side(), &b.side()], [&x_wa, &x_wb], &options, out).map_err(|e| {
            ProblemError::Unsupported(format!("geoms '{}' and '{}': {e}", of[0].name, of[1].name))
        })
    }

    /// Finds the surfaces of a pair with which a step is solved: that where bodies are, as far as it is not `known`, and that where they are expected at its end; None where they do not meet there. `near` is their nearest contact, with the
    /// gap at the start of the step, and the time at which they meet where that is later.
    ///
    /// Bodies that hardly move have the surface where they are alone. Beside a surface ahead that where they are has the polygons that are expected to open ([`Placed::polygon_contacts`]): impulses elsewhere may
    /// set down again what a body lifts (papers/kurtz2025cenic, contact over areas).
    pub(crate) fn meet_over_area(
        &self,
        p: &Pair,
        (near, meeting): (&ContactPoint, Option<f64>),
        known: Overlap,
        [start, end]: [&mut ContactSurface; 2],
    ) -> Result<[Option<Posed>; 2], ProblemError> {
        let Some(sides) = self.areas(p) else { return Ok([None; 2]) };
        match known {
            Overlap::Unknown => self.surface_at(p, sides, 0.0, &Vector3::zeros(), start)?,
            Overlap::None => start.clear(),
            Overlap::Surface(_) => {}
        }
        let here = Posed { t: 0.0, shift: Vector3::zeros(), closer: 0.0, depth: (-near.gap).max(0.0) };
        let here = (!start.polygons().is_empty()).then_some(here);
        if self.motion.horizon == 0.0 || here.is_some() && self.rests(p, start) {
            return Ok([here, None]);
        }
        let there = match self.moving(p, sides, near, end)? {
            None if here.is_none() => self.going_on(p, sides, (near, meeting), end)?,
            found => found,
        };
        Ok([here, there])
    }

    /// Whether no point of a surface moves by more than a small part of the depth within the step.
    fn rests(&self, p: &Pair, surface: &ContactSurface) -> bool {
        let (h, bodies) = (self.motion.horizon, [p.a, p.b].map(|i| self.colliders[i as usize].body));
        let (mut depth, mut way): (f64, f64) = (0.0, 0.0);
        for polygon in surface.polygons() {
            let (place, n) = (polygon.center_of_pressure, polygon.normal);
            let contact = ContactPoint { p_a: place, p_b: place, normal: n, gap: 0.0, feature: 0 };
            way = way.max((h * self.relative(bodies, &contact, h).dot(&n)).abs());
            if polygon.gradient() > 0.0 {
                depth = depth.max(polygon.pressure / polygon.gradient());
            }
        }
        way <= STILL * depth
    }

    /// Finds the surface where bodies are expected at the end of the step, on the way that they move.
    fn moving(
        &self,
        p: &Pair,
        sides: [&AreaSide; 2],
        near: &ContactPoint,
        surface: &mut ContactSurface,
    ) -> Result<Option<Posed>, ProblemError> {
        let bodies = [p.a, p.b].map(|i| self.colliders[i as usize].body);
        let (h, n) = (self.motion.horizon, near.normal);
        let speed = -self.relative(bodies, near, 0.0).dot(&n);
        let pull = -(self.motion.gain(bodies[1], 1.0) - self.motion.gain(bodies[0], 1.0)).dot(&n);
        let way = -h * self.relative(bodies, near, h).dot(&n);
        self.balanced(p, sides, near, (Course::Motion { speed, pull }, way), surface)
    }

    /// Finds the surface of bodies that are apart and do not meet on the way that they move.
    ///
    /// Bodies that turn may not meet where the way of their nearest points says: from the time of their meeting on they are taken straight on. Bodies that do not come near each other do so when something
    /// else stops one of them: then it stays where it is, and the other one goes on alone.
    fn going_on(
        &self,
        p: &Pair,
        sides: [&AreaSide; 2],
        (near, meeting): (&ContactPoint, Option<f64>),
        surface: &mut ContactSurface,
    ) -> Result<Option<Posed>, ProblemError> {
        let bodies = [p.a, p.b].map(|i| self.colliders[i as usize].body);
        let (h, n, gap) = (self.motion.horizon, near.normal, near.gap);
        let closer = |t: f64| -t * self.relative(bodies, near, t).dot(&n);
        let (way, pulls) = (closer(h), self.motion.pulls(bodies));
        if let Some(t) = meeting.filter(|_| way + pulls > gap) {
            let course = Course::Straight { t, closer: closer(t) };
            let found = self.balanced(p, sides, near, (course, way), surface)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        let a = self.velocity(bodies[0], &near.p_a, h).dot(&n);
        let b = -self.velocity(bodies[1], &near.p_b, h).dot(&n);
        let alone = h * (a.max(0.0) + b.max(0.0));
        if alone <= way.max(0.0) || alone + pulls <= gap {
            return Ok(None);
        }
        self.balanced(p, sides, near, (Course::Straight { t: 0.0, closer: 0.0 }, alone), surface)
    }

    /// Finds the surface on a course on which bodies would come nearer by `way` = h u in the step: there, or
    /// less or more by the w at which a spring F(w) holds the mass m of both,
    /// ```text
    /// F(w) = m (h u + a h² − w)/h²
    /// ```
    /// a h² being the way that forces may take them. Each polygon is stepped back to the start: f₀ = A p + k n·d, with the way d of B relative to A in between, so that its force is A p where it was found.
    fn balanced(
        &self,
        p: &Pair,
        sides: [&AreaSide; 2],
        near: &ContactPoint,
        (course, way): (Course, f64),
        surface: &mut ContactSurface,
    ) -> Result<Option<Posed>, ProblemError> {
        let bodies = [p.a, p.b].map(|i| self.colliders[i as usize].body);
        let (h, n, gap) = (self.motion.horizon, near.normal, near.gap);
        let softer = sides[0].modulus().min(sides[1].modulus());
        let free = way + self.motion.pulls(bodies);
        let deepest = (gap + sides[0].depth.min(sides[1].depth)).max(way.min(0.0));
        let first = way.min(deepest);
        let mut low = if way > 0.0 { gap.max(0.0).min(first) } else { first };
        let mut high = free.min(deepest).max(first);
        // Bodies of no known mass are held by nothing.
        let hold = if p.inverse_mass > 0.0 { 1.0 / (p.inverse_mass * h * h) } else { 0.0 };
        let posed = |closer: f64| {
            let (t, beyond) = course.place(closer, way, h);
            Posed { t, shift: -beyond * n, closer, depth: closer - gap }
        };
        let (mut best, mut closer) = (None, first);
        for _ in 0..LOOKS {
            let at = posed(closer);
            self.surface_at(p, sides, at.t, &at.shift, surface)?;
            let reading = Reading::of(surface, softer);
            let excess = match reading.extent > DEEPEST && closer > low {
                true => f64::INFINITY,
                false => reading.force - hold * (free - closer),
            };
            let slope = reading.stiffness + hold;
            let mut next = closer - excess / slope;
            if reading.force > 0.0 && excess.is_finite() {
                best = Some(at);
                let depth = at.depth.max(reading.force / reading.stiffness);
                if (next.clamp(low, high) - closer).abs() <= OFF * depth {
                    return Ok(best);
                }
            }
            if excess < 0.0 {
                low = closer
            } else {
                high = closer
            }
            if high - low <= OFF * OFF * (high - gap).abs() {
                break;
            }
            if !(reading.force > 0.0 && next > low && next < high) {
                next = 0.5 * (low + high);
            }
            closer = next;
        }
        if let Some(at) = best.filter(|at| at.closer != closer) {
            self.surface_at(p, sides, at.t, &at.shift, surface)?;
        }
        Ok(best)
    }

    /// Contacts of the surface found at a place, for the step; those alone that are open at the place `then`, where there is one.
    pub(crate) fn polygon_contacts(
        &self,
        p: &Pair,
        at: &Posed,
        then: Option<&Posed>,
        surface: &ContactSurface,
        mut f: impl FnMut(PolygonContact),
    ) {
        let bodies = [p.a, p.b].map(|i| self.colliders[i as usize].body);
        let start = bodies.map(|b| self.kin.x_wb[b].translation.vector);
        let ways = [0, 1].map(|side| {
            let end = self.motion.moved(self.kin, self.model, bodies[side], at.t);
            end.translation.vector - start[side]
        });
        let meeting = (at.t > 0.0).then(|| self.meeting_at(bodies, at.t));
        let apart = at.t > 0.0 || at.shift != Vector3::zeros();
        let coarse = self.rules.moments && is_coarse(surface);
        for (number, polygon) in surface.polygons().iter().enumerate() {
            let n = polygon.normal;
            // A spring that is nothing where bodies touch first, where the tangent is softer than that.
            let deep = at.closer > 0.0 && at.depth > 0.0;
            let (points, count) = match (self.rules.moments, coarse) {
                (true, true) => Quadrature::of(surface, polygon),
                (true, false) => Quadrature::one(polygon),
                (false, _) => Quadrature::at(polygon.centroid, polygon.pressure),
            };
            for (k, point) in points[..count].iter().enumerate() {
                let part = polygon.area / count as f64;
                let elastic = part * point.pressure;
                let secant = if deep { elastic / at.depth } else { 0.0 };
                let stiffness = (polygon.stiffness() / count as f64).max(secant);
                let (p_a, p_b) = (point.place - ways[0], point.place - ways[1] - at.shift);
                let feature = (3 * number + k) as u64;
                let mut contact = ContactPoint { p_a, p_b, normal: n, gap: 0.0, feature };
                let way_to = |at: &Posed| at.t * self.relative(bodies, &contact, at.t) + at.shift;
                if then.is_some_and(|then| elastic > stiffness * way_to(then).dot(&n)) {
                    continue;
                }
                let way = way_to(at);
                let force = elastic + stiffness * way.dot(&n);
                let depth = (force / stiffness).min(at.depth.max(0.0));
                contact.gap = if depth.is_nan() { 0.0 } else { -depth };
                let bend = meeting.map_or(Bend::default(), |m| m.bend(&contact, start.each_ref()));
                f(PolygonContact { point: contact, force, stiffness, bend, apart });
            }
        }
    }
}
