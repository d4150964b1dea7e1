//! Contact laws on the skin of affine bodies under each solver, by the deviation from the reference.

use signorini_core::na::{Isometry3, Vector3};
use signorini_core::{ContactMaterial, LawPool, Slot, System};
use signorini_geometry::TriangleMesh;
use signorini_ipc::{AffineBody, AffineSystem, BodyError, IpcOptions, SkinLaw};
use signorini_laws::contact_pool;
use signorini_report::PageError;

use super::laws::{by_contact_law, cell};
use crate::agreement::{SOLVERS, Solved, solver};

const DT: f64 = 1e-3;
/// Half the edge of a cube \[m\].
const HALF: f64 = 0.1;
/// Distance at which the law begins \[m\].
const SKIN: f64 = 2e-3;
/// Distance of the cubes and of the slab below them \[m\]: within the skin, beyond the barrier.
const APART: f64 = 1.5e-3;

/// A cube on a slab that is held, and a turned one on it, pressed together and sliding.
fn stack(law: &dyn LawPool) -> Result<Result<AffineSystem, BodyError>, PageError> {
    let solid = |name: &str, half: [f64; 3]| {
        let mesh = TriangleMesh::cuboid(&half.into()).map_err(PageError::from_error)?;
        AffineBody::solid(name, &mesh, 1000.0).map_err(PageError::from_error)
    };
    let turned = Isometry3::new(Vector3::new(0.01, 0.02, 3.0 * HALF + 2.0 * APART), Vector3::z() * 0.6);
    let bodies = vec![
        (solid("slab", [1.0, 1.0, HALF])?.held(), Isometry3::translation(0.0, 0.0, -HALF)),
        (solid("low", [HALF; 3])?, Isometry3::translation(0.0, 0.0, HALF + APART)),
        (solid("high", [HALF; 3])?, turned),
    ];
    let options = IpcOptions { range: 2e-4, orthogonality: 1e6, ..IpcOptions::default() };
    let material = ContactMaterial::compliant(1e5, 0.0, 0.5);
    let made = AffineSystem::new(bodies, &[], options).map_err(PageError::from_error)?;
    Ok(made.with_law(SkinLaw::new(law, SKIN, material)))
}

/// The deviation of a solver's first step under a contact law from the reference's.
fn agrees(law: &str, by: &str) -> Result<String, PageError> {
    let law = contact_pool(law).map_err(PageError::from_error)?;
    let mut system = stack(&*law)?.map_err(PageError::from_error)?;
    let mut x = system.initial_state();
    // Coordinates are a place and the rows of a matrix, twelve per free body.
    for body in x.v.chunks_exact_mut(12) {
        body[..3].copy_from_slice(&[0.3, -0.1, -0.2]);
    }
    system.prepare(Slot::Start, &x, DT).map_err(PageError::from_error)?;
    let problem = system.problem(Slot::Start, DT).map_err(PageError::from_error)?;
    match Solved::new(problem)? {
        Some(mut solved) => Ok(cell(&solved.answer(&mut *solver(by)?)?)),
        None => Err(PageError::Run("the cubes of the table do not touch".into())),
    }
}

/// The table.
///
/// # Errors
/// A query that fails for another reason than that it is refused.
pub(super) fn table() -> Result<String, PageError> {
    by_contact_law(&SOLVERS, |law| Ok(stack(law)?.err().map(|e| e.to_string())), agrees)
}
