"""Parameters of a simulation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from ._errors import ShapeError, unknown
from ._spec import assignments

if TYPE_CHECKING:
    from ._simulation import Simulation

#: A number, or the components of a vector; an array with one of them for each world, where they differ.
Value = Union[float, "list[float]", np.ndarray]


def _value(facts: dict[str, Any]) -> Value:
    values: list[float] = facts["values"]
    if facts["worlds"] is not None:
        worlds = np.array(facts["worlds"])
        return worlds[:, 0] if len(values) == 1 else worlds
    return values[0] if len(values) == 1 else values


def _pairs(values: dict[str, Any]) -> list[tuple[str, str]]:
    return list(zip(values, assignments(values)))


class Parameters(MutableMapping[str, Value]):
    """The parameters of a pipeline, numbers and vectors, by their dotted names.

    A change takes effect with the next step::

        sim.parameters["air.lift"] = 3
        sim.parameters.update({"air.lift": 3, "source.rate": "2 * pi", "size.0": 2})

    A text is an expression, and ``size.0`` the first component of a vector. Kernels that depend on
    a changed parameter are compiled again, and the state is kept. Changes of the size of a resource are refused. `update`
    checks and sets all values at once: all or none.

    In a simulation of several worlds, an array whose first axis is that of the worlds sets each; other values set all::

        sim.parameters["air.lift"] = numpy.linspace(1, 6, sim.worlds)
    """

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation

    def _all(self) -> dict[str, dict[str, Any]]:
        return {facts["name"]: facts for facts in self._simulation._native.parameters()}

    def _facts(self, name: str) -> dict[str, Any]:
        known = self._all()
        if name not in known:
            raise unknown("a parameter", name, list(known))
        return known[name]

    def __getitem__(self, name: str) -> Value:
        return _value(self._facts(name))

    def __setitem__(self, name: str, value: Any) -> None:
        self.update({name: value})

    def __delitem__(self, name: str) -> None:
        raise TypeError("a parameter of a pipeline cannot be deleted")

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __contains__(self, name: object) -> bool:
        return name in self._all()

    def update(self, values: Mapping[str, Any] = {}, /, **named: Any) -> None:  # type: ignore[override]
        """Sets several parameters at once."""
        known = self._all()
        whole: dict[str, Any] = {}
        for name, value in {**values, **named}.items():
            vector, _, part = name.rpartition(".")
            if name in known:
                whole[name] = value
            elif vector in known and part.isdecimal() and int(part) < len(known[vector]["values"]) > 1:
                before = whole.get(vector, known[vector]["values"])
                if isinstance(before, str):
                    # An expression, whose value only the pipeline knows.
                    before = self._simulation._native.values_after(_pairs(whole), vector)
                components = list(before)
                components[int(part)] = value
                whole[vector] = components
            else:
                raise unknown("a parameter", name, list(known))
        paths = {
            f"worlds.set.{name}" if self._is_of_worlds(known[name], value) else name: value
            for name, value in whole.items()
        }
        self._simulation._native.set(_pairs(paths))

    def _is_of_worlds(self, facts: dict[str, Any], value: Any) -> bool:
        """True for a value with one axis more than the parameter, that of the worlds."""
        worlds = self._simulation.worlds
        if worlds is None or isinstance(value, str):
            return False
        shape = np.shape(value)
        if len(shape) != (1 if len(facts["values"]) == 1 else 2):
            return False
        if shape[0] != worlds:
            raise ShapeError(
                f"`{facts['name']}` has {shape[0]} values for {worlds} worlds\n  help: give one for each world, or one for"
                " all",
                "misuse",
            )
        return True

    def unit(self, name: str) -> str:
        """The unit of a parameter; empty if its pipeline states none."""
        return str(self._facts(name)["unit"])

    def help(self, name: str) -> str | None:
        """The description of a parameter, or ``None``."""
        found: str | None = self._facts(name)["help"]
        return found

    def __repr__(self) -> str:
        def line(facts: dict[str, Any]) -> str:
            return f"{facts['name']} = {_value(facts)} {facts['unit']}".rstrip()

        return "<Parameters\n  " + "\n  ".join(map(line, self._all().values())) + "\n>"
