// The motion of a flake in the wind. Include after stage.glsl, lib/random.glsl and snow/flake.glsl.
#include "snow/flake_block.glsl"
#include "snow/wind.glsl"

#pragma reads air.u air.v air.w wind flakes.position flakes.velocity flakes.phase flakes.v_max flakes.id flakes.block
#pragma writes flakes.position flakes.velocity flakes.phase
#pragma arguments flakes.gravity flakes.circle_cap flakes.drift
#pragma argument int drift
#pragma reach air_u 1
#pragma reach air_v 1
#pragma reach air_w 1

// The wind at a point, m/s, each component from its own faces.
vec3 wind_at(vec3 world) {
    vec3 at = air_coordinates(world);
    return vec3(sample_u(at - vec3(0.0, 0.5, 0.5)), sample_v(at - vec3(0.5, 0.0, 0.5)),
            sample_w(at - vec3(0.5, 0.5, 0.0)));
}

// One step of a flake (Eidissen 2009): gravity, drag, and a circling about its path.
//
// With v_f = wind - v, drag is g |v_f| v_f / v_max^2, so that a flake in still air falls at v_max. It is
// stiff (its rate times dt is about 50 at 20 m/s), so it is taken implicitly with k = g |v_f| / v_max^2 held
// for the step:
//     v' = (v + dt (k wind - g z)) / (1 + dt k),    a = (v' - v) / dt
// whose fixed point is the exact terminal velocity, whatever dt.
void move_flake(uint flake, inout Flake f) {
    vec3 position = f.position, v = f.velocity;
    float v_max = f.v_max, phase = flakes_phase(flake), dt = clock.dt;

    calm = vec3(wind(0u).xy, 0.0);
    // A flake that has started anew at the top, or entered at a side, since the last sort is there in the prescribed wind.
    vec3 blows = calm;
    if (!strays(position, flakes_block(flake), arg.drift)) {
        // The same twice: where all blocks around are active, accesses do not look for them.
        if (air_near(flake_cell(position))) {
            blows = wind_at(position);
        } else {
            blows = wind_at(position);
        }
    }
    vec3 v_f = blows - v;
    float relative = length(v_f);
    float k = arg.gravity * relative / (v_max * v_max);  // 1/s
    vec3 v_new = (v + dt * (k * blows - vec3(0.0, 0.0, arg.gravity))) / (1.0 + dt * k);
    vec3 a = (v_new - v) / dt;

    // The circle: radius R in (0, 2) m, angular speed w in +-[pi/4, pi/3], both fixed for each flake.
    vec4 spin = random4(flakes_id(flake), 0u, PURPOSE_SPIN, clock.seed);
    float radius = 2.0 * spin.x;                                     // m
    float turning = TWO_PI * (0.125 + spin.y * (1.0 / 24.0));        // 1/s
    turning = spin.z < 0.5 ? -turning : turning;
    float speed = length(v);
    // |v_f| / |v| up to the cap, without dividing by a speed of 0
    float ratio = relative < arg.circle_cap * speed ? relative / speed : arg.circle_cap;
    vec3 circling = ratio * turning * radius * vec3(-sin(phase), cos(phase), 0.0);

    float turned = phase + turning * dt;
    f.position = position + (v + circling) * dt + 0.5 * dt * dt * a;
    f.velocity = v_new;
    set_flakes_phase(flake, turned - TWO_PI * floor(turned / TWO_PI));  // sin and cos lose digits far from 0
}
