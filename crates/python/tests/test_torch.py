"""The solve and the projection for PyTorch, against dense algebra in 64 bits."""

import os
import warnings

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import sastrugi  # noqa: E402
from sastrugi.torch import AIR, FLUID, SOLID, poisson, project  # noqa: E402

#: Random masks per test: as many as the issue asks for in long runs.
MASKS = 1000 if os.environ.get("SASTRUGI_LONG") else 60

SIDES = [
    ("closed", "closed"),
    ("open", "open"),
    ("closed", "open"),
    ("open", "closed"),
    ("periodic", "periodic"),
]


@pytest.fixture(autouse=True)
def solves_converge():
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        yield


def matrix(cells, sides):
    """A = -laplace for cells of side 1, as in docs/pressure.md: rows of other cells than fluid are 0."""
    numbers = np.arange(cells.size).reshape(cells.shape)
    a = np.zeros((cells.size, cells.size))
    for index in np.ndindex(cells.shape):
        if cells[index] != FLUID:
            continue
        own = numbers[index]
        for axis, (low, high) in enumerate(sides):
            dim = cells.ndim - 1 - axis
            for way, side in ((-1, low), (1, high)):
                beside = list(index)
                beside[dim] += way
                if not 0 <= beside[dim] < cells.shape[dim]:
                    if side == "open":
                        a[own, own] += 1
                        continue
                    if side == "closed":
                        continue
                    beside[dim] %= cells.shape[dim]
                other = cells[tuple(beside)]
                if other != SOLID:
                    a[own, own] += 1
                    if other == FLUID:
                        a[own, numbers[tuple(beside)]] -= 1
    return a


def random_case(rng, axes):
    """A shape, sides, and cells with pockets, single cells and closed regions."""
    shape = tuple(rng.integers(3, 9 if axes == 2 else 6, axes))
    sides = [SIDES[rng.integers(len(SIDES)) if rng.random() < 0.6 else 0] for _ in range(axes)]
    shares = [0.5, 0.1, 0.4] if rng.random() < 0.3 else [0.5, 0.0, 0.5]
    cells = rng.choice([FLUID, AIR, SOLID], size=shape, p=shares)
    return cells, sides


def by_name(sides):
    return dict(zip("xyz", sides))


def dense(cells, sides):
    """p from the right-hand side of laplace(p) = rhs, by the pseudo-inverse."""
    fluid = (cells == FLUID).reshape(-1)
    inverse = -np.linalg.pinv(matrix(cells, sides), rcond=1e-10)
    return inverse * np.outer(fluid, fluid)


@pytest.mark.parametrize("axes", [2, 3])
def test_solutions_and_gradients_of_random_masks_are_those_of_dense_algebra(axes):
    rng = np.random.default_rng(axes)
    # Few shapes, since each has a solver of its own.
    cases, closed = [], 0
    shapes = [random_case(rng, axes) for _ in range(6)]
    for number in range(MASKS):
        cells, sides = shapes[number % len(shapes)]
        cells = rng.permutation(cells.reshape(-1)).reshape(cells.shape) if number >= len(shapes) else cells
        cases.append((cells, sides))
    cases.sort(key=lambda case: (case[0].shape, case[1]))
    for cells, sides in cases:
        inverse = dense(cells, sides)
        values = np.linalg.svd(matrix(cells, sides), compute_uv=False)
        closed += np.sum(values < 1e-9) > np.sum(cells != FLUID)
        rhs = rng.standard_normal(cells.shape)
        weight = rng.standard_normal(cells.shape)
        for dtype, tolerance in ((torch.float32, 1e-4), (torch.float64, 1e-8)):
            given = torch.tensor(rhs, dtype=dtype, requires_grad=True)
            p = poisson(given, torch.tensor(cells), sides=by_name(sides))
            expected = (inverse @ rhs.reshape(-1)).reshape(cells.shape)
            scale = max(1.0, np.abs(expected).max())
            assert np.abs(p.detach().numpy() - expected).max() <= tolerance * scale
            (p * torch.tensor(weight, dtype=dtype)).sum().backward()
            # A finite difference in 64 bits along a random direction.
            direction = rng.standard_normal(cells.shape)

            def loss(at):
                return np.sum(weight * (inverse @ at.reshape(-1)).reshape(cells.shape))

            difference = (loss(rhs + 1e-3 * direction) - loss(rhs - 1e-3 * direction)) / 2e-3
            gradient = given.grad.numpy()
            assert np.isfinite(gradient).all()
            size = max(1.0, np.linalg.norm(gradient) * np.linalg.norm(direction))
            assert abs(np.sum(gradient * direction) - difference) <= tolerance * size
    # The masks do have closed regions.
    assert closed > MASKS // 10


