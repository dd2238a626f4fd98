"""Reads classic bgeo files (version 5, points only) and prints what they hold as JSON.

Written from the layout alone: "Bgeo", "V", then big-endian 32-bit integers: version, points, primitives, point groups,
primitive groups, point attributes, vertex, primitive and detail attributes. Each attribute: a 16-bit length and its
name, a 16-bit size, a 32-bit type (0 float, 1 integer, 5 vector), a default of 32 bits per component. Each point: four
floats of position, then its attributes. Two bytes, 00 and ff, end the file.
"""

import json
import struct
import sys


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        values = struct.unpack_from(">" + form, self.data, self.at)
        self.at += struct.calcsize(">" + form)
        return values

    def name(self):
        (length,) = self.take("H")
        self.at += length
        return self.data[self.at - length : self.at].decode("ascii")


def attribute(reader):
    name = reader.name()
    size, kind = reader.take("Hi")
    letter = {0: "f", 1: "i", 5: "f"}[kind]
    reader.take(f"{size}{letter}")
    return {"name": name, "size": size, "type": kind, "letter": letter, "values": []}


def read(path):
    with open(path, "rb") as file:
        reader = Reader(file.read())
    assert reader.take("4sc") == (b"Bgeo", b"V"), "not a classic bgeo file"
    version, points, *others = reader.take("9i")
    assert version == 5, f"version {version}"
    primitives, point_groups, primitive_groups, attributes, *rest = others
    assert [primitives, point_groups, primitive_groups, *rest] == [0] * 6, "more than points"
    definitions = [attribute(reader) for _ in range(attributes)]
    positions = {"name": "P", "size": 4, "type": 5, "letter": "f", "values": []}
    for _ in range(points):
        for column in [positions, *definitions]:
            column["values"] += reader.take(f"{column['size']}{column['letter']}")
    assert reader.take("2B") == (0, 255) and reader.at == len(reader.data), "the end is not where it should be"
    columns = [positions, *definitions]
    return {
        "points": points,
        "arrays": {c["name"]: {"components": c["size"], "type": str(c["type"]), "values": c["values"]} for c in columns},
    }


print(json.dumps([read(path) for path in sys.argv[1:]]))
