#!/usr/bin/env python3
"""The scene of plume.json in PhiFlow: the same scene in plain code for another framework.

    python3 -m venv ENV && ENV/bin/pip install phiflow==3.4.0 scipy jax torch
    ENV/bin/python benches/peers/phiflow_plume.py BACKEND AXES CELLS WARM_UP STEPS FILE

BACKEND is numpy, or torch or jax with a compiled step; AXES 2 or 3; CELLS along a side; STEPS, the first WARM_UP of them not timed.
Writes FILE (npz): rate (steps/s), iterations of the last step (-1: not known), density, and the faces u, v (w), the last
axis first. A process runs one backend, because importing `phi.jax.flow` makes JAX the default of everything in it.
"""
import importlib, sys, time
import numpy as np

RATE, LIFT, RELATIVE = 4.0, 3.0, 1e-4  # as in plume.json


def main(backend, dims, n, warm_up, steps, file):
    flow = importlib.import_module({"numpy": "phi.flow", "torch": "phi.torch.flow", "jax": "phi.jax.flow"}[backend])
    from phi.field import sample
    axes, dt, compiled = "xyz"[:dims], 0.5 / n, backend != "numpy"
    up = axes[-1]
    box, cells = flow.Box(**{axis: 1 for axis in axes}), {axis: n for axis in axes}
    ball = flow.Sphere(**{axis: 0.15 if axis == up else 0.5 for axis in axes}, radius=0.12)
    source = flow.CenteredGrid(flow.CenteredGrid(ball, 0, box, **cells).values > 0.5, flow.ZERO_GRADIENT, box)
    lift = flow.vec(**{axis: LIFT if axis == up else 0 for axis in axes})

    def midpoint(data, velocity, dt, v0=None):
        v0 = sample(velocity, data.geometry, at=data.sampled_at, boundary=data.boundary) if v0 is None else v0
        half = sample(velocity, data.points + 0.5 * dt * v0, at=data.sampled_at, boundary=data.boundary)
        return data.points + dt * half

    def step(density, velocity, pressure):
        density = flow.advect.semi_lagrangian(density, velocity, dt, midpoint) + dt * RATE * source
        velocity = flow.advect.semi_lagrangian(velocity, velocity, dt, midpoint) + dt * flow.resample(density * lift, velocity)
        return density, *flow.fluid.make_incompressible(velocity, solve=flow.Solve("CG", RELATIVE, 0, x0=pressure))

    def values(field):
        return field.values.numpy(",".join(reversed(axes)))

    state = (flow.CenteredGrid(0, flow.ZERO_GRADIENT, box, **cells),
             flow.StaggeredGrid(0, flow.extrapolation.BOUNDARY, box, **cells), flow.CenteredGrid(0, 0, box, **cells))
    # A first step that is not compiled: PhiFlow keeps places of cells in its grids, and must not keep those of a trace.
    state = step(*state)
    if compiled:
        step = flow.math.jit_compile(step)
    for _ in range(1, warm_up):
        state = step(*state)
    values(state[0])
    begin = time.perf_counter()
    for _ in range(warm_up, steps - 1):
        state = step(*state)
    with flow.math.SolveTape() as solves:
        state = step(*state)
    density = values(state[0])
    seconds = time.perf_counter() - begin
    faces = {name: values(state[1].vector[axis]) for name, axis in zip("uvw", axes)}
    np.savez(file, rate=(steps - warm_up) / seconds, iterations=-1 if compiled else int(solves[0].iterations), density=density, **faces)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:6]), sys.argv[6])
