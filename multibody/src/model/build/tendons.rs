use signorini_scene::{JointKind, Scene, TendonPath, WrapElement};

use crate::model::tendon::{BodyPoint, Path, Piece};
use crate::{Damper, Kinematics, Model, ModelError, Obstacle, Spring, TendonModel, TendonState};

impl Model {
    pub(crate) fn add_tendons(&mut self, scene: &Scene) -> Result<(), ModelError> {
        let on = scene.options.switches;
        for t in &scene.tendons {
            let path = self.tendon_path(scene, t)?;
            let dofs = match &path {
                Path::Fixed(terms) => {
                    let mut d: Vec<usize> = terms.iter().map(|t| t.1).collect();
                    d.sort_unstable();
                    d.dedup();
                    d
                }
                Path::Spatial(pieces) => self.support_union(pieces.iter().filter_map(|p| match p {
                    Piece::Through(p) => Some(p.body),
                    Piece::Around { body, .. } => Some(*body),
                    Piece::Pulley(_) => None,
                })),
            };
            let wraps =
                matches!(&path, Path::Spatial(p) if p.iter().any(|p| matches!(p, Piece::Around { .. })));
            if t.armature != 0.0 && wraps {
                return Err(ModelError::element(
                    &t.place,
                    "armature of a tendon that wraps around geoms is not supported",
                    "set the armature of the tendon to zero, or lead it through sites",
                ));
            }
            let positive = [t.stiffness, t.damping, t.dry_friction, t.armature];
            let finite = t.higher_order.all().iter().all(|x| x.is_finite());
            if !finite || !positive.iter().all(|x| x.is_finite() && *x >= 0.0) {
                let message = "stiffness, damping, dry friction and armature must be finite and not negative";
                return Err(ModelError::element(&t.place, message, "give values ≥ 0"));
            }
            let empty = |r: &Option<[f64; 2]>| r.is_some_and(|[l, h]| l.is_nan() || h.is_nan() || l > h);
            if empty(&t.range) || empty(&t.spring_length) || empty(&t.actuator_force_range) {
                let message = "its range, spring length or actuator force range is empty";
                return Err(ModelError::element(&t.place, message, "give the lower limit first"));
            }
            self.tendons.push(TendonModel {
                name: t.name.clone(),
                trees: self.trees_of(&dofs),
                path,
                dofs,
                range: t.range.filter(|_| on.limits),
                limit_margin: t.limit_margin,
                spring: if on.springs {
                    Spring::new(t.stiffness, &t.higher_order)
                } else {
                    Spring::default()
                },
                spring_length: t.spring_length.unwrap_or([f64::NAN; 2]),
                damper: if on.dampers { Damper::new(t.damping, &t.higher_order) } else { Damper::default() },
                armature: t.armature,
                dry_friction: if on.dry_friction { t.dry_friction } else { 0.0 },
                actuator_force_range: t.actuator_force_range,
                limit_sol: t.limit_sol,
                friction_sol: t.friction_sol,
                reference_length: 0.0,
            });
        }
        Ok(())
    }

    /// Lengths at the reference configuration, and rest lengths that follow from the rest positions of the joints.
    pub(crate) fn set_tendon_references(&mut self, kin: &mut Kinematics) {
        let mut state = TendonState::new(self);
        let lengths = |m: &Self, kin: &mut Kinematics, state: &mut TendonState, q: &[f64]| {
            kin.set_positions(m, q, &m.mocap_poses);
            state.set_positions(m, kin, q);
        };
        let spring_q = self.spring_q.clone();
        lengths(self, kin, &mut state, &spring_q);
        for (t, l) in self.tendons.iter_mut().zip(&state.length) {
            if t.spring_length[0].is_nan() {
                t.spring_length = [*l; 2];
            }
        }
        let reference_q = self.reference_q.clone();
        lengths(self, kin, &mut state, &reference_q);
        for (t, l) in self.tendons.iter_mut().zip(&state.length) {
            t.reference_length = *l;
        }
    }

    fn tendon_path(&self, scene: &Scene, t: &signorini_scene::Tendon) -> Result<Path, ModelError> {
        let fail = |message: &str, remedy: &str| Err(ModelError::element(&t.place, message, remedy));
        let site = |s: usize| BodyPoint {
            body: scene.sites[s].body,
            point: scene.sites[s].pose.translation.vector.into(),
        };
        let elements = match &t.path {
            TendonPath::Fixed(terms) => {
                let mut out = Vec::with_capacity(terms.len());
                for &(j, c) in terms {
                    let Some(joint) = self.joints.get(j) else {
                        return fail("it names a joint that does not exist", "name joints of the scene");
                    };
                    if !matches!(joint.kind, JointKind::Hinge | JointKind::Slide) {
                        return fail(
                            "a fixed tendon acts on hinge and slide joints only",
                            "leave the joint out",
                        );
                    }
                    if !c.is_finite() {
                        return fail("a coefficient is not finite", "give finite numbers");
                    }
                    out.push((joint.q, joint.v, c));
                }
                return Ok(Path::Fixed(out));
            }
            TendonPath::Spatial(elements) => elements,
        };
        let mut pieces = Vec::with_capacity(elements.len());
        let is_site = |i: Option<usize>| {
            i.and_then(|i| elements.get(i)).is_some_and(|e| matches!(e, WrapElement::Site(_)))
        };
        for (i, e) in elements.iter().enumerate() {
            pieces.push(match e {
                WrapElement::Site(s) if *s < scene.sites.len() => Piece::Through(site(*s)),
                WrapElement::Pulley { divisor } if *divisor > 0.0 && divisor.is_finite() => {
                    Piece::Pulley(*divisor)
                }
                WrapElement::Pulley { .. } => {
                    return fail("the divisor of a pulley must be positive", "give a number > 0");
                }
                WrapElement::Geom { geom, side_site }
                    if *geom < scene.geoms.len() && side_site.is_none_or(|s| s < scene.sites.len()) =>
                {
                    if !is_site(i.checked_sub(1)) || !is_site(Some(i + 1)) {
                        return fail("a geom must stand between two sites", "put a site before and after it");
                    }
                    use signorini_geometry::Shape::{Cylinder, Sphere};
                    let g = &scene.geoms[*geom];
                    let obstacle = match g.shape {
                        signorini_scene::GeomShape::Solid(Sphere { radius }) => Obstacle::Sphere { radius },
                        signorini_scene::GeomShape::Solid(Cylinder { radius, .. }) => {
                            Obstacle::Cylinder { radius }
                        }
                        _ => {
                            let message = format!("geom '{}' is neither a sphere nor a cylinder", g.name);
                            return fail(&message, "wrap tendons around spheres and cylinders");
                        }
                    };
                    let (Obstacle::Sphere { radius } | Obstacle::Cylinder { radius }) = obstacle;
                    if !(radius > 0.0 && radius.is_finite()) {
                        return fail("the radius of an obstacle must be positive", "give a radius > 0");
                    }
                    Piece::Around { body: g.body, pose: g.pose, obstacle, side: side_site.map(site) }
                }
                _ => {
                    return fail("it names a site or geom that does not exist", "name elements of the scene");
                }
            });
        }
        let sites = pieces.iter().filter(|p| matches!(p, Piece::Through(_))).count();
        if sites < 2 {
            return fail("a spatial tendon needs at least two sites", "add sites to its path");
        }
        Ok(Path::Spatial(pieces))
    }
}
