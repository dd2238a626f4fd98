#version 460
#include "stage.glsl"
#include "drift/wall.glsl"
#include "drift/wind.glsl"

#pragma reads grid.faces grid.u grid.v grid.w ground.elevation ground.snow ground.built
#pragma writes grid.eddy
#pragma arguments mixing_length bounded
#pragma argument int bounded
#pragma reach grid_u 2
#pragma reach grid_v 2
#pragma reach grid_w 2
#pragma reach ground_built 0

// The wind in the middle of a cell; beyond a side, of the nearest cell.
vec3 wind_near(ivec3 cell) {
    return wind(ivec3(fold(cell.xy), cell.z));
}

#if HAS_ground_built
// The distance from the nearest wall of an obstacle, m, if it is near: half a cell in a cell that a wall bounds.
float distance_of_wall(ivec3 face) {
    for (int k = 0; k < 8; k++) {
        int axis = k & 1, way = k >> 1 & 1;
        ivec3 cell = face - (k >> 2) * unit(2);
        if (is_fluid(word_at(cell)) && is_closed(cell + way * unit(axis), axis)) {
            return 0.5 * grid_dx;
        }
    }
    return 1e6;
}
#endif

// The eddy viscosity of the smallest scales, l^2 |S|, at the faces across z, m^2/s (Smagorinsky 1963), with |S|^2 = 2 S_ij S_ij
// and 1 / l^2 = 1 / (kappa z)^2 + 1 / arg.mixing_length^2 (Mason & Thomson 1992). z is the logarithmic mean height of the
// two rows, for which a difference of two rows of the profile u* / kappa ln z gives exactly u*^2. It is 0 at the surface
// (drift/stress.comp) and at the top, and at most h^2 / (20 dt), where steps of Adams and Bashforth are stable in slow wind.
// Waves of two cells decay by 12 nu dt / h^2 + c a step, c the sum of |u| dt / h over the axes (QUICK), and more than 1 is
// unstable: with arg.bounded, nu is at most h^2 (0.9 - c) / (12 dt) too.
void stage(ivec3 face) {
    float viscosity = 0.0;
    float lower = above_surface(face, 2) - 0.5 * grid_dx;
    if (lower > 0.0 && face.z > 0 && face.z < grid_cells.z) {
        vec3 under = wind_near(face - unit(2)), over = wind_near(face);
        vec3 along_z = (over - under) / grid_dx;
        vec3 along_x = 0.25 / grid_dx * (wind_near(face + unit(0)) - wind_near(face - unit(0))
                                         + wind_near(face + unit(0) - unit(2)) - wind_near(face - unit(0) - unit(2)));
        vec3 along_y = 0.25 / grid_dx * (wind_near(face + unit(1)) - wind_near(face - unit(1))
                                         + wind_near(face + unit(1) - unit(2)) - wind_near(face - unit(1) - unit(2)));
        vec3 stretch = vec3(along_x.x, along_y.y, along_z.z);
        vec3 shear = vec3(along_z.y + along_y.z, along_x.z + along_z.x, along_y.x + along_x.y);
        float rate = sqrt(2.0 * dot(stretch, stretch) + dot(shear, shear));
        float wall = KARMAN * grid_dx / log((lower + grid_dx) / lower);
        float inverse = 1.0 / (wall * wall) + 1.0 / (arg.mixing_length * arg.mixing_length);
#if HAS_ground_built
        float beside = KARMAN * distance_of_wall(face);
        inverse += 1.0 / (beside * beside);
#endif
        viscosity = min(rate / inverse, grid_dx * grid_dx / (20.0 * clock.dt));
        if (arg.bounded != 0) {
            vec3 fastest = max(abs(under), abs(over));
            float courant = clock.dt / grid_dx * (fastest.x + fastest.y + fastest.z);
            viscosity = min(viscosity, grid_dx * grid_dx * max(0.9 - courant, 0.0) / (12.0 * clock.dt));
        }
    }
    set_grid_eddy(face, viscosity);
}
