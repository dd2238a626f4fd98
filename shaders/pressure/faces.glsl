// What the pressure equation needs to know of a cell, in one word: how much of its three lower faces is open, in
// 1/128, in the lowest three bytes (0 closed, 128 open), and the flags below. A face that solid touches is closed. Each
// face stands in one word only, so the equation is symmetric whatever the rounding.
//
// The flags of open sides of the domain: air of pressure 0 has its centre half a cell beyond the border, as in Wepner
// 2019, "Accelerating Fluid Simulations with Graphics Processing Units", section 3.3.
#ifndef PRESSURE_FACES
#define PRESSURE_FACES

const uint FLUID = 1u << 24;
const uint AIR = 1u << 25;
// From bit 26 on: -x, +x, -y, +y, -z, +z.
const uint OPEN_SIDES = 63u << 26;
const float OPENNESS = 1.0 / 128.0;

bool is_fluid(uint word) {
    return (word & FLUID) != 0u;
}

float low_x(uint word) {
    return OPENNESS * float(word & 255u);
}

float low_y(uint word) {
    return OPENNESS * float(word >> 8 & 255u);
}

float low_z(uint word) {
    return OPENNESS * float(word >> 16 & 255u);
}

float open_sides(uint word) {
    return float(bitCount(word & OPEN_SIDES));
}

#endif
