"""Fields whose memory other packages use without copies. On CUDA: benches/python/zero_copy.py."""

import gc
import json
import os
from pathlib import Path

import numpy as np
import pytest
import sastrugi
from conftest import KERNELS, PIPELINE

HEAT = {
    "run": {"dt": 1},
    "grids": {"box": {"cells": [64, 32, 16], "cell_size": 1, "channels": {"f": {"type": "float", "background": 1}}}},
    "step": [{"stage": "add", "over": "box", "reads": ["box.f"], "writes": ["box.f"]}],
}
ADD = """
#version 460
#include "stage.glsl"
void stage(ivec3 cell) { set_box_f(cell, box_f(cell) + 1.0); }
"""


@pytest.fixture
def shared(device):
    if "llvmpipe" not in device.name:
        pytest.skip("the memory of the device is not that of the host")
    with sastrugi.load(HEAT, kernels={"add.comp": ADD}, share="cpu", validation=True) as sim:
        yield sim


def test_arrays_are_the_fields_themselves(shared):
    view = np.asarray(shared["box.f"])
    assert view.shape == (16, 32, 64) and np.all(view == 1)
    shared.step(3)
    shared.wait()
    assert np.all(view == 4)
    view[2, 3, 4] = 10
    shared.step()
    assert shared["box.f"].read()[2, 3, 4] == 11 and np.all(shared["box.f"][0] == 5)
    again = np.asarray(shared["box.f"])
    assert again.ctypes.data == view.ctypes.data and again.base is not None
    by_dlpack = np.from_dlpack(shared["box.f"])
    assert by_dlpack.ctypes.data == view.ctypes.data
    # Reads, and arrays that are asked to be copies, stay as they are.
    read, copied = shared["box.f"].read(), np.array(shared["box.f"], copy=True)
    shared.step()
    shared.wait()
    assert read[2, 3, 4] == copied[2, 3, 4] == 11 and view[2, 3, 4] == 12


def test_control_other_simulations_hand_out_copies(device):
    with sastrugi.load(HEAT, kernels={"add.comp": ADD}) as sim:
        array = np.asarray(sim["box.f"])
        sim.step()
        sim.wait()
        assert np.all(array == 1)
        assert np.asarray(sim["box.f"]).ctypes.data != array.ctypes.data


def test_tensors_of_pytorch_are_the_fields_themselves(shared):
    torch = pytest.importorskip("torch")
    tensor = torch.from_dlpack(shared["box.f"])
    assert tensor.data_ptr() == np.asarray(shared["box.f"]).ctypes.data
    tensor.mul_(3)
    shared.step()
    shared.wait()
    assert bool((tensor == 4).all())


def test_arrays_of_jax_are_the_fields_themselves(shared, monkeypatch):
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    jax = pytest.importorskip("jax")
    array = jax.dlpack.from_dlpack(shared["box.f"], copy=False)
    assert array.shape == (16, 32, 64) and array.dtype == np.float32
    assert array.unsafe_buffer_pointer() == np.asarray(shared["box.f"]).ctypes.data
    shared.step(2)
    shared.wait()
    # Arrays of JAX are constants for JAX: take a new one after steps.
    assert bool((jax.dlpack.from_dlpack(shared["box.f"], copy=False) == 3).all())
    shared["box.f"] = jax.numpy.arange(16.0).reshape(16, 1, 1) + jax.numpy.zeros((16, 32, 64))
    shared.step()
    assert shared["box.f"].read()[:, 0, 0].tolist() == [k + 1 for k in range(16)]


def test_memory_outlives_the_simulation_and_the_reverse(shared):
    with sastrugi.load(HEAT, kernels={"add.comp": ADD}, share="cpu") as sim:
        sim.step()
        view = np.asarray(sim["box.f"])
        other = np.asarray(sim["box.f"])
        del other
        gc.collect()
        sim.step()
        sim.wait()
        assert np.all(view == 3)
    del sim
    gc.collect()
    # Other memory of the device is not this one.
    with sastrugi.load(HEAT, kernels={"add.comp": ADD}) as more:
        more["box.f"] = 77
        more.step()
        more.wait()
    assert np.all(view == 3)
    view[:] = 5
    assert view.sum() == 5 * view.size


