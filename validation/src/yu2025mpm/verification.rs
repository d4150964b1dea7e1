mod closed_forms;
mod contact;
mod impact;
mod objective;
mod runs;

pub(super) use contact::Contacts;
use runs::Heap;
use signorini_mpm::{Dilatancy, DruckerPrager, InertialFriction};
use signorini_report::claim::number;
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};

/// The cases that tell whether a material point method is right.
pub(super) struct Verification;

/// Angle at which sand holds in plane strain \[°\].
const SAND: f64 = 31.0;
/// Part of the crossing time of a cell that steps of sand take.
const COURANT: f64 = 0.4;
/// Times in which differences of particles from the field fade, of discs and of sand \[s\].
const KEPT: f64 = 0.1;
const SAND_KEPT: f64 = 0.03;
/// Angle of friction in plane strain of fast sand \[°\]; angle of dilatancy \[°\] of dense sand and the logarithm of its growth.
const FAST: f64 = 42.0;
const DENSE: (f64, f64) = (10.0, 0.05);
/// Claims with the numbers of their cases.
#[derive(Default)]
struct Cases {
    all: Vec<(&'static str, Claim)>,
    /// Number of those that stand on the page.
    shown: usize,
}

impl Cases {
    fn add(&mut self, case: &'static str, claim: Claim) {
        self.all.push((case, claim));
    }

    /// Puts the claims that are new on the page.
    fn show(&mut self, out: &mut PageOutput) {
        out.extend(self.all[self.shown..].iter().map(|(_, c)| c.clone()));
        self.shown = self.all.len();
    }

