//! Two arms: their kinematics beside the published table, and a ball that they lift by a script, with the forces of statics.

use crate::common;

use std::f64::consts::PI;

use common::{batch, scene_of};
use signorini_batch::{CpuBatch, LaneParameters};
use signorini_core::na::{DVector, Isometry3, Point3, Translation3, Vector3, Vector6};
use signorini_core::{BatchStepper, ObservationLayout};
use signorini_planning::tasks::two_arms::{Arms, Palm, SIDES, attitude};
use signorini_planning::tasks::{Held, Tolerance, TwoArmCarry, TwoArmMotion, Wall};
use signorini_planning::{Outcome, Phase, ReplanView, SampleProjection, Samples, Stream, Task, View};
use signorini_run::Method;
use signorini_scene::Scene;

/// The ball between six-axis and between seven-axis arms.
const TASKS: [TwoArmCarry; 2] = [TwoArmCarry::ball(Wall::None), TwoArmCarry::ball_seven(Wall::None)];

struct World {
    arms: Arms,
    batch: CpuBatch,
    layout: ObservationLayout,
    seen: Vec<f64>,
    substeps: u32,
}

impl World {
    fn new(task: &TwoArmCarry, scene: &Scene, method: Method, substeps: u32) -> Self {
        let mut batch = batch(scene, 1, method, 1);
        let layout = batch.watch(&task.observations()).unwrap();
        let scenario = task.reset(0);
        for (body, pose) in &scenario.mocap {
            batch.set_mocap(0, body, pose).unwrap();
        }
        let x = scenario.start(&batch).unwrap();
        batch.load(0, &x).unwrap();
        let seen = vec![0.0; layout.width()];
        let mut world = Self { arms: task.arms, seen, batch, layout, substeps };
        world.look();
        world
    }

    fn look(&mut self) {
        self.batch.observe(0, &mut self.seen).unwrap();
    }

    fn view(&self) -> View<'_> {
        View { time: 0.0, layout: &self.layout, values: &self.seen }
    }

    fn put(&mut self, q: &[f64]) {
        let mut x = Default::default();
        self.batch.store(0, &mut x).unwrap();
        for (i, q) in q.iter().enumerate() {
            let n = self.arms.axes();
            let joint = format!("{}_{}", SIDES[i / n], self.arms.joints[i % n].0);
            self.batch.set_joint(&joint, &[*q], &[0.0], &mut x).unwrap();
        }
        self.batch.load(0, &x).unwrap();
        self.look();
    }

    /// One control step of 0.02 s with a twist for each palm.
    fn step(&mut self, twists: &[Vector6<f64>; 2]) {
        let mut control = Vec::new();
        for (side, twist) in twists.iter().enumerate() {
            control.extend_from_slice(self.arms.follow(&self.view(), side, twist).as_slice());
        }
        self.batch.step(&control, 0.02 / f64::from(self.substeps), self.substeps, &[true]).unwrap();
        self.look();
    }

    fn ball(&self) -> Vector3<f64> {
        self.view().vector(self.arms.observed())
    }

    fn forces(&self) -> [f64; 2] {
        [0, 1].map(|s| self.view().scalar(self.arms.observed() + 2 + s))
    }

    fn palms(&self) -> [Palm; 2] {
        self.arms.palms(&self.view())
    }

    fn home(&self) -> Vec<f64> {
        self.arms.home.concat()
    }

    /// The ball as seen from the middle of the palms.
    fn held(&self) -> Vector3<f64> {
        let [right, left] = self.palms();
        self.ball() - 0.5 * (right.pose.translation.vector + left.pose.translation.vector)
    }
}

/// Towards a pose: 3/s of the rest of the way, at most 0.3 m/s and 0.8 rad/s.
fn towards(from: &Isometry3<f64>, to: &Isometry3<f64>) -> Vector6<f64> {
    let linear = 3.0 * (to.translation.vector - from.translation.vector);
    let angular = 3.0 * (to.rotation * from.rotation.inverse()).scaled_axis();
    let [linear, angular] = [linear.cap_magnitude(0.3), angular.cap_magnitude(0.8)];
    Vector6::from_iterator(linear.iter().chain(angular.iter()).copied())
}

