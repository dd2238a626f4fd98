"""Reads the steps of a VTKHDF file with VTK or h5py and compares each with npz files; prints JSON.

    vtkhdf_steps.py vtk|h5py steps.vtkhdf arrays.0001.npz arrays.0002.npz ...
"""

import json
import sys

import numpy

kind, path, *others = sys.argv[1:]


def name(array):
    return array.GetName() if array else None


def by_vtk():
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy

    errors = []
    reader = vtk.vtkHDFReader()
    for source in (reader, reader.GetExecutive(), vtk.vtkOutputWindow.GetInstance()):
        source.AddObserver("ErrorEvent", lambda *_: errors.append(path))
        source.AddObserver("WarningEvent", lambda *_: errors.append(path))
    reader.SetFileName(path)
    reader.UpdateInformation()
    information = reader.GetOutputInformation(0)
    key = vtk.vtkStreamingDemandDrivenPipeline.TIME_STEPS()
    # Of a single step VTK tells no time.
    times = [information.Get(key, at) for at in range(information.Length(key))] or [None]
    for time in times:
        reader.Update() if time is None else reader.UpdateTimeStep(time)
        assert not errors, f"VTK complains about {path}"
        data = reader.GetOutputDataObject(0)
        fields = data.GetCellData() if data.GetCellData().GetNumberOfArrays() else data.GetPointData()
        held = [fields.GetArray(number) for number in range(fields.GetNumberOfArrays())]
        arrays = {array.GetName(): vtk_to_numpy(array) for array in held}
        facts = {"time": time, "scalars": name(fields.GetScalars()), "vectors": name(fields.GetVectors())}
        if data.IsA("vtkPolyData"):
            arrays["position"] = vtk_to_numpy(data.GetPoints().GetData())
            cells = vtk_to_numpy(data.GetVerts().GetConnectivityArray())
            facts |= {"points": data.GetNumberOfPoints(), "cells": data.GetNumberOfCells()}
            assert cells.tolist() == list(range(data.GetNumberOfVerts())), cells
        else:
            facts |= {key: list(getattr(data, f"Get{key.title()}")()) for key in ("dimensions", "origin", "spacing")}
        yield facts, arrays


def by_h5py():
    import h5py

    with h5py.File(path, "r") as file:
        root = file["VTKHDF"]
        steps = root["Steps"]
        count = int(steps.attrs["NSteps"])
        kind = root.attrs["Type"]
        kind = kind.decode() if isinstance(kind, bytes) else kind
        data = root["CellData"] if "CellData" in root else root["PointData"]
        assert steps["Values"].shape == (count,)
        for step in range(count):
            facts = {"time": float(steps["Values"][step]), "kind": kind}
            if kind == "PolyData":
                rows = slice(*(int(steps["PointOffsets"][step]) + part for part in (0, root["NumberOfPoints"][step])))
                arrays = {key: value[rows] for key, value in data.items()}
                arrays["position"] = root["Points"][rows]
            else:
                arrays = {key: value[step] if count > 1 else value[()] for key, value in data.items()}
            yield facts, arrays


def equals(arrays, wanted):
    def same(key):
        here, there = numpy.ascontiguousarray(arrays[key]), numpy.ascontiguousarray(wanted[key])
        return here.dtype == there.dtype and here.tobytes() == there.tobytes()

    return set(arrays) - {"vtkGhostType"} == set(wanted.files) and all(same(key) for key in wanted.files)


others = [numpy.load(other) for other in others]
found = []
for facts, arrays in by_vtk() if kind == "vtk" else by_h5py():
    ghosts = arrays.get("vtkGhostType")
    facts["ghosts"] = None if ghosts is None else numpy.asarray(ghosts).reshape(-1).tolist()
    facts["equals"] = [number for number, other in enumerate(others) if equals(arrays, other)]
    found.append(facts)
print(json.dumps(found))
