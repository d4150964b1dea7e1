use signorini_core::na::{DMatrix, Matrix3, Vector3};

use crate::obstacle::{Border, Wall};

/// The directions in which a node may move: an orthonormal basis, 3 × k with k from 0 to 3.
pub(crate) fn directions(x: &Vector3<f64>, walls: &[Wall]) -> DMatrix<f64> {
    let mut projector = Matrix3::identity();
    for wall in walls.iter().filter(|w| w.holds(x)) {
        match wall.border {
            Border::Sticky => return DMatrix::zeros(3, 0),
            Border::Slip => {
                // What is left of the normal in the directions that are free still.
                if let Some(n) = (projector * wall.normal).try_normalize(1e-9) {
                    projector -= n * n.transpose();
                }
            }
        }
    }
    let free = projector.trace().round() as usize;
    if free == 3 {
        return DMatrix::identity(3, 3);
    }
    let mut basis: Vec<Vector3<f64>> = Vec::new();
    for axis in [Vector3::x(), Vector3::y(), Vector3::z()] {
        let mut rest = projector * axis;
        basis.iter().for_each(|b| rest -= b.dot(&rest) * b);
        if basis.len() < free
            && let Some(unit) = rest.try_normalize(1e-6)
        {
            basis.push(unit);
        }
    }
    DMatrix::from_fn(3, basis.len(), |r, c| basis[c][r])
}