/// Brings the palms beside the ball, which they do not touch.
fn go_beside(w: &mut World) {
    let holding = Held::BALL.attitudes.map(attitude);
    let start = w.ball();
    let goals = [0.125, -0.125].map(|x| start + Vector3::new(x, 0.0, -0.055));
    for _ in 0..200 {
        let p = w.palms();
        let to = |s: usize| Isometry3::from_parts(Translation3::from(goals[s]), holding[s]);
        w.step(&[0, 1].map(|s| towards(&p[s].pose, &to(s))));
    }
    let p = w.palms();
    for s in 0..2 {
        let missed = (p[s].pose.translation.vector - goals[s]).norm();
        let turned = p[s].pose.rotation.angle_to(&holding[s]);
        assert!(missed < 0.01 && turned < 0.05, "palm {s}: {missed} m, {turned} rad from its place");
    }
}

/// Brings the palms beside the ball, closes them until both press with 4 N, lifts for 2 s at 0.1 m/s and holds for 2 s. Heights and slips at the end of lifting and of holding.
fn squeeze_and_lift(w: &mut World) -> [(f64, Vector3<f64>); 2] {
    go_beside(w);
    let holding = Held::BALL.attitudes.map(attitude);
    let start = w.ball();
    let steady = |w: &World, velocity: [Vector3<f64>; 2]| {
        let p = w.palms();
        [0, 1].map(|s| {
            let spin = 3.0 * (holding[s] * p[s].pose.rotation.inverse()).scaled_axis();
            Vector6::from_iterator(velocity[s].iter().chain(spin.iter()).copied())
        })
    };
    for _ in 0..150 {
        let pressed = w.forces().map(|f| f > 4.0);
        let velocity = [-0.03, 0.03].map(|v| Vector3::new(v, 0.0, 0.0));
        let twists = steady(w, [0, 1].map(|s| if pressed[s] { Vector3::zeros() } else { velocity[s] }));
        w.step(&twists);
    }
    let before = w.held();
    let mut out = [(0.0, Vector3::zeros()); 2];
    for (k, speed) in [0.1, 0.0].into_iter().enumerate() {
        for n in 0..100 {
            let v = speed * (f64::from(n) / 10.0).min(1.0);
            let twists = steady(w, [Vector3::new(0.0, 0.0, v); 2]);
            w.step(&twists);
        }
        out[k] = (w.ball().z - start.z, w.held() - before);
    }
    out
}

/// A step of a Denavit-Hartenberg table: about and along z by (q, d), about and along x by (α, a); x comes first in the modified form.
fn link(a: f64, d: f64, alpha: f64, q: f64, modified: bool) -> Isometry3<f64> {
    let z = Isometry3::new(Vector3::new(0.0, 0.0, d), Vector3::new(0.0, 0.0, q));
    let x = Isometry3::new(Vector3::new(a, 0.0, 0.0), Vector3::new(alpha, 0.0, 0.0));
    if modified { x * z } else { z * x }
}

/// Flanges at random poses beside the published tables, whose frames of the last link turn about the flange as the joint does: where the flange is and where it points.
#[test]
fn analytic_arms_are_the_published_tables() {
    // (a, d, α/π) of the UR5e.
    let six: &[_] = &[
        (0.0, 0.1625, 0.5),
        (-0.425, 0.0, 0.0),
        (-0.3922, 0.0, 0.0),
        (0.0, 0.1333, 0.5),
        (0.0, 0.0997, -0.5),
        (0.0, 0.0996, 0.0),
    ];
    // Of the Panda, modified form, and its flange.
    let seven: &[_] = &[
        (0.0, 0.333, 0.0),
        (0.0, 0.0, -0.5),
        (0.0, 0.316, 0.5),
        (0.0825, 0.0, 0.5),
        (-0.0825, 0.384, -0.5),
        (0.0, 0.0, 0.5),
        (0.088, 0.0, 0.5),
    ];
    // Bases along x and turned about z, flange beyond the last frame, its direction in the tool.
    let tilted = Vector3::new(0.0, 0.5, 0.75f64.sqrt());
    let cases = [
        (six, [(0.37, -0.5), (-0.87, -0.5)], 0.0, Vector3::z()),
        (seven, [(0.42, 1.0), (-0.92, 0.0)], 0.107, tilted),
    ];
    for (task, (table, bases, beyond, points)) in TASKS.iter().zip(cases) {
        let mut w = World::new(task, &scene_of(task.scene), Method::icf(), 1);
        let mut random = Stream::new(5, 0);
        for n in 0..20 {
            let far = if n == 0 { 0.0 } else { 2.0 };
            let q: Vec<f64> = w.home().iter().map(|q| q + random.uniform(-far, far)).collect();
            w.put(&q);
            for (side, (x, turn)) in bases.into_iter().enumerate() {
                let turn = Vector3::new(0.0, 0.0, turn * PI);
                let mut pose = Isometry3::new(Vector3::new(x, 0.0, 0.0), turn);
                for ((a, d, alpha), q) in table.iter().zip(&q[w.arms.axes() * side..]) {
                    pose *= link(*a, *d, alpha * PI, *q, beyond > 0.0);
                }
                let flange = pose * Point3::new(0.0, 0.0, beyond);
                let palm = w.palms()[side].pose;
                let off = (palm * Point3::new(0.0, 0.0, -0.12) - flange).norm();
                let turned = (palm * points - pose * Vector3::z()).norm();
                // The tilt is written with 7 digits.
                assert!(off < 1e-7 && turned < 1e-6, "{} arm at {q:?}: {off}, {turned}", SIDES[side]);
            }
        }
    }
}

