#pragma arguments rest_density sound

// Tait's equation of state with the exponent 7 (Monaghan 1994; docs/examples.md, equation 5), Pa. Water transmits no tension.
float tait_pressure(float density) {
    float ratio = density / arg.rest_density, square = ratio * ratio;
    float seventh = square * square * square * ratio;
    return max(arg.rest_density * arg.sound * arg.sound / 7.0 * (seventh - 1.0), 0.0);
}