def test_control_another_gradient_is_noticed():
    rng = np.random.default_rng(5)
    cells = np.zeros((6, 7), int)
    cells[2, 3] = SOLID
    sides = [("open", "closed"), ("closed", "closed")]
    inverse = dense(cells, sides)
    given = torch.tensor(rng.standard_normal(cells.shape), requires_grad=True)
    poisson(given, torch.tensor(cells), sides=by_name(sides))[1, 2].backward()
    right = inverse[9].reshape(cells.shape)
    assert np.abs(given.grad.numpy() - right).max() < 1e-8
    assert np.abs(given.grad.numpy() - dense(cells, [sides[1]] * 2)[9].reshape(cells.shape)).max() > 1e-2


@pytest.mark.parametrize("axes", [2, 3])
def test_gradients_pass_the_check_of_pytorch(axes):
    rng = np.random.default_rng(axes)
    cells, _ = random_case(rng, axes)
    sides = {"x": ("closed", "open"), "y": "periodic"}
    mask = torch.tensor(cells)
    rhs = torch.tensor(rng.standard_normal(cells.shape), requires_grad=True)
    # The solve is linear: differences may be large.
    assert torch.autograd.gradcheck(lambda rhs: poisson(rhs, mask, sides=sides), rhs, eps=1e-1, atol=1e-6)
    faces = []
    for dim in (-1, -2, -3)[:axes]:
        shape = list(cells.shape)
        shape[dim] += dim != -2
        faces.append(torch.tensor(rng.standard_normal(shape), requires_grad=True))
    w = [None] if axes == 2 else []
    check = torch.autograd.gradcheck
    assert check(lambda *faces: project(*faces, *w, mask, sides=sides), faces, eps=1e-1, atol=1e-6)


def test_batches_are_solved_item_by_item_and_gradients_have_gradients():
    rng = np.random.default_rng(1)
    mask = torch.tensor(rng.random((5, 6)) < 0.8)
    rhs = torch.tensor(rng.standard_normal((2, 3, 5, 6)))
    batch = poisson(rhs, mask, sides="open", dx=0.5)
    for i in range(2):
        for j in range(3):
            assert torch.equal(batch[i, j], poisson(rhs[i, j], mask, sides="open", dx=0.5))
    assert torch.allclose(batch, 0.25 * poisson(rhs, mask, sides="open"), rtol=1e-8)
    assert poisson(rhs[:0], mask).shape == (0, 3, 5, 6)
    one = rhs[0, 0].clone().requires_grad_()
    (first,) = torch.autograd.grad((poisson(one, mask) ** 2).sum(), one, create_graph=True)
    weight = torch.tensor(rng.standard_normal((5, 6)))
    (second,) = torch.autograd.grad((weight * first).sum(), one)
    # Of |G b|^2 the gradient is 2 G G b, whose gradient along a weight is 2 G G weight.
    assert torch.allclose(second, 2 * poisson(poisson(weight, mask), mask), atol=1e-8)
    assert second.abs().max() > 1e-3


