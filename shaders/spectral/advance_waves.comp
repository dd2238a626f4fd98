#version 460
#include "stage.glsl"
#include "spectral/velocity_in_space.glsl"

#pragma reads waves.u waves.v waves.w waves.u_rate waves.v_rate waves.w_rate waves.x waves.y waves.z
#pragma writes waves.u waves.v waves.w waves.u_rate waves.v_rate waves.w_rate
#pragma arguments viscosity push
#pragma argument int part

// One of the three parts of a Runge-Kutta step that needs one copy of the rates (Williamson 1980, "Low-storage Runge-Kutta
// schemes", case 7): rate = a rate + dt dU/dt, U += b rate. dU/dt = P(N) - nu k^2 U + push U for the waves shorter than 2.5, with N the
// transform of u x vorticity and P the part across k, which the pressure leaves. Waves beyond the 2/3 rule are 0.
const float A[3] = float[3](0.0, -5.0 / 9.0, -153.0 / 128.0);
const float B[3] = float[3](1.0 / 3.0, 15.0 / 16.0, 8.0 / 15.0);

void stage(ivec3 wave) {
    ivec3 numbers = numbers_of(wave);
    vec3 k = vec3(numbers);
    float square = dot(k, k);
    // Columns are x, y, z; rows are the real and the imaginary part.
    mat3x2 flow = mat3x2(waves_u(wave), waves_v(wave), waves_w(wave));
    mat3x2 rate = mat3x2(0.0), force = mat3x2(waves_x(wave), waves_y(wave), waves_z(wave));
    if (!is_kept(numbers) || square == 0.0) {
        flow = mat3x2(0.0);
    } else {
        vec2 along = (k.x * force[0] + k.y * force[1] + k.z * force[2]) / square;
        float gain = (square < 6.25 ? arg.push : 0.0) - arg.viscosity * square;
        mat3x2 before = arg.part == 0 ? mat3x2(0.0) : mat3x2(waves_u_rate(wave), waves_v_rate(wave), waves_w_rate(wave));
        rate = A[arg.part] * before
             + clock.dt * (force - mat3x2(k.x * along, k.y * along, k.z * along) + gain * flow);
        flow += B[arg.part] * rate;
    }
    set_waves_u_rate(wave, rate[0]);
    set_waves_v_rate(wave, rate[1]);
    set_waves_w_rate(wave, rate[2]);
    set_waves_u(wave, flow[0]);
    set_waves_v(wave, flow[1]);
    set_waves_w(wave, flow[2]);
}
