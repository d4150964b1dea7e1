//! Contact of material points: blocks on slopes, a cube at rest, balls and boxes that meet points.

use signorini_report::claim::number;
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot};

use super::Cases;
use super::impact::{self, parting};
use super::runs::{self, Struck};

/// The cases of contact that tell whether a material point method is right.
pub(crate) struct Contacts;

/// Substep beside a free box \[s\]: eight are a seventh of the longest step of the box, 2 √(m/(n k)) of 64 contacts.
const SUBSTEP: f64 = 6.25e-5;

/// Particles on an edge of the cube that a box hits.
const ALONG: usize = 8;

/// Roundings, each of 2⁻²⁴ at most, that the quantities of a particle go through in a substep in 32 bits and that may all have one sign: a weight has three (of its place and two products) and its product with the value one, to the grid and back.
const ROUNDINGS: f64 = 8.0;

fn slopes(ctx: &Context, cases: &mut Cases, out: &mut PageOutput) -> Result<(), PageError> {
    ctx.say("blocks on slopes");
    let theta = 30f64.to_radians();
    let mut plot = Plot::new(
        "incline",
        "Speed of a rubber block on a slope of 30°. The closed form g (sin θ − μ cos θ) t is dashed.",
        "time [s]",
        "speed [m/s]",
    );
    for friction in [0.1, 0.3, 0.6] {
        let speed = runs::incline(friction, 0.3)?;
        let n = speed.len() - 1;
        let slides = 9.81 * (theta.sin() - friction * theta.cos());
        if slides > 0.0 {
            let rate = (speed[n].1 - speed[n / 3].1) / (speed[n].0 - speed[n / 3].0);
            let id = format!("slope/{friction}");
            cases.add(
                "V8",
                Claim::relative(
                    &id,
                    &format!("block on a slope of 30°, friction coefficient {friction}: acceleration"),
                    slides,
                    rate,
                    0.002,
                    "m/s²",
                ),
            );
            plot.add_closed_form(vec![(0.0, 0.0), (0.3, 0.3 * slides)]);
        } else {
            // v = ε r/√(1 − r²), r = tan θ/μ.
            let r = theta.tan() / friction;
            let creep = 1e-3 * r / (1.0 - r * r).sqrt();
            cases.add(
                "V8",
                Claim::relative(
                    "slope/creep",
                    "block on a slope of 30°, friction coefficient 0.6: creep speed below the stiction speed",
                    creep,
                    speed[n].1,
                    0.01,
                    "m/s",
                ),
            );
        }
        plot.add(&format!("μ = {friction}"), Mark::Line, speed);
    }
    out.plot(plot);
    let force = runs::rest()?;
    let last = &force[2 * force.len() / 3..];
    let mean = last.iter().map(|f| f.1).sum::<f64>() / last.len() as f64;
    cases.add("V11", Claim::relative("rest", "cube at rest: force on the floor", 9.81, mean, 1e-3, "N"));
    Ok(())
}

