#version 460
#include "stage.glsl"
#include "lib/random.glsl"
#include "drift/grains/splash.glsl"

#pragma reads starts source
#pragma writes grains.position grains.velocity grains.hop grains.spent bed
#pragma adds bed
#pragma arguments size

const uint PURPOSE_LAUNCH = 44u;

// The grain that ejected a newborn one: the last whose ejecta start at its number or before.
uint parent_of(uint number) {
    uint low = 0u, high = grains_capacity;
    while (high - low > 1u) {
        uint middle = (low + high) / 2u;
        if (starts(middle) <= number) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

// A grain leaves the bed, ejected by another one; or the wind lifts it by its diameter (Anderson & Haff 1991).
void stage(uint i) {
    uint number = i - grains_count;
    vec4 random = random4(number, clock.step, PURPOSE_LAUNCH, clock.seed);
    vec3 position = vec3(arg.size * random.xy, 0.0), velocity = vec3(0.0, 0.0, sqrt(2.0 * GRAVITY * arg.diameter));
    if (number < starts(grains_capacity)) {
        vec3 from = source(parent_of(number));
        float angle = angle_above(arg.ejecta_angle, random.x), speed = -from.z * log(1.0 - random.y);
        position.xy = from.xy;
        velocity = speed * vec3(cos(angle), 0.0, sin(angle));
    }
    set_grains_position(i, position);
    set_grains_velocity(i, velocity);
    set_grains_hop(i, vec2(0.0));
    set_grains_spent(i, 0u);
    add_bed(0u, ~0u);
}
