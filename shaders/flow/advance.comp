#version 460
#include "stage.glsl"
#include "pressure/lattice.glsl"

#pragma reads value rate rate_before
#pragma writes value

// Two steps of Adams and Bashforth: value += dt (3/2 rate - 1/2 rate of the step before). The first step is Euler's.
STAGE_IN_SPACE {
    float now = rate(AT(cell)), change = clock.step == 0u ? now : 1.5 * now - 0.5 * rate_before(AT(cell));
    set_value(AT(cell), value(AT(cell)) + clock.dt * change);
}
