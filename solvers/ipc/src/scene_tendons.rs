use signorini_core::Shown;
use signorini_scene::{Scene, Tendon, TendonPath, Transmission};

use crate::scene_motors::Driven;
use crate::scene_places;
use crate::{AffineSystem, JointAction};

/// Makes the fixed tendons of a scene, given the joints that can be driven; each becomes one that can be driven. Their numbers; unsupported ones are listed.
pub(crate) fn tendons(
    scene: &Scene,
    system: &mut AffineSystem,
    driven: &mut Vec<Driven>,
    left_out: &mut Vec<String>,
) -> Vec<Option<usize>> {
    let mut numbers = Vec::new();
    for (i, t) in scene.tendons.iter().enumerate() {
        let made = tendon(scene, i, t, system, driven, left_out);
        numbers.push(made.as_ref().ok().map(|d| d.number));
        match made {
            Ok(d) => driven.push(d),
            Err(why) => left_out.push(format!("{} is left out: {why}", scene_places::tendon(t))),
        }
    }
    numbers
}

fn tendon(
    scene: &Scene,
    index: usize,
    t: &Tendon,
    system: &mut AffineSystem,
    driven: &[Driven],
    left_out: &mut Vec<String>,
) -> Result<Driven, String> {
    let TendonPath::Fixed(parts) = &t.path else {
        return Err("it runs through sites; take <fixed> over joints, or --solver icf".into());
    };
    let (mut sum, mut start, mut at_rest) = (Vec::new(), 0.0, 0.0);
    for (joint, factor) in parts {
        let Some(d) = driven.iter().find(|d| d.transmission == Transmission::Joint(*joint)) else {
            let name = &scene.joints[*joint].name;
            return Err(format!(
                "its joint '{name}' is neither a hinge nor a slide of its own; name such joints, or take --solver icf"
            ));
        };
        sum.push((d.number, *factor));
        start += factor * d.start;
        at_rest += factor * scene.joints[*joint].spring_reference;
    }
    let on = scene.options.switches;
    let mut stiffness = if on.springs { t.stiffness } else { 0.0 };
    let [low, high] = t.spring_length.unwrap_or([at_rest; 2]);
    let springs = on.springs && (t.stiffness > 0.0 || t.higher_order.stiffness != [0.0; 2]);
    if low < high && springs {
        stiffness = 0.0;
        left_out.push(format!(
            "{}: its spring is left out: it is slack from {} to {}; give one springlength, or take --solver icf",
            scene_places::tendon(t),
            Shown(low),
            Shown(high)
        ));
    }
    let beyond = scene_places::beyond_first(
        if springs && low == high { t.higher_order.stiffness } else { [0.0; 2] },
        if on.dampers { t.higher_order.damping } else { [0.0; 2] },
    );
    left_out.extend(beyond.map(|what| format!("{}: {what}", scene_places::tendon(t))));
    let action = JointAction {
        range: t.range.filter(|_| on.limits).map(|r| r.map(|r| r - start)),
        spring: [stiffness, low - start],
        damping: if on.dampers { t.damping } else { 0.0 },
        dry_friction: if on.dry_friction { t.dry_friction } else { 0.0 },
        armature: t.armature,
        ..JointAction::default()
    };
    let number = system.tendon(&sum).map_err(|e| e.to_string())?;
    system.act(number, action).map_err(|e| e.to_string())?;
    let transmission = Transmission::Tendon(index);
    Ok(Driven { transmission, number, action, start, force_range: t.actuator_force_range })
}
