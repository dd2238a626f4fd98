#!/usr/bin/env python3
"""The scene of mpm.json in Taichi: the same scene in plain code for another framework.

    python3 -m venv /somewhere/taichi && /somewhere/taichi/bin/pip install taichi==1.7.4
    /somewhere/taichi/bin/python benches/peers/taichi_mpm.py --particles 100000 --grid 64 --backend cpu

MLS-MPM in three dimensions (Hu et al. 2018, "A moving least squares material point method", equations 17 to 21), quadratic
B-splines, APIC (Jiang et al. 2015), weakly compressible water (Tait's equation of state, no tension), 32-bit floats, sums
by float atomics, Taichi's defaults otherwise. Particles are at random in a cube of 40 % of the box per side and fall;
they are not sorted. Prints particle-steps per second, the median of several batches of steps after a warm-up. Then checks
itself: all nodes together have the mass of all particles, and water that has touched nothing has the momentum that gravity
gave it.
"""

import argparse
import statistics
import sys
import time

import numpy as np
import taichi as ti

DENSITY = 1000.0  # kg/m3
BULK = 144000.0  # Pa
GAMMA = 7.0
GRAVITY = -9.81  # m/s2
COURANT = 0.4  # cells that sound goes in a step
WALL = 3  # cells beside each side of the box that nothing enters

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--particles", type=int, default=100_000)
parser.add_argument("--grid", type=int, default=64, help="cells along each side of a box of 1 m")
parser.add_argument("--steps", type=int, default=50, help="steps of a batch")
parser.add_argument("--batches", type=int, default=5)
parser.add_argument("--warm-up", type=int, default=20, help="steps before the first batch")
parser.add_argument("--backend", choices=["cpu", "cuda"], default="cpu")
parser.add_argument("--threads", type=int, default=0, help="of the CPU; 0: all")
parser.add_argument("--rate-only", action="store_true", help="last line: the rate, a bare number")
options = parser.parse_args()

more = {"cpu_max_num_threads": options.threads} if options.threads else {}
ti.init(arch={"cpu": ti.cpu, "cuda": ti.cuda}[options.backend], default_fp=ti.f32, log_level=ti.ERROR, **more)

count, n = options.particles, options.grid
dx = 1.0 / n
dt = COURANT * dx / (BULK / DENSITY) ** 0.5

# Every particle has mass 1: only forces per mass matter.
position = ti.Vector.field(3, ti.f32, count)
velocity = ti.Vector.field(3, ti.f32, count)
affine = ti.Matrix.field(3, 3, ti.f32, count)
volume = ti.field(ti.f32, count)  # over that at rest
node_velocity = ti.Vector.field(3, ti.f32, (n, n, n))  # momentum before move_nodes
node_mass = ti.field(ti.f32, (n, n, n))


@ti.func
def spline(at):
    """Lowest node of a place in cells (node i lies at i + 1/2), the way from it, and weights of three nodes an axis."""
    base = ti.cast(ti.floor(at - 1.0), ti.i32)
    offset = at - 0.5 - ti.cast(base, ti.f32)
    weights = [0.5 * (1.5 - offset) ** 2, 0.75 - (offset - 1.0) ** 2, 0.5 * (offset - 0.5) ** 2]
    return base, offset, weights


@ti.kernel
def clear_nodes():
    for i in ti.grouped(node_mass):
        node_mass[i] = 0.0
        node_velocity[i] = ti.Vector([0.0, 0.0, 0.0])