def test_views_have_the_values_of_reads(device):
    if "llvmpipe" not in device.name:
        pytest.skip("the memory of the device is not that of the host")
    with sastrugi.load(PIPELINE, kernels=KERNELS, share="cpu") as sim:
        sim.step(2)
        rng = np.random.default_rng(1)
        for name, field in sim.fields.items():
            if field.dtype.kind == "f":
                sim[name] = rng.standard_normal(field.shape).astype(field.dtype)
            view = np.asarray(sim[name])
            assert view.shape == field.shape and view.dtype == field.dtype
            assert np.array_equal(view, field.read()), name


def test_handovers_leave_memory_flat(shared):
    # Without the validation layer, which keeps memory for each submission.
    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def hand_over(sim, times):
        for _ in range(times):
            view = np.asarray(sim["box.f"])
            capsule = sim["box.f"].__dlpack__()
            assert view[0, 0, 0] == 1 and capsule

    with sastrugi.load(HEAT, kernels={"add.comp": ADD}, share="cpu") as sim:
        hand_over(sim, 200)
        before = resident()
        hand_over(sim, 10_000)
        # 131 kB a field: one in a hundred that stays would be seen.
        assert resident() - before < 4e6


def test_views_stay_after_a_state_is_restored(shared, tmp_path):
    view = np.asarray(shared["box.f"])
    shared.step()
    shared.checkpoint(tmp_path / "state")
    shared.restore(tmp_path / "state")
    shared.step()
    shared.wait()
    # The simulation continues in other memory.
    assert np.all(view == 2) and np.all(np.asarray(shared["box.f"]) == 3)


def test_what_cannot_be_shared_says_so(device, tmp_path):
    with pytest.raises(ValueError, match="`share` is"):
        sastrugi.load(HEAT, kernels={"add.comp": ADD}, share="gpu")
    if "llvmpipe" in device.name:
        with pytest.raises(sastrugi.Error, match="CUDA does not see") as found:
            sastrugi.load(HEAT, kernels={"add.comp": ADD}, share="cuda")
        assert "NVIDIA" in found.value.help
        sparse = json.loads(json.dumps(HEAT))
        sparse["grids"]["box"]["sparse"] = {"block": [8, 8, 8]}
        sparse["grids"]["box"]["channels"]["small"] = {"type": "half", "background": 0}
        with sastrugi.load(sparse, kernels={"add.comp": ADD}, share="cpu") as sim:
            with pytest.raises(sastrugi.Error, match="cannot be copied on the device"):
                np.asarray(sim["box.small"])


def test_channels_of_sparse_grids_are_copied_on_the_device(device):
    if "llvmpipe" not in device.name:
        pytest.skip("the memory of the device is not that of the host")
    ball = Path(__file__).parents[3] / "tests/data/sparse/ball.json"
    more = {"grids.g.channels.parts": {"type": "vec2", "count": 3, "background": 2}}
    with sastrugi.load(ball, share="cpu", set=more, validation=True) as sim:
        sim.step(3)
        flow = np.arange(sim["g.flow"].size, dtype=np.float32).reshape(sim["g.flow"].shape)
        parts = np.arange(sim["g.parts"].size, dtype=np.float32).reshape(sim["g.parts"].shape)
        sim["g.flow"], sim["g.parts"] = flow, parts
        copies = {name: np.asarray(sim[name]) for name in ("g.heat", "g.hits", "g.flow", "g.parts")}
        for name, copy in copies.items():
            assert np.array_equal(copy, sim[name].read()), name
        # Control: some blocks are active, and others have the background.
        assert np.any(copies["g.heat"] == -1) and np.any(copies["g.heat"] != -1)
        assert np.any(copies["g.parts"] == 2) and np.any(copies["g.parts"] == parts)
        # It is a copy: steps do not change it, and it does not change steps.
        before = copies["g.heat"].copy()
        copies["g.heat"][...] = 5
        sim.step()
        assert not np.any(sim["g.heat"].read() == 5) and np.all(copies["g.heat"] == 5)
        assert not np.array_equal(sim["g.heat"].read(), before)
