use signorini_comfree::ComfreeSolver;
use signorini_core::{Slot, System};
use signorini_laws::{DualCone, Gains, MassScale};

use super::runs::step;
use super::scenes::{G, SOLIMP, cube, cube_from_afar, stack};
use super::study::Study;
use signorini_comfree::Sweeps;
use signorini_report::claim::number;
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};
use signorini_run::Method;
use signorini_run::trace::{Run, Trace};

/// Effects of each switch of the law.
pub(super) struct Modes;

/// Results of a setting on four small scenes.
struct Effect {
    /// λ_max(A⁻¹∇²Ψ) of the stack, pressed together.
    gain: f64,
    /// Depth of a cube that has come to rest, and its fastest speed then \[m, m/s\].
    depth: f64,
    restless: f64,
    /// Deepest point of the impact from 0.1 m \[m\].
    impact: f64,
    /// Speed of fall lost before it \[m/s\].
    braked: f64,
    /// Speed on a slope of 10° after 2 s \[m/s\].
    creep: f64,
    /// Friction over μ f_n along 45° and 22.5°.
    friction: [f64; 2],
    /// Rise while it slides there \[m\].
    rise: f64,
    /// Fastest speed in a stack of five after 3 s \[m/s\].
    stack: f64,
    fall: Vec<(f64, f64)>,
}

fn fastest(trace: &Trace, part: f64) -> f64 {
    let from = ((1.0 - part) * trace.len() as f64) as usize;
    trace.v[from..].iter().flatten().fold(0.0, |m: f64, v| m.max(v.abs()))
}

/// Largest difference from free fall while the lower face is still above the floor, the first time.
fn braked(fall: &Trace) -> f64 {
    let open = (0..fall.len()).take_while(|r| fall.q[*r][2] > 0.05);
    open.map(|r| (fall.v[r][2] + G * fall.t[r]).abs()).fold(0.0, f64::max)
}

fn gain(method: &Method) -> Result<f64, PageError> {
    let scene = stack(5)?;
    let mut sys = method.system(&scene).map_err(PageError::from_error)?;
    let mut x = sys.initial_state(None).map_err(PageError::from_error)?;
    for i in 0..5 {
        x.q[7 * i + 2] = 0.05 + 0.1 * i as f64 - 1e-5 * (i + 1) as f64;
    }
    sys.prepare(Slot::Start, &x, step(method)?).map_err(PageError::from_error)?;
    let p = sys.problem(Slot::Start, step(method)?).map_err(PageError::from_error)?;
    let v: Vec<f64> = (0..30).map(|i| if i % 6 == 2 { -0.1 * (i / 6 + 1) as f64 } else { 0.0 }).collect();
    ComfreeSolver::default().gain(p, &v, 300).map_err(PageError::from_error)
}

fn effect(method: &Method) -> Result<Effect, PageError> {
    let drop = cube(0.15, 1.0, 0.0, SOLIMP)?;
    let fall = Run::new(&drop, method, 1.0).trace(|_, _| {})?;
    // Pairs from 2 cm on, so that a law that acts at a distance has something to act on.
    let near = Run::new(&cube_from_afar(0.15, 0.02)?, method, 0.45).trace(|_, _| {})?;
    let low = (0..fall.len()).map(|r| fall.q[r][2]).fold(1.0, f64::min);
    let slope = cube(0.05, 1.0, 10f64.to_radians(), SOLIMP)?;
    let creep = Run::new(&slope, method, 2.0).trace(|_, _| {})?;
    let (mut friction, mut rise) = ([0.0; 2], 0.0f64);
    for (f, deg) in friction.iter_mut().zip([45.0f64, 22.5]) {
        let flat = cube(0.05, 0.3, 0.0, SOLIMP)?;
        let (sin, cos) = deg.to_radians().sin_cos();
        let slide = Run::new(&flat, method, 0.4).trace(|_, x| (x.v[0], x.v[1]) = (2.0 * cos, 2.0 * sin))?;
        let speed = |t: f64| slide.v_at(t, 0).hypot(slide.v_at(t, 1));
        *f = (speed(0.1) - speed(0.4)) / (0.3 * 0.3 * G);
        rise = slide.q.iter().fold(rise, |most, q| most.max(q[2] - 0.05));
    }
    let pile = Run::new(&stack(5)?, method, 3.0).trace(|_, _| {})?;
    Ok(Effect {
        gain: gain(method)?,
        depth: 0.05 - fall.q_at(1.0, 2),
        restless: fastest(&fall, 0.2),
        impact: 0.05 - low,
        braked: braked(&near),
        creep: creep.v_at(2.0, 0).hypot(creep.v_at(2.0, 1)),
        friction,
        rise,
        stack: fastest(&pile, 0.1),
        fall: near.curve(500, |t, row| t.q[row][2] - 0.05),
    })
}

