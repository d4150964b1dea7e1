use std::time::Instant;

use signorini_core::na::{Isometry3, Vector3};
use signorini_coupling::obstacles;
use signorini_geometry::{Shape, TriangleMesh};
use signorini_mpm::{Cloth, MpmEngine, MpmOptions, Particles};
use signorini_multibody::Kinematics;

use super::arms::{Arms, Plan};
use crate::yu2025mpm::bounds::Bounds;
use crate::yu2025mpm::fast::{Fabric, Surface, beside, corners, law, solved_to};
use crate::yu2025mpm::film::{Film, surfaces};
use crate::yu2025mpm::statistics::Statistics;
use signorini_report::{Context, PageError};

/// Cloth of the shirt.
pub(super) const CLOTH: Fabric = Fabric { young: 1e5, poisson: 0.3, density: 1e3, thickness: 2e-4 };
/// Dissipation of contacts \[s/m\], friction.
pub(super) const CONTACT: (f64, f64) = (1.0, 0.6);
/// Speeds below which pads and all else hold \[m/s\].
pub(super) const HOLDING: [f64; 2] = [1e-3, 1e-2];
/// Thickness of the soft skin of pads \[m\]: closed, 1 mm apart, they press the cloth between them.
pub(super) const SKIN: f64 = 1e-3;
/// Time in which strain rates fade \[s\]: the release keeps 0.8 of them in each substep of 0.5 ms.
pub(super) const FADING: f64 = 2.2e-3;
/// Relative tolerance of contact: half of the other pages', for pads press with many times the weight, of which a hundredth is asked for as the balance of momentum.
pub(super) const TOLERANCE: f64 = 5e-3;
/// Part of a cell's crossing time that a substep may take.
const COURANT: f64 = 0.85;

/// Sizes of a run.
#[derive(Clone, Copy)]
pub(super) struct Size {
    /// Spacing of the grid \[m\], step of bodies \[s\], substeps of points in it.
    pub spacing: f64,
    pub step: f64,
    pub substeps: u32,
    /// Stiffness of a particle's contact with a pad \[N/m\].
    pub pads: f64,
    /// Of one with boards, hands and links \[N/m\].
    pub boards: f64,
}

/// State of all parts at some time.
pub(super) struct Look {
    pub name: &'static str,
    pub t: f64,
    /// Places of the vertices \[m\].
    pub x: Vec<Vector3<f64>>,
    /// Corners of the pads of the left and the right gripper: outlines, to be drawn.
    pub pads: Vec<[Vector3<f64>; 8]>,
}

/// Observation of the shirt at a time.
#[derive(Clone, Copy)]
pub(super) struct Sample {
    pub t: f64,
    /// Extent along the way of folding and mean height \[m\].
    pub extent: f64,
    pub height: f64,
    /// Mean force of the pads across each gripper \[N\].
    pub press: [f64; 2],
    /// Particles between the pads of each gripper.
    pub held: [usize; 2],
}

/// Results of a run.
pub(super) struct Folded {
    pub samples: Vec<Sample>,
    pub looks: Vec<Look>,
    pub statistics: Statistics,
    /// Limits of weak coupling.
    pub bounds: Bounds,
    pub vertices: usize,
    pub mass: f64,
    /// Deepest of a particle in anything \[m\].
    pub deepest: f64,
    /// Deepest of a vertex and of a centre in a pad without its skin \[m\].
    pub inside: [f64; 2],
    /// Particles that went from one side of a pad to the other across it.
    pub passed: usize,
    /// Largest change of momentum in a step beside the impulses of gravity and obstacles, as a part of the weight's.
    pub lost: f64,
    /// Furthest that the plan's joint angles leave a gripper from its place.
    pub missed: f64,
    /// Distance of the corners that were pinched from where they were \[m\], mean.
    pub apart: f64,
    pub film: Film,
}

/// Place of a particle beside a pad: none outside of the pad's cross-section.
type Side = Option<bool>;

struct Watch {
    half: Vector3<f64>,
    sides: Vec<Side>,
}

