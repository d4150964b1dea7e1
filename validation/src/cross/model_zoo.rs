use std::path::Path;

use serde_json::Value;
use signorini_scene::{GeomShape, LoadOptions, Place, Scene, SceneError};

use super::files_record;
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};

/// Robot files of other projects, read without their meshes: their counts against those of the projects' own readers.
pub(super) struct ModelZoo;

/// Files that this reader refuses, and why it may. Every other refusal deviates.
const EXPLAINED: [(&str, &str); 3] = [
    ("shadow_dexee/scene.xml", "its motors need a plugin of an engine"),
    ("shadow_dexee/shadow_dexee.xml", "its motors need a plugin of an engine"),
    ("husky/husky.urdf", "it has an unexpanded xacro expression; Pinocchio, MuJoCo and Drake refuse it, too"),
];

/// One number of a file: key, ours, expected.
type Count = (&'static str, usize, usize);

/// Outcome of reading a file.
enum Outcome {
    /// Counts, and further statements (names, parents, masses) that differ.
    Read { counts: Vec<Count>, differences: Vec<String> },
    /// Refused.
    Refused(SceneError),
}

/// A file of a zoo.
struct Entry {
    file: String,
    outcome: Outcome,
}

fn read_list(path: &Path) -> Result<Vec<(String, Value)>, PageError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| PageError::Io { path: path.display().to_string(), source })?;
    let list: serde_json::Map<String, Value> = serde_json::from_str(&text).map_err(PageError::from_error)?;
    Ok(list.into_iter().collect())
}

fn options() -> LoadOptions {
    LoadOptions { without_meshes: true, ..LoadOptions::default() }
}

fn count(want: &Value, key: &str) -> usize {
    want[key].as_u64().unwrap_or(u64::MAX) as usize
}

/// Masses are listed with six digits.
fn same_mass(have: f64, want: f64) -> bool {
    (have - want).abs() <= 1e-5 * (1e-3 + want.abs())
}

/// Counts and names of an MJCF file.
fn mjcf(s: &Scene, want: &Value) -> Outcome {
    let counts = [
        ("nq", s.nq()),
        ("nv", s.nv()),
        ("nu", s.actuators.len()),
        ("nbody", s.bodies.len()),
        ("njnt", s.joints.len()),
        ("ngeom", s.geoms.len()),
        ("nsite", s.sites.len()),
        ("neq", s.equalities.len()),
        ("ntendon", s.tendons.len()),
        ("nsensor", s.sensors.len()),
        ("nkey", s.keyframes.len()),
        ("npair", s.pairs.len()),
        ("nexclude", s.excludes.len()),
    ];
    let mut differences = Vec::new();
    let list = |key: &str| want[key].as_array().cloned().unwrap_or_default();
    let is_named = |w: &Value, name: &str| w["name"].as_str().is_none_or(|n| n.is_empty() || n == name);
    for (b, w) in s.bodies.iter().zip(list("bodies")) {
        // A mass that would come from a mesh is a placeholder here.
        let text = format!("body '{}' takes its inertia", b.name);
        let placeholder = s.notes.iter().any(|n| n.text.contains(&text));
        let mass = b.mass.map_or(0.0, |m| m.mass);
        if !is_named(&w, &b.name) || w["parent"].as_u64() != Some(b.parent as u64) {
            differences.push(format!("body {} where {} is expected", b.name, w["name"]));
        } else if !placeholder && !same_mass(mass, w["mass"].as_f64().unwrap_or(f64::NAN)) {
            differences.push(format!("mass of {} is {mass}, {} expected", b.name, w["mass"]));
        }
    }
    for (j, w) in s.joints.iter().zip(list("joints")) {
        let kind = format!("{:?}", j.kind).to_lowercase();
        if !is_named(&w, &j.name) || w["type"] != kind || w["body"].as_str() != Some(&s.bodies[j.body].name) {
            differences.push(format!("joint {} ({kind}) where {} is expected", j.name, w["name"]));
        }
    }
    Outcome::Read { counts: counts.map(|(k, n)| (k, n, count(want, k))).to_vec(), differences }
}

