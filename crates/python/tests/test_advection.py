"""Advection and the step of smoke: values against 64-bit references, gradients against finite differences."""

import itertools

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import sastrugi  # noqa: E402
from sastrugi._advection import sample  # noqa: E402
from sastrugi.torch import advect, project, smoke_step  # noqa: E402


def sampled(values, moves, periodic):
    """Linear interpolation at displaced elements, in 64 bits."""
    at = np.stack(np.meshgrid(*map(np.arange, values.shape), indexing="ij")).astype(float)
    at += np.stack(moves[::-1])
    low = np.floor(at).astype(int)
    part = at - low
    total = np.zeros(values.shape)
    for corner in itertools.product((0, 1), repeat=values.ndim):
        weight, index = np.ones(values.shape), []
        for axis, bit in enumerate(corner):
            weight *= part[axis] if bit else 1 - part[axis]
            found = low[axis] + bit
            count = values.shape[axis]
            index.append(found % count if periodic[::-1][axis] else np.clip(found, 0, count - 1))
        total += weight * values[tuple(index)]
    return total


def case(axes, seed, periodic):
    """Cells, and velocities of several cells per step."""
    rng = np.random.default_rng(seed)
    cells = tuple(rng.integers(4, 8, axes))
    faces = []
    for axis in range(axes):
        shape = list(cells)
        shape[-1 - axis] += not periodic[axis]
        faces.append(rng.standard_normal(shape))
    return rng, cells, faces


PERIODIC = {2: [(False, False), (True, False), (True, True)], 3: [(False, False, False), (False, True, False)]}
CASES = [(axes, periodic) for axes, all in PERIODIC.items() for periodic in all]


def sides_of(periodic):
    return {axis: "periodic" for axis, wraps in zip("xyz", periodic) if wraps}


@pytest.mark.parametrize("axes, periodic", CASES)
def test_samples_equal_those_in_64_bits(axes, periodic):
    rng, cells, _ = case(axes, axes, periodic)
    values = rng.standard_normal(cells)
    # Some far beyond the borders.
    moves = [3 * rng.standard_normal(cells) for _ in range(axes)]
    expected = sampled(values, moves, periodic)
    for dtype, tolerance in ((torch.float32, 2e-6), (torch.float64, 1e-14)):
        found = sample(torch.tensor(values, dtype=dtype), torch.tensor(np.stack(moves), dtype=dtype), periodic)
        assert found.dtype == dtype and np.abs(found.numpy() - expected).max() < tolerance
    # Control: other displacements give other values.
    other = sample(torch.tensor(values), torch.tensor(np.stack(moves) + 0.01), periodic)
    assert np.abs(other.numpy() - expected).max() > 1e-3


@pytest.mark.parametrize("axes, periodic", CASES)
@pytest.mark.parametrize("at", ["centre", "face_x", "face_y", "face_z"])
def test_gradients_of_advection_pass_the_check_of_pytorch(axes, periodic, at):
    if at == "face_z" and axes == 2:
        pytest.skip("a plane has no such faces")
    rng, cells, faces = case(axes, 7, periodic)
    shape = list(cells)
    if at != "centre":
        axis = "xyz".index(at[-1])
        shape[-1 - axis] += not periodic[axis]
    given = [torch.tensor(one, requires_grad=True) for one in (rng.standard_normal(shape), *faces)]

    def act(field, *velocity):
        return advect(field, velocity, 0.7, at=at, sides=sides_of(periodic), dx=0.5)

    # Differences small enough that few samples move into another cell.
    assert torch.autograd.gradcheck(act, given, eps=1e-7, atol=1e-6, fast_mode=True)


def test_transpose_is_exact_and_has_the_same_bits_in_each_run():
    rng = np.random.default_rng(3)
    values = torch.tensor(rng.standard_normal((6, 5)), dtype=torch.float32, requires_grad=True)
    # All elements sample near the same few: the sums have many shares.
    moves = torch.tensor(np.stack([2 - np.arange(5) + np.zeros((6, 1)), (2 - np.arange(6.0))[:, None] + np.zeros(5)]) + 0.25)
    upstream = torch.tensor(rng.standard_normal((6, 5)) * 10.0 ** rng.integers(-6, 3, (6, 5)), dtype=torch.float32)
    gradients = []
    for _ in range(3):
        values.grad = None
        sample(values, moves.float(), (False, False)).backward(upstream)
        gradients.append(values.grad.numpy().copy())
    assert all(np.array_equal(one, gradients[0]) for one in gradients)
    # The weights are 9/16, 3/16 and 1/16, so shares are exact but for their last bits.
    total = upstream.double().sum().item()
    expected = np.zeros((6, 5))
    expected[2:4, 2:4] = total * np.array([[9, 3], [3, 1]]) / 16
    assert np.abs(gradients[0] - expected).max() < 1e-6 * upstream.abs().max().item()
    assert np.count_nonzero(gradients[0]) == 4


