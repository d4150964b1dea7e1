//! What the runs of fig. 4 say: tables, plots, claims.

use super::{
    ALONG, DEPTH, DOUGH, FINER, LOOSE, MOST, PIN, PRESSING, Rolled, SPACING, SPEED, STEP, SUBSTEPS, SURFACE,
    Size, Way,
};
use crate::claim::number;
use crate::{Claim, Mark, PageOutput, Plot, Table};

/// Slip |ω r/v − 1| of a pin that rolls.
const SLIP: f64 = 0.1;

/// The larger of the errors of ω r/v and of the height, the one of the depth pressed.
fn error(r: &Rolled, reference: &Rolled) -> f64 {
    let height = (r.height - reference.height).abs() / DEPTH;
    height.max((r.spin - reference.spin).abs())
}

/// Strong coupling beside a run of weak coupling.
struct Rival {
    /// Its error, and the time that [`STEP`] of the motion takes \[s\].
    error: f64,
    wall: f64,
    /// What it is.
    what: String,
}

/// The fastest that strong coupling is at an error: a run with no more error, or the line of log time over log error between runs whose steps follow each other and whose errors have this one between them. Its most accurate run where all have more error.
fn rival(own: &[&Rolled], at: f64, reference: &Rolled) -> Option<Rival> {
    let of = |r: &Rolled| error(r, reference);
    let steps = |r: &Rolled| format!("steps of {} ms, ε = {}", number(1e3 * r.dt), number(r.tolerance));
    let run =
        |r: &&Rolled, note: &str| Rival { error: of(r), wall: r.wall, what: format!("{}: {note}", steps(r)) };
    let as_good = own.iter().filter(|r| of(r) <= at).map(|r| run(r, "at no more error"));
    let mut ladder: Vec<&Rolled> = own.iter().copied().filter(|r| r.tolerance == LOOSE).collect();
    ladder.sort_by(|a, b| a.dt.total_cmp(&b.dt));
    let between = ladder.windows(2).filter_map(|w| {
        let (low, high) = (of(w[0]), of(w[1]));
        let part = (at / low).ln() / (high / low).ln();
        (low < at && at < high).then(|| Rival {
            error: at,
            wall: w[0].wall * (w[1].wall / w[0].wall).powf(part),
            what: format!(
                "between steps of {} and {} ms, ε = {}",
                number(1e3 * w[0].dt),
                number(1e3 * w[1].dt),
                number(LOOSE)
            ),
        })
    });
    let best = || own.iter().min_by(|a, b| of(a).total_cmp(&of(b))).map(|r| run(r, "at more error"));
    as_good.chain(between).min_by(|a, b| a.wall.total_cmp(&b.wall)).or_else(best)
}

/// Times of weak coupling at the loosest tolerance beside those of strong coupling.
fn ratios(runs: &[Rolled], reference: &Rolled) -> Table {
    let caption = format!(
        "Weak coupling at ε = {LOOSE} beside strong coupling at equal error, the larger of those of ω r/v and of the height: strong coupling in the steps of its runs, on the line of log time over log error between two that follow each other where the error is between theirs, or its cheapest run where that has no more error and takes less time. Times are those that 10 ms of the motion take",
    );
    let mut table = Table::new(
        &caption,
        &["weak", "error", "time [ms]", "strong", "what", "error", "time [ms]", "times as long"],
    );
    for w in runs.iter().filter(|r| !r.way.strong() && r.tolerance == LOOSE) {
        for strong in [Way::StrongSparse, Way::StrongDense] {
            let own: Vec<&Rolled> = runs.iter().filter(|r| r.way == strong).collect();
            let Some(s) = rival(&own, error(w, reference), reference) else { continue };
            table.row([
                w.way.name().to_owned(),
                number(error(w, reference)),
                number(1e3 * w.wall),
                strong.name().to_owned(),
                s.what,
                number(s.error),
                number(1e3 * s.wall),
                format!("{:.1}", s.wall / w.wall),
            ]);
        }
    }
    table
}

