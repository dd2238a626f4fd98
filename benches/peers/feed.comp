#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"

#pragma reads grid.density
#pragma writes grid.density
#pragma arguments rate

// A ball (in a plane a disc) low in the middle of a box of 1 m adds arg.rate (1/s) to the density.
STAGE_IN_SPACE {
    vec3 size = vec3(space_size(grid_cells)), place = (vec3(cell) + 0.5) * grid_dx, middle = vec3(0.5, 0.15, 0.0);
    if (size.z > 1.0) {
        middle = vec3(0.5, 0.5, 0.15);
    } else {
        place.z = 0.0;
    }
    bool inside = distance(place, middle) < 0.12;
    set_grid_density(AT(cell), grid_density(AT(cell)) + (inside ? clock.dt * arg.rate : 0.0));
}
