//! The arrays of `mjModel`: read with MuJoCo's names, changed through setters.

use signorini_multibody::JointModel;
use signorini_scene::{ActuatorForce, JointKind};

use super::error::within;
use super::{Model, MujocoError};

/// Fails on a number that is negative or not finite.
fn not_negative(field: &str, index: usize, value: f64) -> Result<(), MujocoError> {
    if value >= 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(MujocoError::Value {
        field: format!("{field}[{index}]"),
        value,
        remedy: "give a finite number of at least 0",
    })
}

impl Model {
    /// Parent of each body.
    pub fn body_parentid(&self) -> Vec<usize> {
        self.scene().bodies.iter().map(|b| b.parent).collect()
    }
    /// Mass of each body \[kg\].
    pub fn body_mass(&self) -> Vec<f64> {
        self.scene().bodies.iter().map(|b| b.mass.map_or(0.0, |m| m.mass)).collect()
    }
    /// Centre of mass of each body in its frame \[m\].
    pub fn body_ipos(&self) -> Vec<[f64; 3]> {
        self.multibody().bodies.iter().map(|b| b.com.coords.into()).collect()
    }
    /// Position of each body in its parent \[m\].
    pub fn body_pos(&self) -> Vec<[f64; 3]> {
        self.scene().bodies.iter().map(|b| b.pose.translation.vector.into()).collect()
    }
    /// Rotation of each body in its parent (w, x, y, z).
    pub fn body_quat(&self) -> Vec<[f64; 4]> {
        self.scene().bodies.iter().map(|b| quat(&b.pose.rotation)).collect()
    }
    /// Number of each body among the mocap bodies; −1 for others.
    pub fn body_mocapid(&self) -> Vec<i32> {
        self.multibody().bodies.iter().map(|b| b.mocap.map_or(-1, |i| i as i32)).collect()
    }
    /// Kind of each joint: 0 free, 1 ball, 2 slide, 3 hinge.
    pub fn jnt_type(&self) -> Vec<i32> {
        let number = |j: &JointModel| match j.kind {
            JointKind::Free => 0,
            JointKind::Ball => 1,
            JointKind::Slide => 2,
            JointKind::Hinge => 3,
        };
        self.multibody().joints.iter().map(number).collect()
    }
    /// First position of each joint.
    pub fn jnt_qposadr(&self) -> Vec<usize> {
        self.multibody().joints.iter().map(|j| j.q).collect()
    }
    /// First velocity of each joint.
    pub fn jnt_dofadr(&self) -> Vec<usize> {
        self.multibody().joints.iter().map(|j| j.v).collect()
    }
    /// Body of each joint.
    pub fn jnt_bodyid(&self) -> Vec<usize> {
        self.multibody().joints.iter().map(|j| j.body).collect()
    }
    /// Whether each joint is limited.
    pub fn jnt_limited(&self) -> Vec<bool> {
        self.scene().joints.iter().map(|j| j.range.is_some()).collect()
    }
    /// Limits of each joint; zeros without.
    pub fn jnt_range(&self) -> Vec<[f64; 2]> {
        self.scene().joints.iter().map(|j| j.range.unwrap_or_default()).collect()
    }
    /// Stiffness of each joint.
    pub fn jnt_stiffness(&self) -> Vec<f64> {
        self.scene().joints.iter().map(|j| j.stiffness).collect()
    }
    /// Body of each degree of freedom.
    pub fn dof_bodyid(&self) -> Vec<usize> {
        self.multibody().dofs.iter().map(|d| d.body).collect()
    }
    /// Joint of each degree of freedom.
    pub fn dof_jntid(&self) -> Vec<usize> {
        self.multibody().dofs.iter().map(|d| d.joint).collect()
    }
    /// Armature of each degree of freedom.
    pub fn dof_armature(&self) -> Vec<f64> {
        self.dof_jntid().into_iter().map(|j| self.scene().joints[j].armature).collect()
    }
    /// Damping of each degree of freedom.
    pub fn dof_damping(&self) -> Vec<f64> {
        self.dof_jntid().into_iter().map(|j| self.scene().joints[j].damping).collect()
    }
    /// Dry friction of each degree of freedom.
    pub fn dof_frictionloss(&self) -> Vec<f64> {
        self.dof_jntid().into_iter().map(|j| self.scene().joints[j].dry_friction).collect()
    }
    /// Body of each geom.
    pub fn geom_bodyid(&self) -> Vec<usize> {
        self.scene().geoms.iter().map(|g| g.body).collect()
    }
    /// Friction of each geom: sliding, torsional \[m\], rolling \[m\].
    pub fn geom_friction(&self) -> Vec<[f64; 3]> {
        let of = |s: &signorini_scene::Surface| [s.friction, s.friction_torsional, s.friction_rolling];
        self.scene().geoms.iter().map(|g| of(&g.surface)).collect()
    }
    /// Contact dimension of each geom.
    pub fn geom_condim(&self) -> Vec<u8> {
        self.scene().geoms.iter().map(|g| g.surface.condim).collect()
    }
    /// Body of each site.
    pub fn site_bodyid(&self) -> Vec<usize> {
        self.scene().sites.iter().map(|s| s.body).collect()
    }
    /// Whether each control is limited.
    pub fn actuator_ctrllimited(&self) -> Vec<bool> {
        self.scene().actuators.iter().map(|a| a.control_range.is_some()).collect()
    }
    /// Limits of each control; zeros without.
    pub fn actuator_ctrlrange(&self) -> Vec<[f64; 2]> {
        self.scene().actuators.iter().map(|a| a.control_range.unwrap_or_default()).collect()
    }
    /// Limits of the force of each actuator; zeros without.
    pub fn actuator_forcerange(&self) -> Vec<[f64; 2]> {
        self.scene().actuators.iter().map(|a| a.force_range.unwrap_or_default()).collect()
    }
    /// Gear of each actuator.
    pub fn actuator_gear(&self) -> Vec<[f64; 6]> {
        self.scene().actuators.iter().map(|a| a.gear).collect()
    }
    /// First three gain parameters of each actuator.
    pub fn actuator_gainprm(&self) -> Vec<[f64; 3]> {
        self.multibody().actuators.iter().map(|a| a.gain).collect()
    }
    /// First three bias parameters of each actuator.
    pub fn actuator_biasprm(&self) -> Vec<[f64; 3]> {
        self.multibody().actuators.iter().map(|a| a.bias).collect()
    }
    /// First value of each sensor.
    pub fn sensor_adr(&self) -> Vec<usize> {
        self.multibody().sensors.iter().map(|s| s.start).collect()
    }
    /// Number of values of each sensor.
    pub fn sensor_dim(&self) -> Vec<usize> {
        self.multibody().sensors.iter().map(|s| s.kind.dim()).collect()
    }
    /// Positions at the reference configuration, nq.
    pub fn qpos0(&self) -> &[f64] {
        &self.multibody().reference_q
    }
    /// Positions of a keyframe, nq.
    ///
    /// # Errors
    /// [`MujocoError::Index`]; so do the following.
    pub fn key_qpos(&self, key: usize) -> Result<Vec<f64>, MujocoError> {
        Ok(self.multibody().state_at(Some(self.keyframe(key)?), self.na())?.q)
    }
    /// Velocities of a keyframe, nv.
    ///
    /// # Errors
    /// [`MujocoError::Index`].
    pub fn key_qvel(&self, key: usize) -> Result<Vec<f64>, MujocoError> {
        Ok(self.multibody().state_at(Some(self.keyframe(key)?), self.na())?.v)
    }
    /// Controls of a keyframe, nu.
    ///
    /// # Errors
    /// [`MujocoError::Index`].
    pub fn key_ctrl(&self, key: usize) -> Result<Vec<f64>, MujocoError> {
        Ok(self.multibody().control_at(Some(self.keyframe(key)?))?)
    }

