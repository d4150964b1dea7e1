//! How solves end, and what they refuse, on a law of one row that a test can make misbehave.

use serde::{Deserialize, Serialize};
use signorini_core::na::{SMatrix, SVector};
use signorini_core::*;
use signorini_icf::{IcfOptions, IcfSolver, InitialGuess, ResidualScale, StepTest};

/// Behaviour of the law on its row.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
enum Kind {
    /// Nothing.
    Open,
    /// ℓ = v⁴: Newton's method takes a third off in every step.
    Quartic,
    /// A descent −∇ℓ²/∇²ℓ too small for a number.
    Tiny,
    /// ℓ = −5 v², against what it says of itself.
    Concave,
    /// ℓ = v²/2 up to this speed, and no number above.
    NanAbove(f64),
    /// ℓ = 2 v².
    Spring,
    /// ℓ = g v with a Hessian h that it does not have, so that Newton's steps are short.
    Stiff(f64, f64),
    /// ℓ = 2 v² with a Hessian of a quarter, so that Newton's steps are too long; it is right along lines.
    Soft,
}

/// A law that says it is convex.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Odd;

fn eval(kind: Kind, v: f64) -> [f64; 3] {
    match kind {
        Kind::Open => [0.0; 3],
        Kind::Quartic => [v.powi(4), 4.0 * v.powi(3), 12.0 * v * v],
        Kind::Tiny => [0.0, 1e-100, 1e200],
        Kind::Concave => [-5.0 * v * v, -10.0 * v, -10.0],
        Kind::NanAbove(limit) if v > limit => [f64::NAN; 3],
        Kind::NanAbove(_) => [0.5 * v * v, v, 1.0],
        Kind::Spring => [2.0 * v * v, 4.0 * v, 4.0],
        Kind::Soft => [2.0 * v * v, 4.0 * v, 1.0],
        Kind::Stiff(g, h) => [g * v, g, h],
    }
}

impl ContactLaw<1> for Odd {
    type Seed = Kind;
    type Params = Kind;
    const KEY: &'static str = "odd";
    const PROPERTIES: LawProperties = LawProperties::CONVEX;
    const PAPER: &'static str = "kurtz2025cenic";
    fn prepare(&self, seed: &Kind) -> Kind {
        *seed
    }
    fn eval(&self, p: &Kind, v_c: SVector<f64, 1>) -> LawEval<1> {
        let [cost, grad, hess] = eval(*p, v_c[0]);
        LawEval { cost, grad: SVector::from([grad]), hess: SMatrix::from([[hess]]) }
    }
    fn along(&self, p: &Kind, v_c: SVector<f64, 1>, dv: SVector<f64, 1>) -> Along {
        let [value, grad, hess] = eval(*p, v_c[0]);
        let hess = if matches!(p, Kind::Soft) { 4.0 } else { hess };
        Along { value, slope: grad * dv[0], curvature: hess * dv[0] * dv[0] }
    }
}

/// A law that says it is not convex.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Bent;

impl ContactLaw<1> for Bent {
    type Seed = Kind;
    type Params = Kind;
    const KEY: &'static str = "bent";
    const PROPERTIES: LawProperties = LawProperties { convex: false, ..LawProperties::CONVEX };
    const PAPER: &'static str = "kurtz2025cenic";
    fn prepare(&self, seed: &Kind) -> Kind {
        *seed
    }
    fn eval(&self, _: &Kind, _: SVector<f64, 1>) -> LawEval<1> {
        LawEval::zero()
    }
}

/// One mass of 1 kg for each kind, with a row and v* of its own.
fn problem<L: ContactLaw<1, Seed = Kind>>(law: L, kinds: &[Kind], v_star: f64) -> FrozenProblem {
    let mut inertia = BlockDiagonal::with_sizes(&vec![1; kinds.len()]);
    (0..kinds.len()).for_each(|b| inertia.block_mut(b)[0] = 1.0);
    inertia.factor().unwrap();
    let mut map = FrozenMap::new(inertia.block_starts());
    let mut pool = Pool::<L, 1>::new(law);
    for (b, kind) in kinds.iter().enumerate() {
        map.push_constraint(&[0.0]);
        map.push_block(b)[0] = 1.0;
        pool.push(kind);
    }
    let pools = Pools::new(vec![Box::new(pool)]);
    FrozenProblem::new(0.01, inertia, vec![v_star; kinds.len()], map, pools, Vec::new()).unwrap()
}

