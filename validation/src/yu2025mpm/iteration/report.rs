//! Figures, tables and claims of the runs.

use super::super::pressed_cube::{PRESS, SHIFT, SIDE};
use super::panels::{ALONG, CONTACT, FADING, MASS, PANEL, Pressed, RUBBER, SPACING, TOLERANCE, Way};
use super::{DRAWN, FITTED, STEP, SUBSTEP, SUBSTEPS, Study};
use crate::kurtz2025cenic::slope;
use signorini_report::claim::number;
use signorini_report::{Claim, Mark, PageOutput, Plot, Table};

/// Allowed deviation of a force from the one that presses, and its root mean square swing, where coupling holds \[N\].
const HOLDS: f64 = 0.01 * PRESS;
/// The least that it swings where coupling does not hold \[N\].
const BEYOND: f64 = 0.1 * PRESS;
/// Reason for which swings of the iteration stay small where bodies are kept.
const BOUNDED: &str = "The panels are not thrown off. Substeps beyond the limit are so long that the surface follows the panel within one substep. \
    This bounds the oscillation, which would grow without limit for a spring. At some time steps the oscillation even decays.";

fn ms(s: f64) -> f64 {
    1e3 * s
}

fn text(study: &Study) -> Vec<String> {
    vec![
        format!(
            "An elastic cube of {SIDE} m and {MASS} kg lies between two panels of {} g on slides. Each panel is pressed with {PRESS} N from rest. \
             Gravity pulls the cube down, and friction with a coefficient of {} holds it. \
             The cube has {ALONG}³ particles, and the outer particles lie on its faces. The material is linear corotated with E = {} Pa and ν = {}. \
             Strain rates decay with a time constant of {} s. \
             The panels are so light that the force on them is {PRESS} N, apart from the force that moves them with the cube. \
             The cube oscillates for about 20 ms.",
            number(1e3 * PANEL),
            CONTACT.friction,
            number(RUBBER.0),
            RUBBER.1,
            number(FADING),
        ),
        format!(
            "The grid spacing is {:.4} m, and a grid node is {SHIFT} grid spacings away from the middle of the cube along y. \
             Each particle inside a panel has a contact stiffness of {} N/m and a dissipation of {} s/m. All solves have a relative tolerance of \
             {TOLERANCE:e}.",
            SPACING,
            number(CONTACT.stiffness),
            CONTACT.dissipation,
        ),
        format!(
            "The time steps of the bodies range from {} to {} ms. Each step has {SUBSTEPS} substeps of the particles. \
             The longest step is nearly the stability limit of the particles. \
             Splitting advances particles and bodies once per step. \"Fixed bodies\" keep their place within the step, and \"moving bodies\" move on at \
             their velocity. \
             The iterated methods repeat the step until both sides agree (signorini_coupling::Iteration with its defaults: 10⁻⁴ of the exchanged momentum, \
             at most 30 passes). \
             The monolithic method solves particles and bodies in one step. It uses another implementation of the particles, so that its processor times \
             are not comparable with the other methods.",
            number(ms(study.steps[0])),
            number(ms(STEP)),
        ),
        format!(
            "The stability limits of the splitting are {} ms with fixed bodies and {} ms with moving bodies (signorini_coupling::Limit in the first step). \
             In the iteration with fixed bodies, a contact spring evaluates its force at x + (δt/{SUBSTEPS}) v⁺, which is before the middle of the step. \
             This scheme is stable up to {} ms (derived in papers/yu2025mpm/README.md). With moving bodies the force is evaluated after the middle of the \
             step, for any time step. \
             Each run simulates {} s, and the forces are from the second half. A run that ends early counts up to its end.",
            number(ms(study.limits[0])),
            number(ms(study.limits[1])),
            number(ms(study.limits[2])),
            number(study.end),
        ),
        format!(
            "The motion error compares the displacement of the left panel at the first three multiples of {} ms, during the compression of the cube. \
             All time steps have substeps of {} ms there. The reference has time steps of one substep and the same coupling. \
             The motion error therefore only contains the error of the coupling. \
             A monolithic step has no substeps. It is compared with the iterated method with one substep per step, which has an equal number of transfers \
             between particles and grid. Each transfer loses some motion. The remaining difference is of first order. \
             It results from the implicit stress and from the positions of the bodies.",
            number(ms(STEP)),
            number(ms(SUBSTEP)),
        ),
    ]
}

