#version 460
#include "stage.glsl"

#pragma reads matter.position ground.release
#pragma writes matter.dead

// Marks the particles to be removed that are outside a release area: the vertex nearest to them has 0 in `ground.release`.
void stage(uint particle) {
    ivec2 vertex = ivec2(round(ground_coordinates(matter_position(particle).xy)));
    set_matter_dead(particle, ground_release(clamp(vertex, ivec2(0), ground_vertices - 1)) == 0u ? 1u : 0u);
}
