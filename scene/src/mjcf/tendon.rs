//! `<tendon>`: fixed and spatial.

use signorini_geometry::Shape;

use super::Reader;
use super::geom::read_sol;
use super::joint::{Limited, higher_order, limits, read_coefficients, read_limited, read_range};
use crate::xml::{Element, Read};
use crate::{GeomShape, JointKind, NoteKind, SolParams, Tendon, TendonPath, WrapElement};

/// Statements of a tendon over its class.
#[derive(Clone, Debug)]
pub(super) struct TendonSpec {
    range: [f64; 2],
    limited: Limited,
    force_range: [f64; 2],
    force_limited: Limited,
    margin: f64,
    stiffness: [f64; 3],
    spring_length: [f64; 2],
    damping: [f64; 3],
    dry_friction: f64,
    armature: f64,
    limit_sol: SolParams,
    friction_sol: SolParams,
}

impl Default for TendonSpec {
    fn default() -> Self {
        Self {
            range: [0.0; 2],
            limited: Limited::Auto,
            force_range: [0.0; 2],
            force_limited: Limited::Auto,
            margin: 0.0,
            stiffness: [0.0; 3],
            spring_length: [-1.0; 2],
            damping: [0.0; 3],
            dry_friction: 0.0,
            armature: 0.0,
            limit_sol: SolParams::default(),
            friction_sol: SolParams::default(),
        }
    }
}

impl TendonSpec {
    /// Reads a tendon's attributes over its class.
    pub(super) fn read(&mut self, e: &Element) -> Read<()> {
        read_range(e, "range", &mut self.range)?;
        read_limited(e, "limited", &mut self.limited)?;
        read_range(e, "actuatorfrcrange", &mut self.force_range)?;
        read_limited(e, "actuatorfrclimited", &mut self.force_limited)?;
        self.margin = e.number("margin")?.unwrap_or(self.margin);
        read_coefficients(e, "stiffness", &mut self.stiffness)?;
        read_coefficients(e, "damping", &mut self.damping)?;
        if e.fill("springlength", 1, &mut self.spring_length)? == 1 {
            self.spring_length[1] = self.spring_length[0];
        }
        if self.spring_length[0] > self.spring_length[1] {
            return Err(e.invalid_at(
                "springlength",
                format!("springlength is {:?}: the first is above the second", self.spring_length),
                "write one length, or low and high",
            ));
        }
        self.dry_friction = e.nonnegative("frictionloss")?.unwrap_or(self.dry_friction);
        self.armature = e.nonnegative("armature")?.unwrap_or(self.armature);
        read_sol(e, "solreflimit", "solimplimit", &mut self.limit_sol)?;
        read_sol(e, "solreffriction", "solimpfriction", &mut self.friction_sol)?;
        if e.number("springyield")?.is_some_and(|y| y != 0.0) {
            return Err(e.unsupported_at("springyield", "a spring that yields", "remove the attribute"));
        }
        e.skip_attributes(&["group", "material", "rgba", "user", "width"]);
        Ok(())
    }
}

