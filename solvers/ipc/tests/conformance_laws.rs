//! The laws of barrier contact through the conformance suite of the testkit.

use signorini_core::na::SVector;
use signorini_ipc::{Barrier, BarrierFriction, BarrierFrictionSeed, BarrierSeed};
use signorini_testkit::law::{LawSuite, Scale};
use signorini_testkit::rng::Rng;

#[test]
fn conformance_barrier() {
    let draw = |r: &mut Rng| {
        let range = r.log_uniform(1e-5, 1e-1);
        let separation = if r.chance(0.5) { 0.0 } else { range * r.log_uniform(1e-2, 10.0) };
        let place = |r: &mut Rng| separation + range * r.log_uniform(1e-3, 1.5);
        let (distance, end) = (place(r), place(r));
        let dt = r.log_uniform(1e-4, 2e-2);
        let stiffness = r.log_uniform(1e-2, 1e3) / range.powi(4);
        (BarrierSeed { dt, distance, range, separation, stiffness }, SVector::from([(end - distance) / dt]))
    };
    let rescale = |(p, v): &(BarrierSeed, SVector<f64, 1>), s: Scale| {
        let p = BarrierSeed {
            dt: p.dt * s.time,
            distance: p.distance * s.length,
            range: p.range * s.length,
            separation: p.separation * s.length,
            stiffness: p.stiffness * s.energy() / s.length.powi(4),
        };
        (p, v * s.speed())
    };
    let report = LawSuite::new(Barrier, draw, rescale).assert_conforms();
    // Six in ten ends lie within the range.
    assert!(report.active > report.states / 2, "{report}");
}

#[test]
fn conformance_barrier_friction() {
    let draw = |r: &mut Rng| {
        let seed = BarrierFrictionSeed {
            dt: r.log_uniform(1e-4, 2e-2),
            force: r.log_uniform(1e-3, 1e4),
            stiction_speed: r.log_uniform(1e-5, 1e-2),
        };
        let speed = seed.stiction_speed * r.log_uniform(1e-3, 1e3);
        (seed, r.vector::<2>().normalize() * speed)
    };
    let rescale = |(p, v): &(BarrierFrictionSeed, SVector<f64, 2>), s: Scale| {
        let p = BarrierFrictionSeed {
            dt: p.dt * s.time,
            force: p.force * s.force(),
            stiction_speed: p.stiction_speed * s.speed(),
        };
        (p, v * s.speed())
    };
    let report = LawSuite::new(BarrierFriction, draw, rescale).assert_conforms();
    assert!(report.active > report.states / 2, "{report}");
}
