// The shadows of one dispatch, and the race of an element.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require

// As in src/shader/interface/marks.rs.
const uint WRITE = 0u, READ = 1u, ATOMIC = 2u;

layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Dispatch {
    uint number;
    uint of_groups;
    uint64_t lowest;  // the first element with a race, or the greatest number
};

// Greatest and least user of each sort of access, below the number of their dispatch.
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer Shadow { uint64_t words[6]; };

struct Region {
    uint64_t first;     // shadow
    uint64_t held;      // shadows
    uint64_t of_entry;  // elements
    uint64_t list;      // of active blocks, or 0
    uint field;         // the kernel's number
    uint bits;          // log2 of the cells of a block
};

layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer Look {
    Dispatch dispatch;
    uint64_t shadows;
    uint64_t fault;
    uint64_t elements;
    uint stage;
    uint regions;
    Region region[];
};

layout(push_constant, scalar) uniform Push { Look look; };

struct Users { bool some; uint least; uint greatest; };

Users users(Shadow shadow, uint use) {
    uint64_t greatest = shadow.words[2u * use], least = shadow.words[2u * use + 1u];
    return Users(uint(greatest >> 32) == look.dispatch.number, ~uint(least), uint(greatest));
}

struct Race { bool found; uint first; uint second; uint first_use; uint second_use; };

// Some user of one sort and another user of the other sort.
Race between(Users one, uint one_use, Users other, uint other_use) {
    bool found = one.some && other.some
        && (one.least != other.least || one.least != one.greatest || other.least != other.greatest);
    uint first = one.least, second = other.least != first ? other.least : other.greatest;
    if (first == second) {
        first = one.greatest;
    }
    return Race(found, first, second, one_use, other_use);
}

Race race_of(uint64_t element) {
    Shadow shadow = Shadow(look.shadows + element * 48ul);
    Users writers = users(shadow, WRITE), readers = users(shadow, READ), atomics = users(shadow, ATOMIC);
    Race race = between(writers, WRITE, writers, WRITE);
    if (!race.found) race = between(writers, WRITE, readers, READ);
    if (!race.found) race = between(atomics, ATOMIC, writers, WRITE);
    if (!race.found) race = between(atomics, ATOMIC, readers, READ);
    return race;
}
