#version 460
#include "stage.glsl"
#include "spectral/waves.glsl"

#pragma reads ground.friction
#pragma writes ground.friction
#pragma arguments level_friction roughness shift grains
#pragma argument vec2 level_friction

// The stress over a wave k that lies across the wind, over that on level ground and over |k| times the height of the wave: in phase,
// and a quarter wave ahead of it. For a mixing length of kappa times the distance from the ground (Fourriere, Claudin & Andreotti
// 2010), with the fit of Charru, Andreotti & Claudin 2013 (Annual Review of Fluid Mechanics 45, 469) in the logarithm of the
// wavelength over z0.
vec2 response(float k) {
    float r = log(TURN / (k * arg.roughness));
    return vec2(2.0 + (1.0702 + r * (0.093069 + r * (0.10838 + r * 0.024835))) / (1.0 + r * r * (0.041603 + r * r * 0.0010625)),
                (0.036989 + r * (0.15765 + r * (0.11518 + r * 0.0020249))) / (1.0 + r * r * (0.0028725 + r * r * 0.00053483)));
}

vec2 product(vec2 a, vec2 b) {
    return vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// From a wave of the height to that of the stress, whose components along x and y are the real and the imaginary part. The wave
// has the share cos(angle)^2 of the response along the wind, and sin cos / 2 across it. Of this goes the weight of the moving
// snow along the slope: with the threshold over the friction velocity r and the coefficient of friction mu, r^2 / mu times the
// slope along the wind and r / mu times that across (both: Andreotti et al. 2012, Journal of Fluid Mechanics 690, 94; Gadal et al.
// 2019, ibid. 862, 490). Without it, narrow waves that are nearly parallel to the wind would grow without bound.
void stage(ivec2 vertex) {
    vec2 wind = normalize(arg.level_friction), side = vec2(-wind.y, wind.x);
    vec2 k = vec2(wave_number(vertex.x, ground_vertices.x, ground_spacing.x), wave_number(vertex.y, ground_vertices.y, ground_spacing.y));
    float strength = length(k);
    if (strength == 0.0) {
        set_ground_friction(vertex, vec2(0.0));
        return;
    }
    // A wave with two points along an axis is the same with either sign of k there: it keeps what both have in common.
    bool both = any(equal(2 * vertex, ground_vertices));
    vec2 unit = k / strength;
    float odd = both ? 0.0 : 1.0, along = dot(unit * unit, wind * wind) + 2.0 * odd * unit.x * unit.y * wind.x * wind.y;
    float across = 0.5 * odd * dot(unit, wind) * dot(unit, side);
    vec2 part = response(strength) * vec2(1.0, odd * arg.shift * sign(dot(unit, wind)));
    float r = arg.threshold / length(arg.level_friction), mu = tan(radians(arg.repose));
    vec2 weight = odd * r / mu * vec2(dot(k, side), -r * dot(k, wind));
    // Both components of the stress in one complex number, in the frame of the wind, turned to that of x and y.
    vec2 stress = product(wind, strength * product(part, vec2(along, across)) + weight);
    set_ground_friction(vertex, product(stress, ground_friction(vertex)));
}
