"""Incompressible flow in a periodic box for Mosaic (https://github.com/pasteurlabs/mosaic), in 2-D and 3-D, with gradients.

Each step advects the velocity (semi-Lagrangian), diffuses it (explicit, seven-point) and projects it, on a MAC grid, with
`sastrugi.torch`. Fields of Mosaic are at centres of cells with axes (x, y, z, component); a plane has one layer in z.
"""

from typing import Any

import numpy as np
import torch
from mosaic_shared.problems.navier_stokes_grid import InputSchema as CanonicalInputs
from mosaic_shared.problems.navier_stokes_grid import OutputSchema as CanonicalOutputs
from mosaic_shared.schema_types import make_differentiable
from pydantic import model_validator
from sastrugi.torch import advect, project
from torch import Tensor

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


class InputSchema(make_differentiable(CanonicalInputs, ["v0", "viscosity", "dt"])):
    """The inputs of Mosaic, without walls and obstacles."""

    @model_validator(mode="after")
    def _check_box(self) -> "InputSchema":
        if not self.boundary_conditions.is_fully_periodic or self.obstacle is not None or self.inflow_profile is not None:
            raise ValueError("sastrugi supports periodic boxes without obstacles and inflow here")
        return self


class OutputSchema(make_differentiable(CanonicalOutputs, ["result"])):
    """The outputs of Mosaic; there is no drag."""


def _laplacian(faces: Tensor) -> Tensor:
    """The sum over neighbours minus the value, for cells of side 1."""
    return sum(faces.roll(1, dim) + faces.roll(-1, dim) - 2 * faces for dim in range(faces.dim()))


def rollout(v0: Tensor, viscosity: Tensor, dt: Tensor, steps: int, extent: float) -> Tensor:
    """The velocity after some steps, m/s; `extent` is the side of the box, m."""
    axes = v0.shape[-1]
    cells = v0[:, :, 0] if axes == 2 else v0
    dx = extent / cells.shape[0]
    # Here the first axis is z. A face is between a cell and the one below it.
    centres = [cells[..., axis].permute(*reversed(range(axes))) for axis in range(axes)]
    velocity = [(values + values.roll(1, -1 - axis)) / 2 for axis, values in enumerate(centres)]
    mask = torch.ones(centres[0].shape, dtype=torch.bool)
    for _ in range(steps):
        moved = [
            advect(faces, velocity, dt, at=f"face_{name}", sides="periodic", dx=dx)
            for name, faces in zip("xyz", velocity)
        ]
        u, v, *w = [faces + viscosity * dt / dx**2 * _laplacian(faces) for faces in moved]
        velocity = list(project(u, v, w[0] if w else None, mask, sides="periodic"))
    ended = [(faces + faces.roll(-1, -1 - axis)) / 2 for axis, faces in enumerate(velocity)]
    result = torch.stack([values.permute(*reversed(range(axes))) for values in ended], -1)
    return result[:, :, None] if axes == 2 else result


def _tensors(inputs: InputSchema) -> dict[str, Tensor]:
    names = ("v0", "viscosity", "dt")
    return {name: torch.as_tensor(np.asarray(getattr(inputs, name)), device=DEVICE) for name in names}


def _run(tensors: dict[str, Tensor], inputs: InputSchema) -> Tensor:
    v0, viscosity, dt = tensors["v0"], tensors["viscosity"][0], tensors["dt"][0]
    return rollout(v0, viscosity, dt, inputs.steps, inputs.domain_extent)


def apply(inputs: InputSchema) -> dict[str, Any]:
    """Runs the simulation."""
    with torch.no_grad():
        result = _run(_tensors(inputs), inputs)
    return {"result": result.cpu().numpy(), "drag": np.zeros(1, np.float32)}


def vector_jacobian_product(
    inputs: InputSchema, vjp_inputs: set[str], vjp_outputs: set[str], cotangent_vector: dict[str, Any]
) -> dict[str, Any]:
    """The gradients of the outputs, weighted by `cotangent_vector`, with respect to some inputs."""
    tensors = _tensors(inputs)
    wanted = [tensors[name].requires_grad_() for name in sorted(vjp_inputs)]
    if "result" not in vjp_outputs:
        return {name: np.zeros_like(tensors[name].detach().cpu().numpy()) for name in sorted(vjp_inputs)}
    result = _run(tensors, inputs)
    weights = torch.as_tensor(np.asarray(cotangent_vector["result"]), dtype=result.dtype, device=DEVICE)
    gradients = torch.autograd.grad(result, wanted, weights)
    return {name: gradient.cpu().numpy() for name, gradient in zip(sorted(vjp_inputs), gradients)}


def abstract_eval(abstract_inputs: Any) -> dict[str, dict[str, Any]]:
    """The shapes of the outputs."""
    shape = abstract_inputs.v0["shape"] if isinstance(abstract_inputs.v0, dict) else abstract_inputs.v0.shape
    return {"result": {"shape": shape, "dtype": "float32"}, "drag": {"shape": (1,), "dtype": "float32"}}
