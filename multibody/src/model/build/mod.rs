//! A model from a scene.

mod actuators;
mod equalities;
mod muscles;
mod sensors;
mod tendons;

use signorini_core::na::{Matrix3, Point3, Vector3};
use signorini_scene::{GeomShape, JointKind, Place, Pose, Scene};

use crate::model::medium::MediumModel;
use crate::{
    BodyModel, Damper, DofModel, Dynamics, FrameModel, JointModel, Kinematics, Model, ModelError, Spring,
    Tree, TreeFactor,
};

fn finite_pose(x: &Pose) -> bool {
    x.translation.vector.iter().all(|v| v.is_finite())
        && x.rotation.coords.iter().all(|v| v.is_finite())
        && (x.rotation.norm() - 1.0).abs() < 1e-6
}

impl Model {
    /// From a scene.
    ///
    /// # Errors
    /// [`ModelError::Element`]: bodies or joints out of order, a free joint below the root, numbers that are not finite or out of
    /// range, joints that move no inertia, references to elements that do not exist, features without a model.
    pub fn new(scene: &Scene) -> Result<Self, ModelError> {
        let on = scene.options.switches;
        let mut m = Self {
            bodies: Vec::with_capacity(scene.bodies.len()),
            joints: Vec::with_capacity(scene.joints.len()),
            dofs: Vec::new(),
            trees: Vec::new(),
            geoms: Vec::with_capacity(scene.geoms.len()),
            sites: Vec::with_capacity(scene.sites.len()),
            tendons: Vec::new(),
            actuators: Vec::new(),
            equalities: Vec::new(),

            sensors: Vec::new(),
            keyframes: scene.keyframes.clone(),
            gravity: if on.gravity { scene.options.gravity } else { Vector3::zeros() },
            nq: 0,
            nz: 0,
            mocap_poses: Vec::new(),
            reference_q: Vec::new(),
            spring_q: Vec::new(),
            clamp_control: on.clamp_control,
            medium: MediumModel::new(scene),
            lifts: scene.bodies.iter().any(|b| b.gravity_compensation != 0.0),
            springs: on.springs
                && scene.joints.iter().any(|j| Spring::new(j.stiffness, &j.higher_order).acts()),
        };
        if !m.gravity.iter().all(|g| g.is_finite()) {
            return Err(ModelError::element(
                &Place::default(),
                "gravity is not finite",
                "give three finite numbers",
            ));
        }
        if scene.bodies.is_empty() {
            return Err(ModelError::element(
                &Place::default(),
                "the scene has no bodies",
                "add the world as body 0",
            ));
        }
        for b in 0..scene.bodies.len() {
            m.add_body(scene, b)?;
        }
        if let Some(joint) = scene.joints.get(m.joints.len()) {
            let remedy = "list the joints of body 1 first, then 2, ...";
            return Err(ModelError::element(&joint.place, "joints are not ordered by body", remedy));
        }
        m.add_frames(scene)?;
        m.check_mass(scene)?;
        m.add_tendons(scene)?;
        let mut kin = Kinematics::new(&m);
        m.set_tendon_references(&mut kin);
        m.add_equalities(scene)?;
        m.add_actuators(scene)?;
        m.add_sensors(scene)?;

        Ok(m)
    }

