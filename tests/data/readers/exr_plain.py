"""Reads uncompressed scan-line EXR files with the standard library alone and prints their channels as JSON.

Layout: "OpenEXR File Layout", Academy Software Foundation.
"""

import json
import struct
import sys

TYPES = {0: ("I", 4), 1: ("e", 2), 2: ("f", 4)}


def text(data, at):
    end = data.index(b"\0", at)
    return data[at:end].decode("ascii"), end + 1


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    magic, version = struct.unpack_from("<II", data)
    assert magic == 20000630 and version & 0xFF == 2, "not an EXR file"
    at, attributes = 8, {}
    while data[at]:
        name, at = text(data, at)
        _, at = text(data, at)
        (size,) = struct.unpack_from("<I", data, at)
        attributes[name] = data[at + 4 : at + 4 + size]
        at += 4 + size
    at += 1
    assert attributes["compression"] == b"\0", "compressed"
    x0, y0, x1, y1 = struct.unpack("<4i", attributes["dataWindow"])
    width, height = x1 - x0 + 1, y1 - y0 + 1
    channels, inside = [], 0
    while attributes["channels"][inside]:
        name, inside = text(attributes["channels"], inside)
        (kind,) = struct.unpack_from("<I", attributes["channels"], inside)
        inside += 16
        channels.append((name, kind))
    values = {name: [] for name, _ in channels}
    for row, offset in enumerate(struct.unpack_from(f"<{height}Q", data, at)):
        y, _ = struct.unpack_from("<iI", data, offset)
        assert y == y0 + row
        offset += 8
        for name, kind in channels:
            letter, size = TYPES[kind]
            values[name] += struct.unpack_from(f"<{width}{letter}", data, offset)
            offset += width * size
    kinds = {name: TYPES[kind][0] for name, kind in channels}
    own = {}
    if "time" in attributes:
        (own["time"],) = struct.unpack("<d", attributes["time"])
        own["software"] = attributes["software"].decode("ascii").split()[0]
    return {
        "width": width,
        "height": height,
        "facts": own,
        "arrays": {name: {"type": kinds[name], "values": values[name]} for name in values},
    }


print(json.dumps([read(path) for path in sys.argv[1:]]))
