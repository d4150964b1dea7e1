use super::scenes::seen;
use super::unit_row::Row;
use super::{classics, degenerate, structures, thread};
use signorini_report::{Context, Mark, Page, PageError, PageOutput, Plot, Table};

/// Unit scenes of incremental potential contact, a row each.
pub(super) struct Units;

/// Scenes of one kind, run.
type Family = fn(&Context) -> Result<Vec<Row>, PageError>;

fn plots() -> [Plot; 5] {
    [
        Plot::new(
            "incline",
            "A cube on an incline of tan α = 0.5, from the start.",
            "time [s]",
            "way down the slope [mm]",
        ),
        Plot::new(
            "turntable",
            "A cube on a disc at 45°/s, 1.5 m from its axis; ω² r/g = 0.0943.",
            "time [s]",
            "way outwards [mm]",
        ),
        Plot::new("cards", "Height of a card of the upper tent.", "time [s]", "height [mm]"),
        Plot::new(
            "arch",
            "The middle stone of an arch. Joints settle at the distance at which they carry; then friction creeps, at a speed in proportion to ε_v.",
            "time [s]",
            "height above the start [mm]",
        ),
        Plot::new(
            "bolt",
            "A bolt that turns down a nut by its weight; closed form: pitch times turns. At first it falls through its play.",
            "turns",
            "way down [mm]",
        ),
    ]
}

impl Page for Units {
    fn id(&self) -> &'static str {
        "chen2022midas/units"
    }
    fn title(&self) -> &'static str {
        "Unit scenes: impact, friction, degenerate contacts, structures, chains, a thread"
    }
    fn lead(&self) -> &'static str {
        "Small scenes of impact, friction, degenerate contact, arches, chains and a thread: each with its smallest distance, which stays above zero."
    }
    fn cost(&self) -> [f64; 3] {
        [10.0, 10.0, 150.0]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let mut out = PageOutput::new([
            "Scenes that are common in tests of contact, at our sizes. Bodies are affine, steps implicit Euler; settings of each scene stand in the last table. Distances and overlaps are looked at after every step.",
            "The quick budget runs card houses for 1 s, an arch of 25 stones for 2 s, a chain of 8 rings for 0.5 s, a ball on 6 rings into 9 cubes for 1 s and a bolt for 0.25 s; --full runs 4 s, arches of 25 and 101 stones for 10 s, 20 rings for 10 s, a ball on 20 \
             rings into 15 cubes for 3 s and the bolt for 0.6 s.",
            "Smoothed friction creeps where it holds, at up to ε_v in every contact. In structures of many contacts that adds up: at ε_v = 1 mm/s the arch comes down visibly (under --full), at 10 µm/s it stands. A structure that is to stand takes a small ε_v.",
        ]);
        let mut parameters = Table::new("Parameters of each scene", &["scene", "parameters"]);
        let families: [(&str, Family); 4] = [
            ("Impact and friction", classics::rows),
            ("Degenerate contacts", degenerate::rows),
            ("Structures and chains", structures::rows),
            ("Thread", thread::rows),
        ];
        for (name, rows) in families {
            let (mut plots, mut results) = (plots(), seen(name, &["scene", "result"]));
            let (mut claims, mut films) = (Vec::new(), Vec::new());
            for row in rows(ctx)? {
                films.push((row.track.film.attachment(&row.name), row.name.clone()));
                results.row([row.name.clone(), row.result].into_iter().chain(row.track.cells()));
                parameters.row([row.name, row.parameters]);
                claims.extend(row.claims);
                for curve in row.curves {
                    match plots.iter_mut().find(|p| p.name == curve.plot) {
                        Some(p) if curve.label.is_empty() => p.add_closed_form(curve.points),
                        Some(p) => p.add(&curve.label, Mark::Line, curve.points),
                        None => continue,
                    };
                }
            }
            out.heading(name);
            out.extend(plots.into_iter().filter(|p| !p.series.is_empty()));
            out.table(results);
            out.extend(claims);
            films.into_iter().for_each(|(page, caption)| out.film(page, caption));
        }
        out.heading("Parameters");
        out.table(parameters);
        Ok(out)
    }
}
