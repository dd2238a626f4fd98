#version 460
#include "stage.glsl"
#include "pressure/cell_types.glsl"
#include "pressure/sides.glsl"

#pragma reads matter.position matter.velocity matter.affine grid.first grid.end
#pragma writes value before
#pragma arguments gravity
#pragma argument int axis
#pragma reach grid_first 1
#pragma reach grid_end 1

// Particles to the faces across arg.axis: the mean of the velocities of particles around a face, with linear weights (Zhu & Bridson
// 2005, "Animating sand as a fluid", section 4.1; Bridson 2015, "Fluid simulation for computer graphics", section 7.6). Each
// face gathers, cell after cell and particle after particle, so the sum has one order. `value` is the mean plus the gravity of one
// step. Faces on closed sides of the domain are at rest.

// The velocity along arg.axis that particle i brings to a face that is `way` (cells) from it: with derivatives, that at the face
// (Jiang, Schroeder, Selle, Teran & Stomakhin 2015, "The affine particle-in-cell method", section 5.3).
float carried(uint i, vec3 way) {
#if HAS_matter_affine
    return matter_velocity(i)[arg.axis] + dot(matter_affine(i)[arg.axis], way * grid_spacing);
#else
    return matter_velocity(i)[arg.axis];
#endif
}

void stage(ivec3 face) {
    vec3 at = vec3(face) + 0.5;
    at[arg.axis] -= 0.5;
    ivec3 low = max(ivec3(floor(at - 0.999)), ivec3(0)), high = min(ivec3(floor(at + 0.999)), grid_cells - 1);
    float sum = 0.0, weights = 0.0;
    for (ivec3 cell = low; cell.z <= high.z; cell.z++) {
        for (cell.y = low.y; cell.y <= high.y; cell.y++) {
            for (cell.x = low.x; cell.x <= high.x; cell.x++) {
                uint end = grid_end(cell);
                for (uint i = grid_first(cell); i < end; i++) {
                    vec3 way = at - grid_coordinates(matter_position(i));
                    vec3 near = max(1.0 - abs(way), vec3(0.0));
                    float weight = near.x * near.y * near.z;
                    sum += weight * carried(i, way);
                    weights += weight;
                }
            }
        }
    }
    float brought = weights > 0.0 ? sum / weights : 0.0;
    bool closed = face[arg.axis] == 0 ? arg.low[arg.axis] == CLOSED_SIDE
                                      : face[arg.axis] == grid_cells[arg.axis] && arg.high[arg.axis] == CLOSED_SIDE;
#if HAS_before
    // For the change that the particles take back.
    set_before(face, brought);
#endif
    set_value(face, closed ? 0.0 : weights > 0.0 ? brought + clock.dt * arg.gravity[arg.axis] : 0.0);
}
