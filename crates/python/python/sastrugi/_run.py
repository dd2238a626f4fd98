"""Whole runs with files on disk."""

from __future__ import annotations

import json
import logging
import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from . import _native
from ._errors import Error, unknown
from ._spec import Spec, Worlds, request

_log = logging.getLogger("sastrugi")


@dataclass(frozen=True)
class Run:
    """The files of a run."""

    #: The directory of its files.
    directory: Path
    #: The content of `manifest.json`: device, versions, hashes, times.
    manifest: dict[str, Any] = field(repr=False)

    def files(self, output: str, world: int | None = None) -> list[Path]:
        """The files of an output, of one of several worlds, in the order of its frames."""
        found = (path for path in self._place(world).glob(f"{output}.*") if path.is_file())
        return sorted(found, key=lambda path: path.name)

    def read(self, output: str, frame: int, world: int | None = None) -> Any:
        """A frame of an output of format ``npy`` or ``npz``, of one of several worlds, as NumPy reads it."""
        place = self._place(world)
        for end in ("npy", "npz"):
            path = place / f"{output}.{frame:04}.{end}"
            if path.is_file():
                return np.load(path)
        raise FileNotFoundError(f"{place} has no frame {frame} of output `{output}` as npy or npz")

    def film(self, output: str | None = None, world: int | None = None, rate: float = 25.0, most: int = 200) -> Film:
        """The frames of an output of format ``png``, of one of several worlds, as a film that notebooks show.

        Args:
            output: by default the first one of format ``png``.
            world: by default the first one, if there are several.
            rate: frames per second.
            most: largest number of frames; of more, every n-th is shown.
        """
        names = [name for name, facts in self.manifest["outputs"].items() if facts["format"] == "png"]
        name = output or (names[0] if names else "")
        if name not in names:
            raise unknown("an output of format png", name, names)
        if world is None and "worlds" in self.manifest:
            world = 0
        files = [path for path in self.files(name, world) if path.suffix == ".png"]
        return Film(files[:: -(-len(files) // most) or 1], rate)

    def _repr_png_(self) -> bytes | None:
        try:
            return self.film().png()
        except Error:
            return None

    def _place(self, world: int | None) -> Path:
        return self.directory if world is None else self.directory / f"world-{world:04}"


@dataclass(frozen=True)
class Film:
    """Pictures one after the other. Notebooks show them as an animated PNG."""

    #: The files of its pictures.
    files: list[Path] = field(repr=False)
    #: Pictures per second.
    rate: float

    def png(self) -> bytes:
        """The film as an animated PNG."""
        return _native.film_of([os.fspath(path) for path in self.files], self.rate)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the film into an animated PNG, which browsers and many viewers play."""
        Path(path).write_bytes(self.png())

    def _repr_png_(self) -> bytes | None:
        return self.png() if self.files else None


class _Bar:
    """The bar of tqdm where it is installed, else a line from time to time."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._bar: Any = None
        self._shown = time.monotonic()
        try:
            from tqdm.auto import tqdm  # type: ignore[import-untyped]
        except ImportError:
            return
        self._bar = tqdm(desc=name, unit="step")

    def __call__(self, step: int, total: int) -> None:
        if self._bar is not None:
            self._bar.total = total
            self._bar.update(step - self._bar.n)
        elif step == total or time.monotonic() - self._shown > 10:
            self._shown = time.monotonic()
            print(f"{self._name}: {step} of {total} steps", file=sys.stderr)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def run(
    spec: Spec,
    out: str | os.PathLike[str],
    *,
    frames: int | None = None,
    set: Mapping[str, Any] | None = None,
    kernels: Mapping[str, str] | None = None,
    name: str | None = None,
    directory: str | os.PathLike[str] | None = None,
    device: str | int | None = None,
    checked: bool = False,
    force: bool = False,
    resume: bool = False,
    hash: bool = False,
    worlds: Worlds = None,
    progress: bool | Callable[[int, int], object] = False,
) -> Run:
    """Runs a pipeline into a directory, like ``sastrugi run``: the frames of its outputs and `manifest.json`.

    Args:
        spec, set, kernels, name, directory, device, checked, worlds: as for `load`. Each of several worlds has a directory for
            its outputs, ``world-0000`` and so on.
        out: the directory of the files.
        frames: number of frames, instead of that of the pipeline.
        force: replaces the files of an earlier run of another pipeline, or with checkpoints.
        resume: continues from the newest checkpoint in `out`.
        hash: writes `hashes.csv`, with a hash of the state after every frame.
        progress: ``True`` for a bar of tqdm, or lines if tqdm is not installed; or a function of the number of completed
            steps and the total.

    Notes and warnings go to the logger ``"sastrugi"``. Ctrl-C or an exception in `progress` ends the run after its frame.
    """
    values = dict(set or {})
    if frames is not None:
        values["run.frames"] = int(frames)
    asked = request(spec, values, kernels, name, directory, worlds)
    options = {
        "device": None if device is None else str(device),
        "checked": checked,
        "force": force,
        "resume": resume,
        "hash": hash,
    }
    bar = _Bar(Path(asked["file"] or asked["name"]).stem) if progress is True else None
    follower = progress if callable(progress) else bar
    try:
        _native.run(asked, os.fspath(out), options, follower, _message)
    finally:
        if bar is not None:
            bar.close()
    place = Path(out)
    return Run(place, json.loads((place / "manifest.json").read_text()))


def _message(kind: str, text: str) -> None:
    _log.log(logging.WARNING if kind == "warning" else logging.INFO, "%s", text)
