"""Prints the arrays that VTK takes as active, the time, hidden elements and units in vti and vtp files, as JSON."""

import json
import sys

import vtk
from vtk.util.numpy_support import vtk_to_numpy


def name(array):
    return array.GetName() if array else None


def units(array):
    return array.GetInformation().Get(vtk.vtkDataArray.UNITS_LABEL()) if array.HasInformation() else None


def read(path):
    reader = vtk.vtkXMLImageDataReader() if path.endswith(".vti") else vtk.vtkXMLPolyDataReader()
    reader.SetFileName(path)
    reader.Update()
    data = reader.GetOutput()
    fields = data.GetCellData() if path.endswith(".vti") else data.GetPointData()
    time = data.GetFieldData().GetArray("TimeValue")
    ghosts = fields.GetArray("vtkGhostType")
    return {
        "time": time.GetValue(0) if time else None,
        "scalars": name(fields.GetScalars()),
        "vectors": name(fields.GetVectors()),
        "ghosts": vtk_to_numpy(ghosts).tolist() if ghosts else None,
        "units": {array.GetName(): units(array) for array in map(fields.GetArray, range(fields.GetNumberOfArrays()))},
        "arrays": sorted(fields.GetArrayName(number) for number in range(fields.GetNumberOfArrays())),
    }


print(json.dumps([read(path) for path in sys.argv[1:]]))
