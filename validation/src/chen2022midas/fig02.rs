use signorini_core::na::Isometry3;
use signorini_geometry::{MeshDefect, TriangleMesh};
use signorini_ipc::{AffineSystem, IpcOptions};

use super::bullet;
use super::scenes::{G, Settings, Track, block, seen, solid};
use signorini_report::claim::{length, number};
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot};

/// Beams of three thicknesses into a notch of 10 mm.
pub(super) struct Fig02;

/// Thickness \[m\], d̂ \[m\], κ \[J/m⁴\]: 4.33 κ d̂³, the force of a pair at d̂/2, is 43 N, and 0.35 to 4.3 N where d̂ is far below the clearance; a beam weighs 6.6 to 13 N.
const CASES: [(f64, f64, f64); 5] = [
    (0.005, 1e-4, 1e13),
    (0.009, 1e-4, 1e13),
    (0.0099, 2e-5, 1e15),
    (0.0099, 1e-5, 1e16),
    (0.0099, 1e-7, 1e22),
];
/// The case whose barrier is wider than the notch leaves room: thickness, d̂, κ.
const WIDE: (f64, f64, f64) = (0.0099, 1e-3, 1e10);
/// Thickness of the only beam that goes in with Bullet, as the paper has it \[m\].
const BULLET: f64 = 0.005;
const NOTCH: f64 = 0.01;
const DEPTH: f64 = 0.05;
const MU: f64 = 0.5;
const DENSITY: f64 = 2700.0;
const DT: f64 = 5e-3;
const STEPS: usize = 60;

/// A beam with a notch in the middle of its upper edge.
pub(super) fn notched() -> Result<TriangleMesh, MeshDefect> {
    TriangleMesh::notched_beam([0.5, 0.01, 0.1], [NOTCH, DEPTH])
}

/// A beam that falls over the notch, and its depth over time \[s, mm\].
fn insertion(thickness: f64, settings: &Settings) -> Result<(Track, Vec<(f64, f64)>), PageError> {
    let low = solid("notched", notched(), DENSITY, MU)?.held();
    let beam = block("beam", [0.5 * thickness, 0.25, 0.05], DENSITY, MU)?;
    // 2 mm above the mouth, 40 % of the clearance to the side.
    let start = Isometry3::translation(0.4 * (NOTCH - thickness), 0.0, 0.152);
    let bodies = vec![(low, Isometry3::identity()), (beam, start)];
    let system = AffineSystem::new(bodies, &[], settings.options).map_err(PageError::from_error)?;
    let mut track = Track::new(system, settings);
    let mut curve = Vec::new();
    track.run(STEPS, |t| curve.push((t.time(), 1e3 * depth(t))))?;
    Ok((track, curve))
}

fn depth(t: &Track) -> f64 {
    0.15 - t.center(1).z
}

fn settings(range: f64, stiffness: f64) -> Settings {
    let options = IpcOptions { range, stiffness, ..IpcOptions::default() };
    Settings { dt: DT, tolerance: 1e-4, options }
}

