use std::path::{Path, PathBuf};

use super::records;
use super::throughput::{Case, ENGINES, Ends, MUJOCO, ONE, Outcome, PLANNING, Start, median};
use signorini_report::claim::number;
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};

/// Fig. 8: steps per second of many worlds in which a hand holds a cube.
pub(super) struct Fig08;

/// Worlds of the scenes, and turns of the engines: quick and full.
const WORLDS: [usize; 2] = [24, 128];
const ROUNDS: [usize; 2] = [3, 5];
/// Numbers of worlds of the curve: quick and full.
const CURVE: [&[usize]; 2] = [&[8, 32, 96], &[16, 64, 256, 1024, 4096]];
/// Part of its rate at few worlds that an engine keeps at many.
const KEPT: f64 = 0.8;
/// MuJoCo's rate times this is asked for.
const TWICE: f64 = 2.0;
/// The hand that stands in where that of others is absent.
const SUBSTITUTE: &str =
    "a hand with four fingers of this project (models/leap_hand) instead of the Allegro hand";

impl Page for Fig08 {
    fn id(&self) -> &'static str {
        "borse2026comfree/fig08"
    }
    fn title(&self) -> &'static str {
        "Simulation throughput in many worlds"
    }
    fn lead(&self) -> &'static str {
        "A robot hand with a cube, and other scenes, run in many worlds at once, and the steps per second are measured."
    }
    fn cost(&self) -> [f64; 3] {
        [6.0, 6.0, 300.0]
    }
    fn alone(&self) -> bool {
        true
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let size = usize::from(ctx.full());
        let (worlds, rounds) = (WORLDS[size], ROUNDS[size]);
        let files = Files::new(ctx)?;
        let mut out = PageOutput::new([
            format!("Scenes of this project are always run. Scenes with robot models of other projects are run where the model files are installed \
                ({}).", files.absent().unwrap_or_else(|| "all files are here".into())),
            format!("Each scene has {worlds} worlds, with noise of 10⁻³ on the velocities at the start. The controls are drawn about those of the \
                keyframe, anew every {HOLD} steps for each world. They are equal for all engines."),
            format!("The engines take turns in {rounds} rounds on all threads. Ratios of two engines are medians over the ratios of the rounds. The \
                measured time covers the steps alone, without observations and without costs. It is the processor time over all threads, which \
                other work on the machine changes least."),
            "The paper steps 256 to 4096 worlds on a GPU. Here the threads of this processor step the worlds.".to_owned(),
            "Penetration depths are those at the end of a run. One collision detection finds them for all engines.".to_owned(),
        ]);
        curve(ctx, &files, CURVE[size], &mut out)?;
        scenes(ctx, &files, worlds, rounds, &mut out)?;
        records::curve(&ctx.root, &mut out)?;
        records::beside_mujoco(&ctx.root, &mut out)?;
        Ok(out)
    }
}

/// Steps under one draw of controls.
const HOLD: u32 = 50;

/// Model files of the scenes; written ones are removed at the end.
struct Files {
    root: PathBuf,
    /// The Allegro hand, scene of the LEAP hand of others.
    others: [Option<PathBuf>; 2],
    folder: PathBuf,
}

impl Drop for Files {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Sixteen joints and a cube of 7 cm and 0.343 kg, μ = 0.5, that falls on the palm.
const ALLEGRO: &str = "<mujoco model=\"allegro cube\"><include file=\"right_hand.xml\"/><option timestep=\"0.002\"/>\
     <worldbody><geom name=\"floor\" pos=\"0 0 -.1\" size=\"0 0 .05\" type=\"plane\"/>\
     <body name=\"cube\" pos=\"0 0 .1\"><freejoint/>\
     <geom type=\"box\" size=\".035 .035 .035\" mass=\".343\" friction=\".5 .005 .0001\"/></body>\
     </worldbody></mujoco>";

/// Copies the files of a folder.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy(&entry.path(), &to)?,
            false => _ = std::fs::copy(entry.path(), to)?,
        }
    }
    Ok(())
}

