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
const BOUNDED: &str = "nothing is thrown off: substeps beyond the limit are so long that the surface follows the panel within one, which bounds what a spring would do without end, and at some steps lets it fade";

fn ms(s: f64) -> f64 {
    1e3 * s
}

fn text(study: &Study) -> Vec<String> {
    vec![
        format!(
            "An elastic cube of {SIDE} m and {MASS} kg ({ALONG}³ particles, those of its faces on them; linear corotated, E = {} Pa, ν = {}) between two panels of {} g on slides, each pressed with {PRESS} N from rest; gravity pulls the cube down, friction {} holds it. \
             Grid of {:.4} m, {SHIFT} of it beside the middle of the cube along y; contacts of {} N/m and {} s/m for each particle inside a panel; strain rates fade in {} s. All solves to {TOLERANCE:e}. Panels are so light that the force on them is {PRESS} N but for what moves them with the cube, which rings for some 20 ms.",
            number(RUBBER.0),
            RUBBER.1,
            number(1e3 * PANEL),
            CONTACT.friction,
            SPACING,
            number(CONTACT.stiffness),
            CONTACT.dissipation,
            number(FADING),
        ),
        format!(
            "Steps of the bodies from {} to {} ms, {SUBSTEPS} substeps of the points in each (the longest is the points' own limit, nearly). Splitting with bodies that stay where they were within the step, and with bodies that go on at their velocity; both iterated (signorini_coupling::Iteration at its defaults: 10⁻⁴ of the momentum exchanged, 30 passes at most); and one step of both (points of the plain path; all others run in the fast one, so that processor times compare among these alone). \
             Printed limits of the splitting (signorini_coupling::Limit in the first step): {} ms with bodies kept, {} ms with bodies that move. Iterated with bodies kept, a spring has its force at x + (δt/{SUBSTEPS}) v⁺, less than halfway to the end of the step: that is stable up to {} ms, derived in papers/yu2025mpm/README.md. With bodies that go on it is past halfway, at any step. \
             Runs of {} s, forces of their second half; a run that ended early counts as far as it came.",
            number(ms(study.steps[0])),
            number(ms(STEP)),
            number(ms(study.limits[0])),
            number(ms(study.limits[1])),
            number(ms(study.limits[2])),
            number(study.end),
        ),
        format!(
            "Errors of the motion: way of the left panel at the first three multiples of {} ms, while the cube gives in. All steps have substeps of {} ms there, and errors are beside steps of one substep coupled alike, so that points do the same in all and what is left is of the coupling. \
             A monolithic step has no substeps: it is beside the iterated one with steps of one substep, which takes as many transfers between particles and grid (each loses some motion). What is left between them is of first order, implicit stress and where bodies are.",
            number(ms(STEP)),
            number(ms(SUBSTEP)),
        ),
    ]
}