impl Watch {
    /// Sides of particles now; how many went across, and how deep a vertex and a centre, which come behind them, are in the pad.
    fn look(&mut self, pose: &Isometry3<f64>, x: &[Vector3<f64>], vertices: usize) -> (usize, [f64; 2]) {
        let (mut passed, mut deepest) = (0, [0.0f64; 2]);
        for (i, (x, side)) in x.iter().zip(&mut self.sides).enumerate() {
            let at = pose.inverse_transform_vector(&(x - pose.translation.vector));
            let room = self.half - at.abs();
            let kind = usize::from(i >= vertices);
            deepest[kind] = deepest[kind].max(room.min());
            let now = (room.x > 0.0 && room.z > 0.0).then_some(at.y > 0.0);
            passed += usize::from(side.is_some() && now.is_some() && *side != now);
            *side = now;
        }
        (passed, deepest)
    }
}

/// Particles between two pads.
fn between(pads: [&Isometry3<f64>; 2], half: &Vector3<f64>, x: &[Vector3<f64>]) -> Vec<usize> {
    let local =
        |p: &Isometry3<f64>, x: &Vector3<f64>| p.inverse_transform_vector(&(x - p.translation.vector));
    let within = |i: &usize| {
        let (a, b) = (local(pads[0], &x[*i]), local(pads[1], &x[*i]));
        a.x.abs() < half.x && a.z.abs() < half.z && a.y * b.y < 0.0
    };
    (0..x.len()).filter(within).collect()
}

fn particles(mesh: &TriangleMesh) -> Result<(Particles, Cloth), PageError> {
    let material = CLOTH.material().map_err(PageError::from_error)?;
    let mut p = Particles::default();
    let cloth =
        Cloth::new(&mut p, mesh.vertices(), mesh.triangles(), material).map_err(PageError::from_error)?;
    Ok((p, cloth))
}