def test_batches_are_advected_one_by_one():
    rng, cells, faces = case(2, 5, (False, False))
    field = torch.tensor(rng.standard_normal((3, 2, *cells)), requires_grad=True)
    velocity = [torch.tensor(np.stack([[k * one for k in (1, 2)] for _ in range(3)])) for one in faces]
    moved = advect(field, velocity, 0.5)
    assert moved.shape == field.shape
    moved.sum().backward()
    for i, j in itertools.product(range(3), range(2)):
        one = field[i, j].detach().requires_grad_()
        alone = advect(one, [part[i, j] for part in velocity], 0.5)
        alone.sum().backward()
        assert torch.equal(moved[i, j], alone) and torch.equal(field.grad[i, j], one.grad)


def test_mistakes_are_refused():
    u, v, field = torch.zeros(4, 6), torch.zeros(5, 5), torch.zeros(4, 5)
    advect(field, (u, v), 1)
    with pytest.raises(sastrugi.ShapeError, match="`v`"):
        advect(field, (u, v[:-1]), 1)
    with pytest.raises(sastrugi.ShapeError, match="`field`"):
        advect(field, (u, v), 1, at="face_x")
    with pytest.raises(ValueError, match="`at`"):
        advect(field, (u, v), 1, at="face_z")
    with pytest.raises(sastrugi.DtypeError):
        advect(field.double(), (u, v), 1)
    with pytest.raises(sastrugi.ShapeError, match="velocities"):
        advect(field, (u,), 1)


def smoke_case(axes, dtype):
    """A step of smoke around a solid, as a function of its density, its velocities and its buoyancy."""
    rng = np.random.default_rng(10 + axes)
    cells = (7, 8) if axes == 2 else (5, 6, 4)
    mask = torch.ones(cells, dtype=torch.bool)
    mask[(slice(2, 4),) * axes] = False
    sides = {"x": ("closed", "open"), "y": "closed" if axes == 2 else "periodic"}
    faces = []
    for axis in range(axes):
        shape = list(cells)
        shape[-1 - axis] += not (axis == 1 and axes == 3)
        faces.append(torch.tensor(rng.standard_normal(shape), dtype=dtype))
    weights = [torch.tensor(rng.standard_normal(one.shape), dtype=dtype) for one in faces]
    density = torch.tensor(rng.random(cells), dtype=dtype)
    weights.append(torch.tensor(rng.standard_normal(cells), dtype=dtype))

    def loss(density, *rest):
        *velocity, buoyancy = rest
        density, velocity = smoke_step(density, velocity, 0.4, mask, buoyancy=buoyancy, sides=sides, dx=0.9)
        return sum((weight * one).sum() for weight, one in zip(weights, (*velocity, density)))

    return loss, [density, *faces, torch.tensor(2.0, dtype=dtype)]


@pytest.mark.parametrize("axes", [2, 3])
def test_gradients_of_a_step_of_smoke_equal_differences_in_64_bits(axes):
    loss, exact = smoke_case(axes, torch.float64)
    rng = np.random.default_rng(axes)
    gradients = {}
    for dtype in (torch.float32, torch.float64):
        of_type, given = smoke_case(axes, dtype)
        given = [one.requires_grad_() for one in given]
        of_type(*given).backward()
        gradients[dtype] = [one.grad.double() for one in given]
    for number, value in enumerate(exact):
        for _ in range(3):
            direction = torch.tensor(rng.standard_normal(value.shape))
            near = [[*exact[:number], value + sign * 1e-6 * direction, *exact[number + 1 :]] for sign in (1, -1)]
            with torch.no_grad():
                difference = (loss(*near[0]) - loss(*near[1])) / 2e-6
            for dtype, tolerance in ((torch.float32, 1e-3), (torch.float64, 3e-5)):
                gradient = gradients[dtype][number]
                scale = max(1.0, gradient.norm() * direction.norm())
                assert abs((gradient * direction).sum() - difference) < tolerance * scale, (number, dtype)
                # Control: another gradient is noticed.
                wrong = gradient + 1e-2 * direction * scale / direction.norm() ** 2
                assert abs((wrong * direction).sum() - difference) > tolerance * scale


@pytest.mark.parametrize("axes", [2, 3])
def test_a_step_of_smoke_is_its_parts(axes):
    _, (density, *velocity, _) = smoke_case(axes, torch.float64)
    still = [torch.zeros_like(one) for one in velocity]
    mask = torch.ones(density.shape, dtype=torch.bool)
    sides = {"x": ("closed", "open"), "y": "closed" if axes == 2 else "periodic"}
    after, moved = smoke_step(density, still, 0.5, mask, buoyancy=3, sides=sides)
    # Without velocity the density stays, and the buoyancy alone is projected.
    assert torch.equal(after, density)
    dim = -axes
    mean = (density.narrow(dim, 1, density.shape[dim] - 1) + density.narrow(dim, 0, density.shape[dim] - 1)) / 2
    still[-1].narrow(dim, 1, density.shape[dim] - 1).copy_(1.5 * mean)
    u, v, *w = still
    expected = project(u, v, w[0] if w else None, mask, sides=sides)
    for one, other in zip(moved, expected):
        assert (one - other).abs().max() < 1e-9
    assert moved[-1].abs().max() > 0.1
