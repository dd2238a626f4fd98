// Particles to the faces across axis AXIS: the mean of the velocities of particles around a face, with linear weights (Zhu & Bridson
// 2005, "Animating sand as a fluid", section 4.1; Bridson 2015, "Fluid simulation for computer graphics", section 7.6). Each
// face gathers, cell after cell and particle after particle, so the sum has one order. `value` is the mean plus the gravity of one
// step. Faces on closed sides of the domain are at rest.
//
// An invocation takes FACES faces, one above the other, and loads a particle once for all of them.
#ifndef FLIP_P2G
#define FLIP_P2G

#include "pressure/cell_types.glsl"
#include "pressure/sides.glsl"

#pragma reads matter.placed matter.velocity matter.affine grid.first grid.end
#pragma writes value before
#pragma arguments gravity
#pragma reach matter_placed 1
#pragma reach matter_velocity 1
#pragma reach matter_affine 1
#pragma reach grid_first 1
#pragma reach grid_end 1
#pragma reach value 0
#pragma reach before 0

layout(constant_id = 0) const int AXIS = 0;
layout(constant_id = 1) const int FACES = 1;

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

void set_face(ivec3 face, float sum, float weights) {
    float brought = weights > 0.0 ? sum / weights : 0.0;
    bool closed = face[AXIS] == 0 ? arg.low[AXIS] == CLOSED_SIDE
                                  : face[AXIS] == grid_cells[AXIS] && arg.high[AXIS] == CLOSED_SIDE;
#if HAS_before
    // For the change that the particles take back.
    set_before(face, brought);
#endif
    set_value(face, closed ? 0.0 : weights > 0.0 ? brought + clock.dt * arg.gravity[AXIS] : 0.0);
}

void gather(ivec3 face, int faces) {
    vec3 at = vec3(face) + 0.5;
    at[AXIS] -= 0.5;
    ivec3 low = max(ivec3(floor(at - 0.999)), ivec3(0));
    ivec3 high = min(ivec3(floor(at + vec3(0, 0, FACES - 1) + 0.999)), grid_cells - 1);
    float sums[FACES], weights[FACES];
    for (int k = 0; k < FACES; k++) {
        sums[k] = 0.0;
        weights[k] = 0.0;
    }
    for (int z = low.z; z <= high.z; z++) {
        for (int y = low.y; y <= high.y; y++) {
            uvec2 range = particles_in(low.x, high.x, y, z);
            for (uint i = range.x; i < range.y; i++) {
                vec3 place = matter_placed(i).xyz;
                float velocity = matter_velocity(i)[AXIS];
#if HAS_matter_affine
                vec3 gradient = matter_affine(i)[AXIS];
#endif
                for (int k = 0; k < FACES; k++) {
                    vec3 way = vec3(at.xy, at.z + float(k)) - place;
                    vec3 near = max(1.0 - abs(way), vec3(0.0));
                    float weight = near.x * near.y * near.z;
#if HAS_matter_affine
                    // With derivatives, the velocity at the face (Jiang, Schroeder, Selle, Teran & Stomakhin 2015, "The affine
                    // particle-in-cell method", section 5.3).
                    sums[k] += weight * (velocity + dot(gradient, way * grid_spacing));
#else
                    sums[k] += weight * velocity;
#endif
                    weights[k] += weight;
                }
            }
        }
    }
    for (int k = 0; k < FACES; k++) {
        if (k < faces) {
            set_face(face + ivec3(0, 0, k), sums[k], weights[k]);
        }
    }
}

#endif
