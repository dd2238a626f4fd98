"""Reads maps with GDAL, and prints what they hold as JSON. With `--shift`, each file is first moved by a pixel."""

import json
import sys

from osgeo import gdal, osr

gdal.UseExceptions()
osr.UseExceptions()


def terms(system):
    """The system in the terms of PROJ, because names of systems differ between formats; a local system has a name alone."""
    try:
        return system.ExportToProj4()
    except RuntimeError:
        return system.GetName()


def read(path):
    file = gdal.Open(path)
    band = file.GetRasterBand(1)
    system = file.GetSpatialRef()
    return {
        "driver": file.GetDriver().ShortName,
        "bands": file.RasterCount,
        "type": gdal.GetDataTypeName(band.DataType),
        "transform": list(file.GetGeoTransform()),
        "point": file.GetMetadataItem("AREA_OR_POINT") == "Point",
        "no_data": band.GetNoDataValue(),
        "unit": band.GetUnitType(),
        "system": system and terms(system),
        "code": system and system.GetAuthorityCode(None),
        "values": band.ReadAsArray().tolist(),
    }


def shift(path):
    # A file of text has no geotransform that could be changed in place.
    file = gdal.Open(path)
    x, width, skew, *rest = file.GetGeoTransform()
    moved = path + ".moved.tif"
    copy = gdal.GetDriverByName("GTiff").CreateCopy(moved, file)
    copy.SetGeoTransform([x + width, width, skew, *rest])
    return moved


paths = sys.argv[1:]
if paths[0] == "--shift":
    paths = [shift(path) for path in paths[1:]]
print(json.dumps([read(path) for path in paths]))
