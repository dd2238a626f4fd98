#!/usr/bin/env python3
"""Rising smoke in an open box, in Sastrugi (plume.json, plume_2d.json) and in PhiFlow (phiflow_plume.py), in turn.

    python3 -m venv ENV && ENV/bin/pip install phiflow==3.4.0 scipy jax torch
    ENV/bin/python benches/peers/plume.py [--program target/release/sastrugi] [--rounds 5] [--square 64] [--cube 32] [--backends numpy,torch,jax]

The box has sides of 1 m and pressure 0 beyond all of them. A ball of radius 0.12 m low in the middle adds 4/s to the density,
and density 1 accelerates by 3 m/s^2 upwards. A step of dt = 0.5 / n s is: semi-Lagrangian advection of density and velocity
with the midpoint rule, source, buoyancy, projection. 32-bit floats; the pressure starts from the last one, and iterations
end at a relative residual of 1e-4. The solver of PhiFlow is `CG`, conjugate gradients without a preconditioner; here it is conjugate
gradients with multigrid. Both run on the processor: `taskset -c 0,1` keeps them on two cores.

In PhiFlow, 20 warm-up steps are not timed; in Sastrugi, all steps are. Prints the median and the range of the steps per
second, the iterations of the last step, the maximum |div u| (1/s) after it, computed from the faces by one function for
both, and the maximum difference of the densities relative to the maximum density. Fails if that exceeds 1e-3, or if it
does not with 1 % more lift.
"""
import argparse, json, pathlib, statistics, subprocess, sys, tempfile
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
WARM_UP, APART = 20, 1e-3


def divergence(faces, n):
    """Of velocities at faces, along x, y (and z), in arrays whose axes are in the reverse order; 1/s."""
    return sum(np.diff(values.astype(np.float64), axis=values.ndim - 1 - axis) for axis, values in enumerate(faces)) * n


def here(options, dims, n, *settings):
    with tempfile.TemporaryDirectory() as out:
        name = "plume_2d" if dims == 2 else "plume"
        command = [options.program, "run", f"{HERE}/{name}.json", "--quiet", "--out", out, "--force"]
        for setting in (f"n={n}", f"run.steps_per_frame={options.steps}", *settings):
            command += ["--set", setting]
        subprocess.run(command, check=True)
        last = {name: np.load(f"{out}/{name}.0001.npy") for name in ("density", *"uvw"[:dims])}
        lines = open(f"{out}/log.csv").read().split()
        log = dict(zip(lines[0].split(","), map(float, lines[-1].split(","))))
        rate = json.load(open(f"{out}/manifest.json"))["steps_per_second"]
    return rate, int(log["iterations"]), last["density"], [last[axis] for axis in "uvw"[:dims]]


def there(options, dims, n, backend):
    with tempfile.TemporaryDirectory() as out:
        numbers = map(str, (dims, n, WARM_UP, options.steps))
        subprocess.run([sys.executable, f"{HERE}/phiflow_plume.py", backend, *numbers, f"{out}/end.npz"], check=True)
        end = np.load(f"{out}/end.npz")
        return float(end["rate"]), int(end["iterations"]), end["density"], [end[axis] for axis in "uvw"[:dims]]


def compare(options, dims, n):
    runs = {"sastrugi": lambda: here(options, dims, n)}
    for backend in options.backends.split(","):
        runs[f"PhiFlow, {backend}"] = lambda backend=backend: there(options, dims, n, backend)
    found = {name: [] for name in runs}
    for _ in range(options.rounds):
        for name, run in runs.items():
            found[name].append(run())
    ours, failed = found["sastrugi"][-1][2], []
    apart = lambda density: np.abs(density - ours).max() / ours.max()
    for name, rounds in found.items():
        rates = [one[0] for one in rounds]
        _, iterations, density, faces = rounds[-1]
        print(f"| {n}{'²' if dims == 2 else '³'} | {name} | {statistics.median(rates):.2f} ({min(rates):.2f} to {max(rates):.2f}) "
              f"| {iterations if iterations >= 0 else ''} | {np.abs(divergence(faces, n)).max():.1e} | {apart(density):.1e} |", flush=True)
        if not apart(density) < APART:
            failed.append(f"{n}, {dims} axes: the density of {name} is {apart(density):.2g} away")
    wrong = apart(here(options, dims, n, "lift=3.03")[2])
    if not wrong > APART:
        failed.append(f"{n}, {dims} axes: with 1 % more lift the density is only {wrong:.2g} away")
    return failed


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(HERE.parent.parent / "target" / "release" / "sastrugi"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=100, help=f"of a run, more than {WARM_UP}")
    parser.add_argument("--square", type=int, default=64, help="cells along a side in a plane; 0: none")
    parser.add_argument("--cube", type=int, default=32, help="cells along a side in space; 0: none")
    parser.add_argument("--backends", default="numpy,torch,jax", help="of PhiFlow")
    options = parser.parse_args()
    if options.steps <= WARM_UP or options.rounds < 1:
        parser.error(f"--steps is more than the {WARM_UP} that warm up, --rounds at least 1")
    print("| cells | program | steps/s | iterations | max div u, 1/s | density apart |\n|---|---|---|---|---|---|")
    failed = [text for dims, n in ((2, options.square), (3, options.cube)) if n for text in compare(options, dims, n)]
    sys.exit("; ".join(failed) or None)