impl Reader<'_> {
    /// Reads `<tendon>`.
    pub(super) fn read_tendons(&mut self, e: &Element) -> Read<()> {
        e.finish()?;
        for c in &e.children {
            let mut s = self.defaults.of(c, 0)?.tendon.clone();
            s.read(c)?;
            let name = c.nonempty("name").map(str::to_owned);
            let place = c.place();
            self.names.tendons.add(name.as_deref(), self.scene.tendons.len(), &place)?;
            c.finish()?;
            if s.armature > 0.0 {
                let text = "armature of a tendon acts within chains of joints: its coupling between branches is left out, as in MuJoCo";
                self.notes.add(NoteKind::Converted, c, text);
            }
            let path = match c.name.as_str() {
                "fixed" => TendonPath::Fixed(self.read_fixed(c)?),
                "spatial" => TendonPath::Spatial(self.read_spatial(c)?),
                _ => return Err(e.unknown_child(c, &["fixed", "spatial"])),
            };
            self.note_empty_ranges(c, &[("range", s.range, s.limited)]);
            let (range, switch) = ("actuatorfrcrange", "actuatorfrclimited");
            self.scene.tendons.push(Tendon {
                name: name.unwrap_or_default(),
                path,
                range: limits(c, "range", "limited", s.range, s.limited, &self.compilers[c.origin])?,
                limit_margin: s.margin,
                stiffness: s.stiffness[0],
                spring_length: (s.spring_length != [-1.0; 2]).then_some(s.spring_length),
                damping: s.damping[0],
                higher_order: higher_order(&s.stiffness, &s.damping),
                dry_friction: s.dry_friction,
                armature: s.armature,
                actuator_force_range: limits(
                    c,
                    range,
                    switch,
                    s.force_range,
                    s.force_limited,
                    &self.compilers[c.origin],
                )?,
                limit_sol: s.limit_sol,
                friction_sol: s.friction_sol,
                place,
            });
        }
        Ok(())
    }

    fn read_fixed(&self, e: &Element) -> Read<Vec<(usize, f64)>> {
        let mut path = Vec::new();
        for c in &e.children {
            if c.name != "joint" {
                return Err(e.unknown_child(c, &["joint"]));
            }
            let joint = self.names.joints.need(c, "joint")?;
            if matches!(self.scene.joints[joint].kind, JointKind::Ball | JointKind::Free) {
                return Err(c.invalid_at(
                    "joint",
                    format!("joint '{}' is neither hinge nor slide", self.scene.joints[joint].name),
                    "name hinges and slides only",
                ));
            }
            let coefficient = c.number("coef")?.ok_or_else(|| {
                c.invalid(
                    "attribute 'coef' is missing",
                    "write coef=\"...\", the factor of the joint's coordinate",
                )
            })?;
            c.no_children()?;
            c.finish()?;
            path.push((joint, coefficient));
        }
        if path.is_empty() {
            return Err(e.invalid("the tendon has no joints", "add <joint joint=\"...\" coef=\"...\"/>"));
        }
        Ok(path)
    }

    fn read_spatial(&self, e: &Element) -> Read<Vec<WrapElement>> {
        let mut path: Vec<WrapElement> = Vec::new();
        for c in &e.children {
            let element = match c.name.as_str() {
                "site" => WrapElement::Site(self.names.sites.need(c, "site")?),
                "geom" => {
                    let geom = self.names.geoms.need(c, "geom")?;
                    let side_site = self.names.sites.get(c, "sidesite")?;
                    if !matches!(
                        self.scene.geoms[geom].shape,
                        GeomShape::Solid(Shape::Sphere { .. } | Shape::Cylinder { .. })
                    ) {
                        return Err(c.invalid_at(
                            "geom",
                            format!("geom '{}' is neither sphere nor cylinder", self.scene.geoms[geom].name),
                            "wrap tendons around spheres and cylinders only",
                        ));
                    }
                    if !matches!(path.last(), Some(WrapElement::Site(_))) {
                        return Err(c.invalid(
                            "a wrapped geom does not follow a site",
                            "put a site before and after it",
                        ));
                    }
                    WrapElement::Geom { geom, side_site }
                }
                "pulley" => WrapElement::Pulley {
                    divisor: c.positive("divisor")?.ok_or_else(|| {
                        c.invalid(
                            "attribute 'divisor' is missing",
                            "write divisor=\"2\" for two equal branches",
                        )
                    })?,
                },
                _ => return Err(e.unknown_child(c, &["site", "geom", "pulley"])),
            };
            if matches!(element, WrapElement::Pulley { .. }) {
                check_branch(e, &path)?;
            }
            c.no_children()?;
            c.finish()?;
            path.push(element);
        }
        check_branch(e, &path)?;
        if !path.iter().any(|p| matches!(p, WrapElement::Site(_))) {
            return Err(e.invalid("the tendon has no sites", "add at least two <site site=\"...\"/>"));
        }
        Ok(path)
    }
}

/// A branch has at least two sites and ends with one; an empty path before the first pulley is no branch.
fn check_branch(e: &Element, path: &[WrapElement]) -> Read<()> {
    let start = path.iter().rposition(|p| matches!(p, WrapElement::Pulley { .. })).map_or(0, |i| i + 1);
    let branch = &path[start..];
    let sites = branch.iter().filter(|p| matches!(p, WrapElement::Site(_))).count();
    let ends_well = matches!(branch.last(), Some(WrapElement::Site(_)));
    if (branch.is_empty() && start == 0 && path.is_empty()) || (sites >= 2 && ends_well) {
        return Ok(());
    }
    Err(e.invalid(
        "a branch of the tendon has fewer than two sites, or does not end with a site",
        "start and end each branch with a site",
    ))
}
