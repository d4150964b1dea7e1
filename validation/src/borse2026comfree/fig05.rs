use signorini_laws::MassScale;

use super::runs::{default_mode, paper, speed};
use super::scenes::{G, rolling_cylinder, spinning_sphere, with_width_of_release};
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};
use signorini_run::trace::Run;

/// Spin and rolling that friction stops.
pub(super) struct Fig05;

const K: f64 = 0.2;
const D: f64 = 0.004;
const T: f64 = 2.0;
const COEFFICIENTS: [f64; 4] = [0.001, 0.01, 0.05, 0.1];
const RADIUS: f64 = 0.1;
/// 4/3 π r³ ρ and 2/5 m r².
const SPHERE: f64 = 4.0 / 3.0 * std::f64::consts::PI * RADIUS * RADIUS * RADIUS * 1000.0;
const INERTIA: f64 = 0.4 * SPHERE * RADIUS * RADIUS;
/// Spin after 2 s in the authors' release: coefficient, held 1 mm deep, under its weight \[rad/s\].
const RELEASE_SPIN: [(f64, f64, f64); 3] =
    [(0.001, 2.9993, 2.864), (0.01, 2.9288, 0.033), (0.05, 1.9857, 0.0)];
/// Speed after 2 s of the cylinder in the release \[m/s\].
const RELEASE_ROLL: [(f64, f64); 2] = [(0.001, 0.6597), (0.01, 0.308)];

/// Spin after a step h under the two spin facets of a contact held at a gap: ω − (μ G/I) [(−s + μω)₊ − (−s − μω)₊].
fn held(mu: f64, h: f64) -> f64 {
    // r of solimp at 1 mm with width 10 mm; m_c from the mean rotational inverse mass of a body that only turns about one axis.
    let r = 0.9 + 0.05 * 2.0 * 0.01;
    let gain = r / (1.0 - r) * 3.0 * INERTIA * (D + K * h);
    let s = K * -1e-3 / (D + K * h);
    let steps = (T / h).round() as usize;
    (0..steps).fold(3.0, |w, _| w - mu * gain / INERTIA * ((mu * w - s).max(0.0) - (-mu * w - s).max(0.0)))
}

/// Coulomb's spin \[rad/s\] after t.
fn coulomb_spin(mu: f64, t: f64) -> f64 {
    (3.0 - mu * SPHERE * G / INERTIA * t).max(0.0)
}

/// Rolling speed after t: slip with μ = 1 until 2/3 v₀, then μ_r g/(1.5 r).
fn coulomb_roll(mu: f64, t: f64) -> f64 {
    let slip = 1.0 / (3.0 * G);
    if t < slip { 1.0 - G * t } else { (2.0 / 3.0 - mu * G / (1.5 * RADIUS) * (t - slip)).max(0.0) }
}

/// Rolling speed after t where sliding and rolling share one normal force and the faster of μ (v − ω r) and μ_r ω has all of it (μ = 1): slip alone until both are equal, at ω = v/(r + μ_r); then both at once, sliding
/// with the part x that keeps them so.
fn shared_roll(mu: f64, t: f64) -> f64 {
    let slip = 1.0 / (G * (3.0 + 2.0 * mu / RADIUS));
    let x = mu / (RADIUS + mu + 0.5 * RADIUS * RADIUS / (RADIUS + mu));
    if t < slip { 1.0 - G * t } else { (1.0 - G * slip - x * G * (t - slip)).max(0.0) }
}

