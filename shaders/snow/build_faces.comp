#version 460
#include "stage.glsl"
#include "snow/active_blocks.glsl"
#include "snow/faces.glsl"

#pragma reads columns.solid columns.stale air.faces wind
#pragma writes air.faces air.open air.u air.v air.w air.pressure
#pragma vector_width 4

// Columns beyond the sides are like the outermost ones.
bool is_solid(ivec3 cell) {
    return cell.z < columns_solid(clamp(cell.xy, ivec2(0), air_cells.xy - 1));
}

ivec3 corner(int n) {
    return 2 * ivec3(n & 1, n >> 1 & 1, n >> 2) - 1;
}

// The first of the blocks within two cells of the own cell, and which of the eight from there on are active: bit n for
// the n-th corner.
ivec3 first_block;
uint active_corners;

void find_active_corners(ivec3 cell) {
    first_block = air_block(cell - 2);
    active_corners = 0u;
    if (first_block == air_block(cell + 2)) {
        active_corners = 255u;
        return;
    }
    for (int n = 0; n < 8; n++) {
        ivec3 at = clamp(cell + 2 * corner(n), ivec3(0), air_cells - 1);
        active_corners |= air_is_active(at) ? 1u << n : 0u;
    }
}

// True if all 27 cells around a cell that is at most one cell from the own one are active. The cells at the corners
// suffice, since blocks are at least 2 cells long.
bool active_around(ivec3 cell) {
    // Two cells away from the own cell there may be a third block along an axis where blocks are shorter.
    bool has_bits = all(greaterThanEqual(air_block_cells, ivec3(4)));
    if (has_bits && active_corners == 255u) {
        return true;
    }
    for (int n = 0; n < 8; n++) {
        ivec3 at = cell + corner(n), block = air_block(at) - first_block;
        bool is_active = has_bits ? (active_corners >> (block.x | block.y << 1 | block.z << 2) & 1u) != 0u : air_is_active(at);
        if (!is_active) {
            return false;
        }
    }
    return true;
}

// True if a cell belongs to the simulated air. Only this function defines its extent.
bool inside(ivec3 cell) {
    return all(greaterThan(cell, ivec3(0))) && all(lessThan(cell, air_cells - 1)) && active_around(cell);
}

void build(ivec3 cell) {
    find_active_corners(cell);
    bool fresh = (air_faces(cell) & FRESH) != 0u;
    bool here = inside(cell);
    bool solid = is_solid(cell);
    uint faces = (here ? INSIDE : 0u) | (solid ? SOLID : 0u);
    for (int axis = 0; axis < 3; axis++) {
        for (int side = 0; side < 2; side++) {
            ivec3 way = ivec3(0);
            way[axis] = 2 * side - 1;
            bool there = inside(cell + way);
            bool closed = solid || is_solid(cell + way);
            faces |= here && there && !closed ? OPEN_WEST << (2 * axis + side) : 0u;
            if (side == 0) {
                faces |= there ? INSIDE_WEST << axis : 0u;
                faces |= closed ? CLOSED_U << axis : 0u;
            }
        }
    }
    set_air_faces(cell, faces);
    set_air_open(cell, open_neighbours(faces));
    bvec3 closed = bvec3((faces & CLOSED_U) != 0u, (faces & CLOSED_V) != 0u, (faces & CLOSED_W) != 0u);
    if (fresh || closed.x) {
        set_air_u(cell, closed.x ? 0.0 : wind(0u).x);
    }
    if (fresh || closed.y) {
        set_air_v(cell, closed.y ? 0.0 : wind(0u).y);
    }
    if (fresh || closed.z) {
        set_air_w(cell, 0.0);
    }
    if (fresh || !fluid(faces)) {
        set_air_pressure(cell, 0.0);
    }
}

// Runs after every rebuild of the obstacles: writes the types of each cell's faces as bits of air.faces. Closed faces
// become exactly 0; faces that snow has just uncovered start from 0. Faces of new cells get the prescribed wind. Where
// nothing has changed, all of this is already so.
void stage(ivec3 cell) {
    if (columns_stale(first_column(air_block(cell).xy)) == 0u) {
        return;
    }
    for (int n = 0; n < stage_width; n++) {
        build(cell + ivec3(n, 0, 0));
    }
}
