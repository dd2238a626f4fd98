// Deposits and replaces flakes after their move. Include after stage.glsl, lib/random.glsl and snow/flake.glsl in a stage that
// touches `air`.
#include "snow/surface.glsl"
#include "snow/land.glsl"

#pragma reads ground.elevation ground.snow flakes.position flakes.v_max flakes.id
#pragma writes flakes.position flakes.velocity ground.fresh counters
#pragma arguments flakes.units
#pragma argument uint units
#pragma adds counters

// Handles a flake after its move. Below the surface, it deposits its snow, and a new flake starts at the top at a
// random position. Beyond a side, it returns through the opposite side by the same distance, at a height uniform
// between the surface there and the top, so that it is never inside a hill and there is no void upwind. Snow is added to
// `fresh`, not to `snow`, so the surface does not depend on the order of the flakes of a step.
//
// The counters count events: flakes landed, flakes started at the top, re-entries, and flakes that had to be replaced
// because their position was not finite (without a deposit; 0 in a healthy run). move_flake makes it so from any
// velocity or phase that is not.
void deposit(uint flake, inout Flake f) {
    vec3 low = flakes_low(), high = flakes_high(), position = f.position;
    bool lost = any(isnan(position)) || any(isinf(position));
    bool respawn = lost;
    if (lost) {
        add_counters(3u, 1u);
    } else if (any(lessThan(position.xy, low.xy)) || any(greaterThanEqual(position.xy, high.xy))) {
        vec2 size = high.xy - low.xy;
        vec2 wrapped = position.xy - size * floor((position.xy - low.xy) / size);
        position.xy = clamp(wrapped, low.xy, high.xy);
        float surface = surface_height(position.xy);
        float random = random4(flakes_id(flake), clock.step, PURPOSE_REENTER, clock.seed).x;
        position.z = surface + random * (high.z - surface);
        f.position = position;
        add_counters(2u, 1u);
    } else if (position.z <= surface_height(position.xy)) {
        land(position.xy, arg.units);
        add_counters(0u, 1u);
        respawn = true;
    } else if (position.z > high.z) {
        f.position.z = high.z;
    }
    if (respawn) {
        vec4 random = random4(flakes_id(flake), clock.step, PURPOSE_RESPAWN, clock.seed);
        f.position = vec3(low.xy + random.xy * (high.xy - low.xy), high.z);
        f.velocity = start_velocity(random.zw, f.v_max);
        add_counters(1u, 1u);
    }
}
