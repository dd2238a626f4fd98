// Variables, not constants: vector operations on specialization constants trip older validation layers.
ivec3 sg_@_b = ivec3(sg_@_b0, sg_@_b1, sg_@_b2);
ivec3 sg_@_u = ivec3(sg_@_u0, sg_@_u1, sg_@_u2);
ivec3 sg_@_k = ivec3(sg_@_k0, sg_@_k1, sg_@_k2);
uint64_t sg_base_@;
ivec3 @_block_cells = ivec3(1) << sg_@_b;
ivec3 @_sub_cells = ivec3(1) << sg_@_u;
ivec3 @_blocks = (@_cells + @_block_cells - 1) >> sg_@_b;
ivec3 @_block(ivec3 cell) { return cell >> sg_@_b; }
ivec3 sg_@_block_at(uint number) { return ivec3(sg_unmorton(number, uvec3(sg_@_k))); }
