"""Reads binary little-endian PLY files of vertices with scalar properties and prints them as JSON.

Layout: Greg Turk, "The PLY Polygon File Format", 1994.
"""

import json
import struct
import sys

LETTERS = {"float": "f", "int": "i", "uint": "I", "double": "d", "uchar": "B"}


def read(path):
    with open(path, "rb") as file:
        header, data = file.read().split(b"end_header\n", 1)
    lines = [line.split() for line in header.decode("ascii").splitlines()]
    assert lines[0] == ["ply"] and lines[1] == ["format", "binary_little_endian", "1.0"], lines[:2]
    (count,) = [int(words[2]) for words in lines if words[:2] == ["element", "vertex"]]
    properties = [(words[2], words[1]) for words in lines if words[0] == "property"]
    row = struct.Struct("<" + "".join(LETTERS[kind] for _, kind in properties))
    assert len(data) == count * row.size, "the data is not as long as the header says"
    rows = list(row.iter_unpack(data))
    columns = {
        name: {"type": kind, "values": [values[number] for values in rows]}
        for number, (name, kind) in enumerate(properties)
    }
    return {"points": count, "arrays": columns}


print(json.dumps([read(path) for path in sys.argv[1:]]))
