"""Simulations, step by step in memory."""

from __future__ import annotations

import operator
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from types import TracebackType
from typing import Any

import numpy as np

from . import _native
from ._errors import BusyError, Error, unknown
from ._field import Field
from ._parameters import Parameters
from ._picture import Picture
from ._spec import Spec, Worlds, request


class Fields(Mapping[str, Field]):
    """The fields of a simulation by name: channels of grids, attributes of particles, and buffers."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._fields: dict[str, Field] = {}
        self._refresh()

    def _refresh(self) -> None:
        """Adds the fields of groups that have become callable."""
        for facts in self._simulation._native.fields():
            if facts["name"] not in self._fields:
                self._fields[facts["name"]] = Field(self._simulation, facts)

    def __getitem__(self, name: str) -> Field:
        try:
            return self._fields[name]
        except (KeyError, TypeError):
            raise unknown("a field", name, list(self._fields)) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __repr__(self) -> str:
        # Levels of multigrid solvers, `p[1]` and so on, would hide the others.
        lines = [f"{name}: {field.element} {field.shape}" for name, field in self._fields.items() if "[" not in name]
        more = len(self._fields) - len(lines)
        lines += [f"and {more} on coarser levels"] if more else []
        return "<Fields\n  " + "\n  ".join(lines) + "\n>"


class Simulation:
    """A pipeline on a device. `load` makes one.

    Steps run on the device while the program continues; reads wait for them. Threads may share a simulation or have one
    each. While the device works, other threads of Python run.

    Use it in a ``with`` statement, or `close` it, to free the memory of the device at once::

        with sastrugi.load("smoke") as sim:
            sim.step(100)
            sim.frame().save("smoke.png")
    """

    def __init__(self, native: _native.Simulation, share: str | None = None, stacked: bool = False) -> None:
        self._native = native
        self._share = share
        count = native.worlds()
        #: Number of worlds, which have an axis of their own in fields; ``None`` for a simulation without them.
        self.worlds: int | None = count if stacked or count > 1 else None
        self._fields = Fields(self)
        self._called: set[str] = set()
        self._stepping: set[int] = set()
        self.name, self.title, self.device = native.names()

    # Stepping

    def step(
        self, count: int = 1, callback: Callable[[Simulation], object] | None = None, every: int = 1
    ) -> None:
        """Runs `count` steps.

        Args:
            count: number of steps; 0 does nothing.
            callback: called with the simulation after every `every` steps and after the last one. It may read and write
                fields and set parameters, but not call `step`, `call`, `restore` or `close`. Its exceptions end the steps.
            every: steps between two calls.

        Ctrl-C raises `KeyboardInterrupt` between two steps; the simulation can continue after it.
        """
        self._not_in_callback("step")
        count, every = _whole("count", count, 0), _whole("every", every, 1)
        if callback is None:
            self._native.step(count)
            return
        done = 0
        while done < count:
            part = min(every, count - done)
            self._native.step(part)
            done += part
            thread = threading.get_ident()
            self._stepping.add(thread)
            try:
                callback(self)
            finally:
                self._stepping.discard(thread)

    def call(self, group: str) -> None:
        """Runs one group of the pipeline for the present state, takes no step, and waits::

            sim.call("solver.solve")

        Args:
            group: a group or stage of ``stages``, by the name that ``step`` would use. The name of an export of a
                module starts with its instance: ``solver.solve``.

        The first call of a group compiles its kernels, keeps the state, and adds the fields that only the group uses. A
        group that sorts, adds or removes particles, updates a sparse grid, or leaves fields swapped is refused.
        """
        self._not_in_callback("call")
        try:
            self._native.call(group)
        finally:
            if group not in self._called and self.is_open:
                self._fields._refresh()
                self._called.add(group)

    def wait(self) -> None:
        """Waits for all steps, and raises a `FaultError` for the first fault of a checked stage, bad value of a `watch`, or
        loop that must end and did not."""
        self._native.wait()

    def _not_in_callback(self, what: str) -> None:
        if threading.get_ident() in self._stepping:
            raise BusyError(
                f"`{what}` was called from the callback of `step`\n  help: return from the callback first", "misuse"
            )

    @property
    def steps(self) -> int:
        """Number of steps so far."""
        return self._native.clock()[0]

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self._native.clock()[1]

    @property
    def dt(self) -> float:
        """Length of a step, s."""
        return self._native.clock()[2]

    @property
    def steps_per_frame(self) -> int:
        """Number of steps per frame of a run."""
        return self._native.clock()[3]

    # Values

    @property
    def fields(self) -> Fields:
        """All fields by name. The first `call` of a group adds the fields that only the group uses."""
        return self._fields

    def __getitem__(self, name: str) -> Field:
        return self._fields[name]

    def __setitem__(self, name: str, values: Any) -> None:
        field = self._fields[name]
        # `sim["f"] *= 2` has already written.
        if values is not field:
            field.write(values)

    def __contains__(self, name: object) -> bool:
        return name in self._fields

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    @property
    def parameters(self) -> Parameters:
        """The parameters of the pipeline, which can be set between steps."""
        return Parameters(self)

    # Pictures

    def frame(self, image: str | None = None, world: int = 0) -> Picture:
        """Draws the present state.

        Args:
            image: an image by the name of its field (``"view.color"``), its grid (``"view"``) or an output of it; by default
                the first one.
            world: the world of the picture. The field of the image has those of all worlds.

        Returns:
            an array of shape (height, width, 3), which notebooks show.

        As `draw`, it takes no step.
        """
        images = self._native.images()
        if not images:
            raise Error(
                f"the pipeline `{self.name}` draws no picture\n  help: add a grid with `pixels` and a channel of type rgba8",
                "misuse",
            )
        names = {name: name for name, _ in images}
        for name, outputs in images:
            for other in (name.partition(".")[0], *outputs):
                names.setdefault(other, name)
        found = images[0][0] if image is None else names.get(image)
        if found is None:
            raise unknown("an image", image, list(names))
        if not 0 <= world < (self.worlds or 1):
            raise IndexError(f"there is no world {world}: the simulation has {self.worlds or 1}")
        self.draw()
        pixels = self._fields[found].read()
        own = pixels if self.worlds is None else pixels[world]
        return np.ascontiguousarray(own[..., :3]).view(Picture)

    def draw(self) -> None:
        """Runs the entries of ``frame`` for the present state, and takes no step: measures, and pictures, which `frame`
        returns. Stages that count frames see one more for each state that is drawn."""
        self._native.draw()

    def _repr_png_(self) -> bytes | None:
        try:
            return self.frame().png()
        except Error:
            return None

    # States

    def checkpoint(self, path: str | os.PathLike[str]) -> None:
        """Waits, and writes the whole state into a file. The file is complete or absent."""
        self._native.checkpoint(os.fspath(path))

    def restore(self, path: str | os.PathLike[str]) -> None:
        """Continues from a checkpoint of the same pipeline with the same parameters, with the same bits."""
        self._not_in_callback("restore")
        self._native.restore(os.fspath(path))

    # The pipeline

    @property
    def stages(self) -> list[str]:
        """The names of the stages."""
        return self._native.stages()

    @property
    def notices(self) -> list[str]:
        """Notices about slower methods that this device requires; they do not change results."""
        return self._native.notices()

    def graph(self, format: str = "text") -> str:
        """The plan: stages in order, with their reads and writes and the barriers between them.

        Args:
            format: ``"text"``, ``"dot"`` for Graphviz, or ``"mermaid"``.
        """
        return self._native.graph(format)

    def interface(self, stage: str) -> str:
        """The GLSL that ``#include "stage.glsl"`` gives to a stage: its accessors."""
        found = self._native.interface(stage)
        if found is None:
            raise unknown("a stage", stage, self.stages)
        return found

    def json(self) -> str:
        """The whole pipeline as JSON, with everything merged and set."""
        return self._native.json()

    # Lifetime

    def close(self) -> None:
        """Frees the memory on the device. Arrays that were read stay valid; a second call does nothing."""
        self._not_in_callback("close")
        self._native.close()

    @property
    def is_open(self) -> bool:
        """False after `close`."""
        return self._native.is_open()

    def __enter__(self) -> Simulation:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        if not self.is_open:
            return f"<Simulation {self.name}, closed>"
        return f"<Simulation {self.name} on {self.device}, step {self.steps}, {self.time:.6g} s>"


