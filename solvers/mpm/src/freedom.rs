use signorini_core::na::{Matrix3, Matrix3xX, Vector3};

use crate::obstacle::{Border, Wall};

/// No friction.
const NONE: [Vector3<f64>; 3] = [Vector3::new(0.0, 0.0, 0.0); 3];

/// The directions in which a node may move: the first `count` columns of an orthonormal basis.
#[derive(Clone, Copy, Debug)]
pub struct Freedom {
    basis: Matrix3<f64>,
    /// Number of free directions.
    pub count: usize,
    /// μ n of walls that rub, n their normals across those of walls before.
    rubs: [Vector3<f64>; 3],
}

impl Freedom {
    /// Freedom of a node with nothing in its way.
    pub(crate) const WHOLE: Self =
        Self { basis: Matrix3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), count: 3, rubs: NONE };
    const HELD: Self =
        Self { basis: Matrix3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), count: 0, rubs: NONE };

    /// Of a node of a grid of this spacing \[m\] at a place between walls.
    pub(crate) fn at(x: &Vector3<f64>, spacing: f64, walls: &[Wall]) -> Self {
        let mut projector = Matrix3::identity();
        let (mut rubs, mut count) = (NONE, 0);
        for wall in walls.iter().filter(|w| w.holds(x, spacing)) {
            if wall.border == Border::Sticky {
                return Self::HELD;
            }
            // Component of the normal in the directions that are free still: a wall presses with what others leave.
            if let Some(n) = (projector * wall.normal).try_normalize(1e-9) {
                projector -= n * n.transpose();
                if let Border::Rubbing { friction } = wall.border {
                    rubs[count] = friction * n;
                    count += 1;
                }
            }
        }
        let free = projector.trace().round() as usize;
        if free == 3 {
            return Self::WHOLE;
        }
        let mut out = Self { rubs, ..Self::HELD };
        for axis in [Vector3::x(), Vector3::y(), Vector3::z()] {
            let mut rest = projector * axis;
            (0..out.count).for_each(|b| rest -= out.basis.column(b).dot(&rest) * out.basis.column(b));
            if out.count < free
                && let Some(unit) = rest.try_normalize(1e-6)
            {
                out.basis.set_column(out.count, &unit);
                out.count += 1;
            }
        }
        out
    }

    /// Basis, 3 × count.
    pub fn basis(&self) -> Matrix3xX<f64> {
        self.basis.columns(0, self.count).into_owned()
    }

    /// Onto the directions.
    pub(crate) fn projector(&self) -> Matrix3<f64> {
        // Columns that are none are zero.
        if self.count == 3 { Matrix3::identity() } else { self.basis * self.basis.transpose() }
    }

    /// Velocity that walls leave of one: its component along the directions, less friction.
    ///
    /// ```text
    /// P v (1 − Σ μ (−n·v)₊/|P v|)₊
    /// ```
    pub(crate) fn allowed(&self, v: &Vector3<f64>) -> Vector3<f64> {
        if self.count == 3 {
            return *v;
        }
        let along = self.projector() * v;
        let lost: f64 = self.rubs.iter().map(|rub| (-rub.dot(v)).max(0.0)).sum();
        let speed = along.norm();
        if lost < speed {
            (1.0 - lost / speed) * along
        } else if lost > 0.0 {
            Vector3::zeros()
        } else {
            along
        }
    }

    /// Components along the directions.
    pub fn along<'a>(&'a self, v: &'a Vector3<f64>) -> impl Iterator<Item = f64> + 'a {
        (0..self.count).map(|i| self.basis.column(i).dot(v))
    }

    /// The velocity with these components.
    pub fn whole(&self, v: &[f64]) -> Vector3<f64> {
        (0..self.count).map(|i| v[i] * self.basis.column(i)).sum()
    }
}