fn run(
    options: IcfOptions,
    p: &mut dyn StepProblem,
    guess: f64,
    tol: Tolerance,
) -> Result<StepSolution, SolveError> {
    let (n, mut out) = (p.velocity_count(), StepSolution::default());
    let status = IcfSolver::new(options).solve(p, &vec![guess; n], tol, &mut out)?;
    assert_eq!(status, out.status);
    Ok(out)
}

/// Stalled before out of iterations before converged, in whatever order islands come.
#[test]
fn property_the_worst_island_is_told() {
    use Kind::{Open, Quartic, Tiny};
    use SolveStatus::{Converged, IterationLimit, Stalled};
    // A tolerance that only an exact solution meets.
    let options = IcfOptions { min_tolerance: 1e-250, ..IcfOptions::default() };
    let tol = Tolerance { relative: 0.0, max_iterations: 7 };
    for (kinds, status) in [
        (&[Open][..], Converged),
        (&[Open, Open], Converged),
        (&[Quartic], IterationLimit),
        (&[Tiny], Stalled),
        (&[Open, Quartic], IterationLimit),
        (&[Quartic, Open], IterationLimit),
        (&[Open, Tiny], Stalled),
        (&[Tiny, Open], Stalled),
        (&[Quartic, Tiny], Stalled),
        (&[Tiny, Quartic], Stalled),
        (&[Tiny, Tiny], Stalled),
        (&[Quartic, Quartic], IterationLimit),
        (&[Quartic, Open, Tiny, Open], Stalled),
    ] {
        // From v* = 0 the law alone acts; Quartic starts elsewhere.
        let mut p = problem(Odd, kinds, 0.0);
        let guess: Vec<f64> = kinds.iter().map(|k| if matches!(k, Quartic) { 10.0 } else { 0.0 }).collect();
        let mut out = StepSolution::default();
        assert_eq!(IcfSolver::new(options).solve(&mut p, &guess, tol, &mut out), Ok(status), "{kinds:?}");
        // Iterations of the slowest island; those that stall take none.
        let slow = kinds.iter().filter(|k| matches!(k, Quartic)).count() as u32;
        assert_eq!(out.stats.iterations, if slow > 0 { 7 } else { 0 });
        assert_eq!(out.stats.island_iterations, 7 * slow);
    }
}

/// An iterate that a stall leaves is the one before it.
#[test]
fn property_a_stall_moves_nothing() {
    let options = IcfOptions { min_tolerance: 1e-250, ..IcfOptions::default() };
    let mut p = problem(Odd, &[Kind::Tiny], 0.0);
    let out = run(options, &mut p, 0.0, Tolerance { relative: 0.0, max_iterations: 7 }).unwrap();
    assert_eq!((out.v[0], out.residual), (0.0, 1e-100));
    // Round-off of the impulse alone.
    assert!(out.tolerance > 0.0 && out.tolerance < 1e-13 * out.residual, "{:e}", out.tolerance);
}

#[test]
fn property_failures_are_told_by_their_place() {
    let tol = Tolerance::default();
    // A Hessian of 1 − 10, in the first iteration.
    let mut p = problem(Odd, &[Kind::Concave], 1.0);
    let e = run(IcfOptions::default(), &mut p, 3.0, tol).unwrap_err();
    assert_eq!(e, SolveError::Factorization { iteration: 0, residual: 28.0 });
    // The objective beyond the guess.
    let mut p = problem(Odd, &[Kind::Open, Kind::NanAbove(0.25)], 1.0);
    let e = run(IcfOptions::default(), &mut p, 0.0, tol).unwrap_err();
    assert!(
        matches!(&e, SolveError::Problem(ProblemError::NonFinite { what, .. }) if what.contains("search"))
    );
    // The guess itself, by its unknown.
    let e = run(IcfOptions::default(), &mut p, 0.5, tol).unwrap_err();
    let SolveError::Problem(ProblemError::NonFinite { what, index }) = e else { panic!("{e}") };
    assert!(what.contains("gradient") && index == 1, "{what} {index}");
}

