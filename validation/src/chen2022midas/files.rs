use std::f64::consts::TAU;
use std::path::Path;

use signorini_core::na::{Isometry3, Vector3};
use signorini_geometry::TriangleMesh;
use signorini_ipc::{AffineBody, AffineSystem, IpcOptions};

use super::scenes::{G, Settings, Track, at, block, seen};
use signorini_report::claim::number;
use signorini_report::{Claim, Context, Page, PageError, PageOutput};

/// Pegs, plates, bolts and nuts of files: a second check of tight fits.
pub(super) struct Files;

/// \[kg/m³\], and the friction of pegs, as the files' source has them.
const DENSITY: f64 = 8000.0;
const FRICTION: f64 = 0.5;
/// Thickness of the plates \[m\], how far below them is a floor, how far above them pegs begin, how far aside.
const PLATE: f64 = 9e-3;
const BELOW: f64 = 1e-3;
const ABOVE: f64 = 2e-3;
const ASIDE: f64 = 1e-5;
/// d̂ of pegs and of threads \[m\].
const PEG_RANGE: f64 = 1e-5;
const THREAD_RANGE: f64 = 5e-6;
/// Text of the claims where the files are absent.
const ABSENT: &str = "The meshes peg_and_usb are missing in the models.";
/// Text of the claims of the files that this project has.
const OWN: &str = "The pegs and plates are written for this project by their dimensions. They have no chamfers. They replace the meshes of others.";

fn mesh(folder: &Path, name: &str) -> Result<TriangleMesh, PageError> {
    TriangleMesh::load(folder.join(name)).map_err(PageError::from_error)
}

fn shell(name: &str, mesh: &TriangleMesh, friction: f64) -> Result<AffineBody, PageError> {
    Ok(AffineBody::shell(name, mesh).map_err(PageError::from_error)?.with_friction(friction))
}

/// A peg falls through its plate onto a floor; the way of its lower end \[m\].
fn peg(folder: &Path, which: &str, hole: &str) -> Result<(Track, f64), PageError> {
    let plate = shell("plate", &mesh(folder, &format!("{hole}.obj"))?, FRICTION)?;
    let peg = AffineBody::solid("peg", &mesh(folder, &format!("{which}.obj"))?, DENSITY);
    let peg = peg.map_err(PageError::from_error)?.with_friction(FRICTION);
    let options = IpcOptions { range: PEG_RANGE, ..IpcOptions::default() }.carrying(peg.mass * G);
    let bodies = vec![
        (plate, Isometry3::identity()),
        (block("floor", [0.02, 0.02, 0.001], DENSITY, FRICTION)?.held(), at(0.0, 0.0, -BELOW - 0.001)),
        (peg, Isometry3::translation(ASIDE, 0.5 * ASIDE, PLATE + ABOVE)),
    ];
    let system = AffineSystem::new(bodies, &[], options).map_err(PageError::from_error)?;
    let mut track = Track::new(system, &Settings { dt: 1e-3, tolerance: 1e-4, options });
    let start = track.center(2).z;
    track.run(100, |_| {})?;
    let way = start - track.center(2).z;
    Ok((track, way))
}

/// A bolt in its nut, `lower` \[m\] below where it is drawn, that a torque turns by a quarter: turns, and the largest distance of its height from pitch times turns \[m\].
fn bolt(
    folder: &Path,
    size: &str,
    lower: f64,
    pitch: f64,
    steps: usize,
) -> Result<(Track, f64, f64), PageError> {
    let nut = shell("nut", &mesh(folder, &format!("nut_bolt/nut_{size}.obj"))?, 0.0)?;
    let bolt = AffineBody::solid("bolt", &mesh(folder, &format!("nut_bolt/bolt_{size}.obj"))?, DENSITY);
    let bolt = bolt.map_err(PageError::from_error)?;
    let options = IpcOptions { range: THREAD_RANGE, gravity: Vector3::zeros(), ..IpcOptions::default() };
    let options = options.carrying(0.1 * bolt.mass * G);
    // A quarter of a turn in the time of the run.
    let (dt, inertia) = (1e-3, bolt.second_moment[(0, 0)] + bolt.second_moment[(1, 1)]);
    let time = dt * steps as f64;
    let torque = -inertia * 0.5 * TAU / (time * time);
    let bodies = vec![(nut, Isometry3::identity()), (bolt, at(0.0, 0.0, -lower))];
    let mut system = AffineSystem::new(bodies, &[], options).map_err(PageError::from_error)?;
    system.push(1, Vector3::zeros(), torque * Vector3::z()).map_err(PageError::from_error)?;
    let mut track = Track::new(system, &Settings { dt, tolerance: 1e-4, options });
    let start = track.center(1).z;
    let (mut angle, mut most) = (0.0f64, 0.0f64);
    track.run(steps, |t| {
        let x = t.axis(1, 0);
        let now = x.y.atan2(x.x);
        angle += (now - angle + 0.5 * TAU).rem_euclid(TAU) - 0.5 * TAU;
        // Right-handed: clockwise from above is down.
        most = most.max((t.center(1).z - start - pitch * angle / TAU).abs());
    })?;
    Ok((track, (angle / TAU).abs(), most))
}

