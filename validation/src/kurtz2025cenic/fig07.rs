use signorini_report::claim::number;
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};
use signorini_run::Method;
use signorini_run::names::law;

use super::area_record::AreaRecord;
use super::failed;
use crate::path::Path;
use crate::scenes::areas::held_peg;

/// Fig. 7: friction that holds a peg under several integrators.
pub(super) struct Fig07;

/// Length of a run and the time after which the peg is at rest \[s\].
const TIME: [f64; 2] = [2.0, 1.0];
/// Stiction speed of the file \[m/s\].
const STICTION: f64 = 1e-4;
/// Largest swing of the speed at rest \[m/s\].
const SWING: f64 = 0.05 * STICTION;
/// Reason for which the creep of paper mode changes with the step.
const SOFT: &str = "Friction of the paper is regularised by max(v_s, μ σ_R w δt f), which is larger than v_s in long steps. The creep grows with the step and changes with it.";
/// Setting of the recorded runs.
const SETTING: f64 = 1e-3;

/// Largest size and swing of a speed from a time on \[m/s\].
fn at_rest(speeds: impl Iterator<Item = (f64, f64)>) -> [f64; 2] {
    let late = speeds.filter(|(t, _)| *t >= TIME[1]).map(|(_, v)| v);
    let (low, high) = late.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
    [low.abs().max(high.abs()), high - low]
}

impl Page for Fig07 {
    fn id(&self) -> &'static str {
        "kurtz2025cenic/fig07"
    }
    fn title(&self) -> &'static str {
        "Friction that holds a peg, by integrator"
    }
    fn lead(&self) -> &'static str {
        "A gripper holds a peg by friction over areas. The speed at which the peg slides tells an integrator whose friction oscillates."
    }
    fn cost(&self) -> [f64; 3] {
        [1.0, 1.0, 1.0]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let record = AreaRecord::read(&ctx.root)?;
        let mut out = PageOutput::new([
            "The scene is the gripper of fig. 6b with a gap of 9.8 mm in place of 10 mm: friction holds the peg through the impact \
             (page cross/hydroelastic says why that of 10 mm lets it slip). The gripper falls along a rail, lands at 0.19 s and is at rest \
             from 1 s on. The speed is that of the peg along z relative to the fingers. Regularised friction leaves a creep below the stiction \
             speed of 1e-4 m/s.",
            &record.origin(),
        ]);
        let scene = held_peg(ctx)?;
        let mut methods: Vec<(String, String, Method)> = Vec::new();
        for accuracy in [1e-1, 1e-2, 1e-3, 1e-4] {
            let method = Method::cenic(accuracy);
            let paper = method.clone().in_paper_mode().map_err(failed)?;
            methods.push((format!("default/{accuracy:e}"), format!("CENIC, {accuracy:e}"), method));
            methods.push((format!("paper/{accuracy:e}"), format!("CENIC, {accuracy:e}, paper mode"), paper));
        }
        for dt in [1e-2, 1e-3] {
            for name in ["lagged", "similar"] {
                let method = Method::icf().with_law(law(name, false).map_err(failed)?).map_err(failed)?;
                let text = format!("ICF, {name}, steps of {} ms", 1e3 * dt);
                methods.push((format!("{name}/{dt:e}"), text, method.with_step(dt)));
            }
        }
        let mut table = Table::new(
            "Speed of the peg relative to the fingers at rest, from 1 s to 2 s",
            &["method", "steps", "largest speed [m/s]", "swing of the speed [m/s]"],
        );
        let mut late = Plot::new(
            "rest",
            "Speed at which the peg slides along the fingers at rest: friction without oscillation is a constant creep. Curves of Drake are recorded.",
            "time [s]",
            "size of the speed [m/s]",
        )
        .log(false, true);
        for (id, name, method) in &methods {
            ctx.say(name);
            let path = Path::run(&scene, method, TIME[0], false, |_| {})?;
            // Height and speed of the rail come first.
            let speed = |v: &[f64]| v[3] - v[0];
            let [largest, swing] = at_rest(path.t.iter().zip(&path.v).map(|(t, v)| (*t, speed(v))));
            table.row([name.clone(), path.report.steps.to_string(), number(largest), number(swing)]);
            out.claim(
                Claim::at_most(
                    &format!("swing/{id}"),
                    &format!("{name}: swing of the speed of a held peg at rest"),
                    SWING,
                    swing,
                    "m/s",
                )
                .required_since("a twentieth of the stiction speed")
                .because(if id.starts_with("paper") { SOFT } else { "" }),
            );
            if id == "default/1e-3" || id == "lagged/1e-3" {
                let curve = path.curve(|_, v| speed(v));
                late.add(name, Mark::Line, sizes(curve.into_iter()));
            }
        }
        for run in record.of("held").filter(|r| r.failed.is_none() && r.time >= 0.999 * TIME[0]) {
            if run.slide.is_empty() {
                continue;
            }
            let speeds = || run.slide.iter().copied();
            let [largest, swing] = at_rest(speeds());
            let setting = match run.is_stepper() {
                true => format!("{}, steps of {} ms", run.name(), 1e3 * run.setting),
                false => format!("{}, {:e}", run.name(), run.setting),
            };
            table.row([setting.clone(), run.steps.to_string(), number(largest), number(swing)]);
            if run.setting == SETTING {
                late.add(&setting, Mark::Line, sizes(speeds()));
            }
        }
        out.plot(late);
        out.table(table);
        Ok(out)
    }
}

/// Sizes of speeds at rest, as a logarithmic axis takes them.
fn sizes(speeds: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    speeds.filter(|(t, _)| *t >= TIME[1]).map(|(t, v)| (t, v.abs().max(1e-12))).collect()
}