/// Counts and mass of a URDF file. Pinocchio keeps continuous joints as points on a circle, two positions each; of the files that it
/// refuses, Drake's count stands.
fn urdf(s: &Scene, want: &Value, text: &str) -> Outcome {
    let of = |kind: &str| want["joint_types"][kind].as_u64().unwrap_or(0) as usize;
    let own_world = text.contains("link name=\"world\"");
    let meshes = s.geoms.iter().filter(|g| matches!(g.shape, GeomShape::MissingMesh(_))).count();
    let (nq, nv) = match want.get("nv") {
        Some(_) => (count(want, "nq") - of("continuous"), count(want, "nv")),
        None => (count(want, "drake_num_positions"), count(want, "drake_num_velocities")),
    };
    let counts = vec![
        ("nq", s.nq(), nq),
        ("nv", s.nv(), nv),
        ("nu", s.actuators.len(), count(want, "drake_num_actuators")),
        ("nbody", s.bodies.len(), count(want, "links") + usize::from(!own_world)),
        ("njnt", s.joints.len(), count(want, "joints") - of("fixed")),
        ("mimic", s.equalities.len(), count(want, "mimic")),
        ("meshes", meshes, count(want, "meshes")),
    ];
    let mass = want["mass"].as_f64().or(want["drake_mass"].as_f64()).unwrap_or(f64::NAN);
    let mut differences = Vec::new();
    if !same_mass(s.total_mass(), mass) {
        differences.push(format!("mass {} kg, {mass} kg expected", s.total_mass()));
    }
    for w in want["movable"].as_array().into_iter().flatten() {
        let name = w["name"].as_str().unwrap_or_default();
        if s.joint(name).is_none() {
            differences.push(format!("no joint {name}"));
        }
    }
    Outcome::Read { counts, differences }
}

/// Place, subject and remedy of a refusal.
fn refusal(e: &SceneError) -> (Place, String, String) {
    match e {
        SceneError::Unsupported { place, feature, remedy } => {
            (place.clone(), format!("{feature} is not supported"), remedy.clone())
        }
        SceneError::Invalid { place, message, remedy } => (place.clone(), message.clone(), remedy.clone()),
        SceneError::Syntax { place, message } => (place.clone(), message.clone(), String::new()),
        SceneError::Io { .. } => (Place::default(), e.to_string(), String::new()),
    }
}

fn entries(zoo: &Path, is_urdf: bool, ctx: &Context) -> Result<(Vec<Entry>, Vec<Entry>), PageError> {
    let (mut models, mut fragments) = (Vec::new(), Vec::new());
    for (key, want) in read_list(&zoo.join("zoo.json"))? {
        let file = if is_urdf { format!("{key}/{key}.urdf") } else { key };
        ctx.say(&file);
        let path = zoo.join(&file);
        let outcome = match Scene::load(&path, &options()) {
            Err(e) => Outcome::Refused(e),
            Ok(s) if is_urdf => urdf(&s, &want, &std::fs::read_to_string(&path).unwrap_or_default()),
            Ok(s) => mjcf(&s, &want),
        };
        // Files without counts are parts that other files include: no reader takes them as models.
        let fragment = !is_urdf && want.get("nq").is_none();
        if fragment { &mut fragments } else { &mut models }.push(Entry { file, outcome });
    }
    Ok((models, fragments))
}

/// A count, and the expected one where it differs.
fn cell((_, own, expected): &Count) -> String {
    if own == expected { own.to_string() } else { format!("{own} (expected {expected})") }
}