    /// Table of all cases by their numbers.
    fn table(&self) -> Table {
        let mut sorted: Vec<_> = self.all.iter().collect();
        sorted.sort_by_key(|(case, _)| case[1..].parse::<u32>().unwrap_or(0));
        let mut table = Table::new("All cases", &["case", "quantity", "expected", "measured", "unit"]);
        for (case, c) in sorted {
            table.row([*case, &c.claim, &c.expected_text, &c.measured_text, &c.unit]);
        }
        table
    }
}

fn bars(ctx: &Context, cases: &mut Cases, out: &mut PageOutput) -> Result<(), PageError> {
    ctx.say("bars");
    let c = 10f64.sqrt();
    let spacings: &[f64] = if ctx.full() { &[0.1, 0.05, 0.025, 0.0125] } else { &[0.1, 0.05, 0.025] };
    let mut lengths = Vec::new();
    let mut tip = Plot::new(
        "bar",
        "Free end of a bar that is held at the other; grey: the first mode of a bar that is longer by what the grid adds (see the table)",
        "time [s]",
        "displacement [mm]",
    );
    let (mut loss, mut frequency) = (0.0, 0.0);
    for h in spacings {
        let bar = runs::bar(*h, true)?;
        lengths.push(c / (4.0 * bar.frequency));
        (loss, frequency) = (bar.loss, bar.frequency);
        tip.add(&format!("h = {h} m"), Mark::Line, bar.tip.iter().map(|(t, u)| (*t, 1e3 * u)).collect());
    }
    let rate = std::f64::consts::TAU * c / 4.0;
    let exact = (0..=200).map(|k| f64::from(k) * 2.2 * 1.265 / 200.0);
    tip.add_closed_form(exact.map(|t| (t, 10.0 / rate * (rate * t).sin())).collect());
    out.plot(tip);
    let rest: Vec<f64> = lengths.windows(2).map(|l| 2.0 * l[1] - l[0] - 1.0).collect();
    let order = (rest[rest.len() - 2] / rest[rest.len() - 1]).abs().log2();
    let mut table = Table::new(
        "A bar of 1 m held at one end: length c/(4 f) that its frequency is of, and the rest of its error without the part that grows with h",
        &["h [m]", "length [m]", "left [m]"],
    );
    for (k, (h, l)) in spacings.iter().zip(&lengths).enumerate() {
        let left = if k == 0 { String::new() } else { number(rest[k - 1]) };
        table.row([number(*h), number(*l), left]);
    }
    out.table(table);
    cases.add(
        "V4",
        Claim::relative(
            "held/frequency",
            "held bar, frequency on the finest grid",
            c / 4.0,
            frequency,
            0.01,
            "Hz",
        ),
    );
    cases.add(
        "V4",
        Claim::between(
            "held/order",
            "held bar, order of its length without the part that grows with h",
            [1.6, 2.4],
            order,
            "",
        ),
    );
    cases.add("V4", Claim::at_most("held/loss", "held bar, part of the energy that a period takes on the finest grid", 0.01, loss, "").required().because(
        "affine transfers take a part of the velocities that the grid cannot carry, more the more steps there are in a period",
    ));
    let free = runs::bar(0.05, false)?;
    cases.add(
        "V5",
        Claim::relative(
            "free/frequency",
            "free bar on 20 cells, frequency",
            c / 2.0,
            free.frequency,
            0.02,
            "Hz",
        ),
    );
    Ok(())
}

fn discs(ctx: &Context, cases: &mut Cases, out: &mut PageOutput) -> Result<(), PageError> {
    ctx.say("discs");
    let mut plot = Plot::new(
        "discs",
        "Two elastic discs that collide: kinetic energy over that at the start. Each affine transfer loses some, so that small steps on a coarse grid lose most; where differences of particles from the field fade in a time τ, it is lost by the second. Grid, step, τ: part that is left",
        "time [s]",
        "kinetic energy",
    );
    let (mut left, mut kept) = (0.0, Vec::new());
    let mut runs = vec![(0.05, 1e-3, 0.0), (0.05, 1e-2, 0.0), (0.05, 1e-3, KEPT), (0.05, 1e-2, KEPT)];
    if ctx.full() {
        runs.push((0.025, 5e-3, 0.0));
    }
    for (h, dt, transfer_time) in runs {
        let (energy, momentum) = runs::discs(h, dt, transfer_time)?;
        let last = energy[energy.len() - 1].1;
        if transfer_time > 0.0 {
            kept.push(last);
        }
        if (h, dt, transfer_time) == (0.05, 1e-3, 0.0) {
            left = last;
            cases.add(
                "V6",
                Claim::at_most("discs/momentum", "discs, momentum at the end", 5e-14, momentum, "N·s")
                    .rule("at most 5e-14: the round-off of 3000 steps to momenta that cancel"),
            );
        }
        plot.add(
            &format!("{h} m, {} ms, τ {transfer_time} s: {:.0} %", number(1e3 * dt), 100.0 * last),
            Mark::Line,
            energy,
        );
    }
    plot.y_range = Some([0.0, 1.05]);
    out.plot(plot);
    cases.add("V6", Claim::at_least("discs/energy", "discs at steps of 1 ms on 4 cells to a radius, kinetic energy that comes back", 0.85, left, "").required().because(
        "each transfer takes a part of what the grid cannot carry, and at this step there are 3000 of them on four cells to a radius; see the plot for longer steps and, under --full, a finer grid",
    ));
    let name = "discs at steps of 1 ms and 10 ms, differences from the field kept for 0.1 s, least kinetic energy that comes back";
    cases.add("V6", Claim::at_least("discs/kept", name, 0.85, kept.iter().copied().fold(1.0, f64::min), ""));
    let name = "the difference of the two";
    cases.add("V6", Claim::at_most("discs/step", name, 0.01, (kept[0] - kept[1]).abs(), ""));
    Ok(())
}

fn sand(ctx: &Context, cases: &mut Cases, out: &mut PageOutput) -> Result<(), PageError> {
    let mut plot = Plot::new(
        "sand",
        "Half columns of sand after their fall, heights over places, both in half widths of the column; points: where experiments in channels end",
        "place",
        "height",
    );
    let mut table = Table::new(
        "Columns of sand, in half widths; affine: transfers that are affine alone, whose run-out depends on the step",
        &[
            "a",
            "transfers",
            "run-out",
            "by halved steps",
            "experiments",
            "height",
            "by halved steps",
            "experiments",
            "mean slope [°]",
        ],
    );
    let ratios: &[f64] = ctx.sized([&[1.0, 2.0], &[1.0, 2.0], &[1.0, 2.0, 4.0]]);
    let h = if ctx.full() { 0.01 } else { 0.025 };
    let angle = runs::cone_of_plane_strain(SAND.to_radians());
    let measured = |a: f64| {
        let run_out = if a < 2.3 { 1.2 * a } else { 1.9 * a.powf(2.0 / 3.0) };
        (run_out, if a < 1.15 { a } else { a.powf(0.4) })
    };
    // Judged where steps do not count: differences from the field are kept for a while.
    let columns = |a: f64, sand: DruckerPrager| -> Result<[Heap; 2], PageError> {
        let run = |part: f64| runs::column(a, (h, sand), part * COURANT, SAND_KEPT);
        Ok([run(2.0)?, run(1.0)?])
    };
    let changes = |[long, short]: &[Heap; 2]| {
        [long.run_out / short.run_out - 1.0, long.height / short.height - 1.0].map(f64::abs)
    };
    for (k, a) in ratios.iter().enumerate() {
        ctx.say(format!("sand, a = {a}"));
        let both = columns(*a, runs::sand(angle)?)?;
        let (change, [_, heap]) = (changes(&both), both);
        let (run_out, height) = measured(*a);
        let cells =
            [heap.run_out, change[0], run_out, heap.height, change[1], height, heap.slope].map(number);
        table.row([number(*a), format!("τ = {SAND_KEPT} s")].into_iter().chain(cells));
        plot.add_colored(&format!("a = {a}"), Mark::Line, k, heap.profile);
        plot.add_colored("", Mark::Points, k, vec![(1.0 + run_out, 0.0)]);
        let why = "steps change it little, so that the rest is of the sand and the rig: one angle at rest and in motion, no rate, no dilatancy, side walls that do not rub; heights are means over three cells of the grid, weighed by a spline; rigs differ (1.2 a to 1.6 a in narrow ones), and the factor of heights, here one, is that of the grains (Balmforth and Kerswell 2005)";
        for (id, name, value, own) in [
            ("run_out", "run-out in half widths", run_out, heap.run_out),
            ("height", "height in half widths", height, heap.height),
        ] {
            let name = format!("column of sand, a = {a}, {name}");
            let claim = Claim::relative(&format!("sand/{a}/{id}"), &name, value, own, 0.15, "");
            cases.add("V7", claim.required().because(why));
        }
        let name = format!("column of sand, a = {a}, mean slope");
        cases.add("V7", Claim::at_most(&format!("sand/{a}/slope"), &name, SAND, heap.slope, "°"));
        let name = format!(
            "column of sand, a = {a}, differences from the field kept for {SAND_KEPT} s, largest change of run-out and height by halved steps"
        );
        let most = change[0].max(change[1]);
        cases.add("V7", Claim::at_most(&format!("sand/{a}/step"), &name, 0.05, most, ""));
    }
    let a = ratios[1];
    ctx.say(format!("sand, a = {a}, affine transfers"));
    let heap = runs::column(a, (h, runs::sand(angle)?), COURANT, 0.0)?;
    let (run_out, height) = measured(a);
    let none = || "–".to_owned();
    let [own_run_out, own_height, slope] = [heap.run_out, heap.height, heap.slope].map(number);
    table.row([
        number(a),
        "affine".to_owned(),
        own_run_out,
        none(),
        number(run_out),
        own_height,
        none(),
        number(height),
        slope,
    ]);
    plot.add_colored(&format!("a = {a}, affine"), Mark::Line, ratios.len(), heap.profile);
    // Friction that grows with the rate, and volume that grows to the critical one.
    ctx.say(format!("sand, a = {a}, by rate, dense"));
    let fast = runs::cone_of_plane_strain(FAST.to_radians());
    let rate = InertialFriction { limit_angle: fast, inertial_number: 0.3, diameter: 1e-3, density: 2650.0 };
    let dense = runs::sand(angle)?
        .with_rate(rate)
        .and_then(|sand| sand.with_dilatancy(Dilatancy { angle: DENSE.0.to_radians(), expansion: DENSE.1 }))
        .map_err(PageError::from_error)?;
    let both = columns(a, dense)?;
    let ([change, of_height], [_, short]) = (changes(&both), both);
    plot.add_colored(&format!("a = {a}, by rate, dense"), Mark::Line, ratios.len() + 1, short.profile);
    let name = format!(
        "column of dense sand, a = {a}, friction by rate, largest change of run-out and height by halved steps"
    );
    cases.add("V7", Claim::at_most(&format!("sand/{a}/dense/step"), &name, 0.05, change.max(of_height), ""));
    let name = format!("column of dense sand, a = {a}, friction by rate, run-out in half widths");
    cases.add(
        "V7",
        Claim::relative(&format!("sand/{a}/dense/run_out"), &name, 1.2 * a, short.run_out, 0.15, "").because(
            "grains of a millimetre are fast beside √(p/ρ) in the front alone; side walls that rub are left out",
        ),
    );
    out.plot(plot);
    out.table(table);
    Ok(())
}

impl Page for Verification {
    fn id(&self) -> &'static str {
        "yu2025mpm/verification"
    }
    fn title(&self) -> &'static str {
        "Material points beside closed forms and experiments"
    }
    fn lead(&self) -> &'static str {
        "A bar, a column of sand and other material points are set beside closed forms and experiments."
    }
    fn cost(&self) -> [f64; 3] {
        [8.0, 8.0, 300.0]
    }
    fn alone(&self) -> bool {
        true
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let mut out = PageOutput::new([
            "Two particles to a cell and axis everywhere. The table at the end has all cases by number. Forces of two panels that press a cube (V9) are on the page fig02, contacts (V8, V11, V12, V14) on the page contact.",
        ]);
        let mut cases = Cases::default();
        ctx.say("closed forms");
        out.heading("Weights, transfers, solvers, flow");
        closed_forms::add(&mut cases, &mut out)?;
        cases.show(&mut out);
        out.heading("Bars");
        out.prose(
            "Bars of E = 10⁴ Pa, ρ = 1000 kg/m³, ν = 0 start with the velocity of their first mode, 0.01 m/s at most; nodes at x ≤ 0 hold the one. The ends of a grid of h reach a part of h beyond those of the bar, to first order: its frequency is that of a longer bar.",
        );
        bars(ctx, &mut cases, &mut out)?;
        cases.show(&mut out);
        out.heading("Discs");
        out.prose(
            "Discs of Sulsky: radius 0.2 m, E = 1000 Pa, ν = 0.3, 1000 kg/m³, (0.1, 0.1) m/s towards each other, in plane strain.",
        );
        discs(ctx, &mut cases, &mut out)?;
        cases.show(&mut out);
        out.heading("Sand");
        out.prose(format!(
            "Sand: columns of 0.2 m half width in plane strain on a floor that holds, E = 3.5·10⁵ Pa, ν = 0.3, 2200 kg/m³, released at once. Drucker and Prager's cone is fitted to compression; with flow that keeps volume it holds in plane strain like sin φ' = 2√3 sin φ/(3 − sin φ), so that φ = {:.2}° stands for sand of φ' = {SAND}°. \
             A heap ends where it is lower than a twentieth of the half width; its slope is the mean between a fifth and four fifths of its height.",
            runs::cone_of_plane_strain(SAND.to_radians()).to_degrees()
        ));
        sand(ctx, &mut cases, &mut out)?;
        cases.show(&mut out);
        out.heading("All cases");
        out.table(cases.table());
        Ok(out)
    }
}
