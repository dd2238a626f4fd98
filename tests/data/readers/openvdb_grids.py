"""Reads vdb files with OpenVDB's own module and prints the active voxels of their grids as JSON."""

import json
import sys

import pyopenvdb


def components(value):
    return list(value) if isinstance(value, tuple) else [value]


def described(grid):
    voxels = []
    for item in grid.citerOnValues():
        assert item.min == item.max, "tiles were not expected"
        voxels.append([list(item.min), components(item.value)])
    first, second = grid.transform.indexToWorld((0, 0, 0)), grid.transform.indexToWorld((1, 1, 1))
    return {
        "background": components(grid.background),
        "half": grid.saveFloatAsHalf,
        "origin": list(first),
        "spacing": [b - a for a, b in zip(first, second)],
        "voxels": sorted(voxels),
        "leaves": grid.leafCount(),
    }


def read(path):
    grids, _ = pyopenvdb.readAll(path)
    return {grid.name: described(grid) for grid in grids}


print(json.dumps([read(path) for path in sys.argv[1:]]))
