#version 460
#include "stage.glsl"
#include "lib/random.glsl"
#include "drift/part.glsl"
#include "drift/saltation.glsl"
#include "drift/sublimation.glsl"

#pragma reads ground.friction ground.age ground.salt
#pragma writes ground.salt sublimated
#pragma adds sublimated carry

const uint PURPOSE_SUBLIME_GROUND = 45u;

DEFINE_COUNT(count_sublimated, sublimated)

// Saltation that sublimates, in whole units: the fraction of a unit is the chance of one more. Air passes its grains at
// 0.68 u* + 2.3 u*t (Pomeroy, Gray & Landine 1993).
void stage(ivec2 vertex) {
    uint salt = ground_salt(vertex), element = uint(vertex.y * ground_vertices.x + vertex.x);
    float speed = 0.68 * length(ground_friction(vertex)) + 2.3 * threshold(vertex);
    float units = float(salt) * min(clock.dt * loss_of_ice(arg.saltating_size, speed), 1.0);
    uint lost = min(uint(units + random4(element, clock.step, PURPOSE_SUBLIME_GROUND, clock.seed).x), salt);
    set_ground_salt(vertex, salt - lost);
    count_sublimated(lost);
}
