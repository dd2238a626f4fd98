"""Prints the units that VTK finds in the arrays of vti and vtp files, as JSON."""

import json
import sys

import vtk


def read(path):
    reader = vtk.vtkXMLImageDataReader() if path.endswith(".vti") else vtk.vtkXMLPolyDataReader()
    reader.SetFileName(path)
    reader.Update()
    data = reader.GetOutput()
    fields = data.GetCellData() if path.endswith(".vti") else data.GetPointData()
    arrays = [fields.GetArray(number) for number in range(fields.GetNumberOfArrays())]
    key = vtk.vtkDataArray.UNITS_LABEL()
    return {array.GetName(): array.GetInformation().Get(key) if array.HasInformation() else None for array in arrays}


print(json.dumps([read(path) for path in sys.argv[1:]]))
