"""What goes wrong raises an exception that says so, and nothing is lost."""

import copy
import pickle

import numpy as np
import pytest
import sastrugi
from conftest import KERNELS, PAINT, PIPELINE, TICK


@pytest.fixture
def kept(sim, ramp):
    """A simulation whose state must survive the mistake."""
    sim["box.heat"] = ramp
    yield sim
    assert np.array_equal(sim["box.heat"], ramp)
    sim.step()
    assert np.array_equal(sim["box.heat"], ramp + 0.25)


def test_unknown_field(kept):
    with pytest.raises(sastrugi.FieldError, match="did you mean `box.heat`") as raised:
        kept["box.heta"]
    assert isinstance(raised.value, KeyError) and raised.value.help == "did you mean `box.heat`?"
    with pytest.raises(KeyError):
        kept["box.heta"] = 1
    with pytest.raises(KeyError):
        kept[3]
    assert "box.heta" not in kept and kept.fields.get("box.heta") is None


def test_wrong_shape(kept):
    with pytest.raises(sastrugi.ShapeError, match=r"\(4, 3, 2\) do not fit shape \(2, 3, 4\)") as raised:
        kept["box.heat"] = np.zeros((4, 3, 2), np.float32)
    assert isinstance(raised.value, ValueError) and "nz, ny, nx" in raised.value.help
    with pytest.raises(sastrugi.ShapeError, match=r"\(3,\) do not fit shape \(4,\)"):
        kept["box.heat"][0, 0] = [1, 2, 3]
    with pytest.raises(IndexError):
        kept["box.heat"][2] = 1
    with pytest.raises(IndexError):
        kept["box.heat"][0, 0, 0, 0]


def test_wrong_type(kept):
    with pytest.raises(sastrugi.DtypeError, match="contains uint32, not float64") as raised:
        kept["box.marks"] = 0.5
    assert isinstance(raised.value, TypeError) and "astype('uint32')" in raised.value.help
    for values in (-1, np.full((2, 3, 4), 2**32), [[["a"]]], 1j, None):
        with pytest.raises(sastrugi.DtypeError):
            kept["box.marks"] = values
    with pytest.raises(sastrugi.DtypeError):
        kept["box.heat"] = 1j
    assert np.all(kept["box.marks"].read() == 0)


def test_a_field_of_another_simulation_is_copied_or_refused(kept, ramp):
    with sastrugi.load(PIPELINE, kernels=KERNELS, set={"n": 5}) as other:
        with pytest.raises(sastrugi.ShapeError):
            kept["box.heat"] = other["box.heat"]
        with pytest.raises(sastrugi.DtypeError):
            other["box.marks"] = other["box.heat"]
    with sastrugi.load(PIPELINE, kernels=KERNELS) as other:
        other["box.heat"] = kept["box.heat"]
        assert np.array_equal(other["box.heat"], ramp)
        kept["box.heat"] += other["box.heat"]
        kept["box.heat"] -= other["box.heat"]
        other["box.heat"] = 0
        field = other["box.heat"]
    with pytest.raises(sastrugi.ClosedError):
        kept["box.heat"] = field


def test_use_after_close():
    sim = sastrugi.load(PIPELINE, kernels=KERNELS)
    field, parameters = sim["box.heat"], sim.parameters
    sim.close()
    sim.close()
    assert not sim.is_open and "closed" in repr(sim)
    for use in (
        sim.step,
        sim.wait,
        lambda: sim.call("tick"),
        sim.frame,
        sim.graph,
        field.read,
        lambda: field.write(1),
        lambda: np.asarray(field),
        lambda: parameters["rate"],
        lambda: parameters.update(rate=1),
        lambda: sim.checkpoint("x"),
        lambda: sim.steps,
    ):
        with pytest.raises(sastrugi.ClosedError, match="the simulation is closed") as raised:
            use()
        assert raised.value.help == "load it again"


def test_a_kernel_that_does_not_compile():
    broken = TICK.replace("box_heat(cell)", "box_heat(cel)")
    with pytest.raises(sastrugi.PipelineError) as raised:
        sastrugi.load(PIPELINE, kernels={**KERNELS, "tick.comp": broken}, name="box")
    error = raised.value
    assert (error.file, error.line, error.stage) == ("in memory:tick.comp", 6, "tick")
    assert "cel" in str(error) and isinstance(error, ValueError) and error.kind == "input"
    # Control: the same check accepts the kernels that compile.
    with pytest.raises(sastrugi.PipelineError):
        sastrugi.check(PIPELINE, kernels={**KERNELS, "tick.comp": broken})
    sastrugi.check(PIPELINE, kernels=KERNELS)
    with pytest.raises(sastrugi.PipelineError, match="paint.comp"):
        sastrugi.check(PIPELINE, kernels={"tick.comp": TICK})