impl Page for Fig05 {
    fn id(&self) -> &'static str {
        "borse2026comfree/fig05"
    }
    fn title(&self) -> &'static str {
        "Decay of spin and speed under torsional and rolling friction"
    }
    fn lead(&self) -> &'static str {
        "A sphere spins on a plane and a cylinder slides and rolls on it, until torsional and rolling friction stop them."
    }
    fn cost(&self) -> [f64; 3] {
        [0.1, 0.1, 0.1]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let mut out = PageOutput::new([
            format!("The gains are k = {K} and d = {D}. The time step is h = 2 ms, and a run lasts 2 s. As in the authors' release, the gains are \
                relative to the mean translational mass, and the width of MuJoCo's impedance curve (solimp) is 0.01."),
            "In the scene `held` a sphere turns about a fixed vertical axis, with its centre 1 mm too low, as in the authors' script. The normal \
                load comes from this constant penetration and not from a weight. The scene therefore shows how the contact law works and not how \
                friction acts on a free body.".to_owned(),
            "In the scene `weight` the sphere may move along the axis and rests on the plane by its weight.".to_owned(),
            "Coulomb friction gives the closed forms. The spin of the sphere decays at the rate μ m g/I. The cylinder slips until its speed is two \
                thirds of the speed at the start, and then decelerates with μ g/(1.5 r).".to_owned(),
        ]);
        spin(ctx, &mut out)?;
        roll(ctx, &mut out)?;
        Ok(out)
    }
}

fn release() -> signorini_run::Method {
    paper(K, D, MassScale::Mean)
}

