#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"
#include "spectral/waves.glsl"

#pragma reads grid.v
#pragma writes grid.projected
#pragma arguments viscosity
#pragma reach grid_v anywhere
#pragma whole

// Implicit diffusion and projection of a flow in the spectrum (Stam 1999, "Stable fluids"; 2001, "A simple fluid solver based on
// the FFT"). In a plane the velocity is one complex field, u + i v, so its transform F holds both of theirs:
// U = (F(k) + F(-k)*) / 2 and V = (F(k) - F(-k)*) / 2i. In space there is a second field, w. Each wave decays by
// 1 / (1 + nu k^2 dt) and loses its part along k.

vec2 second(vec2 v) { return vec2(0.0); }
vec2 second(vec4 v) { return v.zw; }
vec2 joined(vec2 like, vec2 first, vec2 second) { return first; }
vec4 joined(vec4 like, vec2 first, vec2 second) { return vec4(first, second); }

STAGE_IN_SPACE {
    ivec3 n = space_size(grid_cells);
    vec2 own = grid_v(AT(cell)).xy, other = grid_v(AT((n - cell) % n)).xy * vec2(1.0, -1.0);
    vec2 u = 0.5 * (own + other), v = -0.5 * turned(own - other), w = second(grid_v(AT(cell)));
    float h = 1.0 / float(n.x);
    vec3 k, slope;
    for (int axis = 0; axis < 3; axis++) {
        k[axis] = wave_number(cell[axis], n[axis], h);
        slope[axis] = slope_number(cell[axis], n[axis], h);
    }
    float decay = 1.0 / (1.0 + arg.viscosity * clock.dt * dot(k, k));
    float square = dot(slope, slope);
    vec2 along = square > 0.0 ? (slope.x * u + slope.y * v + slope.z * w) / square : vec2(0.0);
    u = decay * (u - slope.x * along);
    v = decay * (v - slope.y * along);
    w = decay * (w - slope.z * along);
    set_grid_projected(AT(cell), joined(grid_v(AT(cell)), u + turned(v), w));
}
