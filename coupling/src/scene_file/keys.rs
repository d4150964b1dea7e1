//! Keys of scene files, with their meanings.

/// A key and its meaning, with unit and default.
pub(super) type Key = (&'static str, &'static str);

pub(super) const WHOLE: [Key; 19] = [
    (
        "model",
        "MJCF, URDF or SDFormat file or model directives, beside this one; `$NAME/…` below the folder that the environment names",
    ),
    ("mesh_surfaces", "`true`: meshes of the model collide as they are, not as their convex hulls"),
    ("floating", "`true`: the root link of a URDF moves freely"),
    ("floor", "height of a half-space under the model \\[m\\]"),
    ("keyframe", "at the start, of the model or of the file; `home` if it is left out"),
    (
        "keyframes",
        "tables of numbers by names of joints \\[rad or m\\] and actuators; servos of joints that are named go there",
    ),
    ("motion", "list of \\[time \\[s\\], keyframe\\]: controls go from those of one to those of the next"),
    ("time", "of the run \\[s\\]; 5"),
    ("step", "of the bodies \\[s\\]; 0.002, or a shorter `time`"),
    ("rate", "rows of the recording in a second \\[1/s\\]; 60"),
    (
        "spacing",
        "of the grid \\[m\\]; a sixth of the smallest size of a body, at least 1.5 of the longest edge of cloth",
    ),
    ("damping_time", "in which motion relative to the grid fades \\[s\\]; never"),
    ("transfer_time", "in which velocities of particles forget what the grid does not have \\[s\\]; at once"),
    ("iterations", "most passes of a step until points and bodies have met each other's motion; 1"),
    ("points", "list of bodies of points"),
    ("cloth", "list of sheets"),
    ("pins", "list of points that are held"),
    ("walls", "list of borders of the grid"),
    ("contact", "contact of points with geoms"),
];

/// Keys of a body of points beside those of its material.
pub(super) const POINTS: [Key; 10] = [
    ("name", "its own"),
    ("shape", "`box`, `sphere`, `cylinder`, `capsule` or `ellipsoid`"),
    ("size", "edges; diameter; diameter and height; diameters \\[m\\]"),
    ("mesh", "closed OBJ or STL file in place of shape and size"),
    ("scale", "metres to a unit of the mesh; 1"),
    ("position", "of its frame \\[m\\]; 0"),
    ("rotation", "about x, y and z of the world, in turn \\[°\\]; 0"),
    ("velocity", "\\[m/s\\]; 0"),
    ("angular_velocity", "about its centre of mass \\[rad/s\\]; 0"),
    ("friction", "with all geoms; that of each geom"),
];

pub(super) const CLOTH: [Key; 15] = [
    ("name", "its own"),
    ("size", "two lengths \\[m\\]"),
    ("edge", "length of edges of its mesh \\[m\\]"),
    ("mesh", "OBJ or STL file in place of size and edge"),
    ("scale", "metres to a unit of the mesh; 1"),
    ("position", "of its frame, about its middle \\[m\\]; 0"),
    ("rotation", "about x, y and z of the world, in turn \\[°\\]; 0"),
    ("velocity", "\\[m/s\\]; 0"),
    ("angular_velocity", "about its centre of mass \\[rad/s\\]; 0"),
    ("friction", "with all geoms, one for all cloth; that of each geom"),
    ("young", "Young's modulus \\[Pa\\]"),
    ("poisson", "Poisson's ratio; 0.3"),
    ("density", "\\[kg/m³\\]"),
    ("thickness", "\\[m\\]"),
    ("bending", "rigidity \\[N·m\\]; 0"),
];

pub(super) const PINS: [Key; 8] = [
    ("name", "for errors"),
    ("of", "body of points or cloth"),
    ("to", "geom or body that holds them; the world"),
    ("center", "of a ball of points \\[m\\]"),
    ("radius", "of the ball \\[m\\]"),
    ("stiffness", "of each \\[N/m\\]; as rigid as a step can tell"),
    ("damping", "of each, beside a stiffness \\[N·s/m\\]; 0"),
    ("until", "time at which they let go \\[s\\]; never"),
];

