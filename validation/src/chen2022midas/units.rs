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
            "Displacement of a cube on an incline of tan α = 0.5",
            "time [s]",
            "displacement down the slope [mm]",
        ),
        Plot::new(
            "turntable",
            "Outward displacement of a cube on a disc that rotates at 45°/s, 1.5 m from the axis (ω² r/g = 0.0943)",
            "time [s]",
            "outward displacement [mm]",
        ),
        Plot::new("cards", "Height of a card of the upper tent of the card house", "time [s]", "height [mm]"),
        Plot::new(
            "arch",
            "Height of the middle stone of an arch. The joints first settle at the distance that carries the load. \
             Friction then creeps at a speed proportional to ε_v.",
            "time [s]",
            "height above the start [mm]",
        ),
        Plot::new(
            "bolt",
            "Downward displacement of a bolt that turns down a nut by its weight. The closed form is pitch times turns. The bolt first falls through its play.",
            "turns [–]",
            "downward displacement [mm]",
        ),
    ]
}

impl Page for Units {
    fn id(&self) -> &'static str {
        "chen2022midas/units"
    }
    fn title(&self) -> &'static str {
        "Unit scenes of impact, friction, degenerate contacts, structures, chains and a thread"
    }
    fn lead(&self) -> &'static str {
        "Small scenes of impact, friction, degenerate contacts, structures, chains and a thread run without intersection."
    }
    fn cost(&self) -> [f64; 3] {
        [8.0, 10.0, 150.0]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let mut out = PageOutput::new([
            "These scenes are common in tests of contact simulation. Their sizes are chosen here. Bodies are affine, and the time integration is implicit \
             Euler. The last table lists the settings of each scene. Distances and overlaps are measured after every step.",
            "The quick size runs card houses for 1 s, an arch of 25 stones for 2 s, a chain of 8 rings for 0.5 s, a wrecking ball on 6 rings against 9 \
             cubes for 1 s, and a bolt for 0.25 s. \
             The full size (--full) runs card houses for 4 s, arches of 25 and 101 stones for 10 s, a chain of 20 rings for 10 s, a ball on 20 rings \
             against 15 cubes for 3 s, and the bolt for 0.6 s.",
            "Smoothed friction creeps in sticking contacts, at up to ε_v in each contact. The creep adds up in structures with many contacts. \
             The arch comes down visibly at ε_v = 1 mm/s (with --full) and stands at 10 µm/s. A structure that should stand needs a small ε_v.",
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
