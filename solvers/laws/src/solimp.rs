/// Impedance r of MuJoCo's solimp (dmin, dmax, width \[m\], midpoint, power) at a distance \[m\] of either sign: the fraction of the acceleration that a
/// constraint takes over, clamped to \[1e-4, 0.9999\].
///
/// ```text
/// r = dmin + y(x) (dmax − dmin),   x = min(|φ|/width, 1),   y = x^p/m^(p−1) below the midpoint m, 1 − (1 − x)^p/(1 − m)^(p−1) above
/// ```
pub fn impedance(solimp: &[f64; 5], distance: f64) -> f64 {
    let [low, high, width, middle, power] = *solimp;
    let fraction = |x: f64| x.clamp(1e-4, 0.9999);
    let (low, high, middle, power) = (fraction(low), fraction(high), fraction(middle), power.max(1.0));
    if low == high || width <= 1e-15 {
        return 0.5 * (low + high);
    }
    let x = (distance.abs() / width).min(1.0);
    let y = if power == 1.0 || x == 0.0 || x == 1.0 {
        x
    } else if x <= middle {
        part(x, middle, power)
    } else {
        1.0 - part(1.0 - x, 1.0 - middle, power)
    };
    low + y * (high - low)
}

/// [`impedance`] with its slope dr/dφ.
pub(crate) fn impedance_slope(solimp: &[f64; 5], distance: f64) -> (f64, f64) {
    let [low, high, width, middle, power] = *solimp;
    let fraction = |x: f64| x.clamp(1e-4, 0.9999);
    let (low, high, middle, power) = (fraction(low), fraction(high), fraction(middle), power.max(1.0));
    let r = impedance(solimp, distance);
    let x = distance.abs() / width;
    if low == high || width <= 1e-15 || x >= 1.0 {
        return (r, 0.0);
    }
    let slope = if power == 1.0 {
        1.0
    } else if x <= middle {
        power * x.powf(power - 1.0) / middle.powf(power - 1.0)
    } else {
        power * (1.0 - x).powf(power - 1.0) / (1.0 - middle).powf(power - 1.0)
    };
    (r, (high - low) * slope * distance.signum() / width)
}

/// x^p/m^(p−1); the default power is 2.
fn part(x: f64, m: f64, p: f64) -> f64 {
    if p == 2.0 { x * x / m } else { x.powf(p) / m.powf(p - 1.0) }
}