impl Page for Modes {
    fn id(&self) -> &'static str {
        "borse2026comfree/modes"
    }
    fn title(&self) -> &'static str {
        "Effects of the settings of the contact law"
    }
    fn lead(&self) -> &'static str {
        "One setting of ComFree's contact law is changed at a time, and its effect is measured on small scenes with cubes."
    }
    fn cost(&self) -> [f64; 3] {
        [1.1, 1.1, 1.1]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let law = DualCone::default();
        let one = |law: DualCone| Method::comfree_with(law, 1).with_step(0.002);
        let own = |study: Study| Method::own(study).with_step(0.002);
        let base = Study::default();
        let settings: Vec<(&str, Method)> = vec![
            ("one evaluation without memory", one(law)),
            ("no mass splitting, no cap", own(Study { split: false, cap: false, ..base })),
            ("no mass splitting, capped", own(Study { split: false, ..base })),
            ("no normalisation over facets, no cap", own(Study { normalize: false, cap: false, ..base })),
            ("no normalisation over facets, capped", own(Study { normalize: false, ..base })),
            ("mean mass (as in the release), capped", own(Study { mass: Some(MassScale::Mean), ..base })),
            ("trace as mass (equation (12)), capped", own(Study { mass: Some(MassScale::Trace), ..base })),
            ("all contacts share the mass", one(DualCone { acting: false, ..law })),
            ("opposite facets not balanced", own(Study { balanced: false, ..base })),
            (
                "physical gains, κ = 1000/s², c = 20/s",
                one(DualCone { gains: Gains::Physical { kappa: 1e3, c: 20.0 }, ..law }),
            ),
            ("K and D of the contact's material", one(DualCone { gains: Gains::Material, ..law })),
            ("4 directions", one(DualCone { directions: 4, ..law })),
            ("16 directions", one(DualCone { directions: 16, ..law })),
            ("smooth maximum, 1 mm/s", one(DualCone { smoothing: 1e-3, ..law })),
            ("no ballistic gaps", own(Study { ballistic: false, ..base })),
            ("memory", own(Study { memory: 1.0, ..base })),
            ("memory, sweeps until settled (projected Gauss–Seidel)", Method::comfree().with_step(0.002)),
            (
                "memory, settled sweeps, friction of the dual cone at any slip",
                Method::comfree_with(
                    DualCone { coulomb_slip: None, ..DualCone::remembering(1.0) },
                    Sweeps::default(),
                )
                .with_step(0.002),
            ),
            (
                "ComFree (trace), k = 0.2, d = 0.001",
                Method::comfree_paper(0.2, 0.001, MassScale::Trace).with_step(0.002),
            ),
        ];
        let mut table = Table::new(
            "Effect of each setting: a cube of 1 kg is dropped from 0.1 m, rests on a slope of 10° and slides with μ = 0.3, and a stack of five \
             cubes stands. The time step is h = 2 ms.",
            &[
                "setting",
                "λ_max of the stack",
                "depth at rest [mm]",
                "largest speed at rest [m/s]",
                "largest depth of the impact [mm]",
                "creep speed on the slope [mm/s]",
                "friction over μ f_n at 45°",
                "friction over μ f_n at 22.5°",
                "rise while sliding [mm]",
                "largest speed of the stack after 3 s [m/s]",
            ],
        );
        let mut plot = Plot::new(
            "fall",
            "Height of the lower face of the dropped cube. The contact pair exists from a distance of 2 cm on.",
            "time [s]",
            "height [m]",
        );
        // Room for the legend above the curves.
        plot.y_range = Some([-0.025, 0.06]);
        let mut effects = Vec::new();
        for (name, method) in &settings {
            ctx.say(*name);
            let e = effect(method)?;
            table.row([
                (*name).to_owned(),
                format!("{:.3}", e.gain),
                number(1e3 * e.depth),
                format!("{:.1e}", e.restless),
                format!("{:.3}", 1e3 * e.impact),
                number(1e3 * e.creep),
                format!("{:.3}", e.friction[0]),
                format!("{:.3}", e.friction[1]),
                format!("{:.3}", 1e3 * e.rise),
                format!("{:.1e}", e.stack),
            ]);
            if effects.is_empty()
                || ["no ballistic", "ComFree (trace)", "memory, sweeps"].iter().any(|n| name.starts_with(n))
            {
                plot.add(
                    name,
                    Mark::Line,
                    e.fall.iter().copied().filter(|p| p.0 > 0.12 && p.0 < 0.4).collect(),
                );
            }
            effects.push(e);
        }
        let at = |name: &str| {
            let found = settings.iter().position(|s| s.0.starts_with(name));
            debug_assert!(found.is_some(), "no setting begins with {name}");
            found.unwrap_or(0)
        };
        let of = |name: &str| &effects[at(name)];
        let mut claims = Vec::new();
        for name in [
            "one evaluation",
            "no mass splitting, capped",
            "no normalisation over facets, capped",
            "mean mass",
            "trace as mass",
            "all contacts share",
            "opposite facets",
            "physical gains",
            "K and D",
            "4 directions",
            "16 directions",
            "smooth",
            "memory",
        ] {
            claims.push(
                Claim::at_most(
                    &format!("gain/{}", name.replace([' ', ','], "_")),
                    &format!(
                        "largest eigenvalue λ_max of the stack with the setting: {}",
                        settings[at(name)].0
                    ),
                    1.0 + 1e-9,
                    of(name).gain,
                    "",
                )
                .rule("at most 1, apart from round-off"),
            );
        }
        claims.push(Claim::at_least(
            "gain/none",
            "largest eigenvalue λ_max of the stack exceeds the bound without mass splitting and without the cap",
            1.0,
            of("no mass splitting, no cap").gain,
            "",
        )
        .rule("at least 1, the bound that mass splitting and the cap keep"));
        for (name, i, expected) in
            [("4 directions", 0, std::f64::consts::FRAC_1_SQRT_2), ("16 directions", 1, 1.0)]
        {
            claims.push(
                Claim::relative(
                    &format!("friction/{}", name.replace(' ', "_")),
                    &format!("{name}: ratio of friction to μ f_n for a slide at {}°", [45.0, 22.5][i]),
                    expected,
                    of(name).friction[i],
                    0.01,
                    "",
                )
                .because("With a single evaluation the forces of the facets that push the cube do not drop to zero at once."),
            );
        }
        claims.push(Claim::at_most(
            "ballistic",
            "ratio of the impact depth with ballistic gaps to that without",
            1.0,
            of("one evaluation").impact / of("no ballistic").impact,
            "",
        )
        .required_since("Ballistic gaps may not deepen an impact.")
        .because("Without ballistic gaps the law brakes from φ < (δt + d/k)|u| on. A body that reaches this zone between two steps is slowed once \
            before it touches. One evaluation takes away only a part of the approach speed, so that one more step of approach counts. The impact is \
            8 µm deep with more evaluations (projected Gauss–Seidel)."));
        for (name, setting) in [("with", "one evaluation"), ("without", "no ballistic")] {
            let claim = format!("loss of falling speed while the gap is open, {name} ballistic gaps");
            let lost = of(setting).braked;
            claims.push(if name == "with" {
                Claim::at_most("braked/ballistic", &claim, 2e-13, lost, "m/s")
                    .rule("at most 2e-13, which means no loss. The round-off of 70 steps of fall to 1.4 m/s is 2e-14.")
            } else {
                Claim::at_least("braked/paper", &claim, 0.05, lost, "m/s")
                    .rule("at least a thirtieth of 1.4 m/s, because the law of the paper acts at a distance")
            });
        }
        let rise = "largest rise of a cube that slides at 2 m/s with μ = 0.3";
        claims.push(
            Claim::at_most(
                "rise/default",
                &format!("projected Gauss–Seidel: {rise}"),
                1e-5,
                of("memory, sweeps").rise,
                "m",
            )
            .required_since("fifty times the residual distance of 0.2 µm that the sweeps allow in a step (1e-4 m/s × 2 ms)"),
        );
        claims.push(
            Claim::between(
                "rise/dual_cone",
                &format!("projected Gauss–Seidel with the friction of the dual cone: {rise}"),
                [1e-3, 0.6 * 0.6 / (2.0 * G)],
                of("memory, settled").rise,
                "m",
            )
            .required_since("so that the rise is visible, and at most (μ v)²/2g"),
        );
        claims.push(
            Claim::at_most(
                "creep/memory",
                "creep speed with memory and sweeps on a slope of 10°",
                1e-12,
                of("memory, sweeps").creep,
                "m/s",
            )
            .rule("at most 1e-12. Remembered impulses reduce the creep to round-off, N ε g h = 4e-15 m/s over 1000 steps."),
        );
        claims.push(
            Claim::at_most(
                "stack/default",
                "projected Gauss–Seidel: largest speed in a stack of five cubes at rest",
                1e-4,
                of("memory, sweeps").stack,
                "m/s",
            )
            .rule("at most 0.1 mm/s, the largest residual at which the sweeps may end")
            .because(
                "The slowest modes of the stack still decay after 3 s. \
            The stack stands, and its kinetic energy is below 1e-12 J after 6 s.",
            ),
        );
        let mut out = PageOutput::new([
            "The first row of the table is a single evaluation of the default law without memory. Most of the other rows change one setting of the \
             first row. The last rows are projected Gauss–Seidel, projected Gauss–Seidel with the friction of the dual cone at any slip, and \
             ComFree (trace), the law of the paper with gains relative to the trace of equation (12).",
            "The loss of speed before contact is measured with contact pairs that exist from a distance of 2 cm on (`gap`).",
            "λ_max is the largest eigenvalue of A⁻¹∇²Ψ for five cubes that are pressed together. A is the inertia and Ψ is the potential of the \
             contacts. λ_max is at most 1 by mass splitting or by the cap on the gains.",
            "Mass splitting shares the mass of a body among its contacts. Memory means that contacts start a step with the impulses of the last \
             step. With ballistic gaps an open gap may close within a step at any speed.",
        ]);
        out.plot(plot);
        out.extend(claims);
        out.table(table);
        Ok(out)
    }
}
