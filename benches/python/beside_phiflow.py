#!/usr/bin/env python3
"""Projections and steps of smoke, with their gradients, beside PhiFlow with PyTorch: docs/python.md#times.

    python3 benches/python/beside_phiflow.py [--steps 50] [--runs 5] [--only projection|smoke]

Needs the packages sastrugi, torch and phiflow, and uses CUDA where PyTorch has it. Both solve for the pressure to a relative
residual of 1e-5, in a box with open sides, in 32 bits. A row has medians of runs, of which the first, with compilation, does not count.
"""

import argparse
import statistics
import time

import numpy as np
import torch
from phi.torch import flow as phi
from phiml.backend import NUMPY
from sastrugi.torch import poisson, project, smoke_step

RTOL = 1e-5
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def widen_indices_of_phiml():
    """phiml 1.16 computes row x columns + column of a matrix in 32 bits, which overflow for more than 46,340 cells."""
    narrow = type(NUMPY).ravel_multi_index

    def wide(self, multi_index, *arguments, **options):
        return narrow(self, np.asarray(multi_index, np.int64), *arguments, **options)

    type(NUMPY).ravel_multi_index = wide


def median(action, runs):
    """Milliseconds."""
    times = []
    for _ in range(1 + runs):
        if DEVICE == "cuda":
            torch.cuda.synchronize()
        began = time.perf_counter()
        action()
        if DEVICE == "cuda":
            torch.cuda.synchronize()
        times.append(1e3 * (time.perf_counter() - began))
    return statistics.median(times[1:])


def faces(shape, scale=1.0):
    """Random velocities at faces."""
    generator = torch.Generator().manual_seed(1)
    found = []
    for dim in range(1, len(shape) + 1):
        sides = list(shape)
        sides[-dim] += 1
        values = scale * torch.randn(sides, generator=generator)
        found.append(values.to(DEVICE).requires_grad_())
    return found


def own_projection(shape):
    mask, velocity = torch.ones(shape, dtype=torch.bool), faces(shape)
    w = [None] if len(shape) == 2 else []

    def forward():
        return project(*velocity, *w, mask, sides="open", rtol=RTOL)

    def both():
        sum((one**2).sum() for one in forward()).backward()

    return forward, both


def grid_of(shape, scale=1.0):
    """The same velocities for PhiFlow."""
    names = "xyz"[: len(shape)]
    components = {}
    for name, values in zip(names, faces(shape, scale)):
        # PhiFlow requires the order of axes of its resolution: x first.
        values = values.detach().permute(*reversed(range(len(shape))))
        components[name] = phi.math.wrap(values, phi.spatial(*names))
    stacked = phi.math.stack(components, phi.math.dual("vector"))
    return phi.StaggeredGrid(stacked, phi.extrapolation.ZERO_GRADIENT, **dict(zip(names, reversed(shape))))


def phi_projection(shape):
    velocity = grid_of(shape)
    solve = phi.Solve("CG", rel_tol=RTOL, abs_tol=0, max_iterations=5000)

    def projected(velocity):
        return phi.fluid.make_incompressible(velocity, (), solve)[0]

    forward = phi.math.jit_compile(projected)
    gradient = phi.math.gradient(lambda velocity: phi.field.l2_loss(projected(velocity)), "velocity")
    return lambda: forward(velocity), lambda: gradient(velocity)


def own_smoke(shape, steps):
    mask = torch.ones(shape, dtype=torch.bool)
    start = torch.zeros(shape, device=DEVICE)
    start[8:16, 24:40, 24:40] = 1
    start.requires_grad_()

    def forward():
        density, velocity = start, faces(shape, 0.01)
        for _ in range(steps):
            density, velocity = smoke_step(density, velocity, 0.5, mask, buoyancy=0.1, sides="open", rtol=RTOL)
        return density

    def both():
        (forward() ** 2).sum().backward()

    return lambda: forward(), both


def phi_smoke(shape, steps):
    solve = phi.Solve("CG", rel_tol=RTOL, abs_tol=0, max_iterations=5000)
    sizes = dict(zip("xyz", reversed(shape)))
    box = phi.Box(x=(24, 40), y=(24, 40), z=(8, 16))
    start = phi.CenteredGrid(box, phi.extrapolation.BOUNDARY, **sizes)
    velocity = grid_of(shape, 0.01)

    def step(density, velocity):
        moved = phi.advect.semi_lagrangian(velocity, velocity, 0.5)
        density = phi.advect.semi_lagrangian(density, velocity, 0.5)
        push = phi.resample(density * (0, 0, 0.1), to=velocity)
        return density, phi.fluid.make_incompressible(moved + 0.5 * push, (), solve)[0]

    def run(step, density):
        moved = velocity
        for _ in range(steps):
            density, moved = step(density, moved)
        return density

    compiled = phi.math.jit_compile(step)
    gradient = phi.math.gradient(lambda density: phi.field.l2_loss(run(step, density)), "density")
    return lambda: run(compiled, start), lambda: gradient(start)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", default="", help="cases whose name contains this")
    options = parser.parse_args()
    widen_indices_of_phiml()
    if DEVICE == "cuda":
        phi.TORCH.set_default_device("GPU")
    print(f"torch {torch.__version__}, phiflow {phi.__version__ if hasattr(phi, '__version__') else ''}, {DEVICE}")
    cases = [
        ("projection, 128 x 128", own_projection, phi_projection, ((128, 128),)),
        ("projection, 64 x 64 x 64", own_projection, phi_projection, ((64, 64, 64),)),
        (f"{options.steps} steps of smoke, 64 x 64 x 64", own_smoke, phi_smoke, ((64, 64, 64), options.steps)),
    ]
    cases = [case for case in cases if options.only in case[0]]
    mask = torch.ones((64, 64), dtype=torch.bool)
    for items in (1, 64):
        rhs = torch.randn((items, 64, 64), generator=torch.Generator().manual_seed(1)).to(DEVICE)
        solve = median(lambda: poisson(rhs, mask, sides="open", rtol=RTOL), options.runs)
        print(f"solve, batch of {items} x 64 x 64: sastrugi {solve:.1f} ms", flush=True)
    kinds = ("forward", "forward and backward")
    own_times = {}
    # All of sastrugi first: PhiFlow changes settings of PyTorch.
    for name, own, _, arguments in cases:
        for kind, action in zip(kinds, own(*arguments)):
            own_times[name, kind] = median(action, options.runs)
            print(f"{name}, {kind}: sastrugi {own_times[name, kind]:.1f} ms", flush=True)
    for name, _, other, arguments in cases:
        for kind, action in zip(kinds, other(*arguments)):
            try:
                time_of_other = median(action, options.runs)
                ratio = time_of_other / own_times[name, kind]
                print(f"{name}, {kind}: PhiFlow {time_of_other:.1f} ms, {ratio:.1f} times", flush=True)
            except Exception as error:
                print(f"{name}, {kind}: PhiFlow failed: {type(error).__name__}: {str(error)[:200]}", flush=True)


if __name__ == "__main__":
    main()
