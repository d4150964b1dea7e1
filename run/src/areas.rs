//! Contacts over areas as one wrench for each pair of geoms; geoms that meet over areas alone, fields and surfaces that are doubtful.

use std::sync::Arc;

use signorini_core::na::Vector3;
use signorini_core::{ContactGeometry, LastSolve};
use signorini_geometry::Shape;
use signorini_geometry::pressure::{PressureField, RigidSurface};
use signorini_multibody::contact_impulse;
use signorini_scene::{CollisionFilter, Geom, GeomShape, Hydroelastic, Meeting, Scene};

use crate::recording::{ContactRow, RowSink, StepPart};

/// The geoms of a scene that may meet over areas.
#[derive(Clone, Debug, Default)]
pub struct Areas {
    /// By geom; empty where no pair meets over an area.
    surfaces: Vec<Hydroelastic>,
}

impl Areas {
    /// Those of a scene.
    pub fn of(scene: &Scene) -> Self {
        let surfaces: Vec<_> = scene.geoms.iter().map(|g| g.surface.hydroelastic).collect();
        let is_compliant = |i: &usize| matches!(surfaces[*i], Hydroelastic::Compliant { .. });
        let mut compliant = (0..surfaces.len()).filter(is_compliant).peekable();
        // Most scenes have none, and need no filter of collisions.
        if compliant.peek().is_none() {
            return Self::default();
        }
        let partners = Partners::of(scene);
        let any = compliant.any(|i| partners.meetings(i).any(Meeting::is_area));
        Self { surfaces: if any { surfaces } else { Vec::new() } }
    }

    /// Whether all geoms that collide meet over areas, and some do.
    pub fn is_all(scene: &Scene) -> bool {
        let partners = Partners::of(scene);
        let mut meetings = (0..scene.geoms.len()).flat_map(|i| partners.meetings(i)).peekable();
        meetings.peek().is_some() && meetings.all(Meeting::is_area)
    }

    /// Whether a pair of geoms may meet over an area.
    pub fn any(&self) -> bool {
        !self.surfaces.is_empty()
    }

    /// Whether two geoms meet over an area.
    pub(crate) fn have(&self, geoms: [u32; 2]) -> bool {
        let [a, b] = geoms.map(|g| self.surfaces.get(g as usize));
        a.zip(b).is_some_and(|(a, b)| a.meeting(b).is_area())
    }

    /// Adds the contacts of a solve that touch or had an impulse to the last row; `dim` as of [`RigidSystem::contact_dim`](signorini_multibody::RigidSystem::contact_dim). Polygons of two geoms are one contact, of their wrench about the middle of their normal impulses.
    pub fn push_contacts(&self, sink: &mut impl RowSink, solve: &LastSolve<'_>, dim: usize, part: StepPart) {
        let mut rest = solve.contacts;
        while let Some(first) = rest.first() {
            let polygons = match self.have(first.geoms) {
                true => rest.iter().take_while(|c| c.geoms == first.geoms).count(),
                false => 1,
            };
            let (these, others) = rest.split_at(polygons);
            rest = others;
            let (geometry, impulse) = match these {
                [one] => (*one, contact_impulse(solve, one, dim)),
                many => wrench(solve, many, dim),
            };
            if geometry.gap <= 0.0 || impulse.iter().any(|g| *g != 0.0) {
                sink.push_contact(&ContactRow { geometry: &geometry, impulse, dt: solve.dt, part });
            }
        }
    }
}

/// The geoms with which each geom of a scene may collide.
pub(crate) struct Partners<'a> {
    scene: &'a Scene,
    filter: CollisionFilter,
}

impl<'a> Partners<'a> {
    pub(crate) fn of(scene: &'a Scene) -> Self {
        Self { scene, filter: CollisionFilter::new(scene) }
    }

    /// How a geom meets each of them.
    fn meetings(&self, geom: usize) -> impl Iterator<Item = Meeting> {
        let of = |i: usize| self.scene.geoms[i].surface.hydroelastic;
        let all = 0..self.scene.geoms.len();
        all.filter(move |j| self.filter.collides(self.scene, geom, *j)).map(move |j| of(geom).meeting(&of(j)))
    }

