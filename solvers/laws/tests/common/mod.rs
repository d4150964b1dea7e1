//! A mass that meets one law in one dimension.

/// A mass \[kg\] that arrives at gap 0 with a speed \[m/s\], watched for a time \[s\].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Impact {
    pub(crate) mass: f64,
    pub(crate) speed: f64,
    pub(crate) time: f64,
}

/// Rebound speed over impact speed in `n` steps; `law(δt, gap, v₀)` gives γ(v).
pub(crate) fn fly<G: Fn(f64) -> f64>(i: Impact, n: u32, law: impl Fn(f64, f64, f64) -> G) -> f64 {
    let dt = i.time / f64::from(n);
    let (mut gap, mut v) = (0.0, -i.speed);
    for _ in 0..n {
        let gamma = law(dt, gap, v);
        // m (v₁ − v) = γ(v₁), γ falling: v₁ lies between v and v + γ(v)/m.
        let (mut lo, mut hi) = (v, v + gamma(v) / i.mass);
        let tolerance = 1e-14 * i.speed;
        while hi - lo > tolerance {
            let mid = 0.5 * (lo + hi);
            if mid <= lo || mid >= hi {
                break;
            }
            if i.mass * (mid - v) > gamma(mid) { hi = mid } else { lo = mid }
        }
        v = 0.5 * (lo + hi);
        gap += dt * v;
    }
    v / i.speed
}
