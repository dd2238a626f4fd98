// What the pressure equation needs to know of a cell, in one word: the open parts of its six faces in 1/16, five bits each
// from bit 0 on in the order -x +x -y +y -z +z (0 closed, 16 open), and two flags. A face stands in the words of both of its
// cells with the same part, so the equation is symmetric. A cell that is not fluid is air if a face of it is open, else solid.
//
// On an open side of the domain the air beyond has pressure 0 at its centre, half a cell beyond the border, as in Wepner
// 2019, "Accelerating Fluid Simulations with Graphics Processing Units", section 3.3. Coarser levels have their centres
// farther from the border while that air stays where it is, so the part of such a face is up to 31/16 there.
#ifndef PRESSURE_FACES
#define PRESSURE_FACES

const uint FLUID = 1u << 30;
// One of the faces is on an open side.
const uint AT_OPEN_SIDE = 1u << 31;
const uint PART = 31u;
const uint WHOLE = 16u;

bool is_fluid(uint word) {
    return (word & FLUID) != 0u;
}

bool is_air(uint word) {
    return (word & FLUID) == 0u && (word & FLUID - 1u) != 0u;
}

// The open part of a face by its number, in 1/16.
uint part_of(uint word, int face) {
    return word >> 5 * face & PART;
}

// The open parts of the faces.
struct Parts {
    float west, east, south, north, below, above;
};

// 0 to 31 as a float, of which 2^23 is the lowest bit: cheaper than a conversion.
float part(uint bits) {
    return (uintBitsToFloat(0x4b000000u | bits & PART) - 8388608.0) * 0.0625;
}

Parts parts_of(uint word) {
    return Parts(part(word), part(word >> 5), part(word >> 10), part(word >> 15), part(word >> 20), part(word >> 25));
}

float diagonal(Parts c) {
    return c.west + c.east + (c.south + c.north) + (c.below + c.above);
}

#endif