    /// Whether a geom meets all of them over areas, and there are some.
    pub(crate) fn all_over_areas(&self, geom: usize) -> bool {
        let mut meetings = self.meetings(geom).peekable();
        meetings.peek().is_some() && meetings.all(Meeting::is_area)
    }
}

/// Fields of a scene that are softer than their moduli say, and rigid meshes that are no surface of a solid, with the file, the geom and the remedy: one line for each, with the first geom.
///
/// Fields are those of the scene's cache, made where they are not yet there. Geoms without one are left out: models refuse them.
pub fn area_doubts(scene: &Scene) -> Vec<String> {
    let solid = |g: &Geom| match &g.shape {
        GeomShape::Solid(shape) => Some((shape.clone(), g.surface.hydroelastic)),
        _ => None,
    };
    let field = |g: &Geom| match solid(g)? {
        (shape, Hydroelastic::Compliant { resolution, .. }) => scene.fields.field(&shape, resolution).ok(),
        _ => None,
    };
    let mesh = |g: &Geom| match solid(g)? {
        (Shape::Mesh(mesh), Hydroelastic::Rigid { .. }) => Some(mesh),
        _ => None,
    };
    let mut out = once_each(scene, field, PressureField::softness);
    out.extend(once_each(scene, mesh, RigidSurface::doubt));
    out
}

/// A line for each of the shared `parts` of geoms with a reason.
fn once_each<T>(
    scene: &Scene,
    part: impl Fn(&Geom) -> Option<Arc<T>>,
    why: impl Fn(&T) -> Option<String>,
) -> Vec<String> {
    let mut known: Vec<(Arc<T>, Option<[String; 2]>, usize)> = Vec::new();
    for g in &scene.geoms {
        let Some(part) = part(g) else { continue };
        match known.iter_mut().find(|k| Arc::ptr_eq(&k.0, &part)) {
            Some(k) => k.2 += 1,
            None => {
                let line = why(&part).map(|why| [g.named_place().to_string(), why]);
                known.push((part, line, 0));
            }
        }
    }
    let lines = known.into_iter().filter_map(|(_, line, more)| Some((line?, more)));
    lines
        .map(|([geom, why], more)| match more {
            0 => format!("{geom}: {why}"),
            n => format!("{geom} (and {n} more): {why}"),
        })
        .collect()
}

/// Contacts of one pair of geoms, at least one, as one: in the middle of their normal impulses, with the sum of these for its normal, and their wrench in its frame.
fn wrench(solve: &LastSolve<'_>, contacts: &[ContactGeometry], dim: usize) -> (ContactGeometry, [f64; 6]) {
    let impulses = || contacts.iter().map(|c| (c, contact_impulse(solve, c, dim)));
    let (mut sum, mut normal, mut middle, mut arms) =
        (0.0, Vector3::zeros(), Vector3::zeros(), [Vector3::zeros(); 2]);
    let pushed = impulses().any(|(_, j)| j[0] > 0.0);
    for (c, j) in impulses() {
        let weight = if pushed { j[0].max(0.0) } else { 1.0 };
        sum += weight;
        normal += weight * c.r_wc.column(0);
        middle += weight * c.p_wc.coords;
        arms.iter_mut().zip(&c.arms).for_each(|(arm, of)| *arm += weight * of);
    }
    let middle = middle / sum;
    let normal = normal.try_normalize(0.0).unwrap_or_else(|| contacts[0].r_wc.column(0).into());
    let frame = ContactGeometry::frame(&normal);
    let arms = arms.map(|arm| arm / sum);
    let (mut force, mut moment) = (Vector3::zeros(), Vector3::zeros());
    for (c, j) in impulses() {
        let own = c.r_wc * Vector3::new(j[0], j[1], j[2]);
        force += own;
        // Points of both bodies are as far from their middles.
        moment += (c.p_wc.coords + c.arms[1] - middle - arms[1]).cross(&own);
        moment += c.r_wc * Vector3::new(j[3], j[4], j[5]);
    }
    let gap = contacts.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
    let (force, moment) = (frame.tr_mul(&force), frame.tr_mul(&moment));
    let geometry = ContactGeometry { p_wc: middle.into(), arms, r_wc: frame, gap, ..contacts[0] };
    (geometry, [force.x, force.y, force.z, moment.x, moment.y, moment.z])
}
