//! Warnings about a model under the dual cone, before it runs.

use signorini_laws::Gains;
use signorini_multibody::{CollidingPair, STEEPEST, limited_friction};
use signorini_run::Method;
use signorini_scene::Scene;

/// Whether contacts have a dual cone.
pub(crate) fn has_cone(method: &Method) -> bool {
    method.law().is_some_and(|law| law.is_dual_cone())
}

/// One line on the cones when the file asks for elliptic ones.
pub(crate) fn cones(scene: &Scene) -> Option<&'static str> {
    let elliptic = |(name, value): &(String, String)| name == "cone" && value == "elliptic";
    scene.options.unused.iter().any(elliptic).then_some(
        "the file asks for elliptic friction cones; dual_cone has polygons inside them, at least 0.92 of the friction with 8 directions (--directions 16: 0.98; 4, as in paper mode: 0.71), and \
         sliding, spin and roll share one normal impulse",
    )
}

/// Softness that error control gives contacts under comfree.
pub(crate) fn softness(method: &Method) -> Option<&'static str> {
    let comfree = method.as_comfree()?;
    let physical = matches!(comfree.cone()?.gains, Gains::Physical { .. });
    (physical && comfree.stepping.is_controlled()).then_some(
        "error control needs gains that do not depend on the step: contacts are soft (κ = 1000/s², c = 20/s), under a robot centimetres deep; fixed steps rest without depth",
    )
}

/// Parameters of the model's pairs that the dual cone clamps, as MuJoCo does, or cannot hold a body with.
pub(crate) fn warnings(scene: &Scene, pairs: &[CollidingPair]) -> Vec<String> {
    let name = |p: &CollidingPair| {
        let [a, b] = p.geoms.map(|g| scene.geoms[g].name.as_str());
        format!("contacts of geoms '{a}' and '{b}'")
    };
    let mut out: Vec<String> = limited_friction(scene, pairs).into_iter().collect();
    let steep = pairs.iter().find(|p| p.material.friction_static > STEEPEST);
    if let Some(p) = steep {
        out.push(format!(
            "{}: friction {}: gains that do not fall with friction may pass the bound of stability; {STEEPEST} holds as well",
            name(p),
            p.material.friction_static
        ));
    }
    let mut tell = |count: usize, text: String| {
        out.push(if count > 1 { format!("{text} ({} kinds of pairs more)", count - 1) } else { text });
    };
    let entries: [(&str, [f64; 2]); 5] = [
        ("dmin", [0.0, 1.0]),
        ("dmax", [0.0, 1.0]),
        ("width", [0.0, f64::MAX]),
        ("midpoint", [0.0, 1.0]),
        ("power", [1.0, f64::MAX]),
    ];
    for (i, (what, [low, high])) in entries.into_iter().enumerate() {
        let bad: Vec<_> = pairs.iter().filter(|p| !(low..=high).contains(&p.material.solimp[i])).collect();
        if let Some(p) = bad.first() {
            let x = p.material.solimp[i];
            let nearest = if x < low { low } else { high };
            let text =
                format!("{}: {what} of solimp is {x}, taken as the nearest allowed, {nearest}", name(p));
            tell(bad.len(), text);
        }
    }
    let falling: Vec<_> = pairs.iter().filter(|p| p.material.solimp[0] > p.material.solimp[1]).collect();
    if let Some(p) = falling.first() {
        let [low, high] = [p.material.solimp[0], p.material.solimp[1]];
        tell(
            falling.len(),
            format!(
                "{}: solimp falls from {low} to {high} with depth: contacts soften as they deepen",
                name(p)
            ),
        );
    }
    out
}
