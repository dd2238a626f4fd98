"""The examples of docs/python.md run, and print what their comments show."""

import contextlib
import io
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[3] / "docs" / "python.md"
TEXT = PAGE.read_text()
BLOCKS = re.findall(r"(?:<!-- needs (\w+) -->\n)?```python\n(.*?)```", TEXT, re.DOTALL)


def shown(code):
    """What the comments after calls of `print` show; `...` stands for anything."""
    found = re.findall(r"print\(.*\) +# (.+)$", code, re.MULTILINE)
    return [re.compile(".*".join(map(re.escape, line.split("..."))) + r"\Z") for line in found]


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_examples_run_and_print_what_the_page_shows(number, tmp_path, monkeypatch, device):
    needs, code = BLOCKS[number]
    if needs == "lavapipe" and "llvmpipe" not in device.name:
        pytest.skip("the memory of the device is not that of the host")
    if needs in ("torch", "phi"):
        pytest.importorskip("torch")
        pytest.importorskip(needs)
    monkeypatch.chdir(tmp_path)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, f"{PAGE.name}, example {number + 1}", "exec"), {"__name__": "example"})
    lines, expected = out.getvalue().splitlines(), shown(code)
    # Prints without a comment may print anything.
    at = 0
    for pattern in expected:
        found = next((i for i in range(at, len(lines)) if pattern.match(lines[i])), None)
        assert found is not None, (pattern.pattern, lines)
        at = found + 1


def test_control_another_output_is_noticed():
    (pattern,) = shown("print(1 + 1)    # 3\n")
    assert not pattern.match("2") and pattern.match("3") and not pattern.match("33")
    (pattern,) = shown("print(text)  # a ... c\n")
    assert pattern.match("a b c") and not pattern.match("a b")


def test_page_names_what_the_package_has():
    import sastrugi

    table = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \| (?:`\w+`(?:, )?)+ \|", TEXT, re.MULTILINE)
    names = re.findall(r"`(\w+Error)`", " ".join(table))
    classes = {name for name, value in vars(sastrugi).items() if isinstance(value, type) and issubclass(value, Exception)}
    assert set(names) == classes - {"Error"}
    for name in sastrugi.__all__:
        assert getattr(sastrugi, name).__doc__ or name == "__version__"
