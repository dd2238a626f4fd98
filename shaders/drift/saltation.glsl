// Snow that the wind moves along the surface. The stage reads ground.friction and ground.age.
#pragma arguments air_density closure threshold
#pragma argument int closure
#include "drift/constants.glsl"

const int SORENSEN = 0;

// The friction velocity from which snow moves, m/s: it grows as snow ages, from arg.fresh to arg.hard.
float threshold(ivec2 vertex) {
    return arg.fresh + (arg.hard - arg.fresh) * (1.0 - exp(-ground_age(vertex) / arg.hardening));
}

// The flux of saturated saltation, kg / (m s): Vionnet et al. 2014 (The Cryosphere 8, 395), after Sorensen 2004; or Pomeroy &
// Gray 1990 (Water Resources Research 26, 1583).
float saturated(float friction, float least) {
    if (friction <= least) {
        return 0.0;
    }
    float r = least / friction;
    return arg.closure == SORENSEN
        ? arg.air_density / GRAVITY * friction * friction * friction * (1.0 - r * r) * (2.6 + 2.0 * r + 2.5 * r * r)
        : 0.68 * arg.air_density / GRAVITY * r * (friction * friction - least * least);
}

// The mean speed of saltating snow, m/s (Pomeroy & Gray 1990).
float speed_of_snow(float least) {
    return 2.8 * least;
}