fn spin(ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
    let mut table = Table::new(
        "Spin of the sphere after 2 s [rad/s]. It is 3 rad/s at the start.",
        &[
            "scene",
            "friction coefficient [m]",
            "ComFree (mean mass)",
            "release",
            "projected Gauss–Seidel",
            "closed form",
        ],
    );
    let plot = |name: &str, caption: &str| Plot::new(name, caption, "time [s]", "spin [rad/s]");
    let mut plots = [
        plot(
            "spin_held",
            "Spin of the sphere that is held 1 mm deep, with ComFree (mean mass). Open squares are runs of the authors' release.",
        ),
        plot(
            "spin_weight",
            "Spin of the sphere under its weight. Lines are ComFree (mean mass), points are projected Gauss–Seidel, and dashed lines are Coulomb \
                friction. Open squares are runs of the authors' release.",
        ),
    ];
    let (mut claims, mut released) = (Vec::new(), [Vec::new(), Vec::new()]);
    for weight in [false, true] {
        for (i, mu) in COEFFICIENTS.into_iter().enumerate() {
            let name = if weight { "weight" } else { "held" };
            ctx.say(format!("spin, {name}, {mu} m"));
            let scene = spinning_sphere(mu, weight)?;
            let dof = usize::from(weight);
            let method = release();
            let ours = Run::new(&with_width_of_release(&scene), &method, T).trace(|_, x| x.v[dof] = 3.0)?;
            let end = ours.v_at(T, dof);
            plots[dof].add_colored(&format!("friction coefficient {mu} m"), Mark::Line, i, speed(&ours, dof));
            let known = RELEASE_SPIN.iter().find(|r| r.0 == mu);
            let theirs = known.map(|r| if weight { r.2 } else { r.1 });
            released[dof].extend(theirs.map(|w| (T, w)));
            let theirs_text = theirs.map_or("–".into(), |x| x.to_string());
            let id = format!("spin_{name}_{mu}");
            if weight {
                let method = default_mode();
                let new = Run::new(&scene, &method, T).trace(|_, x| x.v[dof] = 3.0)?;
                plots[1].add_colored("", Mark::Points, i, new.curve(40, |t, row| t.v[row][dof]));
                let line = (0..=200).map(|k| 0.01 * f64::from(k)).map(|t| (t, coulomb_spin(mu, t)));
                plots[1].add_closed_form(line.collect());
                // Halfway to Coulomb's stop.
                let half = (1.5 * INERTIA / (mu * SPHERE * G)).min(0.5 * T);
                let lost = 3.0 - new.v_at(half, dof);
                // A step is a third of the time to halfway at 0.1 m, and in proportion less.
                let within = (0.5 * mu).max(1e-3);
                claims.push(
                    Claim::relative(
                        &format!("{id}/coulomb"),
                        &format!("sphere, projected Gauss–Seidel, torsional friction coefficient {mu} m: loss of spin until half of the stopping time of Coulomb friction"),
                        3.0 - coulomb_spin(mu, half),
                        lost,
                        within,
                        "rad/s",
                    )
                    .rule(&format!(
                        "within {:.1} %. This is 0.15 time steps over half of the stopping time, and at least 0.1 %.",
                        100.0 * within
                    )),
                );
                let back = new.v.iter().map(|v| -v[dof]).fold(0.0, f64::max);
                claims.push(Claim::at_most(
                    &format!("{id}/reversal"),
                    &format!("sphere, projected Gauss–Seidel, torsional friction coefficient {mu} m: largest spin in the opposite direction"),
                    if mu < 0.005 { 0.01 } else { 3e-3 },
                    back,
                    "rad/s",
                ).required_since("a thousandth of the spin at the start. At the coefficient of 0.001 m the bound is 0.01, because \
                    its facets act weakest.").because("The facets remember the friction impulses of the slip. They release these impulses slowly: \
                    their effect on the spin is μ² times their effect along the normal, where μ is the coefficient over the radius. The spin \
                    therefore oscillates about zero."));
                table.row([
                    name.into(),
                    mu.to_string(),
                    format!("{end:.4}"),
                    theirs_text,
                    format!("{:.4}", new.v_at(T, dof)),
                    format!("{:.4} (Coulomb)", coulomb_spin(mu, T)),
                ]);
                if let Some(theirs) = theirs {
                    claims.push(
                        Claim::at_most(
                            &format!("{id}/release"),
                            &format!("sphere under its weight, ComFree, torsional friction coefficient {mu} m: difference of the spin after 2 s from the authors' release"),
                            if theirs == 0.0 { 1e-6 } else { 5e-3 },
                            (end - theirs).abs(),
                            "rad/s",
                        )
                        .rule("at most 0.005, five units of the last of the three decimals of the release. The bound is 1e-6, single precision, \
                            where the sphere has stopped in the release.")
                        .because(
                            "The sphere hops, because the gain is above one. Round-off decides when it touches the plane.",
                        ),
                    );
                }
            } else {
                let exact = held(mu, 0.002);
                table.row([
                    name.into(),
                    mu.to_string(),
                    format!("{end:.4}"),
                    theirs_text,
                    "–".into(),
                    format!("{exact:.4}"),
                ]);
                claims.push(
                    Claim::at_most(
                        &format!("{id}/closed_form"),
                        &format!(
                            "held sphere, ComFree, torsional friction coefficient {mu} m: difference of the spin after 2 s from the closed form"
                        ),
                        1e-12,
                        (end - exact).abs(),
                        "rad/s",
                    )
                    .rule("at most 1e-12. The round-off of 1000 steps at 3 rad/s is N ε ω = 7e-13."),
                );
                if let Some(theirs) = theirs {
                    claims.push(
                        Claim::at_most(
                            &format!("{id}/release"),
                            &format!("held sphere, ComFree, torsional friction coefficient {mu} m: difference of the spin after 2 s from the authors' release"),
                            2e-4,
                            (end - theirs).abs(),
                            "rad/s",
                        )
                        .rule(
                            "at most 2e-4. The numbers of the release have four decimals and come from single precision.",
                        ),
                    );
                }
            }
        }
    }
    for (plot, points) in plots.iter_mut().zip(released) {
        plot.add_colored("release, after 2 s", Mark::Paper, 0, points);
    }
    out.heading("Spin of a sphere");
    out.extend(plots);
    out.table(table);
    out.extend(claims);
    Ok(())
}