    /// Sets `body_mass` of one body \[kg\]; its inertia stays, as in MuJoCo.
    ///
    /// # Errors
    /// Bodies that do not exist or have no inertia; masses that are negative, not finite or leave a joint without inertia.
    pub fn set_body_mass(&mut self, body: usize, mass: f64) -> Result<(), MujocoError> {
        within("body", body, self.nbody())?;
        not_negative("body_mass", body, mass)?;
        if self.scene().bodies[body].mass.is_none() {
            let field = format!("body_mass[{body}]");
            let remedy = "the body has no inertia to go with it: give it an <inertial> or a geom with mass";
            return Err(MujocoError::Value { field, value: mass, remedy });
        }
        self.change(|s| {
            if let Some(m) = &mut s.bodies[body].mass {
                m.mass = mass;
            }
        })
    }

    /// Sets `geom_friction` of one geom: sliding, torsional \[m\], rolling \[m\]; a dynamic friction of its own is dropped.
    ///
    /// # Errors
    /// A geom that does not exist, numbers that are negative or not finite.
    pub fn set_geom_friction(&mut self, geom: usize, friction: [f64; 3]) -> Result<(), MujocoError> {
        within("geom", geom, self.ngeom())?;
        friction.iter().try_for_each(|x| not_negative("geom_friction", geom, *x))?;
        self.change(|s| {
            let f = &mut s.geoms[geom].surface;
            [f.friction, f.friction_torsional, f.friction_rolling] = friction;
            f.friction_dynamic = None;
        })
    }

    /// Sets `dof_damping` of all degrees of freedom of a joint.
    ///
    /// # Errors
    /// A joint that does not exist, a number that is negative or not finite.
    pub fn set_jnt_damping(&mut self, joint: usize, damping: f64) -> Result<(), MujocoError> {
        within("joint", joint, self.njnt())?;
        not_negative("dof_damping of joint", joint, damping)?;
        self.change(|s| s.joints[joint].damping = damping)
    }

    /// Sets `dof_armature` of all degrees of freedom of a joint.
    ///
    /// # Errors
    /// A joint that does not exist, a number that is negative or not finite.
    pub fn set_jnt_armature(&mut self, joint: usize, armature: f64) -> Result<(), MujocoError> {
        within("joint", joint, self.njnt())?;
        not_negative("dof_armature of joint", joint, armature)?;
        self.change(|s| s.joints[joint].armature = armature)
    }

    /// Sets the first three of `actuator_gainprm` and `actuator_biasprm` of one actuator.
    ///
    /// # Errors
    /// An actuator that does not exist, numbers that are not finite.
    pub fn set_actuator_prm(
        &mut self,
        actuator: usize,
        gain: [f64; 3],
        bias: [f64; 3],
    ) -> Result<(), MujocoError> {
        within("actuator", actuator, self.nu())?;
        self.change(|s| {
            let force = &mut s.actuators[actuator].force;
            *force = ActuatorForce { gain, bias, ..ActuatorForce::default() };
        })
    }
}

pub(super) fn quat(r: &signorini_core::na::UnitQuaternion<f64>) -> [f64; 4] {
    [r.w, r.i, r.j, r.k]
}
