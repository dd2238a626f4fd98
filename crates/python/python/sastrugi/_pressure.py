"""A Poisson solve and a projection with gradients, for `sastrugi.torch`.

The solver is `modules/pressure_solver.json`: conjugate gradients with a multigrid cycle on the Vulkan device
(docs/pressure.md). Items of a batch are worlds of one simulation. Tensors of CUDA stay on their device if Vulkan runs there,
too; others are copied to the device and back.
"""

from __future__ import annotations

import threading
import warnings
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, Union

import numpy as np
import torch
from torch import Tensor

from ._errors import DtypeError, ShapeError
from ._exchange import Exchange, count_of, parts, place_of
from ._kept import Kept

#: Cells of `mask`: fluid has an unknown pressure, air has pressure 0, and nothing flows into a solid.
FLUID, AIR, SOLID = 0, 1, 2

#: Both sides of an axis, or its low and its high side.
Side = Union[str, Sequence[str]]
#: One for all axes, or by axis: ``{"x": "periodic", "y": ("closed", "open")}``. Missing axes are closed.
Sides = Union[str, Mapping[str, Side]]

_WORDS = ("closed", "open", "periodic")
#: Solvers that stay on the device.
_MAX_KEPT = 8
#: |b - A p| / |b| that ends a solve, for 32 and 64 bits.
_TOLERANCES = {torch.float32: 1e-6, torch.float64: 1e-11}
#: Rounds of a solve in 64 bits; each gains several digits.
_MAX_ROUNDS = 10
#: A solve warns beyond this multiple of its tolerance: rounding may end it somewhat above.
_UNSOLVED = 100


def axes_of(sides: Sides, axes: int) -> tuple[tuple[str, str], ...]:
    """The low and the high side along x, y and z."""
    names = "xyz"[:axes]
    given: Mapping[str, Side] = {name: sides for name in names} if isinstance(sides, str) else sides
    unknown = set(given) - set(names)
    if unknown:
        raise ValueError(f"`sides` has no axis {sorted(unknown)}: the axes are {', '.join(names)}")
    found = []
    for name in names:
        side = given.get(name, "closed")
        low, high = (side, side) if isinstance(side, str) else tuple(side)
        if low not in _WORDS or high not in _WORDS or (low == "periodic") != (high == "periodic"):
            raise ValueError(
                f'the sides along {name} are {(low, high)}: each is "closed" or "open", or both are "periodic"'
            )
        found.append((low, high))
    return tuple(found)


class Domain:
    """The cells of a mask and the sides of the domain, for tensors of one device."""

    def __init__(self, mask: Tensor, axes: tuple[tuple[str, str], ...], device: torch.device) -> None:
        self._mask = mask.detach().clone()
        self.axes = axes
        self.device = device
        #: The types of cells.
        self.cells = _cells(mask)
        #: True in cells of fluid.
        self.fluid = torch.from_numpy(self.cells == FLUID).to(device)
        #: By axis, True for open faces.
        self.open = [
            torch.from_numpy(_open_faces(self.cells, -1 - axis, low, high)).to(device)
            for axis, (low, high) in enumerate(axes)
        ]

    def is_of(self, mask: Tensor, axes: tuple[tuple[str, str], ...], device: torch.device) -> bool:
        """The domain is that of these arguments."""
        own = self._mask
        return (
            (axes, device, mask.dtype, mask.device) == (self.axes, self.device, own.dtype, own.device)
            and mask.shape == own.shape
            and torch.equal(mask, own)
        )


#: The last domains, so that their tensors are not computed and copied in every call.
_domains: deque[Domain] = deque(maxlen=_MAX_KEPT)


def _domain(mask: Tensor, sides: Sides, device: torch.device) -> Domain:
    axes = axes_of(sides, mask.dim())
    for known in list(_domains):
        if known.is_of(mask, axes, device):
            return known
    made = Domain(mask, axes, device)
    _domains.append(made)
    return made


