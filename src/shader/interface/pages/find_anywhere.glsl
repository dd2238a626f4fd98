uint64_t sg_@_find(ivec3 cell) { return sg_@_lookup(@_block(cell)); }
