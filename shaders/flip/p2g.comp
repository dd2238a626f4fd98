#version 460
#include "stage.glsl"
#include "pressure/cell_types.glsl"
#include "pressure/sides.glsl"

#pragma reads placed matter.velocity matter.affine grid.first grid.end
#pragma writes value before
#pragma arguments gravity
#pragma reach grid_first 1
#pragma reach grid_end 1

layout(constant_id = 0) const int AXIS = 0;

// Particles to the faces across axis AXIS: the mean of the velocities of particles around a face, with linear weights (Zhu & Bridson
// 2005, "Animating sand as a fluid", section 4.1; Bridson 2015, "Fluid simulation for computer graphics", section 7.6). Each
// face gathers, cell after cell and particle after particle, so the sum has one order. `value` is the mean plus the gravity of one
// step. Faces on closed sides of the domain are at rest.

// The velocity along axis AXIS that particle i brings to a face that is `way` (cells) from it: with derivatives, that at the face
// (Jiang, Schroeder, Selle, Teran & Stomakhin 2015, "The affine particle-in-cell method", section 5.3).
float carried(uint i, vec3 way) {
#if HAS_matter_affine
    return matter_velocity(i)[AXIS] + dot(matter_affine(i)[AXIS], way * grid_spacing);
#else
    return matter_velocity(i)[AXIS];
#endif
}

// The particles in the cells of a row, x from `first` to `last`: they follow each other. A cell without particles ends at 0.
uvec2 particles_in(int first, int last, int y, int z) {
    uvec2 range = uvec2(0xffffffffu, 0u);
    for (ivec3 cell = ivec3(first, y, z); cell.x <= last; cell.x++) {
        uint end = grid_end(cell);
        if (end > 0u) {
            range = uvec2(min(range.x, grid_first(cell)), max(range.y, end));
        }
    }
    return range;
}

void stage(ivec3 face) {
    vec3 at = vec3(face) + 0.5;
    at[AXIS] -= 0.5;
    ivec3 low = max(ivec3(floor(at - 0.999)), ivec3(0)), high = min(ivec3(floor(at + 0.999)), grid_cells - 1);
    float sum = 0.0, weights = 0.0;
    for (int z = low.z; z <= high.z; z++) {
        for (int y = low.y; y <= high.y; y++) {
            uvec2 range = particles_in(low.x, high.x, y, z);
            for (uint i = range.x; i < range.y; i++) {
                vec3 way = at - placed(i).xyz;
                vec3 near = max(1.0 - abs(way), vec3(0.0));
                float weight = near.x * near.y * near.z;
                sum += weight * carried(i, way);
                weights += weight;
            }
        }
    }
    float brought = weights > 0.0 ? sum / weights : 0.0;
    bool closed = face[AXIS] == 0 ? arg.low[AXIS] == CLOSED_SIDE
                                      : face[AXIS] == grid_cells[AXIS] && arg.high[AXIS] == CLOSED_SIDE;
#if HAS_before
    // For the change that the particles take back.
    set_before(face, brought);
#endif
    set_value(face, closed ? 0.0 : weights > 0.0 ? brought + clock.dt * arg.gravity[AXIS] : 0.0);
}
