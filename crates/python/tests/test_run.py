"""Whole runs with files, and the program."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
import sastrugi
from conftest import KERNELS, PIPELINE

PROGRAM = os.path.join(os.path.dirname(sys.executable), "sastrugi")


def test_run_writes_frames_and_a_manifest(tmp_path):
    seen = []
    done = sastrugi.run(
        PIPELINE, tmp_path / "out", kernels=KERNELS, frames=2, set={"rate": 1}, progress=lambda *at: seen.append(at)
    )
    assert [path.name for path in done.files("heat")] == ["heat.0001.npy", "heat.0002.npy"]
    assert np.all(done.read("heat", 2) == 5) and done.read("flow", 1).shape == (2, 3, 4, 3)
    assert done.manifest["device"] and seen[-1] == (4, 4)
    with sastrugi.load(PIPELINE, kernels=KERNELS, set={"rate": 1}) as sim:
        sim.step(4)
        sim.draw()
        for output in ("heat", "parts", "flow", "small", "turn", "view"):
            written, field = done.read(output, 2), PIPELINE["outputs"][output]["source"]
            assert written.dtype == sim[field].dtype
            assert written.shape == sim[field].shape and written.tobytes() == sim[field].read().tobytes()
    with pytest.raises(FileNotFoundError):
        done.read("heat", 3)


def chunks(png):
    """Names of the chunks of a PNG file with their contents."""
    at, found = 8, []
    while at < len(png):
        length = int.from_bytes(png[at : at + 4], "big")
        found.append((png[at + 4 : at + 8], png[at + 8 : at + 8 + length]))
        at += 12 + length
    return found


def test_a_run_shows_its_pictures_as_a_film(tmp_path):
    pictures = {"outputs.view": {"source": "view.color", "format": "png"}}
    done = sastrugi.run(PIPELINE, tmp_path / "one", kernels=KERNELS, frames=3, set=pictures)
    film = done.film(rate=10)
    found = chunks(film.png())
    head = dict(found)
    # The number of frames, and plays without end; 100 ms for each frame.
    assert head[b"acTL"] == (3).to_bytes(4, "big") + bytes(4)
    controls = [content for name, content in found if name == b"fcTL"]
    assert [content[20:24] for content in controls] == [(100).to_bytes(2, "big") + (1000).to_bytes(2, "big")] * 3
    assert head[b"IHDR"][:8] == (4).to_bytes(4, "big") + (3).to_bytes(4, "big")
    assert done._repr_png_() and len({content for name, content in found if name in (b"IDAT", b"fdAT")}) == 3
    film.save(tmp_path / "film.png")
    assert (tmp_path / "film.png").read_bytes() == film.png()
    assert len(done.film(most=2).files) == 2
    with pytest.raises(sastrugi.FieldError, match="did you mean `view`"):
        done.film("views")
    # Pictures of two sizes, and a run without pictures.
    other = sastrugi.run(PIPELINE, tmp_path / "two", kernels=KERNELS, frames=1, set={**pictures, "grids.view.pixels": [8, 3]})
    mixed = sastrugi.Film(film.files + other.film().files, 10)
    with pytest.raises(sastrugi.Error, match="another size"):
        mixed.png()
    without = sastrugi.run(
        {**PIPELINE, "outputs": {"heat": PIPELINE["outputs"]["heat"]}}, tmp_path / "none", kernels=KERNELS, frames=1
    )
    assert without._repr_png_() is None


def test_progress_bar_counts_steps(tmp_path, capsys):
    sastrugi.run(PIPELINE, tmp_path, kernels=KERNELS, name="box", progress=True)
    assert "box" in capsys.readouterr().err


def test_runs_of_other_pipelines_are_not_replaced(tmp_path):
    sastrugi.run(PIPELINE, tmp_path, kernels=KERNELS, name="one", frames=1)
    other = {**PIPELINE, "title": "other"}
    with pytest.raises(sastrugi.Error):
        sastrugi.run(other, tmp_path, kernels=KERNELS, name="two", frames=1)
    sastrugi.run(other, tmp_path, kernels=KERNELS, name="two", frames=1, force=True)


def test_run_resumes_from_its_checkpoint(tmp_path):
    every = {"run.checkpoint_every": 1}
    sastrugi.run(PIPELINE, tmp_path / "a", kernels=KERNELS, frames=2, set=every)
    longer = sastrugi.run(PIPELINE, tmp_path / "a", kernels=KERNELS, frames=3, set=every, resume=True)
    whole = sastrugi.run(PIPELINE, tmp_path / "b", kernels=KERNELS, frames=3)
    assert longer.read("heat", 3).tobytes() == whole.read("heat", 3).tobytes()


def test_what_progress_raises_ends_the_run(tmp_path):
    def stop(step, total):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        sastrugi.run(PIPELINE, tmp_path, kernels=KERNELS, frames=1000, progress=stop)
    assert len(list(tmp_path.glob("heat.*.npy"))) < 1000


def test_ctrl_c_ends_a_run_after_its_frame(tmp_path):
    script = tmp_path / "long.py"
    script.write_text(
        textwrap.dedent(f"""
        import sys
        sys.path.insert(0, {os.path.dirname(__file__)!r})
        import sastrugi
        from conftest import KERNELS, PIPELINE
        try:
            sastrugi.run(PIPELINE, {str(tmp_path / "out")!r}, kernels=KERNELS, frames=10**6)
        except KeyboardInterrupt:
            print("interrupted")
        """)
    )
    process = subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 20
    while not (tmp_path / "out" / "heat.0003.npy").is_file() and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=20)
    assert out == "interrupted\n"
    # Every file is whole.
    for file in (tmp_path / "out").glob("heat.*.npy"):
        assert np.load(file).shape == (2, 3, 4)


def test_warnings_go_to_the_logger(tmp_path, caplog):
    import logging

    with caplog.at_level(logging.INFO, "sastrugi"):
        sastrugi.run(PIPELINE, tmp_path, kernels=KERNELS, frames=1, set={"run.checkpoint_every": 1})
    assert all(record.name == "sastrugi" for record in caplog.records)


def test_program_is_installed(tmp_path):
    listed = subprocess.run([PROGRAM, "list"], capture_output=True, text=True, check=True)
    assert "smoke" in listed.stdout
    version = subprocess.run([sys.executable, "-m", "sastrugi", "--version"], capture_output=True, text=True, check=True)
    assert version.stdout.strip() == f"sastrugi {sastrugi.__version__}"
    wrong = subprocess.run([PROGRAM, "run", "no such pipeline"], capture_output=True, text=True)
    assert wrong.returncode == 2 and "Traceback" not in wrong.stderr
    wrong = subprocess.run([PROGRAM, "jump"], capture_output=True, text=True)
    assert wrong.returncode == 2 and "jump" in wrong.stderr


def test_program_ends_a_run_on_ctrl_c_with_its_code(tmp_path):
    process = subprocess.Popen(
        [PROGRAM, "run", "taylor_green", "--out", tmp_path, "--frames", "1000000"], stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 30
    while not list(tmp_path.glob("*.0001.*")) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, text = process.communicate(timeout=60)
    assert process.returncode == 130 and "Traceback" not in text, text