/// Tables and claims of one zoo.
fn report(
    format: &str,
    zoo: &Path,
    is_urdf: bool,
    ctx: &Context,
    (out, plot): (&mut PageOutput, &mut Plot),
) -> Result<(), PageError> {
    out.heading(format!("{format} files"));
    let (models, fragments) = entries(zoo, is_urdf, ctx)?;
    plot.add(&format!("{format} files of others"), Mark::Points, velocities(&models));
    let heads: Vec<&str> = models
        .iter()
        .find_map(|e| match &e.outcome {
            Outcome::Read { counts, .. } => Some(counts.iter().map(|c| c.0).collect()),
            Outcome::Refused(_) => None,
        })
        .unwrap_or_default();
    let mut head = vec!["file", "verdict", "names, masses"];
    head.extend(&heads);
    let mut table = Table::new(
        &format!("{format} files: counts of this project, with the expected count where it differs"),
        &head,
    );
    let (mut read, mut numbers, mut wrong, mut odd, mut unexplained, mut unnamed) = (0, 0, 0, 0, 0, 0);
    let mut refused = Vec::new();
    for e in &models {
        let mut row = vec![e.file.clone()];
        match &e.outcome {
            Outcome::Read { counts, differences } => {
                read += 1;
                numbers += counts.len();
                let off = counts.iter().filter(|c| c.1 != c.2).count();
                wrong += off;
                odd += differences.len();
                row.push(if off + differences.len() == 0 { "read" } else { "differs" }.into());
                row.push(if differences.is_empty() { "agree".into() } else { differences.join("; ") });
                row.extend(counts.iter().map(cell));
            }
            Outcome::Refused(error) => {
                row.push("refused".into());
                row.extend(std::iter::repeat_n(String::new(), heads.len() + 1));
                unexplained += usize::from(EXPLAINED.iter().all(|x| x.0 != e.file));
                refused.push((e, error));
            }
        }
        table.row(row);
    }
    out.table(table);

    let mut table = Table::new(
        &format!("{format} files: refused elements"),
        &["file", "line", "element", "defect", "remedy", "why the refusal is accepted"],
    );
    let parts = fragments.iter().filter_map(|e| match &e.outcome {
        Outcome::Refused(error) => Some((e, error)),
        Outcome::Read { .. } => None,
    });
    for (e, error) in refused.iter().copied().chain(parts) {
        let (place, what, remedy) = refusal(error);
        unnamed += usize::from(
            place.file.is_none() || place.line == 0 || place.element.is_empty() || remedy.is_empty(),
        );
        let at = place
            .file
            .as_deref()
            .map_or(String::new(), |f| f.strip_prefix(zoo).unwrap_or(f).display().to_string());
        let why = EXPLAINED
            .iter()
            .find(|x| x.0 == e.file)
            .map_or("it is a part of other files and not a model", |x| x.1);
        table.row([at, place.line.to_string(), place.element, what, remedy, why.to_owned()]);
    }
    out.table(table);

    let key = if is_urdf { "urdf" } else { "mjcf" };
    let id = |what: &str| format!("{key}_{what}");
    let taken = fragments.iter().filter(|e| matches!(e.outcome, Outcome::Read { .. })).count();
    out.extend([
        Claim::at_least(
            &id("read"),
            &format!("number of {format} files that are read, of {}", models.len()),
            (models.len() - refused.len() + unexplained) as f64,
            read as f64,
            "files",
        )
        .because("A refused file is not on the list of explained refusals."),
        Claim::at_most(
            &id("counts"),
            &format!("number of counts that differ from the reference counts (zoo.json), of {numbers}"),
            0.0,
            wrong as f64,
            "",
        ),
        Claim::at_most(
            &id("names"),
            "number of names, parents, joint types and masses that differ from the reference (zoo.json)",
            0.0,
            odd as f64,
            "",
        ),
        Claim::at_most(
            &id("refusals"),
            "number of refusals that lack the file, the line, the element or a remedy",
            0.0,
            unnamed as f64,
            "",
        ),
    ]);
    if !fragments.is_empty() {
        let text = format!("number of parts of other files that are read as models, of {}", fragments.len());
        out.claim(Claim::at_most(&id("parts"), &text, 0.0, taken as f64, "files"));
    }
    Ok(())
}

/// Velocities that are expected and that a scene has, of the files that were read.
fn velocities(models: &[Entry]) -> Vec<(f64, f64)> {
    let of = |e: &Entry| match &e.outcome {
        Outcome::Read { counts, .. } => {
            counts.iter().find(|c| c.0 == "nv" && c.1 * c.2 > 0).map(|c| (c.2 as f64, c.1 as f64))
        }
        Outcome::Refused(_) => None,
    };
    models.iter().filter_map(of).collect()
}

