use signorini_scene::MuscleCurves;

/// Least denominator, MuJoCo's.
const LEAST: f64 = 1e-15;

/// Curves of a muscle with its force and lengths known. Lengths and speeds below are in optimal lengths L₀:
///
/// ```text
/// L = r₀ + (l − l₀)/L₀,   V = l̇/(L₀ v_max),   L₀ = (l₁ − l₀)/(r₁ − r₀)
/// ```
/// with the range (l₀, l₁) of the actuator and that of the curves (r₀, r₁).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Muscle {
    curves: MuscleCurves,
    /// Largest active force at rest \[N\].
    force: f64,
    /// Shortest length.
    shortest: f64,
    /// L₀.
    optimum: f64,
}

impl Muscle {
    /// Curves for a range of lengths; `acceleration` is that which a unit force makes at the reference configuration.
    pub(crate) fn new(curves: MuscleCurves, length_range: [f64; 2], acceleration: f64) -> Self {
        Self {
            curves,
            force: curves.force.unwrap_or(curves.scale / acceleration.max(LEAST)),
            shortest: length_range[0],
            optimum: (length_range[1] - length_range[0]) / (curves.range[1] - curves.range[0]).max(LEAST),
        }
    }

    /// L at a length.
    fn length(&self, l: f64) -> f64 {
        self.curves.range[0] + (l - self.shortest) / self.optimum.max(LEAST)
    }

    /// Force per activation −F f_L(L) f_V(V), and its derivatives by length and rate.
    pub fn active(&self, length: f64, rate: f64) -> [f64; 3] {
        let speed = (self.optimum * self.curves.speed).max(LEAST);
        let [by_length, d_length] = self.active_length(self.length(length));
        let [by_speed, d_speed] = self.active_speed(rate / speed);
        let f = -self.force;
        [
            f * by_length * by_speed,
            f * d_length / self.optimum.max(LEAST) * by_speed,
            f * by_length * d_speed / speed,
        ]
    }

    /// f_L: four parabolas from 0 at both ends of the active range to 1 at L = 1; and its derivative.
    fn active_length(&self, l: f64) -> [f64; 2] {
        let [low, high] = self.curves.active;
        if !(low..=high).contains(&l) {
            return [0.0; 2];
        }
        let (a, b) = (0.5 * (low + 1.0), 0.5 * (1.0 + high));
        // Towards an end: half a square of the share x of the way from there; towards the top: 1 less that of the way from the top.
        let (x, width, rises, end) = if l <= a {
            (l - low, a - low, 1.0, true)
        } else if l <= 1.0 {
            (1.0 - l, 1.0 - a, -1.0, false)
        } else if l <= b {
            (l - 1.0, b - 1.0, 1.0, false)
        } else {
            (high - l, high - b, -1.0, true)
        };
        let width = width.max(LEAST);
        let x = x / width;
        let slope = rises * x / width;
        if end { [0.5 * x * x, slope] } else { [1.0 - 0.5 * x * x, -slope] }
    }

    /// f_V: 0 at V ≤ −1, 1 at rest, level from V = f_max − 1 on; and its derivative.
    fn active_speed(&self, v: f64) -> [f64; 2] {
        let top = self.curves.lengthening;
        let y = top - 1.0;
        if v <= -1.0 {
            [0.0; 2]
        } else if v <= 0.0 {
            [(v + 1.0).powi(2), 2.0 * (v + 1.0)]
        } else if v <= y {
            [top - (y - v).powi(2) / y.max(LEAST), 2.0 * (y - v) / y.max(LEAST)]
        } else {
            [top, 0.0]
        }
    }

    /// Passive force, zero up to L = 1, a parabola to the middle of the active range beyond it, and a line from there; and its derivative by
    /// length.
    pub fn passive(&self, length: f64) -> [f64; 2] {
        let l = self.length(length);
        let middle = 0.5 * (1.0 + self.curves.active[1]);
        let width = (middle - 1.0).max(LEAST);
        let [share, slope] = if l <= 1.0 {
            [0.0; 2]
        } else if l <= middle {
            let x = (l - 1.0) / width;
            [0.5 * x * x, x / width]
        } else {
            [0.5 + (l - middle) / width, 1.0 / width]
        };
        let f = -self.force * self.curves.passive;
        [f * share, f * slope / self.optimum.max(LEAST)]
    }
}

/// Time constant of a muscle's activation \[s\] at activation a, for u − a = `to_go`; `times` are those of activation, deactivation and the
/// smoothing between.
pub(crate) fn time_constant([activation, deactivation, smoothing]: [f64; 3], a: f64, to_go: f64) -> f64 {
    let slow = 0.5 + 1.5 * a.clamp(0.0, 1.0);
    let (on, off) = (activation * slow, deactivation / slow);
    let share = if smoothing < LEAST {
        f64::from(u8::from(to_go > 0.0))
    } else {
        // A smooth step from 0 to 1 with two derivatives.
        let x = (to_go / smoothing + 0.5).clamp(0.0, 1.0);
        x * x * x * (3.0 * x * (2.0 * x - 5.0) + 10.0)
    };
    (off + share * (on - off)).max(LEAST)
}

#[cfg(test)]
mod tests {
    use super::{Muscle, time_constant};
    use signorini_scene::MuscleCurves;

    fn muscle() -> Muscle {
        let curves = MuscleCurves {
            range: [0.75, 1.05],
            force: None,
            scale: 200.0,
            active: [0.5, 1.6],
            speed: 1.5,
            passive: 1.3,
            lengthening: 1.2,
        };
        Muscle::new(curves, [0.2, 0.5], 4.0)
    }

    #[test]
    fn conformance_derivatives_of_the_curves() {
        let (m, h) = (muscle(), 1e-6);
        for i in 0..400 {
            let (l, v) = (-0.2 + 0.004 * f64::from(i), 3.0 * (0.7 * f64::from(i)).sin());
            let [_, by_length, by_rate] = m.active(l, v);
            let difference = |f: &dyn Fn(f64) -> f64| (f(h) - f(-h)) / (2.0 * h);
            // Central differences across the joints of parabolas, whose second derivatives jump by at most 2e3 N/m².
            assert!((difference(&|x| m.active(l + x, v)[0]) - by_length).abs() < 1e-2, "{l} {v}");
            assert!((difference(&|x| m.active(l, v + x)[0]) - by_rate).abs() < 1e-2, "{l} {v}");
            assert!((difference(&|x| m.passive(l + x)[0]) - m.passive(l)[1]).abs() < 1e-2, "{l}");
        }
    }

    #[test]
    fn conformance_the_force_at_rest_is_the_scale_over_the_acceleration() {
        // L = 1 at l = 0.2 + 0.25 m: optimal length 1 m.
        let [force, slope, _] = muscle().active(0.45, 0.0);
        assert!((force + 50.0).abs() < 1e-12 && slope.abs() < 1e-9, "{force} {slope}");
        assert_eq!(muscle().passive(0.45)[0], 0.0);
    }

    #[test]
    fn conformance_the_time_constant_grows_with_activation() {
        let hard = [0.01, 0.04, 0.0];
        for (a, to_go, expected) in
            [(0.0, 0.1, 0.005), (1.0, 0.1, 0.02), (1.0, -0.1, 0.02), (0.0, -0.1, 0.08)]
        {
            assert!((time_constant(hard, a, to_go) - expected).abs() < 1e-16, "{a} {to_go}");
        }
        // In the middle of the smoothing, the mean.
        assert!((time_constant([0.01, 0.04, 0.2], 0.0, 0.0) - 0.0425).abs() < 1e-15);
    }
}
