#version 460
#include "stage.glsl"

#pragma reads matter.position matter.velocity
#pragma writes matter.spent
#pragma arguments drain

// Marks particles to remove: outside the box from arg.low to arg.high (m), or below arg.level (m) and slower than
// arg.slow (m/s).
void stage(uint i) {
    vec3 position = matter_position(i);
    vec3 velocity = matter_velocity(i);
    bool outside = any(lessThan(position, arg.low)) || any(greaterThan(position, arg.high));
    bool rests = position.z < arg.level && dot(velocity, velocity) < arg.slow * arg.slow;
    set_matter_spent(i, outside || rests ? 1u : 0u);
}