fn table(study: &Study) -> Table {
    let mut table = Table::new(
        "Force on the left panel over the second half of each run, and computing time",
        &[
            "coupling",
            "time step [ms]",
            "mean force [N]",
            "RMS deviation from 10 N [N]",
            "passes per step (mean)",
            "passes per step (max.)",
            "steps not converged",
            "substeps of all passes per second of simulated time [1/s]",
            "processor time per second of simulated time [s]",
            "relative momentum error per step [–]",
            "ended early at [ms]",
        ],
    );
    for r in &study.runs {
        let (mean, swing) = study.force(r);
        table.row([
            r.way.name().to_owned(),
            number(ms(r.dt)),
            number(mean),
            number(swing),
            number(r.passes),
            r.most.to_string(),
            r.unconverged.to_string(),
            if r.way == Way::Monolithic { "–".to_owned() } else { number(r.solves_of_second()) },
            number(r.cost_of_second()),
            number(r.momentum),
            r.failed.as_ref().map_or("–".to_owned(), |f| number(ms(f.0))),
        ]);
    }
    table
}

/// Ways whose errors are studied with the same substeps.
const STUDIED: [Way; 3] = [Way::Kept, Way::Moving, Way::Iterated];

/// Swing of the force, the force, passes, cost, error of the way.
fn plots(study: &Study) -> [Plot; 5] {
    let color = |way: Way| Way::ALL.iter().position(|w| *w == way).unwrap_or_default();
    let in_ms = |p: Vec<(f64, f64)>| p.into_iter().map(|(t, y)| (ms(t), y)).collect::<Vec<_>>();
    let mut swing = Plot::new(
        "swing",
        "RMS deviation of the force on the left panel from 10 N against the time step. Vertical lines in the colours of the curves are the stability limits \
         of the splitting (fixed and moving bodies) and of the iteration with fixed bodies.",
        "time step of the bodies [ms]",
        "RMS of force − 10 N [N]",
    )
    .log(true, true);
    let mut cost = Plot::new(
        "cost",
        "Processor time per second of simulated time against the time step, for runs whose force is within 1 %",
        "time step of the bodies [ms]",
        "processor time per second [s]",
    )
    .log(true, true);
    let mut passes = Plot::new(
        "passes",
        "Number of passes per step until both sides agree to 10⁻⁴ (mean and maximum) against the time step",
        "time step of the bodies [ms]",
        "passes per step [–]",
    )
    .log(true, false);
    for way in Way::ALL {
        let of = |f: &dyn Fn(&Pressed) -> f64| study.of(way).map(|r| (ms(r.dt), f(r))).collect::<Vec<_>>();
        let swings = of(&|r| study.force(r).1);
        let holding = study.of(way).filter(|r| r.failed.is_none() && study.force(r).1 <= HOLDS);
        let costs = holding.map(|r| (ms(r.dt), r.cost_of_second())).collect();
        swing.add_colored(way.name(), Mark::LinePoints, color(way), swings);
        cost.add_colored(way.name(), Mark::LinePoints, color(way), costs);
        if matches!(way, Way::IteratedKept | Way::Iterated) {
            passes.add_colored(
                &format!("{}: mean", way.name()),
                Mark::LinePoints,
                color(way),
                of(&|r| r.passes),
            );
            passes.add_colored(
                &format!("{}: max.", way.name()),
                Mark::Dashed,
                color(way),
                of(&|r| f64::from(r.most)),
            );
        }
    }
    let shown = study.runs.iter().map(|r| study.force(r).1).filter(|s| *s > 0.0 && s.is_finite());
    let (low, high) = shown.fold((f64::INFINITY, 0.0f64), |(a, b), s| (a.min(s), b.max(s)));
    for (way, limit) in [Way::Kept, Way::Moving, Way::IteratedKept].into_iter().zip(study.limits) {
        swing.add_colored("", Mark::Dashed, color(way), vec![(ms(limit), low), (ms(limit), high)]);
    }
    let mut trace = Plot::new(
        "force",
        &format!(
            "Force on the left panel over the first 10 ms with time steps of {} ms. This step exceeds the limits of the splitting and of the iteration with \
             fixed bodies. The peaks of the splitting exceed the axis by far.",
            number(ms(DRAWN))
        ),
        "time [ms]",
        "force [N]",
    );
    for r in study.runs.iter().filter(|r| r.dt == DRAWN) {
        let points = r.trace.iter().filter(|f| f.0 <= 1e-2).map(|f| (ms(f.0), f.1)).collect();
        trace.add_colored(r.way.name(), Mark::Line, color(r.way), points);
    }
    trace.y_range = Some([-2.0, 40.0]);
    let mut error = Plot::new(
        "error",
        "Relative error of the panel displacement during the compression of the cube, with equal substeps. \
         Another curve is the difference between the monolithic and the iterated method with one substep per step. The dashed line is first order.",
        "time step of the bodies [ms]",
        "relative error of the displacement [–]",
    )
    .log(true, true);
    for way in STUDIED {
        error.add_colored(way.name(), Mark::LinePoints, color(way), in_ms(study.errors(way)));
    }
    error.add_colored(
        "monolithic – iterated",
        Mark::LinePoints,
        color(Way::Monolithic),
        in_ms(study.between()),
    );
    if let Some(p) = study.errors(Way::Iterated).iter().find(|p| p.0 >= FITTED[0]) {
        let line = [study.steps[0], STEP].map(|t| (ms(t), 0.5 * p.1 * t / p.0));
        error.add_colored("order 1", Mark::Dashed, 6, line.into());
    }
    [swing, trace, passes, cost, error]
}

fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, f64::max)
}

fn claims_of_force(study: &Study) -> Vec<Claim> {
    let swing = |r: &Pressed| study.force(r).1;
    let mut out = Vec::new();
    let limited = [(Way::Kept, "kept"), (Way::Moving, "moving"), (Way::IteratedKept, "iterated_kept")];
    for ((way, id), limit) in limited.into_iter().zip(study.limits) {
        let within = largest(study.of(way).filter(|r| r.dt < limit).map(swing));
        let beyond = study.of(way).filter(|r| r.dt >= limit).map(swing).fold(f64::INFINITY, f64::min);
        let name = way.name();
        out.push(
            Claim::at_most(
                &format!("holds.{id}"),
                &format!("{name}, time steps within its stability limit: largest RMS deviation of the force from 10 N"),
                HOLDS,
                within,
                "N",
            )
            .required_since("a hundredth of the pressing force"),
        );
        out.push(
            Claim::at_least(
                &format!("beyond.{id}"),
                &format!("{name}, time steps beyond its stability limit: smallest RMS deviation of the force from 10 N"),
                BEYOND,
                beyond,
                "N",
            )
            .required_since("a tenth of the pressing force")
            .because(BOUNDED),
        );
    }
    for (way, id) in [(Way::Iterated, "iterated"), (Way::Monolithic, "monolithic")] {
        let name = way.name();
        let miss = largest(study.of(way).map(|r| (study.force(r).0 - PRESS).abs()));
        let swings = largest(study.of(way).map(swing));
        out.push(
            Claim::at_most(
                &format!("{id}/force"),
                &format!("{name}, all time steps: largest deviation of the mean force from 10 N"),
                HOLDS,
                miss,
                "N",
            )
            .required_since("a hundredth of the pressing force"),
        );
        out.push(
            Claim::at_most(
                &format!("{id}/swing"),
                &format!("{name}, all time steps: largest RMS deviation of the force from 10 N"),
                HOLDS,
                swings,
                "N",
            )
            .required_since("a hundredth of the pressing force"),
        );
        let unconverged: u32 = study.of(way).map(|r| r.unconverged).sum();
        out.push(Claim::at_most(
            &format!("{id}/converged"),
            &format!("{name}, all time steps: number of solves and iterations that do not converge"),
            0.0,
            f64::from(unconverged),
            "",
        ));
    }
    out
}