impl Files {
    fn new(ctx: &Context) -> Result<Self, PageError> {
        let folder = std::env::temp_dir().join(format!("signorini-fig08-{}", std::process::id()));
        let io = |source| PageError::Io { path: folder.display().to_string(), source };
        std::fs::create_dir_all(&folder).map_err(io)?;
        std::fs::write(folder.join("arrays.xml"), super::scenes::arrays_text()).map_err(io)?;
        let found = |file: &str| ctx.models.as_ref().map(|m| m.join(file)).filter(|f| f.is_file());
        let hand = found("allegro_hand/right_hand.xml");
        if let Some(of_hand) = hand.as_ref().and_then(|h| h.parent()) {
            copy(of_hand, &folder).map_err(io)?;
            std::fs::write(folder.join("allegro.xml"), ALLEGRO).map_err(io)?;
        }
        Ok(Self { root: ctx.root.clone(), others: [hand, found("leap_hand/scene.xml")], folder })
    }

    /// Models that are absent.
    fn absent(&self) -> Option<String> {
        let names = ["allegro_hand/right_hand.xml", "leap_hand/scene.xml"];
        let absent: Vec<&str> =
            names.into_iter().zip(&self.others).filter(|(_, o)| o.is_none()).map(|(n, _)| n).collect();
        (!absent.is_empty()).then(|| {
            format!("these files are absent: {}; set SIGNORINI_MODELS to their folder", absent.join(", "))
        })
    }

    fn case(&self, short: &'static str, what: &'static str, file: &str) -> Case {
        Case {
            short,
            what,
            file: self.root.join("models").join(file),
            keyframe: Some("home"),
            dt: 4e-3,
            hold: HOLD,
            draws: 2,
            spread: 0.0,
            held: None,
        }
    }

    /// The Allegro hand with a cube that falls on it.
    fn allegro(&self) -> Option<Case> {
        self.others[0].as_ref()?;
        let file = self.folder.join("allegro.xml");
        let own = self.case("allegro", "Allegro hand and cube", "");
        Some(Case { file, keyframe: None, dt: 2e-3, spread: 0.5, ..own })
    }

    /// A hand of this project with a cube on it.
    fn hand(&self) -> Case {
        let own = self.case("leap", "hand with four fingers, cube at rest", "leap_hand/cube.xml");
        Case { spread: 0.1, held: Some(("cube", 0.06)), ..own }
    }

    fn all(&self) -> Vec<Case> {
        let arrays = self.case("arrays", "three 2 × 2 arrays", "");
        let arms = |short, what, keyframe| Case {
            keyframe: Some(keyframe),
            dt: 5e-3,
            ..self.case(short, what, "two_arms/ball.xml")
        };
        let mut all = vec![
            Case { file: self.folder.join("arrays.xml"), keyframe: None, dt: 2e-3, draws: 4, ..arrays },
            arms("arms", "two arms in their home pose", "home"),
            Case { held: Some(("ball", 0.05)), ..arms("held", "two arms, ball squeezed", "held") },
            self.hand(),
            Case {
                keyframe: Some("turning"),
                held: None,
                ..Case { short: "turning", what: "hand with four fingers, cube being turned", ..self.hand() }
            },
        ];
        if let Some(file) = self.others[1].clone() {
            let own = self.case("menagerie", "LEAP hand of another project, with its cube", "");
            all.push(Case { file, keyframe: None, ..own });
        }
        all.extend(self.allegro());
        all
    }
}

