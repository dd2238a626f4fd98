// Particle to grid: MLS-MPM (Hu et al. 2018, "A moving least squares material point method", equations 17 to 21) with
// APIC (Jiang et al. 2015, equation 8). A particle of mass m, velocity v, affine velocity C and Kirchhoff stress tau
// gives a node at distance d (m) with weight w
//     w m (v + (C - dt 4 / dx^2 (tau / rho)) d)
// where rho is the density at rest: V0 / m of the paper is 1 / rho. With PIC, C d is left out of the transfer. Sums are
// in fixed point (lib/fixed_point.glsl). A material gives the function `kirchhoff(particle, step)`; docs/mpm.md says how.
#include "lib/bspline.glsl"
#include "lib/fixed_point.glsl"

void scatter(ivec3 node, uint mass, ivec3 momentum) {
    add_nodes_mass(node, mass);
    add_nodes_px(node, momentum.x);
    add_nodes_py(node, momentum.y);
    add_nodes_pz(node, momentum.z);
}

// `stress` is tau / rho, m^2/s^2. ledger(0) counts contributions that were faster than arg.limit.
void particle_to_grid(uint particle, vec3 velocity, mat3 affine, mat3 stress) {
    float scale = 4.0 / (nodes_dx * nodes_dx);
    mat3 q = affine * arg.apic - (clock.dt * scale) * stress;
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
        vec3 carried = velocity + q * ((vec3(n) - s.offset) * nodes_dx);
        clamped = clamped || fixed_clamps(carried, arg.limit);
        ivec3 momentum = fixed_momentum(mass, clamp(carried, -limit, limit), arg.quanta);
        scatter(s.base + n, mass, momentum);
        rest -= mass;
        rest_momentum -= momentum;
    }
    scatter(s.base + 1, rest, rest_momentum);
    if (clamped) {
        add_ledger(0u, 1u);
    }
}
