use signorini_core::ContactMaterial;
use signorini_core::na::Isometry3;
use signorini_mpm::Obstacle;
use signorini_scene::{Geom, GeomShape, Scene, Surface, did_you_mean};

use crate::places::CouplingError;

/// Numbers of the geoms that names stand for, in their order and each once: names of geoms, and of bodies for all geoms on them that collide.
///
/// # Errors
/// [`CouplingError::Name`] for names that the scene has not, and bodies on which nothing collides.
pub fn geoms_named(scene: &Scene, names: &[&str]) -> Result<Vec<usize>, CouplingError> {
    let mut out: Vec<usize> = Vec::new();
    for name in names {
        let refuse = |why: String| CouplingError::Name { name: (*name).to_owned(), why };
        let body = |g: &Geom| scene.bodies[g.body].name == *name && !g.mask.is_empty();
        let numbers = |keep: &dyn Fn(&Geom) -> bool| -> Vec<usize> {
            (0..scene.geoms.len()).filter(|g| keep(&scene.geoms[*g])).collect()
        };
        let mut found = numbers(&|g| g.name == *name);
        if found.is_empty() {
            found = numbers(&body);
        }
        if found.is_empty() {
            if scene.bodies.iter().any(|b| b.name == *name) {
                return Err(refuse("nothing on this body collides; name a geom".to_owned()));
            }
            let known = scene.geoms.iter().map(|g| &g.name).chain(scene.bodies.iter().map(|b| &b.name));
            let known: Vec<&str> = known.map(String::as_str).collect();
            let near = did_you_mean(name, &known);
            return Err(refuse(format!(
                "no geom or body has this name{near}; `signorini inspect` lists those of a file"
            )));
        }
        out.extend(found.into_iter().filter(|g| !out.contains(g)).collect::<Vec<_>>());
    }
    Ok(out)
}

/// The surface that points meet: that of the geom beside points that do not yield and rub as it does, so that stiffness, which is that of each particle's contact, dissipation and friction are the geom's own.
fn own_surface(scene: &Scene, geom: &Geom) -> ContactMaterial {
    let points = Surface { stiffness: Some(f64::INFINITY), ..geom.surface.clone() };
    scene.options.combination.combine(&geom.surface, &points, &scene.options.contact).0
}

/// The obstacles that geoms of a scene are to material points, where they are drawn: with this surface, or with those that the scene has written for them.
///
/// # Errors
/// [`CouplingError::Geom`] for geoms that do not exist, and meshes that were not read or enclose no solid.
pub fn obstacles(
    scene: &Scene,
    geoms: &[usize],
    surface: impl Into<Option<ContactMaterial>>,
) -> Result<Vec<Obstacle>, CouplingError> {
    let given = surface.into();
    let one = |g: &usize| {
        let geom = scene.geoms.get(*g).ok_or_else(|| CouplingError::unknown(scene, *g))?;
        let refuse = |why: String| Err(CouplingError::Geom { geom: geom.name.clone(), why });
        let surface = given.unwrap_or_else(|| own_surface(scene, geom));
        match &geom.shape {
            GeomShape::Solid(shape) => match shape.check_solid() {
                Ok(()) => Ok(Obstacle::new(&geom.name, shape.clone(), Isometry3::identity(), surface)),
                Err(why) => refuse(why.to_string()),
            },
            GeomShape::MissingMesh(path) => {
                refuse(format!("its mesh {} was not read; load the scene with meshes", path.display()))
            }
        }
    };
    geoms.iter().map(one).collect()
}