impl Page for Fig02 {
    fn id(&self) -> &'static str {
        "chen2022midas/fig02"
    }
    fn title(&self) -> &'static str {
        "Beams of 5, 9 and 9.9 mm in a notch of 10 mm"
    }
    fn lead(&self) -> &'static str {
        "Beams of 5, 9 and 9.9 mm fall into a notch of 10 mm without intersection. One of them stays out, because its contact range is larger than the clearance."
    }
    fn cost(&self) -> [f64; 3] {
        [0.1, 0.1, 0.1]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let mut table = seen(
            "Depth of the beam after 0.3 s in a notch that is 50 mm deep",
            &[
                "thickness [mm]",
                "clearance [mm]",
                "d̂ [µm]",
                "κ [J/m⁴]",
                "depth [mm]",
                "paper",
                "Bullet in the paper",
            ],
        );
        let mut depths = Plot::new(
            "depth",
            "Depth of the lower edge of the beam below the mouth of the notch. The beam with d̂ = 1 mm stays outside. \
             The other beams enter with nearly equal curves, and two of them are shown.",
            "time [s]",
            "depth [mm]",
        );
        let mut ground = Plot::new(
            "ground",
            "Height of the lower edge of the beam above the bottom of the notch. The beam comes to rest within d̂. \
             The height is computed from the centre of the beam and includes its compression of 0.05 µm.",
            "time [s]",
            "height above the bottom [µm]",
        )
        .log(false, true);
        let mut newton = Plot::new(
            "newton",
            "Newton iterations of each time step",
            "time [s]",
            "Newton iterations per step [–]",
        );
        let (mut claims, mut films, mut inserted) = (Vec::new(), Vec::new(), Vec::new());
        for (thickness, range, stiffness) in CASES.into_iter().chain([WIDE]) {
            let mm = 1e3 * thickness;
            let name = format!("{mm} mm, d̂ = {}", length(range));
            ctx.say(name.clone());
            let (track, curve) = insertion(thickness, &settings(range, stiffness))?;
            let found = depth(&track);
            let page = track.film.attachment(&format!("beam {mm} mm, range {} um", number(1e6 * range)));
            films.push((page, format!("A beam of {name} falls into the notch")));
            let cells = [
                format!("{mm}"),
                format!("{:.1}", 1e3 * (NOTCH - thickness)),
                number(1e6 * range),
                number(stiffness),
                format!("{:.4}", 1e3 * found),
                if range < 1e-3 { "goes in" } else { "–" }.to_owned(),
                match range {
                    r if r >= 1e-3 => "–",
                    _ if thickness == BULLET => "goes in",
                    _ => "stays out",
                }
                .to_owned(),
            ];
            table.row(cells.into_iter().chain(track.cells()));
            let id = format!("{mm}mm/range_{range:e}");
            let what = format!("beam of {mm} mm at d̂ = {}", length(range));
            let steps = track.iterations.iter().zip(&curve).map(|(n, c)| (c.0, f64::from(*n))).collect();
            if range < 1e-3 {
                // To the ground of the notch, but for the range of the barrier and the yielding of bodies.
                let off = 2.0 * range + 1e-6;
                claims.push(
                    Claim::between(
                        &format!("{id}/depth"),
                        &format!("{what}: depth after 0.3 s, in a notch of 50 mm"),
                        [1e3 * (DEPTH - off), 1e3 * DEPTH],
                        1e3 * found,
                        "mm",
                    )
                    .values(format!("{:.3} … 50", 1e3 * (DEPTH - off)), format!("{:.3}", 1e3 * found), "mm")
                    .rule("at most 2 d̂ + 1 µm above the bottom of the notch")
                    .published(match (thickness, range) {
                        (0.0099, 1e-7) => "goes in, d̂ as small as 0.1 µm",
                        _ => "goes in",
                    }),
                );
                if 1e3 * found >= 1e3 * (DEPTH - off) && !inserted.contains(&thickness) {
                    inserted.push(thickness);
                }
            } else {
                claims.push(
                    Claim::at_most(
                        &format!("{id}/stays_out"),
                        &format!("{what}: depth after 0.3 s (a barrier range of twenty times the clearance per side keeps the beam out)"),
                        -0.5e3 * range,
                        1e3 * found,
                        "mm",
                    )
                    .rule("at least d̂/2 above the mouth, where one pair carries 43 N and the beam weighs 13 N, because d̂ acts as a margin"),
                );
            }
            claims.push(track.claim(&format!("{id}/intact"), &what));
            let above = curve.iter().map(|c| (c.0, 1e6 * DEPTH - 1e3 * c.1)).collect();
            ground.add(&name, Mark::Line, above);
            match (thickness, range) {
                (0.005, _) | (_, 1e-3) => depths.add(&name, Mark::Line, curve),
                (0.0099, 1e-7) => depths.add(&name, Mark::Dashed, curve),
                _ => &mut depths,
            };
            newton.add(&name, Mark::Points, steps);
        }
        claims.insert(
            0,
            Claim::at_least(
                "inserted",
                "number of the three beams that reach the bottom of the notch",
                3.0,
                inserted.len() as f64,
                "beams",
            )
            .rule("all three, as in the paper; a beam counts if it ends at most 2 d̂ + 1 µm above the bottom")
            .published("3 beams (Bullet 1)"),
        );
        let (said, beside) = bullet::recorded(&ctx.root)?;
        let mut out = PageOutput::new([
            format!(
                "The lower beam is fixed. It has 0.5 × 0.01 × 0.1 m and a notch in its upper edge, which is {} mm wide and {} mm deep. \
                 The lower beam is one concave mesh. \
                 The upper beam has l × 0.5 × 0.1 m and crosses the lower beam at a right angle. It falls from 2 mm above the mouth and starts 40 % of the \
                 clearance to the side. \
                 The density is {DENSITY} kg/m³, μ = {MU}, and gravity is {:.2} m/s². The paper only gives the sizes. \
                 Density, friction, time step and solver settings are chosen here.",
                1e3 * NOTCH,
                1e3 * DEPTH,
                G,
            ),
            format!(
                "The settings are {}. The table lists d̂ and κ of each run. Distances and overlaps are measured after every step.",
                settings(1e-4, 1e13).without_barrier()
            ),
            "Bodies push each other within the barrier range d̂. The range d̂ therefore acts like the collision margin of other simulators. \
             The last run shows this effect: with d̂ = 1 mm the beam of 9.9 mm stays out. \
             In contrast to a margin, d̂ can be chosen freely. A range of 0.1 µm, a thousandth of the clearance, works as well."
                .into(),
        ]);
        out.heading("Depth in the notch");
        out.plot(depths);
        out.plot(ground);
        out.table(table);
        out.extend(claims);
        films.into_iter().for_each(|(page, caption)| out.film(page, caption));
        out.heading("Newton iterations");
        out.plot(newton);
        out.heading("Comparison with Bullet");
        out.prose(said);
        out.extend(beside);
        Ok(out)
    }
}
