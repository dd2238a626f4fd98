"""Interpolation at displaced elements of a lattice, with gradients, on the Vulkan device."""

from __future__ import annotations

import threading
from importlib.resources import files
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ._kept import Kept
from ._simulation import load

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

    def __init__(self, shape: tuple[int, ...], periodic: tuple[bool, ...], dtype: torch.dtype, transposed: bool) -> None:
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
        self._stored = (1, *shape)[-3:]
        self._shape = shape
        self._sim = load(
            {
                "title": "Interpolation",
                "run": {"dt": 1},
                "grids": {"box": {"cells": list(reversed(self._stored)), "cell_size": 1, "channels": channels}},
                "step": step,
            },
            kernels={name: _kernel(name, element, periodic, scale) for name in used},
            name="interpolation",
        )

    def run(self, value: np.ndarray, moves: list[np.ndarray], upstream: np.ndarray | None = None) -> list[np.ndarray]:
        """The values at displaced elements; or the gradients with respect to values and displacements."""
        sim = self._sim
        with self._lock, _samplers.dropped_if_lost(self):
            given = {"value": value, **dict(zip(self._moves, moves))}
            if upstream is not None:
                given["upstream"] = upstream
            for name, array in given.items():
                sim[f"box.{name}"] = array.reshape(self._stored)
            sim.step()
            names = ["result", *(self._slopes if upstream is not None else [])]
            return [sim[f"box.{name}"].read().reshape(self._shape) for name in names]


_samplers: Kept[_Sampler] = Kept(_MAX_KEPT)


def _sampler(shape: tuple[int, ...], periodic: tuple[bool, ...], dtype: torch.dtype, transposed: bool) -> _Sampler:
    key = (shape, periodic, dtype, transposed)
    return _samplers.get(key, lambda: _Sampler(*key))


def _items(values: Tensor, axes: int) -> np.ndarray:
    """The lattices of a batch."""
    array: np.ndarray = values.detach().cpu().numpy()
    return array.reshape(-1, *array.shape[-axes:])


class _Sample(torch.autograd.Function):
    """Values at displaced elements: `moves` has an axis of displacements along x, y and z before those of `values`."""

    @staticmethod
    def forward(ctx: Any, values: Tensor, moves: Tensor, periodic: tuple[bool, ...]) -> Tensor:
        ctx.save_for_backward(values, moves)
        ctx.periodic = periodic
        axes = len(periodic)
        shape = tuple(values.shape[-axes:])
        sampler = _sampler(shape, periodic, values.dtype, False)
        by_axis = [_items(move, axes) for move in moves]
        found = [sampler.run(item, list(move))[0] for item, *move in zip(_items(values, axes), *by_axis)]
        return _batch(found, values)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, None]:
        values, moves = ctx.saved_tensors
        axes = len(ctx.periodic)
        sampler = _sampler(tuple(values.shape[-axes:]), ctx.periodic, values.dtype, True)
        by_axis = [_items(move, axes) for move in moves]
        found = []
        for item, upstream, *move in zip(_items(values, axes), _items(grad, axes), *by_axis):
            largest = float(np.abs(upstream).max(initial=0.0))
            if not np.isfinite(largest):
                raise ValueError("the gradient has values that are not finite")
            # A power of two, so that scaling does not round.
            unit = 2.0 ** np.frexp(largest)[1]
            results = sampler.run(item, list(move), (upstream / unit).astype(upstream.dtype))
            found.append([result * unit for result in results])
        columns = list(zip(*found)) or [()] * (1 + axes)
        of_values, *of_moves = (_batch(list(column), values) for column in columns)
        return of_values, torch.stack(of_moves), None


def _batch(items: list[np.ndarray], like: Tensor) -> Tensor:
    if not items:
        return torch.empty_like(like)
    stacked = np.stack(items).reshape(like.shape)
    return torch.from_numpy(stacked).to(device=like.device, dtype=like.dtype)


def sample(values: Tensor, moves: Tensor, periodic: tuple[bool, ...]) -> Tensor:
    """Linear interpolation of each lattice of a batch at its elements plus displacements.

    Args:
        values: shape ``(..., nz, ny, nx)`` or ``(..., ny, nx)``.
        moves: displacements along x, y and z in elements, shape ``(axes, ..., nz, ny, nx)``.
        periodic: along x, y and z.
    """
    found: Tensor = _Sample.apply(values, moves, periodic)
    return found
