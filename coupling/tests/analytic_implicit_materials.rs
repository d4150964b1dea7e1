//! Strong coupling of rubber and sand whose energies are not quadratic: momenta, convergence to the explicit path, steps beyond its limit.

use crate::common;

use common::{Setup, assert_pressed, cube, momenta_in_flight, panel_scene, press, surface};
use signorini_core::State;
use signorini_core::na::{DVector, Matrix3, Vector3};
use signorini_coupling::CouplingReport;
use signorini_icf::IcfSolver;
use signorini_mpm::{DruckerPrager, FixedCorotated, Lame, Material, MpmOptions, MpmSystem};
use signorini_testkit::order_fit;

fn rubber(young: f64) -> Vec<Box<dyn Material>> {
    vec![Box::new(FixedCorotated(Lame::new(young, 0.3).unwrap()))]
}

fn sand(young: f64) -> Vec<Box<dyn Material>> {
    vec![Box::new(DruckerPrager::new(Lame::new(young, 0.3).unwrap(), 0.55).unwrap())]
}

#[test]
fn analytic_momenta_are_kept_by_rubber_and_sand() {
    let text = "<mujoco><option gravity='0 0 0'/><worldbody><body pos='.02 .01 .097'><freejoint/>\
        <geom type='sphere' size='.06' mass='.5'/></body></worldbody></mujoco>";
    let options = MpmOptions { spacing: 0.03, gravity: Vector3::zeros(), ..MpmOptions::default() };
    let turn = signorini_core::na::Rotation3::from_euler_angles(0.2, -0.1, 0.4).into_inner();
    let wide = Matrix3::new(1.1, 0.1, 0.0, 0.0, 0.9, 0.05, 0.0, 0.0, 1.0);
    let pressed = turn * Matrix3::new(0.97, 0.01, 0.0, 0.0, 0.96, 0.005, 0.0, 0.0, 0.98);
    for dt in [1e-3, 1e-2] {
        for (name, materials, strain) in [("rubber", rubber(3e4), wide), ("sand", sand(3e4), pressed)] {
            let mut points = cube(Vector3::repeat(-0.03), 0.06, 5, 900.0);
            points.f.fill(strain);
            let mut s = Setup::new(text, (points, materials), surface(5e3, 0.5, 0.7), options);
            s.y.v.copy_from_slice(&[0.1, 0.2, -0.7, 3.0, -8.0, 2.0]);
            let (mut c, mut x, mut y) = s.strong(IcfSolver::default());
            let (largest, met) = momenta_in_flight(&mut c, (&mut x, &mut y), dt);
            println!("{name}, {dt} s: {largest:.1e} a step, met {met}");
            // Solves to 1e-12.
            assert!(largest < 1e-11, "{name} {dt}: {largest:e}");
            assert!(met > 0.05, "{name}: {met}");
        }
    }
}

/// Places of the points after so many steps \[m\].
fn moved(
    mut step: impl FnMut(&mut State, &mut State) -> CouplingReport,
    (mut x, mut y): (State, State),
    steps: u32,
) -> DVector<f64> {
    (0..steps).for_each(|_| assert_eq!(step(&mut x, &mut y).unconverged, 0));
    DVector::from_column_slice(&x.q)
}

#[test]
fn order_strong_coupling_approaches_the_explicit_path() {
    // A plate of 0.5 kg that a cube on a floor pushes away, as for materials of quadratic energies; the cube is pressed before, so that sand has a stress.
    let plate = |materials: Vec<Box<dyn Material>>| {
        let text = "<mujoco><option gravity='0 0 -9.81'/><worldbody><geom type='plane' pos='0 0 -.05' size='1 1 1'/>\
            <body pos='0 0 .066'><joint type='slide' axis='0 0 1'/><geom type='box' size='.08 .08 .02' mass='.5'/></body></worldbody></mujoco>";
        let options = MpmOptions { spacing: 0.025, ..MpmOptions::default() };
        let mut points = cube(Vector3::repeat(-0.05), 0.1, 7, 800.0);
        points.f.fill(Matrix3::from_diagonal(&Vector3::new(0.99, 0.99, 0.98)));
        Setup::new(text, (points, materials), surface(50.0, 5.0, 0.5), options)
    };
    let end = 0.008;
    for (name, of) in [("rubber", rubber as fn(f64) -> Vec<Box<dyn Material>>), ("sand", sand)] {
        // Both take equal steps: each transfer to the grid and back has a part in either.
        let apart = |dt: f64| {
            let steps = (end / dt).round() as u32;
            let (mut c, x, y) = plate(of(1e4)).split(1);
            let start = DVector::from_column_slice(&x.q);
            let weak = moved(|x, y| c.step(x, y, dt).unwrap(), (x, y), steps);
            let (mut c, x, y) = plate(of(1e4)).strong(IcfSolver::default());
            let strong = moved(|x, y| c.step(x, y, dt).unwrap(), (x, y), steps);
            (dt, (strong - &weak).norm() / (weak - start).norm())
        };
        let points = [1e-3, 5e-4, 2.5e-4].map(apart);
        let order = order_fit(&points);
        println!("{name}: {points:?}, order {order:.2}");
        assert!((order - 1.0).abs() < 0.25, "{name}: {points:?}");
    }
}

