//! Tasks that need names of a scene alone, one file each. Their scenes lie in the folder `models` of the project.

mod cart_pole;
mod cylinder_push;
mod follow;
mod hand_turn;
mod setup;
mod two_arm_carry;
mod two_arm_grips;
mod two_arm_handover;
mod two_arm_motion;
pub mod two_arms;

pub use cart_pole::CartPole;
pub use cylinder_push::CylinderPush;
pub use follow::Follow;
pub use hand_turn::{HandTurn, InHand, Turn};
pub use setup::Setup;
pub use two_arm_carry::{Held, TwoArmCarry, Wall};
pub use two_arm_grips::{GripCommands, TwoArmGrips};
pub use two_arm_handover::TwoArmHandover;
pub use two_arm_motion::{Tolerance, TwoArmMotion};

use signorini_core::na::SVector;

use crate::{Motion, Outcome, Phase, PlanError, Temperature, Update, View};

/// Names of all tasks.
pub const NAMES: [&str; 20] = [
    "cart_pole",
    "cylinder_push",
    "g1_box_push",
    "g1_get_up",
    "hand_cube_tilt",
    "hand_cube_yaw",
    "hand_cylinder_tilt",
    "hand_cylinder_yaw",
    "hand_tin_tilt",
    "hand_tin_yaw",
    "hand_toy_tilt",
    "hand_toy_yaw",
    "two_arm_ball",
    "two_arm_ball_obstacles",
    "two_arm_ball_seven",
    "two_arm_ball_seven_obstacles",
    "two_arm_ball_seven_wall",
    "two_arm_ball_wall",
    "two_arm_handover",
    "two_arm_tray",
];

/// Residual that ends sweeps of the plan model \[m/s\].
pub const SETTLED: f64 = 1e-3;
/// Most sweeps over ComFree's impedance of plan models with contact, and the residual that ends them.
pub const SWEEPS: (u32, f64) = (12, SETTLED);

/// Round-off of sums of control steps, far below one \[s\].
const ROUND_OFF: f64 = 1e-9;

/// Tasks of two arms that carry.
const CARRIED: [TwoArmCarry; 7] = [
    TwoArmCarry::ball(Wall::None),
    TwoArmCarry::ball(Wall::Fixed),
    TwoArmCarry::ball(Wall::Perturbed),
    TwoArmCarry::ball_seven(Wall::None),
    TwoArmCarry::ball_seven(Wall::Fixed),
    TwoArmCarry::ball_seven(Wall::Perturbed),
    TwoArmCarry::tray(),
];

/// A task by name, its planner with a seed.
///
/// # Errors
/// [`PlanError::Unknown`] with the names that there are.
pub fn by_name(name: &str, seed: u64) -> Result<Setup, PlanError> {
    if let Some(task) = HandTurn::ALL.iter().find(|t| t.name == name) {
        return Ok(turn(*task, seed));
    }
    if let Some(task) = CARRIED.iter().find(|t| t.name == name) {
        return carry(*task, seed);
    }
    match name {
        "cart_pole" => Ok(Setup {
            task: Box::new(CartPole::default()),
            scene: "cart_pole/cart_pole.xml",
            planner: CartPole::planner(seed),
            substeps: [2, 4],
            replan: 1,
            sweeps: None,
            projection: None,
            measurement: None,
        }),
        "cylinder_push" => Ok(Setup {
            task: Box::new(CylinderPush::default()),
            scene: "cylinder_push/cylinder_push.xml",
            planner: CylinderPush::planner(seed),
            substeps: [3, 6],
            replan: 1,
            sweeps: None,
            projection: None,
            measurement: None,
        }),
        "g1_box_push" => made("g1_box_push", include_str!("../../../models/g1/box_push.csv"), seed),
        "g1_get_up" => made("g1_get_up", include_str!("../../../models/g1/get_up.csv"), seed),
        "two_arm_handover" => {
            let planner = TwoArmHandover::planner(seed);
            Ok(Setup {
                task: Box::new(TwoArmHandover::default()),
                scene: "two_arms/cube.xml",
                sweeps: Some(SWEEPS),
                projection: Some(Box::new(TwoArmHandover::motion(&planner)?)),
                measurement: None,
                planner,
                substeps: [20, 50],
                replan: 1,
            })
        }
        _ => Err(PlanError::unknown("the list of tasks", "task", name, NAMES.into_iter())),
    }
}

