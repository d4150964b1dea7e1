"""Time per particle and substep of material points, ours beside Taichi's on its CPU backend, alternating in one run.

    benches/peers/run material_points_taichi.py [--particles 100000 1000000] [--threads 2] [--rounds 3] [--no-record]

The scene is that of the binary `material_points`: a block of rubber of 0.5 m in free fall, turning, eight particles per cell, fixed corotated energy, f32, quadratic splines with affine transfers (MLS-MPM).
Taichi's program is the usual one: one loop over particles that scatters with atomic additions to a dense grid, one over nodes, one over particles that gathers; stresses by `ti.svd` (R = U Vᵀ), particles sorted by cell at the start.
Ours is the mean of all steps of a round, sorting included; Taichi's the faster of two repetitions. The record has all rounds, the ratio is that of the medians. Prints the ratio and appends to benches/records/material_points.jsonl.
"""

import argparse
import json
import os
import statistics
import subprocess
import time
from datetime import datetime, timezone
from pathlib import Path

import numpy as np
import taichi as ti
from bench import machine, revision

ROOT = Path(__file__).resolve().parents[2]
RECORDS = ROOT / "benches" / "records" / "material_points.jsonl"
SIDE, DENSITY, YOUNG, POISSON = 0.5, 1000.0, 1e5, 0.3


def binary():
    command = ["cargo", "build", "--release", "--quiet", "--package", "signorini-benches", "--bin", "material_points"]
    subprocess.run(command, cwd=ROOT, check=True)
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release" / "material_points"


def ours(path, particles, threads, steps, repeats, material="rubber", number="f32"):
    flags = {"particles": particles, "threads": threads, "steps": steps, "repeats": repeats, "material": material, "path": number}
    words = [str(x) for k, v in flags.items() for x in ("--" + k, v)]
    out = subprocess.run([str(path), *words], check=True, capture_output=True, text=True)
    return json.loads(out.stdout)


