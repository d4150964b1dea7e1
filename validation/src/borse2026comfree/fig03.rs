use signorini_core::State;
use signorini_laws::MassScale;
use signorini_multibody::RigidSystem;
use signorini_scene::Scene;

use super::runs::{Depths, observe, paper};
use super::scenes::{drop_test, with_width_of_release};
use crate::random::Random;
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};
use signorini_run::Method;

/// Drop test: 125 bodies on a table, depth of contacts against gains.
pub(super) struct Fig03;

/// Gains k \[1/s\], d and the paper's depth, mean and deviation \[mm\].
const SETTINGS: [(f64, f64, [f64; 2]); 6] = [
    (0.1, 0.001, [3.9, 6.9]),
    (0.1, 0.005, [3.8, 5.7]),
    (0.3, 0.001, [1.6, 3.3]),
    (0.3, 0.005, [1.4, 2.5]),
    (0.5, 0.001, [1.0, 2.1]),
    (0.5, 0.005, [0.9, 1.5]),
];
/// Results of the authors' release on the same scene: k, d, mean over all contacts, over the last 200 steps \[mm\]; solimp width 0.01.
const RELEASE: [(f64, f64, f64, f64); 3] =
    [(0.1, 0.001, 4.7117, 2.2480), (0.3, 0.001, 2.2434, 0.8521), (0.5, 0.005, 1.2176, 0.5981)];
const STEPS: usize = 1000;
/// Deviation of the velocities at the start \[m/s, rad/s\], as in the paper's scenes of fig. 7: without it the columns of five bodies are exactly aligned and, in exact
/// arithmetic, keep standing on their spheres.
const NOISE: f64 = 1e-3;
const LAST: usize = STEPS - 200;
/// Scatter of a mean between engines that find other contact points on the same shapes and part ways in a chaotic pile.
const ENGINES: f64 = 0.25;
/// The paper does not state its scene file, margins or which revision it ran.
const PAPER: f64 = 0.5;

struct Row {
    depths: Depths,
    all: [f64; 2],
    last: [f64; 2],
}

fn row(scene: &Scene, method: &Method) -> Result<Row, PageError> {
    let mut depths = Depths::default();
    let start = |_: &mut RigidSystem, x: &mut State| {
        let mut random = Random::new(1);
        x.v.iter_mut().for_each(|v| *v = NOISE * random.normal());
    };
    observe(scene, method, 0.002 * STEPS as f64, start, &mut depths)?;
    let mm = |[a, b]: [f64; 2]| [1e3 * a, 1e3 * b];
    Ok(Row { all: mm(depths.statistics(0)), last: mm(depths.statistics(LAST)), depths })
}

fn spread([mean, deviation]: [f64; 2]) -> String {
    format!("{mean:.2} ± {deviation:.2}")
}