/// A residual within the tolerance ends a solve; so does a Newton step within it whose residual is at most ten times as large, and at most that of a relative tolerance of 0.1.
#[test]
fn analytic_tests_of_convergence_at_their_bounds() {
    const T: f64 = 0.0625;
    const TIGHT: f64 = T / 8.0;
    let end_at = |relative: f64, kind, guess: f64, step_test, max_iterations| {
        let options = IcfOptions { step_test, ..IcfOptions::default() };
        let mut p = problem(Odd, &[kind], 1.0);
        let out = run(options, &mut p, guess, Tolerance { relative, max_iterations }).unwrap();
        // The momentum is the larger; round-off is 64 u beside ε.
        assert!((out.tolerance / (relative * out.v[0]) - 1.0).abs() < 1e-11);
        (out.status, out.stats.iterations)
    };
    let end = |kind, guess, step_test, most| end_at(T, kind, guess, step_test, most);
    use SolveStatus::{Converged, IterationLimit};
    for step_test in [StepTest::Newton, StepTest::Published] {
        // The residual of a free mass at 1 + x is x ≤ T (1 + x).
        let bound = T / (1.0 - T);
        assert_eq!(end(Kind::Open, 1.0 + 0.999 * bound, step_test, 9), (Converged, 0));
        assert_eq!(end(Kind::Open, 1.0 + 1.001 * bound, step_test, 9), (Converged, 1));
        // A first step of x = g/5 to 1 − x, x ≤ ε (1 − x); the residual behind it is 4x.
        let bound = 5.0 * TIGHT / (1.0 + TIGHT);
        let end = |times: f64| end_at(TIGHT, Kind::Stiff(times * bound, 4.0), 1.0, step_test, 9);
        assert!(end(1.001).1 > 1);
        assert_eq!(end(0.999), (Converged, 1));
    }
    // Steps that move nothing leave the residual as it is.
    for (relative, times, status, iterations) in [
        (TIGHT, 9.99, Converged, 1),
        (TIGHT, 10.01, IterationLimit, 9),
        (TIGHT, 15.0, IterationLimit, 9),
        (T, 0.0999 / T, Converged, 1),
        (T, 0.1001 / T, IterationLimit, 9),
        (4.0 * T, 1.001, IterationLimit, 9),
    ] {
        let kind = Kind::Stiff(times * relative, 1e200);
        let newton = end_at(relative, kind, 1.0, StepTest::Newton, 9);
        assert_eq!(newton, (status, iterations), "{relative} {times}");
        let published = end_at(relative, kind, 1.0, StepTest::Published, 9);
        assert_eq!(published, (Converged, 1), "{relative} {times}");
    }
}

/// Along a line a quadratic objective is known from its ends: the first trial of a cubic is its minimum, and so is Newton's step from any trial.
#[test]
fn analytic_line_searches_of_quadratics_take_one_trial() {
    for (kind, guess, evaluations, alpha) in [
        // The longest step, then the minimum.
        (Kind::Spring, InitialGuess::Cubic, 2, 1.0),
        (Kind::Soft, InitialGuess::Cubic, 2, 0.4),
        (Kind::Soft, InitialGuess::Quadratic, 2, 0.4),
        // A trial of the whole step, then Newton's.
        (Kind::Soft, InitialGuess::Fixed, 3, 0.4),
    ] {
        // ½ (v − 1)² + 2 v² has its minimum at 0.2, whatever the start: Newton's step from the soft Hessian is 5/2 of the way.
        for start in [3.0, -2.0] {
            let mut options = IcfOptions { record_history: true, ..IcfOptions::default() };
            (options.line_search.alpha_max, options.line_search.guess) = (1.5, guess);
            let (mut solver, mut out) = (IcfSolver::new(options), StepSolution::default());
            let mut p = problem(Odd, &[kind], 1.0);
            solver.solve(&mut p, &[start], Tolerance::default(), &mut out).unwrap();
            let first = solver.history()[0];
            assert_eq!((first.line_search, solver.history().len()), (evaluations, 2), "{kind:?} {guess:?}");
            // Round-off.
            assert!((first.alpha - alpha).abs() < 1e-14 && (out.v[0] - 0.2).abs() < 1e-14, "{first:?}");
            assert!((first.residual - (5.0 * start - 1.0).abs()).abs() < 1e-14);
        }
    }
}