    fn add_body(&mut self, scene: &Scene, b: usize) -> Result<(), ModelError> {
        let body = &scene.bodies[b];
        let parent = body.parent;
        if b == 0 && (parent != 0 || body.mocap) {
            let remedy = "make body 0 its own parent, fixed";
            return Err(ModelError::element(&body.place, "the first body is not the world", remedy));
        }
        if b > 0 && parent >= b {
            let remedy = "order bodies so that parents come first";
            return Err(ModelError::element(&body.place, "its parent comes after it", remedy));
        }
        if !finite_pose(&body.pose) || !body.gravity_compensation.is_finite() {
            return Err(ModelError::element(&body.place, "its pose is not finite", "give finite numbers"));
        }
        if let Some(m) = &body.mass {
            let numbers = m.inertia.iter().chain(m.com.iter()).chain([&m.mass]);
            let mut ok = numbers.into_iter().all(|x| x.is_finite()) && m.mass >= 0.0;
            if ok {
                let smallest = m.inertia.symmetric_eigenvalues().min();
                ok = smallest >= -1e-9 * m.inertia.amax()
                    && (m.inertia - m.inertia.transpose()).amax() <= 1e-9 * m.inertia.amax();
            }
            if !ok {
                let remedy = "give a mass ≥ 0 and a symmetric inertia without negative eigenvalues";
                return Err(ModelError::element(&body.place, "its mass or inertia is not physical", remedy));
            }
        }
        let from = self.joints.len();
        let (mut tree, mut last, mut moved_by) = match self.bodies.get(parent) {
            Some(p) => (p.tree, p.last_dof, p.moved_by),
            None => (None, None, 0),
        };
        let own = scene.joints[from..].iter().take_while(|j| j.body == b).count();
        if own > 0 && (b == 0 || body.mocap) {
            let remedy = "give the joint to a body of its own";
            return Err(ModelError::element(
                &scene.joints[from].place,
                "the world and mocap bodies have no joints",
                remedy,
            ));
        }
        if body.mocap && parent != 0 {
            let remedy = "attach it to the world";
            return Err(ModelError::element(
                &body.place,
                "a mocap body must be a child of the world",
                remedy,
            ));
        }
        for number in from..from + own {
            self.add_joint(scene, number, b, &mut tree, &mut last)?;
            moved_by = b;
        }
        if body.mocap {
            self.mocap_poses.push(body.pose);
        }
        let mass = body.mass;
        self.bodies.push(BodyModel {
            name: body.name.clone(),
            parent,
            pose: body.pose,
            mass: mass.map_or(0.0, |m| m.mass),
            com: mass.map_or(Point3::origin(), |m| m.com),
            inertia: mass.map_or(Matrix3::zeros(), |m| m.inertia),
            joints: from..self.joints.len(),
            tree,
            last_dof: last,
            moved_by,
            mocap: body.mocap.then(|| self.mocap_poses.len() - 1),
            gravity_compensation: body.gravity_compensation,
        });
        Ok(())
    }

    fn add_joint(
        &mut self,
        scene: &Scene,
        number: usize,
        b: usize,
        tree: &mut Option<usize>,
        last: &mut Option<usize>,
    ) -> Result<(), ModelError> {
        let (joint, body, on) = (&scene.joints[number], &scene.bodies[b], scene.options.switches);
        let first = number == 0 || scene.joints[number - 1].body != b;
        let alone = first && scene.joints.get(number + 1).is_none_or(|j| j.body != b);
        if joint.kind == JointKind::Free && (body.parent != 0 || !alone) {
            let message = "a free joint must be the only joint of a child of the world";
            let remedy =
                "make the body a child of the world with the free joint alone, or use ball and slide joints";
            return Err(ModelError::element(&joint.place, message, remedy));
        }
        let numbers = [joint.stiffness, joint.damping, joint.armature, joint.dry_friction];
        let beyond = joint.higher_order.all();
        let coordinates = [joint.reference, joint.spring_reference, joint.limit_margin];
        let place = joint.anchor.iter().chain(joint.axis.iter());
        if !numbers.iter().all(|x| x.is_finite() && *x >= 0.0)
            || !coordinates.iter().chain(place).chain(&beyond).all(|x| x.is_finite())
        {
            let message = "its stiffness, damping, armature and dry friction must be finite and not negative, its axis and \
                           anchor finite";
            return Err(ModelError::element(&joint.place, message, "give finite numbers ≥ 0"));
        }
        if joint.range.is_some_and(|[low, high]| low.is_nan() || high.is_nan() || low > high) {
            return Err(ModelError::element(
                &joint.place,
                "its range is empty",
                "give the lower limit first",
            ));
        }
        let t = *tree.get_or_insert_with(|| {
            self.trees.push(Tree { dofs: self.dofs.len()..self.dofs.len(), root: b });
            self.trees.len() - 1
        });
        if self.trees[t].dofs.end != self.dofs.len() {
            let remedy = "order bodies depth-first, so that each tree is contiguous";
            return Err(ModelError::element(
                &body.place,
                "the bodies of its tree are not contiguous",
                remedy,
            ));
        }
        let spring =
            if on.springs { Spring::new(joint.stiffness, &joint.higher_order) } else { Spring::default() };
        let damper =
            if on.dampers { Damper::new(joint.damping, &joint.higher_order) } else { Damper::default() };
        self.joints.push(JointModel {
            name: joint.name.clone(),
            kind: joint.kind,
            body: b,
            q: self.nq,
            v: self.dofs.len(),
            anchor: joint.anchor,
            axis: joint.axis,
            reference: joint.reference,
            range: joint.range.filter(|_| on.limits),
            limit_margin: joint.limit_margin,
            spring,
            spring_reference: joint.spring_reference,
            damper,
            dry_friction: if on.dry_friction { joint.dry_friction } else { 0.0 },
            armature: joint.armature,
            actuator_force_range: joint.actuator_force_range,
            actuator_gravity_compensation: joint.actuator_gravity_compensation,
            limit_sol: joint.limit_sol,
            friction_sol: joint.friction_sol,
        });
        let at = self.reference_q.len();
        match joint.kind {
            JointKind::Free => {
                let (t, r) = (body.pose.translation.vector, body.pose.rotation);
                self.reference_q.extend([t.x, t.y, t.z, r.w, r.i, r.j, r.k]);
            }
            JointKind::Ball => self.reference_q.extend([1.0, 0.0, 0.0, 0.0]),
            JointKind::Hinge | JointKind::Slide => self.reference_q.push(joint.reference),
        }
        match joint.kind {
            JointKind::Hinge | JointKind::Slide => self.spring_q.push(joint.spring_reference),
            _ => self.spring_q.extend_from_slice(&self.reference_q[at..]),
        }
        self.nq += joint.kind.nq();
        for _ in 0..joint.kind.nv() {
            self.dofs.push(DofModel {
                joint: number,
                body: b,
                parent: *last,
                tree: t,
                armature: joint.armature,
                damper,
                spring,
            });
            *last = Some(self.dofs.len() - 1);
        }
        self.trees[t].dofs.end = self.dofs.len();
        Ok(())
    }

