//! Recorded tosses, and the state that each of them starts from.

use std::path::Path;

use signorini_core::na::{Matrix3, Quaternion, UnitQuaternion, Vector3};
use signorini_report::PageError;
use signorini_run::recording::read_numbers;

use super::failed;

/// Position, quaternion (w, x, y, z), velocity in the world, angular velocity in body axes.
pub(super) type Row = [f64; 13];

/// Position, quaternion (w, x, y, z).
pub(super) type Pose7 = [f64; 7];

/// Predicted poses at the frames of a toss.
pub(super) type Motion = Vec<Pose7>;

/// Frames of one toss.
pub(super) type Toss = Vec<Row>;

/// Recorded tosses of one cube.
pub(super) struct Tosses {
    pub tosses: Vec<Toss>,
    /// Time between frames \[s\].
    pub dt: f64,
    /// Half the width of the cube \[m\].
    pub half_width: f64,
    /// Mass \[kg\].
    pub mass: f64,
    /// Moment of inertia about each axis \[kg m²\].
    pub inertia: f64,
}

/// Frames of a flight that a filtered start takes at most.
const MOST_FRAMES: usize = 20;
/// Height of the lowest corner below which a frame is no flight \[m\].
const CLEAR: f64 = 3e-3;

impl Tosses {
    /// Reads the file of `validation/data/tosses/README.md`.
    pub(super) fn read(path: &Path) -> Result<Self, PageError> {
        let array = |name: &str| read_numbers(path, name).map_err(failed);
        let wrong = |what: &str| failed(format!("{}: {what}", path.display()));
        let one = |name: &str| match array(name)?[..] {
            [x] => Ok(x),
            _ => Err(wrong(&format!("{name} is not one number"))),
        };
        let numbers = array("x")?;
        let (rows, rest) = numbers.as_chunks::<13>();
        if !rest.is_empty() {
            return Err(wrong("x has no rows of 13 numbers"));
        }
        let offset: Vec<usize> = array("offset")?.into_iter().map(|n| n as usize).collect();
        let toss = |w: &[usize]| {
            let frames = rows.get(w[0]..w[1]).filter(|f| f.len() > 1);
            frames
                .map(<[Row]>::to_vec)
                .ok_or_else(|| wrong(&format!("rows {} to {} are no toss", w[0], w[1])))
        };
        Ok(Self {
            tosses: offset.windows(2).map(toss).collect::<Result<_, _>>()?,
            dt: one("dt")?,
            half_width: one("half_width")?,
            mass: one("mass")?,
            inertia: one("inertia")?,
        })
    }

    /// Number of frames before the cube comes near the board.
    pub(super) fn flight(&self, toss: &Toss) -> usize {
        toss.iter().take_while(|row| lowest(row, self.half_width) > CLEAR).count()
    }

    /// Root mean square of a component of the first spins less those of the whole flight \[rad/s\].
    pub(super) fn first_spin_noise(&self) -> f64 {
        let (mut sum, mut count) = (0.0, 0.0);
        for toss in &self.tosses {
            let flight = &toss[..self.flight(toss)];
            if flight.len() < 10 {
                continue;
            }
            for axis in 10..13 {
                let mean = flight[1..].iter().map(|row| row[axis]).sum::<f64>() / (flight.len() - 1) as f64;
                sum += (flight[0][axis] - mean).powi(2);
                count += 1.0;
            }
        }
        (sum / f64::max(count, 1.0)).sqrt()
    }

    /// First state of a toss from all frames of its flight: lines of least squares through the places less the fall, and the mean spin. Velocities that differ two frames have the noise of both.
    pub(super) fn filtered(&self, toss: &Toss, gravity: f64) -> Row {
        let n = self.flight(toss).min(MOST_FRAMES);
        let mut start = toss[0];
        if n < 3 {
            return start;
        }
        let middle = 0.5 * (n - 1) as f64;
        for axis in 0..3 {
            let fall = if axis == 2 { 0.5 * gravity } else { 0.0 };
            let place = |k: usize| toss[k][axis] + fall * (k as f64 * self.dt).powi(2);
            let mean = (0..n).map(place).sum::<f64>() / n as f64;
            let along: f64 = (0..n).map(|k| (k as f64 - middle) * place(k)).sum();
            let spread: f64 = (0..n).map(|k| (k as f64 - middle).powi(2)).sum();
            start[7 + axis] = along / spread / self.dt;
            start[axis] = mean - start[7 + axis] * middle * self.dt;
            start[10 + axis] = toss[1..n].iter().map(|row| row[10 + axis]).sum::<f64>() / (n - 1) as f64;
        }
        start
    }
}

/// Rotation of a row or pose.
pub(super) fn rotation(row: &[f64]) -> UnitQuaternion<f64> {
    UnitQuaternion::new_normalize(Quaternion::new(row[3], row[4], row[5], row[6]))
}

/// Height of the lowest corner over the board \[m\].
fn lowest(row: &Row, half_width: f64) -> f64 {
    let r: Matrix3<f64> = rotation(row).to_rotation_matrix().into_inner();
    let down: Vector3<f64> = r.row(2).transpose();
    row[2] - half_width * down.abs().sum()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    /// The cube flies, lands and rests on the board; places and velocities belong to each other.
    #[test]
    fn conformance_tosses_of_the_repository() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/tosses");
        let all = Tosses::read(&folder.join("cube_tosses.npz")).unwrap();
        assert_eq!(all.tosses.len(), 16);
        for toss in &all.tosses {
            let end = &toss[toss.len() - 1];
            assert!(toss.len() > 80 && all.flight(toss) > 3 && lowest(end, all.half_width).abs() < 4e-3);
            for pair in toss.windows(2) {
                let moved = |i: usize| (pair[1][i] - pair[0][i]) / all.dt - pair[1][7 + i];
                assert!((0..3).all(|i| moved(i).abs() < 0.2), "{pair:?}");
            }
        }
        let error = Tosses::read(&folder.join("none.npz")).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("none.npz"), "{error}");
    }

    /// A flight without noise has its own start, whatever its first velocities say.
    #[test]
    fn analytic_start_of_a_parabola() {
        let (dt, g) = (0.01, 9.81);
        let frame = |k: usize| {
            let t = k as f64 * dt;
            let (x, z) = (0.1 + 1.5 * t, 0.9 - 0.2 * t - 0.5 * g * t * t);
            [x, 0.3, z, 1.0, 0.0, 0.0, 0.0, 9.0, 9.0, 9.0, 0.0, 2.0, 0.0]
        };
        let toss: Toss = (0..12).map(frame).collect();
        let all = Tosses { tosses: vec![], dt, half_width: 0.05, mass: 1.0, inertia: 1.0 };
        let start = all.filtered(&toss, g);
        let expected = [0.1, 0.3, 0.9, 1.0, 0.0, 0.0, 0.0, 1.5, 0.0, -0.2, 0.0, 2.0, 0.0];
        assert!(start.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{start:?}");
        assert_eq!(all.flight(&toss), 12);
    }
}
