"""Burns the polygons of a GeoJSON file into the pixels of a raster with GDAL, and prints the marks, the north row first."""

import json
import sys

from osgeo import gdal, ogr

gdal.UseExceptions()

raster = gdal.Open(sys.argv[1])
marks = gdal.GetDriverByName("MEM").Create("", raster.RasterXSize, raster.RasterYSize, 1, gdal.GDT_Byte)
marks.SetGeoTransform(raster.GetGeoTransform())
# Without a coordinate system, GDAL takes the polygons as they are.
polygons = ogr.Open(sys.argv[2])
gdal.RasterizeLayer(marks, [1], polygons.GetLayer(), burn_values=[1])
print(json.dumps([{"values": marks.GetRasterBand(1).ReadAsArray().tolist()}]))
