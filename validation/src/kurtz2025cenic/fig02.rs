use signorini_laws::{friction_coefficient, sigmoid};

use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot};

/// Fig. 2: the friction coefficient as a function of slip.
pub(super) struct Fig02;

impl Page for Fig02 {
    fn id(&self) -> &'static str {
        "kurtz2025cenic/fig02"
    }
    fn title(&self) -> &'static str {
        "Regularised static and dynamic friction"
    }
    fn lead(&self) -> &'static str {
        "The friction coefficient falls from its static to its dynamic value as the sliding speed grows, and the friction force is smoothed near \
         zero speed."
    }
    fn cost(&self) -> [f64; 3] {
        [0.1, 0.1, 0.1]
    }
    fn run(&self, _: &Context) -> Result<PageOutput, PageError> {
        let (mu_s, mu_d) = (1.0, 0.5);
        let s: Vec<f64> = (0..=600).map(|i| 0.05 * f64::from(i)).collect();
        let curve = |f: &dyn Fn(f64) -> f64| s.iter().map(|&x| (x, f(x))).collect::<Vec<_>>();
        let mu = |x: f64| friction_coefficient(mu_s, mu_d, x);
        let force = curve(&|x| mu(x) * sigmoid(x));
        let peak = force.iter().copied().fold((0.0, 0.0), |a: (f64, f64), b| if b.1 > a.1 { b } else { a });
        let mut plot = Plot::new(
            "friction",
            "Friction coefficient μ(s) of eq. (8), and ratio of friction force to normal force μ(s) f(s), for μ_s = 1, μ_d = 0.5 and σ = 10.",
            "slip speed s over v_s [–]",
            "friction coefficient [–]",
        );
        plot.add("μ(s)", Mark::Line, curve(&mu)).add("μ(s) f(s)", Mark::Line, force);
        plot.add("μ_s, μ_d", Mark::Dashed, vec![(0.0, mu_s), (30.0, mu_s)]);
        plot.add_colored("", Mark::Dashed, 2, vec![(0.0, mu_d), (30.0, mu_d)]);
        let mut out = PageOutput::new([
            "s is the slip speed relative to the regularisation speed v_s. The friction force rises as the sigmoid f(s) = s/√(1 + s²). The friction \
             coefficient falls from its static to its dynamic value around s = 10.",
        ]);
        out.plot(plot);
        out.extend([
            Claim::relative("static", "friction coefficient μ(0), the static one", mu_s, mu(0.0), 1e-12, "")
                .rule("equal up to round-off, by eq. (8)"),
            Claim::relative(
                "before",
                "friction coefficient μ(5), expected value of eq. (8) evaluated apart from the code",
                0.996,
                mu(5.0),
                1e-3,
                "",
            )
            .rule("within 0.1 %: the expected value has three digits"),
            Claim::relative(
                "after",
                "friction coefficient μ(15), expected value of eq. (8) evaluated apart from the code",
                0.504,
                mu(15.0),
                1e-3,
                "",
            )
            .rule("within 0.1 %: the expected value has three digits"),
            Claim::relative(
                "peak",
                "largest ratio of friction force to normal force",
                0.980,
                peak.1,
                1e-3,
                "",
            )
            .rule("within 0.1 %: the expected value, of eq. (8) evaluated apart from the code, has three digits"),
            Claim::between("peak_at", "slip speed at the largest ratio", [6.1, 6.3], peak.0, "v_s")
                .rule("in 6.1 … 6.3: eq. (8) evaluated apart from the code has the maximum at 6.2"),
        ]);
        Ok(out)
    }
}
