"""Interpolation at displaced elements of a lattice, with gradients, on the Vulkan device."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ._exchange import Exchange, count_of, parts, place_of
from ._kept import Kept

_TYPES = {torch.float32: "float", torch.float64: "double"}
_MAX_KEPT = 16
_AXES = "xyz"


def _kernel(name: str, element: str, periodic: tuple[bool, ...], scale: float) -> str:
    kernels = files(__package__) / "kernels"
    borders = ", ".join(str(wraps).lower() for wraps in (*periodic, False)[:3])
    return "\n".join(
        [
            "#version 460",
            '#include "stage.glsl"',
            f"#define REAL {element}",
            f"#define AXES {len(periodic)}",
            f"#define SCALE {scale!r}",
            f"const bvec3 PERIODIC = bvec3({borders});",
            (kernels / "linear.glsl").read_text() if name != "total.comp" else "",
            (kernels / name).read_text(),
        ]
    )


class _Sampler:
    """The interpolation for lattices of one shape, or its transpose."""

    def __init__(
        self,
        shape: tuple[int, ...],
        periodic: tuple[bool, ...],
        dtype: torch.dtype,
        transposed: bool,
        count: int,
        place: int | None,
    ) -> None:
        element, axes = _TYPES[dtype], len(shape)
        # The quanta of the largest sum fit 62 bits.
        scale = 2.0 ** (61 - int(np.prod(shape)).bit_length())
        moves, slopes = ([f"{kind}_{axis}" for axis in _AXES[:axes]] for kind in ("move", "slope"))
        names = ["value", "result", *moves] + (["upstream", *slopes] if transposed else [])
        channels = {name: {"type": element, "background": 0} for name in names}
        if transposed:
            channels |= {name: {"type": "uint", "background": 0} for name in ("low", "high")}

        def stage(name: str, reads: list[str], writes: list[str]) -> dict[str, Any]:
            reads, writes = ([f"box.{one}" for one in names] for names in (reads, writes))
            return {"stage": name, "shader": f"{name}.comp", "over": "box", "reads": reads, "writes": writes}

        if transposed:
            step = [
                {"set": "box.low", "to": 0},
                {"set": "box.high", "to": 0},
                stage("adjoint", ["value", "upstream", *moves, "low", "high"], [*slopes, "low", "high"]),
                stage("total", ["low", "high"], ["result"]),
            ]
        else:
            step = [stage("sample", ["value", *moves], ["result"])]
        used = ("adjoint.comp", "total.comp") if transposed else ("sample.comp",)
        self._lock = threading.Lock()
        self._moves, self._slopes = moves, slopes
        # A plane is a grid of one layer.
        stored = (1, *shape)[-3:]
        spec = {
            "title": "Interpolation",
            "run": {"dt": 1},
            "grids": {"box": {"cells": list(reversed(stored)), "cell_size": 1, "channels": channels}},
            "step": step,
        }
        kernels = {name: _kernel(name, element, periodic, scale) for name in used}
        self._device = Exchange(spec, count, place, kernels=kernels, name="interpolation")

    def run(self, value: Tensor, moves: Sequence[Tensor], upstream: Tensor | None = None) -> list[Tensor]:
        """The values of a batch at displaced elements; or the gradients with respect to values and displacements."""
        device = self._device
        with self._lock, _samplers.dropped_if_lost(self):
            given = {"value": value, **dict(zip(self._moves, moves))}
            if upstream is not None:
                given["upstream"] = upstream
            for name, tensor in given.items():
                device.write(f"box.{name}", tensor)
            device.sim.step()
            names = ["result", *(self._slopes if upstream is not None else [])]
            return [device.read(f"box.{name}", value) for name in names]


_samplers: Kept[_Sampler] = Kept(_MAX_KEPT)


def _sampler(part: Tensor, periodic: tuple[bool, ...], transposed: bool) -> _Sampler:
    key = (tuple(part.shape[1:]), periodic, part.dtype, transposed, count_of(len(part)), place_of(part.device))
    return _samplers.get(key, lambda: _Sampler(*key))


def _items(values: Tensor, axes: int) -> Tensor:
    """The lattices of a batch."""
    return values.detach().reshape(-1, *values.shape[-axes:])


class _Sample(torch.autograd.Function):
    """Values at displaced elements: `moves` has an axis of displacements along x, y and z before those of `values`."""

    @staticmethod
    def forward(ctx: Any, values: Tensor, moves: Tensor, periodic: tuple[bool, ...]) -> Tensor:
        ctx.save_for_backward(values, moves)
        ctx.periodic = periodic
        axes = len(periodic)
        by_axis = [_items(move, axes) for move in moves]
        found = [
            _sampler(items, periodic, False).run(items, move)[0]
            for items, *move in parts(_items(values, axes), *by_axis)
            if len(items)
        ]
        return torch.cat(found).reshape(values.shape) if found else torch.zeros_like(values)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, None]:
        values, moves = ctx.saved_tensors
        axes = len(ctx.periodic)
        by_axis = [_items(move, axes) for move in moves]
        found = []
        for items, upstream, *move in parts(_items(values, axes), _items(grad, axes), *by_axis):
            if not len(items):
                return torch.zeros_like(values), torch.zeros_like(moves), None
            largest = upstream.abs().flatten(1).amax(1)
            if not bool(torch.isfinite(largest).all()):
                raise ValueError("the gradient has values that are not finite")
            # Powers of two, so that scaling does not round.
            unit = torch.exp2(torch.frexp(largest).exponent.to(upstream.dtype)).reshape(-1, *[1] * axes)
            results = _sampler(items, ctx.periodic, True).run(items, move, upstream / unit)
            found.append([result * unit for result in results])
        of_values, *of_moves = (torch.cat(column).reshape(values.shape) for column in zip(*found))
        return of_values, torch.stack(of_moves), None


def sample(values: Tensor, moves: Tensor, periodic: tuple[bool, ...]) -> Tensor:
    """Linear interpolation of each lattice of a batch at its elements plus displacements.

    Args:
        values: shape ``(..., nz, ny, nx)`` or ``(..., ny, nx)``.
        moves: displacements along x, y and z in elements, shape ``(axes, ..., nz, ny, nx)``.
        periodic: along x, y and z.
    """
    found: Tensor = _Sample.apply(values, moves, periodic)
    return found
