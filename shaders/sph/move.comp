#version 460
#include "stage.glsl"
#include "sph/tait.glsl"

#pragma reads matter.position matter.velocity matter.density matter.acceleration matter.density_rate
#pragma writes matter.position matter.velocity matter.density matter.pressure

// Velocity, then position and density: the symplectic Euler method. A particle that crosses a wall changes places with its image.
void stage(uint i) {
    vec3 velocity = matter_velocity(i) + clock.dt * matter_acceleration(i);
    vec3 place = matter_position(i) + clock.dt * velocity;
    float density = matter_density(i) + clock.dt * matter_density_rate(i);
    vec3 low = grid_origin, high = grid_origin + vec3(grid_cells) * grid_spacing;
    velocity *= 1.0 - 2.0 * vec3(notEqual(place, clamp(place, low, high)));
    place = max(place, 2.0 * low - place);
    place = min(place, 2.0 * high - place);
    set_matter_position(i, clamp(place, low, high));
    set_matter_velocity(i, velocity);
    set_matter_density(i, density);
    set_matter_pressure(i, tait_pressure(density));
}
