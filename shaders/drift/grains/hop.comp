#version 460
#include "stage.glsl"
#include "lib/random.glsl"
#include "drift/grains/column.glsl"
#include "drift/grains/splash.glsl"

#pragma reads grains.position grains.velocity grains.hop grains.spent wind
#pragma writes grains.position grains.velocity grains.hop grains.spent impulse ejecta source bed hop_lengths hop_heights
#pragma adds impulse
#pragma adds bed
#pragma adds hop_lengths
#pragma adds hop_heights
#pragma arguments air size

const uint PURPOSE_REBOUND = 41u;
const uint PURPOSE_EJECTA = 42u;
// Bins of `hop_lengths` in a factor of 2, from 0.1 mm.
const float BINS = 4.0;

// The wind at a height, m/s: linear in ln z.
float wind_at(float z) {
    float place = levels_below(z) - 0.5;
    if (place < 0.0) {
        return wind(0u) * (place + 0.5) / 0.5;
    }
    uint level = uint(min(int(place), arg.levels - 2));
    return mix(wind(level), wind(level + 1u), min(place - float(level), 1.0));
}

uint bin_of(float value) {
    return uint(clamp(BINS * log2(value / 1e-4), 0.0, 63.0));
}

struct Grain {
    vec3 position, velocity;
    // Length and height of the path since it left the bed, m.
    vec2 hop;
    bool spent;
};

// A grain meets the bed. The grains that it throws out of it are born later, from source(i).
void hit(uint i, inout Grain grain) {
    add_hop_lengths(bin_of(grain.hop.x), 1u);
    add_hop_heights(bin_of(grain.hop.y), 1u);
    vec4 random = random4(i, clock.step, PURPOSE_REBOUND, clock.seed);
    float speed = length(grain.velocity), number = number_of_ejecta(speed, grain.velocity.x / max(speed, 1e-9));
    set_ejecta(i, uint(number + random.z));
    set_source(i, vec3(grain.position.xy, speed_of_ejecta(speed)));
    grain.position.z = 0.0;
    grain.hop = vec2(0.0);
    if (random.x < chance_of_rebound(speed)) {
        float angle = angle_above(arg.rebound_angle, random.y);
        grain.velocity = arg.restitution * speed * vec3(cos(angle), 0.0, sin(angle));
    } else {
        grain.velocity = vec3(0.0);
        grain.spent = true;
        add_bed(0u, 1u);
    }
}

// A step in the wind, with the drag of a ball (Schiller & Naumann 1935), implicit.
void move(uint i, inout Grain grain) {
    vec3 air = vec3(wind_at(grain.position.z), 0.0, 0.0);
    float reynolds = distance(air, grain.velocity) * arg.diameter / arg.air_viscosity;
    float drag = 18.0 * arg.air_viscosity * arg.air_density / (arg.grain_density * arg.diameter * arg.diameter)
        * (1.0 + 0.15 * pow(max(reynolds, 1e-9), 0.687));
    vec3 next = (grain.velocity + clock.dt * (drag * air - vec3(0.0, 0.0, GRAVITY))) / (1.0 + clock.dt * drag);
    add_impulse(level_at(grain.position.z), int(round(IMPULSE_UNITS * (next.x - grain.velocity.x))));
    vec3 way = 0.5 * clock.dt * (grain.velocity + next);
    bool hits = grain.position.z + way.z <= 0.0;
    float part = hits ? clamp(grain.position.z / max(-way.z, 1e-12), 0.0, 1.0) : 1.0;
    grain.position += part * way;
    grain.position.xy = mod(grain.position.xy, arg.size);
    grain.velocity = mix(grain.velocity, next, part);
    grain.hop = vec2(grain.hop.x + part * way.x, max(grain.hop.y, grain.position.z));
    if (hits) {
        hit(i, grain);
    }
}

// Moves a grain, and sums what it takes from the wind. Grains at rest stay until they are removed.
void stage(uint i) {
    Grain grain = Grain(grains_position(i), grains_velocity(i), grains_hop(i), grains_spent(i) != 0u);
    if (!grain.spent) {
        move(i, grain);
    }
    set_grains_position(i, grain.position);
    set_grains_velocity(i, grain.velocity);
    set_grains_hop(i, grain.hop);
    set_grains_spent(i, grain.spent ? 1u : 0u);
}
