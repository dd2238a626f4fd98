// Shared by the stages of flakes: the box of flakes, and the state of a new flake. Include after stage.glsl and
// lib/random.glsl in a stage that touches `air` and `flakes`.

// The third word of a random key: one per use, so that no two uses share random numbers.
const uint PURPOSE_PLACE = 1u;    // init_flakes: position, `when` counts attempts
const uint PURPOSE_START = 2u;    // init_flakes: velocity, v_max, phase
const uint PURPOSE_SPIN = 3u;     // radius and angular speed, constant in time
const uint PURPOSE_RESPAWN = 4u;  // deposit: a new flake at the top
const uint PURPOSE_REENTER = 5u;  // deposit: the height at which a flake comes back

const float TWO_PI = 6.28318530718;

// Position (m), velocity and terminal speed (m/s) of a flake, while a stage moves and deposits it.
struct Flake {
    vec3 position;
    vec3 velocity;
    float v_max;
};

// Flakes are in the box of interior cells: its lower and upper corner, metres.
vec3 flakes_low() {
    return air_origin + air_dx;
}

vec3 flakes_high() {
    return air_origin + air_dx * vec3(air_cells - 1);
}

// Eidissen 2009: a new flake falls at its terminal speed and drifts by up to 1 m/s either way.
vec3 start_velocity(vec2 random, float v_max) {
    return vec3(2.0 * random - 1.0, -v_max);
}
