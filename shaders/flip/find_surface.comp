#version 460
#include "stage.glsl"
#include "pressure/cell_types.glsl"
#include "pressure/sides.glsl"

#pragma reads matter.placed grid.first grid.end grid.cell_type
#pragma writes grid.distance grid.particle_density
#pragma arguments particles_per_cell
#pragma reach matter_placed 1
#pragma reach grid_first 1
#pragma reach grid_end 1
#pragma reach grid_cell_type 1

// The surface of the liquid, from the particles around the centre of each cell, with the weights k = (1 - (r / R)^2)^3
// within R = 1.5 cells (Zhu & Bridson 2005, "Animating sand as a fluid", section 5). Under a flat surface, the mean of
// their places is R / 10 (1 - d^2)^5 / (integral of (1 - z^2)^4 from d to 1) deep, where d is the height of the centre
// over the surface, over R. `from_flat` is its inverse within 0.03 cells. `particle_density` is the sum of the
// weights over that of arg.particles_per_cell particles a cell all around, 2.154 a particle. Solids and closed sides
// mirror the particles in front of them.
const float REACH = 1.5;
const float WEIGHT = 2.154;

// The distance from a flat surface by the depth of the mean, both in cells.
float from_flat(float depth) {
    return max(0.2034 * log(max(depth, 1e-4) / 0.3691) + 1.088 * (depth - 0.3691), -REACH);
}

bool is_solid(ivec3 cell) {
    bvec3 below = lessThan(cell, ivec3(0)), above = greaterThanEqual(cell, grid_cells);
    if (any(below) || any(above)) {
        return any(below) ? arg.low[below.x ? 0 : below.y ? 1 : 2] == CLOSED_SIDE
                          : arg.high[above.x ? 0 : above.y ? 1 : 2] == CLOSED_SIDE;
    }
    return grid_cell_type(cell) == SOLID_CELL;
}

// True if there are particles in the 27 cells around a cell.
bool has_particles_around(ivec3 cell) {
    uint ends = 0u;
    for (int k = 0; k < 27; k++) {
        ivec3 from = cell + ivec3(k % 3, k / 3 % 3, k / 9) - 1;
        ends |= grid_end(clamp(from, ivec3(0), grid_cells - 1));
    }
    return ends != 0u;
}

void stage(ivec3 cell) {
    // Most cells of a large domain are far from the liquid.
    if (!has_particles_around(cell) || is_solid(cell)) {
        set_grid_distance(cell, REACH * grid_dx);
        set_grid_particle_density(cell, 0.0);
        return;
    }
    bvec3 low_wall, high_wall;
    for (int axis = 0; axis < 3; axis++) {
        ivec3 way = ivec3(axis == 0, axis == 1, axis == 2);
        low_wall[axis] = is_solid(cell - way);
        high_wall[axis] = is_solid(cell + way);
    }
    vec3 centre = vec3(cell) + 0.5, mean = vec3(0.0);
    float weights = 0.0;
    for (int k = 0; k < 27; k++) {
        ivec3 way = ivec3(k % 3, k / 3 % 3, k / 9) - 1;
        bvec3 mirrored = mix(bvec3(false), low_wall, lessThan(way, ivec3(0)));
        mirrored = mix(mirrored, high_wall, greaterThan(way, ivec3(0)));
        ivec3 from = cell + way * ivec3(not(mirrored));
        if (any(lessThan(from, ivec3(0))) || any(greaterThanEqual(from, grid_cells))) {
            continue;
        }
        uint end = grid_end(from);
        for (uint i = grid_first(from); i < end; i++) {
            vec3 away = matter_placed(i).xyz - centre;
            away = mix(away, vec3(way) - away, mirrored);
            float part = max(1.0 - dot(away, away) / (REACH * REACH), 0.0);
            float weight = part * part * part;
            mean += weight * away;
            weights += weight;
        }
    }
    float distance = weights > 0.0 ? from_flat(sqrt(dot(mean, mean)) / weights) : REACH;
    set_grid_distance(cell, distance * grid_dx);
    set_grid_particle_density(cell, weights / (WEIGHT * arg.particles_per_cell));
}
