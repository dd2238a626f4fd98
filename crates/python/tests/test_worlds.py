"""Several worlds in one simulation: fields with an axis of their own, values for each world, runs."""

import numpy as np
import pytest
import sastrugi
from conftest import KERNELS, PIPELINE

RATES = [0.25, 1.0, -2.0]


def load(**options):
    return sastrugi.load(PIPELINE, kernels=KERNELS, validation=True, **options)


def test_fields_have_an_axis_of_worlds():
    with load(worlds={"rate": RATES}) as sim:
        assert sim.worlds == 3
        assert sim["box.heat"].shape == (3, 2, 3, 4) and sim["box.parts"].shape == (3, 2, 3, 4, 5, 2)
        sim.step(2)
        assert np.array_equal(sim["box.heat"][:, 0, 0, 0], 1 + 2 * np.array(RATES, np.float32))
        # Entries of arrays are where they are in a simulation of one world.
        with load() as alone:
            alone.step(2)
            assert alone.worlds is None and np.array_equal(sim["box.parts"][1], alone["box.parts"])
            assert np.array_equal(sim["box.heat"][0], alone["box.heat"])
        pictures = [sim.frame(world=world) for world in range(3)]
        assert pictures[0].shape == (3, 4, 3) and not np.array_equal(pictures[0], pictures[2])
        with pytest.raises(IndexError, match="no world 3: the simulation has 3"):
            sim.frame(world=3)


def test_values_are_written_in_all_worlds():
    with load(worlds=3) as sim:
        parts = np.arange(720, dtype=np.float32).reshape(3, 2, 3, 4, 5, 2)
        sim["box.parts"] = parts
        assert np.array_equal(sim["box.parts"], parts)
        sim["box.heat"] = np.arange(3, dtype=np.float32)[:, None, None, None]
        sim["box.heat"][1] = 7
        assert [float(world.mean()) for world in sim["box.heat"]] == [0, 7, 2]
        sim["box.small"] = 0.5
        sim.step()
        assert np.array_equal(sim["box.heat"][:, 1, 2, 3], [0.25, 7.25, 2.25])
        assert np.array_equal(sim["box.small"], np.full((3, 2, 3, 4), 0.5))


def test_one_world_has_the_axis_if_it_was_asked_for():
    with load(worlds=1) as sim:
        assert sim.worlds == 1 and sim["box.heat"].shape == (1, 2, 3, 4)
        assert sim.frame().shape == (3, 4, 3)


def test_parameters_are_set_in_each_world_or_in_all():
    with load(worlds={"rate": RATES}) as sim:
        assert np.array_equal(sim.parameters["rate"], RATES)
        sim.parameters["rate"] = np.array([1.0, 2.0, 3.0])
        sim.step()
        assert list(sim["box.heat"][:, 0, 0, 0]) == [2, 3, 4]
        sim.parameters["rate"] = 1
        assert sim.parameters["rate"] == 1
        sim.step()
        assert list(sim["box.heat"][:, 0, 0, 0]) == [3, 4, 5]
        # A vector for all, and one for each.
        sim.parameters["wind"] = [4, 5, 6]
        assert sim.parameters["wind"] == [4, 5, 6]
        each = np.arange(9.0).reshape(3, 3)
        sim.parameters["wind"] = each
        assert np.array_equal(sim.parameters["wind"], each)
        # An expression is read again, and keeps what was set before.
        sim.parameters["rate"] = "1 + 1"
        sim.step()
        assert list(sim["box.heat"][:, 0, 0, 0]) == [5, 6, 7]
        assert np.array_equal(sim.parameters["wind"], each)
        with pytest.raises(sastrugi.ShapeError, match="2 values for 3 worlds"):
            sim.parameters["rate"] = [1, 2]


def test_runs_write_each_world(tmp_path):
    run = sastrugi.run(PIPELINE, tmp_path / "all", kernels=KERNELS, worlds={"rate": RATES}, frames=2)
    assert run.manifest["worlds"] == 3
    for world, rate in enumerate(RATES):
        alone = sastrugi.run(PIPELINE, tmp_path / str(world), kernels=KERNELS, set={"rate": rate}, frames=2)
        assert np.array_equal(run.read("heat", 2, world), alone.read("heat", 2))
        assert len(run.files("heat", world)) == 2
    assert not np.array_equal(run.read("heat", 2, 0), run.read("heat", 2, 1))


def test_shared_memory_of_worlds_is_the_field():
    try:
        sim = sastrugi.load(PIPELINE, kernels=KERNELS, share="cpu", worlds=3)
    except sastrugi.Error as error:
        pytest.skip(str(error))
    with sim:
        for name in ("box.heat", "box.small", "box.parts", "box.turn"):
            shared = np.asarray(sim[name])
            shared[...] = np.arange(shared.size, dtype=shared.dtype).reshape(shared.shape)
            assert np.array_equal(sim[name].read(), shared)


@pytest.mark.parametrize(
    ("worlds", "message"),
    [
        ({"n": [4, 5]}, "change more than initial values"),
        ({"rat": [1, 2]}, "no `rat`"),
        ({"rate": [1, 2], "wind": np.zeros((3, 3))}, "3 values for 2 worlds"),
        (0, "not a whole number from 1"),
    ],
)
def test_mistakes_in_worlds_are_named(worlds, message):
    with pytest.raises(sastrugi.PipelineError, match=message):
        load(worlds=worlds)
