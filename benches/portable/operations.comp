#version 460
#include "stage.glsl"
#include "lib/random.glsl"

// Each operation of one pair of numbers per cell. Devices that differ in one of them differ in its field.
void stage(ivec2 cell) {
    uint i = uint(cell.x + 256 * cell.y);
    vec4 r = random4(i, 0u, 1u, 7u), t = random4(i, 0u, 2u, 7u), k = random4(i, 0u, 3u, 7u);
    // Of exponents from -27 to 26.
    float a = uintBitsToFloat(uint(100.0 + 54.0 * r.x) << 23 | uint(r.y * 8388608.0));
    float b = uintBitsToFloat(uint(100.0 + 54.0 * r.z) << 23 | uint(r.w * 8388608.0));
    float x = (t.x - 0.5) * 40.0, y = (t.y - 0.5) * 40.0, z = t.z - 0.5, w = t.w;
    set_box_divide(cell, a / b);
    set_box_square_root(cell, sqrt(a));
    set_box_inverse_root(cell, inversesqrt(a));
    set_box_sine(cell, sin(x));
    set_box_cosine(cell, cos(x));
    set_box_tangent(cell, tan(x));
    set_box_arc_tangent(cell, atan(x, y));
    set_box_arc_cosine(cell, acos(z));
    set_box_hyperbolic_tangent(cell, tanh(z));
    set_box_exponential(cell, exp(x));
    set_box_power_of_two(cell, exp2(x));
    set_box_logarithm(cell, log(a));
    set_box_binary_logarithm(cell, log2(a));
    set_box_power(cell, pow(w, y));
    set_box_fused(cell, fma(x, y, -(x * y)));
    set_box_mixed(cell, mix(x, y, w));
    set_box_smooth_step(cell, smoothstep(-20.0, 15.0, x));
    set_box_modulo(cell, mod(x, 0.3));
    set_box_fraction(cell, fract(x));
    set_box_scaled(cell, ldexp(w, int(x)));
    set_box_inner_product(cell, dot(r.xyz, t.xyz));
    set_box_cross_product(cell, cross(r.xyz, t.xyz));
    set_box_matrix_product(cell, mat3(r.xyz, t.xyz, k.xyz) * vec3(x, y, z));
    set_box_norm(cell, length(t.xyz));
    set_box_normal(cell, normalize(t.xyz - 0.5));
    set_box_sum(cell, x + y);
    set_box_product(cell, x * y);
    set_box_subnormal(cell, x * y * 1e-40);
}
