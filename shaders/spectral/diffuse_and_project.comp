#version 460
#include "stage.glsl"
#include "spectral/waves.glsl"

// Implicit diffusion and projection of a plane flow in the spectrum (Stam 2001, "A simple fluid solver based on the FFT"). The
// velocity is one complex field, u + i v, so its transform F holds both of theirs: U = (F(k) + F(-k)*) / 2 and
// V = (F(k) - F(-k)*) / 2i. Each wave decays by 1 / (1 + nu k^2 dt) and loses its part along k.
void stage(ivec2 wave) {
    ivec2 n = waves_cells;
    vec2 own = waves_v(wave), other = waves_v((n - wave) % n) * vec2(1.0, -1.0);
    vec2 u = 0.5 * (own + other), v = -0.5 * turned(own - other);
    float h = 1.0 / float(n.x);
    vec2 k = vec2(wave_number(wave.x, n.x, h), wave_number(wave.y, n.y, h));
    vec2 slope = vec2(slope_number(wave.x, n.x, h), slope_number(wave.y, n.y, h));
    float decay = 1.0 / (1.0 + arg.viscosity * clock.dt * dot(k, k));
    float square = dot(slope, slope);
    vec2 along = square > 0.0 ? (slope.x * u + slope.y * v) / square : vec2(0.0);
    u = decay * (u - slope.x * along);
    v = decay * (v - slope.y * along);
    set_waves_projected(wave, u + turned(v));
}
