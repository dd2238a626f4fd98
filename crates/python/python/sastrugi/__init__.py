"""Simulations that move particles over grids, on any Vulkan device, from pipelines written as data.

From a shipped pipeline to a picture::

    import sastrugi

    sim = sastrugi.load("smoke", set={"n": 24})
    sim.step(60)
    sim.frame().save("smoke.png")

`load` makes a `Simulation`, whose fields are arrays; `run` writes the files of a whole run; `check` finds mistakes
without a device. `sastrugi.torch` has a pressure solve and a projection with gradients. The documentation is in
docs/python.md; docs/spec.md has every key of a pipeline, docs/writing-a-stage.md the interface of kernels.
"""

from __future__ import annotations

from typing import NamedTuple

from . import _native
from ._errors import (
    BusyError,
    ClosedError,
    DeviceError,
    DtypeError,
    Error,
    FaultError,
    FieldError,
    PipelineError,
    ShapeError,
)
from ._field import Field
from ._native import __version__
from ._parameters import Parameters
from ._picture import Picture
from ._run import Film, Run, run
from ._simulation import Fields, Simulation, check, load


class Device(NamedTuple):
    """A Vulkan device."""

    name: str
    driver: str
    #: Size of its largest memory, bytes.
    memory: int
    #: False if it lacks a feature that simulations need; ``sastrugi devices`` names it.
    usable: bool


def devices() -> list[Device]:
    """Every Vulkan device; `load` takes its index in this list, or a part of its name."""
    return [Device(*facts) for facts in _native.devices()]


def pipelines() -> dict[str, str]:
    """The shipped pipelines: titles by names."""
    return dict(_native.pipelines())


def text(name: str) -> str:
    """The text of a shipped pipeline (``"smoke"``), module (``"projection"``) or kernel (``"flow/advect.comp"``)."""
    found = _native.text(name)
    if found is None:
        raise FieldError(
            f"nothing that comes with Sastrugi is called `{name}`\n  help: `sastrugi.pipelines()` lists pipelines", "misuse"
        )
    return found


__all__ = [
    "BusyError",
    "ClosedError",
    "Device",
    "DeviceError",
    "DtypeError",
    "Error",
    "FaultError",
    "Field",
    "FieldError",
    "Fields",
    "Film",
    "Parameters",
    "Picture",
    "PipelineError",
    "Run",
    "ShapeError",
    "Simulation",
    "__version__",
    "check",
    "devices",
    "load",
    "pipelines",
    "run",
    "text",
]
