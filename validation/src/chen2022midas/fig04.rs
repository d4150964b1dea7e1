use signorini_core::na::Vector3;
use signorini_ipc::{AffineSystem, IpcOptions};

use super::gripper::{Gripper, carry, press};
use super::scenes::{G, Settings, Track, at, block, seen};
use crate::kurtz2025cenic::slope;
use signorini_report::claim::number;
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot};

/// The least force that lifts a cube.
pub(super) struct Fig04;

const HALF: f64 = 0.02;
const LIFT: f64 = 0.01;
const DT: f64 = 5e-3;
/// Steps on the table, and on the way up.
const STEPS: [usize; 2] = [20, 80];
/// Bounds between which the least force is sought, as parts of m g/(2 μ).
const RANGE: [f64; 2] = [0.95, 1.05];
/// Halvings of that range: to 0.1 % of the force.
const HALVINGS: u32 = 7;

struct Case {
    density: f64,
    mu: f64,
}

fn settings(mass: f64) -> Settings {
    let options = IpcOptions { friction_passes: 20, ..IpcOptions::default() };
    // Each of four vertices carries its part of the weight at d̂/2, where the cube starts.
    Settings { dt: DT, tolerance: 1e-6, options: options.carrying(0.25 * mass * G) }
}

impl Case {
    fn mass(&self) -> f64 {
        self.density * (2.0 * HALF).powi(3)
    }

    fn closed_form(&self) -> f64 {
        0.5 * self.mass() * G / self.mu
    }

    /// Grips a cube on a table, lifts it; whether it goes up with the jaws at the end.
    fn lift(&self, force: f64) -> Result<(bool, Track), PageError> {
        let settings = settings(self.mass());
        let gap = 0.5 * settings.options.range;
        let gripper = Gripper {
            // To the side, so that diagonals of faces, which are edges too, stay apart from corners of the cube while it slides by millimetres.
            center: Vector3::new(0.0, 8e-3, 0.0),
            closing: Vector3::x(),
            opening: HALF + gap,
            jaw: [0.01, 0.03, 0.03],
            palm: Vector3::new(0.0, 0.0, 0.1),
            friction: self.mu,
        };
        let (mut bodies, rails, excluded) = gripper.make(0)?;
        bodies.push((block("cube", [HALF; 3], self.density, self.mu)?, at(0.0, 0.0, 0.0)));
        // Below the jaws, and narrower than the room between them would need.
        let table = block("table", [0.015, 0.015, 0.02], 1000.0, 0.0)?.held();
        bodies.push((table, at(2e-3, 1e-3, -HALF - gap - 0.02)));
        let excluded = [excluded[0], [1, 4], [2, 4]];
        let system = AffineSystem::articulated(bodies, &rails, &excluded, settings.options)
            .map_err(PageError::from_error)?;
        let mut track = Track::new(system, &settings);
        press(&mut track, force)?;
        track.run(STEPS[0], |_| ())?;
        carry(&mut track, 0, LIFT * Vector3::z())?;
        track.run(STEPS[1], |_| ())?;
        let held = LIFT - track.velocity(3).z < settings.options.stiction_speed;
        Ok((held, track))
    }

    /// The least force \[N\], by halving.
    fn least(&self) -> Result<(f64, Track), PageError> {
        let [mut low, mut high] = RANGE.map(|part| part * self.closed_form());
        let mut last = None;
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            let (held, track) = self.lift(middle)?;
            if held {
                high = middle
            } else {
                low = middle
            }
            last = Some(track);
        }
        let track = last.ok_or_else(|| PageError::Run("no force was tried".into()))?;
        Ok((0.5 * (low + high), track))
    }
}

