use signorini_core::na::Point3;
use signorini_scene::{Pose, SolParams};

use crate::{Damper, Spring};

/// A tendon as the dynamics need it. Parts that the scene's switches turn off are zero or None here.
#[derive(Clone, Debug)]
pub struct TendonModel {
    /// Name.
    pub name: String,
    /// Measure of its length.
    pub(crate) path: Path,
    /// Degrees of freedom on which its length may depend, ascending.
    pub dofs: Vec<usize>,
    /// Trees of these.
    pub trees: Vec<usize>,
    /// Limits of the length \[m\].
    pub range: Option<[f64; 2]>,
    /// Distance at which limits become active \[m\].
    pub limit_margin: f64,
    /// Spring \[N/m\].
    pub spring: Spring,
    /// The spring is at rest between these lengths \[m\].
    pub spring_length: [f64; 2],
    /// Damper \[N·s/m\].
    pub damper: Damper,
    /// Dry friction \[N\].
    pub dry_friction: f64,
    /// Inertia of the rate of the length \[kg\]. It acts within chains: its coupling between branches is left out, as in MuJoCo.
    pub armature: f64,
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
    /// Whether a spring or a damper pulls at it.
    pub fn pulls(&self) -> bool {
        self.spring.acts() || self.damper.acts()
    }

    /// Length `l` beyond the dead band of the spring, negative where it is shorter \[m\].
    fn strain(&self, l: f64) -> f64 {
        let [low, high] = self.spring_length;
        (l - high).max(0.0) - (low - l).max(0.0)
    }

    /// Spring force along the tendon at length `l`, pulling positive lengths shorter \[N\].
    pub fn spring_force(&self, l: f64) -> f64 {
        let x = self.strain(l);
        -(self.spring.secant(x) * x)
    }

    /// Stiffness of the spring at length `l`: zero within the dead band \[N/m\].
    pub fn spring_stiffness(&self, l: f64) -> f64 {
        let [low, high] = self.spring_length;
        if l < low || l > high || low == high { self.spring.stiffness(self.strain(l)) } else { 0.0 }
    }

    /// Whether it leads through space: its moment arms change with the positions.
    pub(crate) fn is_spatial(&self) -> bool {
        matches!(self.path, Path::Spatial(_))
    }

    /// Bodies that its path leads over.
    pub(crate) fn bodies(&self) -> impl Iterator<Item = usize> + '_ {
        let pieces = match &self.path {
            Path::Fixed(_) => &[],
            Path::Spatial(pieces) => &pieces[..],
        };
        pieces.iter().flat_map(|p| {
            match p {
                Piece::Through(p) => [Some(p.body), None],
                Piece::Around { body, side, .. } => [Some(*body), side.map(|s| s.body)],
                Piece::Pulley(_) => [None, None],
            }
            .into_iter()
            .flatten()
        })
    }

    /// Energy of the spring \[J\].
    pub fn spring_energy(&self, l: f64) -> f64 {
        self.spring.energy(self.strain(l))
    }
}

/// A material point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyPoint {
    pub(crate) body: usize,
    pub(crate) point: Point3<f64>,
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

/// A round obstacle of a tendon, in its own frame; the axis of the cylinder is z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Obstacle {
    /// Ball about the origin.
    Sphere {
        /// Radius \[m\], > 0.
        radius: f64,
    },
    /// Infinite circular cylinder about z.
    Cylinder {
        /// Radius \[m\], > 0.
        radius: f64,
    },
}
