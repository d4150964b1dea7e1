use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use signorini_report::claim::number;
use signorini_report::{Mark, PageError, PageOutput, Plot, Table};

fn failed(e: impl std::fmt::Display) -> PageError {
    PageError::from_error(e)
}

/// Machine, date and versions of a record.
#[derive(Deserialize)]
struct Machine {
    cpu: String,
    cores: u32,
    threads: u32,
    date: String,
    /// Records before 2026-11-29 do not have it.
    #[serde(default)]
    revision: Option<String>,
    versions: BTreeMap<String, String>,
}

impl Machine {
    fn mujoco(&self) -> &str {
        self.versions.get("mujoco").map_or("?", String::as_str)
    }
}

impl std::fmt::Display for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, {} cores, {} threads, {}", self.cpu, self.cores, self.threads, self.date)?;
        self.revision.iter().try_for_each(|r| write!(f, ", revision {r}"))
    }
}

/// Record that `benches/peers/throughput.py --curve` wrote.
#[derive(Deserialize)]
struct Curve {
    #[serde(flatten)]
    machine: Machine,
    load_average: f64,
    load_average_at_the_end: f64,
    rounds: u32,
    note: String,
    rows: Vec<CurveRow>,
}

/// Numbers of a ComFree, of which the report names the mass that its gains are relative to.
#[derive(Deserialize)]
struct Settings {
    mass_scale: Option<String>,
}

#[derive(Deserialize)]
struct CurveRow {
    engine: String,
    worlds: u32,
    /// Per second of processor time, which other work on the machine changes least.
    steps_per_cpu_s: f64,
    steps_per_s: f64,
    #[serde(default)]
    settings: Option<Settings>,
    /// Load of the machine after the rounds of this number of worlds.
    load_average: f64,
}

impl Curve {
    fn of<'a>(&'a self, engine: &'a str) -> impl Iterator<Item = &'a CurveRow> {
        self.rows.iter().filter(move |row| row.engine == engine)
    }
}

/// MuJoCo's curve and ours of one recorded run, apart from the measurements of a page; a line that says so where there is no record.
pub(super) fn curve(root: &Path, out: &mut PageOutput) -> Result<(), PageError> {
    out.heading("Recorded: throughput over the number of worlds");
    let path = root.join("benches/records/allegro_curve.json");
    let Ok(text) = std::fs::read_to_string(&path) else {
        out.prose("The record of MuJoCo's curve (benches/records/allegro_curve.json) does not exist.");
        return Ok(());
    };
    let r: Curve = serde_json::from_str(&text).map_err(|e| failed(format!("{}: {e}", path.display())))?;
    let from = format!(
        "These numbers were recorded earlier and not measured in this run: {}. MuJoCo {} (`rollout`) and the methods of this project took turns. \
            Rates are per second of processor time over all threads, the best of {} rounds each. The load average was {} before and {} after{}{}",
        r.machine,
        r.machine.mujoco(),
        r.rounds,
        r.load_average,
        r.load_average_at_the_end,
        if r.note.is_empty() { "." } else { "; " },
        r.note
    );
    let mut plot =
        Plot::new("recorded", &from, "number of worlds [–]", "rate [10³ steps per processor second]")
            .log(true, false);
    // Room for the legend above the curves.
    let most = r.rows.iter().map(|row| row.steps_per_cpu_s).fold(0.0, f64::max);
    plot.y_range = Some([0.0, 1.7e-3 * most]);
    let mut engines: Vec<&str> = Vec::new();
    for row in &r.rows {
        if !engines.contains(&row.engine.as_str()) {
            engines.push(&row.engine);
        }
    }
    for engine in &engines {
        let points = r.of(engine).map(|row| (f64::from(row.worlds), 1e-3 * row.steps_per_cpu_s)).collect();
        plot.add(
            &format!(
                "{} (recorded)",
                self::engine(engine, r.of(engine).find_map(|row| row.settings.as_ref()))
            ),
            Mark::LinePoints,
            points,
        );
    }
    let mut table = Table::new(
        "Recorded earlier, not measured in this run: throughput over the number of worlds",
        &[
            "worlds",
            "engine",
            "steps per processor second",
            "ratio to MuJoCo",
            "steps per second",
            "load average afterwards",
        ],
    );
    for row in &r.rows {
        let theirs = r.of("mujoco").find(|m| m.worlds == row.worlds).map_or(f64::NAN, |m| m.steps_per_cpu_s);
        let over = format!("{:.2}", row.steps_per_cpu_s / theirs);
        let (rate, load) = (format!("{:.0}", row.steps_per_cpu_s), row.load_average.to_string());
        let wall = format!("{:.0}", row.steps_per_s);
        table.row([
            row.worlds.to_string(),
            engine(&row.engine, row.settings.as_ref()),
            rate,
            over,
            wall,
            load,
        ]);
    }
    out.plot(plot);
    out.table(table);
    Ok(())
}

