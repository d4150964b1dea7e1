use super::CAMERA;
use signorini_report::claim::counted;
use signorini_report::trials::{Asked, FIRST, Ran, Tally, Trial, Trials, run, success, wilson};
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};

/// Fig. 1 and section V-C: two seven-axis arms carry the ball over an obstacle that stands elsewhere each time.
pub(super) struct Fig01;

const NAME: &str = "two_arm_ball_seven_obstacles";
/// Samples of a plan, and obstacles: quick, standard and full.
const SAMPLES: [usize; 3] = [12, 32, 64];
const OBSTACLES: [u64; 3] = [2, 3, 10];
/// Successes of ten, by the paper's planner and by the policy that it is compared with.
const PUBLISHED: [usize; 2] = [6, 2];
const PUBLISHED_RUNS: usize = 10;

impl Page for Fig01 {
    fn id(&self) -> &'static str {
        "hurova2025bimanual/fig01"
    }
    fn title(&self) -> &'static str {
        "Two seven-axis arms carrying a ball over randomly placed obstacles"
    }
    fn lead(&self) -> &'static str {
        "Two seven-axis arms carry a ball over a wall whose position changes from run to run."
    }
    fn cost(&self) -> [f64; 3] {
        [12.0, 60.0, 1500.0]
    }
    fn alone(&self) -> bool {
        true
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let (samples, count) = (ctx.sized(SAMPLES), ctx.sized(OBSTACLES));
        let mut out = PageOutput::new(text(count));
        let trial = |seed| {
            let camera = (seed == FIRST).then_some(CAMERA);
            Trial { camera, ..Trial::new(NAME, "ball", samples, seed) }
        };
        let trials: Vec<Trial> = (FIRST..FIRST + count).map(trial).collect();
        let Trials { runs: mut done, looks } = run(&trials, ctx)?;
        out.heading("First run");
        out.append(looks);
        out.heading("All runs");
        done.retain(|r| r.samples == samples);
        done.sort_by_key(|r| r.seed);
        let mut table = Table::new(
            "All runs. The seed determines the obstacle.",
            &["seed", "outcome", "task time [s]", "planning time per plan [ms]"],
        );
        for r in &done {
            let cells = [r.seed.to_string(), r.outcome.clone()];
            table
                .row(cells.into_iter().chain([format!("{:.1}", r.time), format!("{:.0}", 1e3 * r.planning)]));
        }
        let runs: Vec<&Ran> = done.iter().collect();
        out.plot(rates(&Tally::of(&runs)));
        out.table(table);
        let claim = format!(
            "number of runs that succeed, over {}, compared with six of ten in the paper",
            counted(count, "obstacle")
        );
        let asked = percent(PUBLISHED[0], PUBLISHED_RUNS);
        let success = success("success", "", &claim, &Asked { rate: asked, of: "the paper" }, &runs, count);
        let relaxed = Tally::of(&runs).softened as f64;
        let claim = "number of plans for which bounds of motion had to be relaxed, over all runs";
        out.claim(
            Claim::at_most("relaxed", claim, 0.0, relaxed, "plans")
                .required_since(
                    "samples are projected onto the bounds, and none of the starts is beyond them",
                )
                .because("A state was beyond a bound from which the jerk could not bring it back in time."),
        );
        out.claim(success.published(&format!("{asked} % of {PUBLISHED_RUNS} runs")));
        Ok(out)
    }
}

fn percent(good: usize, of: usize) -> f64 {
    100.0 * good as f64 / of as f64
}

/// Success rates over the number of runs, with Wilson's intervals.
fn rates(own: &Tally) -> Plot {
    let mut plot = Plot::new(
        "success",
        "Success rate over the number of runs, with the Wilson interval at 95 %. Open squares are the rates of the paper.",
        "number of runs [–]",
        "success rate [%]",
    );
    plot.y_range = Some([0.0, 105.0]);
    let results = [
        ("this run", own.good, own.runs),
        ("paper, planner", PUBLISHED[0], PUBLISHED_RUNS),
        ("paper, learned policy", PUBLISHED[1], PUBLISHED_RUNS),
    ];
    for (color, (name, good, of)) in results.into_iter().enumerate() {
        // Those of the paper beside each other.
        let at = of as f64 + if color == 2 { 0.15 } else { 0.0 };
        let point = vec![(at, percent(good, of))];
        plot.add_colored("", Mark::Line, color, wilson(good, of).map(|p| (at, 100.0 * p)).to_vec());
        plot.add_colored(name, Mark::Points, color, point.clone());
        if color > 0 {
            plot.add_colored("", Mark::Paper, 0, point);
        }
    }
    plot
}

fn text(count: u64) -> Vec<String> {
    vec![
        "Two seven-axis arms (models/two_arms/arms_seven.xml) have the lengths, masses and torque limits of the Panda. \
         They lift a ball of 0.11 m radius and 0.05 kg between their palms. \
         They carry the ball over a wall of 0.22 m height to within 0.04 m of a target. The wall is shifted by up to 0.05 m to the side, 0.04 m forward or \
         backward and 0.03 m up or down, and is rotated by up to 0.3 rad."
            .to_owned(),
        format!(
            "The page has {} with seeds from {FIRST} on. The planner, the weights and the success rule are the ones of the six-axis arms. \
             The plans use projected Gauss–Seidel with the impedance of ComFree and time steps of 5 ms, and the simulation of the robot uses ICF with time steps of 2 ms. \
             The simulation waits for each plan.",
            counted(count, "run")
        ),
        format!(
            "The paper has two Pandas, a ball and ten perturbed obstacles. It does not state how the obstacles are perturbed. \
             It reports a success rate of {} % for its planner and {} % for a learned policy.",
            percent(PUBLISHED[0], PUBLISHED_RUNS),
            percent(PUBLISHED[1], PUBLISHED_RUNS)
        ),
    ]
}
