// The values at displaced elements.
#pragma reach box_value anywhere

void stage(ivec3 element) {
    Corner corner = corner_of(element);
    REAL total = REAL(0);
    for (int number = 0; number < 1 << AXES; number++) {
        total += corner_weight(corner, number) * box_value(corner_element(corner, number));
    }
    set_box_result(element, total);
}