/// A task by name with the published sampler ([`TwoArmCarry::published_planner`]): those in which two arms carry something.
///
/// # Errors
/// [`PlanError::Unknown`] with the names that there are.
pub fn published(name: &str, seed: u64) -> Result<Setup, PlanError> {
    let names = CARRIED.iter().map(|t| t.name);
    let task = CARRIED.iter().find(|t| t.name == name);
    let task = task.ok_or_else(|| PlanError::unknown("the published sampler", "task", name, names))?;
    let planner = task.published_planner(seed);
    let projection = Some(Box::new(TwoArmMotion::bounded(task.arms, &planner)?) as _);
    Ok(Setup { projection, planner, ..carry(*task, seed)? })
}

/// A motion of this project by its text.
fn made(name: &'static str, text: &str, seed: u64) -> Result<Setup, PlanError> {
    follow(name, Motion::parse(name, text)?, seed)
}

/// A motion of the humanoid of `models/g1`, and of a box where there is an object in it.
///
/// # Errors
/// A joint that the humanoid does not have, or one that is missing.
pub fn follow(name: &'static str, motion: Motion, seed: u64) -> Result<Setup, PlanError> {
    let scene = if motion.has_object() { "g1/box.xml" } else { "g1/g1.xml" };
    let task = Follow::g1(name, motion)?;
    Ok(Setup {
        scene,
        planner: task.planner(seed),
        sweeps: Some(SWEEPS),
        projection: None,
        measurement: None,
        task: Box::new(task),
        substeps: [4, 16],
        replan: 3,
    })
}

fn turn(task: HandTurn, seed: u64) -> Setup {
    Setup {
        scene: task.object.scene,
        sweeps: Some(SWEEPS),
        projection: None,
        measurement: Some(task.measurement()),
        task: Box::new(task),
        planner: HandTurn::planner(seed),
        substeps: [10, 20],
        replan: 1,
    }
}

fn carry(task: TwoArmCarry, seed: u64) -> Result<Setup, PlanError> {
    let planner = task.planner(seed);
    Ok(Setup {
        scene: task.scene,
        sweeps: Some(SWEEPS),
        projection: Some(Box::new(task.motion(&planner)?)),
        measurement: None,
        task: Box::new(task),
        planner,
        substeps: [20, 50],
        replan: 1,
    })
}

/// Weights that do not depend on the unit of the cost, of all samples.
fn standardised() -> Update {
    let temperature = Temperature::Standardised { temperature: 0.1, share: 1.0 };
    Update::Information { temperature, control_cost: false }
}

/// Success when a stage has lasted for `hold` \[s\], over after `limit` \[s\]; times of control steps are sums with round-off, which makes none late.
fn judge_held(seen: &View<'_>, phase: &Phase, stage: usize, [hold, limit]: [f64; 2]) -> Outcome {
    if phase.stage == stage && seen.time - phase.since >= hold - ROUND_OFF {
        Outcome::Success
    } else if seen.time >= limit - ROUND_OFF {
        Outcome::Timeout
    } else {
        Outcome::Running
    }
}

/// √(x² + p²) − p: |x| far away, x²/2p near zero.
fn smooth(x: f64, p: f64) -> f64 {
    x.hypot(p) - p
}

/// [`smooth`] of the length of a vector.
fn smooth_norm<const N: usize>(x: SVector<f64, N>, p: f64) -> f64 {
    smooth(x.norm(), p)
}

#[cfg(test)]
mod tests {
    use signorini_core::ObservationLayout;
    use signorini_core::na::Isometry3;

    use super::*;

    /// Whenever a hold begins, it lasts as many control steps, with times as episodes make them.
    #[test]
    fn conformance_holds_last_as_long_at_any_time() {
        let layout = ObservationLayout::default();
        for (dt, hold, steps) in [(0.04, 0.2, 5), (0.1, 0.2, 2), (0.05, 0.25, 5), (0.02, 0.5, 25)] {
            for entered in 0..1000 {
                let time = |k: u32| dt * f64::from(k);
                let phase = Phase { stage: 1, since: time(entered), ..Phase::default() };
                let at = |k: u32| {
                    let seen = View { time: time(entered + k), layout: &layout, values: &[] };
                    judge_held(&seen, &phase, 1, [hold, 1e6])
                };
                assert_eq!(
                    [at(steps - 1), at(steps)],
                    [Outcome::Running, Outcome::Success],
                    "{dt} {entered}"
                );
            }
        }
    }

    /// A target that is moved where a phase has no values yet.
    #[test]
    fn regression_targets_move_in_any_phase() {
        for name in NAMES {
            let task = by_name(name, 0).map(|s| s.task);
            let mut phase = Phase::default();
            task.unwrap_or_else(|e| panic!("{name}: {e}")).moved(
                "target",
                &Isometry3::identity(),
                &mut phase,
            );
        }
    }
}
