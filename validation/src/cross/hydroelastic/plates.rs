use signorini_core::na::{UnitQuaternion, Vector3};
use signorini_report::claim::number;
use signorini_report::{Claim, Context, Mark, PageError, PageOutput, Plot, Table};
use signorini_run::Method;
use signorini_scene::{Hydroelastic, Scene, SceneBuilder};

use super::{Path, failed};

/// Half extents of a plate \[m\].
const HALF: [f64; 3] = [0.1, 0.1, 0.005];
const MASS: f64 = 0.4;
const MODULUS: f64 = 1e7;
/// Tilt of the plate that is set down \[rad\].
const TILT: f64 = 0.01;
const TIME: f64 = 2.0;
/// Largest angular speed at the end \[rad/s\].
const STILL: f64 = 1e-3;

/// Ways plates are put on each other.
#[derive(Clone, Copy)]
enum Pile {
    /// One lies, another is set on it with one edge first.
    SetDown,
    /// Ten lie on each other, each turned about the normal.
    Ten,
}

impl Pile {
    fn count(self) -> usize {
        match self {
            Self::SetDown => 2,
            Self::Ten => 10,
        }
    }

    /// Position and rotation of a plate at the start.
    fn place(self, i: usize) -> ([f64; 3], UnitQuaternion<f64>) {
        let z = HALF[2] * (2.0 * i as f64 + 1.0);
        match self {
            Self::SetDown if i == 1 => {
                let turn = UnitQuaternion::from_scaled_axis(Vector3::y() * TILT);
                // The lowest corner touches.
                ([0.0, 0.0, z + HALF[0] * TILT.sin()], turn)
            }
            Self::SetDown => ([0.0, 0.0, z], UnitQuaternion::identity()),
            Self::Ten => ([0.0, 0.0, z], UnitQuaternion::from_scaled_axis(Vector3::z() * (0.3 * i as f64))),
        }
    }

    fn scene(self) -> Result<Scene, PageError> {
        let mut b =
            SceneBuilder::new("plates").half_space().hydroelastic(Hydroelastic::rigid()).friction(0.5);
        for i in 0..self.count() {
            let (at, turn) = self.place(i);
            b = b.body(format!("plate{i}")).at(at).rotated(turn).free_joint().cuboid(HALF).mass(MASS);
            b = b.friction(0.5).hydroelastic(Hydroelastic::compliant(MODULUS));
        }
        b.build().map_err(failed)
    }
}

/// Largest angular speed \[rad/s\].
fn spin(v: &[f64]) -> f64 {
    v.chunks_exact(6).map(|v| Vector3::new(v[3], v[4], v[5]).norm()).fold(0.0, f64::max)
}

/// Largest horizontal speed \[m/s\].
fn slide(v: &[f64]) -> f64 {
    v.chunks_exact(6).map(|v| v[0].hypot(v[1])).fold(0.0, f64::max)
}

/// Largest horizontal way from the place at the start \[m\].
fn drift(first: &[f64], q: &[f64]) -> f64 {
    let way = |(a, b): (&[f64], &[f64])| (b[0] - a[0]).hypot(b[1] - a[1]);
    first.chunks_exact(7).zip(q.chunks_exact(7)).map(way).fold(0.0, f64::max)
}

pub(super) fn run(ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
    out.heading("Plates");
    out.prose(format!(
        "Plates of 0.2 m × 0.2 m × 10 mm and {MASS} kg are compliant with {MODULUS:e} Pa. The floor is rigid, and the friction coefficient is 0.5. \
         In one scene a plate lies on the floor and another one is let go on it, tilted by {TILT} rad, so that one edge touches first. In the other \
         scene ten plates lie on each other, each turned by 0.3 rad against the one below. Each run takes {TIME} s."
    ));
    let mut table = Table::new(
        "Plates after 2 s",
        &["scene", "method", "accepted steps", "largest angular speed [rad/s]", "drift [µm]"],
    );
    let mut plot = Plot::new(
        "plates",
        "Largest angular speed of a plate. Zeros are not shown.",
        "time [s]",
        "angular speed [rad/s]",
    )
    .log(false, true);
    let mut film = None;
    for (key, pile, title, most) in [
        ("set", Pile::SetDown, "a plate set on a plate", HALF[2] * TILT + 0.5 * HALF[0] * TILT * TILT),
        ("ten", Pile::Ten, "ten plates on each other", 1e-5),
    ] {
        let scene = pile.scene()?;
        for (id, name, method) in [
            ("1e-1", "error control, 1e-1", Method::cenic(1e-1)),
            ("1e-3", "error control, 1e-3", Method::cenic(1e-3)),
            ("icf", "ICF, 10 ms", Method::icf().with_step(1e-2)),
        ] {
            ctx.say(format!("{title}, {name}"));
            let filmed = matches!(pile, Pile::SetDown) && id == "1e-3";
            let mut path = Path::run(&scene, &method, TIME, filmed, |_| {})?;
            film = film.or(path.motion.take());
            let (spin_end, way) = (spin(&path.v[path.last()]), drift(&path.q[0], &path.q[path.last()]));
            table.row([
                title.to_owned(),
                name.to_owned(),
                path.report.steps.to_string(),
                number(spin_end),
                number(1e6 * way),
            ]);
            out.claim(
                Claim::at_most(
                    &format!("plates/{key}/spin/{id}"),
                    &format!("{title} ({name}): largest angular speed after {TIME} s"),
                    STILL,
                    spin_end,
                    "rad/s",
                )
                .required_since("0.1 mm/s at the edge of a plate, the stiction speed"),
            );
            let why = match pile {
                Pile::SetDown => {
                    "the way of the middle of a plate that turns about its lower edge until it lies: half its thickness times the tilt and half its side times half the square of the tilt"
                }
                Pile::Ten => {
                    "nothing pushes sideways; a tenth of the stiction speed times a second is left to friction"
                }
            };
            let reason = match id {
                "1e-1" => {
                    "Error control at 1e-1 lets the position be off by up to 0.1 m in a step.".to_owned()
                }
                _ => format!(
                    "Plates slide until they have settled into their depths. The largest horizontal speed after {TIME} s is {} m/s.",
                    number(slide(&path.v[path.last()]))
                ),
            };
            out.claim(
                Claim::at_most(
                    &format!("plates/{key}/drift/{id}"),
                    &format!("{title} ({name}): largest horizontal way of a plate"),
                    most,
                    way,
                    "m",
                )
                .required_since(why)
                .because(&reason),
            );
            let curve = path.curve(|_, v| spin(v)).into_iter().filter(|p| p.1 > 1e-12);
            plot.add(&format!("{title}, {name}"), Mark::Line, curve.collect());
        }
    }
    if let Some(film) = film {
        out.film(film.attachment("plate"), "A plate is set on a plate with one edge first, accuracy 1e-3");
    }
    out.plot(plot);
    out.table(table);
    Ok(())
}