pub(super) const WALLS: [Key; 4] = [
    ("point", "of the plane \\[m\\]"),
    ("normal", "to the side where points are"),
    ("border", "`sticky`, `slip` or `rubbing`"),
    ("friction", "of a `rubbing` one"),
];

pub(super) const CONTACT: [Key; 6] = [
    ("with", "names of geoms and bodies; all geoms that collide"),
    (
        "depth",
        "to which it is pressed by a tenth of the stiffest modulus, the weight of the heaviest body or the impact of the hardest \\[m\\]; a twentieth of `spacing`",
    ),
    ("stiffness", "of the surface, in place of a depth \\[N/m³\\]"),
    ("dissipation", "\\[s/m\\]; 1"),
    ("friction", "that of each geom"),
    ("stiction_speed", "below which friction holds \\[m/s\\]; 0.001"),
];

/// Keys of all materials.
pub(super) const MATERIAL: [Key; 5] = [
    ("material", "`elastic`, `plastic`, `sand`, `snow` or `liquid`; `elastic`"),
    ("young", "Young's modulus, of all but liquids \\[Pa\\]"),
    ("poisson", "Poisson's ratio, of all but liquids; 0.3"),
    ("density", "\\[kg/m³\\]"),
    ("viscosity", "beside the stress, explicit \\[Pa·s\\]; 0"),
];

/// Materials, and the keys that each alone has.
pub(super) const MATERIALS: [(&str, &[Key]); 5] = [
    (
        "elastic",
        &[("loss_factor", "tan δ in shear; none"), ("loss_frequency", "at which it has that \\[Hz\\]")],
    ),
    ("plastic", &[("yield_stress", "\\[Pa\\]")]),
    (
        "sand",
        &[
            ("friction_angle", "\\[°\\]"),
            ("limit_angle", "of fast flow, for friction that grows with the rate \\[°\\]"),
            ("inertial_number", "of that friction; 0.3"),
            ("grain_diameter", "for that friction \\[m\\]"),
            ("grain_density", "for that friction \\[kg/m³\\]"),
            ("dilatancy_angle", "for volume that grows under shear \\[°\\]"),
            ("expansion", "logarithm of that volume at the end over that at the start"),
        ],
    ),
    (
        "snow",
        &[
            ("compression", "pressure that it bears at the start \\[Pa\\]"),
            ("cohesion", "tension that it bears over that pressure"),
            ("slope", "of the critical line"),
            ("hardening", "of the pressure with density"),
        ],
    ),
    ("liquid", &[("bulk_modulus", "\\[Pa\\]")]),
];

/// The keys alone.
pub(super) fn names(of: &[Key]) -> Vec<&'static str> {
    of.iter().map(|k| k.0).collect()
}

/// All keys of a body of points.
pub(super) fn of_points() -> Vec<&'static str> {
    let own = MATERIALS.iter().flat_map(|m| m.1);
    POINTS.iter().chain(&MATERIAL).chain(own).map(|k| k.0).collect()
}

/// Tables of a scene file by name, each with its keys, their meanings, units and defaults.
pub fn scene_file_keys() -> Vec<(String, Vec<[&'static str; 2]>)> {
    let table = |name: &str, keys: &[Key]| (name.to_owned(), keys.iter().map(|k| [k.0, k.1]).collect());
    let mut out = vec![table("", &WHOLE), table("[[points]]", &POINTS), table("[[points]], all", &MATERIAL)];
    out.extend(MATERIALS.iter().map(|(name, keys)| table(&format!("[[points]], {name}"), keys)));
    out.extend([
        table("[[cloth]]", &CLOTH),
        table("[[pins]]", &PINS),
        table("[[walls]]", &WALLS),
        table("[contact]", &CONTACT),
    ]);
    out
}