/// One line that `benches/peers/throughput.py` wrote.
#[derive(Deserialize)]
struct Throughput {
    #[serde(flatten)]
    machine: Machine,
    load_average: f64,
    scene: String,
    engine: String,
    lanes: u32,
    /// Records before 2026-11-22 do not have it.
    #[serde(default)]
    rounds: u32,
    steps_per_s: f64,
    over_mujoco: f64,
    /// By processor time.
    #[serde(default)]
    over_mujoco_cpu: Option<f64>,
    mean_depth: f64,
    max_depth: f64,
    #[serde(default)]
    settings: Option<Settings>,
    /// Times of the parts of a step \[µs\].
    #[serde(default)]
    split_us: Option<BTreeMap<String, f64>>,
}

/// Engines whose steps are taken apart in the records, and their names in the report.
const TAKEN_APART: [(&str, &str); 2] = [
    ("comfree, 1 evaluation", "ComFree, one evaluation"),
    ("comfree, planning", "projected Gauss–Seidel, up to 12 sweeps"),
];

/// Scene in the records and its description.
const SCENES: [(&str, &str); 7] = [
    ("three_arrays", "three 2 × 2 arrays"),
    ("allegro_cube", "Allegro hand and cube"),
    ("two_arms_home", "two arms in their home pose"),
    ("two_arms_held", "two arms, ball squeezed"),
    ("leap_cube", "hand with four fingers, cube at rest"),
    ("leap_cube_turning", "hand with four fingers, cube being turned"),
    ("leap_menagerie", "LEAP hand of another project, with its cube"),
];

/// Name of an engine of a record in the report: records of former days call the sweeps of ComFree evaluations, and have gains relative to the trace.
fn engine(recorded: &str, settings: Option<&Settings>) -> String {
    match recorded {
        "comfree, paper" | "comfree, paper, trace" => {
            let mass = settings.and_then(|s| s.mass_scale.as_deref()).unwrap_or("trace");
            format!("ComFree, one evaluation as published ({} mass)", mass.to_lowercase())
        }
        "comfree, default" => "projected Gauss–Seidel, up to 64 sweeps".to_owned(),
        "mujoco" => "MuJoCo".to_owned(),
        "icf" => "ICF".to_owned(),
        other => TAKEN_APART.iter().find(|e| e.0 == other).map_or(other, |e| e.1).to_owned(),
    }
}

/// Engines over MuJoCo in the last recorded run of each scene, and where the time of a step goes: history, without verdicts.
pub(super) fn beside_mujoco(root: &Path, out: &mut PageOutput) -> Result<(), PageError> {
    let file = "benches/records/throughput.jsonl";
    let mut table = Table::new(
        "Recorded earlier, not measured in this run: comparison with MuJoCo",
        &[
            "scene",
            "engine",
            "steps per second",
            "ratio to MuJoCo",
            "ratio by processor time",
            "mean depth [mm]",
            "largest depth [mm]",
        ],
    );
    let mut parts = Table::new(
        "Recorded earlier, not measured in this run: time of the parts of a step [µs]",
        &[
            "scene",
            "kinematics",
            "collision detection",
            "contact Jacobian rows",
            "contact laws",
            "evaluation",
            "integration",
        ],
    );
    let lines = std::fs::read_to_string(root.join(file)).unwrap_or_default();
    let lines: Vec<Throughput> = lines
        .lines()
        .map(|l| serde_json::from_str(l).map_err(|e| failed(format!("{file}: {e}"))))
        .collect::<Result<_, _>>()?;
    let mut from = None;
    for (scene, what) in SCENES {
        let last = lines.iter().rev().find(|l| l.scene == scene).map(|l| &l.machine.date);
        let rows: Vec<_> =
            lines.iter().filter(|l| l.scene == scene && Some(&l.machine.date) == last).collect();
        let of = |engine: &str| rows.iter().find(|l| l.engine == engine);
        from = of("mujoco").copied().or(from);
        for l in &rows {
            let cpu = l.over_mujoco_cpu.map_or_else(String::new, |r| format!("{r:.2}"));
            let mm = |x: f64| number(1e3 * x.abs());
            let over = format!("{:.2}", l.over_mujoco);
            let cells = [
                what.to_owned(),
                engine(&l.engine, l.settings.as_ref()),
                format!("{:.0}", l.steps_per_s),
                over,
                cpu,
            ];
            table.row([cells.to_vec(), vec![mm(l.mean_depth), mm(l.max_depth)]].concat());
        }
        for (engine, setting) in TAKEN_APART {
            let Some(split) = of(engine).and_then(|l| l.split_us.as_ref()) else { continue };
            let names = ["kinematics", "collision", "rows", "laws", "evaluation", "integration"];
            let cells = names.iter().map(|n| split.get(*n).map_or_else(String::new, |x| format!("{x:.2}")));
            parts.row([vec![format!("{what}, {setting}")], cells.collect()].concat());
        }
    }
    if let Some(l) = from {
        out.heading("Recorded: comparison with MuJoCo");
        out.prose(format!(
            "This comparison with MuJoCo {} was recorded earlier and not measured in this run: {}, {} worlds. The engines alternate in rounds. Each \
                rate is compared with that of MuJoCo in its own round. The numbers are medians over {} rounds. The load average was {}.",
            l.machine.mujoco(), l.machine, l.lanes, l.rounds, l.load_average
        ));
        out.extend([table, parts]);
    }
    Ok(())
}