impl Page for Fig04 {
    fn id(&self) -> &'static str {
        "chen2022midas/fig04"
    }
    fn title(&self) -> &'static str {
        "Grip force of a cube against its mass and friction coefficient"
    }
    fn lead(&self) -> &'static str {
        "The smallest force at which a gripper lifts a cube grows with the mass and falls with the friction coefficient."
    }
    fn cost(&self) -> [f64; 3] {
        [4.0, 4.0, 20.0]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let densities: &[f64] = if ctx.full() {
            &[250.0, 500.0, 1000.0, 2000.0, 4000.0, 8000.0]
        } else {
            &[500.0, 1000.0, 2000.0, 4000.0]
        };
        let coefficients: &[f64] =
            if ctx.full() { &[0.1, 0.125, 0.25, 0.4, 0.5, 0.8, 1.0] } else { &[0.125, 0.25, 0.5, 1.0] };
        let mut table = seen(
            "Smallest force of each jaw that lifts the cube. The columns from the smallest distance on belong to the last lift of each search.",
            &["mass [kg]", "μ [–]", "m g/(2 μ) [N]", "smallest force [N]"],
        );
        let mut claims = Vec::new();
        let mut film = None;
        let mut measure = |case: &Case| -> Result<f64, PageError> {
            ctx.say(format!("{} kg, μ = {}", number(case.mass()), case.mu));
            let (force, track) = case.least()?;
            let what = format!("{} kg, μ = {}", number(case.mass()), case.mu);
            film.get_or_insert_with(|| (track.film.attachment("lift"), what.clone()));
            let cells = [case.mass(), case.mu, case.closed_form(), force].map(number);
            table.row(cells.into_iter().chain(track.cells()));
            let id = format!("density{}_mu{}", case.density, case.mu);
            claims.push(Claim::relative(
                &id,
                &format!("{what}: smallest lifting force of each jaw, compared with m g/(2 μ)"),
                case.closed_form(),
                force,
                0.02,
                "N",
            ));
            claims.push(track.claim(&format!("{id}/intact"), &what));
            Ok(force)
        };
        let mut by_mass = Vec::new();
        for density in densities {
            let case = Case { density: *density, mu: 0.5 };
            by_mass.push((case.mass(), measure(&case)?));
        }
        let mut by_friction = Vec::new();
        for mu in coefficients {
            let case = Case { density: 1000.0, mu: *mu };
            // Measured above.
            let known = by_mass.iter().find(|p| *mu == 0.5 && (p.0 - case.mass()).abs() < 1e-12).map(|p| p.1);
            let force = match known {
                Some(force) => force,
                None => measure(&case)?,
            };
            by_friction.push((*mu, force));
        }
        let exponents = [
            ("mass_exponent", "mass", 1.0, &by_mass, "1 (proportional)"),
            (
                "friction_exponent",
                "friction coefficient",
                -1.0,
                &by_friction,
                "−1 (half of it doubles the force)",
            ),
        ];
        claims.extend(exponents.map(|(id, of, exponent, points, paper)| {
            let claim = format!("exponent of the smallest lifting force over the {of}, a fit in logarithms");
            // Forces to 2 % over a factor of eight change a slope by 0.02/ln 8.
            Claim::near(id, &claim, exponent, slope(points), 0.01, "")
                .rule("within 0.01, the change of the slope by errors of 2 % over a factor of eight")
                .published(paper)
        }));
        let line = |points: &[(f64, f64)], f: &dyn Fn(f64) -> f64| -> Vec<(f64, f64)> {
            let ends = [points[0].0, points[points.len() - 1].0];
            (0..=40).map(|i| ends[0] + (ends[1] - ends[0]) * f64::from(i) / 40.0).map(|x| (x, f(x))).collect()
        };
        let mass = Case { density: 1000.0, mu: 0.5 }.mass();
        let mut first = Plot::new(
            "mass",
            "Smallest lifting force of each jaw against the mass of the cube (μ = 0.5)",
            "mass [kg]",
            "force [N]",
        );
        first.add("simulation", Mark::Points, by_mass.clone());
        first.add_closed_form(line(&by_mass, &|m| m * G));
        let mut second = Plot::new(
            "friction",
            "Smallest lifting force of each jaw against the friction coefficient (0.064 kg)",
            "friction coefficient μ [–]",
            "force [N]",
        )
        .log(true, true);
        second.add("simulation", Mark::Points, by_friction.clone());
        second.add_closed_form(line(&by_friction, &|mu| 0.5 * mass * G / mu));
        let mut out = PageOutput::new([
            format!(
                "A cube of {} m stands on a table. Two jaws on rails of a palm press against the cube with a constant force for {} s. \
                 The palm then moves up at {LIFT} m/s, as in the paper, for {} s. \
                 The cube is held if its speed at the end agrees with the palm to within ε_v = 1 mm/s. A cube that is lost stays on the table. \
                 The smallest force is found by bisection between {} and {} m g/(2 μ) in {HALVINGS} steps. \
                 Masses, friction coefficients and all settings are chosen here. The paper shows a line.",
                2.0 * HALF,
                STEPS[0] as f64 * DT,
                STEPS[1] as f64 * DT,
                RANGE[0],
                RANGE[1]
            ),
            format!(
                "The settings at 0.064 kg are {}. At other masses κ is proportional to the mass, so that a vertex carries a quarter of the weight at d̂/2. \
                 The jaws have 0.02 × 0.06 × 0.06 m and the friction coefficient of the cube. The table has no friction.",
                settings(mass).sentence()
            ),
        ]);
        if let Some((film, what)) = film {
            out.film(film, format!("The last lift of a search: {what}, close to the smallest lifting force"));
        }
        out.plot(first);
        out.plot(second);
        out.table(table);
        out.extend(claims);
        Ok(out)
    }
}
