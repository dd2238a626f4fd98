"""Opens USD stages with OpenUSD's own package and prints what they hold over time as JSON."""

import json
import sys

from pxr import Usd, UsdGeom, UsdUtils


def problems(path):
    """Findings of the checker of `usdchecker`, or of the validators that newer releases have instead."""
    if hasattr(UsdUtils, "ComplianceChecker"):
        checker = UsdUtils.ComplianceChecker()
        checker.CheckCompliance(path)
        return checker.GetErrors() + checker.GetFailedChecks()
    from pxr import UsdValidation

    validators = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    context = UsdValidation.ValidationContext(validators)
    found = context.Validate(Usd.Stage.Open(path))
    return [error.GetErrorAsString() for error in found]


def plain(value):
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if hasattr(value, "path"):
        return value.path
    return [plain(part) for part in value]


def is_mesh_valid(prim, code):
    mesh = UsdGeom.Mesh(prim)
    corners, counts = mesh.GetFaceVertexIndicesAttr().Get(code), mesh.GetFaceVertexCountsAttr().Get(code)
    return UsdGeom.Mesh.ValidateTopology(corners, counts, len(mesh.GetPointsAttr().Get(code)))[0]


def read(path):
    stage = Usd.Stage.Open(path)
    codes = range(int(stage.GetStartTimeCode()), int(stage.GetEndTimeCode()) + 1)
    prims = {}
    for prim in stage.Traverse():
        attributes = {
            attribute.GetName(): {
                "type": str(attribute.GetTypeName()),
                "samples": [plain(attribute.Get(code)) for code in codes],
            }
            for attribute in prim.GetAuthoredAttributes()
        }
        fields = [
            [relation.GetName(), *map(str, relation.GetTargets())]
            for relation in prim.GetAuthoredRelationships()
        ]
        if prim.IsA(UsdGeom.Mesh):
            attributes["valid"] = [is_mesh_valid(prim, code) for code in codes]
        prims[str(prim.GetPath())] = {"type": prim.GetTypeName(), "attributes": attributes, "fields": fields}
    return {
        "problems": problems(path),
        "unresolved": [str(found) for found in UsdUtils.ComputeAllDependencies(path)[2]],
        "up": UsdGeom.GetStageUpAxis(stage),
        "metres": UsdGeom.GetStageMetersPerUnit(stage),
        "frames": [stage.GetStartTimeCode(), stage.GetEndTimeCode()],
        "rate": stage.GetTimeCodesPerSecond(),
        "root": str(stage.GetDefaultPrim().GetPath()),
        "prims": prims,
    }


print(json.dumps([read(path) for path in sys.argv[1:]]))