def test_mistakes_in_a_pipeline_come_all_at_once_with_their_places():
    wrong = copy.deepcopy(PIPELINE)
    wrong["grids"]["box"]["cells"][0] = "m"
    wrong["step"][0]["reads"] = ["box.hat", "box.marks"]
    with pytest.raises(sastrugi.PipelineError) as raised:
        sastrugi.load(wrong, kernels=KERNELS, name="box")
    error = raised.value
    assert len(error.problems) >= 2
    assert error.file == "box.json" and error.line > 1 and error.column > 1
    assert any(problem["stage"] == "tick" and "box.heat" in problem["help"] for problem in error.problems)
    assert pickle.loads(pickle.dumps(error)).problems == error.problems


def test_messages_are_those_of_the_command_line(tmp_path):
    import os
    import subprocess
    import sys

    (tmp_path / "wrong.json").write_text('{"run": {"dt": 1}, "grids": {"a": {"cels": [1, 1, 1]}}}')
    with pytest.raises(sastrugi.PipelineError) as raised:
        sastrugi.load(tmp_path / "wrong.json")
    program = os.path.join(os.path.dirname(sys.executable), "sastrugi")
    done = subprocess.run(
        [program, "run", tmp_path / "wrong.json", "--out", tmp_path / "out"], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert str(raised.value).strip() and str(raised.value) in done.stderr


def test_unknown_names_of_pipelines_parameters_stages_images(kept):
    with pytest.raises(sastrugi.PipelineError, match="did you mean `smoke`"):
        sastrugi.load("smok")
    with pytest.raises(sastrugi.PipelineError, match="no `rats`"):
        sastrugi.load(PIPELINE, kernels=KERNELS, set={"rats": 1})
    with pytest.raises(sastrugi.FieldError, match="did you mean `rate`"):
        kept.parameters["rats"] = 1
    with pytest.raises(sastrugi.FieldError):
        kept.parameters["rats"]
    with pytest.raises(sastrugi.FieldError, match="did you mean `tick`"):
        kept.interface("tock")
    with pytest.raises(sastrugi.FieldError, match="`film` is not an image"):
        kept.frame("film")
    with pytest.raises(sastrugi.FieldError):
        sastrugi.text("no such thing")
    with pytest.raises(sastrugi.Error, match="no format of graphs"):
        kept.graph("svg")


def test_groups_that_cannot_be_called(kept):
    with pytest.raises(sastrugi.PipelineError, match="`tik` is not a stage or a group here") as raised:
        kept.call("tik")
    assert raised.value.file == "call of `tik`"
    with sastrugi.load("flip_dam", set={"n": 12}) as sim:
        sim.step()
        before = sim.fields
        with pytest.raises(sastrugi.PipelineError, match="cannot be called between steps"):
            sim.call("water.step")
        sim.step()
        assert sim.steps == 2 and before is sim.fields


def test_parameters_that_do_not_fit_leave_the_old_ones(kept):
    with pytest.raises(sastrugi.Error, match="load the pipeline again"):
        kept.parameters["n"] = 5
    with pytest.raises(sastrugi.PipelineError):
        kept.parameters["rate"] = "1 +"
    with pytest.raises(ValueError):
        kept.parameters["rate"] = float("nan")
    with pytest.raises(TypeError):
        kept.parameters["rate"] = object()
    for name in ("wind.3", "rate.0", "wind.x"):
        with pytest.raises(sastrugi.FieldError):
            kept.parameters[name] = 1
    with pytest.raises(TypeError):
        del kept.parameters["rate"]
    assert kept.parameters["n"] == 4 and kept.parameters["rate"] == 0.25


def test_counts_that_are_no_counts(kept):
    for count, error in ((-1, ValueError), (0.5, TypeError), ("3", TypeError), (None, TypeError)):
        with pytest.raises(error):
            kept.step(count)
    with pytest.raises(ValueError):
        kept.step(1, callback=print, every=0)
    kept.step(np.int64(0))


def test_step_in_a_callback(sim):
    def nested(sim):
        assert sim["box.heat"].max() > 0
        sim.step()

    with pytest.raises(sastrugi.BusyError, match="from the callback of `step`"):
        sim.step(3, callback=nested)
    for wrong in (lambda sim: sim.close(), lambda sim: sim.call("tick"), lambda sim: sim.restore("x")):
        with pytest.raises(sastrugi.BusyError):
            sim.step(3, callback=wrong)
    # One step before each callback.
    sim.step()
    assert sim.steps == 5


def test_a_simulation_closed_by_another_thread_ends_the_steps(ramp):
    import threading

    sim = sastrugi.load(PIPELINE, kernels=KERNELS)
    raised = []

    def work():
        try:
            sim.step(10**9)
        except sastrugi.ClosedError as error:
            raised.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    while sim.steps < 10:
        pass
    sim.close()
    thread.join(20)
    assert len(raised) == 1


def test_pipelines_of_other_types():
    for spec in (3, None, ["a"]):
        with pytest.raises(TypeError):
            sastrugi.load(spec)
    with pytest.raises(ValueError):
        sastrugi.load(PIPELINE, kernels=KERNELS, set={"rate": float("inf")})
    with pytest.raises(sastrugi.PipelineError, match="a shader in memory"):
        sastrugi.load(PIPELINE, kernels={"../tick.comp": TICK})


def test_unknown_device():
    with pytest.raises(sastrugi.DeviceError) as raised:
        sastrugi.load(PIPELINE, kernels=KERNELS, device="no such device")
    assert raised.value.kind == "unknown device"


def test_no_device_says_what_to_install():
    import os
    import subprocess
    import sys

    script = "import sastrugi\ntry: sastrugi.load('smoke')\nexcept sastrugi.DeviceError as e: print(e.kind); print(e.help)"
    # No driver: the list of drivers is an empty file.
    environment = {**os.environ, "VK_DRIVER_FILES": "/dev/null", "VK_ICD_FILENAMES": "/dev/null"}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment)
    kind, help = done.stdout.split("\n", 1)
    assert kind == "no device" and "install" in help, done


