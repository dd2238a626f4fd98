"""Reads npy and npz files with NumPy and prints what they hold as JSON."""

import json
import sys

import numpy


def described(array):
    assert array.flags.c_contiguous
    return {"type": array.dtype.str, "shape": list(array.shape), "values": array.ravel().tolist()}


def read(path):
    held = numpy.load(path)
    if path.endswith(".npz"):
        return {"arrays": {name: described(held[name]) for name in held.files}}
    return {"arrays": {"value": described(held)}}


print(json.dumps([read(path) for path in sys.argv[1:]]))