fn bodies(ctx: &Context, cases: &mut Cases, out: &mut PageOutput) -> Result<(), PageError> {
    ctx.say("a ball and a cube");
    let plain = runs::exchange()?;
    let text = |what: &str, given: f64| {
        format!(
            "rotating ball against a cube, {given:.2} N·s in total: largest error of the {what} balance of the particles in a substep"
        )
    };
    let (linear, turn) = ("momentum", "angular momentum");
    cases.add(
        "V12",
        Claim::at_most("exchange/momentum", &text(linear, plain.given), 2e-12, plain.worst[0], "N·s")
            .rule("at most 2e-12, twice the tolerance of the solves"),
    );
    cases.add(
        "V12",
        Claim::at_most("exchange/angular", &text(turn, plain.given), 1e-13, plain.worst[1], "N·m·s")
            .rule("at most 1e-13, the tolerance of the solves on lever arms of a tenth of a metre; angular momentum is about the world's origin"),
    );
    let fast = runs::exchange_fast()?;
    let bound = fast.carried.map(|c| ROUNDINGS * 0.5 * f64::from(f32::EPSILON) * c);
    let text = |what: &str| {
        format!(
            "single precision, {}, compared with {ROUNDINGS} rounding errors of the momentum of the particles",
            text(what, fast.given)
        )
    };
    cases.add("V12", Claim::at_most("exchange/fast/momentum", &text(linear), bound[0], fast.worst[0], "N·s"));
    cases.add("V12", Claim::at_most("exchange/fast/angular", &text(turn), bound[1], fast.worst[1], "N·m·s"));
    ctx.say("a box and a cube");
    let end = 0.04;
    let mut plot = Plot::new(
        "box",
        "Speed of a free box of 2 kg that hits a rubber cube of 1 kg, for different numbers of substeps per time step of the box",
        "time [s]",
        "speed [m/s]",
    );
    let mut found = Vec::new();
    for n in [1, 2, 4, 8] {
        let hit = runs::hit(n, SUBSTEP, end, Struck::cube(ALONG))?;
        if n == 1 {
            cases.add(
                "V12",
                Claim::at_most(
                    "box/momentum",
                    "box against cube: change of the total momentum",
                    3e-11,
                    hit.drift,
                    "N·s",
                )
                .rule("at most 3e-11, √640 times the error of 1e-12 that the tolerance allows in a substep"),
            );
            let rod = parting();
            let finer = runs::hit(2, 0.5 * SUBSTEP, end, Struck::cube(2 * ALONG - 1))?.restitution;
            let why = format!(
                "The cube is not a rod. Transverse waves stay in the cube, and transfers on 3.5 cells remove the motion that the grid cannot represent. \
                 The value on 7 cells is {}.",
                number(finer)
            );
            let claim = "box against elastic cube: coefficient of restitution, compared with a rod that is hit on its whole end, 2 (1 − 1/e) − 1/e";
            cases.add(
                "V12",
                Claim::relative("box/restitution", claim, rod, hit.restitution, 0.15, "")
                    .required_since("because a cube is no rod")
                    .because(&why),
            );
        }
        found.push(hit.speed[hit.speed.len() - 1].1);
        let name = if n == 1 { "1 substep".to_owned() } else { format!("{n} substeps") };
        plot.add(&name, Mark::Line, hit.speed);
    }
    let order = ((found[3] - found[2]) / (found[2] - found[1])).abs().log2();
    cases.add(
        "V14",
        Claim::between(
            "box/order",
            "box against cube: order of the final speed of the box in its time step, with substeps of equal length",
            [0.7, 1.5],
            order,
            "",
        ),
    );
    out.plot(plot);
    cases.add("V12", impact::sweep(ctx, (ALONG, SUBSTEP), out)?);
    Ok(())
}

impl Page for Contacts {
    fn id(&self) -> &'static str {
        "yu2025mpm/contact"
    }
    fn title(&self) -> &'static str {
        "Contact of material points compared with closed forms"
    }
    fn lead(&self) -> &'static str {
        "Blocks of material points slide and stick on slopes, and a rigid box hits a cube, compared with closed forms."
    }
    fn cost(&self) -> [f64; 3] {
        [7.0, 7.0, 100.0]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let mut out = PageOutput::new([
            "All scenes have two particles per grid cell along each axis. The table at the end lists all cases of this page by number. \
             The other cases are on the page verification.",
        ]);
        let mut cases = Cases::default();
        out.heading("Block on a slope and cube at rest");
        out.prose(
            "A rubber block of 0.1 m and 1 kg (E = 10⁶ Pa) lies on a slope of 30°. Each of its 25 contacts has 10⁴ N/m and 50 s/m. \
             The stiction speed is 1 mm/s. A second block rests on a floor.",
        );
        slopes(ctx, &mut cases, &mut out)?;
        cases.show(&mut out);
        out.heading("Box against a cube");
        out.prose(
            "A rigid box of 2 kg hits a rubber cube of 1 kg at 1 m/s, without friction, dissipation and gravity. \
             A time step of the box has 1 to 8 substeps of 62.5 µs.",
        );
        bodies(ctx, &mut cases, &mut out)?;
        cases.show(&mut out);
        out.heading("All cases");
        out.table(cases.table());
        Ok(out)
    }
}
