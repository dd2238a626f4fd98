// Snow above the saltation layer. arg.fall is the speed at which it falls, m/s.
#pragma arguments fall
#include "drift/constants.glsl"

// The height of the saltation layer, m (Pomeroy & Male 1992, "Steady-state suspension of snow").
float top_of_saltation(float friction) {
    return 0.08436 * pow(friction, 1.27);
}

// The concentration at the top of a saltation layer of one unit per area, 1/m: its flux falls with height as exp(-b z),
// b = 0.45 g / u*^2.
float concentration_at_top(float friction) {
    float decay = 0.45 * GRAVITY / max(friction * friction, 1e-6);
    return decay * exp(-decay * top_of_saltation(friction));
}
