use signorini_core::na::Vector3;
use signorini_scene::{ActuatorDynamics, JointKind, Scene, Transmission};

use crate::model::build::element;
use crate::{ActuatorState, Dynamics, Kinematics, Model, ModelError, TendonState, TreeFactor};

/// A motor as the dynamics need it; what every step reads comes first, as in [`BodyModel`](crate::BodyModel).
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct ActuatorModel {
    /// g₀, g₁, g₂ of the force law.
    pub gain: [f64; 3],
    /// b₀, b₁, b₂ of the force law; b₂ follows from the damping ratio when the scene states one.
    pub bias: [f64; 3],
    /// Limits of the force with those of its joint or tendon, when no other actuator shares them; ±∞ without limits.
    pub effort: [f64; 2],
    /// Limits of the control; None when the scene does not clamp controls.
    pub control_range: Option<[f64; 2]>,
    /// Number of its activation among those of the model.
    pub activation: Option<usize>,
    /// The control acts on the next activation.
    pub act_early: bool,
    /// Its joint or tendon limits the sum of its force and those of others: `effort` does not contain that limit.
    pub shares_limit: bool,
    /// Degrees of freedom on which it may act, ascending.
    pub dofs: Vec<usize>,
    /// What it acts on.
    pub transmission: Transmission,
    /// Gear ratios, 6.
    pub gear: [f64; 6],
    /// Activation dynamics.
    pub dynamics: ActuatorDynamics,
    /// Limits of the force \[N or N·m\].
    pub force_range: Option<[f64; 2]>,
    /// Limits of the activation.
    pub activation_range: Option<[f64; 2]>,
    /// Trees of these.
    pub trees: Vec<usize>,
    /// Name.
    pub name: String,
}

/// The force of an actuator at one state, and how it changes: f + f_l δl + f_r δl̇ within limits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ActuatorLaw {
    /// Force before clamping \[N or N·m\].
    pub force: f64,
    /// ∂f/∂length.
    pub by_length: f64,
    /// ∂f/∂rate.
    pub by_rate: f64,
    /// Limits of the force: [`ActuatorModel::effort`].
    pub effort: [f64; 2],
}

fn clamp(x: f64, range: Option<[f64; 2]>) -> f64 {
    range.map_or(x, |[low, high]| x.max(low).min(high))
}

fn intersect(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    let low = a[0].max(b[0]);
    [low, a[1].min(b[1]).max(low)]
}

impl ActuatorModel {
    /// The control within its range.
    pub fn clamped_control(&self, control: f64) -> f64 {
        clamp(control, self.control_range)
    }

    /// Rate of the activation a under a control.
    pub fn activation_rate(&self, a: f64, control: f64) -> f64 {
        let u = self.clamped_control(control);
        match self.dynamics {
            ActuatorDynamics::None => 0.0,
            ActuatorDynamics::Integrator => u,
            ActuatorDynamics::Filter { time_constant, .. } => (u - a) / time_constant,
        }
    }

    /// The activation after `dt` \[s\] under a control that is held: Euler's rule, or exact where the filter asks for it.
    pub fn next_activation(&self, a: f64, control: f64, dt: f64) -> f64 {
        let rate = self.activation_rate(a, control);
        let next = match self.dynamics {
            ActuatorDynamics::None => a,
            ActuatorDynamics::Filter { time_constant, exact: true } => {
                a - rate * time_constant * (-dt / time_constant).exp_m1()
            }
            _ => a + dt * rate,
        };
        clamp(next, self.activation_range)
    }

    /// The input of the force law: the control itself, or the activation (the next one, if the actuator acts early).
    pub fn input(&self, z: &[f64], control: f64, dt: f64) -> f64 {
        match self.activation {
            None => self.clamped_control(control),
            Some(i) if self.act_early => self.next_activation(z[i], control, dt),
            Some(i) => z[i],
        }
    }

    /// The force law at a length, a rate and an input a:
    ///
    /// ```text
    /// f = (g₀ + g₁ l + g₂ l̇)·a + (b₀ + b₁ l + b₂ l̇)
    /// ```
    pub fn law(&self, length: f64, rate: f64, a: f64) -> ActuatorLaw {
        let c: [f64; 3] = std::array::from_fn(|i| self.gain[i] * a + self.bias[i]);
        ActuatorLaw {
            force: c[0] + c[1] * length + c[2] * rate,
            by_length: c[1],
            by_rate: c[2],
            effort: self.effort,
        }
    }
}

impl Model {
    /// z₁ = activations after `dt` \[s\] with controls held.
    pub fn advance_activations(&self, z0: &[f64], control: &[f64], dt: f64, z1: &mut [f64]) {
        if self.nz == 0 {
            return;
        }
        for (a, u) in self.actuators.iter().zip(control) {
            if let Some(i) = a.activation {
                z1[i] = a.next_activation(z0[i], *u, dt);
            }
        }
    }

