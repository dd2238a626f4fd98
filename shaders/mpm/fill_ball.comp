#version 460
#include "stage.glsl"
#include "lib/random.glsl"

#pragma writes matter.position matter.velocity
#pragma arguments balls.each balls.radius balls.jitter
#pragma argument uint first
#pragma argument uint each

// Particles arg.first to arg.first + arg.each - 1, evenly in a ball about arg.centre: the radius follows the rank, the
// direction by the additive sequence of M. Roberts 2018, "The unreasonable effectiveness of quasirandom sequences"
// (inverse powers of the root of g^3 = g + 1, times 2^32), shifted by the seed. Each is then moved by up to
// arg.jitter / 2 of the mean distance, along each axis. All start at arg.velocity.
const uint PURPOSE_FILL_BALL = 0x6d706d32u;

void stage(uint i) {
    vec2 shift = random4(arg.first, 0u, PURPOSE_FILL_BALL, clock.seed).xy;
    // In whole numbers no digits are lost at high indices.
    uvec2 turns = uvec2(3242174889u, 2447445414u) * (i + 1u);
    vec2 square = fract(vec2(turns >> 8u) / 16777216.0 + shift);
    float radius = arg.radius * pow((float(i) + 0.5) / float(arg.each), 1.0 / 3.0);
    float height = 2.0 * square.x - 1.0;
    float angle = 6.28318531 * square.y;
    float flat_radius = sqrt(max(1.0 - height * height, 0.0));
    vec3 direction = vec3(flat_radius * cos(angle), flat_radius * sin(angle), height);
    float spacing = arg.radius * pow(4.18879020 / float(arg.each), 1.0 / 3.0);
    vec3 random = random4(arg.first + i, 1u, PURPOSE_FILL_BALL, clock.seed).xyz;
    vec3 moved = arg.jitter * spacing * (random - 0.5);
    set_matter_position(arg.first + i, arg.centre + radius * direction + moved);
    set_matter_velocity(arg.first + i, arg.velocity);
}
