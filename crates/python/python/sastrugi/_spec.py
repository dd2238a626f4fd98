"""Arguments for pipelines, in the form that the native part reads."""

from __future__ import annotations

import json
import operator
import os
from collections.abc import Mapping
from typing import Any, Union

import numpy as np

#: A pipeline: the name of a shipped one, a file, JSON text, or a dictionary of the same form.
Spec = Union[str, "os.PathLike[str]", Mapping[str, Any]]


#: A number of worlds, or arrays of values by dotted path, whose first axis is that of the worlds.
Worlds = Union[int, Mapping[str, Any], None]


def plain(value: Any) -> Any:
    """Numbers and arrays of NumPy as Python's own, for JSON."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a value of a pipeline cannot be a {type(value).__name__}")


def written(value: Any) -> str:
    """A value as `--set` takes it: texts are expressions."""
    if isinstance(value, str):
        return value
    return json.dumps(value, default=plain, allow_nan=False)


def assignments(values: Mapping[str, Any] | None) -> list[str]:
    """`PATH=VALUE` for each value."""
    return [f"{path}={written(value)}" for path, value in (values or {}).items()]


def request(
    spec: Spec,
    set: Mapping[str, Any] | None,
    kernels: Mapping[str, str] | None,
    name: str | None,
    directory: str | os.PathLike[str] | None,
    worlds: Worlds = None,
) -> dict[str, Any]:
    """The request for a pipeline, which the native part reads."""
    file, text = None, None
    if isinstance(spec, Mapping):
        text = json.dumps(spec, default=plain, allow_nan=False, indent=1)
    elif isinstance(spec, str) and spec.lstrip().startswith("{"):
        text = spec
    elif isinstance(spec, (str, os.PathLike)):
        file = os.fspath(spec)
    else:
        raise TypeError(
            f"a pipeline is a name, a path, JSON text or a dictionary, not a {type(spec).__name__}"
        )
    return {
        "file": file,
        "text": text,
        "name": name or "pipeline",
        "kernels": dict(kernels or {}),
        "directory": None if directory is None else os.fspath(directory),
        "set": assignments(set) + _of_worlds(worlds),
    }


def _of_worlds(worlds: Worlds) -> list[str]:
    """The assignments of a number of worlds, or of values for each of them."""
    if worlds is None:
        return []
    if isinstance(worlds, Mapping):
        return assignments({f"worlds.set.{path}": values for path, values in worlds.items()})
    return assignments({"worlds.count": operator.index(worlds)})