def _whole(what: str, value: Any, least: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"`{what}` is a whole number, not {value!r}") from None
    if number < least:
        raise ValueError(f"`{what}` is at least {least}, not {number}")
    return number


def load(
    spec: Spec,
    *,
    set: Mapping[str, Any] | None = None,
    kernels: Mapping[str, str] | None = None,
    name: str | None = None,
    directory: str | os.PathLike[str] | None = None,
    device: str | int | None = None,
    checked: bool = False,
    validation: bool = False,
    timeout: float = 300.0,
    share: str | None = None,
    worlds: Worlds = None,
) -> Simulation:
    """Loads a pipeline and runs the entries of its ``init``.

    Args:
        spec: the name of a shipped pipeline (`pipelines` lists them), a file, JSON text, or a dictionary of the same form.
        set: values to change, by dotted path: ``{"n": 64, "run.dt": "1/120"}``. Texts are expressions.
        kernels: GLSL by the path that stages use (``{"spread.comp": "..."}``); it has precedence over files.
        name: the name of a text or dictionary in messages.
        directory: base of relative paths in a text or dictionary; by default the current directory.
        device: number, or part of the name; by default the best one (`devices` lists them).
        checked: finds accesses outside fields and races between invocations, and raises `FaultError`. Steps are slower.
        validation: loads the Khronos validation layer; `close` raises what it reports.
        timeout: time limit of a submission, s, after which the device counts as hung.
        share: ``"cuda"`` puts the fields in memory that CUDA on the same NVIDIA device shares, and ``"cpu"`` shares their
            memory with the host, on a device whose memory is that of the host (lavapipe). Then arrays and tensors of other
            packages, such as `torch.from_dlpack`, are the fields themselves, and not copies: see `Field`.
        worlds: number of independent copies of the pipeline that run in the same dispatches; or values that differ between
            them, by dotted path, whose first axis is that of the worlds: ``{"air.lift": numpy.linspace(1, 6, 256)}``. Fields
            get this axis as their first one. World k has the seed ``run.seed`` + k.

    Raises:
        PipelineError: the pipeline or a kernel has mistakes.
        DeviceError: there is no usable Vulkan device; the text says what to install.
    """
    if share not in (None, "cuda", "cpu"):
        raise ValueError(f'`share` is "cuda", "cpu" or None, not {share!r}')
    native = _native.Simulation(
        request(spec, set, kernels, name, directory, worlds),
        None if device is None else str(device),
        checked,
        validation,
        float(timeout),
        share,
    )
    return Simulation(native, share, worlds is not None)


def check(
    spec: Spec,
    *,
    set: Mapping[str, Any] | None = None,
    kernels: Mapping[str, str] | None = None,
    name: str | None = None,
    directory: str | os.PathLike[str] | None = None,
) -> None:
    """Checks a pipeline and compiles its kernels, without a device. Raises `PipelineError` with every mistake."""
    _native.check(request(spec, set, kernels, name, directory))
