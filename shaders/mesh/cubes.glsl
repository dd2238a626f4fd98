// The cubes of marching cubes (Lorensen & Cline 1987, "Marching cubes: a high resolution 3D surface construction algorithm")
// and the values at their corners. Corner c is the centre of cell c - 1, so that cubes also cover the sides of the grid: with
// arg.ends closed, values beyond them are outside, and the surface runs exactly along the sides. Inside is above arg.level
// if arg.side is 1, below if it is 0. NaN is outside. A cube has the number of its low corner; so has an edge, with its axis.

#pragma reads grid.value
#pragma arguments level side ends
#pragma reach grid_value anywhere

const uint CLOSED = 1u;

// Along each axis; the last corners have no cubes.
ivec3 corner_counts() {
    return grid_cells + 2;
}

ivec3 corner_at(uint number) {
    uvec3 counts = uvec3(corner_counts());
    uint rest = number / counts.x;
    return ivec3(number % counts.x, rest % counts.y, rest / counts.y);
}

uint corner_number(ivec3 corner) {
    uvec3 counts = uvec3(corner_counts()), at = uvec3(corner);
    return at.x + counts.x * (at.y + counts.y * at.z);
}

bool is_closed() {
    return arg.ends == float(CLOSED);
}

// True if the cubes from corner `low` to `high` are part of the surface's domain.
bool are_cubes(ivec3 low, ivec3 high) {
    int first = is_closed() ? 0 : 1;
    return all(greaterThanEqual(low, ivec3(first))) && all(lessThan(high, corner_counts() - first));
}

// The cell of a corner, or the nearest one.
ivec3 cell_of(ivec3 corner) {
    return clamp(corner - 1, ivec3(0), grid_cells - 1);
}

// Positive inside.
float depth_at(ivec3 corner) {
    ivec3 cell = cell_of(corner);
    float depth = (2.0 * arg.side - 1.0) * (float(grid_value(cell)) - arg.level);
    depth = isnan(depth) ? 0.0 : depth;
    return cell == corner - 1 || !is_closed() ? depth : -abs(depth);
}

// The axes along which the surface crosses the edge from a corner, as bits.
uint crossed_edges(ivec3 corner) {
    bool inside = depth_at(corner) > 0.0;
    uint crossed = 0u;
    for (int axis = 0; axis < 3; axis++) {
        ivec3 other = corner;
        other[axis]++;
        if (are_cubes(corner, other) && (depth_at(other) > 0.0) != inside) {
            crossed |= 1u << axis;
        }
    }
    return crossed;
}

// The corners of a cube that are inside, as bits; corner k lies at (k & 1, k >> 1 & 1, k >> 2).
uint inside_corners(ivec3 cube) {
    uint inside = 0u;
    for (int k = 0; k < 8; k++) {
        inside |= depth_at(cube + ivec3(k & 1, k >> 1 & 1, k >> 2)) > 0.0 ? 1u << k : 0u;
    }
    return inside;
}
