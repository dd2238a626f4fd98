// Quadratic B-spline over nodes at cell centres: Steffen, Kirby & Berzins 2008, "Analysis and reduction of
// quadrature errors in the material point method"; as weights of MPM: Jiang et al. 2016, "The material point method for
// simulating continuum materials", equation 123. A point depends on three nodes per axis; their weights are not
// negative and sum to 1, and linear functions are interpolated exactly. CPU twin: tests/reference/bspline.rs.

struct Spline {
    ivec3 base;      // the lowest of the 3 x 3 x 3 nodes
    vec3 offset;     // from the lowest node to the point, in cells: 0.5 to 1.5
    vec3 weight[3];  // of nodes 0, 1, 2 along each axis
};

// `at` in cells: node i is at i + 0.5. Every node is inside a grid of n cells for 1 <= at < n - 1.
Spline spline_at(vec3 at) {
    Spline s;
    vec3 low = floor(at - 1.0);
    s.base = ivec3(low);
    s.offset = at - 0.5 - low;
    vec3 left = 1.5 - s.offset, middle = s.offset - 1.0, right = s.offset - 0.5;
    s.weight[0] = 0.5 * left * left;
    s.weight[1] = 0.75 - middle * middle;
    s.weight[2] = 0.5 * right * right;
    return s;
}

// Weight of node `n`, each of its coordinates 0, 1 or 2.
float spline_weight(Spline s, ivec3 n) {
    return s.weight[n.x].x * s.weight[n.y].y * s.weight[n.z].z;
}

// Gradient of a weight with respect to the point, per cell.
vec3 spline_gradient(Spline s, ivec3 n) {
    vec3 slope[3] = vec3[3](s.offset - 1.5, 2.0 - 2.0 * s.offset, s.offset - 0.5);
    vec3 x = vec3(slope[n.x].x, s.weight[n.x].x, s.weight[n.x].x);
    vec3 y = vec3(s.weight[n.y].y, slope[n.y].y, s.weight[n.y].y);
    vec3 z = vec3(s.weight[n.z].z, s.weight[n.z].z, slope[n.z].z);
    return x * y * z;
}
