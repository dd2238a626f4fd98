// Water over a ground: the dual cell of each vertex has a depth and a discharge. Beyond a side, a wall is the mirror image of
// the cells inside, and an open side continues the outermost one, but lets nothing in.
#pragma reads ground.elevation ground.depth ground.flow
#pragma arguments sides dry
#pragma argument ivec2 low
#pragma argument ivec2 high

const int WALL = 0;

struct State {
    float bed, depth;   // m
    vec2 velocity;      // m/s
};

// The velocity goes to 0 where water is shallower than arg.dry, without a jump.
vec2 velocity_of(float depth, vec2 flow) {
    float deep = max(depth, arg.dry);
    return 2.0 * depth / (depth * depth + deep * deep) * flow;
}

bool is_wall(int axis, bool is_high) {
    return (is_high ? arg.high : arg.low)[axis] == WALL;
}

// At the vertex, or beyond a side along the axis.
State state_at(ivec2 vertex, int axis) {
    int n = ground_vertices[axis], k = vertex[axis];
    bool is_outside = k < 0 || k >= n, is_image = is_outside && is_wall(axis, k >= n);
    vertex[axis] = is_image ? (k < 0 ? -1 - k : 2 * n - 1 - k) : clamp(k, 0, n - 1);
    State s;
    s.bed = ground_elevation(vertex);
    s.depth = ground_depth(vertex);
    s.velocity = velocity_of(s.depth, ground_flow(vertex));
    // Nothing enters through an open side.
    float along = s.velocity[axis];
    s.velocity[axis] = is_image ? -along : k < 0 ? min(along, 0.0) : k >= n ? max(along, 0.0) : along;
    return s;
}