impl Page for Fig03 {
    fn id(&self) -> &'static str {
        "borse2026comfree/fig03"
    }
    fn title(&self) -> &'static str {
        "Drop test: depth of contacts for six pairs of gains"
    }
    fn lead(&self) -> &'static str {
        "Bodies are dropped under six pairs of gains; the penetration depth over time shows how each pair settles."
    }
    fn cost(&self) -> [f64; 3] {
        [20.0, 20.0, 40.0]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let scene = drop_test()?;
        let mut table = Table::new(
            "Depth of contacts [mm], mean ± deviation; h = 2 ms, 1000 steps",
            &["law", "k", "d", "all contacts", "paper", "last 200 steps", "contacts per step"],
        );
        let mut plot = Plot::new(
            "depth",
            "Mean depth of the contacts that penetrate, per step (means over 20 steps).",
            "time [s]",
            "depth [mm]",
        )
        .log(false, true);
        let curve = |r: &Row| {
            let chunks = r.depths.steps.chunks(20).enumerate();
            let mean = |c: &[Vec<f64>]| {
                let n = c.iter().map(Vec::len).sum::<usize>();
                1e3 * c.iter().flatten().sum::<f64>() / n.max(1) as f64
            };
            chunks.map(|(i, c)| (0.04 * (i as f64 + 0.5), mean(c))).filter(|p| p.1 > 0.0).collect::<Vec<_>>()
        };
        let mut claims = Vec::new();
        let scales: &[(&str, MassScale)] = if ctx.full() {
            &[("mean mass, width 0.001", MassScale::Mean), ("trace (12), width 0.001", MassScale::Trace)]
        } else {
            &[("mean mass, width 0.001", MassScale::Mean)]
        };
        for (name, mass) in scales {
            let mut means = Vec::new();
            for (k, d, theirs) in SETTINGS {
                ctx.say(format!("{name}, k = {k}, d = {d}"));
                let r = row(&scene, &paper(k, d, *mass))?;
                table.row([
                    (*name).into(),
                    k.to_string(),
                    d.to_string(),
                    spread(r.all),
                    spread(theirs),
                    spread(r.last),
                    format!("{:.0}", r.depths.count()),
                ]);
                if *mass == MassScale::Mean {
                    let id = format!("k{k}_d{d}");
                    let text =
                        format!("k = {k}, d = {d}: mean depth over all contacts, mean mass, width 0.001");
                    claims.push(
                        Claim::relative(&format!("{id}/paper"), &text, theirs[0], r.all[0], PAPER, "mm").required()
                            .because("the paper's number is of other gains, margins or revision than its text says; the release, run on this scene, is deeper than the paper too"),
                    );
                    if d == 0.001 || k == 0.5 {
                        plot.add(&format!("k = {k}, d = {d}"), Mark::Line, curve(&r));
                    }
                }
                means.push(r.all[0]);
            }
            let falls_with_k = [0, 1].iter().all(|i| means[*i] > means[i + 2] && means[i + 2] > means[i + 4]);
            let falls_with_d = [0, 2, 4].iter().all(|i| means[*i] > means[i + 1]);
            let key = if *mass == MassScale::Mean { "mean" } else { "trace" };
            for (id, what, holds) in [("k", "stiffness k", falls_with_k), ("d", "damping d", falls_with_d)] {
                let listed = means.iter().map(|m| format!("{m:.2}")).collect::<Vec<_>>().join(", ");
                claims.push(
                    Claim::decided(
                        &format!("falls_with_{id}/{key}"),
                        &format!("{name}: depth falls with the {what}"),
                        holds,
                    )
                    .values(
                        "as in the paper's table (its text says that depth rises with k)".into(),
                        listed,
                        "mm",
                    )
                    .rule("every pair that differs in one gain")
                    .because("at d = 0.005 λ_max R (d + k h) of a resting cube is 1.8 to 2.1 at R = 9, above the practical bound 1 (0.4 to 0.7 at d = 0.001): boxes and cylinders that lie hop, their \
                              contacts are seen in two thirds of the steps only (last column), and so the deep impacts weigh more in a mean over contacts; and the lower half of the hops alone is counted. So are \
                              three starts. The paper's differences in d are within 0.2 mm"),
                );
            }
        }
        let wide = with_width_of_release(&scene);
        for (k, d, all, last) in RELEASE {
            ctx.say(format!("release's settings, k = {k}, d = {d}"));
            let r = row(&wide, &paper(k, d, MassScale::Mean))?;
            table.row([
                "mean mass, width 0.01".into(),
                k.to_string(),
                d.to_string(),
                spread(r.all),
                format!("{all:.2} (release)"),
                format!("{} ({last:.2} release)", spread(r.last)),
                format!("{:.0}", r.depths.count()),
            ]);
            for (id, what, theirs, ours) in
                [("all", "all contacts", all, r.all[0]), ("last", "the last 200 steps", last, r.last[0])]
            {
                claims.push(Claim::relative(
                    &format!("release/k{k}_d{d}/{id}"),
                    &format!("k = {k}, d = {d}, width 0.01: mean depth over {what}, against a run of the authors' release"),
                    theirs,
                    ours,
                    ENGINES,
                    "mm",
                ).required().because("contacts of boxes and cylinders are found in other number: about 250 per step here against 160 in the release, the more of them shallow"));
            }
        }
        ctx.say("projected Gauss–Seidel");
        let r = row(&scene, &Method::comfree().with_step(0.002))?;
        table.row([
            "projected Gauss–Seidel".into(),
            "–".into(),
            "–".into(),
            spread(r.all),
            "1.7 ± 4.9 (MJWarp)".into(),
            spread(r.last),
            format!("{:.0}", r.depths.count()),
        ]);
        plot.add("projected Gauss–Seidel", Mark::Line, curve(&r));
        claims.push(
            Claim::at_most(
                "default",
                "projected Gauss–Seidel: settled depth, mean over the last 200 steps",
                0.01,
                r.last[0],
                "mm",
            )
            .rule("required: at most 10 µm, fifty times the 0.2 µm that sweeps leave open in a step (1e-4 m/s × 2 ms); 0.449 mm in MuJoCo 4.0.0 on the same scene"),
        );
        let mut out = PageOutput::new([
            "125 spheres, capsules, ellipsoids, cylinders and cubes of 1000 kg/m³ fall on a table; some slide over its edge and fall half a metre more. Depths are those of the contacts that penetrate at the \
             start of a step; mean and deviation are over all of them, as in the paper, so that few deep impacts weigh as much as many contacts at rest: with margin 0 a body that arrives at speed v is found up to v h deep. \
             Mean mass is what the authors' release uses, the trace is the paper's (12), three times softer for a free body; the paper's table fits the former.",
        ]);
        out.plot(plot);
        out.extend(claims);
        out.table(table);
        Ok(out)
    }
}
