use std::time::Instant;

use serde::{Deserialize, Serialize};
use signorini_core::State;
use signorini_core::na::{Isometry3, Vector3};
use signorini_coupling::obstacles;
use signorini_geometry::{Shape, TriangleMesh};
use signorini_mpm::{Cloth, MpmEngine, MpmOptions, Particles};
use signorini_multibody::Kinematics;
use signorini_scene::GeomShape;

use super::arms::{Arms, Plan};
use crate::yu2025mpm::bounds::Bounds;
use crate::yu2025mpm::fast::{Fabric, Fast, Surface, beside, corners, law, solved_to};
use crate::yu2025mpm::film::{Film, Shot, surfaces};
use crate::yu2025mpm::kept_points::{FILE, KeptPoints};
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
/// Name of the scene.
const NAME: &str = "T-shirt";
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
    /// Time between kept states \[s\]; infinite: none is kept.
    pub part: f64,
}

/// State of all parts at some time.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Look {
    pub name: String,
    pub t: f64,
    /// Places of the vertices \[m\].
    pub x: Vec<Vector3<f64>>,
    /// Corners of the pads of the left and the right gripper: outlines, to be drawn.
    pub pads: Vec<[Vector3<f64>; 8]>,
}

/// Observation of the shirt at a time.
#[derive(Clone, Copy, Serialize, Deserialize)]
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

/// Observations of a run up to some time.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Seen {
    pub samples: Vec<Sample>,
    pub looks: Vec<Look>,
    pub statistics: Statistics,
    /// Limits of weak coupling.
    pub bounds: Bounds,
    /// Deepest of a particle in anything \[m\].
    pub deepest: f64,
    /// Deepest of a vertex and of a centre in a pad without its skin \[m\].
    pub inside: [f64; 2],
    /// Particles that went from one side of a pad to the other across it.
    pub passed: usize,
    /// Largest change of momentum in a step beside the impulses of gravity and obstacles, as a part of the weight's.
    pub lost: f64,
    /// Particles between the pads where the shirt was pinched.
    pinched: Vec<usize>,
    /// Momentum of the shirt at the end of the last step \[N·s\].
    momentum: Vector3<f64>,
    /// Sides of the particles beside each pad.
    sides: Vec<Vec<Side>>,
}

/// Results of a run.
pub(super) struct Folded {
    pub seen: Seen,
    pub vertices: usize,
    pub mass: f64,
    /// Furthest that the plan's joint angles leave a gripper from its place.
    pub missed: f64,
    /// Distance of the corners that were pinched from where they were \[m\], mean.
    pub apart: f64,
    pub film: Film,
}

/// Place of a particle beside a pad: none outside of the pad's cross-section.
type Side = Option<bool>;

/// A pad with the places of particles beside it.
struct Watch<'a> {
    half: Vector3<f64>,
    sides: &'a mut [Side],
}