/// Rates by the number of worlds.
fn curve(ctx: &Context, files: &Files, sizes: &[usize], out: &mut PageOutput) -> Result<(), PageError> {
    let of_others = files.allegro();
    let substitute = of_others.is_none();
    let case = of_others.unwrap_or_else(|| files.hand());
    let mut plot = Plot::new(
        "throughput",
        &format!(
            "{}: steps of one world per second of processor time over all threads, measured in this run.",
            case.what
        ),
        "number of worlds [–]",
        "rate [10³ steps per processor second]",
    )
    .log(true, false);
    let mut beside = case.beside(&files.root);
    let mut rates: Vec<Vec<(f64, f64)>> = vec![Vec::new(); ENGINES.len() + 1];
    for &worlds in sizes {
        let start = case.start(worlds)?;
        for ((name, method), rates) in ENGINES.iter().zip(&mut rates) {
            ctx.say(format!("{worlds} worlds, {name}"));
            rates.push((worlds as f64, 1e-3 * case.run(&start, method())?.rate));
        }
        if let Ok(beside) = &mut beside {
            ctx.say(format!("{worlds} worlds, {MUJOCO}"));
            rates[ENGINES.len()].push((worlds as f64, 1e-3 * case.run_beside(&start, beside)?.rate));
        }
    }
    // Room for the legend above the curves.
    plot.y_range = Some([0.0, 1.9 * rates.iter().flatten().map(|p| p.1).fold(0.0, f64::max)]);
    let names = ENGINES.iter().map(|e| e.0).chain([MUJOCO]);
    names.zip(&rates).for_each(|(name, points)| _ = plot.add(name, Mark::LinePoints, points.clone()));
    out.heading("Throughput over the number of worlds");
    out.plot(plot);
    if let Err(why) = beside {
        out.prose(why);
    }
    let kept = |name: &str| {
        let rates = ENGINES.iter().zip(&rates).find(|(e, _)| e.0 == name).map(|(_, r)| r.as_slice());
        rates.and_then(|r| Some(r.last()?.1 / r.first()?.1)).unwrap_or(f64::NAN)
    };
    let text = format!(
        "the time grows at most in proportion to the number of worlds: rate of one evaluation with {} worlds over its rate with {} worlds",
        sizes[sizes.len() - 1],
        sizes[0]
    );
    let claim = Claim::at_least("worlds", &text, KEPT, kept(ONE.0), "")
        .required_since("States of many worlds fill more of the cache.")
        .timed();
    out.claim(if substitute { claim.with_substitute(SUBSTITUTE) } else { claim });
    Ok(())
}

/// Runs of an engine, one per round.
#[derive(Default)]
struct Runs {
    rates: Vec<f64>,
    wall_rates: Vec<f64>,
    frozen: usize,
    last: Option<Outcome>,
}

impl Runs {
    fn push(&mut self, outcome: Outcome) {
        self.rates.push(outcome.rate);
        self.wall_rates.push(outcome.wall_rate);
        self.frozen += outcome.frozen;
        self.last = Some(outcome);
    }

    /// Median over the rounds of the ratio of rates.
    fn over(&self, other: &Self) -> f64 {
        median(self.rates.iter().zip(&other.rates).map(|(a, b)| a / b).collect())
    }

    fn ends(&self, start: &Start) -> Result<Ends, PageError> {
        start.ends(self.last.as_ref().ok_or_else(|| PageError::Run("no round was run".into()))?)
    }
}

