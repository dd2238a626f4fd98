#version 460
#include "stage.glsl"
#include "lib/random.glsl"
#include "snow/surface.glsl"

#pragma reads ground.elevation ground.snow
#pragma writes matter.position matter.velocity
#pragma arguments slab
#pragma argument uvec3 lattice

// Particles on a lattice of arg.lattice points, arg.spacing (m) apart, from arg.low (m) on in x and y, stacked on the
// ground. Each is moved within its cube by up to arg.jitter / 2 of its side. All start at rest.
const uint PURPOSE_FILL_SLAB = 0x6d706d33u;

void stage(uint i) {
    uvec3 n = arg.lattice;
    vec3 at = vec3(i % n.x, i / n.x % n.y, i / (n.x * n.y));
    vec3 random = random4(i, 0u, PURPOSE_FILL_SLAB, clock.seed).xyz;
    vec3 place = (at + 0.5 + arg.jitter * (random - 0.5)) * arg.spacing;
    vec2 world = arg.low + place.xy;
    set_matter_position(i, vec3(world, surface_height(world) + place.z));
    set_matter_velocity(i, vec3(0.0));
}