#[test]
fn analytic_jacobians_are_differences_of_poses() {
    for task in &TASKS {
        let mut w = World::new(task, &scene_of(task.scene), Method::icf(), 1);
        let (h, home, n) = (1e-6, w.home(), w.arms.axes());
        let j = [0, 1].map(|side| w.arms.jacobian(&w.view(), side));
        for i in 0..w.arms.count() {
            let [plus, minus] = [1.0, -1.0].map(|sign| {
                let mut q = home.clone();
                q[i] += sign * h;
                w.put(&q);
                w.palms().map(|p| p.pose)
            });
            for side in 0..2 {
                let linear = (plus[side].translation.vector - minus[side].translation.vector) / (2.0 * h);
                let spin = (plus[side].rotation * minus[side].rotation.inverse()).scaled_axis() / (2.0 * h);
                let own = if i / n == side { j[side].column(i % n).into_owned() } else { Vector6::zeros() };
                // Central differences in double precision: 1e-10 of round-off over 2h, h² of curvature.
                let off = (own.fixed_rows::<3>(0) - linear).norm() + (own.fixed_rows::<3>(3) - spin).norm();
                assert!(off < 1e-7, "joint {i}, side {side}: {off}");
            }
        }
    }
}

/// Noise that lets palms turn together and do nothing else moves them as one body: with ω the spin of one and r half of the way between them, the other spins alike and half their relative velocity is ω × r.
#[test]
fn analytic_noise_of_a_turn_is_that_of_one_body() {
    for task in &TASKS {
        let w = World::new(task, &scene_of(task.scene), Method::icf(), 1);
        let view = w.view();
        let j = w.arms.shared_jacobian(&view);
        let [right, left] = w.palms().map(|p| p.pose.translation.vector);
        let n = w.arms.count();
        let (r, past) = (0.5 * (right - left), vec![0.0; n]);
        let phase = Phase::default();
        let planner = task.planner(0);
        let amiss = [1e-4, 1.0].map(|small| {
            let t = Tolerance { joints: 10.0, middle: small, apart: small, spin: small, turn: 1.0 };
            let mut motion = TwoArmMotion::new(w.arms, &planner, vec![t]).unwrap();
            motion
                .begin(&ReplanView { seen: w.view(), phase: &phase, past: [&past; 2], dt: planner.dt })
                .unwrap();
            let (samples, knots) = (9, planner.knots);
            let mut random = Stream::new(2, 0);
            // So small that no bound is met: one direction for all knots, growing with the square of the time.
            let mut values = vec![0.0; samples * knots * n];
            for s in 1..samples {
                let z = (0..n).map(|_| random.uniform(-1e-4, 1e-4)).collect::<Vec<_>>();
                for k in 0..knots {
                    (0..n).for_each(|i| values[(s * knots + k) * n + i] = ((k + 1) * (k + 2)) as f64 * z[i]);
                }
            }
            motion
                .project(&mut Samples { values: &mut values, samples, knots, channels: n, start: 0.0 })
                .unwrap();
            let of = |v: &[f64]| {
                let palms = &j * DVector::from_column_slice(v);
                let part = |at: usize| Vector3::new(palms[at], palms[at + 1], palms[at + 2]);
                let (spin, other) = (part(6), part(9));
                (part(0).norm() + (part(3) - spin.cross(&r)).norm() + (spin - other).norm()) / spin.norm()
            };
            let last = |s: usize| &values[((s + 1) * knots - 1) * n..(s + 1) * knots * n];
            (1..samples).map(|s| of(last(s))).fold(0.0, f64::max)
        });
        assert!(amiss[0] < 0.01 && amiss[1] > 0.1, "{amiss:?}");
    }
}

