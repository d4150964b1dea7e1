//! Two contact laws outside of the workspace, and scenes at rest on them under every method: generalised coordinates, affine bodies and particles.

pub mod ball;
pub mod block;
mod elastic;
mod hertz;
pub mod robot;

pub use elastic::Elastic;
pub use hertz::Hertz;