    /// Forces of all actuators, clamped, and the generalised force that they make: force ranges first, then the limits of tendons on the
    /// sum of their actuators, then those of joints on all that acts there, with the gravity compensation that counts as actuation.
    ///
    /// `forces` has one entry per actuator, `tau` nv; both are overwritten. `dt` is the step that actuators which act early look ahead.
    pub fn actuator_forces(
        &self,
        kin: &Kinematics,
        state: &ActuatorState,
        (z, control, dt): (&[f64], &[f64], f64),
        forces: &mut [f64],
        tau: &mut [f64],
    ) {
        for (i, a) in self.actuators.iter().enumerate() {
            let law = a.law(state.length[i], state.rate[i], a.input(z, control[i], dt));
            forces[i] = clamp(law.force, a.force_range);
        }
        for (t, tendon) in self.tendons.iter().enumerate() {
            let Some([low, high]) = tendon.actuator_force_range else { continue };
            let on = |a: &ActuatorModel| a.transmission == Transmission::Tendon(t);
            let total: f64 = self.actuators.iter().zip(&*forces).filter(|(a, _)| on(a)).map(|(_, f)| f).sum();
            let scale = match total {
                x if x > high => high / x,
                x if x < low => low / x,
                _ => continue,
            };
            self.actuators.iter().zip(&mut *forces).filter(|(a, _)| on(a)).for_each(|(_, f)| *f *= scale);
        }
        tau.fill(0.0);
        for (i, f) in forces.iter().enumerate() {
            state.row(self, i).add_scaled(*f, tau);
        }
        self.add_gravity_compensation(kin, &self.gravity, true, tau);
        for j in &self.joints {
            if matches!(j.kind, JointKind::Hinge | JointKind::Slide) {
                tau[j.v] = clamp(tau[j.v], j.actuator_force_range);
            }
        }
    }

    pub(crate) fn add_actuators(&mut self, scene: &Scene) -> Result<(), ModelError> {
        let on = scene.options.switches;
        for a in &scene.actuators {
            let missing = |what: &str| {
                let message = format!("it acts on a {what} that does not exist");
                Err(element(&a.place, message, "name an element of the scene"))
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
                Transmission::Body(_) => {
                    let remedy = "remove the actuator, or pull with a site transmission";
                    return Err(element(&a.place, "adhesion is not supported", remedy));
                }
            };
            let ranges = [a.control_range, a.force_range, a.activation_range];
            let numbers = a.gear.iter().chain(&a.force.gain).chain(&a.force.bias);
            if !numbers.into_iter().all(|x| x.is_finite())
                || ranges.iter().flatten().any(|[l, h]| !matches!(l.partial_cmp(h), Some(o) if o.is_le()))
            {
                let message = "its gear, gain and bias must be finite, and its ranges not empty";
                return Err(element(&a.place, message, "give finite numbers, the lower limit first"));
            }
            if let ActuatorDynamics::Filter { time_constant, .. } = a.dynamics
                && !(time_constant > 0.0 && time_constant.is_finite())
            {
                let message = "the time constant of its filter must be positive";
                return Err(element(&a.place, message, "give a time constant > 0"));
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
            });
        }
        self.set_damping_ratios(scene)?;
        self.set_efforts();
        Ok(())
    }

    /// b₂ = −2 ζ √(k m) with k = −b₁ and the inertia m = 1/(r M⁻¹ rᵀ) that the actuator feels through its moment arms r at the
    /// reference configuration.
    fn set_damping_ratios(&mut self, scene: &Scene) -> Result<(), ModelError> {
        if scene.actuators.iter().all(|a| a.force.damping_ratio.is_none()) {
            return Ok(());
        }
        let (mut kin, mut tendons, mut state) =
            (Kinematics::new(self), TendonState::new(self), ActuatorState::new(self));
        kin.set_positions(self, &self.reference_q, &self.mocap_poses);
        tendons.set_positions(self, &kin, &self.reference_q);
        state.set_positions(self, &kin, &tendons, &self.reference_q);
        let mut factor = TreeFactor::new(self);
        Dynamics::new(self).mass_matrix(self, &kin, |i, j, m| factor.set(i, j, m));
        // Every joint moves inertia: that was checked before.
        let factored = factor.factor().is_ok();
        let mut x = vec![0.0; self.nv()];
        for (i, a) in scene.actuators.iter().enumerate() {
            let Some(ratio) = a.force.damping_ratio else { continue };
            let stiffness = -a.force.bias[1];
            if !(ratio >= 0.0 && ratio.is_finite() && stiffness >= 0.0) {
                let message =
                    "a damping ratio needs a position-like actuator (bias₁ ≤ 0) and must not be negative";
                return Err(element(&a.place, message, "give the damping itself (kv)"));
            }
            let row = state.row(self, i);
            x.fill(0.0);
            row.add_scaled(1.0, &mut x);
            factor.solve_in_place(&mut x);
            let mass = if factored && row.dot(&x) > 0.0 { row.dot(&x).recip() } else { 0.0 };
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
                Transmission::Site { .. } => {
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

    /// Gravity compensation of joints that do not count it as actuation, added to `tau`.
    pub fn add_passive_gravity_compensation(&self, kin: &Kinematics, tau: &mut [f64]) {
        let g: Vector3<f64> = self.gravity;
        self.add_gravity_compensation(kin, &g, false, tau);
    }
}
