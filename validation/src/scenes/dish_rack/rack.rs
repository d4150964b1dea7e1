use signorini_core::na::Vector3;
use signorini_geometry::{MassProperties, Shape};
use signorini_scene::{Hydroelastic, Pose, SceneBuilder};

use super::arm::HELD;
use super::shared::FRICTION;

/// Length (away from the hand), width and height of the rack \[m\]. Its frame is at the middle of the near end, on the floor.
pub(crate) const RACK: [f64; 3] = [0.36, 0.31, 0.10];
/// Half the side of its wires, which are square \[m\], and their distance in the floor.
const WIRE: f64 = 2.5e-3;
const PITCH: f64 = 0.028;
/// Mass of rack and cup, spread over the box about them \[kg\].
const MASS: f64 = 0.9;
/// Tines between which plates stand: number of pairs, first place and distance along the rack, distance from its middle, height \[m\].
const TINES: usize = 7;
pub(super) const TINE: [f64; 2] = [0.03, 0.03];
const TINE_SIDE: f64 = 0.056;
const TINE_HEIGHT: f64 = 0.075;
/// Cup for cutlery: middle along and across the rack, half lengths inside, wall, height \[m\].
pub(super) const CUP: [f64; 2] = [0.29, 0.098];
const CUP_HALF: [f64; 2] = [0.034, 0.042];
const CUP_WALL: f64 = 3e-3;
const CUP_HEIGHT: f64 = 0.09;

/// The sink: middle and half lengths inside along x and y, height of the walls, thickness of walls and floor \[m\]; it stands on the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sink {
    /// Middle.
    pub(crate) at: [f64; 2],
    /// Half lengths inside.
    pub(crate) half: [f64; 2],
    /// Height of the walls over the floor.
    pub(crate) height: f64,
    /// Thickness.
    pub(crate) wall: f64,
}

/// The sink of the scene.
pub(crate) const SINK: Sink = Sink { at: [0.70, 0.0], half: [0.30, 0.25], height: 0.16, wall: 8e-3 };
/// Thickness of the table, whose top is z = 0 \[m\].
const TABLE_THICKNESS: f64 = 0.04;

const STEEL: [f32; 4] = [0.72, 0.75, 0.78, 1.0];
const WOOD: [f32; 4] = [0.78, 0.66, 0.50, 1.0];
const GLASS: [f32; 4] = [0.88, 0.94, 0.98, 0.3];

fn rigid(b: SceneBuilder, rgba: [f32; 4]) -> SceneBuilder {
    b.hydroelastic(Hydroelastic::rigid()).friction(FRICTION).geom_with(|g| g.rgba = rgba).mass(0.0)
}

fn slab(b: SceneBuilder, at: [f64; 3], half: [f64; 3], rgba: [f32; 4]) -> SceneBuilder {
    rigid(b.cuboid(half).geom_pose(Pose::translation(at[0], at[1], at[2])), rgba)
}

/// Table and sink.
pub(super) fn world(mut b: SceneBuilder, table: [[f64; 2]; 2]) -> SceneBuilder {
    let half = 0.5 * TABLE_THICKNESS;
    b = slab(b.world(), [table[0][0], table[0][1], -half], [table[1][0], table[1][1], half], WOOD)
        .geom_name("table");
    let Sink { at: [x, y], half: [a, c], height, wall } = SINK;
    let (h, w) = (0.5 * (height + wall), 0.5 * wall);
    b = slab(b, [x, y, w], [a + wall, c + wall, w], GLASS).geom_name("sink_floor");
    for (name, side) in [("sink_near", -1.0), ("sink_far", 1.0)] {
        b = slab(b, [x + side * (a + w), y, h], [w, c + wall, h], GLASS).geom_name(name);
    }
    for (name, side) in [("sink_right", -1.0), ("sink_left", 1.0)] {
        b = slab(b, [x, y + side * (c + w), h], [a + wall, w, h], GLASS).geom_name(name);
    }
    b
}

/// A wire between two points along an axis.
fn wire(b: SceneBuilder, from: [f64; 3], to: [f64; 3]) -> SceneBuilder {
    let at = std::array::from_fn(|k| 0.5 * (from[k] + to[k]));
    let half = std::array::from_fn(|k| WIRE.max(0.5 * (to[k] - from[k]).abs()));
    slab(b, at, half, STEEL)
}

/// The rack, held by the hand.
pub(super) fn rack(b: SceneBuilder) -> SceneBuilder {
    let [length, width, height] = RACK;
    let side = 0.5 * width;
    let mut b = b.body_on("hand", "rack").at(HELD);
    // Wires of the floor have their tops at z = 0.
    let lines = (0.5 * width / PITCH).floor() as i32;
    for k in -lines..=lines {
        let y = PITCH * f64::from(k);
        b = wire(b, [0.0, y, -WIRE], [length, y, -WIRE]);
    }
    for x in [0.5 * length, length, 0.0] {
        b = wire(b, [x, -side, -3.0 * WIRE], [x, side, -3.0 * WIRE]);
    }
    for z in [-WIRE, height / 3.0, 2.0 * height / 3.0, height] {
        for x in [0.0, length] {
            b = wire(b, [x, -side, z], [x, side, z]);
        }
        for y in [-side, side] {
            b = wire(b, [0.0, y, z], [length, y, z]);
        }
    }
    for x in [0.0, 0.5 * length, length] {
        for y in [-side, side] {
            b = wire(b, [x, y, -3.0 * WIRE], [x, y, height]);
        }
    }
    for k in 0..TINES {
        let x = TINE[0] + TINE[1] * k as f64;
        for y in [-TINE_SIDE, TINE_SIDE] {
            b = wire(b, [x, y, -2.0 * WIRE], [x, y, TINE_HEIGHT]);
        }
    }
    let ([x, y], [a, c], w) = (CUP, CUP_HALF, 0.5 * CUP_WALL);
    let blue = [0.35, 0.50, 0.65, 0.8];
    let h = 0.5 * CUP_HEIGHT;
    b = slab(b, [x, y, w], [a + CUP_WALL, c + CUP_WALL, w], blue).geom_name("cup_floor");
    for (name, sign) in [("cup_near", -1.0), ("cup_far", 1.0)] {
        b = slab(b, [x + sign * (a + w), y, h], [w, c + CUP_WALL, h], blue).geom_name(name);
    }
    for (name, sign) in [("cup_right", -1.0), ("cup_left", 1.0)] {
        b = slab(b, [x, y + sign * (c + w), h], [a + CUP_WALL, w, h], blue).geom_name(name);
    }
    let solid = Shape::Box { half_extents: 0.5 * Vector3::from(RACK) };
    let mass = MassProperties::of_shape(&solid, MASS / (length * width * height));
    match mass {
        Ok(m) => b.mass_properties(m.transformed(&Pose::translation(0.5 * length, 0.0, 0.5 * height))),
        Err(_) => b,
    }
}