impl Page for Files {
    fn id(&self) -> &'static str {
        "chen2022midas/files"
    }
    fn title(&self) -> &'static str {
        "Pegs, plates, a bolt and a nut from mesh files"
    }
    fn lead(&self) -> &'static str {
        "Pegs from mesh files fall through tight holes and a bolt turns in its nut, without intersection."
    }
    fn cost(&self) -> [f64; 3] {
        [0.3, 33.0, 60.0]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let mut out = PageOutput::new([format!(
            "The meshes peg_and_usb are from another source. They complement the fits of this project (fig02, fig05, fig09, units). \
             Plates and nuts are open meshes and are fixed surfaces. \
             Pegs have a density of {DENSITY} kg/m³ and a friction coefficient of {FRICTION}. They start {} mm above their plate of {} mm with an offset of \
             {} µm. They fall through the plate onto a floor {} mm below. \
             The pegs have d̂ = {} µm and time steps of 1 ms for 0.1 s. A bolt stands in its nut without gravity and friction, at a height without \
             intersection. A torque turns the bolt. The bolt has d̂ = {} µm.",
            number(1e3 * ABOVE),
            number(1e3 * PLATE),
            number(1e6 * ASIDE),
            number(1e3 * BELOW),
            number(1e6 * PEG_RANGE),
            number(1e6 * THREAD_RANGE)
        )]);
        let folder = ctx.models.as_ref().map(|m| m.join("peg_and_usb")).filter(|f| f.is_dir());
        let pegs = folder.as_ref().map_or_else(|| ctx.root.join("models/pegs"), |f| f.join("pegs"));
        let sizes: &[&str] = ctx.sized([&["8mm"], &["8mm"], &["4mm", "8mm", "12mm", "16mm"]]);
        let mut table = seen("Results of all fits", &["fit", "distance or turns"]);
        let mut films = Vec::new();
        out.heading("Pegs");
        for shape in ["round", "rectangular"] {
            for size in sizes {
                let (which, hole) = (format!("{shape}_peg_{size}_tight"), format!("{shape}_hole_{size}"));
                let (name, id) = (format!("{shape} peg of {size}, tight"), format!("{shape}_{size}"));
                if folder.is_none() && *size != "8mm" {
                    out.claim(Claim::skipped(&format!("{id}/down"), &name, ABSENT));
                    continue;
                }
                ctx.say(name.clone());
                let (track, way) = peg(&pegs, &which, &hole)?;
                let cells = [name.clone(), format!("{} mm", number(1e3 * way))];
                table.row(cells.into_iter().chain(track.cells()));
                films.push((track.film.attachment(&name), name.clone()));
                let whole = ABOVE + PLATE + BELOW;
                let claim = format!("{name}: falling distance through the plate onto the floor");
                out.claim(
                    Claim::near(&format!("{id}/down"), &claim, whole, way, 2.0 * PEG_RANGE, "m")
                        .rule("within 2 d̂"),
                );
                out.claim(track.claim(&format!("{id}/intact"), &name));
            }
        }
        films.into_iter().for_each(|(page, caption)| out.film(page, caption));
        if folder.is_none() {
            out.claims_mut().for_each(|c| c.substitute = Some(OWN.to_owned()));
        }
        out.heading("Bolt");
        let (name, pitch) = ("bolt M16 in its nut, loose fit", 2e-3);
        match (&folder, ctx.sized([None, Some(40), Some(100)])) {
            (None, _) => out.claim(Claim::skipped("bolt/pitch", name, ABSENT)),
            (_, None) => {
                out.claim(Claim::skipped("bolt/pitch", name, "This scene only runs in larger sizes."))
            }
            (Some(folder), Some(steps)) => {
                ctx.say(name);
                let (track, turns, off) = bolt(folder, "m16_loose", 2e-3, pitch, steps)?;
                table.row(
                    [name.to_owned(), format!("{} turns", number(turns))].into_iter().chain(track.cells()),
                );
                out.claim(
                    Claim::at_most(
                        "bolt/pitch",
                        "largest difference between the bolt displacement and pitch times turns",
                        2e-4,
                        off,
                        "m",
                    )
                    .rule("at most 0.2 mm, the range of heights at which the start does not intersect"),
                );
                out.claim(
                    Claim::at_least("bolt/turns", "number of turns of the bolt", 0.1, turns, "")
                        .required_since(
                            "a tenth of a turn, where the torque would turn a free bolt by a quarter",
                        ),
                );
                out.claim(track.claim("bolt/intact", name));
            }
        }
        out.heading("All fits");
        out.table(table);
        Ok(out)
    }
}
