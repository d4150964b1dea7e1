"""Beam insertion of chen2022midas (fig. 2) in PyBullet: which beams go into a notch of 10 mm, by shape of the colliders and by collision margin.

    benches/peers/run beams_pybullet.py [--no-record]

The scene is that of the page chen2022midas/fig02: a held beam of 0.5 x 0.01 x 0.1 m with a notch 10 mm wide and 50 mm deep, a beam of 0.5 x 0.1 m and 5, 9 or
9.9 mm thick that falls into it from 2 mm above, 40 % of the clearance to the side (in the middle as a link, which cannot be pushed aside); 2700 kg/m^3, friction 0.5, g = 9.81 m/s^2, steps of 1/240 s for 1 s.
Writes benches/records/beams_pybullet.json.
"""

import argparse
import datetime
import importlib.metadata
import json
import pathlib
import tempfile

import pybullet as p

NOTCH, DEPTH, HIGH, THIN, LONG = 0.01, 0.05, 0.1, 0.01, 0.5
DENSITY, FRICTION, G, DT, TIME = 2700.0, 0.5, 9.81, 1 / 240, 1.0


def obj(path, corners, triangles):
    lines = ["v %r %r %r" % tuple(map(float, c)) for c in corners]
    lines += ["f %d %d %d" % tuple(i + 1 for i in t) for t in triangles]
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def cuboid(path, half, at=(0, 0, 0)):
    sign = lambda k, bit: 1 if k >> bit & 1 else -1
    corners = [[at[i] + sign(k, i) * half[i] for i in range(3)] for k in range(8)]
    quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
    return obj(path, corners, [t for q in quads for t in ([q[0], q[1], q[2]], [q[0], q[2], q[3]])])


def notched(path):
    """The surface of the held beam as one mesh, its lower edge at z = 0."""
    half, wide, ground = LONG / 2, NOTCH / 2, HIGH - DEPTH
    outline = [(-half, 0), (half, 0), (half, HIGH), (wide, HIGH), (wide, ground), (-wide, ground), (-wide, HIGH), (-half, HIGH)]
    corners = [(x, y, z) for y in (-THIN / 2, THIN / 2) for x, z in outline]
    face = [[0, 1, 4], [1, 2, 4], [2, 3, 4], [0, 4, 5], [0, 5, 7], [5, 6, 7]]
    triangles = face + [[a + 8, c + 8, b + 8] for a, b, c in face]
    for i in range(8):
        j = (i + 1) % 8
        triangles += [[i, i + 8, j], [j, i + 8, j + 8]]
    return obj(path, corners, triangles)


def pieces():
    """The same as three cuboids: half sides, centre."""
    side, x = (LONG / 2 - NOTCH / 2) / 2, (LONG / 2 + NOTCH / 2) / 2
    return [
        ((LONG / 2, THIN / 2, (HIGH - DEPTH) / 2), (0, 0, (HIGH - DEPTH) / 2)),
        ((side, THIN / 2, DEPTH / 2), (-x, 0, HIGH - DEPTH / 2)),
        ((side, THIN / 2, DEPTH / 2), (x, 0, HIGH - DEPTH / 2)),
    ]


def run(folder, thickness, held, falling, margin):
    """Depth of the falling beam's lower edge below the mouth after a second [m], and the least distance of the two that was seen [m]."""
    p.connect(p.DIRECT)
    try:
        p.setGravity(0, 0, -G)
        p.setTimeStep(DT)
        if held == "triangle mesh":
            shape = p.createCollisionShape(p.GEOM_MESH, fileName=notched(folder / "notched.obj"), flags=p.GEOM_FORCE_CONCAVE_TRIMESH)
            low = [p.createMultiBody(0, shape)]
        else:
            low = []
            for k, (half, at) in enumerate(pieces()):
                if held == "boxes":
                    shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=half)
                else:
                    shape = p.createCollisionShape(p.GEOM_MESH, fileName=cuboid(folder / f"piece{k}.obj", half))
                low.append(p.createMultiBody(0, shape, basePosition=at))
        half = (thickness / 2, LONG / 2, HIGH / 2)
        if falling == "box":
            shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=half)
        else:
            shape = p.createCollisionShape(p.GEOM_MESH, fileName=cuboid(folder / "beam.obj", half))
        mass = DENSITY * 8 * half[0] * half[1] * half[2]
        # A link cannot be pushed aside: it comes down in the middle.
        aside = 0 if falling == "link" else 0.4 * (NOTCH - thickness)
        start = (aside, 0, HIGH + 0.002 + HIGH / 2)
        if falling == "link":
            # As a gripper carries it: a prismatic joint on a held base, moved by gravity alone.
            base = p.createCollisionShape(p.GEOM_SPHERE, radius=0.001)
            beam = p.createMultiBody(
                0, base, basePosition=(start[0], 0, start[2] + 0.3), linkMasses=[mass], linkCollisionShapeIndices=[shape],
                linkVisualShapeIndices=[-1], linkPositions=[(0, 0, -0.3)], linkOrientations=[(0, 0, 0, 1)],
                linkInertialFramePositions=[(0, 0, 0)], linkInertialFrameOrientations=[(0, 0, 0, 1)], linkParentIndices=[0],
                linkJointTypes=[p.JOINT_PRISMATIC], linkJointAxis=[(0, 0, 1)],
            )
            p.setJointMotorControl2(beam, 0, p.VELOCITY_CONTROL, force=0)
            link = 0
        else:
            beam, link = p.createMultiBody(mass, shape, basePosition=start), -1
        for body, part in [(beam, link)] + [(b, -1) for b in low]:
            p.changeDynamics(body, part, lateralFriction=FRICTION, linearDamping=0, angularDamping=0)
            if margin is not None:
                p.changeDynamics(body, part, collisionMargin=margin)
        least = float("inf")
        for _ in range(round(TIME / DT)):
            p.stepSimulation()
            for b in low:
                least = min([least] + [c[8] for c in p.getContactPoints(beam, b)])
        z = p.getLinkState(beam, 0)[0][2] if link == 0 else p.getBasePositionAndOrientation(beam)[0][2]
        return HIGH - (z - HIGH / 2), least
    finally:
        p.disconnect()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--no-record", action="store_true")
    args = parser.parse_args()
    rows = []
    cases = [
        ("triangle mesh", "mesh", None), ("convex meshes", "mesh", None), ("convex meshes", "mesh", 1e-5), ("triangle mesh", "mesh", 1e-5),
        ("convex meshes", "link", None), ("convex meshes", "link", 1e-5), ("boxes", "box", None), ("triangle mesh", "box", None),
    ]
    with tempfile.TemporaryDirectory() as folder:
        for held, falling, margin in cases:
            for thickness in (0.005, 0.009, 0.0099):
                depth, least = run(pathlib.Path(folder), thickness, held, falling, margin)
                row = {"held": held, "falling": falling, "margin": margin, "thickness": thickness, "depth": depth, "least_distance": None if least == float("inf") else least}
                rows.append(row)
                print("%-14s %-5s margin %-7s %.4f m: depth %7.2f mm, least distance %s" % (held, falling, margin or "default", thickness, 1e3 * depth, "none" if least == float("inf") else "%.2e m" % least))
    if not args.no_record:
        record = {"date": datetime.date.today().isoformat(), "pybullet": importlib.metadata.version("pybullet"), "step": DT, "time": TIME, "rows": rows}
        path = pathlib.Path(__file__).resolve().parent.parent / "records" / "beams_pybullet.json"
        path.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
