#version 460
#include "stage.glsl"
#include "snow/surface.glsl"
#include "snow/land.glsl"

#pragma reads matter.position matter.velocity matter.calm ground.elevation ground.snow
#pragma writes matter.calm matter.dead ground.fresh handed
#pragma arguments near slow rest_time units
#pragma argument uint units

// Transfers snow of the material point method that has come to rest to the height field: a particle that for
// arg.rest_time (s) was slower than arg.slow (m/s) and no higher than arg.near (m) over the surface leaves
// arg.units units of snow and is marked to be removed. So does a particle deeper than three times that below
// the surface, at any speed, because snow that slid over it has covered it. `handed` counts them. It runs once in
// arg.interval (s).
void stage(uint particle) {
    vec3 position = matter_position(particle), velocity = matter_velocity(particle);
    float over = position.z - surface_height(position.xy);
    bool rests = over < arg.near && dot(velocity, velocity) < arg.slow * arg.slow;
    float calm = rests ? matter_calm(particle) + arg.interval : 0.0;
    bool done = calm >= arg.rest_time || over < -3.0 * arg.near;
    if (done) {
        land(position.xy, arg.units);
        add_handed(0u, 1u);
    }
    set_matter_calm(particle, calm);
    set_matter_dead(particle, done ? 1u : 0u);
}
