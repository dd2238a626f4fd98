// A spark with a name, its other attributes made from it.
void make(uint i, uint name) {
    set_sparks_name(i, name);
    set_sparks_age(i, 0u);
    set_sparks_dead(i, 0u);
    set_sparks_place(i, vec3(name & 1023u, name % 7u, -1.0));
    set_sparks_pair(i, ivec2(int(name), -int(name)));
}
