// A rigid body that swings along arg.reach (m) with arg.period (s), and turns about the vertical axis through arg.pivot (m) by
// arg.spin (rad/s).

#pragma arguments motion

const float FULL_TURN = 6.28318530717958648;

vec3 shift_of_body(float time) {
    return arg.reach * sin(FULL_TURN * time / arg.period);
}

// Transforms a world position to the body's frame at time 0.
vec3 on_body(vec3 place, float time) {
    float turn = arg.spin * time, c = cos(turn), s = sin(turn);
    vec3 from = place - shift_of_body(time) - arg.pivot;
    return arg.pivot + vec3(c * from.x + s * from.y, c * from.y - s * from.x, from.z);
}

// The velocity of the body at a place of the world, m/s.
vec3 velocity_of_body(vec3 place, float time) {
    vec3 from = place - shift_of_body(time) - arg.pivot;
    return arg.reach * (FULL_TURN / arg.period * cos(FULL_TURN * time / arg.period)) + arg.spin * vec3(-from.y, from.x, 0.0);
}
