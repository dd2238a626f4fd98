// The address of a block: of its number, or of the page that the table says; 0 where it is not active.
uint64_t sg_@_page(uint page) {
    return sg_base_@ + uint64_t(page) * sg_@_bytes;
}
uint64_t sg_@_lookup(ivec3 block) {
    if (!sg_@_has(block)) return 0ul;
    uint number = sg_@_number(block);
    uint page = number;
    if (sg_@_in_table) {
        page = sg_p_@_table.at[number];
    } else if ((sg_p_@_active.at[number >> 5] >> (number & 31u) & 1u) == 0u) {
        page = sg_no_page;
    }
    return page == sg_no_page ? 0ul : sg_@_page(page);
}
