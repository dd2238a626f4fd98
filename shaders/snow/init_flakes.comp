#version 460
#include "stage.glsl"
#include "lib/random.glsl"
#include "snow/surface.glsl"
#include "snow/flake.glsl"

#pragma reads air.faces ground.elevation ground.snow
#pragma reach air_faces 0
#pragma writes flakes.position flakes.velocity flakes.phase flakes.v_max flakes.id
#pragma arguments flakes.wet

// Flakes before the first step, uniform in the air above the surface. Positions are drawn in the whole box
// and drawn again while they are inside a hill, which keeps the density even where the air is shallow; after
// 32 attempts (for a box three quarters full of hill, one flake in 10,000) the height is drawn between
// surface and top.
void stage(uint flake) {
    vec3 low = flakes_low(), high = flakes_high();
    vec3 position = low;
    float surface = low.z;
    vec3 random = vec3(0.0);
    for (uint attempt = 0u; attempt < 32u; attempt++) {
        random = random4(flake, attempt, PURPOSE_PLACE, clock.seed).xyz;
        position = low + random * (high - low);
        surface = surface_height(position.xy);
        if (position.z > surface) {
            break;
        }
    }
    if (position.z <= surface) {
        position.z = surface + random.z * (high.z - surface);
    }
    vec4 start = random4(flake, 0u, PURPOSE_START, clock.seed);
    // Terminal speed in m/s: 0.5 to 1.5 wet, 1 to 2 dry.
    float v_max = (arg.wet != 0.0 ? 0.5 : 1.0) + start.z;
    set_flakes_position(flake, position);
    set_flakes_velocity(flake, start_velocity(start.xy, v_max));
    set_flakes_phase(flake, TWO_PI * start.w);
    set_flakes_v_max(flake, v_max);
    set_flakes_id(flake, flake);
}
