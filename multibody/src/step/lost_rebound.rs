use std::f64::consts::FRAC_PI_4;

use signorini_core::na::{Matrix3, Vector3};
use signorini_core::{
    ContactMaterial, ContactSeed, ContactSide, FrozenProblem, Impact, LawPool, State, StepProblem, largest,
};

use crate::Kinematics;
use crate::actuation::inputs::Inputs;
use crate::step::contact_problem::ContactProblem;
use crate::step::contact_search::ContactSearch;
use crate::step::pools::{CONTACT, LIMIT};
use crate::step::prepared::Prepared;

/// Gravity that turns speeds into heights \[m/s²\].
const GRAVITY: f64 = 9.81;

/// Height that may be lost, as a multiple of the accuracy.
const HEIGHT: f64 = 4.0;

/// Smallest part of the speed of a rebound that may be lost, that of an accuracy of 1e-6, and that may be gained where contacts are not looked for ahead.
const LOST: f64 = 1e-3;
const GAINED: f64 = 1.0 / 32.0;

/// Part of its speed below which what a limit gives back counts as nothing: limits are critically damped as a rule, and give back 0.14.
const DEAD: f64 = 0.2;

/// A speed at which the depth of an impact is asked for where nothing moves \[m/s\].
const STILL: f64 = 1e-9;

/// An impact faster than any of a scene \[m/s\].
const FASTEST: f64 = 1e4;

/// Looks for impacts whose rebound a step takes away; where contacts are not looked for ahead, for impacts that a step begins so deep that their springs hold more than the bodies bring.
///
/// Half steps of implicit Euler take the part θ²/4 of the speed of a spring with ω h = θ, so that an impact, which lasts π/ω, loses the speed π θ/4 r of its rebound r, and the height r/g times that.
/// The rebound may lose the height H = 4 `accuracy`, or the part 2p of its height, p = max(√accuracy, 1e-3):
///
/// ```text
/// π θ r/4 ≤ max(g H/r, p r),     θ = h s/δ_s,  w² = s² + (s δ/δ_s)²
/// s = max(√(v_n² + 2 a φ₊), |v_n¹|)
/// ```
/// Here φ is the gap and v_n the normal velocity at the start, a the acceleration that closes the gap without contact, v_n¹ the normal velocity at the end, which counts for steps that begin at the turning
/// point, and so does the change of v_n there beside the bound below; δ_s is the depth at which the law stops s, δ the depth at the start, and r the rebound of the law of an impact at w. Resting contacts have s = 0. Normal speeds and rebounds below √(2 g H)
/// are left alone: they lift a body by less than H.
///
/// A contact that is found at the depth δ and was not known before brings the rebound r(w) in place of r(s), with s its own speed. Heights that are gained are bounded in the same way:
///
/// ```text
/// r(w)² − r(s)² ≤ max(2 g H, 2p r(s)²)
/// ```
/// Soft limits that give back more than the part 0.2 of a speed count likewise, near-rigid ones give nothing back. The polygons of an area are one spring there, of the force and stiffness with which the step is solved.
///
/// Derivation: papers/kurtz2025cenic, impacts.
pub(crate) struct LostRebound {
    /// The fastest rebound of any contact of the scene \[m/s\].
    most: f64,
    /// Bodies at the end of a step, where contacts are not looked for ahead: it finds contacts then that it did not know of.
    end: Option<Kinematics>,
    /// The seed of an area.
    seeds: Vec<ContactSeed>,
}

impl LostRebound {
    pub(crate) fn new(i: &Inputs<'_>, search: &ContactSearch, speculative: bool) -> Self {
        let rebound = |material: ContactMaterial| {
            // Its damping is that of the masses that meet, which are not known here.
            if material.impedance > 0.0 {
                return FASTEST;
            }
            let seeds = vec![seed_of(material, 0.0, 0.0)];
            search.law.impact(&seeds, 0, FASTEST).map_or(0.0, |i| i.rebound)
        };
        let joints = i.model.joints.iter().filter(|j| j.range.is_some()).map(|j| &j.limit_sol);
        let tendons = i.model.tendons.iter().filter(|t| t.range.is_some()).map(|t| &t.limit_sol);
        let soft = i.settings.limits && joints.chain(tendons).any(|sol| sol.stated);
        let contacts = search.collision.kinds_of_pairs();
        Self {
            most: if soft { FASTEST } else { largest(contacts.iter().map(|p| rebound(p.material))) },
            end: (!speculative).then(|| Kinematics::new(i.model)),
            seeds: Vec::new(),
        }
    }

    /// Rebounds of any speed may occur from now on: parameters of contacts are set by a function.
    pub(crate) fn expect_any(&mut self) {
        self.most = FASTEST;
    }

