"""Writes the clutter scenes as explicit JSON, so that every engine starts from the same numbers.

    python make_clutter.py            # rewrites hard_clutter_seed0..9.json, soft_clutter_seed0.json, sphere_drop.json

The scene is that of kurtz2025cenic (hard and soft clutter): four piles of five objects dropped into a bin.
Needs nothing but the standard library; a seed gives the same file on every machine (Python's Mersenne Twister).

Parameters, and where each comes from
    radius 0.05 m, cube side 0.1 m, density 1000 kg/m^3, friction 0.5 (static = dynamic), dissipation 10 s/m,
    stiffness 1e5 N/m per geometry (soft: 1e3), stiction tolerance 1e-4 m/s (soft: 0.05), 4 piles of 5 with
    0.15 m between centres, bin 0.8 x 0.8 x 0.8 m with walls of 0.04 m, random offsets of at most 1 mm:
    the paper's scene.
    Pile centres at (+-0.2, +-0.2) m, lowest centre at 0.075 m: the paper's scene.
    Bin: five boxes fixed to the world. The floor is 40 x 40 x 0.04 m with its top at z = 0; the walls are centred on
    x = +-0.4 and y = +-0.4, so the inner faces are at 0.38 m.
    Bin stiffness: that of the objects. (Drafts of the paper's scene have 1e5, 1e8 and 1e40 N/m; with 1e5 the paper's
    iteration counts at accuracy 1e-1 come out, with 1e8 they are 40 % higher there and equal elsewhere.) So every pair of
    the hard scene has the combined stiffness 5e4 N/m.
    A cube collides by its box and by 26 spheres of radius side/6 whose centres form a 3 x 3 x 3 grid of spacing
    side/3 without its centre; two boxes (of cubes or of the bin) never collide with each other. So a cube meets the
    bin with its spheres only, and a sphere with both the cube's box and the cube's spheres.
    Chosen here: which of the twenty are spheres (ten, drawn per seed; the paper draws each with probability one half, with the
    same draw in every pile), independent offsets and rotations in each pile (the paper's piles are equal), uniform
    random rotation of every body, the soft scene too (a sphere does not feel it).

Combination of two materials (key "combination": "harmonic"): k = kA kB / (kA + kB),
d = (kB dA + kA dB) / (kA + kB), mu = 2 muA muB / (muA + muB); contact point = (kA CA + kB CB) / (kA + kB) with CA, CB the
deepest witness points of A and B.
"""

import json
import math
import random
from pathlib import Path

RADIUS = 0.05
SIDE = 0.1
DENSITY = 1000.0
FRICTION = 0.5
DISSIPATION = 10.0
BIN_SIZE = 0.8
WALL = 0.04
PILES = 4
PER_PILE = 5
PILE_DZ = 0.15
OFFSET = 1e-3
UNITS = "SI; quaternions (w, x, y, z), body to world; velocities in world axes"


def uniform_quaternion(rng):
    """Unit quaternion (w, x, y, z), uniform over rotations (Shoemake's method), w >= 0."""
    u1, u2, u3 = rng.random(), rng.random(), rng.random()
    a, b = math.sqrt(1.0 - u1), math.sqrt(u1)
    q = (
        b * math.cos(2 * math.pi * u3),
        a * math.sin(2 * math.pi * u2),
        a * math.cos(2 * math.pi * u2),
        b * math.sin(2 * math.pi * u3),
    )
    n = math.sqrt(sum(x * x for x in q))
    s = 1.0 if q[0] >= 0.0 else -1.0
    return [s * x / n for x in q]


def sphere_kind():
    mass = DENSITY * 4.0 / 3.0 * math.pi * RADIUS**3
    inertia = 0.4 * mass * RADIUS**2
    return {
        "mass": mass,
        "inertia_diagonal": [inertia] * 3,
        "geometries": [{"shape": "sphere", "radius": RADIUS, "position": [0.0, 0.0, 0.0], "material": "object"}],
    }


def cube_kind():
    mass = DENSITY * SIDE**3
    inertia = mass * SIDE**2 / 6.0
    box = {"shape": "box", "half_extents": [SIDE / 2] * 3, "position": [0.0, 0.0, 0.0], "material": "object"}
    step = SIDE / 3.0
    grid = [-step, 0.0, step]
    spheres = [
        {"shape": "sphere", "radius": SIDE / 6.0, "position": [x, y, z], "material": "object"}
        for x in grid
        for y in grid
        for z in grid
        if (x, y, z) != (0.0, 0.0, 0.0)
    ]
    return {"mass": mass, "inertia_diagonal": [inertia] * 3, "geometries": [box, *spheres]}