@ti.kernel
def particles_to_grid():
    for p in position:
        j = ti.min(ti.max(volume[p] * (1.0 + dt * affine[p].trace()), 0.5), 1.0)
        volume[p] = j
        pressure = BULK / (DENSITY * GAMMA) * (j ** (-GAMMA) - 1.0)
        # The stress over the density is -pressure j I.
        q = affine[p] + (dt * 4.0 / (dx * dx) * pressure * j) * ti.Matrix.identity(ti.f32, 3)
        base, offset, w = spline(position[p] * n)
        for k in ti.static(ti.grouped(ti.ndrange(3, 3, 3))):
            weight = w[k[0]][0] * w[k[1]][1] * w[k[2]][2]
            way = (ti.cast(k, ti.f32) - offset) * dx
            node_velocity[base + k] += weight * (velocity[p] + q @ way)
            node_mass[base + k] += weight


@ti.kernel
def move_nodes():
    for i in ti.grouped(node_mass):
        if node_mass[i] > 0.0:
            v = node_velocity[i] / node_mass[i]
            v[2] += dt * GRAVITY
            for axis in ti.static(range(3)):
                if i[axis] < WALL:
                    v[axis] = ti.max(v[axis], 0.0)
                if i[axis] >= n - WALL:
                    v[axis] = ti.min(v[axis], 0.0)
            node_velocity[i] = v


@ti.kernel
def grid_to_particles():
    for p in position:
        base, offset, w = spline(position[p] * n)
        v = ti.Vector([0.0, 0.0, 0.0])
        c = ti.Matrix.zero(ti.f32, 3, 3)
        for k in ti.static(ti.grouped(ti.ndrange(3, 3, 3))):
            weight = w[k[0]][0] * w[k[1]][1] * w[k[2]][2]
            weighted = weight * node_velocity[base + k]
            v += weighted
            c += (4.0 / dx) * weighted.outer_product(ti.cast(k, ti.f32) - offset)
        velocity[p] = v
        affine[p] = c
        # Where all 27 nodes are in the grid.
        position[p] = ti.min(ti.max(position[p] + dt * v, 1.001 * dx), (n - 1.001) * dx)


def run(steps):
    for _ in range(steps):
        clear_nodes()
        particles_to_grid()
        move_nodes()
        grid_to_particles()


def start():
    places = 0.3 + 0.4 * np.random.default_rng(1).random((count, 3), dtype=np.float32)
    position.from_numpy(places)
    velocity.fill(0.0)
    affine.fill(0.0)
    volume.fill(1.0)


def check():
    """Messages about failed checks; empty if the method is correct."""
    start()
    # A few steps into the fall, far above the floor, of water that pushes itself apart.
    volume.fill(0.98)
    steps = 10
    run(steps)
    mass = node_mass.to_numpy().sum(dtype=np.float64) / count
    momentum = velocity.to_numpy().mean(axis=0, dtype=np.float64)
    expected = np.array([0.0, 0.0, GRAVITY * dt * steps])
    found = []
    # Sums of floats, some hundred to a node and ten steps of them: 1e-5 is a hundred roundings.
    if not abs(mass - 1.0) < 1e-5:
        found.append(f"nodes have {mass} of the mass")
    if not np.abs(momentum - expected).max() < 1e-3 * abs(expected[2]):
        found.append(f"mean velocity {momentum} m/s, not {expected}")
    if not 0.985 < volume.to_numpy().mean(dtype=np.float64) < 1.0:
        found.append("pressure does not push water apart")
    return found


found = check()
if found:
    sys.exit("; ".join(found))
start()
run(options.warm_up)
ti.sync()
rates = []
for _ in range(options.batches):
    begin = time.perf_counter()
    run(options.steps)
    ti.sync()
    rates.append(count * options.steps / (time.perf_counter() - begin))
if not np.isfinite(position.to_numpy()).all():
    sys.exit("a place is not a number")
version = ".".join(str(part) for part in ti.__version__)
rate = statistics.median(rates)
if options.rate_only:
    print(f"{rate:.6g}")
else:
    print(f"taichi {version}, {options.backend}: {rate / 1e6:.2f} M particle-steps/s "
          f"({min(rates) / 1e6:.2f} to {max(rates) / 1e6:.2f}); {count} particles, {n}^3 nodes")
