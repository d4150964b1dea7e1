use signorini_scene::{ActuatorDynamics, JointKind, Scene, Transmission};

use crate::{ActuatorModel, ActuatorState, Dynamics, Kinematics, Model, ModelError, TendonState, TreeFactor};

impl Model {
    pub(crate) fn add_actuators(&mut self, scene: &Scene) -> Result<(), ModelError> {
        let on = scene.options.switches;
        for a in &scene.actuators {
            let missing = |what: &str| {
                let message = format!("it acts on a {what} that does not exist");
                Err(ModelError::element(&a.place, message, "name an element of the scene"))
            };
            let dofs = match a.transmission {
                Transmission::Joint(j) | Transmission::JointInParent(j) => match self.joints.get(j) {
                    Some(j) => (j.v..j.v + j.kind.nv()).collect(),
                    None => return missing("joint"),
                },
                Transmission::Tendon(t) => match self.tendons.get(t) {
                    Some(t) => t.dofs.clone(),
                    None => return missing("tendon"),
                },
                Transmission::Site { site, reference } => {
                    if site >= self.sites.len() || reference.is_some_and(|r| r >= self.sites.len()) {
                        return missing("site");
                    }
                    self.support_union(
                        [Some(site), reference].into_iter().flatten().map(|s| self.sites[s].body),
                    )
                }
                Transmission::SliderCrank { crank, slider, rod } => {
                    if crank >= self.sites.len() || slider >= self.sites.len() {
                        return missing("site");
                    }
                    if !(rod > 0.0 && rod.is_finite()) {
                        let message = format!("its rod is {rod} m long");
                        return Err(ModelError::element(&a.place, message, "give a positive length"));
                    }
                    self.support_union([crank, slider].map(|s| self.sites[s].body))
                }
                Transmission::Body(b) if b >= self.bodies.len() => return missing("body"),
                // The contacts of a step say on which.
                Transmission::Body(_) => Vec::new(),
            };
            let ranges = [a.control_range, a.force_range, a.activation_range];
            let numbers = a.gear.iter().chain(&a.force.gain).chain(&a.force.bias);
            if !numbers.into_iter().all(|x| x.is_finite())
                || ranges.iter().flatten().any(|[l, h]| !matches!(l.partial_cmp(h), Some(o) if o.is_le()))
            {
                let message = "its gear, gain and bias must be finite, and its ranges not empty";
                return Err(ModelError::element(
                    &a.place,
                    message,
                    "give finite numbers, the lower limit first",
                ));
            }
            if let ActuatorDynamics::Filter { time_constant, .. } = a.dynamics
                && !(time_constant > 0.0 && time_constant.is_finite())
            {
                let message = "the time constant of its filter must be positive";
                return Err(ModelError::element(&a.place, message, "give a time constant > 0"));
            }
            let activation = match a.dynamics {
                ActuatorDynamics::None => None,
                _ => Some(self.nz),
            };
            self.nz += usize::from(activation.is_some());
            let live = |x: [f64; 3]| if on.actuation { x } else { [0.0; 3] };
            self.actuators.push(ActuatorModel {
                name: a.name.clone(),
                transmission: a.transmission.clone(),
                gear: a.gear,
                dynamics: a.dynamics,
                gain: live(a.force.gain),
                bias: live(a.force.bias),
                control_range: a.control_range.filter(|_| on.clamp_control),
                force_range: a.force_range,
                activation_range: a.activation_range,
                act_early: a.act_early,
                activation,
                trees: self.trees_of(&dofs),
                dofs,
                effort: [f64::NEG_INFINITY, f64::INFINITY],
                shares_limit: false,
                muscle: None,
            });
        }
        self.set_damping_ratios(scene)?;
        self.set_muscles(scene)?;
        self.set_efforts();
        Ok(())
    }