impl Watch<'_> {
    /// Sides of particles now; how many went across, and how deep a vertex and a centre, which come behind them, are in the pad.
    fn look(self, pose: &Isometry3<f64>, x: &[Vector3<f64>], vertices: usize) -> (usize, [f64; 2]) {
        let (mut passed, mut deepest) = (0, [0.0f64; 2]);
        for (i, (x, side)) in x.iter().zip(self.sides).enumerate() {
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

/// A run at the start of a step.
#[derive(Serialize, Deserialize)]
struct KeptFold {
    step: usize,
    points: KeptPoints,
    seen: Seen,
    shots: Vec<Shot>,
}

/// Cloth and arms before the first step, or where a run goes on.
struct Start {
    run: Fast,
    /// State of the arms.
    y: State,
}

/// The shirt beside the arms.
struct Table<'a> {
    mesh: &'a TriangleMesh,
    arms: &'a Arms,
    size: &'a Size,
}

impl Table<'_> {
    /// Geoms that the cloth meets: pads first, then all else.
    fn geoms(&self) -> (Vec<usize>, Vec<usize>) {
        let Arms { pads, boards, links, .. } = self.arms;
        (pads.iter().flatten().copied().collect(), [&boards[..], links].concat())
    }

    /// Half extents of a pad without its skin \[m\].
    fn half(&self) -> Vector3<f64> {
        let pad = self.arms.pads.iter().flatten().next().map(|g| &self.arms.scene.geoms[*g].shape);
        if let Some(GeomShape::Solid(Shape::Box { half_extents })) = pad {
            *half_extents
        } else {
            Vector3::zeros()
        }
    }

    fn start(&self, from: Option<&KeptPoints>) -> Result<Start, PageError> {
        let Self { mesh, arms, size } = self;
        let (dissipation, friction) = CONTACT;
        let material = |stiffness: f64, stiction_speed: f64| {
            Surface { stiffness, dissipation, friction, stiction_speed }.material()
        };
        let (pads, soft) = self.geoms();
        let mut met =
            obstacles(&arms.scene, &pads, material(size.pads, HOLDING[0])).map_err(PageError::from_error)?;
        for pad in &mut met {
            if let Shape::Box { half_extents } = &mut pad.shape {
                half_extents.add_scalar_mut(SKIN);
            }
        }
        met.extend(
            obstacles(&arms.scene, &soft, material(size.boards, HOLDING[1]))
                .map_err(PageError::from_error)?,
        );
        let (mut points, cloth) = particles(mesh)?;
        if let Some(from) = from {
            from.put(&mut points)?;
        }
        let options = MpmOptions {
            spacing: size.spacing,
            damping_time: FADING,
            courant: COURANT,
            ..MpmOptions::default()
        };
        let engine = MpmEngine::<f32>::new(points, vec![], vec![], met, law()?, options)
            .and_then(|e| e.with_cloth(cloth))
            .map_err(PageError::from_error)?;
        let geoms = [&pads[..], &soft].concat();
        let (c, start) = beside(&arms.scene, &geoms, solved_to(TOLERANCE, engine), size.substeps)?;
        let y = from.map_or(start, |from| from.bodies.clone());
        Ok(Start { run: c.with_shorter_substeps(), y })
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

/// Folds and unfolds a shirt that lies on the table, its hem at y = 0. The page keeps the state every [`Size::part`], and goes on from the last one.
pub(super) fn fold(
    mesh: &TriangleMesh,
    plan: &Plan,
    size: &Size,
    arm: &str,
    ctx: &Context,
) -> Result<Folded, PageError> {
    let (plan, step) = (*plan, size.step);
    let arms = Arms::new(arm)?;
    let table = Table { mesh, arms: &arms, size };
    let ((pads, soft), half) = (table.geoms(), table.half());
    let geoms = [&pads[..], &soft].concat();
    let (points, cloth) = particles(mesh)?;
    let (count, vertices) = (points.len(), cloth.vertices().len());
    let mass: f64 = points.mass.iter().sum();
    let kept: Option<KeptFold> = ctx.kept.state(FILE, NAME)?;
    let Start { run: mut c, mut y } = table.start(kept.as_ref().map(|k| &k.points))?;
    let path = arms.follow(c.rigid_mut().model(), &plan, step)?;
    if kept.is_none() {
        y.q.copy_from_slice(&path.start);
    }
    let shown = surfaces(c.points().engine().cloth());
    let mut film = Film::new(&arms.scene, &mut c, &y, shown);
    let mut out = Seen {
        samples: Vec::new(),
        looks: Vec::new(),
        statistics: Statistics::new(NAME, step),
        bounds: Bounds::new(geoms.iter().map(|g| arms.scene.geoms[*g].name.clone()), step),
        deepest: 0.0,
        inside: [0.0; 2],
        passed: 0,
        lost: 0.0,
        pinched: Vec::new(),
        momentum: Vector3::zeros(),
        sides: vec![vec![None; count]; 4],
    };
    let mut first = 0;
    if let Some(kept) = kept {
        film = film.with_pictures(&kept.shots);
        (first, out) = (kept.step, kept.seen);
    }
    let part = (size.part / step).min(1e9).round() as usize;
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
    for k in first..=steps {
        let t = step * k as f64;
        if k > first && k % part == 0 && k < steps {
            let points = KeptPoints::of(&mut c, &y);
            c = table.start(Some(&points))?.run;
            let state = KeptFold { step: k, points, seen: out.clone(), shots: film.pictures() };
            ctx.kept.keep_state(FILE, NAME, &state)?;
        }
        let poses = places(&y.q);
        for (name, _) in looks.iter().filter(|l| (t - l.1).abs() < 0.5 * step) {
            ctx.say(format!("{name}, {t:.2} s"));
            let x = c.points_mut().engine_mut().particles().x[..vertices].to_vec();
            let pads = poses.iter().map(|p| corners(p, &half)).collect();
            out.looks.push(Look { name: (*name).to_owned(), t, x, pads });
            if *name == "pinched" {
                let x = &c.points_mut().engine_mut().particles().x;
                for p in 0..2 {
                    out.pinched.extend(between([&poses[2 * p], &poses[2 * p + 1]], &half, x));
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
        film.see(&mut c, &y);
        out.bounds.add(&c.limits(), &r);
        out.deepest = r.deepest.iter().fold(out.deepest, |a, b| a.max(*b));
        let poses = places(&y.q);
        let p = c.points_mut().engine_mut().particles();
        for (pose, sides) in poses.iter().zip(&mut out.sides) {
            let (passed, inside) = Watch { half, sides }.look(pose, &p.x, vertices);
            out.passed += passed;
            out.inside = [0, 1].map(|i| out.inside[i].max(inside[i]));
        }
        let given: Vector3<f64> = r.impulses.iter().map(|i| i[0]).sum();
        let after = p.momentum();
        let weight = Vector3::new(0.0, 0.0, -9.81 * mass * step);
        if k > 0 {
            out.lost = out.lost.max((after - out.momentum - weight + given).norm() / weight.norm());
        }
        out.momentum = after;
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
    let start = particles(mesh)?.0.x;
    let apart = out.pinched.iter().map(|i| (x[*i] - start[*i]).norm()).sum::<f64>();
    let apart = apart / out.pinched.len().max(1) as f64;
    Ok(Folded { seen: out, vertices, mass, missed: path.missed, apart, film })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use std::path::Path;

    use super::*;
    use signorini_mpm::shirt;
    use signorini_report::{Budget, KeptResults};

    /// A run that goes on from its last kept state gives, bit for bit, the numbers and pictures of the run that kept it.
    #[test]
    fn regression_folding_goes_on_from_its_last_part() {
        let folder = std::env::temp_dir().join(format!("signorini-fold-{}", std::process::id()));
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let arm = std::fs::read_to_string(root.join("models/arm_gripper/arm_gripper.xml")).unwrap();
        let step = 2e-3;
        let size = Size { spacing: 0.045, step, substeps: 1, pads: 2.5e3, boards: 4.5e2, part: 15.0 * step };
        let plan = Plan {
            rounds: 1,
            durations: [0.02, 0.02, 0.04, 0.01, 0.01, 0.01],
            rest: 0.01,
            pinch: Vector3::new(0.25, 0.05, 0.005),
            line: 0.37,
            arc: 0.95,
            back: 0.12,
        };
        let run = |resume| {
            let mut ctx = Context::new(Budget::Quick, &root);
            let folder = folder.clone();
            ctx.kept = KeptResults { folder, revision: "a".into(), resume, ..KeptResults::default() };
            let run = fold(&shirt(0.05).unwrap(), &plan, &size, &arm, &ctx).unwrap();
            let mut seen = serde_json::to_value(&run.seen).unwrap();
            seen["statistics"]["wall"] = 0.0.into();
            format!("{seen} {:?} {:?}", run.film.pictures(), [run.mass, run.apart, run.missed])
        };
        let through = run(false);
        let kept: KeptFold = {
            let text = std::fs::read_to_string(folder.join(FILE)).unwrap();
            serde_json::from_value(serde_json::from_str::<serde_json::Value>(&text).unwrap()["state"].take())
                .unwrap()
        };
        assert_eq!((kept.step >= 30, kept.step % 15), (true, 0));
        assert_eq!(run(true), through);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
