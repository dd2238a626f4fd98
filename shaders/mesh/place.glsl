// Places the vertices of the surface. A kernel with velocities gives the function `velocity_at(cell)`, included before.

#include "mesh/cubes.glsl"
#include "mesh/owner.glsl"

#pragma reads grid.color
#pragma writes vertices.position vertices.normal
#pragma writes vertices.color if grid.color
#pragma arguments attributes
#pragma reach grid_color anywhere

// Smallest distance of a vertex from the ends of its edge, in edges: no triangle has equal vertices, even where a value is
// exactly the level.
const float MARGIN = 1.0 / 1024.0;

// Per metre, towards the outside.
vec3 slope_at(ivec3 corner) {
    vec3 slope;
    for (int axis = 0; axis < 3; axis++) {
        ivec3 next = ivec3(0);
        next[axis] = 1;
        slope[axis] = depth_at(corner - next) - depth_at(corner + next);
    }
    return slope / grid_spacing;
}

void stage(uint i) {
    uint vertex = i - vertices_count, number = owner_of(vertex);
    ivec3 corner = corner_at(number);
    uint crossed = crossed_edges(corner);
    for (uint k = starts(number); k < vertex; k++) {
        crossed &= crossed - 1u;
    }
    ivec3 other = corner;
    other[findLSB(crossed)]++;
    float here = depth_at(corner), there = depth_at(other), along = here / (here - there);
    along = isnan(along) ? 0.5 : clamp(along, MARGIN, 1.0 - MARGIN);
    set_vertices_position(i, grid_origin + grid_spacing * (mix(vec3(corner), vec3(other), along) - 0.5));
    vec3 normal = normalize(mix(slope_at(corner), slope_at(other), along));
    bool is_inside = here > 0.0;
    set_vertices_normal(i, any(isnan(normal)) || any(isinf(normal)) ? vec3(other - corner) * (is_inside ? 1.0 : -1.0) : normal);
    if (arg.attributes == 1.0) {
        along = is_inside ? 0.0 : 1.0;
    }
#ifdef HAS_VELOCITY
    set_vertices_velocity(i, mix(velocity_at(cell_of(corner)), velocity_at(cell_of(other)), along));
#endif
#if HAS_grid_color
    set_vertices_color(i, mix(grid_color(cell_of(corner)), grid_color(cell_of(other)), along));
#endif
}