#[test]
fn analytic_panels_press_and_carry_rubber_at_steps_beyond_the_explicit_limit() {
    let lame = Lame::new(1e5, 0.4).unwrap();
    let options = MpmOptions { spacing: 0.025, damping_time: 2e-3, ..MpmOptions::default() };
    let make = || {
        let points = cube(Vector3::repeat(-0.05), 0.1, 11, 400.0);
        let materials: Vec<Box<dyn Material>> = vec![Box::new(FixedCorotated(lame))];
        let mut s = Setup::new(&panel_scene(0.0933), (points, materials), surface(1e5, 10.0, 0.8), options);
        s.rigid.control_mut().copy_from_slice(&[10.0, 10.0]);
        s
    };
    let dt = 1e-2;
    let limit = make().points.longest_step(&make().x).unwrap();
    assert!(dt > 10.0 * limit, "{limit}");
    let (mut c, x, y) = make().strong(IcfSolver::default());
    let p = press(|x, y| c.step(x, y, dt).ok(), (x, y), (dt, 0.4, 0.05)).unwrap();
    println!("{dt} s, {:.0} times the explicit limit: {p:?}", dt / limit);
    assert_eq!(p.unconverged, 0);
    assert_pressed(&p);
}

#[test]
fn analytic_sand_comes_to_rest_at_steps_beyond_the_explicit_limit() {
    // A block of sand falls 2 cm and spreads on a floor: no step gains energy, it stays above the floor, and carries its weight at the end.
    let text = "<mujoco><worldbody><geom type='plane' size='1 1 1'/></worldbody></mujoco>";
    let options = MpmOptions { spacing: 0.025, ..MpmOptions::default() };
    let make = || {
        let points = cube(Vector3::new(-0.05, -0.05, 0.02), 0.1, 6, 1500.0);
        Setup::new(text, (points, sand(1e6)), surface(2e3, 1.0, 0.6), options)
    };
    let (dt, limit) = (4e-3, make().points.longest_step(&make().x).unwrap());
    assert!(dt > 5.0 * limit, "{limit}");
    let (mut c, mut x, mut y) = make().strong(IcfSolver::default());
    let energy = |c: &MpmSystem, x: &State| {
        let p = c.particles(x).unwrap();
        let falls = |i: usize| p.mass[i] * (0.5 * p.v[i].norm_squared() + 9.81 * p.x[i].z);
        (0..p.len()).map(falls).sum::<f64>()
    };
    let weight = 9.81 * c.material().particles(&x).unwrap().mass.iter().sum::<f64>();
    let (first, mut last, mut carried) = (energy(c.material(), &x), f64::INFINITY, 0.0);
    for k in 0..100 {
        let r = c.step(&mut x, &mut y, dt).unwrap();
        let now = energy(c.material(), &x);
        last = now.min(last);
        assert!(now < first, "{k}: {now} {first}");
        if k >= 60 {
            carried -= r.impulses[0][0].z / (40.0 * dt);
        }
    }
    let p = c.material().particles(&x).unwrap();
    let fastest = p.v.iter().map(|v| v.norm()).fold(0.0, f64::max);
    let (low, high) = p.x.iter().fold((f64::MAX, 0.0f64), |(a, b), x| (a.min(x.z), b.max(x.z)));
    println!(
        "{:.0} times the explicit limit: carried {carried} of {weight} N, {fastest} m/s, heights {low} to {high}",
        dt / limit
    );
    assert!((carried - weight).abs() < 0.02 * weight, "{carried} {weight}");
    assert!(fastest < 0.05 && low > -2e-3 && high < 0.1, "{fastest} {low} {high}");
}
