"""Reads vdb files with one grid of points, without compression, and prints the points as JSON.

Written from the layout alone: OpenVDB's io/Archive.cc, tree/*Node.h and points/PointDataGrid.h, file version 224. Python
packages of OpenVDB have no grids of points.
"""

import json
import struct
import sys

LETTERS = {"float": "f", "int32": "i", "vec3s": "3f", "vec3i": "3i"}


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        values = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return values

    def one(self, form):
        return self.take(form)[0]

    def bytes(self, count):
        self.at += count
        assert self.at <= len(self.data)
        return self.data[self.at - count : self.at]

    def text(self):
        return self.bytes(self.one("I")).decode("ascii")

    def facts(self):
        return {self.text(): (self.text(), self.bytes(self.one("I"))) for _ in range(self.one("I"))}

    def mask(self, side):
        bits = self.bytes(side**3 // 8)
        return [number for number in range(side**3) if bits[number // 8] >> (number % 8) & 1]


def place(number, side):
    return number // side**2, number // side % side, number % side


def leaves(reader, sides, first):
    """The first voxel and the mask of each leaf below a node."""
    if not sides:
        return [(first, reader.mask(8))]
    side, extent = sides[0], 8 * (16 if len(sides) == 2 else 1)
    children, active = reader.mask(side), reader.mask(side)
    assert not active and reader.one("b") == 0, "tiles were not expected"
    found = []
    for child in children:
        corner = [at + extent * step for at, step in zip(first, place(child, side))]
        found += leaves(reader, sides[1:], corner)
    return found


def array_header(reader):
    size, flags, coding, count = reader.take("QBBI")
    assert (flags, coding) == (8, 0), "pages were not expected"
    return size - 6, count


def points(path):
    with open(path, "rb") as file:
        reader = Reader(file.read())
    assert reader.take("QI") == (0x56444220, 224), "not an OpenVDB of this version"
    _, _, has_offsets = reader.take("IIB")
    reader.bytes(36)
    facts = reader.facts()
    assert has_offsets == 1 and reader.one("I") == 1
    name, kind, parent = reader.text(), reader.text(), reader.text()
    assert (kind, parent) == ("Tree_ptdataidx32_5_4_3", "")
    begin, values, end = reader.take("3Q")
    assert reader.at == begin and reader.one("I") == 2, "compressed"
    reader.facts()
    assert reader.text() == "UniformScaleTranslateMap"
    numbers = reader.take("18d")
    origin, spacing = numbers[:3], numbers[3]
    buffers, background, tiles, children = reader.take("4I")
    assert (buffers, background, tiles) == (1, 0, 0)
    found = []
    for _ in range(children):
        found += leaves(reader, [32, 16], reader.take("3i"))
    assert reader.at == values
    passes = reader.one("H")
    assert all(reader.one("H") == 0xFFFF for _ in found)
    assert reader.one("B") == 1
    kinds = [(reader.text(), reader.text()) for _ in range(reader.one("Q"))]
    names = {reader.text(): reader.one("Q") for _ in kinds}
    assert passes == 2 * len(kinds) + 4 and reader.take("QI") == (0, 0)
    headers = [[array_header(reader) for _ in kinds] for _ in found]
    voxels = []
    for (first, mask), header in zip(found, headers):
        assert reader.mask(8) == mask and reader.one("H") == 0xFFFF
        ends = reader.take("512I")
        assert ends[-1] == header[0][1]
        for number in range(512):
            count = ends[number] - (ends[number - 1] if number else 0)
            assert (count > 0) == (number in mask)
            voxels += [[at + step for at, step in zip(first, place(number, 8))]] * count
    arrays = []
    for number, (kind, codec) in enumerate(kinds):
        assert codec == "null"
        rows, form = [], LETTERS[kind]
        for header in headers:
            size, count = header[number]
            assert reader.one("B") == 0 and size == count * struct.calcsize(form)
            rows += [list(reader.take(form)) for _ in range(count)]
        arrays.append(rows)
    assert reader.at == end == len(reader.data)
    inside = arrays[names["P"]]
    assert all(abs(part) <= 0.5 for row in inside for part in row)
    world = [
        [origin[axis] + spacing * (voxel[axis] + row[axis]) for axis in range(3)] for voxel, row in zip(voxels, inside)
    ]
    return {
        "name": name,
        "facts": sorted(facts),
        "positions": world,
        "arrays": {name: {"type": kinds[at][0], "values": arrays[at]} for name, at in names.items() if name != "P"},
    }


print(json.dumps([points(path) for path in sys.argv[1:]]))
