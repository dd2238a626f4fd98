"""Reads vti, vtp, ply and pvd files with VTK and prints what they hold as JSON."""

import json
import sys
import xml.etree.ElementTree

import vtk
from vtk.util.numpy_support import vtk_to_numpy


def described(array):
    return {
        "type": array.GetDataTypeAsString(),
        "components": array.GetNumberOfComponents(),
        "values": vtk_to_numpy(array).ravel().tolist(),
    }


def arrays(attributes):
    held = [attributes.GetArray(number) for number in range(attributes.GetNumberOfArrays())]
    return {array.GetName(): described(array) for array in held}


def checked(reader, path):
    errors = []
    reader.AddObserver("ErrorEvent", lambda *_: errors.append(path))
    reader.SetFileName(path)
    reader.Update()
    assert not errors, f"VTK complains about {path}"
    return reader.GetOutput()


def read(path):
    if path.endswith(".pvd"):
        root = xml.etree.ElementTree.parse(path).getroot()
        assert root.get("type") == "Collection"
        sets = root.findall("Collection/DataSet")
        return {"files": [[float(s.get("timestep")), s.get("file")] for s in sets]}
    if path.endswith(".vti"):
        data = checked(vtk.vtkXMLImageDataReader(), path)
        return {
            "points": list(data.GetDimensions()),
            "origin": list(data.GetOrigin()),
            "spacing": list(data.GetSpacing()),
            "cell_arrays": arrays(data.GetCellData()),
            "arrays": arrays(data.GetPointData()),
        }
    reader = vtk.vtkXMLPolyDataReader() if path.endswith(".vtp") else vtk.vtkPLYReader()
    data = checked(reader, path)
    held = arrays(data.GetPointData())
    held["points"] = described(data.GetPoints().GetData())
    return {"points": data.GetNumberOfPoints(), "vertices": data.GetNumberOfVerts(), "arrays": held}


print(json.dumps([read(path) for path in sys.argv[1:]]))
