#version 460
#include "stage.glsl"
#include "sph/tait.glsl"

#pragma reads matter.position
#pragma writes matter.density matter.pressure
#pragma arguments gravity level

// Water at rest below the level arg.level (m): the density at which Tait's equation gives the hydrostatic pressure.
void stage(uint i) {
    float depth = max(arg.level - matter_position(i).z, 0.0);
    float density = arg.rest_density * pow(1.0 - 7.0 * arg.gravity.z * depth / (arg.sound * arg.sound), 1.0 / 7.0);
    set_matter_density(i, density);
    set_matter_pressure(i, tait_pressure(density));
}
