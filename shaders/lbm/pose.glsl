// The pose of a rigid body, in `pose`: its displacement (m) and velocity (m/s), the rotation about arg.pivot since time 0, as a
// vector along its axis whose length is the angle (rad), and the angular velocity (rad/s).

// By Rodrigues' formula.
vec3 turned(vec3 v, vec3 turn) {
    float angle = length(turn);
    if (angle == 0.0) {
        return v;
    }
    vec3 axis = turn / angle;
    return v * cos(angle) + cross(axis, v) * sin(angle) + axis * (dot(axis, v) * (1.0 - cos(angle)));
}

// Transforms a world position to the body's frame at time 0.
vec3 on_body(vec3 place) {
    return arg.pivot + turned(place - arg.pivot - pose(0), -pose(2));
}

// v + w x r, m/s.
vec3 velocity_of_body(vec3 place) {
    return pose(1) + cross(pose(3), place - arg.pivot - pose(0));
}
