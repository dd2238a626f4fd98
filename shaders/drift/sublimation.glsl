// Snow that sublimates in the air. Include after stage.glsl.
#pragma arguments weather

// The share of its mass that a ball of ice of this diameter, m, loses per second in air that passes it at this speed, m/s
// (Thorpe & Mason 1966, without radiation): a loss of
//     pi d (1 - humidity) / (L / (lambda T Nu) (L / (R T) - 1) + 1 / (D rho_s Sh)),    Nu = Sh = 1.79 + 0.606 sqrt(d v / nu).
// arg.temperature is T, K; arg.humidity that over ice.
float loss_of_ice(float diameter, float speed) {
    const float LATENT = 2.838e6, VAPOUR = 461.5, CONDUCTIVITY = 0.024, VISCOSITY = 1.3e-5, ICE = 917.0;
    float kelvin = arg.temperature;
    float saturated = 611.15 * exp(22.452 * (kelvin - 273.16) / (kelvin - 0.61)) / (VAPOUR * kelvin);
    float diffusivity = 2.06e-5 * pow(kelvin / 273.0, 1.75);
    float transfer = 1.79 + 0.606 * sqrt(diameter * speed / VISCOSITY);
    float resistance = LATENT / (CONDUCTIVITY * kelvin) * (LATENT / (VAPOUR * kelvin) - 1.0) + 1.0 / (diffusivity * saturated);
    return 6.0 * transfer * max(1.0 - arg.humidity, 0.0) / (ICE * diameter * diameter * resistance);
}
