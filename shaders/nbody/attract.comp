#version 460
#include "stage.glsl"

#pragma reads matter.position matter.mass
#pragma writes matter.acceleration matter.potential
#pragma arguments gravity softening
#pragma reach matter_position anywhere
#pragma reach matter_mass anywhere
#pragma workgroup 64

// Gravity of all particles on each, softened (Aarseth 1963; docs/examples.md, equation 7). A workgroup loads
// tiles of particles into shared memory, and each of its invocations sums up the tile for its own particle (Nyland, Harris &
// Prins 2007, "Fast N-body simulation with CUDA", GPU Gems 3, chapter 31). Sums are in the order of particles.
const uint TILE = 64u;
shared vec4 tile[TILE];

void stage(uvec3 group, uint local) {
    uint i = group.x * TILE + local;
    vec3 here = i < matter_count ? matter_position(i) : vec3(0.0), sum = vec3(0.0);
    float potential = 0.0;
    for (uint first = 0u; first < matter_count; first += TILE) {
        uint own = first + local;
        tile[local] = own < matter_count ? vec4(matter_position(own), matter_mass(own)) : vec4(0.0);
        barrier();
        for (uint k = 0u; k < TILE; k++) {
            vec3 towards = tile[k].xyz - here;
            float r2 = dot(towards, towards) + arg.softening * arg.softening;
            // Nothing attracts itself.
            float inverse = first + k != i && r2 > 0.0 ? inversesqrt(r2) : 0.0, part = tile[k].w * inverse;
            potential -= part;
            sum += part * inverse * inverse * towards;
        }
        barrier();
    }
    if (i < matter_count) {
        set_matter_acceleration(i, arg.gravity * sum);
        set_matter_potential(i, arg.gravity * potential);
    }
}