fn table(study: &Study) -> Table {
    let mut table = Table::new(
        "Runs: force on the left panel over the second half",
        &[
            "coupling",
            "step [ms]",
            "mean [N]",
            "rms from 10 N [N]",
            "passes per step",
            "most",
            "not converged",
            "substeps of all passes per second",
            "processor time per second [s]",
            "momentum amiss in a step, of what is exchanged",
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
        "Root mean square of what the force on the left panel misses of 10 N, against the step; vertical, in the colours of curves: limits of the splitting with bodies kept and with bodies that move, as printed, and of the iteration with bodies kept",
        "step of the bodies [ms]",
        "rms of force − 10 N [N]",
    )
    .log(true, true);
    let mut cost = Plot::new(
        "cost",
        "Processor time for a second of motion, of runs whose force is within 1 %",
        "step of the bodies [ms]",
        "processor time per second [s]",
    )
    .log(true, true);
    let mut passes = Plot::new(
        "passes",
        "Passes of a step until both sides agree to 10⁻⁴: mean and most",
        "step of the bodies [ms]",
        "passes per step",
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
                &format!("{}: most", way.name()),
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
            "Force on the left panel over the first 10 ms with steps of {} ms, beyond the limits of the splitting, whose spikes go far beyond the axis, and of the iteration with bodies kept",
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
        "Error of the panel's way while the cube gives in, beside its size, with the same substeps; and how far the monolithic way is from the iterated one, one substep each; dashed: first order",
        "step of the bodies [ms]",
        "error of the way, of its size",
    )
    .log(true, true);
    for way in STUDIED {
        error.add_colored(way.name(), Mark::LinePoints, color(way), in_ms(study.errors(way)));
    }
    error.add_colored(
        "monolithic beside iterated",
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
                &format!("{name}, steps within its limit: largest rms of what the force misses of 10 N"),
                HOLDS,
                within,
                "N",
            )
            .required(),
        );
        out.push(
            Claim::at_least(
                &format!("beyond.{id}"),
                &format!("{name}, steps beyond its limit: smallest rms of what the force misses of 10 N"),
                BEYOND,
                beyond,
                "N",
            )
            .required()
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
                &format!("{name}, all steps: largest part of 10 N that the mean force misses"),
                HOLDS,
                miss,
                "N",
            )
            .required(),
        );
        out.push(
            Claim::at_most(
                &format!("{id}/swing"),
                &format!("{name}, all steps: largest rms of what the force misses of 10 N"),
                HOLDS,
                swings,
                "N",
            )
            .required(),
        );
        let unconverged: u32 = study.of(way).map(|r| r.unconverged).sum();
        out.push(Claim::at_most(
            &format!("{id}/converged"),
            &format!("{name}, all steps: solves and iterations that did not converge"),
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
            "iterated, bodies move: mean passes per step, the most of all steps",
            8.0,
            largest(study.of(Way::Iterated).map(|r| r.passes)),
            "",
        )
        .required(),
    );
    let held = |way: Way| study.of(way).filter(|r| r.failed.is_none() && study.force(r).1 <= HOLDS);
    out.push(Claim::at_least(
        "widens",
        "longest step at which the iteration holds, bodies that move, beside the longer of the splitting's limits",
        10.0,
        largest(held(Way::Iterated).map(|r| r.dt)) / study.limits[0].max(study.limits[1]),
        "",
    ).required());
    let cheapest = |way: Way| held(way).map(Pressed::solves_of_second).fold(f64::INFINITY, f64::min);
    out.push(Claim::at_most(
        "cheaper",
        "substeps of all passes that a second takes at the step where that is least: iterated beside the splitting",
        0.5,
        cheapest(Way::Iterated) / cheapest(Way::Kept).min(cheapest(Way::Moving)),
        "",
    ).required());
    out.push(Claim::at_most(
        "momentum",
        "where forces hold: momentum of points and panels that is amiss in a step, beside what they exchanged",
        1e-6,
        largest(Way::ALL.into_iter().flat_map(held).map(|r| r.momentum)),
        "",
    ).required());
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
        let claim = format!("{}, same substeps: order of the error of the panel's way", way.name());
        out.push(Claim::between(&format!("order.{id}"), &claim, [0.75, 1.25], order, ""));
    }
    out.push(Claim::between(
        "order.agree",
        "order with which the iterated and the monolithic way of the panel come together, one substep each",
        [0.75, 1.5],
        fitted(study.between()),
        "",
    ));
    let unconverged: u32 = study.alike.iter().chain(&study.whole).map(|r| r.unconverged).sum();
    out.push(Claim::at_most(
        "order.converged",
        "runs for errors: solves and iterations that did not converge",
        0.0,
        f64::from(unconverged),
        "",
    ));
    out
}

pub(super) fn output(study: &Study) -> PageOutput {
    let mut errors_table = Table::new(
        "Error of the way of the left panel, beside its size",
        &["coupling", "step [ms]", "error"],
    );
    for way in STUDIED {
        for (t, e) in study.errors(way) {
            errors_table.row([way.name().to_owned(), number(ms(t)), number(e)]);
        }
    }
    for (t, e) in study.between() {
        errors_table.row(["monolithic beside iterated".to_owned(), number(ms(t)), number(e)]);
    }
    let mut out = PageOutput::new(text(study));
    let [swing, trace, passes, cost, error] = plots(study);
    out.heading("Force on the panel");
    out.extend([swing, trace]);
    out.extend(claims_of_force(study));
    out.heading("Work");
    out.extend([passes, cost]);
    out.table(table(study));
    out.extend(claims_of_work(study));
    out.heading("Error of the panel's way");
    out.plot(error);
    out.table(errors_table);
    out.extend(claims_of_error(study));
    out
}
