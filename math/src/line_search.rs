use signorini_core::Along;

/// Start of the search inside its bracket: kurtz2025cenic, fig. 19.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InitialGuess {
    /// α = 1, or α_max when that is shorter.
    Fixed,
    /// The minimum of the parabola through both end slopes.
    Quadratic,
    /// The minimum of the cubic through values and slopes at both ends.
    #[default]
    Cubic,
}

/// Settings of [`exact_line_search`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LineSearchOptions {
    /// Longest step, > 0.
    pub alpha_max: f64,
    /// First trial inside the bracket.
    pub guess: InitialGuess,
    /// Accepted |ℓ′(α)/ℓ′(0)|, and the width of steps in α that are too small to go on.
    pub tolerance: f64,
    /// Most evaluations.
    pub max_evaluations: u32,
}

impl Default for LineSearchOptions {
    fn default() -> Self {
        Self { alpha_max: 1.0, guess: InitialGuess::Cubic, tolerance: 1e-8, max_evaluations: 100 }
    }
}

/// End of a line search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineSearchStatus {
    /// A minimum inside the bracket.
    Minimum,
    /// The objective still falls at the longest step, which was taken.
    LongestStep,
    /// The slope at zero is not negative: not a direction of descent, or round-off. α = 0.
    NoDescent,
    /// Evaluations ran out; α is the best bracket end or trial so far.
    EvaluationLimit,
    /// A value or derivative was not finite. α = 0.
    NotFinite,
}

/// Result of [`exact_line_search`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LineSearch {
    /// The step.
    pub alpha: f64,
    /// Calls of the objective.
    pub evaluations: u32,
    /// End of the search.
    pub status: LineSearchStatus,
}

/// Minimises a convex ℓ(α) over 0 ≤ α ≤ α_max, given ℓ(0) and ℓ′(0) (`at_zero`; its curvature is not read).
///
/// Newton's method on ℓ′(α)/ℓ′(0), guarded by a bracket that is halved whenever Newton's step leaves it or does not shrink fast
/// enough. The first trial is α_max; when ℓ still falls there it is taken. Source: kurtz2025cenic, section IV.
pub fn exact_line_search(
    at_zero: Along,
    options: &LineSearchOptions,
    mut along: impl FnMut(f64) -> Along,
) -> LineSearch {
    let mut evaluations = 0;
    let end = |alpha, evaluations, status| LineSearch { alpha, evaluations, status };
    if !(at_zero.value.is_finite() && at_zero.slope.is_finite()) {
        return end(0.0, evaluations, LineSearchStatus::NotFinite);
    }
    if at_zero.slope >= 0.0 {
        return end(0.0, evaluations, LineSearchStatus::NoDescent);
    }
    let longest = options.alpha_max;
    evaluations += 1;
    let at_end = along(longest);
    if !(at_end.value.is_finite() && at_end.slope.is_finite()) {
        return end(0.0, evaluations, LineSearchStatus::NotFinite);
    }
    if at_end.slope <= f64::EPSILON * at_zero.slope.abs() {
        return end(longest, evaluations, LineSearchStatus::LongestStep);
    }
    let scale = -at_zero.slope.recip();
    if at_end.slope * scale < options.tolerance {
        return end(longest, evaluations, LineSearchStatus::Minimum);
    }
    let (mut low, mut high) = (0.0, longest);
    let mut alpha = first_trial(at_zero, at_end, options);
    let mut last_step: f64 = longest;
    // The longest step has been evaluated: starting there costs nothing.
    let mut known = (alpha == longest).then_some(at_end);
    while evaluations < options.max_evaluations {
        let here = known.take().unwrap_or_else(|| {
            evaluations += 1;
            along(alpha)
        });
        let (f, slope) = (here.slope * scale, here.curvature * scale);
        if !(f.is_finite() && slope.is_finite()) {
            return end(0.0, evaluations, LineSearchStatus::NotFinite);
        }
        if f.abs() < options.tolerance {
            return end(alpha, evaluations, LineSearchStatus::Minimum);
        }
        if f < 0.0 {
            low = alpha;
        } else {
            high = alpha;
        }
        let newton = alpha - f / slope;
        let slow = 2.0 * f.abs() > (last_step * slope).abs();
        let next = if slow || !(newton > low && newton < high) { 0.5 * (low + high) } else { newton };
        last_step = next - alpha;
        alpha = next;
        if last_step.abs() < options.tolerance {
            return end(alpha, evaluations, LineSearchStatus::Minimum);
        }
    }
    end(alpha, evaluations, LineSearchStatus::EvaluationLimit)
}

fn first_trial(at_zero: Along, at_end: Along, options: &LineSearchOptions) -> f64 {
    let longest = options.alpha_max;
    let (d0, d1) = (longest * at_zero.slope, longest * at_end.slope);
    match options.guess {
        InitialGuess::Fixed => longest.min(1.0),
        // d0 < 0 < d1: the root of the line through both slopes lies inside.
        InitialGuess::Quadratic => longest * d0 / (d0 - d1),
        InitialGuess::Cubic => longest * cubic_minimum(at_zero.value, at_end.value, d0, d1),
    }
}

/// The minimum in (0, 1) of the cubic with values l0, l1 and slopes d0 < 0 < d1 at the ends; ½ when round-off hides it.
fn cubic_minimum(l0: f64, l1: f64, d0: f64, d1: f64) -> f64 {
    // Slope of the cubic: 3a t² + 2b t + d0.
    let a = 2.0 * (l0 - l1) + d0 + d1;
    let b = -3.0 * (l0 - l1) - 2.0 * d0 - d1;
    let discriminant = b * b - 3.0 * a * d0;
    if discriminant.is_nan() || discriminant < 0.0 {
        return 0.5;
    }
    // The root where the slope rises, in the form without cancellation.
    let q = b.abs() + discriminant.sqrt();
    let t = if b >= 0.0 { -d0 / q } else { q / (3.0 * a) };
    if t > 0.0 && t < 1.0 { t } else { 0.5 }
}
