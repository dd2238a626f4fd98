"""The pressure solve for PhiFlow (https://github.com/tum-pbs/PhiFlow): `make_incompressible` on the Vulkan device.

It needs the packages `phiflow` and `torch`. Fields of NumPy and of PyTorch are supported; gradients of PyTorch pass through.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from phi import field, math
from phi.field import CenteredGrid
from phi.geom import union
from phi.math import extrapolation
from phi.physics import fluid

from ._pressure import poisson_of_outflow, without_gradient


def _sides(pressure: Any, names: Sequence[str]) -> dict[str, Any]:
    """The sides in terms of `sastrugi.torch`, from the extrapolation of the pressure."""
    words = {extrapolation.PERIODIC: "periodic", extrapolation.ZERO: "open", extrapolation.BOUNDARY: "closed"}

    def side(key: str) -> str:
        found = pressure._at_boundary(key) if hasattr(pressure, "ext") else pressure
        if found not in words:
            raise ValueError(f"a side with the pressure {found} is not supported")
        return words[found]

    return {name: (side(f"{name}-"), side(f"{name}+")) for name in names}


def make_incompressible(velocity: Any, obstacles: Any = (), *, rtol: float | None = None) -> tuple[Any, Any]:
    """As `phi.physics.fluid.make_incompressible`: the velocity without divergence, and the pressure.

    Args:
        velocity: a `StaggeredGrid` with square cells; each side is closed (a constant), open (`ZERO_GRADIENT`) or periodic.
        obstacles: `Obstacle` or `Geometry`, or several.
        rtol: relative tolerance; by default 1e-6, and 1e-11 for 64 bits.
    """
    if not velocity.is_grid or not velocity.is_staggered:
        raise TypeError("`velocity` is not a StaggeredGrid")
    names = velocity.resolution.names
    dx = [float(velocity.dx[name]) for name in names]
    if max(dx) > min(dx) * (1 + 1e-6):
        raise ValueError(f"cells are not square: their sides are {dx}")
    obstacles = list(obstacles) if isinstance(obstacles, (tuple, list)) else [obstacles]
    bounded = fluid.apply_boundary_conditions(velocity, obstacles) if obstacles else velocity
    batch = bounded.shape.batch
    pressure_sides = fluid._pressure_extrapolation(extrapolation.get_normal(velocity.extrapolation))
    sides = _sides(pressure_sides, names)
    axes = list(reversed(names))

    mask = torch.ones([velocity.resolution.get_size(name) for name in axes], dtype=torch.bool)
    if obstacles:
        solids = union([getattr(obstacle, "geometry", obstacle) for obstacle in obstacles])
        inside = solids.lies_inside(velocity.geometry.center)
        if inside.shape.batch:
            raise ValueError("obstacles that differ in a batch are not supported")
        mask = ~torch.as_tensor(math.convert(inside, math.NUMPY).native(axes))

    # All faces, also those of closed sides.
    baked = field.bake_extrapolation(bounded).values
    faces = []
    for dim, name in enumerate(names):
        native = baked[{"~vector": name}].native([batch, *axes])
        values = native if isinstance(native, torch.Tensor) else torch.as_tensor(native)
        count = velocity.resolution.get_size(name) + (sides[name][0] != "periodic")
        faces.append(values.narrow(-1 - dim, 0, count))
    is_torch = isinstance(native, torch.Tensor)
    p, domain = poisson_of_outflow(faces, mask, sides=dict(zip("xyz", sides.values())), rtol=rtol)

    def tensor(values: Any) -> Any:
        native = values if is_torch else values.numpy()
        return math.reshaped_tensor(native, [batch, *(math.spatial(name) for name in axes)], check_sizes=False, convert=False)

    components = {}
    for dim, (name, moved, (low, _)) in enumerate(zip(names, without_gradient(faces, p, domain), domain.axes)):
        # Without the faces of closed sides.
        keeps_low, keeps_high = velocity.extrapolation.valid_outer_faces(name)
        if low != "periodic":
            count = moved.shape[-1 - dim]
            first, end = (0 if keeps_low else 1), (count if keeps_high else count - 1)
            moved = moved.narrow(-1 - dim, first, end - first)
        components[name] = tensor(moved)
    stacked = math.stack(components, math.dual("vector"))
    pressure = CenteredGrid(tensor(p * dx[0]), pressure_sides, velocity.bounds)
    return velocity.with_values(stacked), pressure


__all__ = ["make_incompressible"]