/// The page.
pub(super) fn output(size: &Size, reference: &Rolled, runs: &[Rolled]) -> PageOutput {
    let (young, poisson, flow, density) = DOUGH;
    let depth = |r: &Rolled| (r.height - reference.height).abs() / DEPTH;
    let spin = |r: &Rolled| (r.spin - reference.spin).abs();
    let mut out = PageOutput {
        text: vec![format!(
            "Dough of {} × {} × {} m on sticky ground (E = {} Pa, ν = {poisson}, yield stress {} Pa, {density} kg/m³: the numbers of the authors' release; those of an earlier one are E = 5·10⁴ Pa, ν = 0.49, 2000 Pa), grid of {SPACING} m, {ALONG} particles to it along each axis. \
             A pin of radius {} m and {} kg is pressed {DEPTH} m down within {PRESSING} s and led forward at {SPEED} m/s, up to {} s; it turns freely about its axis (damping 4·10⁻⁴ N·m·s). Contacts of {} N/m for each particle, {} s/m, friction {}, held below {} m/s. \
             Steps of {STEP} s. Strong coupling takes them for both, implicit in the stress (dough is elastic within a step and flows after it); weak coupling has {SUBSTEPS} substeps of the dough, explicit in the stress. \
             Solves end as in the paper, ‖D∇‖ < ε max(‖D p‖, ‖D j‖), with momenta p and the impulses j of the last solve, or after {MOST} iterations. Solvers here ask for ε max(1, ‖D A v*‖), whose 1 has the unit √J: the momentum of all the dough is at most {} √J in this scene, so that their ε = 0.1 would let most solves pass without an iteration. \
             The reference is strong coupling at a step of {} s; strong coupling runs at 20 and 40 ms too, for its time at the errors of weak coupling, with the same reference. Times are those of this machine with all its other work, means over the run. All runs but those of the fast path take the plain path, in 64 bits on one thread; the fast path has 32 bits, vectors and all threads that it gets.",
            2.0 * size.half.x,
            2.0 * size.half.y,
            2.0 * size.half.z,
            number(young),
            number(flow),
            PIN.0,
            PIN.2,
            size.end,
            number(SURFACE.0),
            SURFACE.1,
            SURFACE.2,
            number(SURFACE.3),
            number(reference.momentum),
            number(STEP / f64::from(FINER)),
        )],
        ..PageOutput::default()
    };
    let slip = (reference.spin - 1.0).abs();
    out.text.push(format!(
        "The reference itself rolls with ω r/v = {}: a slip of {} beside the {SLIP} that is asked for. {}",
        number(reference.spin),
        number(slip),
        match slip > 0.8 * SLIP {
            true => "What is left is less than the errors of weak coupling below: its claim stands on the choice of this scene, a small piece that shears along with the pin, and proves nothing about larger ones.",
            false => "",
        }
    ));
    let mut table = Table::new(
        "Runs beside the reference; the residual is the largest at the end of a solve, of max(‖D p‖, ‖D j‖), which ε is asked of: at the cap where solves did not converge. Newton's method with factors ends where its step is small too, with residuals that may be above ε",
        &[
            "way",
            "step [ms]",
            "ε",
            "time of 10 ms [ms]",
            "iterations of a solve",
            "not converged",
            "residual",
            "ω r/v",
            "error of ω r/v",
            "error of the height, of the depth",
        ],
    );
    for (name, r) in runs.iter().map(|r| (r.way.name(), r)).chain([("reference", reference)]) {
        table.row([
            name.to_owned(),
            number(1e3 * r.dt),
            number(r.tolerance),
            number(1e3 * r.wall),
            number(r.iterations),
            r.unconverged.to_string(),
            number(r.residual),
            number(r.spin),
            number(spin(r)),
            number(depth(r)),
        ]);
    }
    out.tables.extend([table, ratios(runs, reference)]);
    let weak = runs.iter().find(|r| r.way == Way::WeakNewton && r.tolerance == 1e-3);
    out.tables.extend(weak.map(|r| r.bounds.table()));
    let mut times =
        Plot::new("time", "Wall time of a step against the tolerance", "tolerance ε", "time of a step [ms]")
            .log(true, true);
    let mut errors = Plot::new(
        "error",
        "Error of the height of the dough, as a part of the depth pressed, against the tolerance",
        "tolerance ε",
        "error of the height",
    )
    .log(true, true);
    let mut turns = Plot::new(
        "turned",
        "Path that the pin rolls, r times its rotation, at ε = 1e-3; grey: rolling without slip",
        "time [s]",
        "r θ [m]",
    );
    for (color, way) in Way::ALL.into_iter().enumerate() {
        let own = || runs.iter().filter(move |r| r.way == way && r.dt == STEP);
        times.add_colored(
            way.name(),
            Mark::LinePoints,
            color,
            own().map(|r| (r.tolerance, 1e3 * r.wall)).collect(),
        );
        errors.add_colored(
            way.name(),
            Mark::LinePoints,
            color,
            own().map(|r| (r.tolerance, depth(r))).collect(),
        );
        if let Some(r) = own().find(|r| r.tolerance == 1e-3) {
            let path = r.turned.iter().map(|(t, a)| (*t, PIN.0 * a)).collect();
            turns.add_colored(way.name(), Mark::Line, color, path);
        }
    }
    let mut work = Plot::new(
        "work",
        "The larger of the errors of ω r/v and of the height over the time that 10 ms of the motion take: strong coupling at ε = 0.1 with steps of 10, 20 and 40 ms, weak coupling at all ε",
        "time of 10 ms [ms]",
        "error",
    )
    .log(true, true);
    for (color, way) in Way::ALL.into_iter().enumerate() {
        let shown = |r: &&Rolled| r.way == way && (!way.strong() || r.tolerance == LOOSE);
        let points = runs.iter().filter(shown).map(|r| (1e3 * r.wall, error(r, reference))).collect();
        work.add_colored(
            way.name(),
            if way.strong() { Mark::LinePoints } else { Mark::Points },
            color,
            points,
        );
    }
    turns.add_closed_form(vec![(0.0, 0.0), (PRESSING, 0.0), (size.end, SPEED * (size.end - PRESSING))]);
    out.plots = vec![work, times, errors, turns];
    out.claims = claims(reference, runs);
    out
}

