//! Corners and edges of bodies against triangles and edges of cloth: they are stopped, bear weights, and keep momenta.

use signorini_core::na::{Isometry3, UnitQuaternion, Vector3};
use signorini_core::{ContactMaterial, OneStep, Slot, State, System, Tolerance};
use signorini_geometry::Shape;
use signorini_integrators::ContactStep;
use signorini_laws::contact_pool;
use signorini_mpm::{
    Cloth, ClothMaterial, MpmEngine, MpmOptions, MpmSolver, MpmSystem, Obstacle, Particles, Pin, Touch,
    TouchPart, sheet,
};

type V = Vector3<f64>;

/// Spacing of the grid, edge of the sheet's cells, half the side of the box \[m\].
const H: f64 = 0.1;
const CELL: f64 = 0.1;
const HALF: f64 = 0.02;
/// Stiffness of a contact \[N/m\].
const STIFFNESS: f64 = 2e3;
/// Step \[s\].
const DT: f64 = 1e-3;
const GRAVITY: f64 = 9.81;

/// Turns the corner of a box that is all positive to −z.
fn corner_down() -> UnitQuaternion<f64> {
    UnitQuaternion::rotation_between(&V::repeat(1.0), &-V::z()).unwrap()
}

/// Turns the edge of a box along y between its faces +x and +z to −z.
fn edge_down() -> UnitQuaternion<f64> {
    UnitQuaternion::rotation_between(&V::new(1.0, 0.0, 1.0), &-V::z()).unwrap()
}

/// A box at half its diagonal above its lowest corner, which is at `x`.
fn on_corner(x: V) -> Isometry3<f64> {
    Isometry3::from_parts((x + V::z() * HALF * 3f64.sqrt()).into(), corner_down())
}

fn surface(friction: f64) -> ContactMaterial {
    ContactMaterial { stiction_speed: 1e-3, ..ContactMaterial::compliant(STIFFNESS, 1.0, friction) }
}

fn cube() -> Shape {
    Shape::Box { half_extents: V::repeat(HALF) }
}

fn material() -> ClothMaterial {
    ClothMaterial::new(1e6, 0.3, 1e3, 1e-3).unwrap()
}

fn options(gravity: f64) -> MpmOptions {
    MpmOptions {
        spacing: H,
        damping_time: 0.02,
        gravity: V::new(0.0, 0.0, -gravity),
        ..MpmOptions::default()
    }
}

/// A sheet of four by four cells at z = 0, and the pins of its rim to obstacle 1.
fn held(obstacles: &[Obstacle]) -> (Particles, Cloth, Vec<Pin>) {
    let mut p = Particles::default();
    let mesh = sheet([4.0 * CELL; 2], [4; 2]).unwrap();
    let cloth = Cloth::new(&mut p, mesh.vertices(), mesh.triangles(), material()).unwrap();
    let rim = |v: &usize| p.x[*v].xy().amax() > 1.9 * CELL;
    let pins = Pin::all(&p, cloth.vertices().filter(rim), Some(1), obstacles).unwrap();
    (p, cloth, pins)
}

/// What holds the rim: nothing that cloth could meet.
fn frame() -> Obstacle {
    let far = Isometry3::translation(0.0, 0.0, 5.0);
    Obstacle::new("frame", Shape::Sphere { radius: 0.1 }, far, surface(0.0))
}

fn engine(body: Obstacle, gravity: f64) -> MpmEngine<f64> {
    let obstacles = vec![body, frame()];
    let (p, cloth, pins) = held(&obstacles);
    let law = contact_pool("lagged").unwrap();
    let tight = Tolerance { relative: 1e-10, max_iterations: 200 };
    MpmEngine::new(p, vec![], vec![], obstacles, law, options(gravity))
        .unwrap()
        .with_solver(Box::new(MpmSolver::default()), tight)
        .with_cloth(cloth)
        .unwrap()
        .with_pins(pins)
        .unwrap()
}