/// Folds and unfolds a shirt that lies on the table, its hem at y = 0.
pub(super) fn fold(
    mesh: &TriangleMesh,
    plan: &Plan,
    size: &Size,
    arm: &str,
    ctx: &Context,
) -> Result<Folded, PageError> {
    let (plan, step) = (*plan, size.step);
    let arms = Arms::new(arm)?;
    let (dissipation, friction) = CONTACT;
    let material = |stiffness: f64, stiction_speed: f64| {
        Surface { stiffness, dissipation, friction, stiction_speed }.material()
    };
    let pads: Vec<usize> = arms.pads.iter().flatten().copied().collect();
    let soft = [&arms.boards[..], &arms.links].concat();
    let geoms = [&pads[..], &soft].concat();
    let mut met =
        obstacles(&arms.scene, &pads, material(size.pads, HOLDING[0])).map_err(PageError::from_error)?;
    let mut half = Vector3::zeros();
    for pad in &mut met {
        if let Shape::Box { half_extents } = &mut pad.shape {
            half = *half_extents;
            half_extents.add_scalar_mut(SKIN);
        }
    }
    met.extend(
        obstacles(&arms.scene, &soft, material(size.boards, HOLDING[1])).map_err(PageError::from_error)?,
    );
    let (points, cloth) = particles(mesh)?;
    let options =
        MpmOptions { spacing: size.spacing, damping_time: FADING, courant: COURANT, ..MpmOptions::default() };
    let (count, vertices) = (points.len(), cloth.vertices().len());
    let start = points.x.clone();
    let mass: f64 = points.mass.iter().sum();
    let engine = MpmEngine::<f32>::new(points, vec![], vec![], met, law()?, options)
        .and_then(|e| e.with_cloth(cloth))
        .map_err(PageError::from_error)?;
    let (c, mut y) = beside(&arms.scene, &geoms, solved_to(TOLERANCE, engine), size.substeps)?;
    let mut c = c.with_shorter_substeps();
    let path = arms.follow(c.rigid_mut().model(), &plan, step)?;
    y.q.copy_from_slice(&path.start);
    let shown = surfaces(c.points().engine().cloth());
    let film = Film::new(&arms.scene, &mut c, &y, shown);
    let watch = || Watch { half, sides: vec![None; count] };
    let mut watches: Vec<Watch> = (0..4).map(|_| watch()).collect();
    let mut out = Folded {
        samples: Vec::new(),
        looks: Vec::new(),
        statistics: Statistics::new("T-shirt", step),
        bounds: Bounds::new(geoms.iter().map(|g| arms.scene.geoms[*g].name.clone()), step),
        vertices,
        mass,
        deepest: 0.0,
        inside: [0.0; 2],
        passed: 0,
        lost: 0.0,
        missed: path.missed,
        apart: 0.0,
        film,
    };
    let looks = [
        ("start", 0.0),
        ("pinched", plan.after(0, 1)),
        ("half-way", plan.after(0, 2) - 0.5 * plan.durations[2]),
        ("folded", plan.after(0, 5)),
        ("pinched again", plan.after(1, 1)),
        ("half-way back", plan.after(1, 2) - 0.5 * plan.durations[2]),
        ("end", plan.end()),
    ];
    let looks = looks.into_iter().filter(|l| l.1 <= plan.end() + 0.5 * step).collect::<Vec<_>>();
    let model = c.rigid_mut().model().clone();
    let mut kin = Kinematics::new(&model);
    let mut places = |q: &[f64]| -> Vec<Isometry3<f64>> {
        kin.set_positions(&model, q, &model.mocap_poses);
        pads.iter().map(|g| &arms.scene.geoms[*g]).map(|g| kin.x_wb[g.body] * g.pose).collect()
    };
    let steps = path.targets.len() - 1;
    let mut momentum = Vector3::zeros();
    let mut pinched: Vec<usize> = Vec::new();
    for k in 0..=steps {
        let t = step * k as f64;
        let poses = places(&y.q);
        for (name, _) in looks.iter().filter(|l| (t - l.1).abs() < 0.5 * step) {
            ctx.say(format!("{name}, {t:.2} s"));
            let x = c.points_mut().engine_mut().particles().x[..vertices].to_vec();
            let pads = poses.iter().map(|p| corners(p, &half)).collect();
            out.looks.push(Look { name, t, x, pads });
            if *name == "pinched" {
                let x = &c.points_mut().engine_mut().particles().x;
                for p in 0..2 {
                    pinched.extend(between([&poses[2 * p], &poses[2 * p + 1]], &half, x));
                }
            }
        }
        if k == steps {
            break;
        }
        c.rigid_mut().control_mut().copy_from_slice(&path.targets[k + 1]);
        let began = Instant::now();
        let r = c.step(&mut (), &mut y, step).map_err(PageError::from_error)?;
        out.statistics.add(c.points().engine(), &r, began);
        out.film.see(&mut c, &y);
        out.bounds.add(&c.limits(), &r);
        out.deepest = r.deepest.iter().fold(out.deepest, |a, b| a.max(*b));
        let poses = places(&y.q);
        let p = c.points_mut().engine_mut().particles();
        for (pose, watch) in poses.iter().zip(&mut watches) {
            let (passed, inside) = watch.look(pose, &p.x, vertices);
            out.passed += passed;
            out.inside = [0, 1].map(|i| out.inside[i].max(inside[i]));
        }
        let given: Vector3<f64> = r.impulses.iter().map(|i| i[0]).sum();
        let after = p.momentum();
        let weight = Vector3::new(0.0, 0.0, -9.81 * mass * step);
        if k > 0 {
            out.lost = out.lost.max((after - momentum - weight + given).norm() / weight.norm());
        }
        momentum = after;
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        p.x.iter().for_each(|x| (low, high) = (low.min(x.y), high.max(x.y)));
        let height = p.x.iter().zip(&p.mass).map(|(x, m)| m * x.z).sum::<f64>() / mass;
        let held = [0, 1].map(|a| between([&poses[2 * a], &poses[2 * a + 1]], &half, &p.x).len());
        let press = [0, 1].map(|a| {
            let across = |i: usize| {
                let normal = poses[2 * a + i].rotation * Vector3::y();
                (r.impulses[2 * a + i][0].dot(&normal) / step).abs()
            };
            0.5 * (across(0) + across(1))
        });
        out.samples.push(Sample { t: t + step, extent: high - low, height, press, held });
    }
    let x = &c.points_mut().engine_mut().particles().x;
    let apart = pinched.iter().map(|i| (x[*i] - start[*i]).norm()).sum::<f64>();
    out.apart = apart / pinched.len().max(1) as f64;
    Ok(out)
}
