// Pressure of an isothermal gas on the nodes of a grid, in one step. A node's load is the mass (units) whose pressure it
// has: p = c^2 load / dx^3, c the isothermal speed of sound. The pressure of the face between two nodes is the harmonic
// mean of theirs, H(a, b) = 2 a b / (a + b), and a node gains
//     dt c^2 / dx (H(before, here) - H(here, after)) / mass
// along each axis. What one node gains across a face the other loses, so momentum is kept. To second order in dx H is the
// arithmetic mean; beside nothing it is 0, as pressure is where gas ends; and since H <= 2 min(a, b), no node with
// load <= mass gains more than 2 c (c dt / dx) along an axis, however thin the gas is there. The border of the grid is a
// wall: beyond it pressure is what it is here.

// The stage says.
float load(ivec3 node);

float face_pressure(float a, float b) {
    float sum = a + b;
    return sum > 0.0 ? 2.0 * a * b / sum : 0.0;
}

// Velocity (m/s) that pressure adds to a node of this mass in clock.dt.
vec3 push_of_pressure(ivec3 node, float mass, float sound) {
    float here = load(node);
    vec3 push = vec3(0.0);
    for (int axis = 0; axis < 3; axis++) {
        ivec3 one = ivec3(0);
        one[axis] = 1;
        ivec3 before = max(node - one, ivec3(0)), after = min(node + one, nodes_cells - 1);
        push[axis] = face_pressure(load(before), here) - face_pressure(here, load(after));
    }
    return push * (clock.dt * sound * sound / (nodes_dx * mass));
}
