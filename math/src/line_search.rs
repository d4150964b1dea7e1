use signorini_core::Along;

/// Where the one-dimensional Newton iteration starts: kurtz2025cenic, fig. 19.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InitialGuess {
    /// α_max.
    Fixed,
    /// Minimiser of the parabola through ℓ′(0) and ℓ′(α_max).
    Quadratic,
    /// Minimiser of the Hermite cubic through ℓ and ℓ′ at both ends.
    #[default]
    Cubic,
}

/// Settings of [`exact_line_search`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LineSearchOptions {
    /// Largest step α_max.
    pub alpha_max: f64,
    /// Start.
    pub guess: InitialGuess,
    /// Relative tolerance on ℓ′(α)/ℓ′(0) and on α.
    pub tolerance: f64,
    /// Most evaluations.
    pub max_evaluations: u32,
}

impl Default for LineSearchOptions {
    fn default() -> Self {
        Self { alpha_max: 1.0, guess: InitialGuess::Cubic, tolerance: 1e-8, max_evaluations: 100 }
    }
}

/// Result of a line search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LineSearch {
    /// Step length.
    pub alpha: f64,
    /// Evaluations of the function.
    pub evaluations: u32,
    /// False when the direction does not descend or the limit came first; `alpha` is then the best known.
    pub converged: bool,
}

/// The minimiser over [0, α_max] of a convex function, by Newton's method on ℓ′ guarded by bisection.
///
/// `at_zero` holds ℓ(0) and ℓ′(0). If ℓ′(α_max) ≤ 0 the whole step is taken. Round-off that makes ℓ′(0) ≥ 0 or the cubic's discriminant
/// negative is not an error: the step is refused or the start falls back to the middle.
pub fn exact_line_search(
    at_zero: Along,
    options: &LineSearchOptions,
    mut f: impl FnMut(f64) -> Along,
) -> LineSearch {
    let (max, d0) = (options.alpha_max, at_zero.slope);
    if d0.is_nan() || d0 >= 0.0 {
        return LineSearch { alpha: 0.0, evaluations: 0, converged: false };
    }
    let end = f(max);
    let mut evaluations = 1;
    if end.slope <= f64::EPSILON {
        return LineSearch { alpha: max, evaluations, converged: true };
    }
    let mut alpha = match options.guess {
        InitialGuess::Fixed => max,
        InitialGuess::Quadratic => max * d0 / (d0 - end.slope),
        InitialGuess::Cubic => max * cubic_minimum(at_zero.value, end.value, max * d0, max * end.slope),
    };
    let (mut low, mut high) = (0.0, max);
    let mut last_move = max;
    while evaluations < options.max_evaluations {
        let a = f(alpha);
        evaluations += 1;
        // F = −ℓ′/ℓ′(0), with F(0) = −1.
        let (value, slope) = (-a.slope / d0, -a.curvature / d0);
        if value.abs() < options.tolerance {
            return LineSearch { alpha, evaluations, converged: true };
        }
        if value < 0.0 {
            low = alpha;
        } else {
            high = alpha;
        }
        let newton = alpha - value / slope;
        let slow = 2.0 * value.abs() > (last_move * slope).abs();
        let next = if slow || !(newton > low && newton < high) { 0.5 * (low + high) } else { newton };
        last_move = next - alpha;
        alpha = next;
        if last_move.abs() < options.tolerance {
            return LineSearch { alpha, evaluations, converged: true };
        }
    }
    LineSearch { alpha, evaluations, converged: false }
}

/// Minimiser in [0, 1] of the cubic with values l0, l1 and slopes d0 < 0, d1 > 0 at the ends; ½ when round-off spoils it.
fn cubic_minimum(l0: f64, l1: f64, d0: f64, d1: f64) -> f64 {
    let a = 2.0 * (l0 - l1) + d0 + d1;
    let b = -3.0 * (l0 - l1) - 2.0 * d0 - d1;
    // 3a t² + 2b t + d0 = 0, the root with positive curvature.
    let disc = b * b - 3.0 * a * d0;
    if disc.is_nan() || disc < 0.0 {
        return 0.5;
    }
    let root = disc.sqrt();
    let t = if b > 0.0 { -d0 / (b + root) } else { (root - b) / (3.0 * a) };
    if t.is_finite() && (-1e-8..=1.0 + 1e-8).contains(&t) { t.clamp(0.0, 1.0) } else { 0.5 }
}
