"""Prints the triangles that VTK reads from ply, obj and vtp files, and what it measures of them, as JSON."""

import json
import sys

import vtk
from vtk.util.numpy_support import vtk_to_numpy

READERS = {"ply": vtk.vtkPLYReader, "obj": vtk.vtkOBJReader, "vtp": vtk.vtkXMLPolyDataReader}


def read(path):
    reader = READERS[path.rsplit(".", 1)[1]]()
    reader.SetFileName(path)
    reader.Update()
    data = reader.GetOutput()
    measures = vtk.vtkMassProperties()
    measures.SetInputData(data)
    measures.Update()
    edges = vtk.vtkFeatureEdges()
    edges.SetInputData(data)
    edges.FeatureEdgesOff()
    edges.BoundaryEdgesOn()
    edges.NonManifoldEdgesOn()
    edges.Update()
    normals = data.GetPointData().GetNormals()
    return {
        "points": vtk_to_numpy(data.GetPoints().GetData()).tolist(),
        "corners": vtk_to_numpy(data.GetPolys().GetData()).reshape(-1, 4)[:, 1:].tolist(),
        "normals": vtk_to_numpy(normals).tolist() if normals else None,
        "area": measures.GetSurfaceArea(),
        "volume": measures.GetVolume(),
        "loose_edges": edges.GetOutput().GetNumberOfCells(),
    }


print(json.dumps([read(path) for path in sys.argv[1:]]))
