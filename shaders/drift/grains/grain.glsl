// A grain of ice, a ball.
#pragma arguments grain
#include "drift/constants.glsl"

// Units of `impulse` in a m/s.
const float IMPULSE_UNITS = 65536.0;

// kg
float grain_mass() {
    return 0.52359878 * arg.grain_density * arg.diameter * arg.diameter * arg.diameter;
}