/// Options are kept as given, and refused by name.
#[test]
fn property_options_are_checked_by_name() {
    let plain = IcfOptions::default();
    let mut p = problem(Odd, &[Kind::Open], 1.0);
    let mut longest = [plain; 3];
    let mut tolerance = [plain; 3];
    let mut least = [plain; 3];
    for (i, x) in [0.0, -1.0, f64::INFINITY].into_iter().enumerate() {
        longest[i].line_search.alpha_max = x;
        tolerance[i].line_search.tolerance = x;
        least[i].min_tolerance = x;
    }
    let mut none = plain;
    none.line_search.max_evaluations = 0;
    for (options, name) in [
        (&longest[..], "line_search.alpha_max"),
        (&tolerance, "line_search.tolerance"),
        (&[none], "line_search.max_evaluations"),
        (&least, "min_tolerance"),
    ] {
        for options in options {
            let e = run(*options, &mut p, 0.0, Tolerance::default()).unwrap_err().to_string();
            assert!(e.contains(name), "{e}");
        }
    }
    let mut one = plain;
    one.line_search.max_evaluations = 1;
    run(one, &mut p, 0.0, Tolerance::default()).unwrap();

    let paper = IcfOptions::paper();
    assert_eq!((paper.step_test, paper.min_tolerance), (StepTest::Published, 1e-8));
    assert_eq!(paper.scale, ResidualScale::Published);
    assert!(paper.reuse_hessian && !paper.islands);
    let mut solver = IcfSolver::new(paper);
    assert_eq!(*solver.options(), paper);
    solver.options_mut().reuse_target = 3;
    assert_eq!(solver.options().reuse_target, 3);
    assert_eq!((solver.name(), IcfSolver::boxed().name()), ("icf", "icf"));
}

/// A problem that says something else of itself.
struct Said {
    inner: FrozenProblem,
    regime: Regime,
    smooth: Option<Flat>,
}

/// A potential of nothing.
struct Flat;
impl SmoothPotential for Flat {
    fn value(&self, _: &[f64]) -> f64 {
        0.0
    }
    fn add_gradient(&self, _: &[f64], _: &mut [f64]) {}
    fn add_hessian(&self, _: &[f64], _: &mut dyn BlockSink) {}
}

impl StepProblem for Said {
    fn dt(&self) -> f64 {
        self.inner.dt()
    }
    fn inertia(&self) -> &dyn Inertia {
        self.inner.inertia()
    }
    fn free_velocity(&self) -> &[f64] {
        self.inner.free_velocity()
    }
    fn smooth(&self) -> Option<&dyn SmoothPotential> {
        self.smooth.as_ref().map(|s| s as &dyn SmoothPotential)
    }
    fn regime(&self) -> Regime {
        self.regime
    }
    fn relinearize(&mut self, v: &[f64]) -> Result<Changed, ProblemError> {
        self.inner.relinearize(v)
    }
    fn value(&mut self, v: &[f64]) -> Result<f64, ProblemError> {
        self.inner.value(v)
    }
    fn contact_velocities(&self) -> &[f64] {
        self.inner.contact_velocities()
    }
    fn pools(&self) -> &Pools {
        self.inner.pools()
    }
    fn map(&self) -> &dyn ContactMap {
        self.inner.map()
    }
    fn contacts(&self) -> &[ContactGeometry] {
        self.inner.contacts()
    }
}

#[test]
fn property_refusals_name_what_is_missing() {
    let said = |regime, smooth| Said { inner: problem(Odd, &[Kind::Open], 1.0), regime, smooth };
    let solver = IcfSolver::default();
    solver.supports(&said(Regime::Frozen, None)).unwrap();
    for (p, why) in [
        (said(Regime::Requeried, None), "moves with the velocity"),
        (said(Regime::Frozen, Some(Flat)), "smooth potential"),
        (
            Said { inner: problem(Bent, &[Kind::Open], 1.0), regime: Regime::Frozen, smooth: None },
            "bent is not convex",
        ),
    ] {
        let e = solver.supports(&p).unwrap_err();
        assert!(matches!(e, SolveError::Unsupported { solver: "icf", .. }));
        assert!(e.to_string().contains(why), "{e}");
    }
    // Laws of no constraint are no reason.
    solver.supports(&problem(Bent, &[], 1.0)).unwrap();
    // Barriers are called so, convex as they may be.
    let mut barrier =
        Pool::<signorini_testkit::toys::LogBarrier, 1>::new(signorini_testkit::toys::LogBarrier);
    barrier.push(&signorini_testkit::toys::LogBarrierSeed {
        dt: 0.01,
        gap: 1e-3,
        range: 1e-2,
        stiffness: 1e3,
    });
    let mut inner = problem(Odd, &[Kind::Open], 1.0);
    *inner.parts_mut().pools = Pools::new(vec![Box::new(barrier)]);
    inner.finish(0.01).unwrap();
    let e = solver.supports(&inner).unwrap_err();
    assert!(e.to_string().contains("is a barrier"), "{e}");
}
