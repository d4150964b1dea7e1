use serde::{Deserialize, Serialize};

/// Gains above this are a mistake: they are far beyond every bound of stability, and products with them could overflow.
const LARGEST_GAIN: f64 = 1e12;

/// Stiffness and damping of a facet.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gains {
    /// The paper's gains, relative to the step: K = (k/δt) R m, D = (d/δt) R m. Stiffness grows as the step falls.
    PerStep {
        /// k \[1/s\], 0 to 1e12; not both 0.
        k: f64,
        /// d, 0 to 1e12.
        d: f64,
    },
    /// K = κ R m, D = c R m: one compliance for all steps, so that error control converges.
    Physical {
        /// κ \[1/s²\], 0 to 1e12; not both 0.
        kappa: f64,
        /// c \[1/s\], 0 to 1e12.
        c: f64,
    },
    /// d + k δt = 1/R: a facet on its own stops the approach within the step and undoes the fraction β of a penetration.
    Recovery {
        /// β in \[0, 1\].
        beta: f64,
    },
    /// K and D = τ_d K of the contact's material \[N/m, N·s/m\], as users and learned models state them; no mass, no solimp.
    Material,
}

impl Gains {
    /// β of gains that undo a part of a penetration per step.
    pub fn recovery(&self) -> Option<f64> {
        match self {
            Self::Recovery { beta } => Some(*beta),
            _ => None,
        }
    }

    /// Fails on a gain that is out of range.
    pub(crate) fn check(&self) -> Result<(), String> {
        match *self {
            Self::PerStep { k, d } => in_range(["k", "d"], [k, d]),
            Self::Physical { kappa, c } => in_range(["kappa", "c"], [kappa, c]),
            Self::Recovery { beta } if !(0.0..=1.0).contains(&beta) => {
                Err(format!("beta is {beta}, but must be between 0 and 1"))
            }
            Self::Recovery { .. } | Self::Material => Ok(()),
        }
    }
}

fn in_range(names: [&str; 2], values: [f64; 2]) -> Result<(), String> {
    for (what, x) in names.iter().zip(values) {
        if !(0.0..=LARGEST_GAIN).contains(&x) {
            let x = if x > LARGEST_GAIN && x.is_finite() { format!("{x:e}") } else { x.to_string() };
            return Err(format!("{what} is {x}, but must be at least 0 and at most {LARGEST_GAIN:e}"));
        }
    }
    if values == [0.0; 2] {
        let [a, b] = names;
        return Err(format!("{a} and {b} are 0, which is no contact; give one of them more than 0"));
    }
    Ok(())
}
