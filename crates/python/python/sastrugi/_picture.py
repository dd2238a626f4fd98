"""Pictures of a simulation."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from . import _native


class Picture(np.ndarray):
    """Pixels as an array of shape (height, width, 3) and type ``uint8``: red, green and blue, the top row first.

    Notebooks show it.
    """

    def png(self) -> bytes:
        """The picture as a PNG file."""
        if self.ndim != 3 or self.shape[2] != 3 or self.dtype != np.uint8:
            raise ValueError(f"a picture has the shape (height, width, 3), not {self.shape}")
        height, width, _ = self.shape
        pixels = np.ascontiguousarray(self).reshape(-1).view(np.ndarray)
        return _native.png_of(pixels.data, width, height)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the picture into a PNG file."""
        content = self.png()
        with open(path, "wb") as file:
            file.write(content)

    def _repr_png_(self) -> bytes | None:
        try:
            return self.png()
        except ValueError:
            return None

    def __repr__(self) -> str:
        return f"<Picture, shape {self.shape}>" if self.ndim == 3 else super().__repr__()

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        # Results of arithmetic are plain arrays.
        plain = np.asarray(array)
        return plain[()] if return_scalar else plain
