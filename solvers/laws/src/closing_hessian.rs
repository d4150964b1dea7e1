use signorini_core::ContactLaw;
use signorini_core::na::{SMatrix, SVector};

/// Closing speed at which every part of a law acts, whatever its multipliers and shift \[m/s\].
const CLOSING: f64 = 1e9;

/// Hessian \[kg\], D × D, of a law at a closing speed at which all of it acts: [`SweptLaw::sweep_gains`](signorini_core::SweptLaw::sweep_gains) where gains are the same in every sweep.
pub fn closing_hessian<L: ContactLaw<D>, const D: usize>(law: &L, p: &L::Params) -> SMatrix<f64, D, D> {
    let mut closing = SVector::<f64, D>::zeros();
    closing[0] = -CLOSING;
    law.eval(p, closing).hess
}
