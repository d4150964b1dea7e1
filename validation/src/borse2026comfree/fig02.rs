use signorini_laws::MassScale;

use super::runs::{default_mode, paper};
use super::scenes::{G, SOLIMP, cube, sphere};
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};
use signorini_run::trace::{Run, Trace};

/// Contact modes: separation, stick, slip, rolling.
pub(super) struct Fig02;

const MU: f64 = 0.5;
const SLOPE: f64 = 10.0;

/// (t, |f_t|/f_n) where there is a force.
fn ratio(trace: &Trace) -> Vec<(f64, f64)> {
    let at = |row: usize| {
        let f = trace.force(row, |_| true);
        (trace.t[row], f.x.hypot(f.y) / f.z, f.z)
    };
    (1..trace.len()).map(at).filter(|p| p.2 > 0.0).map(|p| (p.0, p.1)).collect()
}

/// Sum of friction over sum of normal force in an interval: the mean ratio, whatever hops.
fn mean_ratio(trace: &Trace, [a, b]: [f64; 2]) -> f64 {
    let rows = (1..trace.len()).filter(|r| (a..b).contains(&trace.t[*r]));
    let sum: signorini_core::na::Vector3<f64> = rows.map(|r| trace.force(r, |_| true)).sum();
    sum.x.hypot(sum.y) / sum.z
}

/// Angle between the start and the way to the stop of a slide halfway between an axis and the tie of eight directions \[°\].
fn led_aside(flat: &signorini_scene::Scene, method: &signorini_run::Method) -> Result<f64, PageError> {
    let start = std::f64::consts::PI / 16.0;
    let slide = Run::new(flat, method, 0.45)
        .trace(|_, x| (x.v[0], x.v[1]) = (2.0 * start.cos(), 2.0 * start.sin()))?;
    Ok((slide.q_at(0.45, 1).atan2(slide.q_at(0.45, 0)) - start).abs().to_degrees())
}

