#ifndef OWN_MAIN
void stage(uint i, ivec3 first_cell);
void main() {
    stage_begin();
    uint i = stage_linear();
    if (i >= @_active_count()) return;
    CALL
}
#endif