/// Samples without noise of their own are the mean, made slower by the share of their noise: the first by `REST`, the last by `FINEST` of it.
#[test]
fn analytic_samples_are_drawn_about_a_slower_mean() {
    let task = &TASKS[0];
    let w = World::new(task, &scene_of(task.scene), Method::icf(), 1);
    let (planner, phase) = (task.planner(0), Phase::default());
    let t = Tolerance { joints: 1.0, middle: 1.0, apart: 1.0, spin: 1.0, turn: 0.0 };
    let mut motion = TwoArmMotion::new(w.arms, &planner, vec![t]).unwrap();
    // So slow that no bound is met.
    let (n, samples, knots) = (w.arms.count(), 5, planner.knots);
    let mean: Vec<f64> = (0..n).map(|i| 1e-3 * (i as f64 - 4.5)).collect();
    motion.begin(&ReplanView { seen: w.view(), phase: &phase, past: [&mean; 2], dt: planner.dt }).unwrap();
    let mut values = mean.repeat(samples * knots);
    motion.project(&mut Samples { values: &mut values, samples, knots, channels: n, start: 0.0 }).unwrap();
    for (s, sample) in values.chunks_exact(knots * n).enumerate() {
        let share = match s {
            0 => 0.0,
            s => TwoArmMotion::FINEST.powf((s - 1) as f64 / 3.0),
        };
        for (v, m) in sample.iter().zip(mean.repeat(knots)) {
            let wanted = (1.0 - TwoArmMotion::REST * share) * m;
            assert!((v - wanted).abs() < 1e-15, "sample {s}: {v} beside {wanted}");
        }
    }
}

/// Palms that do not come to press within 3 s open again; those that press in time carry.
#[test]
fn conformance_a_long_squeeze_is_opened_again() {
    let task = &TASKS[0];
    let mut w = World::new(task, &scene_of(task.scene), Method::icf(), 10);
    let after = |w: &World, seconds: f64| {
        let mut phase = Phase { stage: 1, since: 5.0, ..task.reset(0).phase };
        task.transition(&View { time: 5.0 + seconds, ..w.view() }, &mut phase);
        phase.stage
    };
    go_beside(&mut w);
    assert_eq!([2.9, 3.1].map(|s| after(&w, s)), [1, 0]);
    squeeze_and_lift(&mut w);
    assert_eq!([0.1, 3.1].map(|s| after(&w, s)), [2, 2]);
}