fn roll(ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
    let mut table = Table::new(
        "Speed of the cylinder after 2 s [m/s]. It is 1 m/s at the start.",
        &["friction coefficient [m]", "ComFree (mean mass)", "release", "projected Gauss–Seidel", "Coulomb"],
    );
    let mut plot = Plot::new(
        "roll",
        "Speed of a cylinder on its side. Lines are ComFree (mean mass), points are projected Gauss–Seidel. The dashed lines are two closed forms: \
            Coulomb friction, which stops the cylinder first, and friction in which sliding and rolling share one normal force. Open squares are runs of the authors' release.",
        "time [s]",
        "speed [m/s]",
    );
    let (mut claims, mut released) = (Vec::new(), Vec::new());
    for (i, mu) in COEFFICIENTS.into_iter().enumerate() {
        ctx.say(format!("roll, {mu} m"));
        let scene = rolling_cylinder(mu)?;
        let (old, new) = (release(), default_mode());
        let a = Run::new(&with_width_of_release(&scene), &old, T).trace(|_, x| x.v[0] = 1.0)?;
        let b = Run::new(&scene, &new, T).trace(|_, x| x.v[0] = 1.0)?;
        plot.add_colored(&format!("friction coefficient {mu} m"), Mark::Line, i, speed(&a, 0));
        plot.add_colored("", Mark::Points, i, b.curve(40, |t, row| t.v[row][0]));
        plot.add_closed_form(
            (0..=200).map(|k| 0.01 * f64::from(k)).map(|t| (t, coulomb_roll(mu, t))).collect(),
        );
        plot.add_closed_form(
            (0..=200).map(|k| 0.01 * f64::from(k)).map(|t| (t, shared_roll(mu, t))).collect(),
        );
        let theirs = RELEASE_ROLL.iter().find(|r| r.0 == mu).map(|r| r.1);
        released.extend(theirs.map(|v| (T, v)));
        table.row([
            mu.to_string(),
            format!("{:.4}", a.v_at(T, 0)),
            theirs.map_or("–".into(), |x| x.to_string()),
            format!("{:.4}", b.v_at(T, 0)),
            format!("{:.4}", coulomb_roll(mu, T)),
        ]);
        if let Some(theirs) = theirs {
            claims.push(
                Claim::at_most(
                    &format!("roll_{mu}/release"),
                    &format!("cylinder, ComFree, rolling friction coefficient {mu} m: difference of the speed after 2 s from the authors' release"),
                    1e-3 + 0.03 * (2.0 / 3.0 - theirs),
                    (a.v_at(T, 0) - theirs).abs(),
                    "m/s",
                )
                .rule("at most 1 mm/s and 3 % of the speed that the rolling resistance took from 2/3 m/s").required()
                .because("The cylinder hops at these gains, and the two collision detections find different contact points."),
            );
        }
        let far = (0..=200).map(|k| 0.01 * f64::from(k)).map(|t| (b.v_at(t, 0) - coulomb_roll(mu, t)).abs());
        claims.push(
            Claim::at_most(&format!("roll_{mu}/coulomb"), &format!("cylinder, projected Gauss–Seidel, rolling friction coefficient {mu} m: largest difference of the speed from that of \
                Coulomb friction"), 0.05, far.fold(0.0, f64::max), "m/s")
                .rule("at most 5 % of the speed at the start").required()
                .because("Sliding friction and rolling resistance share one normal force (Σ|f_s|/μ_s ≤ f_n). The part that decelerates the cylinder \
                    as a whole is not available for the rolling resistance. Coulomb friction has the full normal force for both."),
        );
        let far = (0..=200).map(|k| 0.01 * f64::from(k)).map(|t| (b.v_at(t, 0) - shared_roll(mu, t)).abs());
        claims.push(
            Claim::at_most(
                &format!("roll_{mu}/shared"),
                &format!(
                    "cylinder, projected Gauss–Seidel, rolling friction coefficient {mu} m: largest difference of the speed from the closed \
                form with one shared normal force"
                ),
                0.01,
                far.fold(0.0, f64::max),
                "m/s",
            )
            .rule("at most g h/2 = 0.01 m/s, half of the speed that friction takes in one step"),
        );
    }
    plot.add_colored("release, after 2 s", Mark::Paper, 0, released);
    // Room for the legend above the curves.
    plot.y_range = Some([-0.05, 1.35]);
    out.heading("A cylinder that slides and rolls");
    out.plot(plot);
    out.table(table);
    out.extend(claims);
    Ok(())
}
