"""Fields as arrays: shapes, types, reading, writing, lifetimes."""

import gc

import numpy as np
import pytest
import sastrugi
from conftest import KERNELS, PIPELINE


def test_shapes_and_types_are_those_of_the_outputs(sim):
    assert sim["box.heat"].shape == (2, 3, 4) and sim["box.heat"].dtype == np.float32
    assert sim["box.flow"].shape == (2, 3, 4, 3)
    assert sim["box.marks"].dtype == np.uint32
    assert sim["box.small"].dtype == np.float16
    assert sim["box.parts"].shape == (2, 3, 4, 5, 2)
    assert sim["view.color"].shape == (3, 4, 4) and sim["view.color"].dtype == np.uint8
    assert sim["list"].shape == (6,) and sim["list"].dtype == np.float64
    heat = sim["box.heat"]
    assert (heat.ndim, heat.size, heat.nbytes, len(heat)) == (3, 24, 96, 2)
    assert "box.heat" in repr(heat) and "box.heat" in repr(sim.fields)


def test_values_written_are_read_in_the_same_order(sim, ramp):
    sim["box.heat"] = ramp
    assert np.array_equal(sim["box.heat"], ramp)
    # x is the last axis: the kernel sees cell (0, 0, 0) alone.
    sim["box.heat"][0, 0, 0] = 0.5
    assert sim.frame()[0, 0, 1] == 128
    flow = np.arange(72, dtype=np.float32).reshape(2, 3, 4, 3)
    sim["box.flow"][...] = flow
    assert np.array_equal(sim["box.flow"], flow)
    parts = np.arange(240, dtype=np.float32).reshape(2, 3, 4, 5, 2)
    sim["box.parts"][:] = parts
    assert np.array_equal(sim["box.parts"], parts)
    # As the kernel writes them.
    sim.step()
    assert list(sim["box.parts"][1, 2, 3, 4]) == [4, 123]
    sim["list"] = np.linspace(0, 1, 6)
    assert np.array_equal(sim["list"], np.linspace(0, 1, 6))


def test_fields_behave_like_arrays(sim, ramp):
    heat = sim["box.heat"]
    heat[...] = ramp
    assert np.array_equal(heat + 1, ramp + 1) and np.array_equal(1 - heat, 1 - ramp)
    assert np.array_equal(np.sqrt(heat), np.sqrt(ramp)) and isinstance(np.sqrt(heat), np.ndarray)
    assert np.array_equal(heat[1, :, ::2], ramp[1, :, ::2]) and heat[0, 0, 3] == 3
    assert (heat.sum(), heat.max(), heat.min(), heat.mean()) == (276, 23, 0, 11.5)
    assert np.mean(heat) == 11.5 and np.array_equal(np.concatenate([heat, heat]), np.concatenate([ramp, ramp]))
    assert np.array_equal(heat > 5, ramp > 5) and np.array_equal(list(heat), ramp)
    heat *= 2
    assert np.array_equal(sim["box.heat"], 2 * ramp)
    sim["box.heat"] += 1
    assert np.array_equal(sim["box.heat"], 2 * ramp + 1)
    sim["box.heat"][0] = 7
    sim["box.heat"][:, 1, 1:3] = [8, 9]
    expected = 2 * ramp + 1
    expected[0] = 7
    expected[:, 1, 1:3] = [8, 9]
    assert np.array_equal(sim["box.heat"], expected)
    assert np.add(ramp, 1, out=sim["box.heat"]) is not None
    assert np.array_equal(sim["box.heat"], ramp + 1)
    np.add.at(sim["box.heat"], (0, 0, [1, 1, 2]), 10)
    assert list(sim["box.heat"][0, 0]) == [1, 22, 13, 4]
    # What would change a copy is refused.
    for change in (lambda: np.copyto(sim["box.heat"], ramp), lambda: np.put(sim["box.heat"], [0], [1])):
        with pytest.raises((TypeError, AttributeError)):
            change()


def test_scalars_and_other_types_that_fit_are_converted(sim):
    sim["box.heat"] = 3
    assert np.all(sim["box.heat"].read() == 3)
    sim["box.heat"] = np.full((2, 3, 4), 0.1)
    assert np.all(sim["box.heat"].read() == np.float32(0.1))
    sim["box.marks"] = 4
    sim["box.marks"][0] = np.int64(5)
    sim["box.marks"][1, 0] = [True, False, True, False]
    assert sim["box.marks"].sum() == 12 * 5 + 2 + 8 * 4
    sim["box.small"] = np.float32(0.5)
    assert np.all(sim["box.small"].read() == 0.5)


def test_other_libraries_read_fields_by_their_protocols(sim, ramp):
    sim["box.heat"] = ramp
    heat = sim["box.heat"]
    assert np.array_equal(np.asarray(heat), ramp)
    assert np.array_equal(np.array(heat, dtype=np.float64), ramp)
    assert np.array_equal(np.from_dlpack(heat), ramp)
    assert heat.__dlpack_device__() == (1, 0)

    class Interface:
        __array_interface__ = heat.__array_interface__

    assert np.array_equal(np.asarray(Interface()), ramp)
    with pytest.raises(ValueError, match="on the device"):
        np.asarray(heat).__class__ and heat.__array__(copy=False)


def test_arrays_outlive_their_simulation_and_the_reverse(ramp):
    sim = sastrugi.load(PIPELINE, kernels=KERNELS)
    sim["box.heat"] = ramp
    read, taken = sim["box.heat"].read(), np.from_dlpack(sim["box.heat"])

    class Interface:
        __array_interface__ = sim["box.heat"].__array_interface__

    shared = np.asarray(Interface())
    picture = sim.frame()
    field = sim["box.heat"]
    del sim
    gc.collect()
    # The field keeps its simulation.
    assert np.array_equal(field, ramp)
    field._simulation.close()
    del field
    gc.collect()
    waste = [np.ones(24, np.float32) for _ in range(1000)]
    for values in (read, taken, shared):
        assert np.array_equal(values, ramp)
    assert picture.shape == (3, 4, 3) and len(waste) == 1000
    # What was read is the reader's own.
    read[...] = 0
    assert np.array_equal(taken, ramp)


def test_reading_thousands_of_times_keeps_memory_flat(sim):
    import resource

    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize()

    for _ in range(200):
        sim["box.parts"].read()
    before = resident()
    for _ in range(2000):
        sim["box.parts"] = sim["box.parts"].read()
        sim.step()
    assert resident() - before < 16 << 20
