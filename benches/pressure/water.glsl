// True if a cell is water in the scene arg.kind of pressure_sparse.json.
bool is_water(ivec3 cell) {
    vec3 at = (vec3(cell) + 0.5) / vec3(air_cells);
    float depth = 0.25 + 0.05 * sin(19.0 * at.x) * cos(12.0 * at.y);
    return int(arg.kind) == 0 ? distance(at, vec3(0.5)) < 0.3 : max(at.x, at.y) < 0.5 && at.z < depth;
}