/// MJCF files of this project, with the counts that `models/README.md` states.
fn own(ctx: &Context) -> Result<Vec<Entry>, PageError> {
    let folder = ctx.root.join("models");
    let list = folder.join("README.md");
    let text = std::fs::read_to_string(&list)
        .map_err(|source| PageError::Io { path: list.display().to_string(), source })?;
    let mut models = Vec::new();
    for line in text.lines() {
        let file = line.strip_prefix("| `").and_then(|l| l.split('`').next());
        let stated = |key: &str| {
            let after = line.split(&format!("{key} ")).nth(1)?;
            after.split(|c: char| !c.is_ascii_digit()).next()?.parse::<usize>().ok()
        };
        let (Some(file), Some(nq), Some(nv), Some(nu)) = (file, stated("nq"), stated("nv"), stated("nu"))
        else {
            continue;
        };
        let outcome = match Scene::load(folder.join(file), &LoadOptions::default()) {
            Err(e) => Outcome::Refused(e),
            Ok(s) => Outcome::Read {
                counts: vec![("nq", s.nq(), nq), ("nv", s.nv(), nv), ("nu", s.actuators.len(), nu)],
                differences: Vec::new(),
            },
        };
        models.push(Entry { file: file.to_owned(), outcome });
    }
    Ok(models)
}

/// Table and claims of the files of this project.
fn report_own(ctx: &Context, (out, plot): (&mut PageOutput, &mut Plot)) -> Result<(), PageError> {
    let models = own(ctx)?;
    plot.add("files of this project", Mark::Points, velocities(&models));
    let head = ["file", "positions", "velocities", "actuators"];
    let mut table = Table::new("Models of this project, and the expected number where it differs", &head);
    let (mut refused, mut wrong) = (0, 0);
    for e in &models {
        let mut row = vec![e.file.clone()];
        match &e.outcome {
            Outcome::Read { counts, .. } => {
                wrong += counts.iter().filter(|c| c.1 != c.2).count();
                row.extend(counts.iter().map(cell));
            }
            Outcome::Refused(error) => {
                refused += 1;
                row.extend([error.to_string(), String::new(), String::new()]);
            }
        }
        table.row(row);
    }
    out.claim(Claim::at_most(
        "own_refused",
        &format!("models of this project that are refused, of {}", models.len()),
        0.0,
        f64::from(refused),
        "files",
    ));
    out.claim(Claim::at_most(
        "own_counts",
        "positions, velocities and actuators of models of this project that differ from models/README.md",
        0.0,
        wrong as f64,
        "",
    ));
    out.table(table);
    Ok(())
}

impl Page for ModelZoo {
    fn id(&self) -> &'static str {
        "cross/model_zoo"
    }
    fn title(&self) -> &'static str {
        "Model files of robots"
    }
    fn lead(&self) -> &'static str {
        "Model files of robots are read. The numbers of bodies, joints and geoms are compared with the expected numbers."
    }
    fn cost(&self) -> [f64; 3] {
        [0.2, 0.2, 0.2]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let mut out = PageOutput::new([
            "Each file is read without its meshes (option `--without-meshes`). Geoms that need a mesh are kept as placeholders with a note. A mass \
             that would come from a mesh is not compared.",
            "The expected counts of MJCF files are those of MuJoCo 4.0.0 with the meshes in place. The expected counts of URDF files are those of \
             Pinocchio, or of Drake where Pinocchio refuses the file. Pinocchio's two positions of a continuous joint count as one. The number of \
             bodies includes the world.",
            "A model with a defect is refused as a whole. The refusal names the element and its line, and gives a remedy.",
        ]);
        let mut plot = Plot::new(
            "velocities",
            "Degrees of freedom of each file: the number that this project reads beside the expected number. Points on the dashed line agree.",
            "expected degrees of freedom [–]",
            "degrees of freedom [–]",
        )
        .log(true, true);
        let mut rest = PageOutput::default();
        rest.heading("Models of this project");
        report_own(ctx, (&mut rest, &mut plot))?;
        for (format, folder, is_urdf) in [("MJCF", "mjcf_zoo", false), ("URDF", "urdf_zoo", true)] {
            match ctx.models.as_ref().map(|m| m.join(folder)).filter(|p| p.join("zoo.json").is_file()) {
                Some(zoo) => report(format, &zoo, is_urdf, ctx, (&mut rest, &mut plot))?,
                None => {
                    let why = format!(
                        "the folder {folder} is absent (set SIGNORINI_MODELS to the folder of the models)"
                    );
                    rest.claim(Claim::skipped(
                        folder,
                        &format!("{format} files have the expected counts"),
                        &why,
                    ));
                }
            }
        }
        plot.add("equal", Mark::Dashed, vec![(1.0, 1.0), (100.0, 100.0)]);
        out.plot(plot);
        out.append(rest);
        files_record::show(&ctx.root, &mut out)?;
        Ok(out)
    }
}
