layout(buffer_reference, scalar, buffer_reference_align = 8) buffer sg_dispatch_block {
    uint number;     // of the dispatch, from 1
    uint of_groups;  // whether users are workgroups
};
// The addresses of the shadows of what is read and of what is written, 0 where no access can race; how many elements have
// shadows; of channels of sparse grids the list of active blocks, the words with its length, and the largest length.
struct sg_shadow_of { uint64_t read; uint64_t written; uint64_t held; uint64_t list; uint64_t count; uint64_t most; };
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer sg_shadow_block {
    sg_dispatch_block dispatch;
    sg_shadow_of of[SG_FIELDS];
};
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer sg_shadow { uint64_t greatest; uint64_t least; };
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer sg_shadow_word { uint at[]; };