def bin_geometries():
    half, thin, floor = BIN_SIZE / 2, WALL / 2, 25.0 * BIN_SIZE

    def wall(name, half_extents, position):
        return {
            "name": name,
            "shape": "box",
            "half_extents": half_extents,
            "position": position,
            "quat_wxyz": [1.0, 0.0, 0.0, 0.0],
            "material": "bin",
        }

    return [
        wall("floor", [floor, floor, thin], [0.0, 0.0, -thin]),
        wall("right", [thin, half, half], [half, 0.0, half]),
        wall("left", [thin, half, half], [-half, 0.0, half]),
        wall("back", [half, thin, half], [0.0, half, half]),
        wall("front", [half, thin, half], [0.0, -half, half]),
    ]


def clutter(name, seed, hard):
    rng = random.Random(seed)
    kinds = ["sphere", "cube"] * (PILES * PER_PILE // 2) if hard else ["sphere"] * (PILES * PER_PILE)
    rng.shuffle(kinds)
    bodies = []
    for i, kind in enumerate(kinds):
        pile, level = divmod(i, PER_PILE)
        x = (-1.0 if pile % 2 == 0 else 1.0) * BIN_SIZE / 4.0
        y = (-1.0 if pile // 2 == 0 else 1.0) * BIN_SIZE / 4.0
        offset = [rng.uniform(-OFFSET, OFFSET) for _ in range(2)]
        bodies.append(
            {
                "name": f"object{i}",
                "kind": kind,
                "position": [x + offset[0], y + offset[1], PILE_DZ / 2.0 + PILE_DZ * level],
                "quat_wxyz": uniform_quaternion(rng),
                "linear_velocity": [0.0, 0.0, 0.0],
                "angular_velocity": [0.0, 0.0, 0.0],
            }
        )

    def material(k):
        return {
            "stiffness": k,
            "dissipation": DISSIPATION,
            "static_friction": FRICTION,
            "dynamic_friction": FRICTION,
        }

    stiffness = 1e5 if hard else 1e3
    used = {"sphere": sphere_kind()}
    if hard:
        used["cube"] = cube_kind()
    return {
        "format": "clutter-1",
        "name": name,
        "seed": seed,
        "units": UNITS,
        "duration": 10.0,
        "gravity": [0.0, 0.0, -9.81],
        "combination": "harmonic",
        "stiction_tolerance": 1e-4 if hard else 0.05,
        "materials": {"object": material(stiffness), "bin": material(stiffness)},
        "never_collide": [["box", "box"]],
        "kinds": used,
        "fixed": bin_geometries(),
        "bodies": bodies,
    }


def sphere_drop():
    """A rolling-and-bouncing sphere, the scene of a continuous-time reference (Hunt-Crossley with regularised friction)."""
    mass, radius = 1.0, 0.1
    inertia = 0.4 * mass * radius**2

    def material(stiffness):
        return {"stiffness": stiffness, "dissipation": 1.0, "static_friction": 0.5, "dynamic_friction": 0.5}

    return {
        "format": "clutter-1",
        "name": "sphere_drop",
        "units": UNITS,
        "duration": 1.0,
        "gravity": [0.0, 0.0, -9.81],
        "combination": "harmonic",
        "stiction_tolerance": 1e-3,
        "materials": {"object": material(1e4), "bin": material(1e40)},
        "never_collide": [["box", "box"]],
        "kinds": {
            "sphere": {
                "mass": mass,
                "inertia_diagonal": [inertia] * 3,
                "geometries": [
                    {"shape": "sphere", "radius": radius, "position": [0.0, 0.0, 0.0], "material": "object"}
                ],
            }
        },
        "fixed": bin_geometries()[:1],
        "bodies": [
            {
                "name": "ball",
                "kind": "sphere",
                "position": [0.0, 0.0, 0.3],
                "quat_wxyz": [1.0, 0.0, 0.0, 0.0],
                "linear_velocity": [1.0, 0.0, 0.0],
                "angular_velocity": [0.0, 0.0, 0.0],
            }
        ],
    }


def dump(value, indent=0):
    """JSON with one line per innermost object, so that a file stays short and a difference can be read."""
    inner = [v for v in (value.values() if isinstance(value, dict) else value) if isinstance(v, dict | list)]
    nested = any(isinstance(w, dict) for v in inner for w in ([v] if isinstance(v, dict) else v))
    if not nested:
        return json.dumps(value)
    pad = " " * (indent + 1)
    if isinstance(value, dict):
        rows = [
            f"{pad}{json.dumps(k)}: {dump(v, indent + 1) if isinstance(v, dict | list) else json.dumps(v)}"
            for k, v in value.items()
        ]
        return "{\n" + ",\n".join(rows) + "\n" + " " * indent + "}"
    return "[\n" + ",\n".join(pad + dump(v, indent + 1) for v in value) + "\n" + " " * indent + "]"


def write(scene, folder):
    (folder / f"{scene['name']}.json").write_text(dump(scene) + "\n")


if __name__ == "__main__":
    here = Path(__file__).resolve().parent
    for seed in range(10):
        write(clutter(f"hard_clutter_seed{seed}", seed, True), here)
    write(clutter("soft_clutter_seed0", 0, False), here)
    write(sphere_drop(), here)