/// Height of the sheet over a place of the plane z = 0 \[m\].
fn height(e: &mut MpmEngine<f64>, x: f64, y: f64) -> f64 {
    let triangles: Vec<[u32; 3]> = e.cloth()[0].triangles().collect();
    let p = e.particles();
    let mut found = f64::NAN;
    for t in triangles {
        let [a, b, c] = t.map(|v| p.x[v as usize]);
        let area = (b - a).xy().perp(&(c - a).xy());
        let at = V::new(x, y, 0.0);
        let s = (at - a).xy().perp(&(c - a).xy()) / area;
        let u = (b - a).xy().perp(&(at - a).xy()) / area;
        if s >= 0.0 && u >= 0.0 && s + u <= 1.0 {
            found = a.z + s * (b - a).z + u * (c - a).z;
        }
    }
    found
}

/// Moves the body down at `speed` \[m/s\] for `way` \[m\], holds it there for `rest` \[s\]; whatever `each` looks at.
fn press(
    e: &mut MpmEngine<f64>,
    (speed, way, rest): (f64, f64, f64),
    mut each: impl FnMut(&mut MpmEngine<f64>),
) {
    let dt = DT;
    let (mut gone, mut left) = (0.0, rest);
    while left > 0.0 {
        let v = if gone < way { speed.min((way - gone) / dt) } else { 0.0 };
        e.obstacles_mut()[0].velocity.z = -v;
        e.step(dt).unwrap();
        e.obstacles_mut()[0].pose.translation.vector.z -= v * dt;
        gone += v * dt;
        left -= if v > 0.0 { 0.0 } else { dt };
        each(e);
    }
}

/// Largest depth at which contacts of this part end a step \[m\].
fn told(e: &MpmEngine<f64>, part: fn(&TouchPart) -> bool) -> f64 {
    e.touches().iter().filter(|t| part(&t.part)).map(|t| -t.end).fold(0.0, f64::max)
}

fn is_corner(part: &TouchPart) -> bool {
    matches!(part, TouchPart::Triangle { .. })
}

fn is_edge(part: &TouchPart) -> bool {
    matches!(part, TouchPart::Edge { .. })
}

#[test]
fn analytic_a_corner_is_stopped_by_the_triangle_under_it() {
    // Places in triangles, far from their particles; slow, and at 3 mm in a step.
    for (x, y, speed) in [(0.03, 0.05, 0.1), (0.055, 0.02, 0.1), (-0.08, 0.052, 3.0)] {
        let mut e = engine(Obstacle::new("box", cube(), on_corner(V::new(x, y, 0.005)), surface(0.0)), 0.0);
        let tip = |e: &MpmEngine<f64>| e.obstacles()[0].pose.translation.vector.z - HALF * 3f64.sqrt();
        let (mut deepest, mut apart, mut met) = (0.0f64, 0.0f64, 0);
        press(&mut e, (speed, 0.02, 0.5), |e| {
            let depth = height(e, x, y) - tip(e);
            deepest = deepest.max(depth);
            met += usize::from(e.touches().iter().any(|t| is_corner(&t.part) && t.gap < 0.0));
            assert!(e.touches().iter().all(|t| t.part != TouchPart::Particle || t.gap > 0.0));
            if depth > 0.0 {
                apart = apart.max((told(e, is_corner) - depth).abs());
            }
        });
        let force = -e.impulses()[0][0] / DT;
        println!(
            "({x}, {y}) at {speed} m/s: {met} steps, deepest {deepest:.2e} m, {apart:.1e} m beside what was told, force {:.4} N",
            force.z
        );
        assert!(met > 20, "{met}");
        // As deep as its contact says, but for the turn of the triangle within a step.
        assert!(apart < 0.01 * deepest, "{apart} {deepest}");
        // Without corners the sheet stays flat, and the corner comes 15 mm through it. Two cells of the sheet, 20 g, are on their way within v √(m/k).
        assert!(deepest < 3.2e-3 * speed + 1e-3, "{deepest}");
        if speed < 1.0 {
            // At rest the frame bears what the sheet does.
            let [given, borne] = [0, 1].map(|i| e.impulses()[i][0] / DT);
            assert!(given.z > 0.02 && (given + borne).norm() < 0.02 * given.norm(), "{given} {borne}");
            let bears: f64 = e.touches().iter().map(|t| STIFFNESS * (-t.end).max(0.0)).sum();
            assert!((bears - given.norm()).abs() < 0.05 * given.norm(), "{bears} {given}");
        }
    }
}

