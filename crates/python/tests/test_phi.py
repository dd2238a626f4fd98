"""The pressure solve for PhiFlow against PhiFlow's own."""

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("phi", reason="PhiFlow is not installed: pip install phiflow")

from phi import math  # noqa: E402
from phi.field import StaggeredGrid, divergence  # noqa: E402
from phi.geom import Box, Sphere  # noqa: E402
from phi.math import Solve, extrapolation, spatial  # noqa: E402
from phi.physics import fluid  # noqa: E402
from sastrugi.phi import make_incompressible  # noqa: E402

CLOSED, OPEN, PERIODIC = extrapolation.ZERO, extrapolation.ZERO_GRADIENT, extrapolation.PERIODIC
SIDES = {
    "closed": CLOSED,
    "open": OPEN,
    "periodic": PERIODIC,
    "mixed": extrapolation.combine_sides(x=(CLOSED, OPEN), y=PERIODIC),
}


def velocity(sides, axes=2):
    sizes = {"x": 12, "y": 9, "z": 7}
    names = "xyz"[:axes]
    resolution = spatial(**{name: sizes[name] for name in names})
    bounds = Box(**{name: 0.5 * sizes[name] for name in names})

    def at(x):
        return math.sin(3.1 * x) + math.cos(1.7 * math.sum(x, "vector"))

    with math.precision(64):
        return StaggeredGrid(at, sides, bounds, resolution)


def faces(grid):
    return [grid.values[{"~vector": name}].native(list(grid.resolution.names)) for name in grid.resolution.names]


@pytest.mark.parametrize("axes", [2, 3])
@pytest.mark.parametrize("sides", SIDES)
@pytest.mark.parametrize("has_obstacle", [False, True])
def test_velocity_and_pressure_are_those_of_phiflow(axes, sides, has_obstacle):
    if sides == "mixed" and axes == 3:
        pytest.skip("the same sides as in 2-D")
    with math.precision(64):
        before = velocity(SIDES[sides], axes)
        centre = {"x": 3, "y": 2.2, "z": 1.8}
        obstacles = [Sphere(**{name: centre[name] for name in "xyz"[:axes]}, radius=1.1)] if has_obstacle else []
        ours, pressure = make_incompressible(before, obstacles)
        theirs, expected = fluid.make_incompressible(before, obstacles, Solve("CG", 1e-10, 1e-12, max_iterations=5000))
    assert ours.extrapolation == theirs.extrapolation and ours.values.shape == theirs.values.shape
    for own, other in zip(faces(ours), faces(theirs)):
        assert np.abs(own - other).max() < 1e-7
    # Control: the projection changes much.
    assert max(np.abs(own - other).max() for own, other in zip(faces(ours), faces(before))) > 0.1
    # In closed regions the pressure has a free constant, and PhiFlow gives obstacles another one.
    order = list(before.resolution.names)
    own, other = pressure.values.native(order), expected.values.native(order)
    fluid_cells = own != 0
    difference = (own - other)[fluid_cells]
    assert np.abs(difference - difference.mean()).max() < 1e-6 * np.abs(own).max()


def test_gradients_of_pytorch_pass_through():
    import phi.torch  # noqa: F401  (the back end must be known)
    import torch

    before = velocity(SIDES["mixed"])
    values = {
        name: torch.tensor(before.values[{"~vector": name}].native(["x", "y"]), requires_grad=True) for name in ("x", "y")
    }
    with math.precision(64):
        tensors = {name: math.wrap(value, spatial("x,y")) for name, value in values.items()}
        given = before.with_values(math.stack(tensors, math.dual("vector")))
        after, _ = make_incompressible(given)
        (faces(after)[0] ** 2).sum().backward()
    assert all(torch.isfinite(value.grad).all() for value in values.values())
    assert values["y"].grad.abs().max() > 1e-3


def test_other_grids_are_refused():
    grid = velocity(CLOSED)
    with pytest.raises(TypeError, match="StaggeredGrid"):
        make_incompressible(grid.at_centers())
    with pytest.raises(ValueError, match="square"):
        make_incompressible(StaggeredGrid(0, CLOSED, Box(x=1, y=2), spatial(x=4, y=4)))
    assert float(math.max(math.abs(divergence(make_incompressible(grid)[0]).values))) < 1e-5
