use signorini_core::na::{Point3, Vector3};
use signorini_scene::{JointKind, Pose, Scene, SolParams, TendonPath, WrapElement};

use crate::model::build::element;
use crate::{Kinematics, Model, ModelError, Obstacle, SparseRow, SparseRows, wrap};

/// A tendon as the dynamics need it. What the scene's switches turn off is zero or None here.
#[derive(Clone, Debug)]
pub struct TendonModel {
    /// Name.
    pub name: String,
    /// How its length is measured.
    pub(crate) path: Path,
    /// Degrees of freedom on which its length may depend, ascending.
    pub dofs: Vec<usize>,
    /// Trees of these.
    pub trees: Vec<usize>,
    /// Limits of the length \[m\].
    pub range: Option<[f64; 2]>,
    /// Distance at which limits become active \[m\].
    pub limit_margin: f64,
    /// Spring stiffness \[N/m\].
    pub stiffness: f64,
    /// The spring is at rest between these lengths \[m\].
    pub spring_length: [f64; 2],
    /// Viscous damping \[N·s/m\].
    pub damping: f64,
    /// Dry friction \[N\].
    pub dry_friction: f64,
    /// Limits of the total actuator force \[N\].
    pub actuator_force_range: Option<[f64; 2]>,
    /// MuJoCo's solref and solimp of the limit.
    pub limit_sol: SolParams,
    /// MuJoCo's solref and solimp of dry friction.
    pub friction_sol: SolParams,
    /// Length at the reference configuration \[m\].
    pub reference_length: f64,
}

impl TendonModel {
    /// Spring force along the tendon at length `l`, pulling positive lengths shorter: −k·(distance from the dead band) \[N\].
    pub fn spring_force(&self, l: f64) -> f64 {
        let [low, high] = self.spring_length;
        self.stiffness * ((low - l).max(0.0) - (l - high).max(0.0))
    }

    /// Stiffness of the spring at length `l`: zero within the dead band \[N/m\].
    pub fn spring_stiffness(&self, l: f64) -> f64 {
        let [low, high] = self.spring_length;
        if l < low || l > high || low == high { self.stiffness } else { 0.0 }
    }

    /// Energy of the spring \[J\].
    pub fn spring_energy(&self, l: f64) -> f64 {
        let [low, high] = self.spring_length;
        0.5 * self.stiffness * ((low - l).max(0.0).powi(2) + (l - high).max(0.0).powi(2))
    }
}

/// A material point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyPoint {
    pub(crate) body: usize,
    pub(crate) point: Point3<f64>,
}