class _Solver:
    """The pressure equation of one shape on the device, for batches of a size."""

    def __init__(self, shape: tuple[int, ...], sides: tuple[tuple[str, str], ...], rtol: float, count: int, place: int | None):
        self._lock = threading.Lock()
        self._sides = sides
        self._rtol = rtol
        self._device = Exchange(_pipeline(shape, sides, rtol), count, place, name="poisson")
        #: The domain whose cells are on the device.
        self._domain: Domain | None = None
        #: The number of the closed region of each cell, from 1; 0 in other cells.
        self._closed = np.zeros(shape, np.int64)
        #: The number of cells of each region.
        self._counts = np.ones(1, np.int64)

    def solve(self, b: Tensor, domain: Domain) -> Tensor:
        """p with A p = b in cells of fluid, 0 in others, for each item of a batch: the pseudo-inverse in regions without
        contact to air."""
        with self._lock, _solvers.dropped_if_lost(self):
            self._set_cells(domain)
            b = torch.where(domain.fluid, b, 0)
            if b.dtype == torch.float32:
                p, residual = self._on_device(b)
                p = torch.where(domain.fluid, p, 0)
            else:
                solved = [self._refined(item, domain) for item in b.cpu().numpy()]
                p = torch.from_numpy(np.stack([p for p, _ in solved])).to(b.device)
                residual = max(residual for _, residual in solved)
        if not residual <= _UNSOLVED * self._rtol:
            warnings.warn(f"the pressure solve ended at |b - A p| = {residual:.2g} |b|", RuntimeWarning, stacklevel=5)
        return p

    def _set_cells(self, domain: Domain) -> None:
        if domain is self._domain:
            return
        self._domain = None
        sim = self._device.sim
        sim["box.cell_type"] = domain.cells
        sim["changed"] = 1
        self._on_device(torch.zeros((1, *domain.cells.shape), device=domain.device))
        sim["changed"] = 0
        # Each cell has the root of its region, and the root the number of its cells; the highest bit marks contact to air.
        region, sizes = sim["solver.grid.region"][0], sim["solver.grid.region_cells"][0]
        roots = region[(sizes != 0) & (sizes < 1 << 31)]
        self._closed = np.searchsorted(np.sort(roots), region, side="right") * np.isin(region, roots)
        self._counts = np.maximum(np.bincount(self._closed.reshape(-1), minlength=len(roots) + 1), 1)
        self._domain = domain

    def _on_device(self, b: Tensor) -> tuple[Tensor, float]:
        """The solutions in 32 bits, and their largest relative residual."""
        device = self._device
        device.write("box.b", b)
        device.sim.step()
        return device.read("box.p", b), float(device.sim["solver.residual"][: len(b)].max(initial=0.0))

    def _refined(self, b: np.ndarray, domain: Domain) -> tuple[np.ndarray, float]:
        """The solution in 64 bits: each round solves for the residual in 32 bits (Wilkinson 1963, *Rounding errors in
        algebraic processes*)."""
        b = self._without_means(b)
        fluid = domain.cells == FLUID
        p, rest, residual = np.zeros_like(b), b, 1.0
        norm = np.linalg.norm(b)
        if norm == 0:
            return p, 0.0
        for _ in range(_MAX_ROUNDS):
            # In the range of 32 bits.
            scale = np.abs(rest).max()
            scaled = torch.from_numpy((rest / scale).astype(np.float32))
            correction = self._on_device(scaled[None])[0][0].numpy()
            better = self._without_means(np.where(fluid, p + scale * correction, 0))
            rest = self._without_means(np.where(fluid, b - _times_matrix(better, domain), 0))
            before, residual = residual, float(np.linalg.norm(rest) / norm)
            if residual > before:
                return p, before
            p = better
            if residual <= self._rtol or residual > before / 2:
                break
        return p, residual

    def _without_means(self, values: np.ndarray) -> np.ndarray:
        """Values less their mean in each closed region."""
        sums = np.bincount(self._closed.reshape(-1), values.reshape(-1), len(self._counts))
        means = sums / self._counts
        means[0] = 0
        found: np.ndarray = values - means[self._closed]
        return found


def _times_matrix(p: np.ndarray, domain: Domain) -> np.ndarray:
    values = torch.from_numpy(p)
    total = torch.zeros_like(values)
    for axis, ((low, _), is_open) in enumerate(zip(domain.axes, domain.open)):
        flow = torch.where(is_open.cpu(), difference(values, -1 - axis, low == "periodic"), 0)
        total -= _outflow(flow, -1 - axis, low == "periodic")
    return total.numpy()


def _pipeline(shape: tuple[int, ...], sides: tuple[tuple[str, str], ...], rtol: float) -> dict[str, Any]:
    closed = ("closed", "closed")
    of_axes = [*sides, *[closed] * (3 - len(sides))]
    channels = {"p": "float", "b": "float", "cell_type": "uint", "faces": "uint"}
    return {
        "title": "The pressure equation of a tensor",
        "run": {"dt": 1},
        "use": {
            "solver": {
                "module": "modules/pressure_solver.json",
                "roles": {"grid": "box"},
                "parameters": {
                    "sides": {"low": [low for low, _ in of_axes], "high": [high for _, high in of_axes]},
                    "rtol": max(rtol, _TOLERANCES[torch.float32]),
                },
            }
        },
        "grids": {
            "box": {
                "cells": list(reversed(shape)),
                "cell_size": 1,
                "levels": "all",
                "channels": {name: {"type": kind, "background": 0} for name, kind in channels.items()},
            }
        },
        "buffers": {"changed": {"type": "uint", "length": 1, "background": 1}},
        "step": [
            {
                "repeat": "once",
                "over": 1,
                "while": "changed",
                "on_max_iterations": "continue",
                "stages": ["solver.mask"],
            },
            "solver.solve",
        ],
    }


