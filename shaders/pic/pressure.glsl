// Pressure of an isothermal gas on the nodes of a grid, in one step. A node's load is the mass (units) whose pressure it
// has: p = c^2 load / dx^3, c the isothermal speed of sound. The face between two nodes has the mean of their loads a and
// b, but no more than twice the lesser of their masses m and n,
//     P = min((a + b) / 2, 2 m, 2 n)
// and a node gains dt c^2 / dx (P before - P after) / mass along each axis. One node gains across a face what the other
// loses, so momentum is conserved. P is 0 at the edge of the gas. No node gains more than 2 c (c dt / dx) on one axis,
// however small its mass. The bound has no effect if the density of neighbours differs by less than a factor of 3.
// The border of the grid is a wall: loads beyond it equal the load here.

// Load and mass of a node: the stage says.
vec2 load_and_mass(ivec3 node);

float face_pressure(vec2 a, vec2 b) {
    return min(0.5 * (a.x + b.x), 2.0 * min(a.y, b.y));
}

// Velocity (m/s) that pressure adds to a node with mass in clock.dt.
vec3 push_of_pressure(ivec3 node, float sound) {
    vec2 here = load_and_mass(node);
    vec3 push = vec3(0.0);
    for (int axis = 0; axis < 3; axis++) {
        ivec3 one = ivec3(0);
        one[axis] = 1;
        ivec3 before = max(node - one, ivec3(0)), after = min(node + one, nodes_cells - 1);
        push[axis] = face_pressure(load_and_mass(before), here) - face_pressure(here, load_and_mass(after));
    }
    return push * (clock.dt * sound * sound / (nodes_dx * here.y));
}
