use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};

use crate::agreement::{Answer, PROBLEMS, SOLVERS, SWEPT, rows};

/// Every law of the registry under every solver, beside the reference.
pub(super) struct Solvers;

impl Page for Solvers {
    fn id(&self) -> &'static str {
        "cross/solvers"
    }
    fn title(&self) -> &'static str {
        "Every law under every solver: deviation from the reference, beside its bound"
    }
    fn lead(&self) -> &'static str {
        "Each contact law runs under each solver; the deviation from a dense reference solver stands beside its bound."
    }
    fn cost(&self) -> [f64; 3] {
        [2.0, 2.0, 2.0]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        ctx.say("all laws");
        let mut out = PageOutput::new([
            format!(
                "{PROBLEMS} random step problems per law: five constraints among three bodies of random mass and inertia and the world, gaps from −3 to 1 mm, stiffness from 10² to 10⁵ N/m, steps of 10 ms. \
                 The deviation is ‖v − v̂‖ over ‖v* − v̂‖ in the norm of the inertia A, v̂ the solution of the dense reference at a tolerance of 1e-13, v* the velocity without contact."
            ),
            "The objective is 1-strongly convex in that norm, so a solution is off by at most its residual over the root of the least eigenvalue of D A D, D the scaling of residuals. One evaluation at v* is off by −H x, x = v* − v̂, with H the mean of A⁻¹∇²L on \
             the way from v̂ to v*, and by at most the root of the largest eigenvalue of H times ⟨x, H x⟩: at most one for gains that are shared among contacts, thousands for stiff springs; and it is v* − A⁻¹∇L(v*) to round-off. Several sweeps end at contact without compliance, and v̂ is the solution of that problem, found with multipliers by the reference; their bound follows from the residual of \
             their facets. Numbers are the worst of all problems."
                .to_owned(),
        ]);
        let mut table =
            Table::new("Deviation, and its bound in parentheses", &["law", "rows", "problems that act"]);
        table.head.extend(SOLVERS.map(str::to_owned));
        let mut worst: [(f64, String); SOLVERS.len()] = Default::default();
        let mut drawn: [Vec<(f64, f64)>; SOLVERS.len()] = Default::default();
        let (mut idle, mut unsolved) = (0, 0);
        for row in rows()? {
            let mut cells =
                vec![row.key.to_owned(), row.dim.to_string(), format!("{:.0} %", 100.0 * row.acting)];
            idle += i32::from(row.acting < 0.5);
            for ((answer, worst), drawn) in row.answers.iter().zip(&mut worst).zip(&mut drawn) {
                cells.push(match answer {
                    Answer::Refused => "refused".into(),
                    Answer::Ended(status) => {
                        unsolved += 1;
                        format!("{status:?}")
                    }
                    Answer::Solved { deviation, bound, quotient, .. } => {
                        if quotient.is_nan() || *quotient > worst.0 {
                            *worst = (*quotient, format!("{} ({} rows)", row.key, row.dim));
                        }
                        if *deviation > 0.0 && *bound > 0.0 {
                            drawn.push((*bound, *deviation));
                        }
                        format!("{deviation:.1e} ({bound:.1e})")
                    }
                });
            }
            table.row(cells);
        }
        let mut plot = Plot::new(
            "deviations",
            "Deviation from the dense reference beside its bound, one point for each law. Points below the dashed line are within the bound.",
            "bound of the deviation [1]",
            "deviation [1]",
        )
        .log(true, true);
        for (name, points) in SOLVERS.iter().zip(drawn) {
            plot.add(name, Mark::Points, points);
        }
        plot.add("bound", Mark::Dashed, vec![(1e-16, 1e-16), (1e4, 1e4)]);
        out.plot(plot);
        out.table(table);
        for (name, (quotient, law)) in SOLVERS.iter().zip(worst) {
            out.claim(
                Claim::at_most(
                    if *name == SWEPT { "gauss_seidel" } else { name },
                    &format!("{name}: largest deviation over its bound, here of {law}"),
                    1.0,
                    quotient,
                    "",
                )
                .rule("at most 1, by strong convexity; for one evaluation by the mean curvature of the laws, for sweeps by their residual"),
            );
        }
        out.claim(Claim::at_most(
            "unsolved",
            "solvers that ended without a solution",
            0.0,
            f64::from(unsolved),
            "",
        ));
        out.claim(
            Claim::at_most(
                "idle",
                "laws that act in fewer than half of the problems",
                0.0,
                f64::from(idle),
                "",
            )
            .rule("at most 0, else the table says nothing of them"),
        );
        Ok(out)
    }
}
