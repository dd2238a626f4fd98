#version 460
#include "stage.glsl"
#include "lib/bspline.glsl"
#include "mpm/matter.glsl"

#pragma reads matter.position nodes.velocity
#pragma writes matter.position matter.velocity matter.affine

// Clamps a position so that all of its 27 nodes are inside the grid.
vec3 inside_nodes(vec3 position) {
    vec3 low = nodes_origin + 1.001 * nodes_dx;
    vec3 high = nodes_origin + (vec3(nodes_cells) - 1.001) * nodes_dx;
    return clamp(position, low, high);
}

// Grid to particle: velocity and affine velocity of the nodes about it (Jiang et al. 2015, equations 9 and 10, with the
// inertia of the quadratic spline, dx^2 / 4), and its move with that velocity.
void stage(uint particle) {
    vec3 position = matter_position(particle);
    Spline s = spline_at(nodes_coordinates(position));
    vec3 velocity = vec3(0.0);
    mat3 affine = mat3(0.0);
    for (int k = 0; k < 27; k++) {
        ivec3 n = ivec3(k % 3, k / 3 % 3, k / 9);
        vec3 weighted = spline_weight(s, n) * nodes_velocity(s.base + n);
        velocity += weighted;
        affine += outer(weighted, vec3(n) - s.offset);
    }
    set_matter_velocity(particle, velocity);
    set_matter_affine(particle, affine * (4.0 / nodes_dx));
    set_matter_position(particle, inside_nodes(position + clock.dt * velocity));
}
