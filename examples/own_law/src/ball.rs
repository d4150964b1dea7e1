//! A rubber ball of 5 cm, in generalised coordinates and as an affine body.

use std::error::Error;

use signorini_core::na::{Isometry3, Translation3, UnitQuaternion, Vector3};
use signorini_core::{ContactMaterial, LawPool};
use signorini_geometry::TriangleMesh;
use signorini_ipc::{AffineBody, AffineSystem, IpcOptions, SkinLaw, SkinPair};
use signorini_scene::{Scene, SceneBuilder};

/// Radius of the ball \[m\].
pub const RADIUS: f64 = 0.05;

/// The ball with its middle at `height` \[m\] over the ground, under a dissipation \[s/m\].
///
/// # Errors
/// Numbers that make no scene.
pub fn scene(height: f64, dissipation: f64) -> Result<Scene, Box<dyn Error>> {
    let ball = SceneBuilder::new("ball").half_space().body("ball").at([0.0, 0.0, height]);
    let mut scene = ball.free_joint().sphere(RADIUS).build()?;
    scene.geoms.iter_mut().for_each(|g| g.surface.dissipation = Some(dissipation));
    Ok(scene)
}

/// The ball as an affine body: facets that stand on a point, `gap` over a held slab whose top is at z = 0; the law begins `skin` above it. Whoever made the mesh knows the curvature.
///
/// # Errors
/// A law that affine bodies cannot take.
pub fn standing(
    law: &dyn LawPool,
    dissipation: f64,
    gap: f64,
    skin: f64,
) -> Result<AffineSystem, Box<dyn Error>> {
    let facets = TriangleMesh::icosphere(RADIUS, 2)?;
    let down = UnitQuaternion::rotation_between(&facets.vertices()[0].coords, &-Vector3::z());
    let pose = Translation3::new(0.0, 0.0, RADIUS + gap) * down.unwrap_or_default();
    let slab =
        AffineBody::solid("slab", &TriangleMesh::cuboid(&Vector3::new(0.5, 0.5, 0.05))?, 1000.0)?.held();
    // The diagonal of the slab's top passes beside the ball.
    let bodies = vec![
        (slab, Isometry3::translation(0.1, 0.0, -0.05)),
        (AffineBody::solid("ball", &facets, 1000.0)?, pose),
    ];
    let options = IpcOptions { range: 2e-4, ..IpcOptions::default() };
    let material = ContactMaterial::compliant(1.0, dissipation, 0.5);
    let pair = SkinPair { material, curvature: Some([1.0 / RADIUS; 2]) };
    let law = SkinLaw::new(law, skin, material).with_pairs(move |_, _| pair);
    Ok(AffineSystem::new(bodies, &[], options)?.with_law(law)?)
}