def divergence(faces, cells, periodic):
    flows = []
    for values, wraps, dim in zip(faces, periodic, (-1, -2, -3)):
        if wraps:
            flows.append(np.roll(values, -1, dim) - values)
        else:
            flows.append(np.diff(values, axis=dim))
    return np.where(cells == FLUID, sum(flows), 0)


@pytest.mark.parametrize("axes", [2, 3])
def test_projected_velocities_have_no_divergence_and_solids_keep_theirs(axes):
    rng = np.random.default_rng(axes)
    for _ in range(8):
        cells, sides = random_case(rng, axes)
        # Contact to air everywhere: no closed region keeps a divergence.
        cells = np.where((cells == FLUID) & (rng.random(cells.shape) < 0.2), AIR, cells)
        sides = [("open", "open") if side[0] == "closed" else side for side in sides]
        mask = torch.tensor(cells)
        periodic = [side[0] == "periodic" for side in sides]
        faces = []
        for wraps, dim in zip(periodic, (-1, -2, -3)):
            shape = list(cells.shape)
            shape[dim] += not wraps
            faces.append(rng.standard_normal(shape))
        inverse = dense(cells, sides)
        before = divergence(faces, cells, periodic)
        given = [torch.tensor(values) for values in faces] + [None] * (3 - axes)
        after = [values.numpy() for values in project(*given, mask, sides=by_name(sides))]
        # What the pseudo-inverse leaves is the mean of closed pockets.
        rest = before.reshape(-1) + matrix(cells, sides) @ (inverse @ before.reshape(-1))
        found = divergence(after, cells, periodic).reshape(-1)
        assert np.abs(found - rest).max() < 1e-8 * max(1, np.abs(before).max())
        # Twice changes nothing more.
        again = project(*[torch.tensor(values) for values in after], *[None] * (3 - axes), mask, sides=by_name(sides))
        assert all(np.abs(one.numpy() - two).max() < 1e-7 for one, two in zip(again, after))
        solid = cells == SOLID
        x_solid = solid[..., 1:] | solid[..., :-1]
        inner = (after[0] - faces[0])[..., 1 : cells.shape[-1]]
        assert np.all(inner[x_solid] == 0)


def test_projection_is_that_of_the_module():
    """The same faces through modules/projection.json, with its own divergence and gradient."""
    rng = np.random.default_rng(3)
    cells = rng.choice([FLUID, AIR, SOLID], size=(6, 7, 8), p=[0.7, 0.1, 0.2])
    face = {"type": "float", "background": 0}
    pipeline = {
        "run": {"dt": 0.5},
        "use": {
            "flow": {
                "module": "modules/projection.json",
                "roles": {"grid": "box"},
                "parameters": {"sides": {"low": ["closed", "open", "periodic"], "high": ["open", "open", "periodic"]}},
            }
        },
        "grids": {
            "box": {
                "cells": [8, 7, 6],
                "cell_size": 0.25,
                "levels": "all",
                "channels": {
                    "u": {**face, "at": "face_x"},
                    "v": {**face, "at": "face_y"},
                    "w": {**face, "at": "face_z", "border": ["clamp", "clamp", "repeat"]},
                    "p": face,
                    "cell_type": {"type": "uint", "background": 0},
                },
            }
        },
        "step": ["flow.mask", "flow.project"],
    }
    faces = [rng.standard_normal(shape).astype(np.float32) for shape in ((6, 7, 9), (6, 8, 8), (6, 7, 8))]
    with sastrugi.load(pipeline) as sim:
        sim["box.cell_type"] = cells
        for name, values in zip("uvw", faces):
            sim[f"box.{name}"] = values
        sim.step()
        expected = [sim[f"box.{name}"].read() for name in "uvw"]
    sides = {"x": ("closed", "open"), "y": "open", "z": "periodic"}
    found = project(*map(torch.tensor, faces), torch.tensor(cells), sides=sides)
    for one, two in zip(found, expected):
        assert np.abs(one.numpy() - two).max() < 2e-5


