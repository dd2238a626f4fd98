#version 460
#include "stage.glsl"
#include "snow/faces.glsl"

#pragma reads air.obstacle air.faces wind
#pragma writes air.faces air.u air.v air.w air.pressure

// Bits of air.obstacle: (dx+1) + 3 (dy+1) + 9 (dz+1) for the neighbour at (dx, dy, dz).
uint solid_at(uint obstacle, ivec3 way) {
    return obstacle >> (13 + way.x + 3 * way.y + 9 * way.z) & 1u;
}

// True if all 27 cells around a cell are active. The cells at the corners suffice, since blocks are at least 2 cells
// long.
bool active_around(ivec3 cell) {
    if (air_block(cell - 1) == air_block(cell + 1)) {
        return air_is_active(cell);
    }
    for (int n = 0; n < 8; n++) {
        if (!air_is_active(cell + 2 * ivec3(n & 1, n >> 1 & 1, n >> 2) - 1)) {
            return false;
        }
    }
    return true;
}

// True if a cell belongs to the simulated air. Only this function defines its extent.
bool inside(ivec3 cell) {
    return all(greaterThan(cell, ivec3(0))) && all(lessThan(cell, air_cells - 1)) && active_around(cell);
}

// Runs after every rebuild of the obstacles: writes the types of each cell's faces as bits of air.faces. Closed faces
// become exactly 0; faces that snow has just uncovered start from 0. Faces of new cells get the prescribed wind.
void stage(ivec3 cell) {
    uint obstacle = air_obstacle(cell);
    bool fresh = (air_faces(cell) & FRESH) != 0u;
    bool here = inside(cell);
    uint solid = solid_at(obstacle, ivec3(0));
    uint faces = (here ? INSIDE : 0u) | (solid != 0u ? SOLID : 0u);
    for (int axis = 0; axis < 3; axis++) {
        for (int side = 0; side < 2; side++) {
            ivec3 way = ivec3(0);
            way[axis] = 2 * side - 1;
            bool there = inside(cell + way);
            bool closed = (solid | solid_at(obstacle, way)) != 0u;
            faces |= here && there && !closed ? OPEN_WEST << (2 * axis + side) : 0u;
            if (side == 0) {
                faces |= there ? INSIDE_WEST << axis : 0u;
                faces |= closed ? CLOSED_U << axis : 0u;
            }
        }
    }
    set_air_faces(cell, faces);
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
    if (fresh) {
        set_air_pressure(cell, 0.0);
    }
}
