"""The exceptions of the package."""

from __future__ import annotations

from typing import Any


class Error(Exception):
    """A failure, with the text that the command line prints.

    Attributes:
        kind: ``"input"`` for mistakes in a pipeline or a kernel, ``"misuse"`` for calls that do not fit the pipeline,
            ``"no device"``, ``"fault"``, ``"timeout"`` and others.
        file, line, column: place of the first mistake, from 1, or ``None``.
        stage: the stage of the first mistake, or ``None``.
        help: the remedy, or ``None``.
        problems: all mistakes, each a dictionary with ``message``, ``help``, ``file``, ``line``, ``column``, ``pointer``
            and ``stage``.
    """

    def __init__(self, text: str, kind: str = "failed", problems: list[dict[str, Any]] | None = None) -> None:
        super().__init__(text)
        self.text = text
        self.kind = kind
        self.problems = problems or []
        first = self.problems[0] if self.problems else {}
        self.file: str | None = first.get("file")
        self.line: int | None = first.get("line")
        self.column: int | None = first.get("column")
        self.stage: str | None = first.get("stage")
        self.help: str | None = first.get("help")
        if not self.problems and "\n  help: " in text:
            self.help = text.split("\n  help: ", 1)[1]

    def __str__(self) -> str:
        return self.text

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.text, self.kind, self.problems)


class PipelineError(Error, ValueError):
    """Mistakes in a pipeline or in a kernel; `problems` has all of them."""


class FieldError(Error, KeyError):
    """A name that no field or parameter has."""


class ShapeError(Error, ValueError):
    """Values whose shape does not fit the shape of the field."""


class DtypeError(Error, TypeError):
    """Values whose type does not fit the type of the field."""


class ClosedError(Error, ValueError):
    """A closed simulation is used."""


class BusyError(Error, RuntimeError):
    """`step`, `call`, `restore` or `close` is called from a callback of the simulation's own `step`."""


class DeviceError(Error, RuntimeError):
    """There is no usable device, or it failed, was lost or hangs."""


class FaultError(Error, ArithmeticError):
    """A stage accessed a value outside a field, wrote a bad value, or a loop did not end: `checked` runs and `watch`."""


CLASSES: dict[str, type[Error]] = {
    "input": PipelineError,
    "closed": ClosedError,
    "no device": DeviceError,
    "unknown device": DeviceError,
    "device": DeviceError,
    "lost": DeviceError,
    "timeout": DeviceError,
    "fault": FaultError,
    "bad value": FaultError,
    "unfinished": FaultError,
}


def make(kind: str, text: str, problems: list[dict[str, Any]] | None) -> Error:
    """The exception for an error of the engine."""
    return CLASSES.get(kind, Error)(text, kind, problems)


def unknown(what: str, name: object, known: list[str]) -> FieldError:
    """The exception for an unknown name. Its help suggests the nearest known one."""
    import difflib

    near = difflib.get_close_matches(str(name), known, 1, 0.6)
    help = f"did you mean `{near[0]}`?" if near else f"known here: {', '.join(known[:24]) or 'none'}"
    return FieldError(f"`{name}` is not {what} of this pipeline\n  help: {help}", "misuse")