fn claims(reference: &Rolled, runs: &[Rolled]) -> Vec<Claim> {
    let of = |way: Way, tolerance: f64| {
        runs.iter().find(|r| r.way == way && r.tolerance == tolerance && r.dt == STEP)
    };
    let far = |way: Way, tolerance: f64| {
        of(way, tolerance).map_or(f64::NAN, |r| (r.height - reference.height).abs() / DEPTH)
    };
    let both =
        |f: fn(&Rolled, &Rolled) -> f64| match (of(Way::StrongDense, LOOSE), of(Way::StrongSparse, LOOSE)) {
            (Some(a), Some(b)) => f(a, b),
            _ => f64::NAN,
        };
    let loosest = |way: Way| of(way, 1e-5).map_or(f64::NAN, |r| (r.spin - 1.0).abs());
    let left = |way: Way| runs.iter().filter(|r| r.way == way).map(|r| r.unconverged).sum::<u32>();
    vec![
        Claim::at_most(
            "noslip",
            "the pin rolls: |ω r/v − 1|, reference",
            SLIP,
            (reference.spin - 1.0).abs(),
            "",
        ),
        Claim::at_most(
            "noslip_strong",
            "the same of strong coupling at the long step",
            SLIP,
            loosest(Way::StrongSparse),
            "",
        ),
        Claim::at_most("noslip_weak", "the same of weak coupling", SLIP, loosest(Way::WeakPcg), "").because("the dough shears along with the pin, in the reference too (see the first claim); pose and spin of the pin that it meets are those of the start of a step, which costs a few hundredths more"),
        Claim::at_most(
            "dense",
            "dense and sparse strong coupling end at the same height and spin",
            1e-4,
            both(|a, b| ((a.height - b.height) / DEPTH).abs().max((a.spin - b.spin).abs())),
            "",
        ),
        Claim::at_least(
            "sparse",
            "strong coupling is faster with a sparse factor than with a dense one",
            1.5,
            both(|a, b| a.wall / b.wall),
            "",
        ),
        Claim::at_most(
            "height_strong",
            "height of strong coupling at the long step, of the depth",
            0.1,
            far(Way::StrongSparse, 1e-5),
            "",
        ),
        Claim::at_most(
            "height_weak",
            "height of weak coupling, of the depth",
            0.1,
            far(Way::WeakPcg, 1e-5),
            "",
        ),
        Claim::at_most(
            "loose",
            "height of weak coupling with Newton–PCG at ε = 0.1, of the depth",
            0.1,
            far(Way::WeakPcg, 1e-1),
            "",
        ),
        Claim::at_most(
            "loose_fast",
            "the same in the fast path",
            0.1,
            far(Way::WeakFast, 1e-1),
            "",
        ),
        Claim::at_most(
            "converged",
            "solves of Newton's method and Newton–PCG that did not converge",
            0.0,
            f64::from([Way::StrongSparse, Way::WeakNewton, Way::WeakPcg, Way::WeakFast].map(left).iter().sum::<u32>()),
            "",
        ),
    ]
}
