"""What tests share: small pipelines, and the refusal to skip where a device is required."""

import os

import numpy as np
import pytest
import sastrugi

TICK = """
#version 460
#include "stage.glsl"
void stage(ivec3 cell) {
    for (uint k = 0; k < 5; k++) set_box_parts(cell, k, vec2(k, cell.x + 10 * cell.y + 100 * cell.z));
    set_box_heat(cell, box_heat(cell) + arg.rate);
    set_box_marks(cell, box_marks(cell) + 1u);
}
"""

PAINT = """
#version 460
#include "stage.glsl"
void stage(ivec2 pixel) { set_view_color(pixel, vec4(float(pixel.x) / 4.0, box_heat(ivec3(0)), 0.0, 1.0)); }
"""

#: A grid of 4 x 3 x 2 cells with a channel of each kind, and a picture.
PIPELINE = {
    "parameters": {"n": 4, "rate": 0.25, "wind": [1, 2, 3]},
    "run": {"dt": 0.5, "steps_per_frame": 2, "frames": 3},
    "grids": {
        "box": {
            "cells": ["n", 3, 2],
            "cell_size": 1,
            "channels": {
                "heat": {"type": "float", "background": 1},
                "flow": {"type": "vec3", "background": 0},
                "marks": {"type": "uint", "background": 0},
                "small": {"type": "half", "background": 0},
                "turn": {"type": "mat3", "background": 0},
                "parts": {"type": "vec2", "count": 5, "background": 0},
            },
        },
        "view": {"pixels": [4, 3], "channels": {"color": "rgba8"}},
    },
    "buffers": {"list": {"type": "double", "length": 6, "background": 0}},
    "step": [
        {
            "stage": "tick",
            "over": "box",
            "reads": ["box.heat", "box.marks"],
            "writes": ["box.heat", "box.marks", "box.parts"],
            "arguments": {"rate": "rate"},
        }
    ],
    "frame": [{"stage": "paint", "over": "view", "reads": ["box.heat"], "writes": ["view.color"]}],
    "outputs": {
        "heat": {"source": "box.heat", "format": "npy"},
        "parts": {"source": "box.parts", "format": "npy"},
        "flow": {"source": "box.flow", "format": "npy"},
        "small": {"source": "box.small", "format": "npy"},
        "turn": {"source": "box.turn", "format": "npy"},
        "view": {"source": "view.color", "format": "npy"},
        "picture": {"source": "view.color", "format": "png"},
    },
}

KERNELS = {"tick.comp": TICK, "paint.comp": PAINT}


@pytest.fixture(scope="session", autouse=True)
def device():
    """Skips all tests where there is no device, unless SASTRUGI_REQUIRE_GPU is set."""
    try:
        found = [device for device in sastrugi.devices() if device.usable]
    except sastrugi.DeviceError as error:
        found, reason = [], str(error)
    else:
        reason = "no device can be used"
    if not found:
        if os.environ.get("SASTRUGI_REQUIRE_GPU"):
            pytest.fail(reason)
        pytest.skip(reason)
    return found[0]


@pytest.fixture
def sim():
    """The small pipeline, with the validation layer."""
    with sastrugi.load(PIPELINE, kernels=KERNELS, name="box", validation=True) as simulation:
        yield simulation


@pytest.fixture
def ramp():
    """Values that differ everywhere, in the shape of `box.heat`."""
    return np.arange(24, dtype=np.float32).reshape(2, 3, 4)
