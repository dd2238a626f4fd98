#version 460
#include "stage.glsl"
#include "lib/random.glsl"

// Short lines at random places of a box of 1 m, in random directions.
void stage(uint i) {
    vec3 place = random4(i, 0u, 1u, clock.seed).xyz, way = random4(i, 0u, 2u, clock.seed).xyz - 0.5;
    set_lines_start(i, place);
    set_lines_end(i, place + arg.piece * normalize(way));
    set_lines_tint(i, place.z);
}
