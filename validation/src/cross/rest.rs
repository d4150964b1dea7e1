use signorini_core::{AcceptedStep, StepObserver, System};

use super::failed;
use crate::motion::{Filmed, Motion};
use crate::scenes::Heap;
use signorini_comfree::Sweeps;
use signorini_report::{Budget, Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};
use signorini_run::Method;

/// Heaps come to rest: no jitter, no sleeping, no damping added.
pub(super) struct Rest;

/// Deepest overlap at the end \[mm\].
const DEEP: f64 = 0.5;
/// Kinetic energy per mass below which a heap counts as at rest \[J/kg\].
const STILL: f64 = 1e-6;
/// Time by which it has to be \[s\].
const TIME: f64 = 5.0;
/// Interval at which the energy is looked at \[s\].
const SAMPLE: f64 = 0.1;
/// Part of a run that the page shows \[s\].
const FILMED: f64 = 2.0;

/// A bound and its derivation, and whether this project chose it.
struct Bound {
    most: f64,
    why: &'static str,
    own: bool,
}

impl Bound {
    fn derived(most: f64, why: &'static str) -> Self {
        Self { most, why, own: false }
    }

    fn own(most: f64, why: &'static str) -> Self {
        Self { most, why, own: true }
    }

    /// The claim that a number keeps it.
    fn claim(&self, id: &str, text: &str, measured: f64, unit: &str) -> Claim {
        let claim = Claim::at_most(id, text, self.most, measured, unit).rule(self.why);
        if self.own { claim.required() } else { claim }
    }
}

/// Kinetic energy per mass of a heap after [`TIME`] \[J/kg\].
fn still(heap: Heap, solver: &str, dt: f64) -> Bound {
    let of = |speed: f64| 0.5 * speed * speed;
    match (heap, solver) {
        (Heap::Cube, "icf") => {
            Bound::derived(of(1e-8), "at most ½ v² at 1e-8 m/s, the tolerance of the solver")
        }
        (Heap::Cube, _) => Bound::own(
            of(faded(dt)),
            "at most ½ v² at 1 mm/s, halved every 75 steps, or a hundred roundings. The motion after the impact decays at a constant \
                rate per step.",
        ),
        (Heap::Stack(_), _) => Bound::own(
            STILL,
            "at most 1e-6, the energy of 1.4 mm/s. Steps whose sweeps end before the contacts have settled jolt a stack now and then.",
        ),
        (Heap::Bin, _) => Bound::own(
            of(0.005 * 9.81 * dt),
            "at most ½ v² at half a percent of the speed that gravity gives in a step",
        ),
    }
}

/// Deepest overlap at the end \[mm\].
fn deepest(heap: Heap, solver: &str, dt: f64) -> Bound {
    match (heap, solver) {
        (Heap::Cube, "icf") => Bound::derived(
            1.1e3 * 9.81 / 8e5,
            "at most m g over four springs of 2e5 N/m, which is 12.3 µm, plus a tenth of it",
        ),
        (Heap::Cube, "comfree_1") => Bound::own(
            f64::max(1e3 * dt * faded(dt), 1e-12),
            "at most the distance in one step at the speed of the claim on the kinetic energy, or a hundred roundings of the height",
        ),
        (Heap::Cube, _) => Bound::derived(
            1e3 * 1e-4 * dt,
            "at most 1e-4 m/s × δt, the residual distance that the sweeps allow in a step",
        ),
        (Heap::Bin, _) if dt < 5e-3 => Bound::own(
            1e-3,
            "at most 1 µm, five times the residual distance that the sweeps allow in a step, because 64 sweeps do not always reach \
                this residual",
        ),
        _ => Bound::own(
            DEEP,
            "at most half a millimetre. 64 sweeps in a time step of 10 ms do not fully balance the weight of a heap.",
        ),
    }
}

/// 1 mm/s, halved every 75 steps, down to a hundred roundings of the speed that gravity gives in all steps \[m/s\]. A requirement: the slowest cube halves it every 30.
fn faded(dt: f64) -> f64 {
    f64::max(1e-3 * 0.5f64.powf(TIME / dt / 75.0), 100.0 * f64::EPSILON * 9.81 * TIME)
}

