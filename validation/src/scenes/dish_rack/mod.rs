//! Dishes in a rack that an arm empties into a sink.

mod arm;
mod dishes;
mod rack;
mod shared;

use std::path::Path;

use signorini_core::na::Vector3;
use signorini_report::PageError;
use signorini_scene::{CombinationRule, Pose, Scene, SceneBuilder, SceneError};

use crate::random::Random;

pub(crate) use arm::Path as ArmPath;
use dishes::Dish;
pub(crate) use dishes::{DISSIPATION, Kit, MODULUS};
pub(crate) use rack::{RACK, SINK};
pub(crate) use shared::FRICTION;
use shared::turn;

/// How far dishes sit above where they rest at the start \[m\].
const ABOVE: f64 = 1e-3;

/// Middle and half lengths of the table of both runs \[m\].
const TABLE: [[f64; 2]; 2] = [[0.5, -0.3], [0.65, 0.72]];
const SMALL_TABLE: [[f64; 2]; 2] = [[0.5, 0.0], [0.65, 0.4]];
/// Most by which a seed moves a dish along each axis \[m\], and turns it \[rad\].
const MOVED: f64 = 1e-3;
const TURNED: f64 = 0.02;

/// A run: dishes in the rack, and the path of the arm that holds it.
#[derive(Clone, Debug)]
pub(crate) struct DishRack {
    /// Dishes in their places.
    load: Vec<(Dish, Pose)>,
    /// Path of the wrist.
    pub(crate) path: ArmPath,
    /// Middle and half lengths of the table \[m\].
    table: [[f64; 2]; 2],
}

impl DishRack {
    /// Thirteen dishes; the arm lifts the rack, turns to the sink, tips and shakes it and turns it back.
    ///
    /// # Errors
    /// A file of a kit that cannot be read.
    pub(crate) fn full(kit: &Kit) -> Result<Self, PageError> {
        Ok(Self { load: dishes::load(kit, true)?, path: ArmPath::full(), table: TABLE })
    }

    /// Five dishes; the rack is over the sink already, and the arm tips it, shakes it and turns it back.
    ///
    /// # Errors
    /// As [`Self::full`].
    pub(crate) fn small(kit: &Kit) -> Result<Self, PageError> {
        Ok(Self { load: dishes::load(kit, false)?, path: ArmPath::small(), table: SMALL_TABLE })
    }

    /// With each dish moved and turned a little at the start.
    #[must_use]
    pub(crate) fn jittered(mut self, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut around = |most: f64| most * (2.0 * random.uniform() - 1.0);
        for (_, place) in &mut self.load {
            let [x, y, z] = std::array::from_fn(|_| around(MOVED));
            let turned = turn(Vector3::from(std::array::from_fn::<f64, 3, _>(|_| around(TURNED))), 1.0);
            place.rotation = turned * place.rotation;
            // Up alone: what lies below stays free.
            place.translation.vector += Vector3::new(x, y, z.abs() + MOVED);
        }
        self
    }

    /// The scene: world with table and sink, four links of the arm, the rack, and the dishes, each with a free joint.
    ///
    /// # Errors
    /// As [`SceneBuilder::build`].
    pub(crate) fn scene(&self) -> Result<Scene, SceneError> {
        let start = self.path.start();
        let mut b = SceneBuilder::new("dish_rack").options(|o| {
            o.combination = CombinationRule::Series;
            o.contact.stiction_speed = 1e-3;
        });
        b = rack::world(b, self.table);
        b = arm::links(b);
        b = rack::rack(b);
        let x_wr = start.rack();
        for (i, (dish, place)) in self.load.iter().enumerate() {
            let lifted = Pose::translation(0.0, 0.0, ABOVE) * place;
            b = dish.add(b, i, &(x_wr * lifted));
        }
        b.build()
    }

    /// Positions of the arm's joints at the start \[rad\].
    pub(crate) fn start(&self) -> [f64; 4] {
        self.path.start().joints()
    }
}

/// A kit from a folder of models, where it has the files, else that of the code.
pub(crate) fn kit(models: Option<&Path>) -> Kit {
    models
        .map(|m| m.join("dishes"))
        .filter(|d| dishes::FILES.iter().all(|f| d.join(f).is_file()))
        .map_or(Kit::Made, Kit::Scanned)
}
