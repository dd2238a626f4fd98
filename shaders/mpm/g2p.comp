#version 460
#include "stage.glsl"
#include "lib/bspline.glsl"
#include "mpm/matter.glsl"

#pragma reads matter.position nodes.velocity
#pragma writes matter.position matter.velocity matter.affine
#pragma reach nodes_velocity 2

// Clamps a position so that all of its 27 nodes are inside the grid.
vec3 inside_nodes(vec3 position) {
    vec3 low = nodes_origin + 1.001 * nodes_dx;
    vec3 high = nodes_origin + (vec3(nodes_cells) - 1.001) * nodes_dx;
    return clamp(position, low, high);
}

// Grid to particle: velocity and affine velocity of the nodes about it (Jiang et al. 2015, equations 9 and 10, with the
// inertia of the quadratic spline, dx^2 / 4), and its move with that velocity.
//
// Sums over nodes n along each axis are taken one axis after another: of w v and, for the affine velocity, of w n v.
void stage(uint particle) {
    vec3 position = matter_position(particle);
    Spline s = spline_at(nodes_coordinates(position));
    vec3 velocity = vec3(0.0);
    mat3 moment = mat3(0.0);
    for (int z = 0; z < 3; z++) {
        vec3 plane = vec3(0.0), along_x = vec3(0.0), along_y = vec3(0.0);
        for (int y = 0; y < 3; y++) {
            ivec3 node = s.base + ivec3(0, y, z);
            vec3 second = s.weight[1].x * nodes_velocity(node + ivec3(1, 0, 0)).xyz;
            vec3 third = s.weight[2].x * nodes_velocity(node + ivec3(2, 0, 0)).xyz;
            vec3 row = fma(vec3(s.weight[0].x), nodes_velocity(node).xyz, second + third);
            plane = fma(vec3(s.weight[y].y), row, plane);
            along_x = fma(vec3(s.weight[y].y), second + 2.0 * third, along_x);
            along_y = fma(vec3(float(y) * s.weight[y].y), row, along_y);
        }
        velocity = fma(vec3(s.weight[z].z), plane, velocity);
        moment[0] = fma(vec3(s.weight[z].z), along_x, moment[0]);
        moment[1] = fma(vec3(s.weight[z].z), along_y, moment[1]);
        moment[2] = fma(vec3(float(z) * s.weight[z].z), plane, moment[2]);
    }
    set_matter_velocity(particle, velocity);
    set_matter_affine(particle, (moment - outer(velocity, s.offset)) * (4.0 / nodes_dx));
    set_matter_position(particle, inside_nodes(position + clock.dt * velocity));
}