/// One run: the kinetic energy per mass over time, the largest penetration depth at the end and on the way \[m\], the part of steps that did not converge, the height of the centre of mass \[m\], the time per
/// step \[s\].
struct Outcome {
    curve: Vec<(f64, f64)>,
    deepest: f64,
    on_the_way: f64,
    unconverged: f64,
    height: f64,
    step_s: f64,
}

/// Deepest overlap at the start of any step \[m\].
struct Deepest(f64);

impl StepObserver for Deepest {
    fn accepted(&mut self, step: &AcceptedStep<'_>) {
        self.0 = step.last.contacts.iter().fold(self.0, |d, c| d.max(-c.gap));
    }
}

/// A run of a heap, with a film of its start where one is asked for.
fn settle(heap: Heap, method: &Method, motion: Option<&mut Motion>) -> Result<Outcome, PageError> {
    let scene = heap.scene();
    let mut sys = method.system(&scene).map_err(failed)?;
    let mut integrator = method.integrator().map_err(failed)?;
    let mut x = sys.initial_state(None).map_err(failed)?;
    let mass = sys.model().total_mass();
    let weight = mass * sys.model().gravity.norm();
    let (mut curve, mut steps, mut unconverged, mut wall) = (Vec::new(), 0, 0, 0.0);
    let mut way = Deepest(0.0);
    let mut observer = Filmed { observer: &mut way, motion };
    for i in 1..=(TIME / SAMPLE).round() as u32 {
        let started = std::time::Instant::now();
        let until = SAMPLE * f64::from(i);
        let report = integrator.advance(&mut sys, &mut x, until, &mut observer).map_err(failed)?;
        wall += started.elapsed().as_secs_f64();
        steps += report.steps;
        unconverged += report.unconverged;
        curve.push((x.t, sys.energy(&x).kinetic / mass));
    }
    let deepest = sys.deepest_penetration(&x).map_err(failed)?.map_or(0.0, |p| p.depth);
    let height = sys.energy(&x).potential / weight;
    let (steps, unconverged) = (steps as f64, unconverged as f64);
    let (on_the_way, unconverged) = (way.0, unconverged / steps);
    Ok(Outcome { curve, deepest, on_the_way, unconverged, height, step_s: wall / steps })
}