impl Page for Fig02 {
    fn id(&self) -> &'static str {
        "borse2026comfree/fig02"
    }
    fn title(&self) -> &'static str {
        "Contact modes: separation, stick, slip along an axis and a diagonal, rolling"
    }
    fn lead(&self) -> &'static str {
        "A box separates, sticks, slides and rolls; velocities and contact forces over time show each contact mode."
    }
    fn cost(&self) -> [f64; 3] {
        [2.0, 2.0, 2.0]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let mut out = PageOutput::new([format!(
            "The paper's figure is a diagram of modes; here each is a small run. μ = {MU}, h = 2 ms. Cube of 1 kg on a plane, at rest on a slope of {SLOPE}°, or started with 2 m/s along an axis of the \
             facets or between two; sphere of radius 0.1 m thrown up with 1 m/s, or along with 1 m/s. Paper mode: k = 0.2, d = 0.001, mean mass."
        )]);
        let mut table = Table::new(
            "Friction over normal force, and what follows from it",
            &["mode", "quantity", "expected", "ComFree as published", "projected Gauss–Seidel"],
        );
        let mut forces = Plot::new(
            "friction_ratio",
            "Friction over normal force while the cube slides and rests; dashed: μ and tan 10°.",
            "time [s]",
            "|f_t| / f_n",
        );
        forces.y_range = Some([0.0, 0.8]);
        let mut rolls = Plot::new(
            "rolling",
            "Sphere that starts with 1 m/s and no spin; dashed: 5/7.",
            "time [s]",
            "speed [m/s]",
        );
        rolls.add_closed_form(vec![(0.0, 5.0 / 7.0), (0.5, 5.0 / 7.0)]);
        let tan = SLOPE.to_radians().tan();
        forces.add_closed_form(vec![(0.0, MU), (0.5, MU)]).add_closed_form(vec![(0.0, tan), (0.5, tan)]);
        let mut values: [Vec<f64>; 2] = Default::default();
        for (mode, method) in [paper(0.2, 0.001, MassScale::Mean), default_mode()].iter().enumerate() {
            let name = ["ComFree as published", "projected Gauss–Seidel"][mode];
            ctx.say(name);
            let ball = sphere(MU)?;
            let up = Run::new(&ball, method, 0.1).trace(|_, x| x.v[2] = 1.0)?;
            let pulled = (0..up.len()).map(|r| up.force(r, |_| true).norm()).fold(0.0, f64::max);
            let along = Run::new(&ball, method, 0.5).trace(|_, x| x.v[0] = 1.0)?;
            rolls.add_colored(name, Mark::Line, mode, along.curve(250, |t, row| t.v[row][0]));
            let flat = cube(0.05, MU, 0.0, SOLIMP)?;
            let axis = Run::new(&flat, method, 0.3).trace(|_, x| x.v[0] = 2.0)?;
            let diagonal =
                Run::new(&flat, method, 0.3).trace(|_, x| (x.v[0], x.v[1]) = (2f64.sqrt(), 2f64.sqrt()))?;
            let slope = cube(0.05, MU, SLOPE.to_radians(), SOLIMP)?;
            let rest = Run::new(&slope, method, 1.0).trace(|_, _| {})?;
            for (label, trace, shade) in [("axis", &axis, 0), ("diagonal", &diagonal, 2), ("slope", &rest, 4)]
            {
                let points = ratio(trace).into_iter().filter(|p| p.0 < 0.5).step_by(2).collect();
                forces.add_colored(&format!("{label}, {name}"), Mark::Points, mode + shade, points);
            }
            values[mode] = vec![
                pulled,
                mean_ratio(&rest, [0.5, 1.0]),
                (rest.v_at(1.0, 0).powi(2) + rest.v_at(1.0, 1).powi(2)).sqrt(),
                mean_ratio(&axis, [0.1, 0.3]),
                mean_ratio(&diagonal, [0.1, 0.3]),
                along.v_at(0.5, 0),
                (0..axis.len()).map(|r| axis.q[r][2] - 0.05).fold(0.0, f64::max),
                (axis.v_at(0.05, 0) - axis.v_at(0.3, 0)) / (0.25 * MU * G),
                led_aside(&flat, method)?,
            ];
        }
        let rows = [
            ("separation", "largest force [N]", "0".to_owned()),
            ("stick", "|f_t|/f_n on the slope", format!("{tan:.4}")),
            ("stick", "creep after 1 s [m/s]", "0".to_owned()),
            ("slip, axis", "|f_t|/f_n", format!("{MU}")),
            ("slip, diagonal", "|f_t|/f_n", format!("{MU}")),
            ("rolling", "speed [m/s]", format!("{:.4}", 5.0 / 7.0)),
            ("slip, axis", "rise [m]", "0".to_owned()),
            ("slip, axis", "braking over μ g", "1".to_owned()),
            ("slip at 11.25°", "way led aside [°]", "0".to_owned()),
        ];
        for (i, (mode, what, expected)) in rows.into_iter().enumerate() {
            table.row([
                mode.to_owned(),
                what.into(),
                expected,
                format!("{:.4e}", values[0][i]),
                format!("{:.4e}", values[1][i]),
            ]);
        }
        out.heading("All modes");
        out.table(table);
        out.heading("Separation, stick, slip");
        out.plot(forces);
        let both = |i: usize| [(0, "paper"), (1, "default")].map(|(m, key)| (key, values[m][i]));
        for (key, v) in both(0) {
            out.claim(Claim::at_most(
                &format!("separation/{key}"),
                &format!("{key} mode: force on a body that leaves"),
                0.0,
                v,
                "N",
            ));
        }
        for (key, v) in both(1) {
            out.claim(
                Claim::relative(
                    &format!("stick/{key}"),
                    &format!("{key} mode: a body on a slope is carried by tan θ"),
                    tan,
                    v,
                    0.001,
                    "",
                )
                .rule(
                    "within 0.1 %: balance of forces, what is left of the start is gone after half a second",
                ),
            );
        }
        for (key, v) in both(3) {
            out.claim(
                Claim::relative(&format!("slip_axis/{key}"), &format!("{key} mode: friction along an axis of the facets"), MU, v, 0.001, "")
                    .because("the facets across the slip share the load until the body has risen by h μ v. As published the contact is lost at φ = 0, before that"),
            );
        }
        out.claim(
            Claim::at_most(
                "slip_rise/default",
                "projected Gauss–Seidel: rise of what slides at 2 m/s",
                1e-5,
                values[1][6],
                "m",
            )
            .rule("required: at most 10 µm, fifty times the 0.2 µm that sweeps leave open in a step (1e-4 m/s × 2 ms); associated friction may throw it up by (μ v)²/2g = 51 mm"),
        );
        out.claim(
            Claim::relative(
                "slip_braking/default",
                "projected Gauss–Seidel: braking over μ g along an axis of the facets",
                1.0,
                values[1][7],
                0.001,
                "",
            )
            .rule("within 0.1 %: friction at the bound is exact, sweeps leave open 1e-4 m/s of 1.2 m/s"),
        );
        out.claim(
            Claim::at_most(
                "slip_aside/default",
                "projected Gauss–Seidel: angle by which what slides at 11.25° is led aside",
                11.25,
                values[1][8],
                "°",
            )
            .rule("at most to where two of eight directions tie"),
        );
        let polygon = std::f64::consts::FRAC_1_SQRT_2;
        out.claim(
            Claim::relative(
                "slip_diagonal/paper",
                "ComFree as published: friction between two of four directions is μ cos 45°",
                MU * polygon,
                values[0][4],
                0.001,
                "",
            )
            .because("the two facets in front share the load only once the rear ones are empty"),
        );
        out.claim(Claim::between(
            "slip_diagonal/default",
            "projected Gauss–Seidel: with eight directions friction is between μ cos 22.5° and μ in all directions",
            [0.999 * MU * (std::f64::consts::PI / 8.0).cos(), 1.001 * MU],
            values[1][4],
            "",
        ));
        let (h, r) = (0.002, 19.0);
        let theory =
            G * SLOPE.to_radians().sin() * h * (1.0 / (2.0 * MU * MU * 4.0 * r * (0.001 + 0.2 * h)) - 1.0);
        out.prose(format!(
            "Creep of ComFree as published by the formula, with R = {r} (depth above the width of solimp): {theory:.4} m/s, while all facets are active."
        ));
        out.claim(
            Claim::at_most(
                "creep/default",
                "projected Gauss–Seidel: creep on the slope after 1 s",
                1e-5,
                values[1][2],
                "m/s",
            )
            .rule(
                "at most the residual at which sweeps end, 1e-5 m/s: remembered impulses take creep to zero",
            ),
        );
        out.heading("Rolling");
        out.plot(rolls);
        for (key, v) in both(5) {
            out.claim(
                Claim::relative(
                    &format!("rolling/{key}"),
                    &format!("{key} mode: speed when slip ends"),
                    5.0 / 7.0,
                    v,
                    if key == "default" { 0.001 } else { 0.01 },
                    "m/s",
                )
                .because("it still slips: a sphere that hops gets its friction in pieces"),
            );
        }
        Ok(out)
    }
}
