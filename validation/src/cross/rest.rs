use signorini_core::{AcceptedStep, StepObserver, System};

use super::failed;
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

/// A bound and its derivation.
struct Bound {
    most: f64,
    why: &'static str,
}

/// Kinetic energy per mass of a heap after [`TIME`] \[J/kg\].
fn still(heap: Heap, solver: &str, dt: f64) -> Bound {
    let of = |speed: f64| 0.5 * speed * speed;
    match (heap, solver) {
        (Heap::Cube, "icf") => Bound { most: of(1e-8), why: "½ v² at 1e-8 m/s, the solver's tolerance" },
        (Heap::Cube, _) => Bound {
            most: of(faded(dt)),
            why: "required: ½ v² at 1 mm/s, halved every 75 steps, or a hundred roundings: the rest of the impact decays at a constant rate per step",
        },
        (Heap::Stack(_), _) => Bound {
            most: STILL,
            why: "required: at most 1e-6, 1.4 mm/s: steps that end unsettled jolt a stack now and then",
        },
        (Heap::Bin, _) => Bound {
            most: of(0.005 * 9.81 * dt),
            why: "required: ½ v² at half a percent of the speed that gravity gives in a step",
        },
    }
}

/// Deepest overlap at the end \[mm\].
fn deepest(heap: Heap, solver: &str, dt: f64) -> Bound {
    match (heap, solver) {
        (Heap::Cube, "icf") => Bound {
            most: 1.1e3 * 9.81 / 8e5,
            why: "m g over four springs of 2e5 N/m, 12.3 µm, and a tenth of it",
        },
        (Heap::Cube, "comfree_1") => Bound {
            most: f64::max(1e3 * dt * faded(dt), 1e-12),
            why: "required: the speed of the claim on energy, for a step, or a hundred roundings of the height",
        },
        (Heap::Cube, _) => Bound {
            most: 1e3 * 1e-4 * dt,
            why: "the residual that sweeps may leave in a step, 1e-4 m/s × δt",
        },
        (Heap::Bin, _) if dt < 5e-3 => Bound {
            most: 1e-3,
            why: "required: at most 1 µm, five times what sweeps may leave open in a step, where 64 do not end it",
        },
        _ => Bound {
            most: DEEP,
            why: "required: at most half a millimetre: 64 sweeps of 10 ms do not end the weight of a heap",
        },
    }
}

/// 1 mm/s, halved every 75 steps, down to a hundred roundings of the speed that gravity gives in all steps \[m/s\]. A requirement: the slowest cube halves it every 30.
fn faded(dt: f64) -> f64 {
    f64::max(1e-3 * 0.5f64.powf(TIME / dt / 75.0), 100.0 * f64::EPSILON * 9.81 * TIME)
}

/// One run: the kinetic energy per mass over time, the deepest overlap at the end and on the way \[m\], the part of steps that did not converge, the height of the centre of mass \[m\], the time per
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

fn settle(heap: Heap, method: &Method) -> Result<Outcome, PageError> {
    let scene = heap.scene();
    let mut sys = method.system(&scene).map_err(failed)?;
    let mut integrator = method.integrator().map_err(failed)?;
    let mut x = sys.initial_state(None).map_err(failed)?;
    let mass = sys.model().total_mass();
    let weight = mass * sys.model().gravity.norm();
    let (mut curve, mut steps, mut unconverged, mut wall) = (Vec::new(), 0, 0, 0.0);
    let mut way = Deepest(0.0);
    for i in 1..=(TIME / SAMPLE).round() as u32 {
        let started = std::time::Instant::now();
        let report = integrator.advance(&mut sys, &mut x, SAMPLE * f64::from(i), &mut way).map_err(failed)?;
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
        "Heaps come to rest"
    }
    fn lead(&self) -> &'static str {
        "Heaps of bodies come to rest: speed, depth and energy after they have settled."
    }
    fn cost(&self) -> [f64; 3] {
        [9.0, 25.0, 25.0]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let comfree = |dt: f64, sweeps: Sweeps| Method::comfree_sweeping(sweeps).with_step(dt);
        let mut plot = Plot::new(
            "energy",
            "Kinetic energy per mass of the bin, sampled every 0.1 s.",
            "time [s]",
            "kinetic energy [J/kg]",
        )
        .log(false, true);
        let mut table = Table::new(
            "After 5 s",
            &[
                "heap",
                "step [ms]",
                "solver",
                "kinetic [J/kg]",
                "most of the last second [J/kg]",
                "deepest overlap [mm]",
                "on the way [mm]",
                "steps not converged [%]",
                "centre of mass [m]",
                "time per step [µs]",
            ],
        );
        let mut claims = Vec::new();
        for heap in [Heap::Cube, Heap::Stack(10), Heap::Bin] {
            for dt in [2e-3, 1e-2] {
                let methods = [
                    ("ComFree, one evaluation", "comfree_1", comfree(dt, Sweeps::exactly(1))),
                    ("projected Gauss–Seidel", "comfree", comfree(dt, Sweeps::default())),
                    ("icf", "icf", Method::icf().with_step(dt)),
                ];
                for (name, id, method) in methods {
                    // The longest runs: a bin in short steps.
                    if ctx.budget == Budget::Quick && heap == Heap::Bin && dt < 5e-3 {
                        if id == "comfree" {
                            let key = format!("bin/{id}/{}ms", 1e3 * dt);
                            let text = format!("{} at {} ms under {name}", heap.name(), 1e3 * dt);
                            claims.push(Claim::skipped(&key, &text, "runs with larger sizes"));
                        }
                        continue;
                    }
                    ctx.say(format!("{}, {dt} s, {name}", heap.name()));
                    let o = settle(heap, &method)?;
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
                            "{} at {} ms under {name}: kinetic energy after 5 s",
                            heap.name(),
                            1e3 * dt
                        );
                        let (still, deepest) = (still(heap, id, dt), deepest(heap, id, dt));
                        let id = format!("{key}/{id}/{}ms", 1e3 * dt);
                        claims.push(Claim::at_most(&id, &text, still.most, last, "J/kg").rule(still.why));
                        let place = format!("{} at {} ms under {name}", heap.name(), 1e3 * dt);
                        match heap {
                            // Ten cubes of 10 cm.
                            Heap::Stack(_) => claims.push(
                                Claim::between(
                                    &format!("{id}/stands"),
                                    &format!("{place}: it stands, height of its centre of mass"),
                                    [0.495, 0.505],
                                    o.height,
                                    "m",
                                )
                                .required(),
                            ),
                            _ => claims.push(
                                Claim::at_most(
                                    &format!("{id}/depth"),
                                    &format!("{place}: deepest overlap at the end"),
                                    deepest.most,
                                    1e3 * o.deepest,
                                    "mm",
                                )
                                .rule(deepest.why),
                            ),
                        }
                    }
                }
            }
        }
        let mut out = PageOutput::new([
            "ComFree with facets that remember their force from step to step and the automatic gain cap (masses shared within a tree), condim 6, rolling coefficient 5 mm: no \
             sleeping, no damping added. One evaluation per step moves an impulse by one body, so a falling stack of ten cubes topples under few evaluations and \
             comes to rest as a layer; default mode takes as many as settle contacts (at most 64), holds it up and brings it to rest. A body that tumbles at 2 m/s moves 2 cm in a step of 10 ms and turns: overlaps on the way are of that size under any solver with the contacts of the start of a step. ICF, which solves the contacts of a step together, beside it (condim 3).",
        ]);
        out.plot(plot);
        out.extend(claims);
        out.table(table);
        Ok(out)
    }
}