/// The way to the place beside a tray is straight, or the shortest of those that a grid of points in the plane of the end allows, and it is continuous.
#[test]
fn analytic_ways_go_round_the_ends_of_the_tray() {
    let held = Held::TRAY;
    let [x, y, z] = held.ends.unwrap();
    let (plane, top) = (x - held.place[0] - held.open, z - held.place[2]);
    let mut random = Stream::new(3, 0);
    let mut round = 0;
    for _ in 0..300 {
        let p = Vector3::new(random.uniform(-0.2, 0.1), random.uniform(-0.2, 0.2), random.uniform(-0.1, 0.3));
        let found = held.way(p);
        let straight = (plane / p.x) * p;
        let blocked = |q: &Vector3<f64>| q.y.abs() < y && q.z < top;
        if p.x >= plane || !blocked(&straight) {
            assert_eq!(found, p.norm());
        } else {
            // Points of the edges at each tenth of a millimetre: as the way is least there, a half of that costs (5e-5)²/2 over the shorter part, 0.035 m at least.
            let steps = |from: f64, to: f64| {
                let n = ((to - from) / 1e-4).round() as usize;
                (0..=n).map(move |k| from + (to - from) * k as f64 / n as f64)
            };
            let over = steps(-0.4, 0.4).map(|s| Vector3::new(plane, s, top));
            let sides =
                [-y, y].into_iter().flat_map(|s| steps(-0.4, 0.4).map(move |h| Vector3::new(plane, s, h)));
            let least = over.chain(sides).map(|q| (p - q).norm() + q.norm()).fold(f64::INFINITY, f64::min);
            assert!((found - least).abs() < 1e-7, "{p:?}: {found} beside {least}");
            round += 1;
        }
        // Never shorter than straight, and 1e-6 m further on no more than that longer.
        let next = p + 1e-6 * Vector3::new(random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), 0.5);
        let crosses = (p.x < plane) != (next.x < plane);
        assert!(found >= p.norm() && (crosses || (held.way(next) - found).abs() < 2e-6), "{p:?}");
    }
    assert!(round > 50, "{round}");
    assert_eq!(Held::BALL.way(Vector3::new(-0.1, 0.0, 0.0)), 0.1);
}

#[test]
fn analytic_palms_face_each_other_and_thirty_degrees_up() {
    for (q, x) in Held::BALL.attitudes.into_iter().zip([-1.0, 1.0]) {
        let faces = attitude(q) * -Vector3::y();
        let wanted = Vector3::new(x * 0.75f64.sqrt(), 0.0, 0.5);
        // Published to three digits.
        assert!((faces - wanted).norm() < 2e-3, "{faces:?}");
    }
}

/// Two palms that face 30° up and press with N each: across, N cos 30° + f sin 30° of one side balances the other; upwards, 2 (N sin 30° − f cos 30°) = W, so
/// f = (N sin 30° − W/2)/cos 30° < N tan 30°: a coefficient of tan 30° = 0.577 always holds, and with one of 0.4 a ball that is pressed by more than W/2/(sin 30° − 0.4 cos 30°) = 1.6 N slips upwards.
#[test]
fn analytic_squeezed_ball_is_lifted_where_friction_allows_it() {
    let mut held_at = 0.0;
    for task in TASKS.iter().rev() {
        let who = task.name;
        let scene = scene_of(task.scene);
        for (name, method, substeps) in [("icf", Method::icf(), 10), ("comfree", Method::comfree(), 4)] {
            let mut w = World::new(task, &scene, method, substeps);
            let [(up, _), (held, slip)] = squeeze_and_lift(&mut w);
            held_at = w.held().z;
            let forces = w.forces();
            println!(
                "{who} with {name}: lifted {up:.4} m, after 2 s {held:.4} m, moved in the palms by {slip:?} m; pressed with {forces:?} N"
            );
            // 0.1 m/s for 2 s less half the ramp of 0.2 s. While they move, servos lag by kv/kp = 0.1 s of it; the held object may creep by less than 1 cm.
            let (lifted, lag) = (0.19, 0.01);
            assert!((up + lag - lifted).abs() < 0.01, "{who} with {name}: {up} m while lifting");
            assert!((held - lifted).abs() < 0.01, "{who} with {name}: {held} m at the end");
            assert!(slip.norm() < 0.01, "{who} with {name}: slipped by {slip:?} m");
            let [right, left] = forces;
            assert!(
                right > 1.0 && right < 20.0 && (right - left).abs() < 0.1 * right,
                "{who} with {name}: {forces:?} N"
            );
        }
    }
    let task = &TASKS[0];
    let scene = scene_of(task.scene);
    let low = LaneParameters {
        friction: (0..scene.geoms.len()).map(|g| (g, [0.4, 0.005, 0.0001])).collect(),
        ..LaneParameters::default()
    };
    let mut w = World::new(task, &low.apply(&scene).unwrap(), Method::icf(), 10);
    squeeze_and_lift(&mut w);
    let rose = w.held().z - held_at;
    println!(
        "friction of 0.4: the ball rose by {rose:.4} m between the palms, pressed with {:?} N",
        w.forces()
    );
    // The script closes until both press with 4 N, more than the faces bear: the ball leaves them upwards, by half a palm at least.
    assert!(rose > 0.0175, "a friction of 0.4 held the ball: it rose by {rose} m");
}