    /// The largest loss of a step, as a multiple of the allowed one, squared.
    pub(crate) fn of_step(
        &mut self,
        i: &Inputs<'_>,
        slots: &[Prepared; 2],
        search: &mut ContactSearch,
        x: [&State; 2],
        accuracy: f64,
    ) -> f64 {
        let height = HEIGHT * accuracy;
        let slow = (2.0 * GRAVITY * height).sqrt();
        let least = if self.end.is_some() { GAINED } else { LOST };
        let bounds = Bounds { h: x[1].t - x[0].t, height, part: accuracy.sqrt().max(least), slow };
        if self.most <= bounds.slow {
            return 0.0;
        }
        let [start, middle] = slots.each_ref().map(|p| p.ready.then(|| p.problem.contacts()));
        let Some(kin) = &mut self.end else {
            let seeds = &mut self.seeds;
            let mut lost =
                |p: &ContactProblem| bounds.lost(p, &x[1].v, seeds).max(bounds.lost_at_limits(p, &x[1].v));
            let mut lost = |p: Option<&ContactProblem>| p.map_or(0.0, &mut lost);
            return lost(start).max(lost(middle)).powi(2);
        };
        kin.set_positions(i.model, &x[1].q, &i.held.mocap);
        kin.set_velocities(i.model, &x[1].v);
        let before = middle.map_or(0.0, |p| bounds.gained_before(p, start));
        before.max(bounds.gained_at_end(i, kin, search, middle.or(start)))
    }
}

/// Length of the step \[s\], height \[m\] and part of a speed that may be lost, and speed of that height \[m/s\].
struct Bounds {
    h: f64,
    height: f64,
    part: f64,
    slow: f64,
}

impl Bounds {
    /// Loss of a contact with the normal speed `speed`, which the step changes by `change`, at the depth `depth` as a multiple of the allowed one; `impact` is that of its law at a speed.
    fn loss(&self, [speed, change]: [f64; 2], depth: f64, impact: impl Fn(f64) -> Option<Impact>) -> f64 {
        if speed.max(change) <= self.slow {
            return 0.0;
        }
        let speed = speed.max(STILL);
        let Some(stop) = impact(speed).map(|i| i.depth).filter(|d| *d > 0.0) else {
            return 0.0;
        };
        let whole = speed * 1.0f64.hypot(depth / stop);
        let r = impact(whole).map_or(0.0, |i| i.rebound);
        if r <= self.slow {
            return 0.0;
        }
        let allowed = (GRAVITY * self.height / r).max(self.part * r);
        FRAC_PI_4 * self.h * speed / stop * r / allowed
    }

    /// Most that the contacts of a problem that was solved lose, with the velocities at the end of the step; `area` is storage.
    fn lost(&self, contacts: &ContactProblem, v1: &[f64], area: &mut Vec<ContactSeed>) -> f64 {
        let law = law_of(contacts);
        let (seeds, patches) = (&contacts.seeds, &contacts.patches);
        let normals = |k: usize, seed: &ContactSeed| {
            let normal =
                |v: &[f64]| FrozenProblem::contact_velocity_at(contacts.frozen.frozen_map(), k, v)[0];
            Vector3::new(seed.velocity[0], normal(contacts.frozen.free_velocity()), normal(v1))
        };
        let mut most = 0.0;
        let mut k = 0;
        while k < seeds.len() {
            let Some(patch) = patches[k] else {
                let loss = |v| law.impact(seeds, k, v);
                most = largest([most, self.lost_by(seeds[k].gap, normals(k, &seeds[k]), loss)]);
                k += 1;
                continue;
            };
            let end = k + patches[k..].iter().take_while(|p| **p == Some(patch)).count();
            let of = k..end;
            let stiffness: f64 = seeds[of.clone()].iter().map(|s| s.material.stiffness).sum();
            let force: f64 = seeds[of.clone()].iter().map(ContactSeed::elastic_force).sum();
            let mean = of.map(|k| seeds[k].material.stiffness / stiffness * normals(k, &seeds[k])).sum();
            area.clear();
            area.push(ContactSeed { preload: 0.0, gap: -force / stiffness, ..seeds[k] });
            area[0].material.stiffness = stiffness;
            if stiffness > 0.0 {
                most = largest([most, self.lost_by(area[0].gap, mean, |v| law.impact(area, 0, v))]);
            }
            k = end;
        }
        most
    }