#[test]
fn analytic_a_box_that_falls_on_a_sheet_by_its_corner_rests_there() {
    // It goes up and down alone, and does not turn.
    let (mass, x, y) = (0.02, 0.03, 0.045);
    let mut e = engine(Obstacle::new("box", cube(), on_corner(V::new(x, y, 0.02)), surface(0.0)), GRAVITY);
    let (mut v, mut late, mut deepest, mut highest) = (0.0, Vec::new(), 0.0f64, f64::NEG_INFINITY);
    for step in 0..2500 {
        e.obstacles_mut()[0].velocity.z = v;
        e.step(DT).unwrap();
        e.obstacles_mut()[0].pose.translation.vector.z += v * DT;
        let force = e.impulses()[0][0].z / DT;
        v += DT * (force / mass - GRAVITY);
        let tip = e.obstacles()[0].pose.translation.vector.z - HALF * 3f64.sqrt();
        deepest = deepest.max(height(&mut e, x, y) - tip);
        if step >= 2000 {
            late.push(force);
            highest = highest.max(tip);
        }
    }
    let weight = mass * GRAVITY;
    let force = late.iter().sum::<f64>() / late.len() as f64;
    println!("bears {force:.4} of {weight:.4} N, deepest {deepest:.2e} m, rests at {highest:.4} m");
    assert!((force - weight).abs() < 0.01 * weight, "{force} {weight}");
    // It hits at 0.6 m/s: v √(m/k) is 2 mm.
    assert!(deepest < 3e-3 && highest < 0.0, "{deepest} {highest}");
    assert!(e.touches().iter().all(|t| t.part != TouchPart::Particle || t.gap > 0.0));
}

#[test]
fn analytic_an_edge_is_stopped_by_the_edges_that_it_crosses() {
    // A bar longer than the sheet, over the middles of edges of its cells, an edge down.
    let half = V::new(0.01, 0.3, 0.01);
    let pose = Isometry3::from_parts(V::new(0.05, 0.0, 0.005 + 0.01 * 2f64.sqrt()).into(), edge_down());
    let bar = Obstacle::new("bar", Shape::Box { half_extents: half }, pose, surface(0.0));
    let mut e = engine(bar, 0.0);
    let mut deepest = 0.0f64;
    press(&mut e, (0.1, 0.015, 0.5), |e| {
        let low = e.obstacles()[0].pose.translation.vector.z - 0.01 * 2f64.sqrt();
        // Beside the rim, which is held.
        deepest = deepest
            .max((-1..=1).map(|k| height(e, 0.05, CELL * f64::from(k) + 1e-9) - low).fold(0.0, f64::max));
        assert!(e.touches().iter().all(|t| t.part != TouchPart::Particle || t.gap > 0.0));
    });
    let edges = e.touches().iter().filter(|t| is_edge(&t.part) && t.end < 0.0).count();
    println!("deepest {deepest:.2e} m, {edges} edges");
    // Without edges it comes 10 mm through the flat sheet. Three edges beside the rim cross it, and four diagonals.
    assert!(deepest < 1e-3, "{deepest}");
    assert!(edges >= 3, "{edges}");
    let [given, borne] = [0, 1].map(|i| e.impulses()[i][0] / DT);
    assert!(given.z > 0.02 && (given + borne).norm() < 0.02 * given.norm(), "{given} {borne}");
}

/// A system of a sheet of four by four cells at z = 0, free, and a body.
fn free(body: Obstacle, pins: Vec<Pin>) -> MpmSystem {
    let mut p = Particles::default();
    let mesh = sheet([4.0 * CELL; 2], [4; 2]).unwrap();
    let cloth = Cloth::new(&mut p, mesh.vertices(), mesh.triangles(), material()).unwrap();
    let law = contact_pool("lagged").unwrap();
    let s = MpmSystem::new(p, vec![], vec![], vec![body], law, options(0.0)).unwrap();
    s.with_cloth(cloth).unwrap().with_pins(pins).unwrap()
}