impl Page for Rest {
    fn id(&self) -> &'static str {
        "cross/rest"
    }
    fn title(&self) -> &'static str {
        "Heaps at rest"
    }
    fn lead(&self) -> &'static str {
        "A cube, a stack and a bin full of bodies come to rest, and their kinetic energy and penetration depth are measured."
    }
    fn cost(&self) -> [f64; 3] {
        [9.0, 25.0, 25.0]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let comfree = |dt: f64, sweeps: Sweeps| Method::comfree_sweeping(sweeps).with_step(dt);
        let mut plot = Plot::new(
            "energy",
            "Kinetic energy per mass of the bodies in the bin, sampled every 0.1 s.",
            "time [s]",
            "kinetic energy per mass [J/kg]",
        )
        .log(false, true);
        let mut table = Table::new(
            "State of the heaps after 5 s",
            &[
                "heap",
                "time step [ms]",
                "method",
                "kinetic energy per mass [J/kg]",
                "largest in the last second [J/kg]",
                "largest penetration depth at the end [mm]",
                "largest penetration depth during the run [mm]",
                "steps not converged [%]",
                "height of the centre of mass [m]",
                "time per step [µs]",
            ],
        );
        let mut claims = Vec::new();
        let mut film: Option<Motion> = None;
        for heap in [Heap::Cube, Heap::Stack(10), Heap::Bin] {
            for dt in [2e-3, 1e-2] {
                let methods = [
                    ("ComFree, one evaluation", "comfree_1", comfree(dt, Sweeps::exactly(1))),
                    ("projected Gauss–Seidel", "comfree", comfree(dt, Sweeps::default())),
                    ("ICF", "icf", Method::icf().with_step(dt)),
                ];
                for (name, id, method) in methods {
                    // The longest runs: a bin in short steps.
                    if ctx.budget == Budget::Quick && heap == Heap::Bin && dt < 5e-3 {
                        if id == "comfree" {
                            let key = format!("bin/{id}/{}ms", 1e3 * dt);
                            let text = format!("{} at {} ms with {name}", heap.name(), 1e3 * dt);
                            claims.push(Claim::skipped(&key, &text, "it runs with larger sizes"));
                        }
                        continue;
                    }
                    ctx.say(format!("{}, {dt} s, {name}", heap.name()));
                    let filmed = heap == Heap::Bin && id == "comfree" && dt > 5e-3;
                    let motion = || Motion::new(&heap.scene(), &method, FILMED);
                    let mut motion = filmed.then(motion).transpose()?;
                    let o = settle(heap, &method, motion.as_mut())?;
                    film = film.or(motion);
                    let last = o.curve.last().map_or(f64::NAN, |p| p.1);
                    let late = o.curve.iter().filter(|p| p.0 > TIME - 1.0).map(|p| p.1).fold(0.0, f64::max);
                    table.row([
                        heap.name(),
                        format!("{}", 1e3 * dt),
                        name.into(),
                        format!("{last:.1e}"),
                        format!("{late:.1e}"),
                        format!("{:.3}", 1e3 * o.deepest),
                        format!("{:.2}", 1e3 * o.on_the_way),
                        format!("{:.1}", 1e2 * o.unconverged),
                        format!("{:.3}", o.height),
                        format!("{:.0}", 1e6 * o.step_s),
                    ]);
                    if heap == Heap::Bin {
                        let curve = o.curve.iter().map(|p| (p.0, p.1.max(1e-16))).collect();
                        plot.add(&format!("{name}, {} ms", 1e3 * dt), Mark::Line, curve);
                    }
                    // A single evaluation is shown, not promised, for heaps.
                    if id == "comfree" || heap == Heap::Cube {
                        let key = match heap {
                            Heap::Cube => "cube",
                            Heap::Stack(_) => "stack",
                            Heap::Bin => "bin",
                        };
                        let text = format!(
                            "{} at {} ms with {name}: kinetic energy per mass after 5 s",
                            heap.name(),
                            1e3 * dt
                        );
                        let (still, deepest) = (still(heap, id, dt), deepest(heap, id, dt));
                        let id = format!("{key}/{id}/{}ms", 1e3 * dt);
                        claims.push(still.claim(&id, &text, last, "J/kg"));
                        let place = format!("{} at {} ms with {name}", heap.name(), 1e3 * dt);
                        match heap {
                            // Ten cubes of 10 cm.
                            Heap::Stack(_) => claims.push(
                                Claim::between(
                                    &format!("{id}/stands"),
                                    &format!(
                                        "{place}: the stack stands, by the height of its centre of mass"
                                    ),
                                    [0.495, 0.505],
                                    o.height,
                                    "m",
                                )
                                .required_since("a hundredth of the height of the stack at rest, 0.5 m"),
                            ),
                            _ => {
                                let text = format!("{place}: largest penetration depth at the end");
                                claims.push(deepest.claim(
                                    &format!("{id}/depth"),
                                    &text,
                                    1e3 * o.deepest,
                                    "mm",
                                ));
                            }
                        }
                    }
                }
            }
        }
        let mut out = PageOutput::new([
            "The heaps are a single cube, a stack of ten cubes and a bin with bodies. No method lets bodies sleep, and none adds damping.",
            "ComFree with one evaluation and projected Gauss–Seidel have one contact law. Its facets remember their impulses from step to step, and \
             its gains are capped automatically: the mass of a kinematic tree is shared by its contacts. Contacts have six dimensions with \
             torsional and rolling friction (condim 6), and the rolling friction coefficient is 5 mm.",
            "One evaluation per step moves an impulse by one body. A falling stack of ten cubes therefore topples under few evaluations and comes \
             to rest as a layer. Projected Gauss–Seidel sweeps until the contacts have settled, at most 64 times. It holds the stack up and brings \
             it to rest.",
            "ICF solves the contacts of a step together and is shown for comparison. Its contacts have three dimensions (condim 3).",
            "A body that tumbles at 2 m/s moves 2 cm in a time step of 10 ms and turns. The overlaps during the run are of this size under any \
             solver that uses the contacts of the start of a step.",
        ]);
        if let Some(film) = film {
            let caption = format!(
                "The first {FILMED} s of the bin: 125 bodies fall (projected Gauss–Seidel, time steps of 10 ms)"
            );
            out.film(film.attachment("bin"), caption);
        }
        out.plot(plot);
        out.extend(claims);
        out.table(table);
        Ok(out)
    }
}
