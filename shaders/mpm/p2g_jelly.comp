#version 460
#include "stage.glsl"
#include "mpm/jelly.glsl"
#include "mpm/p2g.glsl"

// One step of strain, and the particle's mass, momentum and stress onto the grid.
void stage(uint particle) {
    mat3 affine = mat3(matter_affine_x(particle), matter_affine_y(particle), matter_affine_z(particle));
    mat3 stress = kirchhoff(particle, affine);
    particle_to_grid(particle, matter_velocity(particle), affine, stress);
}