/// Touches at the start that are pressed.
fn pressed(s: &mut MpmSystem) -> Vec<Touch> {
    let x = s.initial_state();
    s.prepare(Slot::Start, &x, DT).unwrap();
    let touches = s.gathered(Slot::Start).unwrap().touches;
    touches.list.iter().filter(|t| t.gap < 0.0).cloned().collect()
}

#[test]
fn analytic_a_corner_presses_the_vertices_by_their_weights() {
    let at = V::new(0.03, 0.045, -0.002);
    let mut s = free(Obstacle::new("box", cube(), on_corner(at), surface(0.3)), vec![]);
    let found = pressed(&mut s);
    assert_eq!(found.len(), 1);
    let t = &found[0];
    assert!(is_corner(&t.part));
    assert!((t.gap - at.z).abs() < 1e-15 && (t.frame.column(0) + V::z()).norm() < 1e-12);
    assert!((t.x - V::new(at.x, at.y, 0.0)).norm() < 1e-15, "{}", t.x);
    let g = s.gathered(Slot::Start).unwrap();
    let row = &g.touches.rows[t.row.clone()];
    let sum: f64 = row.iter().map(|(_, w)| w).sum();
    let place: V = row.iter().map(|(n, w)| *w * g.grid.position(*n as usize)).sum();
    assert!((sum - 1.0).abs() < 1e-14 && (place - t.x).norm() < 1e-14, "{sum} {place}");
    // Σ b_j w_ji of the rows of the corners.
    let cloth = s.cloth()[0].clone();
    let corners = cloth.corners(t.particle).unwrap();
    let [a, b, c] = corners.map(|v| g.particles.x[v as usize]);
    let area = (b - a).cross(&(c - a)).z;
    let (s1, s2) = ((t.x - a).cross(&(c - a)).z / area, (b - a).cross(&(t.x - a)).z / area);
    for (n, w) in row {
        let mean: f64 = corners
            .iter()
            .zip([1.0 - s1 - s2, s1, s2])
            .flat_map(|(v, part)| {
                let nodes = g.grid.nodes(*v as usize, &g.particles.x[*v as usize]);
                nodes.filter(|m| m.0 == *n as usize).map(move |m| part * m.1)
            })
            .sum();
        assert!((mean - w).abs() < 1e-14, "{mean} {w}");
    }
    // It holds what its spring does.
    let energy = s.energy(&s.initial_state()).contact;
    let exact = 0.5 * STIFFNESS * at.z * at.z;
    assert!((energy - exact).abs() < 1e-12 * exact, "{energy} {exact}");
}

#[test]
fn analytic_what_corners_and_edges_give_obstacles_cloth_loses() {
    let mut seen = [0; 2];
    for k in 0..12 {
        let turn = UnitQuaternion::from_scaled_axis(V::new(0.9, 0.5 + 0.3 * f64::from(k), -0.4));
        let at = V::new(0.013 * f64::from(k) - 0.07, 0.04, 0.02);
        let mut body = Obstacle::new("box", cube(), Isometry3::from_parts(at.into(), turn), surface(0.4));
        body.velocity = V::new(0.2, -0.1, -0.4);
        body.angular_velocity = V::new(1.0, 2.0, -3.0);
        let mut s = free(body, vec![]);
        let tight = Tolerance { relative: 1e-12, max_iterations: 200 };
        let mut step = ContactStep::new(MpmSolver::default()).with_tolerance(tight);
        let (mut x, mut next) = (s.initial_state(), State::default());
        let size = s.particles(&x).unwrap().mass.iter().sum::<f64>();
        for _ in 0..30 {
            step.step(&mut s, &x, 5e-4, false, &mut next).unwrap();
            let (was, now) = (s.particles(&x).unwrap(), s.particles(&next).unwrap());
            let [impulse, moment] = s.impulses()[0];
            for t in s.gathered(Slot::Start).unwrap().touches.list.iter().filter(|t| t.end < 0.0) {
                seen[0] += usize::from(is_corner(&t.part));
                seen[1] += usize::from(is_edge(&t.part));
            }
            let change = now.momentum() - was.momentum();
            // Of particles where they were: stresses turn the grid's momentum over a step in which nodes do not move.
            let mut there = now.clone();
            there.x.clone_from(&was.x);
            let turned = there.angular_momentum(H) - was.angular_momentum(H);
            let origin = s.obstacles()[0].pose.translation.vector;
            assert!((change + impulse).norm() < 1e-11 * size, "{change} {impulse}");
            let lost = turned + moment + origin.cross(&impulse);
            assert!(lost.norm() < 1e-11 * size, "{lost} {moment}");
            std::mem::swap(&mut x, &mut next);
        }
    }
    println!("{seen:?} contacts of corners, of edges");
    assert!(seen.iter().all(|n| *n > 50), "{seen:?}");
}

