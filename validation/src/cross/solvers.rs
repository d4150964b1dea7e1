use signorini_report::claim::counted;
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};

use crate::agreement::{Answer, ONCE, PROBLEMS, SOLVERS, SWEPT, rows};

/// Every law of the registry under every solver, beside the reference.
pub(super) struct Solvers;

impl Page for Solvers {
    fn id(&self) -> &'static str {
        "cross/solvers"
    }
    fn title(&self) -> &'static str {
        "Deviation of every solver from a reference, for every contact law"
    }
    fn lead(&self) -> &'static str {
        "Each contact law is solved by each solver, and the deviation from a dense reference solver is compared with a theoretical bound."
    }
    fn cost(&self) -> [f64; 3] {
        [1.4, 1.4, 1.4]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        ctx.say("all laws");
        let mut out = PageOutput::new([
            format!("Each law has {PROBLEMS} random step problems. A problem has five constraints among the world and three bodies of random mass \
                and inertia, with gaps from −3 to 1 mm, a stiffness from 10² to 10⁵ N/m and time steps of 10 ms. All numbers are the worst of all \
                problems."),
            "The deviation is ‖v − v̂‖ over ‖v* − v̂‖ in the norm of the inertia A. v̂ is the solution of the dense reference solver at a tolerance \
             of 1e-13, and v* is the velocity without contact.".to_owned(),
            "Bound for solvers that converge: the objective is 1-strongly convex in the norm of A. The error of a solution is therefore at most its \
             residual over the square root of the smallest eigenvalue of D A D, where D is the scaling of the residuals.".to_owned(),
            "Bound for one evaluation at v*: its error is −H x with x = v* − v̂, where H is the mean of A⁻¹∇²L between v̂ and v*. The error is at \
             most the square root of the largest eigenvalue of H times ⟨x, H x⟩. The bound is at most one for gains that are shared among contacts, \
             and thousands for stiff springs. The result must also equal v* − A⁻¹∇L(v*) up to round-off.".to_owned(),
            "Bound for projected Gauss–Seidel: several sweeps end at contact without compliance. v̂ is then the solution of this other problem, \
             which the reference finds with multipliers. The bound follows from the residual of the facets.".to_owned(),
        ]);
        let mut table = Table::new(
            "Deviation of each solver, with its bound in parentheses",
            &["law", "rows", "problems in which the law acts"],
        );
        table.head.extend(SOLVERS.map(str::to_owned));
        let mut worst: [(f64, String); SOLVERS.len()] = Default::default();
        let mut drawn: [Vec<(f64, f64)>; SOLVERS.len()] = Default::default();
        let (mut idle, mut unsolved, mut all) = (0, 0, 0);
        for row in rows()? {
            all += 1;
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
                            *worst = (*quotient, format!("{} ({})", row.key, counted(row.dim as u64, "row")));
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
            "bound of the deviation [–]",
            "deviation [–]",
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
                    match *name {
                        SWEPT => "gauss_seidel",
                        ONCE => "comfree",
                        other => other,
                    },
                    &format!("{name}: largest ratio of the deviation to its bound (here for the law {law})"),
                    1.0,
                    quotient,
                    "",
                )
                .rule("at most 1. The bound comes from strong convexity for solvers that converge, from the mean curvature of the laws for one \
                    evaluation, and from the residual for sweeps."),
            );
        }
        out.claim(Claim::at_most(
            "unsolved",
            &format!("number of answers without a solution, of {all} laws under {} solvers", SOLVERS.len()),
            0.0,
            f64::from(unsolved),
            "",
        ));
        out.claim(
            Claim::at_most(
                "idle",
                &format!("number of laws, of {all}, that act in fewer than half of the problems"),
                0.0,
                f64::from(idle),
                "",
            )
            .rule("at most 0, because the table would say nothing about such laws"),
        );
        Ok(out)
    }
}
