// The surface of the snow over the columns of a grid: each column has a vertex of the ground in its middle. Include
// after stage.glsl in a stage that reads ground.elevation and ground.snow. arg.snow_unit is the depth of a unit, m.
#ifndef DRIFT_GROUND
#define DRIFT_GROUND
#include "pressure/sides.glsl"

#pragma arguments snow_unit

// The column itself; beyond a side the nearest one, or the periodic image.
ivec2 fold(ivec2 column) {
    ivec2 columns = ground_vertices;
    for (int axis = 0; axis < 2; axis++) {
        column[axis] = arg.low[axis] == PERIODIC_SIDE ? (column[axis] + columns[axis]) % columns[axis]
                                                      : clamp(column[axis], 0, columns[axis] - 1);
    }
    return column;
}

// m
float height(ivec2 column) {
    ivec2 at = fold(column);
    return ground_elevation(at) + float(ground_snow(at)) * arg.snow_unit;
}

#endif