def test_a_frame_of_a_pipeline_without_pictures():
    plain = {key: value for key, value in PIPELINE.items() if key not in ("frame", "outputs")}
    plain = copy.deepcopy(plain)
    del plain["grids"]["view"]
    with sastrugi.load(plain, kernels={"tick.comp": TICK}, name="plain") as sim:
        with pytest.raises(sastrugi.Error, match="`plain` draws no picture"):
            sim.frame()
        assert sim._repr_png_() is None


def test_checkpoints_that_do_not_fit(kept, tmp_path):
    kept.checkpoint(tmp_path / "a")
    with pytest.raises(sastrugi.Error, match="is refused"):
        kept.restore(tmp_path / "none")
    damaged = bytearray((tmp_path / "a").read_bytes())
    damaged[40] ^= 1
    (tmp_path / "b").write_bytes(damaged)
    with pytest.raises(sastrugi.Error, match="damaged"):
        kept.restore(tmp_path / "b")
    with sastrugi.load(PIPELINE, kernels=KERNELS, set={"rate": 1}) as other:
        with pytest.raises(sastrugi.Error, match="parameters have changed"):
            other.restore(tmp_path / "a")
    with pytest.raises(sastrugi.Error):
        kept.checkpoint(tmp_path / "no such directory" / "a")


FAULTY = TICK.replace("box_heat(cell) + arg.rate", "box_heat(cell + ivec3(4, 0, 0))").replace(
    "#include", "#pragma reach box_heat anywhere\n#include"
)


def test_checked_simulations_raise_faults():
    with sastrugi.load(PIPELINE, kernels={**KERNELS, "tick.comp": FAULTY}, checked=True) as sim:
        with pytest.raises(sastrugi.FaultError, match="box.heat") as raised:
            sim.step(3)
        assert raised.value.help and isinstance(raised.value, ArithmeticError)
        # Fields can still be looked at.
        assert sim["box.marks"].max() == 3
    with sastrugi.load(PIPELINE, kernels=KERNELS, checked=True) as sim:
        sim.step(3)


def test_kernels_of_a_picture_are_checked_too():
    with pytest.raises(sastrugi.PipelineError) as raised:
        sastrugi.load(PIPELINE, kernels={**KERNELS, "paint.comp": PAINT.replace("vec4", "vec5")})
    assert raised.value.stage == "paint"
