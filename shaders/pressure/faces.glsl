// The pressure equation of a cell in one word: the coefficients of its six faces, five bits each from bit 0 on
// in the order -x +x -y +y -z +z, and two flags. A face has equal bits in the words of both of its cells,
// so the equation is symmetric. A cell that is not fluid is air if a face of it is open, else solid.
//
// Bits k up to 16 are the open part of the face, k / 16 (0 closed, 16 open). Above 16, air is nearer than the centre of the next
// cell: at (32 - k) / 16 of the distance, and the coefficient is the inverse of that. Without SURFACE it is k / 16 there too.
//
// On an open side of the domain the air beyond has pressure 0 at its centre, half a cell beyond the border, as in Wepner
// 2019, "Accelerating Fluid Simulations with Graphics Processing Units", section 3.3. Coarser levels have their centres
// farther from the border but the same air, so the coefficient of such a face is up to 2 there.
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

// The bits of a face by its number.
uint part_of(uint word, int face) {
    return word >> 5 * face & PART;
}

// The coefficients of the faces.
struct Parts {
    float west, east, south, north, below, above;
};

// True if the pressure is 0 at a surface between centres of cells. All stages of a solver must agree.
#pragma constant SURFACE surface
layout(constant_id = 1) const int SURFACE = 1;

float part(uint bits) {
    // 0 to 31 as a float, of which 2^23 is the lowest bit: cheaper than a conversion.
    float k = uintBitsToFloat(0x4b000000u | bits & PART) - 8388608.0;
    return SURFACE != 0 && k > 16.0 ? 16.0 / (32.0 - k) : k * 0.0625;
}

// The bits whose coefficient is nearest to this one, at most 16.
uint bits_of(float coefficient) {
    return SURFACE != 0 && coefficient > 1.0 ? uint(32.5 - 16.0 / min(coefficient, 16.0))
                                             : min(uint(16.0 * coefficient + 0.5), PART);
}

Parts parts_of(uint word) {
    return Parts(part(word), part(word >> 5), part(word >> 10), part(word >> 15), part(word >> 20), part(word >> 25));
}

float diagonal(Parts c) {
    return c.west + c.east + (c.south + c.north) + (c.below + c.above);
}

#endif