_solvers: Kept[_Solver] = Kept(_MAX_KEPT)


class _Equation:
    """The pressure equation of one domain, for batches of any size."""

    def __init__(self, domain: Domain, rtol: float) -> None:
        self._domain = domain
        self._key = (domain.cells.shape, domain.axes, rtol)

    def solve(self, b: Tensor) -> Tensor:
        """The solutions of a batch: items of 32 bits in the same dispatches, of 64 bits one by one on the host."""
        if not bool(torch.isfinite(b).all()):
            raise ValueError("the right-hand side has values that are not finite")
        batch = b.detach().reshape(-1, *self._domain.cells.shape)
        solved = [self._solver(part).solve(part, self._domain) for [part] in parts(batch) if len(part)]
        return torch.cat(solved).reshape(b.shape).to(b.dtype) if solved else torch.zeros_like(b)

    def _solver(self, part: Tensor) -> _Solver:
        is_single = part.dtype == torch.float32
        count = count_of(len(part)) if is_single else 1
        key = (*self._key, count, place_of(part.device) if is_single else None)
        return _solvers.get(key, lambda: _Solver(*key))


class _Poisson(torch.autograd.Function):
    """The solution of A p = b. A is symmetric, so the gradient is a solve, too."""

    @staticmethod
    def forward(ctx: Any, b: Tensor, equation: _Equation) -> Tensor:
        ctx.equation = equation
        return equation.solve(b)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        return _solved(grad, ctx.equation), None


def _solved(b: Tensor, equation: _Equation) -> Tensor:
    found: Tensor = _Poisson.apply(b, equation)
    return found


def _cells(mask: Tensor) -> np.ndarray:
    """The types of cells."""
    if mask.dim() not in (2, 3):
        raise ShapeError(f"`mask` has the shape (nz, ny, nx) or (ny, nx), not {tuple(mask.shape)}", "misuse")
    if mask.dtype == torch.bool:
        mask = torch.where(mask, FLUID, SOLID)
    elif mask.is_floating_point() or mask.is_complex() or mask.numel() and not 0 <= mask.min() <= mask.max() <= SOLID:
        raise DtypeError(
            "`mask` is True for fluid and False for solids, or has the numbers 0 (fluid), 1 (air) and 2 (solid)", "misuse"
        )
    cells: np.ndarray = mask.detach().cpu().numpy().astype(np.uint32)
    return cells


def _prepared(values: Tensor, mask: Tensor, sides: Sides, rtol: float | None) -> tuple[Domain, _Equation]:
    """The domain and its equation."""
    if values.dtype not in _TOLERANCES:
        raise DtypeError(f"tensors are of type float32 or float64, not {values.dtype}", "misuse")
    domain = _domain(mask, sides, values.device)
    return domain, _Equation(domain, _TOLERANCES[values.dtype] if rtol is None else float(rtol))


def poisson(
    rhs: Tensor, mask: Tensor, *, sides: Sides = "closed", dx: float = 1.0, rtol: float | None = None
) -> Tensor:
    """Solves laplace(p) = rhs in the cells of fluid.

    Args:
        rhs: right-hand side, shape ``(..., nz, ny, nx)`` or ``(..., ny, nx)``, float32 or float64; each item of a batch
            is solved separately. Its unit is that of p per square metre, if `dx` is in metres.
        mask: cells, shape ``(nz, ny, nx)`` or ``(ny, nx)``: True for fluid, False for solids; or 0 for fluid, 1 for air with
            p = 0, and 2 for solids with a normal derivative of 0.
        sides: ``"closed"`` (normal derivative 0), ``"open"`` (p = 0 at half a cell beyond) or ``"periodic"``; for all sides, or
            by axis: ``{"x": "periodic", "y": ("closed", "open")}``.
        dx: side of a cell.
        rtol: relative residual that ends a solve; by default 1e-6, and 1e-11 for float64.

    Returns:
        p in the shape of `rhs`, 0 outside of fluid. In a region of fluid without contact to air or open sides, the mean of
        `rhs` is ignored and p has the mean 0.

    Its gradient is a solve with the same matrix. float64 takes several solves on the device, each for the
    residual of the previous ones, which the host computes in 64 bits.
    """
    domain, equation = _prepared(rhs, mask, sides, rtol)
    cells = domain.cells
    if rhs.shape[-cells.ndim :] != cells.shape:
        raise ShapeError(f"`rhs` of shape {tuple(rhs.shape)} does not end with the shape {cells.shape} of `mask`", "misuse")
    # The equation has A = -dx^2 laplace.
    return _solved(-(dx**2) * rhs, equation)


