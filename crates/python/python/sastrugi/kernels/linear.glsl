// Linear interpolation at displaced elements of a lattice. Before the include: REAL (float or double), AXES (2 or 3) and
// PERIODIC (a bvec3). Elements beyond a border that is not periodic have the value of the nearest one.

// The lower corner of the cell around an element plus its displacement, and the position in this cell from 0 to 1.
struct Corner {
    ivec3 low;
    REAL part[3];
};

Corner corner_of(ivec3 element) {
    REAL move[3] = REAL[3](box_move_x(element), box_move_y(element), REAL(0));
#if AXES == 3
    move[2] = box_move_z(element);
#endif
    Corner corner;
    for (int axis = 0; axis < 3; axis++) {
        REAL low = floor(move[axis]);
        corner.part[axis] = move[axis] - low;
        // Far beyond all borders, but an integer.
        corner.low[axis] = element[axis] + int(clamp(low, REAL(-1.0e9), REAL(1.0e9)));
    }
    return corner;
}

// One of the 2^AXES corners, by the bits of its number.
ivec3 corner_element(Corner corner, int number) {
    ivec3 element = corner.low + ((ivec3(number) >> ivec3(0, 1, 2)) & 1);
    for (int axis = 0; axis < 3; axis++) {
        int count = box_cells[axis];
        int wrapped = element[axis] % count;
        wrapped += wrapped < 0 ? count : 0;
        element[axis] = PERIODIC[axis] ? wrapped : clamp(element[axis], 0, count - 1);
    }
    return element;
}

// The factor of an axis in the weight of a corner.
REAL corner_factor(Corner corner, int number, int axis) {
    return (number >> axis & 1) == 1 ? corner.part[axis] : REAL(1) - corner.part[axis];
}

REAL corner_weight(Corner corner, int number) {
    REAL weight = REAL(1);
    for (int axis = 0; axis < AXES; axis++) weight *= corner_factor(corner, number, axis);
    return weight;
}

// The derivative of the weight with respect to the displacement along an axis.
REAL corner_slope(Corner corner, int number, int along) {
    REAL slope = (number >> along & 1) == 1 ? REAL(1) : REAL(-1);
    for (int axis = 0; axis < AXES; axis++) slope *= axis == along ? REAL(1) : corner_factor(corner, number, axis);
    return slope;
}
