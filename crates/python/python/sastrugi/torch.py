"""Flows for PyTorch, with gradients: a Poisson solve, a projection, advection, and a step of smoke.

All functions run kernels on the Vulkan device, for the items of a batch in the same dispatches. Tensors of CUDA stay on their
device if Vulkan runs there, too; others are copied to the device and back. Axes are (..., nz, ny, nx) or (..., ny, nx), with leading axes for batches, and types float32 or float64. Velocities
are at faces: u has one more value along x than there are cells, v along y, w along z; along a periodic axis as many.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from ._advection import sample
from ._errors import DtypeError, ShapeError
from ._pressure import AIR, FLUID, SOLID, Sides, axes_of, poisson, project

_DIMS = (-1, -2, -3)
_TYPES = (torch.float32, torch.float64)


def _cells_of(velocity: Sequence[Tensor], periodic: tuple[bool, ...]) -> tuple[int, ...]:
    """The batch and the cells of velocities at faces."""
    first = velocity[0]
    if first.dtype not in _TYPES:
        raise DtypeError(f"tensors are of type float32 or float64, not {first.dtype}", "misuse")
    cells = list(first.shape)
    cells[-1] -= not periodic[0]
    for name, faces, wraps, dim in zip("uvw", velocity, periodic, _DIMS):
        wanted = list(cells)
        wanted[dim] += not wraps
        if list(faces.shape) != wanted:
            raise ShapeError(f"`{name}` has the shape {tuple(faces.shape)}, not {tuple(wanted)}", "misuse")
        if faces.dtype != first.dtype or faces.device != first.device:
            raise DtypeError(f"`{name}` is {faces.dtype} on {faces.device}, `u` {first.dtype} on {first.device}", "misuse")
    return tuple(cells)


def _to_centres(faces: Tensor, dim: int, wraps: bool) -> Tensor:
    """The means of both faces of each cell along an axis."""
    if wraps:
        return (faces + faces.roll(-1, dim)) / 2
    count = faces.shape[dim] - 1
    return (faces.narrow(dim, 0, count) + faces.narrow(dim, 1, count)) / 2


def _to_faces(centres: Tensor, dim: int, wraps: bool) -> Tensor:
    """The means of the cells on both sides of each face along an axis; at a border the value of the only cell."""
    if wraps:
        return (centres + centres.roll(1, dim)) / 2
    low, high = centres.narrow(dim, 0, 1), centres.narrow(dim, centres.shape[dim] - 1, 1)
    return (torch.cat([low, centres], dim) + torch.cat([centres, high], dim)) / 2


def _axis_of(at: str, axes: int) -> int | None:
    """The number of the axis across which values are at faces; None for centres."""
    places = ["centre", *(f"face_{axis}" for axis in "xyz"[:axes])]
    if at not in places:
        raise ValueError(f"`at` is one of {', '.join(places)}, not {at!r}")
    return places.index(at) - 1 if at != "centre" else None


def advect(
    field: Tensor,
    velocity: Sequence[Tensor],
    dt: float,
    *,
    at: str = "centre",
    sides: Sides = "closed",
    dx: float = 1.0,
) -> Tensor:
    """Semi-Lagrangian advection (Stam 1999, *Stable fluids*): the value of `field` at x - dt u(x), interpolated linearly.

    Args:
        field: values at centres of cells, or at faces as `at` says.
        velocity: (u, v, w) or (u, v) at faces, m/s if `dx` is in metres and `dt` in seconds.
        dt: time, s.
        at: ``"centre"``, ``"face_x"``, ``"face_y"`` or ``"face_z"``.
        sides: as for `project`; only ``"periodic"`` matters here. Beyond other sides, the values are those at the border.
        dx: side of a cell, m.

    Returns:
        the new values, in the shape of `field`. Solids are not treated: `field` should have a value in them.

    Gradients pass to `field`, by the transpose of the interpolation, and to the velocities. The gradient to `field` is summed
    in whole quanta with 64 bits: it has the same bits in each run, and resolves 2^-61 of the largest upstream value times the
    number of elements.
    """
    velocity = list(velocity)
    axes = len(velocity)
    if axes not in (2, 3):
        raise ShapeError(f"velocities are (u, v) or (u, v, w), not {axes} tensors", "misuse")
    periodic = tuple(low == "periodic" for low, _ in axes_of(sides, axes))
    wanted = list(_cells_of(velocity, periodic))
    own = _axis_of(at, axes)
    if own is not None:
        wanted[_DIMS[own]] += not periodic[own]
    if list(field.shape) != wanted:
        raise ShapeError(f"`field` has the shape {tuple(field.shape)}, not {tuple(wanted)}", "misuse")
    if field.dtype != velocity[0].dtype or field.device != velocity[0].device:
        raise DtypeError(
            f"`field` is {field.dtype} on {field.device}, `u` {velocity[0].dtype} on {velocity[0].device}", "misuse"
        )
    moves = []
    for axis, (faces, wraps) in enumerate(zip(velocity, periodic)):
        if axis != own:
            faces = _to_centres(faces, _DIMS[axis], wraps)
            if own is not None:
                faces = _to_faces(faces, _DIMS[own], periodic[own])
        moves.append(faces * (-dt / dx))
    return sample(field, torch.stack(moves), periodic)


def smoke_step(
    density: Tensor,
    velocity: Sequence[Tensor],
    dt: float,
    mask: Tensor,
    *,
    buoyancy: float | Tensor = 1.0,
    sides: Sides = "closed",
    dx: float = 1.0,
    rtol: float | None = None,
) -> tuple[Tensor, tuple[Tensor, ...]]:
    """A step of smoke, with gradients: advects density and velocity, adds buoyancy, and projects the velocity.

    Args:
        density: at centres of cells.
        velocity: (u, v, w) or (u, v) at faces, m/s.
        dt: length of the step, s.
        mask, sides, rtol: as for `project`.
        buoyancy: upward acceleration of density 1, m/s^2; up is along the last velocity (w, or v in 2-D).
        dx: side of a cell, m.

    Returns:
        the density and the velocities after the step.
    """
    velocity = list(velocity)
    axes = len(velocity)
    moved = [
        advect(faces, velocity, dt, at=f"face_{axis}", sides=sides, dx=dx) for axis, faces in zip("xyz", velocity)
    ]
    density = advect(density, velocity, dt, sides=sides, dx=dx)
    low, _ = axes_of(sides, axes)[-1]
    moved[-1] = moved[-1] + dt * buoyancy * _to_faces(density, _DIMS[axes - 1], low == "periodic")
    # Nothing flows through closed sides.
    for axis, (low, high) in enumerate(axes_of(sides, axes)):
        moved[axis] = _closed(moved[axis], _DIMS[axis], low == "closed", high == "closed")
    u, v, *w = moved
    return density, project(u, v, w[0] if w else None, mask, sides=sides, rtol=rtol)


def _closed(faces: Tensor, dim: int, low: bool, high: bool) -> Tensor:
    """Faces with velocity 0 at closed sides."""
    factor = torch.ones(faces.shape[dim], dtype=faces.dtype, device=faces.device)
    if low:
        factor[0] = 0
    if high:
        factor[-1] = 0
    return faces * factor.reshape([-1] + [1] * (-1 - dim))


__all__ = ["AIR", "FLUID", "SOLID", "advect", "poisson", "project", "smoke_step"]
