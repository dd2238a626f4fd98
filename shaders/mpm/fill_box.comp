#version 460
#include "stage.glsl"
#include "lib/random.glsl"

#pragma writes matter.position matter.velocity
#pragma arguments column
#pragma argument uvec3 lattice

// Places particles on a lattice of arg.lattice points with the spacing arg.spacing (m), which fills a box from arg.low; each is
// moved within its cube by up to arg.jitter / 2 of its side. All start at rest.
const uint PURPOSE_FILL_BOX = 0x6d706d31u;

void stage(uint i) {
    uvec3 n = arg.lattice;
    vec3 at = vec3(i % n.x, i / n.x % n.y, i / (n.x * n.y));
    vec3 random = random4(i, 0u, PURPOSE_FILL_BOX, clock.seed).xyz;
    set_matter_position(i, arg.low + (at + 0.5 + arg.jitter * (random - 0.5)) * arg.spacing);
    set_matter_velocity(i, vec3(0.0));
}
