"""Closest points of stencils in exact rational arithmetic, for gradients of squared distances.

    python3 make_stencil_gradients.py <oracles>/ipc > stencil_gradients.csv

Reads pt_distance.csv and ee_distance.csv, whose coordinates are doubles and so exact rationals, and minimises the squared distance exactly over the parameters of
the closest points. No package is needed.
"""

import csv
import sys
from fractions import Fraction

CATEGORIES = {
    "pt": ["near_touch", "region_boundary", "sliver"],
    "ee": ["near_touch", "parallel", "near_parallel", "collinear"],
}


def sub(a, b):
    return [x - y for x, y in zip(a, b)]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def combine(w, x):
    return [sum(wi * xi[k] for wi, xi in zip(w, x)) for k in range(3)]


def on_segment(p, a, b):
    """Parameter of the point of ab that is nearest to p."""
    e = sub(b, a)
    return min(max(dot(sub(p, a), e) / dot(e, e), Fraction(0)), Fraction(1))


def point_triangle(x):
    p, a, b, c = x
    u, v, w = sub(b, a), sub(c, a), sub(p, a)
    uu, uv, vv, uw, vw = dot(u, u), dot(u, v), dot(v, v), dot(u, w), dot(v, w)
    det = uu * vv - uv * uv
    if det != 0:
        s, t = (vv * uw - uv * vw) / det, (uu * vw - uv * uw) / det
        if s >= 0 and t >= 0 and s + t <= 1:
            return [[1, s + t - 1, -s, -t]]
    found = []
    for i, j in ((1, 2), (2, 3), (3, 1)):
        s = on_segment(p, x[i], x[j])
        w = [Fraction(0)] * 4
        w[0], w[i], w[j] = Fraction(1), s - 1, -s
        found.append(w)
    return found


def edge_edge(x):
    a, b, c, d = x
    u, v, w = sub(b, a), sub(d, c), sub(c, a)
    uu, uv, vv, uw, vw = dot(u, u), dot(u, v), dot(v, v), dot(u, w), dot(v, w)
    det = uu * vv - uv * uv
    if det != 0:
        s, t = (vv * uw - uv * vw) / det, (uv * uw - uu * vw) / det
        if 0 <= s <= 1 and 0 <= t <= 1:
            return [[1 - s, s, t - 1, -t]]
    found = []
    for i in (0, 1):
        t = on_segment(x[i], c, d)
        found.append([1 - i, i, t - 1, -t])
    for j in (0, 1):
        s = on_segment(x[2 + j], a, b)
        found.append([1 - s, s, j - 1, -j])
    return found


def main():
    folder = sys.argv[1]
    print("table,row,r0,r1,r2,w0,w1,w2,w3,e0,e1,e2,e3")
    for table, kinds in CATEGORIES.items():
        of = {"pt": point_triangle, "ee": edge_edge}[table]
        with open(f"{folder}/{table}_distance.csv") as file:
            for row, line in enumerate(csv.DictReader(file)):
                if line["cat"] not in kinds:
                    continue
                x = [[Fraction(float(line[f"x{3 * i + k}"])) for k in range(3)] for i in range(4)]
                found = of(x)
                squared = [dot(r, r) for r in (combine(w, x) for w in found)]
                best = [w for w, s in zip(found, squared) if s == min(squared)]
                # Parallel edges: the closest points fill segments, whose ends are among the candidates.
                first, last = min(best), max(best)
                numbers = [repr(float(n)) for n in combine(first, x) + first]
                numbers += [repr(float(n)) for n in last] if last != first else [""] * 4
                print(f"{table},{row}," + ",".join(numbers))


main()
