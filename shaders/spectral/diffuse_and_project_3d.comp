#version 460
#include "stage.glsl"
#include "spectral/waves.glsl"

// Implicit diffusion and projection of a flow in the spectrum (Stam 1999, "Stable fluids"). The velocity is two complex fields, the
// first of which is u + i v, so its transform F holds both of theirs: U = (F(k) + F(-k)*) / 2 and V = (F(k) - F(-k)*) / 2i. Each
// wave decays by 1 / (1 + nu k^2 dt) and loses its part along k.
void stage(ivec3 wave) {
    ivec3 n = waves_cells;
    vec4 here = waves_v(wave);
    vec2 other = waves_v((n - wave) % n).xy * vec2(1.0, -1.0);
    vec2 u = 0.5 * (here.xy + other), v = -0.5 * turned(here.xy - other), w = here.zw;
    float h = 1.0 / float(n.x);
    vec3 k = vec3(wave_number(wave.x, n.x, h), wave_number(wave.y, n.y, h), wave_number(wave.z, n.z, h));
    vec3 slope = vec3(slope_number(wave.x, n.x, h), slope_number(wave.y, n.y, h), slope_number(wave.z, n.z, h));
    float decay = 1.0 / (1.0 + arg.viscosity * clock.dt * dot(k, k));
    float square = dot(slope, slope);
    vec2 along = square > 0.0 ? (slope.x * u + slope.y * v + slope.z * w) / square : vec2(0.0);
    u = decay * (u - slope.x * along);
    v = decay * (v - slope.y * along);
    w = decay * (w - slope.z * along);
    set_waves_projected(wave, vec4(u + turned(v), w));
}
