"""The solver for Mosaic, with stand-ins for Mosaic's own packages: its schemas only describe the inputs."""

import importlib.util
import sys
import types
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

FILES = Path(__file__).parents[1] / "mosaic"


class Inputs:
    """As the schema of Mosaic, in 64 bits for differences."""

    def __init__(self, v0, viscosity=0.05, dt=0.02, steps=3):
        self.v0, self.steps, self.domain_extent = v0, steps, 2 * np.pi
        self.viscosity, self.dt = np.array([viscosity], v0.dtype), np.array([dt], v0.dtype)


@pytest.fixture
def api(monkeypatch):
    def module(name, **members):
        made = types.ModuleType(name)
        vars(made).update(members)
        monkeypatch.setitem(sys.modules, name, made)

    module("mosaic_shared")
    module("mosaic_shared.problems")
    module("mosaic_shared.problems.navier_stokes_grid", InputSchema=object, OutputSchema=object)
    module("mosaic_shared.schema_types", make_differentiable=lambda base, names: base)
    module("pydantic", model_validator=lambda mode: lambda check: check)
    spec = importlib.util.spec_from_file_location("tesseract_api", FILES / "tesseract_api.py")
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    monkeypatch.setattr(found, "DEVICE", "cpu")
    return found


def vortices(n, dtype=np.float32):
    """Taylor-Green vortices, which decay by exp(-2 nu t) (Taylor & Green 1937)."""
    x = (np.arange(n) + 0.5) * 2 * np.pi / n
    x, y = np.meshgrid(x, x, indexing="ij")
    return np.stack([np.cos(x) * np.sin(y), -np.sin(x) * np.cos(y)], -1)[:, :, None].astype(dtype)


def test_vortices_decay_as_the_closed_form_with_the_order_of_the_scheme(api):
    errors = []
    for n in (32, 64):
        dt = 1.28 / n
        steps = round(0.4 / dt)
        start = vortices(n)
        result = api.apply(Inputs(start, viscosity=0.02, dt=dt, steps=steps))["result"]
        assert result.shape == start.shape
        exact = np.exp(-2 * 0.02 * dt * steps) * start
        errors.append(float(np.abs(result - exact).max()))
    # Linear interpolation diffuses by dx^2 / dt, which is first order in dx here.
    assert errors[0] < 0.06 and errors[1] < 0.6 * errors[0], errors


@pytest.mark.parametrize("axes", [2, 3])
def test_gradients_equal_differences_in_64_bits(api, axes):
    random = np.random.default_rng(axes)
    v0 = random.standard_normal((6, 6, 1 if axes == 2 else 6, axes))
    weights = random.standard_normal(v0.shape)
    own = api.vector_jacobian_product(Inputs(v0), {"v0", "viscosity", "dt"}, {"result"}, {"result": weights})

    def total(inputs):
        return float((api.apply(inputs)["result"] * weights).sum())

    step = 1e-6
    direction = random.standard_normal(v0.shape)
    differences = {
        "v0": (total(Inputs(v0 + step * direction)) - total(Inputs(v0 - step * direction))) / (2 * step),
        "viscosity": (total(Inputs(v0, 0.05 + step)) - total(Inputs(v0, 0.05 - step))) / (2 * step),
        "dt": (total(Inputs(v0, dt=0.02 + step)) - total(Inputs(v0, dt=0.02 - step))) / (2 * step),
    }
    found = {"v0": (own["v0"] * direction).sum(), "viscosity": own["viscosity"][0], "dt": own["dt"][0]}
    for name, difference in differences.items():
        assert abs(found[name] - difference) < 1e-4 * max(1, abs(difference)), (name, found[name], difference)
    # Control: the gradient is not 0.
    assert all(abs(difference) > 1e-3 for difference in differences.values())
