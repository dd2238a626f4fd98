// Grid to particle, of the nodes about it with weights w:
//     PIC   v = sum w v_new
//     FLIP  v = v + sum w (v_new - v_old)     (Zhu & Bridson 2005, "Animating sand as a fluid", section 4.1)
// mixed as (1 - flip) PIC + flip FLIP; and the affine velocity, C = 4 / dx^2 sum w v_new d^T (Jiang et al. 2015, equations
// 9 and 10), which p2g uses if arg.apic is 1. The particle always moves with the PIC velocity, so that it does
// not enter solids, and with at most arg.limit (m/s) along an axis, which bounds the blocks that a sparse grid needs
// around it. counters(2) counts particles that the limit held back.
// A particle stays where it is until its time of release (s).
#include "lib/bspline.glsl"

#pragma reads matter.position matter.velocity matter.release nodes.before nodes.velocity
#pragma writes matter.position matter.velocity matter.affine counters
#pragma arguments transfer.flip transfer.limit
#pragma adds counters
#pragma reach nodes_before 2
#pragma reach nodes_velocity 2

// Clamps a position so that all of its 27 nodes are inside the grid.
vec3 inside_nodes(vec3 position) {
    vec3 low = nodes_origin + 1.001 * nodes_dx;
    vec3 high = nodes_origin + (vec3(nodes_cells) - 1.001) * nodes_dx;
    return clamp(position, low, high);
}

// The position of the particle afterwards.
vec3 grid_to_particle(uint particle) {
    vec3 position = matter_position(particle);
    vec3 moved = position, velocity = vec3(0.0);
    mat3 affine = mat3(0.0);
    if (clock.time >= matter_release(particle)) {
        Spline s = spline_at(nodes_coordinates(position));
        vec3 pic = vec3(0.0), gained = vec3(0.0);
        for (int k = 0; k < 27; k++) {
            ivec3 n = ivec3(k % 3, k / 3 % 3, k / 9);
            float weight = spline_weight(s, n);
            vec3 after = nodes_velocity(s.base + n);
            vec3 d = vec3(n) - s.offset;
            pic += weight * after;
            gained += weight * (after - nodes_before(s.base + n));
            affine += mat3(weight * after * d.x, weight * after * d.y, weight * after * d.z);
        }
        affine *= 4.0 / nodes_dx;
        velocity = (1.0 - arg.flip) * pic + arg.flip * (matter_velocity(particle) + gained);
        vec3 limit = vec3(arg.limit);
        if (any(greaterThan(abs(pic), limit))) {
            add_counters(2u, 1u);
        }
        moved = inside_nodes(position + clock.dt * clamp(pic, -limit, limit));
    }
    set_matter_velocity(particle, velocity);
    set_matter_affine(particle, affine);
    set_matter_position(particle, moved);
    return moved;
}
