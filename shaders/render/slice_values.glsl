// Values of grid.value at positions (m): of the nearest cell, or linear between the eight around, clamped to the outermost.
// `arg.shift`: cells by which values lie before centres, so 0.5 along x for faces of x.

float cell_value(ivec3 i) {
    return number(grid_value(index_like(grid_cells, clamp(i, ivec3(0), in_space(grid_cells) - 1))));
}

float value_at(vec3 place, bool linear) {
    vec3 at = (place - box_low()) / in_space(grid_spacing, 1.0) + arg.shift;
    if (!linear) {
        return cell_value(ivec3(floor(at)));
    }
    at = clamp(at - 0.5, vec3(0.0), vec3(in_space(grid_cells) - 1));
    ivec3 low = ivec3(floor(at));
    vec3 f = at - vec3(low);
    float sum = 0.0;
    for (int k = 0; k < 8; k++) {
        ivec3 c = ivec3(k & 1, k >> 1 & 1, k >> 2);
        vec3 w = mix(1.0 - f, f, vec3(c));
        if (w.x * w.y * w.z > 0.0) {
            sum += w.x * w.y * w.z * cell_value(low + c);
        }
    }
    return sum;
}
