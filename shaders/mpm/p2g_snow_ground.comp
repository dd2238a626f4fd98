#version 460
#include "stage.glsl"
// `ledger` belongs to the snow on the ground where there is ground: matter has `matter_ledger`.
#define add_ledger add_matter_ledger
#include "mpm/snow.glsl"
#include "mpm/p2g.glsl"

// As p2g_snow.comp.
void stage(uint particle) {
    mat3 affine = mat3(matter_affine_x(particle), matter_affine_y(particle), matter_affine_z(particle));
    mat3 stress = kirchhoff(particle, affine);
    particle_to_grid(particle, matter_velocity(particle), affine, stress);
}