impl BodyPoint {
    fn world(&self, kin: &Kinematics) -> Point3<f64> {
        kin.x_wb[self.body] * self.point
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Path {
    /// (position, velocity, coefficient).
    Fixed(Vec<(usize, usize, f64)>),
    Spatial(Vec<Piece>),
}

#[derive(Clone, Debug)]
pub(crate) enum Piece {
    Through(BodyPoint),
    Around { body: usize, pose: Pose, obstacle: Obstacle, side: Option<BodyPoint> },
    Pulley(f64),
}

/// Lengths, rates and moment arms of all tendons; no allocation after construction.
#[derive(Clone, Debug)]
pub struct TendonState {
    /// Lengths \[m\].
    pub length: Vec<f64>,
    /// Rates \[m/s\].
    pub rate: Vec<f64>,
    moments: SparseRows,
}

impl TendonState {
    /// Sized for a model.
    pub fn new(model: &Model) -> Self {
        let n = model.tendons.len();
        let moments = SparseRows::new(model.nv(), model.tendons.iter().map(|t| t.dofs.len()));
        Self { length: vec![0.0; n], rate: vec![0.0; n], moments }
    }

    /// Lengths and moment arms ∂length/∂q̇ at the positions of `kin`.
    pub fn set_positions(&mut self, model: &Model, kin: &Kinematics, q: &[f64]) {
        for (i, tendon) in model.tendons.iter().enumerate() {
            self.length[i] = self.moments.set(i, &tendon.dofs, |moment| match &tendon.path {
                Path::Fixed(terms) => {
                    for &(_, v, c) in terms {
                        moment[v] += c;
                    }
                    terms.iter().map(|&(at, _, c)| c * q[at]).sum()
                }
                Path::Spatial(pieces) => spatial(model, kin, pieces, moment),
            });
        }
    }

    /// Rates at v; positions first.
    pub fn set_velocities(&mut self, model: &Model, v: &[f64]) {
        for i in 0..model.tendons.len() {
            self.rate[i] = self.row(model, i).dot(v);
        }
    }

    /// Moment arms of a tendon: rate = row · v.
    pub fn row<'a>(&'a self, model: &'a Model, tendon: usize) -> SparseRow<'a> {
        self.moments.row(tendon, &model.tendons[tendon].dofs)
    }
}

/// Adds the derivative of a straight piece from `a` to `b`, divided by `divisor`; returns its length over the divisor.
fn straight(
    model: &Model,
    kin: &Kinematics,
    (body_a, a): (usize, Point3<f64>),
    (body_b, b): (usize, Point3<f64>),
    divisor: f64,
    column: &mut [f64],
) -> f64 {
    let d = b - a;
    let length = d.norm();
    if length > 0.0 && model.bodies[body_a].moved_by != model.bodies[body_b].moved_by {
        let u: Vector3<f64> = d / (length * divisor);
        kin.for_columns(model, body_b, &b, |i, linear, _| column[i] += u.dot(&linear));
        kin.for_columns(model, body_a, &a, |i, linear, _| column[i] -= u.dot(&linear));
    }
    length / divisor
}

/// Length of a spatial path; its derivative is added to `column`. The path on an obstacle is a geodesic, so that its end points
/// count as material points of the obstacle.
fn spatial(model: &Model, kin: &Kinematics, pieces: &[Piece], column: &mut [f64]) -> f64 {
    let mut length = 0.0;
    let mut divisor = 1.0;
    let mut last: Option<(usize, Point3<f64>)> = None;
    let mut pending: Option<&Piece> = None;
    for piece in pieces {
        match piece {
            Piece::Pulley(d) => {
                divisor = *d;
                last = None;
            }
            Piece::Around { .. } => pending = Some(piece),
            Piece::Through(p) => {
                let next = (p.body, p.world(kin));
                if let Some(from) = last {
                    length += match pending.take() {
                        Some(Piece::Around { body, pose, obstacle, side }) => {
                            let x = kin.x_wb[*body] * pose;
                            let local = |p: &Point3<f64>| x.inverse_transform_point(p);
                            let side = side.map(|s| local(&s.world(kin)));
                            match wrap(*obstacle, &local(&from.1), &local(&next.1), side.as_ref()) {
                                Some(w) => {
                                    straight(model, kin, from, (*body, x * w.first), divisor, column)
                                        + w.length / divisor
                                        + straight(model, kin, (*body, x * w.last), next, divisor, column)
                                }
                                None => straight(model, kin, from, next, divisor, column),
                            }
                        }
                        _ => straight(model, kin, from, next, divisor, column),
                    };
                }
                last = Some(next);
            }
        }
    }
    length
}

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
            if t.armature != 0.0 {
                let remedy = "set the armature of the tendon to zero and add armature to its joints";
                return Err(element(&t.place, "inertia of tendons (armature) is not supported", remedy));
            }
            let positive = [t.stiffness, t.damping, t.dry_friction];
            if !positive.iter().all(|x| x.is_finite() && *x >= 0.0) {
                let message = "stiffness, damping and dry friction must be finite and not negative";
                return Err(element(&t.place, message, "give values ≥ 0"));
            }
            let empty = |r: &Option<[f64; 2]>| r.is_some_and(|[l, h]| l.is_nan() || h.is_nan() || l > h);
            if empty(&t.range) || empty(&t.spring_length) || empty(&t.actuator_force_range) {
                let message = "its range, spring length or actuator force range is empty";
                return Err(element(&t.place, message, "give the lower limit first"));
            }
            self.tendons.push(TendonModel {
                name: t.name.clone(),
                trees: self.trees_of(&dofs),
                path,
                dofs,
                range: t.range.filter(|_| on.limits),
                limit_margin: t.limit_margin,
                stiffness: if on.springs { t.stiffness } else { 0.0 },
                spring_length: t.spring_length.unwrap_or([f64::NAN; 2]),
                damping: if on.dampers { t.damping } else { 0.0 },
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
        let fail = |message: &str, remedy: &str| Err(element(&t.place, message, remedy));
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
