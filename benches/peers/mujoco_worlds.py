"""Worlds of one model in MuJoCo, stepped for a page of the report: reads requests on standard input, answers on standard output.

    python benches/peers/mujoco_worlds.py MODEL THREADS

Each message is a line of JSON; numbers follow it as 64-bit floats, little-endian. The first line out has MuJoCo's version and the sizes of the model, or why there is none ("missing"). Requests:

    {"step": n, "worlds": w, "dt": h}   w states of nq + nv + na numbers and w x nu controls, held; answers {"wall_s": t, "processor_s": t} and w states after n steps of `rollout`
    {"count": n, "worlds": w, "dt": h}  w states; answers {"rows": [[contacts of all worlds, processor time of the step [s]], ...]}: n steps of `mj_step`, world by world, on one thread
"""

import json
import sys
import time


def answer(line, numbers=None):
    out = sys.stdout.buffer
    out.write(json.dumps(line).encode() + b"\n")
    if numbers is not None:
        out.write(numbers.tobytes())
    out.flush()


try:
    import mujoco
    import numpy as np
    from mujoco import rollout
except ImportError as e:
    answer({"missing": str(e)})
    sys.exit()


def floats(rows, columns):
    return np.frombuffer(sys.stdin.buffer.read(8 * rows * columns), "<f8").reshape(rows, columns)


def main():
    model = mujoco.MjModel.from_xml_path(sys.argv[1])
    threads = int(sys.argv[2])
    nq, nv, na, nu = model.nq, model.nv, model.na, model.nu
    spec = mujoco.mjtState.mjSTATE_FULLPHYSICS
    data = [mujoco.MjData(model) for _ in range(threads)]
    blank = np.zeros(mujoco.mj_stateSize(model, spec))
    mujoco.mj_getState(model, data[0], blank, spec)
    # Behind the time.
    width = nq + nv + na
    body = slice(1, 1 + width)
    answer({"version": mujoco.__version__, "nq": nq, "nv": nv, "na": na, "nu": nu})
    pool = rollout.Rollout(nthread=threads if threads > 1 else 0)
    while line := sys.stdin.buffer.readline():
        asked = json.loads(line)
        worlds, model.opt.timestep = asked["worlds"], asked["dt"]
        states = floats(worlds, width)
        if "step" in asked:
            first = np.tile(blank, (worlds, 1))
            first[:, body] = states
            held = floats(worlds, nu)
            control = np.ascontiguousarray(np.broadcast_to(held[:, None, :], (worlds, asked["step"], nu)))
            start, used = time.perf_counter(), time.process_time()
            done, _ = pool.rollout(model, data, first, control)
            wall, used = time.perf_counter() - start, time.process_time() - used
            answer({"wall_s": wall, "processor_s": used}, np.ascontiguousarray(done[:, -1, body]))
        else:
            all_data = [mujoco.MjData(model) for _ in range(worlds)]
            for d, x in zip(all_data, states):
                d.qpos[:], d.qvel[:], d.act[:] = x[:nq], x[nq : nq + nv], x[nq + nv :]
            rows = []
            for _ in range(asked["count"]):
                start = time.thread_time()
                for d in all_data:
                    mujoco.mj_step(model, d)
                rows.append([sum(d.ncon for d in all_data), time.thread_time() - start])
            answer({"rows": rows})


main()