def test_mistakes_are_refused():
    mask = torch.ones((4, 5), dtype=torch.bool)
    rhs = torch.zeros((4, 5))
    with pytest.raises(sastrugi.ShapeError):
        poisson(torch.zeros((5, 4)), mask)
    with pytest.raises(sastrugi.ShapeError):
        poisson(rhs, mask[0])
    with pytest.raises(sastrugi.DtypeError):
        poisson(rhs.to(torch.int32), mask)
    with pytest.raises(sastrugi.DtypeError):
        poisson(rhs, mask.float())
    with pytest.raises(sastrugi.DtypeError):
        poisson(rhs, mask.int() + 2)
    for sides in ("shut", {"q": "open"}, {"x": ("periodic", "open")}, {"z": "open"}):
        with pytest.raises(ValueError):
            poisson(rhs, mask, sides=sides)
    with pytest.raises(ValueError, match="not finite"):
        poisson(rhs + float("nan"), mask)
    with pytest.raises(sastrugi.ShapeError, match="`v`"):
        project(torch.zeros((4, 6)), torch.zeros((4, 5)), None, mask)
    with pytest.raises(sastrugi.ShapeError):
        project(torch.zeros((4, 6)), torch.zeros((5, 5)), torch.zeros((4, 5)), mask)
    with pytest.raises(sastrugi.DtypeError):
        project(torch.zeros((4, 6)), torch.zeros((5, 5), dtype=torch.float64), None, mask)
    # Nothing flows, and nothing is fluid.
    assert torch.equal(poisson(rhs, mask), rhs)
    assert torch.equal(poisson(rhs + 1, ~mask), rhs)


def test_a_mask_that_changes_in_place_is_a_new_mask():
    mask, rhs = torch.ones((6, 5), dtype=torch.bool), torch.ones((6, 5))
    first = poisson(rhs, mask, sides="open")
    # NumPy does not count versions of the tensor.
    mask.numpy()[2, 1:4] = False
    second = poisson(rhs, mask, sides="open")
    assert bool((second[2, 1:4] == 0).all()) and not bool((first[2, 1:4] == 0).any())
    mask[2, 1:4] = True
    assert torch.equal(poisson(rhs, mask, sides="open"), first)


def test_solvers_of_a_lost_device_are_made_again(monkeypatch):
    import sastrugi._pressure as of

    mask, rhs = torch.ones((6, 5), dtype=torch.bool), torch.ones((6, 5))
    expected = poisson(rhs, mask, sides="open")
    equation = of._Equation(of._domain(mask, "open", rhs.device), 1e-6)
    solver = equation._solver(rhs[None])

    def lost(count=1):
        raise sastrugi.DeviceError("the device was lost", "lost")

    monkeypatch.setattr(solver._device.sim, "step", lost)
    with pytest.raises(sastrugi.DeviceError):
        poisson(rhs, mask, sides="open")
    assert torch.equal(poisson(rhs, mask, sides="open"), expected)
    assert equation._solver(rhs[None]) is not solver


def test_a_solver_that_loads_does_not_block_others(monkeypatch):
    import threading

    import sastrugi._exchange as of

    mask = torch.ones((6, 5), dtype=torch.bool)
    poisson(torch.ones((6, 5)), mask)
    loads, may_load = threading.Event(), threading.Event()
    load = of.load

    def slow(*arguments, **options):
        loads.set()
        assert may_load.wait(60)
        return load(*arguments, **options)

    monkeypatch.setattr(of, "load", slow)
    found = []

    def solve(shape):
        found.append(poisson(torch.ones(shape), torch.ones(shape, dtype=torch.bool)))

    first = threading.Thread(target=solve, args=[(4, 7)])
    first.start()
    assert loads.wait(60)
    other = threading.Thread(target=solve, args=[(6, 5)])
    other.start()
    other.join(60)
    assert [tuple(one.shape) for one in found] == [(6, 5)]
    may_load.set()
    first.join(60)
    assert len(found) == 2
