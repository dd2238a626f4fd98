#version 460
#include "stage.glsl"
#include "drift/wall.glsl"
#include "drift/wind.glsl"

#pragma reads grid.faces grid.u grid.v grid.w ground.elevation ground.snow ground.built
#pragma writes grid.eddy
#pragma arguments mixing_length similarity bounded
#pragma argument int bounded
#pragma reach grid_u 2
#pragma reach grid_v 2
#pragma reach grid_w 2
#pragma reach ground_built 0

// The wind in the middle of a cell; beyond a side, of the nearest cell.
vec3 wind_near(ivec3 cell) {
    return wind(ivec3(fold(cell.xy), clamp(cell.z, 0, grid_cells.z - 1)));
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

// The mixing length of von Karman's similarity, kappa |S| / |laplace u|, m: kappa z in the profile u* / kappa ln z, and about a
// tenth of the thickness of a free shear layer. Of the cells below and above the face, the one where the wind curves less
// counts, so that differences of the profile give no less than kappa z. `under` to `far_over` are the four rows around the
// face, `sides` the sums of the four neighbours of the cell below it and above it.
float length_of_similarity(float rate, vec3 under, vec3 over, vec3 far_under, vec3 far_over, vec3 sides[2], bool lowest) {
    vec3 below = sides[0] + far_under + over - 6.0 * under, above = sides[1] + under + far_over - 6.0 * over;
    float curved = lowest ? length(above) : min(length(below), length(above));
    return KARMAN * rate * grid_dx * grid_dx / max(curved, 1e-9);
}

// The eddy viscosity of the smallest scales, l^2 |S|, at the faces across z, m^2/s (Smagorinsky 1963), with |S|^2 = 2 S_ij S_ij
// and 1 / l^2 = 1 / (kappa z)^2 + 1 / arg.mixing_length^2 (Mason & Thomson 1992). z is the logarithmic mean height of the
// two rows, for which a difference of two rows of the profile u* / kappa ln z gives exactly u*^2. It is 0 at the surface
// (drift/stress.comp) and at the top, and at most h^2 / (20 dt), where steps of Adams and Bashforth are stable in slow wind.
// Waves of two cells decay by 12 nu dt / h^2 + c a step, c the sum of |u| dt / h over the axes (QUICK), and more than 1 is
// unstable: with arg.bounded, nu is at most h^2 (0.9 - c) / (12 dt) too. With
// arg.similarity above 0, l is at most von Karman's length, or arg.similarity if this is more (Menter & Egorov 2010, "The
// scale-adaptive simulation method for unsteady turbulent flow predictions", with l in place of their transported scale).
void stage(ivec3 face) {
    float viscosity = 0.0;
    float lower = above_surface(face, 2) - 0.5 * grid_dx;
    if (lower > 0.0 && face.z > 0 && face.z < grid_cells.z) {
        ivec3 down = face - unit(2);
        vec3 under = wind_near(down), over = wind_near(face);
        vec3 west[2] = vec3[](wind_near(down - unit(0)), wind_near(face - unit(0)));
        vec3 east[2] = vec3[](wind_near(down + unit(0)), wind_near(face + unit(0)));
        vec3 south[2] = vec3[](wind_near(down - unit(1)), wind_near(face - unit(1)));
        vec3 north[2] = vec3[](wind_near(down + unit(1)), wind_near(face + unit(1)));
        vec3 along_z = (over - under) / grid_dx;
        vec3 along_x = 0.25 / grid_dx * (east[1] - west[1] + east[0] - west[0]);
        vec3 along_y = 0.25 / grid_dx * (north[1] - south[1] + north[0] - south[0]);
        vec3 stretch = vec3(along_x.x, along_y.y, along_z.z);
        vec3 shear = vec3(along_z.y + along_y.z, along_x.z + along_z.x, along_y.x + along_x.y);
        float rate = sqrt(2.0 * dot(stretch, stretch) + dot(shear, shear));
        float wall = KARMAN * grid_dx / log((lower + grid_dx) / lower);
        float inverse = 1.0 / (wall * wall) + 1.0 / (arg.mixing_length * arg.mixing_length);
#if HAS_ground_built
        float beside = KARMAN * distance_of_wall(face);
        inverse += 1.0 / (beside * beside);
#endif
        if (arg.similarity > 0.0) {
            vec3 sides[2] = vec3[](west[0] + east[0] + south[0] + north[0], west[1] + east[1] + south[1] + north[1]);
            float similar = length_of_similarity(rate, under, over, wind_near(down - unit(2)), wind_near(face + unit(2)), sides,
                                                 lower < grid_dx);
            similar = max(similar, arg.similarity);
            inverse = max(inverse, 1.0 / (similar * similar));
        }
        float most = 0.05;
        if (arg.bounded != 0) {
            vec3 fastest = max(abs(under), abs(over));
            most = clamp((0.9 - clock.dt / grid_dx * (fastest.x + fastest.y + fastest.z)) / 12.0, 0.0, most);
        }
        viscosity = min(rate / inverse, most * grid_dx * grid_dx / clock.dt);
    }
    set_grid_eddy(face, viscosity);
}
