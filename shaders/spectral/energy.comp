#version 460
#include "stage.glsl"
#include "spectral/velocity_in_space.glsl"

#pragma reads waves.u waves.v waves.w
#pragma reduces sum dissipation energy
#pragma arguments viscosity

// Mean kinetic energy u^2 / 2 and dissipation 2 nu S^2 = nu vorticity^2, by Parseval's theorem.
void stage(ivec3 wave) {
    vec3 k = vec3(numbers_of(wave));
    vec2 u = waves_u(wave), v = waves_v(wave), w = waves_w(wave);
    float points = float(waves_cells.y) * float(waves_cells.y) * float(waves_cells.z);
    float energy = 0.5 * copies(wave) * (dot(u, u) + dot(v, v) + dot(w, w)) / points / points;
    sum_energy(energy);
    sum_dissipation(2.0 * arg.viscosity * dot(k, k) * energy);
}