    /// Most that the limits of a problem lose, likewise; rates count as speeds of the bodies that they move.
    fn lost_at_limits(&self, contacts: &ContactProblem, v1: &[f64]) -> f64 {
        let (pools, map) = (contacts.frozen.pools(), contacts.frozen.frozen_map());
        let (law, first) = (pools.members()[LIMIT].as_ref(), pools.first_constraint(LIMIT));
        let seeds = &contacts.limits.seeds;
        largest(seeds.iter().enumerate().map(|(k, seed)| {
            let rate = |v: &[f64]| FrozenProblem::contact_velocity_at(map, first + k, v)[0];
            let rates = Vector3::new(seed.velocity, rate(contacts.frozen.free_velocity()), rate(v1));
            let lever = seed.lever();
            let impact = |v: f64| {
                let of_rate = law.impact(seeds, k, v / lever).filter(|i| lever * i.rebound > DEAD * v)?;
                Some(Impact { rebound: lever * of_rate.rebound, depth: lever * of_rate.depth })
            };
            self.lost_by(lever * seed.gap, lever * rates, impact)
        }))
    }

    /// Loss of one contact or limit of a gap with the normal velocities at the start, without contact and at the end of the step.
    fn lost_by(&self, gap: f64, normals: Vector3<f64>, impact: impl Fn(f64) -> Option<Impact>) -> f64 {
        let [before, free, after]: [f64; 3] = normals.into();
        let gain = 2.0 * ((before - free) / self.h).max(0.0) * gap.max(0.0);
        let speed = (before * before + gain).sqrt().max(after.abs());
        let open = gap + self.h * before.min(free).min(after) > 0.0;
        let speeds = [speed, (after - before).abs()];
        if open { 0.0 } else { self.loss(speeds, (-gap).max(0.0), impact) }
    }

    /// Height that a contact gains which is found at the depth `depth` with the normal speed `speed`, as a multiple of the allowed one.
    fn gain(&self, speed: f64, depth: f64, impact: impl Fn(f64) -> Option<Impact>) -> f64 {
        let speed = speed.max(STILL);
        let Some(own) = impact(speed).filter(|i| i.depth > 0.0) else {
            return 0.0;
        };
        let whole = impact(speed * 1.0f64.hypot(depth / own.depth)).map_or(0.0, |i| i.rebound);
        let (had, has) = (own.rebound * own.rebound, whole * whole);
        (has - had) / (2.0 * GRAVITY * self.height).max(2.0 * self.part * had)
    }

    /// Most that contacts of a problem gain whose pair had none in the problem before.
    fn gained_before(&self, contacts: &ContactProblem, before: Option<&ContactProblem>) -> f64 {
        let law = law_of(contacts);
        let found = contacts.frozen.contacts().iter().zip(&contacts.seeds).enumerate();
        let new = found.filter(|(_, (c, seed))| seed.gap < 0.0 && !knows(before, c.geoms));
        largest(new.map(|(k, (_, seed))| {
            self.gain(seed.velocity[0].abs(), -seed.gap, |v| law.impact(&contacts.seeds, k, v))
        }))
    }

    /// Most that contacts gain which bodies have where they are, of pairs that had none in the problem before; each is as heavy there as it is in the mean.
    fn gained_at_end(
        &self,
        i: &Inputs<'_>,
        kin: &Kinematics,
        search: &mut ContactSearch,
        before: Option<&ContactProblem>,
    ) -> f64 {
        search.rest();
        // A pair without a query fails the next step, which names it.
        if search.find(i.model, kin).is_err() {
            return 0.0;
        }
        let new = search.found.iter().filter(|c| c.gap < 0.0 && !knows(before, c.geoms.map(|g| g as u32)));
        largest(new.map(|c| {
            let at = |side: usize| kin.point_velocity(i.model, c.bodies[side], c.point_of(side));
            let speed = (at(1) - at(0)).dot(&c.point.normal).abs();
            let w = c.bodies.iter().map(|b| i.settings.reference.bodies[*b]).sum();
            let seeds = vec![seed_of(c.material, c.gap, w)];
            self.gain(speed, -c.gap, |v| search.law.impact(&seeds, 0, v))
        }))
    }
}

fn law_of(contacts: &ContactProblem) -> &dyn LawPool {
    contacts.frozen.pools().members()[CONTACT].as_ref()
}

/// Whether a problem has a contact of two geoms.
fn knows(problem: Option<&ContactProblem>, geoms: [u32; 2]) -> bool {
    problem.is_some_and(|p| p.frozen.contacts().iter().any(|c| c.geoms == geoms))
}

/// A contact of inverse mass `w` \[1/kg\].
fn seed_of(material: ContactMaterial, gap: f64, w: f64) -> ContactSeed {
    let sides = ContactSide::single(Matrix3::from_diagonal_element(w), 1);
    ContactSeed { material, gap, sides, ..ContactSeed::default() }
}