/// The arms with grippers are those with palms, but for the tools: the file repeats them.
#[test]
fn conformance_both_files_have_the_same_arms() {
    let [palms, grippers] = ["two_arms/ball.xml", "two_arms/cube.xml"].map(scene_of);
    let mut links = 0;
    for a in palms.bodies.iter().filter(|b| SIDES.iter().any(|s| b.name.starts_with(s))) {
        let b = grippers.bodies.iter().find(|b| b.name == a.name).unwrap();
        let parent = |scene: &Scene, parent: usize| scene.bodies[parent].name.clone();
        assert_eq!(parent(&palms, a.parent), parent(&grippers, b.parent), "{}", a.name);
        assert_eq!(a.pose, b.pose, "{}", a.name);
        assert_eq!(a.gravity_compensation, b.gravity_compensation, "{}", a.name);
        let geoms = |scene: &Scene| -> Vec<String> {
            let of = scene.geoms.iter().filter(|g| scene.bodies[g.body].name == a.name);
            of.map(|g| format!("{} {:?} {:?}", g.name, g.shape, g.pose)).collect()
        };
        if !a.name.ends_with("tool") {
            assert_eq!(format!("{:?}", a.mass), format!("{:?}", b.mass), "{}", a.name);
            assert_eq!(geoms(&palms), geoms(&grippers), "{}", a.name);
        }
        links += 1;
    }
    assert_eq!(links, 16);
    for a in palms.joints.iter().filter(|j| j.name != "ball") {
        let b = grippers.joints.iter().find(|b| b.name == a.name).unwrap();
        assert_eq!(
            (a.axis, a.range, a.damping, a.armature, a.anchor),
            (b.axis, b.range, b.damping, b.armature, b.anchor),
            "{}",
            a.name
        );
    }
    for a in &palms.actuators {
        let b = grippers.actuators.iter().find(|b| b.name == a.name).unwrap();
        assert_eq!(format!("{:?}", a.force), format!("{:?}", b.force), "{}", a.name);
    }
}

/// A forbidden contact ends a run, by name: an arm on the table, on itself, and on the ball with another part than its palm.
#[test]
fn conformance_collisions_are_told_whatever_presses() {
    let task = TwoArmCarry::ball(Wall::None);
    let scene = scene_of(task.scene);
    // Speeds of joints of the right arm \[rad/s\], and words of the failure.
    type Case<'a> = (&'a [(usize, f64)], [&'a str; 2]);
    let cases: [Case<'_>; 3] = [
        (&[(1, -1.0)], ["right_", "table"]),
        (&[(2, 1.0), (1, 0.3)], ["right_", "right_"]),
        (&[], ["right_", "ball"]),
    ];
    for (joints, names) in cases {
        let mut w = World::new(&task, &scene, Method::icf(), 50);
        let phase = task.reset(0).phase;
        if joints.is_empty() {
            // The ball falls on the wrist, which is above the palm.
            let p = w.palms()[0].pose.translation.vector + Vector3::new(0.0, 0.0, 0.35);
            let (mut x, q) = (Default::default(), [p.x, p.y, p.z, 1.0, 0.0, 0.0, 0.0]);
            w.batch.store(0, &mut x).unwrap();
            w.batch.set_joint("ball", &q, &[0.0; 6], &mut x).unwrap();
            w.batch.load(0, &x).unwrap();
        }
        let mut control = vec![0.0; w.arms.count()];
        joints.iter().for_each(|(j, speed)| control[*j] = *speed);
        let outcome = (0..60).find_map(|_| {
            assert_eq!(w.batch.status(0), Some(&signorini_core::LaneStatus::Running));
            w.batch.step(&control, 0.1 / 50.0, 50, &[true]).unwrap();
            w.look();
            let outcome = task.judge(&w.view(), &phase);
            (outcome != Outcome::Running).then_some(outcome)
        });
        println!("{joints:?}: {outcome:?}");
        let Some(Outcome::Failure(why)) = outcome else { panic!("{joints:?}: {outcome:?}") };
        assert!(why.starts_with("collision") && names.iter().all(|n| why.contains(n)), "{joints:?}: {why}");
        assert!(names[0] != names[1] || why.matches(names[0]).count() == 2, "{why}");
    }
}