#[test]
fn analytic_a_plate_meets_a_sheet_from_the_side_where_it_is() {
    // Its corners and edges on the far side, 2 cm away through the plate, meet nothing, nor do edges across the sheet; turned and moved to places all over it.
    for k in 0..120 {
        let (side, part) = (if k % 2 == 0 { 1.0 } else { -1.0 }, f64::from(k) / 120.0);
        let turn = UnitQuaternion::from_scaled_axis(V::new(0.0, 0.0, 0.1 + 2.9 * part));
        let at =
            V::new(0.007 + 0.09 * (7.0 * part).fract(), 0.08 * (11.0 * part).fract() - 0.004, side * 0.009);
        let plate = Shape::Box { half_extents: V::new(0.06, 0.07, 0.01) };
        let mut s =
            free(Obstacle::new("plate", plate, Isometry3::from_parts(at.into(), turn), surface(0.4)), vec![]);
        let found = pressed(&mut s);
        let count = |of: fn(&TouchPart) -> bool| found.iter().filter(|t| of(&t.part)).count();
        assert_eq!(count(is_corner), 4);
        // Each of its edges is longer than a cell.
        assert!(count(is_edge) >= 4, "{}", count(is_edge));
        // Particles beside a rim of the plate leave it there.
        for t in found.iter().filter(|t| is_corner(&t.part) || is_edge(&t.part)) {
            assert!((t.gap + 1e-3).abs() < 1e-12 && t.frame[(2, 0)] * side < -0.999, "{t:?}");
        }
    }
}

#[test]
fn analytic_triangles_that_are_pinned_to_a_body_do_not_meet_it() {
    let body = || Obstacle::new("box", cube(), on_corner(V::new(0.03, 0.045, -0.002)), surface(0.3));
    let mut s = free(body(), vec![]);
    let met = pressed(&mut s);
    assert_eq!(met.len(), 1);
    let corners = s.cloth()[0].corners(met[0].particle).unwrap().map(|v| v as usize);
    for p in corners.into_iter().chain([met[0].particle]) {
        let particles = s.particles(&s.initial_state()).unwrap();
        let pins = Pin::all(&particles, [p], Some(0), &[body()]).unwrap();
        assert!(pressed(&mut free(body(), pins)).is_empty());
        // Pinned to the world they do.
        let pins = Pin::all(&particles, [p], None, &[]).unwrap();
        assert_eq!(pressed(&mut free(body(), pins)).len(), 1);
    }
}

#[test]
fn analytic_cloth_on_a_board_leaves_it_by_the_nearest_face() {
    // Half a millimetre deep in its upper face: a rim 5 cm beside an upright edge, and a sheet that stands on it.
    let board = Shape::Box { half_extents: V::new(0.1, 0.1, 0.05) };
    let deep = 5e-4;
    let upright = UnitQuaternion::from_scaled_axis(V::y() * std::f64::consts::FRAC_PI_2);
    for (at, turn) in [
        (V::new(-0.25, 0.03, deep - 0.05), UnitQuaternion::identity()),
        (V::new(deep - 0.25, 0.03, 0.05), upright),
    ] {
        let pose = Isometry3::from_parts(at.into(), turn);
        let mut s = free(Obstacle::new("board", board.clone(), pose, surface(0.3)), vec![]);
        let found = pressed(&mut s);
        assert!(!found.is_empty());
        for t in &found {
            assert!(t.gap > -1.01 * deep, "{t:?}");
        }
    }
}