    fn add_frames(&mut self, scene: &Scene) -> Result<(), ModelError> {
        for g in &scene.geoms {
            let shape = match &g.shape {
                GeomShape::Solid(s) => Some(s.clone()),
                GeomShape::MissingMesh(_) => None,
            };
            self.geoms.push(FrameModel {
                name: g.name.clone(),
                body: g.body,
                pose: g.pose,
                shape,
                visible: g.rgba[3] > 0.0,
                place: g.place.clone(),
            });
        }
        for s in &scene.sites {
            let shape = Some(s.shape.clone());
            self.sites.push(FrameModel {
                name: s.name.clone(),
                body: s.body,
                pose: s.pose,
                shape,
                visible: false,
                place: s.place.clone(),
            });
        }
        for f in self.geoms.iter().chain(&self.sites) {
            if f.body >= self.bodies.len() || !finite_pose(&f.pose) {
                let remedy = "give the number of a body and finite numbers";
                return Err(ModelError::element(
                    &f.place,
                    "its body does not exist or its pose is not finite",
                    remedy,
                ));
            }
        }
        Ok(())
    }

    /// Every joint must move some inertia, else the mass matrix is singular.
    fn check_mass(&self, scene: &Scene) -> Result<(), ModelError> {
        let remedy = "give the body or a descendant a mass and an inertia, or the joint an armature";
        let mut moved: Vec<f64> = self.bodies.iter().map(|b| b.mass).collect();
        for b in (1..self.bodies.len()).rev() {
            moved[self.bodies[b].parent] += moved[b];
        }
        for (i, j) in self.joints.iter().enumerate() {
            if moved[j.body] <= 0.0 && scene.joints[i].armature <= 0.0 {
                let message =
                    format!("joint '{}' of body '{}' moves no mass", j.name, self.bodies[j.body].name);
                return Err(ModelError::element(&scene.joints[i].place, message, remedy));
            }
        }
        // A pivot that is round-off of the diagonal, here and at a second configuration (a single one may be a singular pose).
        let (mut kin, mut dynamics) = (Kinematics::new(self), Dynamics::new(self));
        let mut factor = TreeFactor::new(self);
        let mut diagonal = vec![0.0; self.nv()];
        let mut bad = [None; 2];
        let mut q = self.reference_q.clone();
        for found in &mut bad {
            kin.set_positions(self, &q, &self.mocap_poses);
            dynamics.mass_matrix(self, &kin, |i, j, m| {
                factor.set(i, j, m);
                if i == j {
                    diagonal[i] = m;
                }
            });
            *found = match factor.factor() {
                Err(k) => Some(k),
                Ok(()) => (0..self.nv()).find(|&i| factor.pivot(i) <= 1e-13 * diagonal[i]),
            };
            let step: Vec<f64> = (0..self.nv()).map(|i| 0.3 + 0.1 * (i as f64).sin()).collect();
            self.integrate(&self.reference_q, &step, 1.0, &mut q);
        }
        if let [Some(k), Some(_)] = bad {
            let j = &self.joints[self.dofs[k].joint];
            let message = format!(
                "the mass matrix is singular at joint '{}' of body '{}': it moves no inertia that the joints after it do not move",
                j.name, self.bodies[j.body].name
            );
            return Err(ModelError::element(&scene.joints[self.dofs[k].joint].place, message, remedy));
        }
        Ok(())
    }
}
