"""Writes elevation models with GDAL into a directory: 7 x 5 pixels on several maps. The pixel in column x and row y from
the north has the height 100 + x + 10 y; one pixel has no data."""

import os
import sys

import numpy
from osgeo import gdal, osr

gdal.UseExceptions()
osr.UseExceptions()

LEVELS = (100 + numpy.arange(7)[None, :] + 10 * numpy.arange(5)[:, None]).astype("f4")
LEVELS[2, 3] = -32000

# A conic map of Austria with its own parallels, which has no code: its numbers are in GeoDoubleParams.
CONIC = "+proj=lcc +lat_1=46.25 +lat_2=48.75 +lat_0=47.25 +lon_0=13.5 +x_0=4e5 +y_0=4e5 +ellps=bessel +units=m"


def system(definition):
    found = osr.SpatialReference()
    found.SetFromUserInput(definition)
    return found


def write(name, definition, transform, point=False, driver="GTiff"):
    path = os.path.join(sys.argv[1], name)
    memory = gdal.GetDriverByName("MEM").Create("", 7, 5, 1, gdal.GDT_Float32)
    memory.SetGeoTransform(transform)
    if definition:
        memory.SetSpatialRef(system(definition))
    if point:
        memory.SetMetadataItem("AREA_OR_POINT", "Point")
    band = memory.GetRasterBand(1)
    band.SetNoDataValue(-32000)
    band.WriteArray(LEVELS)
    gdal.GetDriverByName(driver).CreateCopy(path, memory)


# Corners and sides without short binary fractions.
METRES = (400000.1, 10.3, 0, 5200000.7, 0, -10.7)
write("area.tif", "EPSG:32633", METRES)
write("point.tif", "EPSG:32633", METRES, point=True)
write("conic.tif", CONIC, METRES)
write("degrees.tif", "EPSG:4269", (13.1, 1e-4, 0, 47.3, 0, -7e-5))
write("feet.tif", "EPSG:2926", (1.2e6 + 0.1, 33.3, 0, 2.5e5, 0, -33.3))
write("bare.tif", None, METRES)
# Rows that run 30 degrees north of east, and due south.
write("turned.tif", "EPSG:32633", (400000.1, 10.3 * 0.75**0.5, 10.7 * 0.5, 5200000.7, 10.3 * 0.5, -10.7 * 0.75**0.5))
write("quarter.tif", "EPSG:32633", (400000.1, 0, -10.7, 5200000.7, -10.3, 0))
write("text.asc", "EPSG:32633", (400000, 10, 0, 5200000, 0, -10), driver="AAIGrid")
write("conic.asc", CONIC, (400000, 10, 0, 5200000, 0, -10), driver="AAIGrid")
write("degrees.asc", "EPSG:4326", (13.5, 0.001, 0, 47.25, 0, -0.001), driver="AAIGrid")
