"""Scenes in Signorini: the `peer` binary of the workspace, built with `cargo build --release`."""

import json
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def binary():
    """Builds the binary and returns its path."""
    command = ["cargo", "build", "--release", "--quiet", "--package", "signorini-benches", "--bin", "peer"]
    subprocess.run(command, cwd=ROOT, check=True)
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release" / "peer"


def run(peer, scene, settings, repeats, model=False):
    """Times `repeats` runs of a scene file (or of a model on a floor for 3 s), then counts in an untimed one. Returns (walls [s], counts)."""
    command = [peer, scene, "--repeats", str(repeats)]
    if model:
        command += ["--floor", "--duration", "3"]
    if "dt" in settings:
        command += ["--dt", str(settings["dt"])]
    else:
        command += ["--accuracy", str(settings["accuracy"])]
    if settings.get("paper"):
        command.append("--paper-mode")
    out = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return out["walls"], out["counts"]
