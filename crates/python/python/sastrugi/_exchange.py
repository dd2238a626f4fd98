"""Tensors of PyTorch in the fields of a simulation, each item of a batch in a world of its own.

Tensors of CUDA stay on their device where Vulkan runs on it, too; others are copied over the host.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.utils.dlpack import from_dlpack

from ._errors import Error
from ._simulation import Simulation, load

#: Largest number of items in the same dispatches.
MAX_ITEMS = 64
#: DLPack's number of CUDA.
_CUDA = 2


def count_of(items: int) -> int:
    """The number of worlds for some items: a power of two, so that few numbers occur."""
    return 1 << (items - 1).bit_length()


def place_of(device: torch.device) -> int | None:
    """The number of a device of CUDA; None for other devices."""
    return (device.index or 0) if device.type == "cuda" else None


def parts(*batches: Tensor) -> Iterator[list[Tensor]]:
    """Batches in parts of at most `MAX_ITEMS` items."""
    return map(list, zip(*(torch.split(batch, MAX_ITEMS) for batch in batches)))


class Exchange:
    """A simulation with a world for each item of a batch."""

    def __init__(self, spec: dict[str, Any], count: int, place: int | None, **options: Any) -> None:
        self.count = count
        #: The simulation.
        self.sim: Simulation
        #: The tensors of a device of CUDA are the fields.
        self._is_shared = False
        self._place = place
        #: Shared fields by name and stream. They stay in place: nothing is compiled again, and nothing changes places.
        self._tensors: dict[tuple[str, int], Tensor] = {}
        if place is not None:
            try:
                self.sim = load(spec, worlds=count, share="cuda", **options)
                first = next(iter(self.sim))
                self._is_shared = self.sim[first].__dlpack_device__() == (_CUDA, place)
                if not self._is_shared:
                    self.sim.close()
            except Error:
                # A device of another vendor, or not enough memory.
                pass
        if not self._is_shared:
            self.sim = load(spec, worlds=count, **options)

    def _tensor(self, field: str) -> Tensor:
        """A shared field, in the order of the current stream."""
        key = (field, torch.cuda.current_stream(self._place).cuda_stream)
        if key not in self._tensors:
            self._tensors[key] = from_dlpack(self.sim[field])
        return self._tensors[key]

    def write(self, field: str, values: Tensor) -> None:
        """Writes the items of a batch; worlds beyond them get 0."""
        values = values.detach()
        if self._is_shared:
            memory = self._tensor(field)
            memory[: len(values)].copy_(values.reshape(len(values), *memory.shape[1:]))
            if len(values) < self.count:
                memory[len(values) :] = 0
            return
        own = self.sim[field]
        padded = torch.zeros((self.count, *own.shape[1:]), dtype=values.dtype)
        padded[: len(values)] = values.cpu().reshape(len(values), *own.shape[1:])
        own.write(padded.numpy())

    def read(self, field: str, like: Tensor) -> Tensor:
        """The items of a batch, in the shape and on the device of another one."""
        if self._is_shared:
            return self._tensor(field)[: len(like)].reshape(like.shape).clone()
        return torch.from_numpy(self.sim[field].read()[: len(like)]).reshape(like.shape).to(like.device)