    /// Moment arms and the factored mass matrix at the reference configuration; None where it is singular.
    pub(super) fn at_reference(&self) -> (ActuatorState, Option<TreeFactor>) {
        let (mut kin, mut tendons, mut state) =
            (Kinematics::new(self), TendonState::new(self), ActuatorState::new(self));
        kin.set_positions(self, &self.reference_q, &self.mocap_poses);
        tendons.set_positions(self, &kin, &self.reference_q);
        state.set_positions(self, &kin, &tendons, &self.reference_q);
        let mut factor = TreeFactor::new(self);
        Dynamics::new(self).mass_matrix(self, &kin, |i, j, m| factor.set(i, j, m));
        let factored = factor.factor().is_ok();
        (state, factored.then_some(factor))
    }

    /// b₂ = −2 ζ √(k m) with k = −b₁ and the inertia m = 1/(r M⁻¹ rᵀ) that the actuator feels through its moment arms r at the
    /// reference configuration.
    fn set_damping_ratios(&mut self, scene: &Scene) -> Result<(), ModelError> {
        if scene.actuators.iter().all(|a| a.force.damping_ratio.is_none()) {
            return Ok(());
        }
        let (state, factor) = self.at_reference();
        let mut x = vec![0.0; self.nv()];
        for (i, a) in scene.actuators.iter().enumerate() {
            let Some(ratio) = a.force.damping_ratio else { continue };
            let stiffness = -a.force.bias[1];
            if !(ratio >= 0.0 && ratio.is_finite() && stiffness >= 0.0) {
                let message =
                    "a damping ratio needs a position-like actuator (bias₁ ≤ 0) and must not be negative";
                return Err(ModelError::element(&a.place, message, "give the damping itself (kv)"));
            }
            let row = state.row(self, i);
            x.fill(0.0);
            row.add_scaled(1.0, &mut x);
            if let Some(f) = &factor {
                f.solve_in_place(&mut x);
            }
            let mass = if factor.is_some() && row.dot(&x) > 0.0 { row.dot(&x).recip() } else { 0.0 };
            if scene.options.switches.actuation {
                self.actuators[i].bias[2] = -2.0 * ratio * (stiffness * mass).sqrt();
            }
        }
        Ok(())
    }

    /// Limits of joints and tendons, seen from the actuators that have them to themselves.
    fn set_efforts(&mut self) {
        for i in 0..self.actuators.len() {
            let a = &self.actuators[i];
            let mut effort = a.force_range.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
            let mut shares = false;
            let alone = !self.actuators.iter().enumerate().any(|(k, b)| {
                k != i && (b.transmission == a.transmission || b.dofs.iter().any(|d| a.dofs.contains(d)))
            });
            match a.transmission {
                Transmission::Tendon(t) => {
                    if let Some(range) = self.tendons[t].actuator_force_range {
                        let others = self
                            .actuators
                            .iter()
                            .enumerate()
                            .any(|(k, b)| k != i && b.transmission == a.transmission);
                        match others {
                            true => shares = true,
                            false => effort = intersect(effort, range),
                        }
                    }
                    shares |= a
                        .dofs
                        .iter()
                        .any(|&d| self.joints[self.dofs[d].joint].actuator_force_range.is_some());
                }
                Transmission::Joint(j) | Transmission::JointInParent(j) => {
                    let joint = &self.joints[j];
                    let scalar = matches!(joint.kind, JointKind::Hinge | JointKind::Slide);
                    if let Some([low, high]) = joint.actuator_force_range.filter(|_| scalar) {
                        let g = a.gear[0];
                        match alone && !joint.actuator_gravity_compensation {
                            true if g > 0.0 => effort = intersect(effort, [low / g, high / g]),
                            true if g < 0.0 => effort = intersect(effort, [high / g, low / g]),
                            true => {}
                            false => shares = true,
                        }
                    }
                }
                Transmission::Site { .. } | Transmission::SliderCrank { .. } => {
                    shares = a
                        .dofs
                        .iter()
                        .any(|&d| self.joints[self.dofs[d].joint].actuator_force_range.is_some());
                }
                Transmission::Body(_) => {}
            }
            self.actuators[i].effort = effort;
            self.actuators[i].shares_limit = shares;
        }
    }
}

fn intersect(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    let low = a[0].max(b[0]);
    [low, a[1].min(b[1]).max(low)]
}
