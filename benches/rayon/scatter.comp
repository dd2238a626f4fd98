#version 460
#include "stage.glsl"
#include "lib/random.glsl"

// Random positions in the middle 40 % of the grid along each axis, m; velocities up to 1 m/s and affine matrices up to
// 10 / s along each axis.
void stage(uint particle) {
    vec4 place = random4(particle, 0u, 1u, clock.seed);
    vec4 speed = random4(particle, 0u, 2u, clock.seed);
    set_matter_position(particle, 0.3 + 0.4 * place.xyz);
    set_matter_velocity(particle, 2.0 * speed.xyz - 1.0);
    mat3 affine;
    for (uint column = 0u; column < 3u; column++) {
        affine[column] = 20.0 * random4(particle, column, 3u, clock.seed).xyz - 10.0;
    }
    set_matter_affine(particle, affine);
}
