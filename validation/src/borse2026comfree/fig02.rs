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
        "Contact modes: separation, stick, slip and rolling"
    }
    fn lead(&self) -> &'static str {
        "A cube sticks and slides on a plane, and a sphere separates from the plane and rolls on it."
    }
    fn cost(&self) -> [f64; 3] {
        [0.1, 0.1, 0.1]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let mut out = PageOutput::new([
            "The figure in the paper is a diagram of contact modes. On this page each contact mode is a small simulation.".to_owned(),
            format!("The scene for stick and slip is a cube of 1 kg on a plane. The cube is at rest on a slope of {SLOPE}° (stick), or it starts on \
                a level plane with 2 m/s (slip). The slip goes along a tangential direction of the polyhedral friction cone, or halfway between two \
                of them (diagonal)."),
            "The scene for separation and rolling is a sphere of radius 0.1 m. The sphere is thrown up with 1 m/s (separation), or it starts with 1 \
                m/s along the plane (rolling).".to_owned(),
            format!("The friction coefficient is μ = {MU} and the time step is h = 2 ms."),
            "Two methods are compared. ComFree (mean mass) is the method of the paper. It evaluates the contact law once per step, with the gains k = 0.2 and d = 0.001. Its \
                gains are relative to the mean translational mass of the bodies, as in the authors' release. The projected Gauss–Seidel method repeats sweeps over all contacts \
                until they have settled.".to_owned(),
        ]);
        let mut table = Table::new(
            "Measured quantities of each contact mode",
            &["contact mode", "quantity", "expected", "ComFree (mean mass)", "projected Gauss–Seidel"],
        );
        let mut forces = Plot::new(
            "friction_ratio",
            "Ratio of friction force to normal force while the cube slides on the plane and rests on the slope. The dashed lines are μ and tan 10°.",
            "time [s]",
            "friction ratio |f_t| / f_n [–]",
        );
        forces.y_range = Some([0.0, 0.8]);
        let mut rolls = Plot::new(
            "rolling",
            "Speed of a sphere that starts with 1 m/s and without spin. The dashed line is the rolling speed 5/7 m/s.",
            "time [s]",
            "speed [m/s]",
        );
        rolls.add_closed_form(vec![(0.0, 5.0 / 7.0), (0.5, 5.0 / 7.0)]);
        let tan = SLOPE.to_radians().tan();
        forces.add_closed_form(vec![(0.0, MU), (0.5, MU)]).add_closed_form(vec![(0.0, tan), (0.5, tan)]);
        let mut values: [Vec<f64>; 2] = Default::default();
        for (mode, method) in [paper(0.2, 0.001, MassScale::Mean), default_mode()].iter().enumerate() {
            let name = ["ComFree (mean mass)", "projected Gauss–Seidel"][mode];
            ctx.say(name);
            let ball = sphere(MU)?;
            let up = Run::new(&ball, method, 0.1).trace(|_, x| x.v[2] = 1.0)?;
            let pulled = (0..up.len()).map(|r| (up.v[r][2] - 1.0 + G * up.t[r]).abs()).fold(0.0, f64::max);
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
                (0..axis.len()).map(|r| 1e3 * (axis.q[r][2] - 0.05)).fold(0.0, f64::max),
                (axis.v_at(0.05, 0) - axis.v_at(0.3, 0)) / (0.25 * MU * G),
                led_aside(&flat, method)?,
            ];
        }
        let rows = [
            ("separation", "largest difference of the speed from free flight [m/s]", "0".to_owned()),
            ("stick", "friction ratio |f_t|/f_n on the slope", format!("{tan:.4}")),
            ("stick", "creep speed after 1 s [m/s]", "0".to_owned()),
            ("slip along an axis", "friction ratio |f_t|/f_n", format!("{MU}")),
            ("slip along a diagonal", "friction ratio |f_t|/f_n", format!("{MU}")),
            ("rolling", "speed [m/s]", format!("{:.4}", 5.0 / 7.0)),
            ("slip along an axis", "largest rise of the cube [mm]", "0".to_owned()),
            ("slip along an axis", "deceleration over μ g", "1".to_owned()),
            ("slip at 11.25° to an axis", "deflection of the path [°]", "0".to_owned()),
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
        out.heading("All contact modes");
        out.table(table);
        out.heading("Stick and slip");
        out.plot(forces);
        let both = |i: usize| [(0, "paper"), (1, "default")].map(|(m, key)| (key, values[m][i]));
        let names = ["ComFree (mean mass)", "projected Gauss–Seidel"];
        let name = |key: &str| names[usize::from(key == "default")];
        for (key, v) in both(0) {
            let text =
                "largest difference of the speed from free flight, of a body that separates from the plane";
            let claim = Claim::at_most(
                &format!("separation/{key}"),
                &format!("{}: {text}", name(key)),
                1e-13,
                v,
                "m/s",
            );
            out.claim(claim.rule("at most 1e-13, above the round-off of 50 steps at 1 m/s, N ε v = 1e-14"));
        }
        for (key, v) in both(1) {
            out.claim(
                Claim::relative(
                    &format!("stick/{key}"),
                    &format!("{}: friction ratio of a cube that rests on a slope is tan θ", name(key)),
                    tan,
                    v,
                    0.001,
                    "",
                )
                .rule(
                    "within 0.1 %. The value follows from the balance of forces. The transient of the start has decayed after half a second.",
                ),
            );
        }
        for (key, v) in both(3) {
            out.claim(
                Claim::relative(&format!("slip_axis/{key}"), &format!("{}: friction ratio along an axis of the friction \
                    cone", name(key)), MU, v, 0.001, "")
                    .rule("within 0.1 %. Coulomb friction at its bound is exact.")
                    .because("The facets perpendicular to the slip carry a part of the load until the cube has risen by h μ v. ComFree (mean mass) \
                        loses the contact at the gap φ = 0, before the cube has risen so far."),
            );
        }
        out.claim(
            Claim::at_most(
                "slip_rise/default",
                "projected Gauss–Seidel: largest rise of a cube that slides at 2 m/s",
                1e-5,
                1e-3 * values[1][6],
                "m",
            )
            .required_since("This is fifty times the residual distance of 0.2 µm that the sweeps allow in a step (1e-4 m/s × 2 ms). \
                The friction of the published law (associated friction) may throw the cube up by (μ v)²/2g = 51 mm."),
        );
        out.claim(
            Claim::relative(
                "slip_braking/default",
                "projected Gauss–Seidel: deceleration over μ g along an axis of the friction cone",
                1.0,
                values[1][7],
                0.001,
                "",
            )
            .rule("within 0.1 %. Friction at its bound is exact. The sweeps may leave a residual of 1e-4 m/s of 1.2 m/s."),
        );
        out.claim(
            Claim::at_most(
                "slip_aside/default",
                "projected Gauss–Seidel: deflection of the path of a cube that slides at 11.25° to an axis of the friction cone",
                11.25,
                values[1][8],
                "°",
            )
            .rule("at most 11.25°, the angle to the direction at which two of the eight tangential directions brake equally"),
        );
        let polygon = std::f64::consts::FRAC_1_SQRT_2;
        out.claim(
            Claim::relative(
                "slip_diagonal/paper",
                "ComFree (mean mass): friction ratio halfway between two of the four tangential directions is μ cos 45°",
                MU * polygon,
                values[0][4],
                0.001,
                "",
            )
            .rule("within 0.1 %. The bound of a polygon of four sides is exact.")
            .because("The two facets that brake the cube share the load only after the forces of the other two facets have dropped to zero."),
        );
        out.claim(Claim::between(
            "slip_diagonal/default",
            "projected Gauss–Seidel: with eight tangential directions the friction ratio is between μ cos 22.5° and μ in all directions",
            [0.999 * MU * (std::f64::consts::PI / 8.0).cos(), 1.001 * MU],
            values[1][4],
            "",
        )
        .rule("within μ cos 22.5° and μ, and 0.1 % beyond, as along an axis"));
        let (h, r) = (0.002, 19.0);
        let theory =
            G * SLOPE.to_radians().sin() * h * (1.0 / (2.0 * MU * MU * 4.0 * r * (0.001 + 0.2 * h)) - 1.0);
        let measured = values[0][2];
        let implied = 1.0
            / (2.0
                * MU
                * MU
                * 4.0
                * (0.001 + 0.2 * h)
                * (measured / (G * SLOPE.to_radians().sin() * h) + 1.0));
        out.prose(format!(
            "A formula predicts the creep speed of ComFree (mean mass) while all facets are active. The prediction is {theory:.4} m/s with R = {r}, \
                the value for a depth above the width of MuJoCo's impedance curve (solimp). The cube rests at a smaller depth, where R is between 9 \
                and {r}. The measured creep speed of {measured:.4} m/s corresponds to R = {implied:.1}."
        ));
        out.claim(
            Claim::at_most(
                "creep/default",
                "projected Gauss–Seidel: creep speed on the slope after 1 s",
                1e-5,
                values[1][2],
                "m/s",
            )
            .rule(
                "at most 1e-5 m/s, the residual at which the sweeps end. Impulses that are remembered from step to step reduce the creep to zero.",
            ),
        );
        out.heading("Rolling");
        out.plot(rolls);
        for (key, v) in both(5) {
            let swept = key == "default";
            let claim = Claim::relative(
                &format!("rolling/{key}"),
                &format!("{}: speed of the sphere when the slip has ended", name(key)),
                5.0 / 7.0,
                v,
                if swept { 0.001 } else { 0.01 },
                "m/s",
            );
            let claim = if swept {
                claim.rule("within 0.1 %. The closed form is 5/7 of the speed at the start.")
            } else {
                claim.required_since(
                    "The closed form is 5/7 of the speed at the start, and friction of one evaluation fades out slowly.",
                )
            };
            let why = "The sphere still slips. It hops, and friction acts on it only during the contacts.";
            out.claim(claim.because(why));
        }
        Ok(out)
    }
}
