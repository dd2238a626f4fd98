#version 460
#include "stage.glsl"
#include "lib/bspline.glsl"
#include "mpm/matter.glsl"

#pragma reads matter.position matter.velocity nodes.velocity nodes.before
#pragma writes matter.position matter.velocity matter.affine
#pragma arguments flip

// mpm/g2p.comp, with a share `flip` of FLIP: particles keep that share of the difference between their velocity and that of the nodes before
// forces (Fei et al. 2021, "Revisiting integration in the material point method").
void stage(uint particle) {
    vec3 position = matter_position(particle);
    Spline s = spline_at(nodes_coordinates(position));
    vec3 velocity = vec3(0.0), before = vec3(0.0);
    mat3 affine = mat3(0.0);
    for (int k = 0; k < 27; k++) {
        ivec3 n = ivec3(k % 3, k / 3 % 3, k / 9);
        float weight = spline_weight(s, n);
        vec3 weighted = weight * nodes_velocity(s.base + n);
        velocity += weighted;
        before += weight * nodes_before(s.base + n);
        affine += outer(weighted, vec3(n) - s.offset);
    }
    set_matter_position(particle, position + clock.dt * velocity);
    set_matter_velocity(particle, velocity + arg.flip * (matter_velocity(particle) - before));
    set_matter_affine(particle, affine * (4.0 / nodes_dx));
}
