// Particle to grid: mass and momentum by quadratic splines, in fixed point (lib/fixed_point.glsl). A particle of mass m,
// velocity v and affine velocity C gives a node at distance d (m) with weight w
//     w m    and    w m (v + apic C d)
// With arg.apic 1 that is APIC (Jiang et al. 2015, equation 8), with 0 the transfer of PIC and FLIP.
#include "lib/bspline.glsl"
#include "lib/fixed_point.glsl"

#pragma adds counters
#pragma reach nodes_mass 2
#pragma reach nodes_px 2
#pragma reach nodes_py 2
#pragma reach nodes_pz 2

// Adds a share to a node; the stage defines this function.
void share(ivec3 node, uint mass, ivec3 momentum);

// counters(0) counts particles with a contribution that was faster than arg.limit.
void particle_to_grid(uint particle) {
    vec3 velocity = matter_velocity(particle);
    mat3 affine = matter_affine(particle) * arg.apic;
    Spline s = spline_at(nodes_coordinates(matter_position(particle)));
    vec3 limit = vec3(arg.limit);
    uint rest = arg.units;
    ivec3 rest_momentum = fixed_momentum(arg.units, clamp(velocity, -limit, limit), arg.quanta);
    bool clamped = fixed_clamps(velocity, arg.limit);
    for (int k = 0; k < 27; k++) {
        ivec3 n = ivec3(k % 3, k / 3 % 3, k / 9);
        if (k == 13) {
            continue;
        }
        uint mass = fixed_mass(spline_weight(s, n), arg.units);
        if (mass == 0u) {
            continue;
        }
        vec3 carried = velocity + affine * ((vec3(n) - s.offset) * nodes_dx);
        clamped = clamped || fixed_clamps(carried, arg.limit);
        ivec3 momentum = fixed_momentum(mass, clamp(carried, -limit, limit), arg.quanta);
        share(s.base + n, mass, momentum);
        rest -= mass;
        rest_momentum -= momentum;
    }
    share(s.base + 1, rest, rest_momentum);
    if (clamped) {
        add_counters(0u, 1u);
    }
}