class Taichi:
    """The block in Taichi."""

    def __init__(self, particles, dt):
        along = round(particles ** (1 / 3))
        n, apart = along**3, SIDE / along
        h = 2 * apart
        cells = int(np.ceil(2 * SIDE / h)) + 8
        k = np.stack(np.meshgrid(*[np.arange(along)] * 3, indexing="ij"), -1).reshape(-1, 3)
        x = (k + 0.5) * apart - 0.5 * SIDE + np.array([0.013, 0.017, 0.019])
        turn = np.array([0.3, 1.0, -0.7])
        v = np.array([0.5, -0.3, 0.2]) + np.cross(turn, x)
        low = -SIDE
        cell = np.floor((x - low) / h).astype(np.int64)
        order = np.lexsort((cell[:, 2], cell[:, 1], cell[:, 0]))
        cross = np.array([[0, -turn[2], turn[1]], [turn[2], 0, -turn[0]], [-turn[1], turn[0], 0]])
        self.count, self.h, self.dt, self.low, self.cells = n, h, dt, low - 4 * h, cells
        self.x = ti.Vector.field(3, ti.f32, n)
        self.v = ti.Vector.field(3, ti.f32, n)
        self.c = ti.Matrix.field(3, 3, ti.f32, n)
        self.f = ti.Matrix.field(3, 3, ti.f32, n)
        self.grid_v = ti.Vector.field(3, ti.f32, (cells,) * 3)
        self.grid_m = ti.field(ti.f32, (cells,) * 3)
        self.x.from_numpy(x[order].astype(np.float32))
        self.v.from_numpy(v[order].astype(np.float32))
        self.c.from_numpy(np.broadcast_to(cross, (n, 3, 3)).astype(np.float32))
        self.f.from_numpy(np.broadcast_to(np.eye(3), (n, 3, 3)).astype(np.float32))
        self.volume = SIDE**3 / n
        self.mass = DENSITY * self.volume
        self.mu, self.la = YOUNG / (2 * (1 + POISSON)), YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON))
        x, v, c, f, grid_v, grid_m = self.x, self.v, self.c, self.f, self.grid_v, self.grid_m
        inv, low, volume, mass, mu, la = 1 / h, self.low, self.volume, self.mass, self.mu, self.la

        @ti.kernel
        def substep():
            for i in ti.grouped(grid_m):
                grid_v[i] = ti.Vector.zero(ti.f32, 3)
                grid_m[i] = 0.0
            for p in x:
                at = (x[p] - low) * inv
                base = ti.cast(at - 0.5, ti.i32)
                fx = at - ti.cast(base, ti.f32)
                w = [0.5 * (1.5 - fx) ** 2, 0.75 - (fx - 1.0) ** 2, 0.5 * (fx - 0.5) ** 2]
                u, sig, vt = ti.svd(f[p])
                r = u @ vt.transpose()
                j = f[p].determinant()
                tau = 2 * mu * (f[p] - r) @ f[p].transpose() + ti.Matrix.identity(ti.f32, 3) * la * j * (j - 1)
                q = mass * c[p] - (dt * volume * 4 * inv * inv) * tau
                for a, b, d in ti.static(ti.ndrange(3, 3, 3)):
                    step = ti.Vector([a, b, d])
                    away = (ti.cast(step, ti.f32) - fx) * h
                    weight = w[a][0] * w[b][1] * w[d][2]
                    grid_v[base + step] += weight * (mass * v[p] + q @ away)
                    grid_m[base + step] += weight * mass
            for i in ti.grouped(grid_m):
                if grid_m[i] > 0:
                    grid_v[i] = grid_v[i] / grid_m[i] + dt * ti.Vector([0.0, 0.0, -9.81])
            for p in x:
                at = (x[p] - low) * inv
                base = ti.cast(at - 0.5, ti.i32)
                fx = at - ti.cast(base, ti.f32)
                w = [0.5 * (1.5 - fx) ** 2, 0.75 - (fx - 1.0) ** 2, 0.5 * (fx - 0.5) ** 2]
                new_v = ti.Vector.zero(ti.f32, 3)
                new_c = ti.Matrix.zero(ti.f32, 3, 3)
                for a, b, d in ti.static(ti.ndrange(3, 3, 3)):
                    step = ti.Vector([a, b, d])
                    away = ti.cast(step, ti.f32) - fx
                    weight = w[a][0] * w[b][1] * w[d][2]
                    here = grid_v[base + step]
                    new_v += weight * here
                    new_c += 4 * inv * weight * here.outer_product(away)
                v[p] = new_v
                c[p] = new_c
                x[p] += dt * new_v
                f[p] = (ti.Matrix.identity(ti.f32, 3) + dt * new_c) @ f[p]

        self.substep = substep

    def time(self, steps, repeats):
        """Fastest ns per particle and substep."""
        best = float("inf")
        for _ in range(repeats):
            start = time.perf_counter()
            for _ in range(steps):
                self.substep()
            ti.sync()
            best = min(best, time.perf_counter() - start)
        return 1e9 * best / (self.count * steps)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--particles", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-record", action="store_true")
    args = parser.parse_args()
    path = binary()
    ti.init(arch=ti.cpu, cpu_max_num_threads=args.threads, default_fp=ti.f32, log_level=ti.ERROR, random_seed=0)
    for particles in args.particles:
        steps = max(2, 2_000_000 // particles)
        first = ours(path, particles, args.threads, 2, 1)
        theirs = Taichi(particles, first["substep_s"])
        theirs.substep()
        ti.sync()
        rows = {"ours": [], "taichi": []}
        for _ in range(args.rounds):
            rows["ours"].append(ours(path, particles, args.threads, max(60, 2 * steps), 3)["ns_mean"])
            rows["taichi"].append(theirs.time(steps, 2))
        ns = {k: statistics.median(v) for k, v in rows.items()}
        assert np.isfinite(theirs.x.to_numpy()).all(), "Taichi's particles are not finite"
        print(f"{first['particles']:>9} particles, {args.threads} threads: ours {ns['ours']:.1f} ns, Taichi {ns['taichi']:.1f} ns, ratio {ns['taichi'] / ns['ours']:.1f}")
        if not args.no_record:
            line = {
                "scene": "block", "material": "rubber", "particles": first["particles"], "threads": args.threads,
                "ours_ns": rows["ours"], "taichi_ns": rows["taichi"], "ratio": ns["taichi"] / ns["ours"],
                "revision": revision(),
                "taichi": ".".join(map(str, ti.__version__)), "date": datetime.now(timezone.utc).isoformat(timespec="seconds"), **machine(),
            }
            with RECORDS.open("a") as f:
                f.write(json.dumps(line, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