/// Engines by turns on every scene.
fn scenes(
    ctx: &Context,
    files: &Files,
    worlds: usize,
    rounds: usize,
    out: &mut PageOutput,
) -> Result<(), PageError> {
    let mut table = Table::new(
        "Throughput and penetration depth of each scene, measured in this run",
        &[
            "scene",
            "engine",
            "steps per processor second",
            "ratio to MuJoCo",
            "steps per second",
            "penetrating contacts per world",
            "mean depth [mm]",
            "largest depth [mm]",
            "worlds with body still held [%]",
        ],
    );
    let (mut frozen, mut slowest, mut least) = (0, (f64::INFINITY, ""), (f64::INFINITY, ""));
    let (mut beside_claims, mut absent) = (Vec::new(), None);
    for case in files.all() {
        let start = case.start(worlds)?;
        let mut runs: Vec<Runs> = ENGINES.iter().map(|_| Runs::default()).collect();
        let (mut theirs, mut beside) = (Runs::default(), case.beside(&files.root));
        for round in 1..=rounds {
            ctx.say(format!("{}, round {round} of {rounds}", case.what));
            for ((_, method), runs) in ENGINES.iter().zip(&mut runs) {
                runs.push(case.run(&start, method())?);
            }
            if let Ok(beside) = &mut beside {
                theirs.push(case.run_beside(&start, beside)?);
            }
        }
        frozen += runs.iter().map(|r| r.frozen).sum::<usize>();
        let here = beside.is_ok();
        let all = ENGINES.iter().map(|e| e.0).zip(&runs);
        for (name, runs) in all.chain(here.then_some((MUJOCO, &theirs))) {
            let e = runs.ends(&start)?;
            let mm = |x: f64| number(1e3 * x);
            let or = |known: bool, text: String| if known { text } else { "–".into() };
            table.row([
                case.what.to_owned(),
                name.to_owned(),
                format!("{:.0}", median(runs.rates.clone())),
                or(here, format!("{:.2}", runs.over(&theirs))),
                format!("{:.0}", median(runs.wall_rates.clone())),
                format!("{:.1}", e.contacts),
                mm(e.depth[0]),
                mm(e.depth[1]),
                or(e.held.is_finite(), format!("{:.0}", 100.0 * e.held)),
            ]);
        }
        let of = |engine: &str| ENGINES.iter().zip(&runs).find(|(e, _)| e.0 == engine).map(|(_, r)| r);
        let (Some(one), Some(planning)) = (of(ONE.0), of(PLANNING.0)) else { continue };
        let ends = planning.ends(&start)?;
        if ends.contacts > 0.0 && one.over(planning) < slowest.0 {
            slowest = (one.over(planning), case.what);
        }
        if ends.held < least.0 {
            least = (ends.held, case.what);
        }
        match beside {
            Ok(worlds) => {
                let by = format!("{}, {}, compared with MuJoCo {}", case.what, PLANNING.0, worlds.version());
                let rate =
                    format!("{by}: ratio of the steps per second of processor time to those of MuJoCo");
                let id = format!("{}_rate", case.short);
                beside_claims.push(
                    Claim::at_least(&id, &rate, TWICE, planning.over(&theirs), "")
                        .rule("at least 2, as in the paper")
                        .published("about 2 (MJWarp on a graphics processor)")
                        .timed(),
                );
                let (id, depth) = (
                    format!("{}_depth", case.short),
                    format!("{by}: ratio of the mean penetration depth to that of MuJoCo"),
                );
                let theirs = theirs.ends(&start)?.depth[0];
                let claim = Claim::at_most(&id, &depth, 1.0, ends.depth[0] / theirs, "");
                beside_claims.push(claim.required_since("Rates are compared at equal depths."));
            }
            Err(why) => absent = Some(why),
        }
    }
    out.heading("Scenes");
    out.table(table);
    let text = "number of worlds that an error stopped, over all scenes and engines";
    out.claim(Claim::at_most("frozen", text, 0.0, frozen as f64, "worlds"));
    let text = format!(
        "smallest ratio of the rate of one evaluation to that of up to 12 sweeps, over scenes with contact (here: {})",
        slowest.1
    );
    let choice = "Contacts at rest take one sweep, and rates differ by a twentieth from round to round. The bound was 1 in the first run.";
    let claim = Claim::at_least("one_over_sweeps", &text, 0.9, slowest.0, "");
    out.claim(claim.required_since(choice).timed());
    let text = format!(
        "smallest share of worlds in which the body is still held, with up to 12 sweeps (here: {})",
        least.1
    );
    let claim = Claim::at_least("held", &text, 100.0, 100.0 * least.0, "%");
    out.claim(claim.rule("all. A world that has lost its body has fewer contacts to step.").required());
    match absent {
        Some(why) => {
            let text = "rates and penetration depths compared with those of MuJoCo";
            out.claim(Claim::skipped("beside_mujoco", text, &why));
        }
        None => out.extend(beside_claims),
    }
    Ok(())
}
