"""Reads NRRD files with attached raw data by the definition of the format (teem.sourceforge.net/nrrd/format.html), and
prints what they hold as JSON."""

import json
import sys

import numpy

TYPES = {"float": "f4", "int32": "i4", "uint32": "u4", "uint8": "u1"}
ORDERS = {"little": "<", "big": ">"}


def vector(text):
    if text == "none":
        return None
    assert text[0] == "(" and text[-1] == ")", text
    return [float(number) for number in text[1:-1].split(",")]


def read(path):
    with open(path, "rb") as file:
        header, data = file.read().split(b"\n\n", 1)
    magic, *lines = header.decode("ascii").split("\n")
    assert magic in [f"NRRD000{version}" for version in range(1, 6)], magic
    fields = dict(line.split(": ", 1) for line in lines)
    assert len(fields) == len(lines), "a field stands twice"
    sizes = [int(size) for size in fields["sizes"].split()]
    assert list(fields).index("dimension") < list(fields).index("sizes")
    assert fields["encoding"] == "raw"
    per_axis = {key: fields[key].split() for key in ["space directions", "centerings", "kinds"]}
    assert all(len(words) == len(sizes) == int(fields["dimension"]) for words in per_axis.values())
    directions = [vector(word) for word in per_axis["space directions"]]
    origin = vector(fields["space origin"])
    # A space of so many dimensions has as many axes in it, and as many units.
    spatial = [direction for direction in directions if direction is not None]
    assert fields["space"] == "3D-right-handed" and len(spatial) == len(origin) == 3
    assert all(len(direction) == 3 for direction in spatial)
    assert fields["space units"].split() == ['"m"'] * 3
    numbers = numpy.frombuffer(data, ORDERS[fields["endian"]] + TYPES[fields["type"]])
    assert numbers.size == numpy.prod(sizes), "there are more numbers than the sizes say, or fewer"
    return {
        "type": fields["type"],
        "content": fields["content"],
        "sizes": sizes,
        "directions": directions,
        "origin": origin,
        "centerings": per_axis["centerings"],
        "kinds": per_axis["kinds"],
        "values": numbers.tolist(),
    }


print(json.dumps([read(path) for path in sys.argv[1:]]))