def difference(p: Tensor, dim: int, periodic: bool) -> Tensor:
    """The value above each face minus the one below it; 0 is beyond the domain."""
    if periodic:
        return p - p.roll(1, dim)
    edge = torch.zeros_like(p.narrow(dim, 0, 1))
    return torch.cat([p, edge], dim) - torch.cat([edge, p], dim)


def _open_faces(cells: np.ndarray, dim: int, low: str, high: str) -> np.ndarray:
    """1 for faces along an axis that are open: no solid touches them, nor a closed side."""
    free = cells != SOLID
    if low == "periodic":
        return free & np.roll(free, 1, dim)
    edge = np.ones_like(free.take([0], dim))
    above = np.concatenate([free, edge & (high == "open")], dim)
    below = np.concatenate([edge & (low == "open"), free], dim)
    return above & below


def _outflow(faces: Tensor, dim: int, periodic: bool) -> Tensor:
    """The value at the high face of each cell minus that at its low face."""
    if periodic:
        return faces.roll(-1, dim) - faces
    count = faces.shape[dim] - 1
    return faces.narrow(dim, 1, count) - faces.narrow(dim, 0, count)


def project(
    u: Tensor,
    v: Tensor,
    w: Tensor | None,
    mask: Tensor,
    *,
    sides: Sides = "closed",
    rtol: float | None = None,
) -> tuple[Tensor, ...]:
    """Projects velocities at faces onto velocities without divergence, as `modules/projection.json` does.

    Args:
        u, v, w: velocities across the faces of cells: ``(..., nz, ny, nx + 1)``, ``(..., nz, ny + 1, nx)`` and
            ``(..., nz + 1, ny, nx)``; along a periodic axis there are as many faces as cells, and face 0 is also the last.
            In 2-D, w is ``None`` and the others have no z.
        mask, sides, rtol: as for `poisson`.

    Returns:
        the projected (u, v, w), or (u, v) in 2-D. Faces of solids and of closed sides keep their velocity, which counts as
        inflow. In a closed region, the mean of the inflow remains as divergence.

    Gradients of all three pass through one solve.
    """
    given = [u, v] if w is None else [u, v, w]
    p, domain = poisson_of_outflow(given, mask, sides=sides, rtol=rtol)
    return tuple(without_gradient(given, p, domain))


def without_gradient(given: list[Tensor], p: Tensor, domain: Domain) -> list[Tensor]:
    """Velocities at faces minus the differences of the pressure, at open faces."""
    return [
        values - torch.where(is_open, difference(p, -1 - axis, low == "periodic"), 0)
        for axis, (values, is_open, (low, _)) in enumerate(zip(given, domain.open, domain.axes))
    ]


def poisson_of_outflow(
    given: list[Tensor], mask: Tensor, *, sides: Sides, rtol: float | None
) -> tuple[Tensor, Domain]:
    """The pressure whose differences make velocities at faces free of divergence, and the domain."""
    u = given[0]
    domain, equation = _prepared(u, mask, sides, rtol)
    cells, axes = domain.cells, domain.axes
    if len(given) != cells.ndim:
        raise ShapeError(f"`mask` has {cells.ndim} axes, but there are {len(given)} velocities", "misuse")
    for name, values, (low, _), dim in zip("uvw", given, axes, (-1, -2, -3)):
        shape = list(cells.shape)
        shape[dim] += low != "periodic"
        if list(values.shape[-cells.ndim :]) != shape or values.shape[: -cells.ndim] != u.shape[: -cells.ndim]:
            wanted = (*u.shape[: -cells.ndim], *shape)
            raise ShapeError(f"`{name}` has the shape {tuple(values.shape)}, not {wanted}", "misuse")
        if values.dtype != u.dtype or values.device != u.device:
            raise DtypeError(f"`{name}` is {values.dtype} on {values.device}, `u` {u.dtype} on {u.device}", "misuse")
    flows = [_outflow(values, dim, low == "periodic") for values, (low, _), dim in zip(given, axes, (-1, -2, -3))]
    outflow = torch.where(domain.fluid, sum(flows[1:], flows[0]), 0)
    return _solved(-outflow, equation), domain
