"""Writes pegs/*.obj: a round and a rectangular peg of 8 mm and their plates, by their dimensions.

Dimensions are those of the tight 8 mm fits of the Factory assembly set: holes of 8.1 mm and of 8.144 x 7.134 mm in plates of 25 x 25 x 8.992 mm, pegs of 7.995 mm and
of 8 x 7 mm, 50 mm long. Edges have no chamfers.
"""

from math import cos, pi, sin, tau
from pathlib import Path

SIDES = 72
PLATE, LONG = 0.008992, 0.05


def circle(radius):
    return [(radius * cos(tau * k / SIDES), radius * sin(tau * k / SIDES)) for k in range(SIDES)]


def square(half):
    """A square with as many points as the circle, at its angles."""
    out = []
    for k in range(SIDES):
        x, y = cos(tau * k / SIDES), sin(tau * k / SIDES)
        s = half / max(abs(x), abs(y))
        out.append((s * x, s * y))
    return out


def rectangle(x, y):
    return [(-x, -y), (x, -y), (x, y), (-x, y)]


def peg(outline, height):
    """A closed prism on z = 0."""
    n = len(outline)
    points = [(x, y, z) for z in (0.0, height) for x, y in outline]
    faces = []
    for k in range(n):
        l = (k + 1) % n
        faces += [(k, l, n + l), (k, n + l, n + k)]
    for k in range(1, n - 1):
        faces += [(0, k + 1, k), (n, n + k, n + k + 1)]
    return points, faces


def plate(inner, outer, height):
    """A closed ring on z = 0."""
    n = len(inner)
    rings = [(inner, 0.0), (outer, 0.0), (outer, height), (inner, height)]
    points = [(x, y, z) for ring, z in rings for x, y in ring]
    faces = []
    for r in range(4):
        for k in range(n):
            l = (k + 1) % n
            a, b = r * n, (r + 1) % 4 * n
            faces += [(a + k, b + l, a + l), (a + k, b + k, b + l)]
    return points, [tuple(reversed(f)) for f in faces]


def write(name, mesh):
    points, faces = mesh
    lines = [f"# {name}: written by make_pegs.py [m]"]
    lines += [f"v {x:.7f} {y:.7f} {z:.7f}" for x, y, z in points]
    lines += ["f " + " ".join(str(i + 1) for i in f) for f in faces]
    (Path(__file__).parent / "pegs" / f"{name}.obj").write_text("\n".join(lines) + "\n")


write("round_peg_8mm_tight", peg(circle(0.0039975), LONG))
write("round_hole_8mm", plate(circle(0.00405 / cos(pi / SIDES)), square(0.0125), PLATE))
write("rectangular_peg_8mm_tight", peg(rectangle(0.004, 0.0035), LONG))
write("rectangular_hole_8mm", plate(rectangle(0.004072, 0.003567), rectangle(0.0125, 0.0125), PLATE))
