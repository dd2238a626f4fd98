"""Objects on the device that are kept for further calls."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

from ._errors import DeviceError

Item = TypeVar("Item")


class _Place(Generic[Item]):
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.item: Item | None = None


class Kept(Generic[Item]):
    """The newest objects by keys. While one is made, other threads can get others."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._places: OrderedDict[Hashable, _Place[Item]] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], Item]) -> Item:
        """The object of a key, which `make` makes if necessary."""
        with self._lock:
            place = self._places.setdefault(key, _Place())
            self._places.move_to_end(key)
            while len(self._places) > self._most:
                self._places.popitem(last=False)
        with place.lock:
            if place.item is None:
                place.item = make()
            return place.item

    def drop(self, item: Item) -> None:
        """The next call with its key makes another object."""
        with self._lock:
            for key, place in list(self._places.items()):
                if place.item is item:
                    del self._places[key]

    @contextmanager
    def dropped_if_lost(self, item: Item) -> Iterator[None]:
        """Drops the object if its device fails."""
        try:
            yield
        except DeviceError:
            self.drop(item)
            raise
