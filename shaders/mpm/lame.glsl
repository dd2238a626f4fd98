// Lame's constants over the density at rest, m^2/s^2: shear in x, the other in y.
vec2 lame(float young, float poisson, float density) {
    return vec2(young / (2.0 * (1.0 + poisson)), young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson))) / density;
}
