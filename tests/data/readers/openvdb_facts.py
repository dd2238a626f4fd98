"""Prints what OpenVDB's own module says about vdb files and their grids, without the voxels, as JSON."""

import json
import sys

import pyopenvdb


def plain(value):
    return list(value) if isinstance(value, tuple) else value


def read(path):
    grids, facts = pyopenvdb.readAll(path)
    return {
        "facts": {name: plain(value) for name, value in facts.items()},
        "grids": {
            grid.name: {
                "class": grid.gridClass,
                "type": grid.valueTypeName,
                "facts": {name: plain(value) for name, value in grid.metadata.items()},
                "counted": grid.activeVoxelCount(),
                "bounds": [list(corner) for corner in grid.evalActiveVoxelBoundingBox()],
            }
            for grid in grids
        },
    }


print(json.dumps([read(path) for path in sys.argv[1:]]))
