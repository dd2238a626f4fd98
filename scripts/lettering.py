#!/usr/bin/env python3
"""Extruded lettering as a closed triangle mesh, for particle sets that start from a mesh.

    pip install fonttools mapbox_earcut numpy
    scripts/lettering.py FONT TEXT > pipelines/assets/lettering.obj

FONT is a TrueType, OpenType or WOFF file. Letters stand upright in the x-z plane, read along x as seen from below
y = 0, and are extruded along y. They are one unit high and DEPTH deep, with the lower left corner at the origin. The
outlines of a letter must not cross or touch, nor may letters: every edge is shared by exactly two triangles.
"""

import math
import sys
from collections import Counter

import mapbox_earcut
import numpy as np
from fontTools.pens.basePen import BasePen
from fontTools.ttLib import TTFont

DEPTH = 0.25
# Greatest distance of a curve from the chords that stand for it, in heights of a letter.
TOLERANCE = 0.0007
# Coordinates are rounded before anything is decided, so that the file has what was checked.
DIGITS = 4


class Outlines(BasePen):
    """Closed polygons of a glyph, in units of the font."""

    def __init__(self, glyphs, tolerance):
        super().__init__(glyphs)
        self.tolerance = tolerance
        self.polygons = []

    def _moveTo(self, point):
        self.polygons.append([point])

    def _lineTo(self, point):
        self.polygons[-1].append(point)

    def _curveToOne(self, b, c, d):
        a = self.polygons[-1][-1]
        # Wang's bound on the distance between a Bezier curve and n chords of it.
        bend = max(math.dist((a[0] + c[0], a[1] + c[1]), (2 * b[0], 2 * b[1])),
                   math.dist((b[0] + d[0], b[1] + d[1]), (2 * c[0], 2 * c[1])))
        chords = max(1, math.ceil(math.sqrt(0.75 * bend / self.tolerance)))
        for i in range(1, chords + 1):
            t = i / chords
            weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t ** 3)
            self.polygons[-1].append(tuple(sum(w * p[axis] for w, p in zip(weights, (a, b, c, d)))
                                           for axis in (0, 1)))


def turn(a, b, c):
    return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])


def without_straight_corners(polygon):
    """Leaves out points that repeat or lie between their neighbours: the triangulation would, and leave gaps."""
    polygon, i = list(polygon), 0
    while i < len(polygon):
        if turn(polygon[i - 1], polygon[i], polygon[(i + 1) % len(polygon)]) == 0:
            # One at a time: of two equal points one stays. The neighbour may lie straight now.
            del polygon[i]
            i = max(i - 2, 0)
        else:
            i += 1
    return polygon


def area(polygon):
    return sum(polygon[i - 1][0] * p[1] - p[0] * polygon[i - 1][1] for i, p in enumerate(polygon)) / 2


def inside(point, polygon):
    crossed = False
    for i, (x, y) in enumerate(polygon):
        u, v = polygon[i - 1]
        if (y > point[1]) != (v > point[1]) and point[0] < x + (point[1] - y) * (u - x) / (v - y):
            crossed = not crossed
    return crossed


def letters_of(path, text):
    """For each letter its polygons, as whole numbers of 10^-DIGITS units."""
    font = TTFont(path)
    glyphs, names = font.getGlyphSet(), font.getBestCmap()
    rough = font["head"].unitsPerEm * TOLERANCE
    letters, at = [], 0
    for letter in text:
        if ord(letter) not in names:
            sys.exit(f"{path} has no glyph for {letter!r}")
        glyph = glyphs[names[ord(letter)]]
        pen = Outlines(glyphs, rough)
        glyph.draw(pen)
        letters.append([[(x + at, y) for x, y in polygon] for polygon in pen.polygons])
        at += glyph.width
    points = [point for polygons in letters for polygon in polygons for point in polygon]
    left, bottom, top = min(x for x, _ in points), min(y for _, y in points), max(y for _, y in points)
    scale = 10 ** DIGITS / (top - bottom)
    return [[without_straight_corners([(round((x - left) * scale), round((y - bottom) * scale)) for x, y in polygon])
             for polygon in polygons] for polygons in letters]


def faces_of(polygons):
    """Triangles over the polygons' points, outer outlines first and each with its holes."""
    depth = [sum(inside(polygon[0], other) for other in polygons if other is not polygon) for polygon in polygons]
    points, faces = [], []
    for outer in (polygon for polygon, d in zip(polygons, depth) if d % 2 == 0):
        holes = [polygon for polygon, d in zip(polygons, depth) if d % 2 == 1 and inside(polygon[0], outer)]
        rings = [outer if area(outer) > 0 else outer[::-1]]
        rings += [hole if area(hole) < 0 else hole[::-1] for hole in holes]
        flat = [point for ring in rings for point in ring]
        ends = np.cumsum([len(ring) for ring in rings]).astype(np.uint32)
        corners = mapbox_earcut.triangulate_float64(np.array(flat, dtype=np.float64), ends).reshape(-1, 3)
        first, behind = len(points), len(flat)
        front = [[first + int(corner) for corner in triangle] for triangle in corners]
        front = [t if turn(*(flat[corner - first] for corner in t)) > 0 else t[::-1] for t in front]
        points += [(x, 0, z) for x, z in flat] + [(x, round(DEPTH * 10 ** DIGITS), z) for x, z in flat]
        faces += front + [[corner + behind for corner in triangle[::-1]] for triangle in front]
        start = first
        for ring in rings:
            for i in range(len(ring)):
                a, b = start + i, start + (i + 1) % len(ring)
                faces += [[b, a, a + behind], [b, a + behind, b + behind]]
            start += len(ring)
    return points, faces


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    points, faces = [], []
    for polygons in letters_of(*sys.argv[1:]):
        some, triangles = faces_of(polygons)
        faces += [[len(points) + corner for corner in triangle] for triangle in triangles]
        points += some
    edges = Counter((t[i - 1], t[i]) for t in faces for i in range(3))
    open_edges = [edge for edge, count in edges.items() if count != 1 or edges[edge[::-1]] != 1]
    if open_edges:
        a, b = (points[corner] for corner in open_edges[0])
        sys.exit(f"{len(open_edges)} edges are not shared by two triangles, such as that from {a} to {b}")
    volume = sum(float(np.linalg.det(np.array([points[c] for c in t], dtype=np.float64))) for t in faces) / 6
    print(f"{len(points)} vertices, {len(faces)} triangles, volume {volume / 10.0 ** (3 * DIGITS):.6f}",
          file=sys.stderr)
    print(f"# The word {sys.argv[2]}, extruded; made by scripts/lettering.py, see README.md")
    for point in points:
        print("v", *(f"{c / 10 ** DIGITS:.{DIGITS}f}".rstrip("0").rstrip(".") for c in point))
    for triangle in faces:
        print("f", *(corner + 1 for corner in triangle))


if __name__ == "__main__":
    main()
