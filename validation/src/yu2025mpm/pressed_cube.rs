//! A rubber cube between two panels on slides, each pressed by a motor.

use signorini_core::na::Vector3;
use signorini_mpm::Particles;
use signorini_scene::{LoadOptions, Scene};

use signorini_report::PageError;

/// Side of the cube \[m\].
pub(super) const SIDE: f64 = 0.1;
/// Force on each panel \[N\].
pub(super) const PRESS: f64 = 10.0;
/// Offset of the middle of the cube along y from a node of the grid, as a part of its spacing, so that nothing is symmetric.
pub(super) const SHIFT: f64 = 0.3;

/// Particles of the cube on a lattice, its outer ones on the faces; density \[kg/m³\] and spacing of the grid \[m\].
pub(super) fn particles(along: usize, density: f64, spacing: f64) -> Particles {
    let mut p = Particles::default();
    let (apart, volume) = (SIDE / (along - 1) as f64, SIDE.powi(3) / (along as f64).powi(3));
    let corner = Vector3::repeat(-0.5 * SIDE) + SHIFT * spacing * Vector3::y();
    p.lattice(corner, apart, [along; 3], density, volume, 0);
    p
}

/// The panels of a mass \[kg\], as deep in a face of `along`² contacts as their stiffness \[N/m\] asks for.
pub(super) fn panels(mass: f64, along: usize, stiffness: f64) -> Result<Scene, PageError> {
    let depth = PRESS / ((along * along) as f64 * stiffness);
    let panel = |name: &str, side: f64| {
        format!(
            "<body name='{name}' pos='{} 0 0'><joint name='{name}' type='slide' axis='{} 0 0'/>\
             <geom name='{name}' type='box' size='.07 .07 .07' mass='{mass}'/></body>",
            side * (0.5 * SIDE + 0.07 - depth),
            -side
        )
    };
    let text = format!(
        "<mujoco><worldbody>{}{}</worldbody><actuator><motor joint='left'/><motor joint='right'/></actuator></mujoco>",
        panel("left", -1.0),
        panel("right", 1.0)
    );
    Scene::from_mjcf(&text, "panels.xml", &LoadOptions::default()).map_err(PageError::from_error)
}
