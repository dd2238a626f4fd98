// A column of wind along x over a flat bed: its levels have equal height in ln z, from arg.roughness, where there is no
// wind, to arg.top, m. Include after stage.glsl in a stage that reads wind.
#ifndef DRIFT_GRAINS_COLUMN
#define DRIFT_GRAINS_COLUMN
#include "drift/constants.glsl"

#pragma arguments roughness top levels
#pragma argument int levels

// Height of a level in ln z.
float level_height() {
    return log(arg.top / arg.roughness) / float(arg.levels);
}

// Levels between the roughness and a height.
float levels_below(float z) {
    return log(max(z / arg.roughness, 1.0)) / level_height();
}

// The height of a number of levels, m.
float height_of(float count) {
    return arg.roughness * exp(count * level_height());
}

// The level that contains a height; the last one above arg.top.
uint level_at(float z) {
    return uint(min(int(levels_below(z)), arg.levels - 1));
}

#endif
