#!/usr/bin/env python3
"""Times of the Python package on this device, as a Markdown table: docs/python.md#times.

    scripts/wheel && python3 -m venv out/venv && out/venv/bin/pip install target/wheels/sastrugi-*.whl
    out/venv/bin/python benches/python/times.py target/wheels/sastrugi-*.whl

Each time is the median of several runs, except with empty caches. With PyTorch in the environment, it also times projections.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time

RUNS = 5
FIRST = """
import sys, time
began = time.perf_counter()
import sastrugi
imported = time.perf_counter()
sim = sastrugi.load("smoke", set={"n": 24})
sim.step()
sim.wait()
print(imported - began, time.perf_counter() - imported)
"""


def median(action, runs=RUNS):
    """Seconds."""
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        action()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def starts(environment, runs):
    """Medians of new processes: seconds to import, and from there to the end of the first step."""
    done = [
        subprocess.run([sys.executable, "-c", FIRST], env=environment, check=True, capture_output=True, text=True)
        for _ in range(runs)
    ]
    rows = [list(map(float, one.stdout.split())) for one in done]
    return [statistics.median(column) for column in zip(*rows)]


def main():
    rows = []
    if len(sys.argv) > 1:
        rows.append(("size of the wheel", f"{os.path.getsize(sys.argv[1]) / 1e6:.1f} MB"))
    with tempfile.TemporaryDirectory() as empty:
        environment = {**os.environ, "SASTRUGI_CACHE_DIR": empty, "MESA_SHADER_CACHE_DIR": empty}
        _, first = starts(environment, 1)
        rows.append(("`load` of smoke to its first step, with empty caches", f"{first:.2f} s"))
        imported, first = starts(environment, 3)
    rows.append(("the same, with kernels in the caches", f"{first:.2f} s"))
    rows.append(("`import sastrugi`, with NumPy", f"{imported:.2f} s"))

    import sastrugi

    sim = sastrugi.load("smoke", set={"n": 40})
    print(f"{sim.device}, sastrugi {sastrugi.__version__}\n")
    sim.step(20)
    sim.wait()

    def steps():
        sim.step(10)
        sim.wait()

    rows.append(("a step of smoke with `n` 40 (0.58 M cells)", f"{100 * median(steps):.1f} ms"))
    rows.append(("a parameter that the next step uses", f"{1e3 * median(lambda: sim.parameters.update(lift()), 50):.2f} ms"))
    slow = 1e3 * median(lambda: sim.parameters.update({"air.lift": f"{lift()['air.lift']} * 1"}))
    rows.append(("the same, as an expression", f"{slow:.0f} ms"))
    sim.call("air.solver.mask")
    rows.append(("`frame`, 540 x 720 pixels", f"{1e3 * median(lambda: (sim.step(), sim.frame())):.0f} ms"))
    rows.append(('`sim.call("air.solver.mask")`', f"{1e3 * median(lambda: sim.call('air.solver.mask')):.1f} ms"))
    sim.close()
    channel = {"type": "float", "background": 0}
    large = {
        "run": {"dt": 1},
        "grids": {"box": {"cells": [256, 256, 256], "cell_size": 1, "channels": {"f": channel}}},
        "step": [{"set": "box.f", "to": 1}],
    }
    with sastrugi.load(large) as sim:
        field = sim["box.f"]
        values = field.read()
        gigabytes = values.nbytes / 1e9
        rows.append(("reading a field of 67 MB", f"{gigabytes / median(field.read):.1f} GB/s"))
        rows.append(("writing it", f"{gigabytes / median(lambda: field.write(values)):.1f} GB/s"))
        rows.append(("a copy of NumPy, for comparison", f"{gigabytes / median(values.copy):.1f} GB/s"))
    rows += projections() + smoke()
    print("| | |\n|---|---|")
    for name, value in rows:
        print(f"| {name} | {value} |")


def lift(values=iter(range(1, 1000))):
    """A value that differs from the last one."""
    return {"air.lift": next(values)}


def projections():
    """Forward and backward passes of `sastrugi.torch.project`."""
    try:
        import torch
    except ImportError:
        return []
    from sastrugi.torch import project

    rows = []
    for shape in ((128, 128), (64, 64, 64)):
        mask = torch.ones(shape, dtype=torch.bool)
        faces = []
        for dim in range(1, len(shape) + 1):
            sides = list(shape)
            sides[-dim] += 1
            faces.append(torch.randn(sides, requires_grad=True))
        w = [None] if len(shape) == 2 else []
        project(*faces, *w, mask, sides="open")

        def forward():
            project(*faces, *w, mask, sides="open")

        def both():
            loss = sum((one**2).sum() for one in project(*faces, *w, mask, sides="open"))
            loss.backward()

        name = " x ".join(map(str, shape))
        rows.append((f"`project` of {name} cells, 32 bits", f"{1e3 * median(forward):.0f} ms"))
        rows.append((f"`project` of {name} cells with its gradient", f"{1e3 * median(both):.0f} ms"))
    return rows


def smoke():
    """Forward and backward passes of `sastrugi.torch.smoke_step`."""
    try:
        import torch
    except ImportError:
        return []
    from sastrugi.torch import smoke_step

    shape = (64, 64, 64)
    mask, density = torch.ones(shape, dtype=torch.bool), torch.rand(shape, requires_grad=True)
    velocity = []
    for dim in (-1, -2, -3):
        sides = list(shape)
        sides[dim] += 1
        velocity.append(torch.randn(sides, requires_grad=True))

    def forward():
        return smoke_step(density, velocity, 0.5, mask, sides="open")

    def both():
        after, moved = forward()
        (after.sum() + sum((one**2).sum() for one in moved)).backward()

    both()
    return [
        ("`smoke_step` of 64 x 64 x 64 cells, 32 bits", f"{1e3 * median(forward):.0f} ms"),
        ("`smoke_step` of 64 x 64 x 64 cells with its gradient", f"{1e3 * median(both):.0f} ms"),
    ]


if __name__ == "__main__":
    main()
