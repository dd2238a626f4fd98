"""The notebooks of docs/notebooks run, and show pictures."""

import os
from pathlib import Path

import pytest

nbclient = pytest.importorskip("nbclient", reason="install nbclient and ipykernel")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")

FOLDER = Path(__file__).parents[3] / "docs" / "notebooks"
#: Set to a directory to look at the pictures.
PICTURES = os.environ.get("SASTRUGI_PICTURES")


def executed(notebook, directory):
    client = nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(directory)}})
    return client.execute()


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebooks_run_and_show_pictures(path, tmp_path):
    notebook = nbformat.read(path, as_version=4)
    if any("import torch" in cell.source for cell in notebook.cells):
        pytest.importorskip("torch")
    done = executed(notebook, tmp_path)
    pictures = [
        output.data["image/png"]
        for cell in done.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if "data" in output and "image/png" in output.data
    ]
    assert len(pictures) >= 2 and len(set(pictures)) == len(pictures)
    if PICTURES:
        import base64

        for number, picture in enumerate(pictures):
            (Path(PICTURES) / f"{path.stem}.{number}.png").write_bytes(base64.b64decode(picture))


def test_control_a_mistake_in_a_notebook_is_noticed(tmp_path):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell('import sastrugi\nsastrugi.load("smokes")')])
    with pytest.raises(nbclient.exceptions.CellExecutionError, match="smokes"):
        executed(notebook, tmp_path)
