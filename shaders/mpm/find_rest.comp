#version 460
#include "stage.glsl"
#include "lib/bspline.glsl"

#pragma reads matter.position matter.velocity nodes.before
#pragma writes matter.rest

// The part of a particle's velocity that the nodes do not return to it.
void stage(uint particle) {
    Spline s = spline_at(nodes_coordinates(matter_position(particle)));
    vec3 rest = matter_velocity(particle);
    for (int k = 0; k < 27; k++) {
        ivec3 n = ivec3(k % 3, k / 3 % 3, k / 9);
        rest -= spline_weight(s, n) * nodes_before(s.base + n);
    }
    set_matter_rest(particle, rest);
}