fn claims_of_work(study: &Study) -> Vec<Claim> {
    let mut out = Vec::new();
    out.push(
        Claim::at_most(
            "iterated/passes",
            "iterated, moving bodies: mean number of passes per step, largest value of all time steps",
            8.0,
            largest(study.of(Way::Iterated).map(|r| r.passes)),
            "",
        )
        .required_since("a quarter of the 30 passes that are allowed"),
    );
    let held = |way: Way| study.of(way).filter(|r| r.failed.is_none() && study.force(r).1 <= HOLDS);
    out.push(Claim::at_least(
        "widens",
        "longest time step with an accurate force of the iteration with moving bodies, relative to the longer limit of the splitting",
        10.0,
        largest(held(Way::Iterated).map(|r| r.dt)) / study.limits[0].max(study.limits[1]),
        "",
    ).required_since("ten times the limit is worth the passes"));
    let cheapest = |way: Way| held(way).map(Pressed::solves_of_second).fold(f64::INFINITY, f64::min);
    out.push(Claim::at_most(
        "cheaper",
        "smallest number of substeps (all passes) per second of simulated time, iterated method relative to splitting",
        0.5,
        cheapest(Way::Iterated) / cheapest(Way::Kept).min(cheapest(Way::Moving)),
        "",
    ).required_since("half of the work"));
    out.push(Claim::at_most(
        "momentum",
        "runs with an accurate force: momentum error of particles and panels in a step, relative to the exchanged momentum",
        1e-6,
        largest(Way::ALL.into_iter().flat_map(held).map(|r| r.momentum)),
        "",
    ).required_since("a hundredth of the tolerance of the iteration"));
    out
}

fn claims_of_error(study: &Study) -> Vec<Claim> {
    let mut out = Vec::new();
    let fitted = |points: Vec<(f64, f64)>| {
        let range = FITTED[0]..=FITTED[1];
        slope(&points.into_iter().filter(|p| range.contains(&p.0)).collect::<Vec<_>>())
    };
    for (way, id) in STUDIED.into_iter().zip(["kept", "moving", "iterated"]) {
        // Of steps of n substeps beside steps of one.
        let errors = study.errors(way).into_iter().filter(|p| p.0 <= FITTED[1]);
        let order = slope(&errors.map(|(t, e)| (t - SUBSTEP, e)).collect::<Vec<_>>());
        let claim = format!("{}, equal substeps: order of the error of the panel displacement", way.name());
        out.push(Claim::between(&format!("order.{id}"), &claim, [0.75, 1.25], order, ""));
    }
    out.push(Claim::between(
        "order.agree",
        "order of the difference between the iterated and the monolithic panel displacement, one substep per step",
        [0.75, 1.5],
        fitted(study.between()),
        "",
    ));
    let unconverged: u32 = study.alike.iter().chain(&study.whole).map(|r| r.unconverged).sum();
    out.push(Claim::at_most(
        "order.converged",
        "runs for the errors: number of solves and iterations that do not converge",
        0.0,
        f64::from(unconverged),
        "",
    ));
    out
}

pub(super) fn output(study: &Study) -> PageOutput {
    let mut errors_table = Table::new(
        "Relative error of the displacement of the left panel",
        &["coupling", "time step [ms]", "relative error [–]"],
    );
    for way in STUDIED {
        for (t, e) in study.errors(way) {
            errors_table.row([way.name().to_owned(), number(ms(t)), number(e)]);
        }
    }
    for (t, e) in study.between() {
        errors_table.row(["monolithic – iterated".to_owned(), number(ms(t)), number(e)]);
    }
    let mut out = PageOutput::new(text(study));
    let [swing, trace, passes, cost, error] = plots(study);
    out.heading("Force on the panel");
    out.extend([swing, trace]);
    out.extend(claims_of_force(study));
    out.heading("Computing time");
    out.extend([passes, cost]);
    out.table(table(study));
    out.extend(claims_of_work(study));
    out.heading("Error of the panel displacement");
    out.plot(error);
    out.table(errors_table);
    out.extend(claims_of_error(study));
    out
}
