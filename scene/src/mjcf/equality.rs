//! `<equality>`: loops, welds and couplings.

use signorini_core::na::Point3;

use super::Reader;
use super::geom::read_sol;
use super::orientation::quaternion;
use crate::xml::{Element, Read};
use crate::{Equality, EqualityKind, JointKind, NoteKind, Pose, SolParams};

/// Statements of an equality over its class.
#[derive(Clone, Debug)]
pub(super) struct EqualitySpec {
    active: bool,
    sol: SolParams,
}

impl Default for EqualitySpec {
    fn default() -> Self {
        Self { active: true, sol: SolParams::default() }
    }
}

impl EqualitySpec {
    /// Reads the attributes that all equalities share over the class.
    pub(super) fn read(&mut self, e: &Element) -> Read<()> {
        self.active = e.boolean("active")?.unwrap_or(self.active);
        read_sol(e, "solref", "solimp", &mut self.sol)
    }
}

/// The two frames that an equality ties: bodies, with the anchor pose in each when given by sites.
struct Ends {
    bodies: [usize; 2],
    sites: Option<[Pose; 2]>,
}

const KINDS: [&str; 4] = ["connect", "weld", "joint", "tendon"];

impl Reader<'_> {
    /// Reads `<equality>`.
    pub(super) fn read_equalities(&mut self, e: &Element) -> Read<()> {
        e.finish()?;
        for c in &e.children {
            let kind = match c.name.as_str() {
                "connect" => self.read_connect(c)?,
                "weld" => self.read_weld(c)?,
                "joint" => self.read_joint_coupling(c)?,
                "tendon" => self.read_tendon_coupling(c)?,
                "flex" | "flexvert" | "flexstrain" => {
                    return Err(c.unsupported(format!("<{}> equality", c.name), "remove it"));
                }
                "distance" => {
                    return Err(c.unsupported(
                        "<distance> equality",
                        "MuJoCo removed it; use a spatial tendon's range",
                    ));
                }
                _ => return Err(e.unknown_child(c, &KINDS)),
            };
            let mut spec = self.defaults.of(c, 0)?.equality.clone();
            spec.read(c)?;
            let name = c.nonempty("name").map(str::to_owned);
            let place = c.place();
            self.names.equalities.add(name.as_deref(), self.scene.equalities.len(), &place)?;
            c.no_children()?;
            c.finish()?;
            self.scene.equalities.push(Equality {
                name: name.unwrap_or_default(),
                kind,
                active: spec.active,
                stiffness: None,
                damping: 0.0,
                sol: spec.sol,
                place,
            });
        }
        Ok(())
    }

    /// Pose of every body in the world as drawn.
    fn drawn_poses(&self) -> Vec<Pose> {
        let mut poses: Vec<Pose> = Vec::with_capacity(self.scene.bodies.len());
        for (i, b) in self.scene.bodies.iter().enumerate() {
            poses.push(if i == 0 { Pose::identity() } else { poses[b.parent] * b.pose });
        }
        poses
    }

    fn ends(&self, e: &Element) -> Read<Ends> {
        let sites = [self.names.sites.get(e, "site1")?, self.names.sites.get(e, "site2")?];
        let bodies = [self.names.bodies.get(e, "body1")?, self.names.bodies.get(e, "body2")?];
        let ends = match (sites, bodies) {
            ([Some(a), Some(b)], [None, None]) => {
                let s = [&self.scene.sites[a], &self.scene.sites[b]];
                Ends { bodies: s.map(|s| s.body), sites: Some(s.map(|s| s.pose)) }
            }
            ([None, None], [Some(a), b]) => Ends { bodies: [a, b.unwrap_or(0)], sites: None },
            _ => {
                return Err(e.invalid(
                    format!("<{}> does not say what it ties", e.name),
                    "write body1 and body2 (the world if left out), or site1 and site2",
                ));
            }
        };
        if ends.bodies[0] == ends.bodies[1] {
            return Err(e.invalid(
                format!("<{}> ties body '{}' to itself", e.name, self.scene.bodies[ends.bodies[0]].name),
                "name two bodies",
            ));
        }
        Ok(ends)
    }

    fn read_connect(&self, e: &Element) -> Read<EqualityKind> {
        let ends = self.ends(e)?;
        let anchor = e.vector::<3>("anchor")?;
        let [body_a, body_b] = ends.bodies;
        let (anchor_a, anchor_b) = match (ends.sites, anchor) {
            (Some([a, b]), None) => (a * Point3::origin(), b * Point3::origin()),
            (Some(_), Some(_)) => {
                return Err(e.invalid_at("anchor", "both sites and 'anchor' are given", "remove the anchor"));
            }
            (None, None) => {
                return Err(e.invalid(
                    "attribute 'anchor' is missing",
                    "write anchor=\"x y z\" in the frame of body1",
                ));
            }
            (None, Some(a)) => {
                let poses = self.drawn_poses();
                let a = Point3::from(a);
                (a, poses[body_b].inverse() * (poses[body_a] * a))
            }
        };
        Ok(EqualityKind::Connect { body_a, body_b, anchor_a, anchor_b })
    }

    fn read_weld(&mut self, e: &Element) -> Read<EqualityKind> {
        let ends = self.ends(e)?;
        let anchor = e.vector::<3>("anchor")?;
        let relative = e.vector::<7>("relpose")?.filter(|r| r[3..] != [0.0; 4]);
        // The sign of the scale turns rows around, which hold the same.
        let torque_scale = e.number("torquescale")?.unwrap_or(1.0).abs();
        let [body_a, body_b] = ends.bodies;
        let (anchor_a, anchor_b, rotation) = if let Some([a, b]) = ends.sites {
            if anchor.is_some() || relative.is_some() {
                return Err(
                    e.invalid("both sites and 'anchor' or 'relpose' are given", "keep the sites alone")
                );
            }
            (a * Point3::origin(), b * Point3::origin(), a.rotation * b.rotation.inverse())
        } else {
            let anchor_b = Point3::from(anchor.unwrap_or_default());
            let poses = self.drawn_poses();
            match relative {
                None => {
                    let drawn = poses[body_a].inverse() * poses[body_b];
                    (drawn * anchor_b, anchor_b, drawn.rotation)
                }
                // The position of relpose is that of the anchor in the frame of body1, not that of body2.
                Some([x, y, z, q0, q1, q2, q3]) => {
                    let rotation = quaternion([q0, q1, q2, q3]).ok_or_else(|| {
                        e.invalid_at("relpose", "the quaternion has no length", "write x y z w i j k")
                    })?;
                    (Point3::new(x, y, z), anchor_b, rotation)
                }
            }
        };
        if torque_scale == 0.0 {
            self.notes.add(
                NoteKind::Converted,
                e,
                "a weld with torquescale 0 leaves rotation free: it is a connect",
            );
            return Ok(EqualityKind::Connect { body_a, body_b, anchor_a, anchor_b });
        }
        Ok(EqualityKind::Weld { body_a, body_b, anchor_a, anchor_b, rotation, torque_scale })
    }

    fn read_joint_coupling(&self, e: &Element) -> Read<EqualityKind> {
        let joint_1 = self.names.joints.need(e, "joint1")?;
        let joint_2 = self.names.joints.get(e, "joint2")?;
        for (j, attribute) in [(Some(joint_1), "joint1"), (joint_2, "joint2")] {
            let Some(j) = j else { continue };
            if matches!(self.scene.joints[j].kind, JointKind::Ball | JointKind::Free) {
                return Err(e.invalid_at(
                    attribute,
                    format!("joint '{}' is neither hinge nor slide", self.scene.joints[j].name),
                    "couple hinges and slides only",
                ));
            }
        }
        if joint_2 == Some(joint_1) {
            return Err(e.invalid_at("joint2", "the joint is coupled to itself", "name two joints"));
        }
        Ok(EqualityKind::Joint { joint_1, joint_2, polynomial: polynomial(e)? })
    }

    fn read_tendon_coupling(&self, e: &Element) -> Read<EqualityKind> {
        let tendon_1 = self.names.tendons.need(e, "tendon1")?;
        let tendon_2 = self.names.tendons.get(e, "tendon2")?;
        if tendon_2 == Some(tendon_1) {
            return Err(e.invalid_at("tendon2", "the tendon is coupled to itself", "name two tendons"));
        }
        Ok(EqualityKind::Tendon { tendon_1, tendon_2, polynomial: polynomial(e)? })
    }
}

fn polynomial(e: &Element) -> Read<[f64; 5]> {
    let mut p = [0.0, 1.0, 0.0, 0.0, 0.0];
    e.fill("polycoef", 1, &mut p)?;
    Ok(p)
}
