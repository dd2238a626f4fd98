"""Fields of a simulation as arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from . import _native
from ._errors import DtypeError, ShapeError

if TYPE_CHECKING:
    from ._simulation import Simulation

#: Type of a component and shape of an element, by the names of element types. Matrices are stored column by column.
ELEMENTS: dict[str, tuple[str, tuple[int, ...]]] = {
    "mat2": ("<f4", (4,)),
    "mat3": ("<f4", (9,)),
    "mat4": ("<f4", (16,)),
    "rgba8": ("u1", (4,)),
    "int8": ("i1", ()),
    "uint8": ("u1", ()),
    "int16": ("<i2", ()),
    "uint16": ("<u2", ()),
    "int64": ("<i8", ()),
    "uint64": ("<u8", ()),
    "double": ("<f8", ()),
    "half": ("<f2", ()),
}
for _prefix, _scalar, _code in (
    ("", "float", "<f4"),
    ("i", "int", "<i4"),
    ("u", "uint", "<u4"),
    ("h", "half", "<f2"),
    ("d", "double", "<f8"),
):
    ELEMENTS[_scalar] = (_code, ())
    for _count in (2, 3, 4):
        ELEMENTS[f"{_prefix}vec{_count}"] = (_code, (_count,))


class _Shared:
    """Memory of the host for NumPy, which keeps this object as long as it uses the memory."""

    def __init__(
        self, memory: _native.Memory, shape: tuple[int, ...], dtype: np.dtype[Any], strides: tuple[int, ...]
    ) -> None:
        self._memory = memory
        self.__array_interface__ = {
            "version": 3,
            "shape": shape,
            "typestr": dtype.str,
            "data": (memory.address, False),
            "strides": tuple(dtype.itemsize * stride for stride in strides),
        }


class Field(NDArrayOperatorsMixin):
    """A channel, an attribute or a buffer of a simulation, read and written like an array of NumPy.

    The axes are those of the grid, the last one first, and a vector adds one at the end: a ``float`` channel of a grid of
    nx x ny x nz cells has the shape ``(nz, ny, nx)``, a ``vec3`` of particles ``(count, 3)``. An array channel has an axis
    for its entries after those of the grid. A field equals what an output of it writes as ``.npy``. In a simulation of
    several worlds, the first axis is that of the worlds.

    Reading waits for the device and returns a new array, also for a part of the field::

        density = numpy.asarray(sim["room.density"])
        floor = sim["room.density"][0]

    Assignment writes to the device; a value is broadcast, and one that does not fit is refused::

        sim["room.heat"][:4] = 300
        sim["room.heat"] *= 0.5

    A part is written by reading the field, changing it, and writing it back.

    A simulation that was loaded with ``share="cuda"`` or ``share="cpu"`` hands out its memory itself: ``torch.from_dlpack``,
    ``cupy.from_dlpack`` or, on the host, ``numpy.asarray`` make a tensor that steps change, and that changes what the next step
    reads. It is valid as long as it exists, also after `close`. It is the field until a parameter or a group requires new
    kernels, or a state is restored; and for a field with several copies, until the next step. A channel of a sparse grid is
    copied on the device. Work of the CUDA stream that
    the tensor was made for has the order of the program: it runs after steps before it, and steps after it wait for it, without
    waits of the host. On the host, call `Simulation.wait` after steps.
    """

    __slots__ = ("_simulation", "_entries", "_worlds", "_world_stride", "name", "dtype", "shape", "element", "__weakref__")
    # Scalars and arrays of NumPy defer operators to the field.
    __array_priority__ = 10

    def __init__(self, simulation: Simulation, facts: dict[str, Any]) -> None:
        code, inner = ELEMENTS[facts["element"]]
        entries = () if facts["count"] is None else (facts["count"],)
        self._simulation = simulation
        #: The axis of the entries of an array, which is the first one on the device.
        self._entries: int | None = len(facts["size"]) if entries else None
        #: Number of worlds, if they have an axis, and their distance in memory, in values.
        self._worlds: int | None = simulation.worlds
        #: `<resource>.<channel>`, or the name of a buffer.
        self.name: str = facts["name"]
        #: The element type of the pipeline file, such as ``"vec3"``.
        self.element: str = facts["element"]
        self.dtype = np.dtype(code)
        self._world_stride: int = facts["world_bytes"] // self.dtype.itemsize
        worlds = () if self._worlds is None else (self._worlds,)
        self.shape: tuple[int, ...] = (*worlds, *reversed(facts["size"]), *entries, *inner)
        if self._entries is not None:
            self._entries += len(worlds)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of values."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def nbytes(self) -> int:
        """Size, bytes."""
        return self.size * self.dtype.itemsize

    def read(self) -> np.ndarray:
        """The newest values, as a new array. Waits for the steps so far."""
        values = np.frombuffer(self._simulation._native.read(self.name), self.dtype)
        if self._entries is None:
            return values.reshape(self.shape)
        first = 0 if self._worlds is None else 1
        stored = list(self.shape)
        stored.insert(first, stored.pop(self._entries))
        return np.ascontiguousarray(np.moveaxis(values.reshape(stored), first, self._entries))

    def write(self, values: Any) -> None:
        """Replaces all values; in a sparse grid, those of active blocks."""
        values = self._fitting(values)
        try:
            whole = np.broadcast_to(values, self.shape)
        except ValueError:
            raise self._misshaped(values.shape, self.shape) from None
        if self._entries is not None:
            whole = np.moveaxis(whole, self._entries, 0 if self._worlds is None else 1)
        whole = np.ascontiguousarray(whole, self.dtype)
        self._simulation._native.write(self.name, whole.reshape(-1).data.cast("B"))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if self._simulation._share == "cpu" and not copy:
            shared = self._shared_array()
            return shared if dtype is None else shared.astype(dtype, copy=False)
        if copy is False:
            raise ValueError(f"`{self.name}` is on the device: reading it copies it")
        values = self.read()
        return values if dtype is None else values.astype(dtype, copy=False)

    def _strides(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The shape, and the strides in values: memory has the entries of an array after z."""
        first = 0 if self._worlds is None else 1
        order = list(range(first, self.ndim))
        if self._entries is not None:
            order.remove(self._entries)
            # Before y, or before the only axis.
            order.insert(max(0, self._entries - first - 2), self._entries)
        strides, step = [self._world_stride] * self.ndim, 1
        for axis in reversed(order):
            strides[axis] = step
            step *= self.shape[axis]
        return self.shape, tuple(strides)

    def _shared_array(self) -> np.ndarray:
        shape, strides = self._strides()
        memory = self._simulation._native.memory(self.name, None)
        return np.asarray(_Shared(memory, shape, self.dtype, strides))

    @property
    def __array_interface__(self) -> dict[str, Any]:
        if self._simulation._share == "cpu":
            # Its consumer would keep this object alive, but not the memory: `__array__` does so.
            raise AttributeError("__array_interface__")
        # The buffer itself, not its address: its consumer keeps it alive.
        values = self.read()
        data = values.reshape(-1).data.cast("B")
        return {"version": 3, "shape": self.shape, "typestr": self.dtype.str, "data": data}

    def __dlpack__(self, *, stream: int | None = None, **options: Any) -> Any:
        share = self._simulation._share
        if share == "cuda" and options.get("dl_device") != (1, 0):
            if options.get("copy"):
                raise BufferError(f"`{self.name}` hands out its own memory: copy the tensor")
            # -1: its consumer wants no order. None is the default stream.
            memory = self._simulation._native.memory(self.name, None if stream == -1 else stream or 1)
            shape, strides = self._strides()
            element = ("iuf".index(self.dtype.kind), 8 * self.dtype.itemsize)
            return memory.capsule(element, list(shape), list(strides))
        if share == "cpu" and not options.get("copy"):
            return self._shared_array().__dlpack__(**options)
        return self.read().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        if self._simulation._share == "cuda":
            return self._simulation._native.memory(self.name, None).device
        return (1, 0)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **options: Any) -> Any:
        arrays = [value.read() if isinstance(value, Field) else value for value in inputs]
        options = {name: value.read() if isinstance(value, Field) else value for name, value in options.items()}
        if out is None:
            result = getattr(ufunc, method)(*arrays, **options)
            # `numpy.add.at(field, ...)` changes its first argument.
            if method == "at" and isinstance(inputs[0], Field):
                inputs[0].write(arrays[0])
            return result
        targets = [target.read() if isinstance(target, Field) else target for target in out]
        result = getattr(ufunc, method)(*arrays, out=tuple(targets), **options)
        for target, values in zip(out, targets):
            if isinstance(target, Field):
                target.write(values)
        return out[0] if len(out) == 1 else result

    def __getitem__(self, index: Any) -> Any:
        return self.read()[index]

    def __setitem__(self, index: Any, values: Any) -> None:
        if index is Ellipsis or (isinstance(index, slice) and index == slice(None)):
            self.write(values)
            return
        values = self._fitting(values)
        whole = self.read()
        part = whole[index]
        try:
            whole[index] = values
        except ValueError:
            raise self._misshaped(values.shape, np.shape(part)) from None
        self.write(whole)

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Any:
        return iter(self.read())

    def __float__(self) -> float:
        return float(self.read())

    def __repr__(self) -> str:
        return f"<Field {self.name}: {self.element}, shape {self.shape}, dtype {self.dtype}>"

    def min(self, *args: Any, **options: Any) -> Any:
        """As `numpy.ndarray.min` of the newest values."""
        return self.read().min(*args, **options)

    def max(self, *args: Any, **options: Any) -> Any:
        """As `numpy.ndarray.max` of the newest values."""
        return self.read().max(*args, **options)

    def sum(self, *args: Any, **options: Any) -> Any:
        """As `numpy.ndarray.sum` of the newest values; add ``dtype=float`` to sum in 64 bits."""
        return self.read().sum(*args, **options)

    def mean(self, *args: Any, **options: Any) -> Any:
        """As `numpy.ndarray.mean` of the newest values."""
        return self.read().mean(*args, **options)

    def _fitting(self, values: Any) -> np.ndarray:
        """Values in the type of the field, if that keeps their meaning: whole numbers that the type has, or floats for
        floats."""
        given = np.asarray(values)
        if given.dtype == self.dtype:
            return given
        if given.dtype.kind in "iub" and self.dtype.kind in "iu":
            limits = np.iinfo(self.dtype)
            fits = given.size == 0 or (limits.min <= int(given.min()) and int(given.max()) <= limits.max)
            if not fits:
                raise DtypeError(
                    f"`{self.name}` contains {self.dtype}: values from {given.min()} to {given.max()} do not fit"
                    f"\n  help: {self.dtype} has {limits.min} to {limits.max}",
                    "misuse",
                )
        elif not (given.dtype.kind in "iubf" and self.dtype.kind == "f"):
            raise DtypeError(
                f"`{self.name}` contains {self.dtype}, not {given.dtype}\n  help: convert the values first, such as with"
                f" `values.astype({self.dtype.name!r})`",
                "misuse",
            )
        return given.astype(self.dtype)

    def _misshaped(self, given: tuple[int, ...], wanted: tuple[int, ...]) -> ShapeError:
        return ShapeError(
            f"values of shape {given} do not fit shape {wanted} of `{self.name}`\n  help: the axes are those of the grid,"
            " the last one first: (nz, ny, nx)",
            "misuse",
        )
