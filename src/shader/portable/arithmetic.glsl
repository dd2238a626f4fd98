// Arithmetic with the same bits on every device. Vulkan leaves a device some freedom in division, square roots and all
// functions below; sums, differences, products and operations on bits are exact everywhere, once nothing is contracted.
// The functions of one variable follow Moshier, "Methods and Programs for Mathematical Functions" (1989), as in the Cephes
// library in single precision. CPU twin: tests/reference/portable.rs.

// The device's own operations, which Vulkan requires to be right within a few units in the last place.
float sg_device_divide(const float a, const float b) { return a / b; }
float sg_device_sqrt(const float x) { return sqrt(x); }

// Subnormal numbers count as 0.
uint sg_flushed(const uint bits) { return (bits & 0x7f800000u) == 0u ? bits & 0x80000000u : bits; }

// Rounds a number for its store in memory. Devices disagree on subnormal sums and products, so numbers below 2^-77 become
// multiples of 2^-99: sums of them are never subnormal, and products only with weights below 2^-27.
float sg_portable_store(const float x) {
    const float SUM = 1.9852334701272664e-23; // 1.5 * 2^-76
    return abs(x) < 6.617444900424222e-24 ? (x + SUM) - SUM : x;
}

// Results up to the smallest normal number, to which devices round differently, are 0.
float sg_normal(const uint bits) {
    return uintBitsToFloat((bits & 0x7fffffffu) <= 0x00800000u ? bits & 0x80000000u : bits);
}

// To the nearest float; subnormal arguments and results are 0. The device's quotient of the significands is corrected in
// whole numbers, where the remainder is exact: it is small, so its low 32 bits suffice. A quotient of two floats is never
// halfway between two others.
float sg_portable_divide(const float a, const float b) {
    uint x = sg_flushed(floatBitsToUint(a)), y = sg_flushed(floatBitsToUint(b));
    uint ex = x >> 23u & 255u, ey = y >> 23u & 255u;
    if (sg_exact_division || ex == 0u || ey == 0u || ex == 255u || ey == 255u)
        return sg_normal(floatBitsToUint(sg_device_divide(uintBitsToFloat(x), uintBitsToFloat(y))));
    uint A = x & 0x7fffffu | 0x800000u, B = y & 0x7fffffu | 0x800000u, less = A < B ? 1u : 0u;
    uint q = uint(sg_device_divide(float(A), float(B)) * (less == 1u ? 16777216.0 : 8388608.0));
    int rest = int((A << 23u + less) - q * B);
    q += uint(int(floor(sg_device_divide(float(rest), float(B)) + 0.5)));
    int twice = 2 * int((A << 23u + less) - q * B);
    q += twice > int(B) ? 1u : twice < -int(B) ? -1u : 0u;
    int e = int(ex + 127u) - int(ey + less);
    uint magnitude = e >= 255 ? 0x7f800000u : e <= 0 ? 0u : uint(e) << 23u | q & 0x7fffffu;
    return sg_normal((x ^ y) & 0x80000000u | magnitude);
}
// Likewise. The root of a float is never halfway between two others.
float sg_portable_sqrt(const float a) {
    uint x = sg_flushed(floatBitsToUint(a)), e = x >> 23u;
    if (sg_exact_division || e == 0u || e >= 255u) return sg_device_sqrt(uintBitsToFloat(x));
    // Of a significand in [1, 4).
    uint odd = (e & 1u) ^ 1u;
    uint s = uint(sg_device_sqrt(uintBitsToFloat(x & 0x7fffffu | 127u + odd << 23u)) * 8388608.0);
    for (int turn = 0; turn < 6; turn++) {
        // The square of the root less s^2, in quarters: a multiple of 4. The nearest s has it between those of s -+ 1/2.
        int rest = int((x & 0x7fffffu | 0x800000u) << 25u + odd) - int(4u * s * s), near = int(4u * s);
        if (rest <= near && rest > -near) break;
        s += rest > near ? 1u : -1u;
    }
    return uintBitsToFloat((s & 0x7fffffu) + ((e - odd + 127u) / 2u << 23u));
}
float sg_portable_inversesqrt(const float x) { return 1.0 / sqrt(x); }
float sg_portable_fma(const float a, const float b, const float c) { return a * b + c; }
float sg_portable_mod(const float x, const float y) { return x - y * floor(x / y); }
float sg_portable_round(const float x) { return roundEven(x); }
float sg_portable_mix(const float a, const float b, const float t) { return a * (1.0 - t) + b * t; }
float sg_portable_smoothstep(const float low, const float high, const float x) {
    float t = clamp((x - low) / (high - low), 0.0, 1.0);
    return t * t * (3.0 - 2.0 * t);
}
float sg_portable_radians(const float x) { return x * 0.017453292519943295; }
float sg_portable_degrees(const float x) { return x * 57.29577951308232; }

// The quarter turn next to x, and x without these turns. Exact products up to 2^11 turns, later with an error that grows with x.
float sg_reduced(const float x, out uint quarter) {
    float turns = floor(x * 0.6366197723675814 + 0.5);
    quarter = uint(int(clamp(turns, -2147483520.0, 2147483520.0))) & 3u;
    return x - turns * 1.5703125 - turns * 4.837512969970703125e-4 - turns * 7.54978995489188216e-8;
}
float sg_sine(const float x) {
    float z = x * x;
    return ((-1.9515295891e-4 * z + 8.3321608736e-3) * z - 1.6666654611e-1) * z * x + x;
}
float sg_cosine(const float x) {
    float z = x * x;
    return ((2.443315711809948e-5 * z - 1.388731625493765e-3) * z + 4.166664568298827e-2) * z * z - 0.5 * z + 1.0;
}
float sg_portable_sin(const float x) {
    uint quarter;
    float r = sg_reduced(x, quarter), y = (quarter & 1u) == 0u ? sg_sine(r) : sg_cosine(r);
    return quarter < 2u ? y : -y;
}
float sg_portable_cos(const float x) {
    uint quarter;
    float r = sg_reduced(x, quarter), y = (quarter & 1u) == 0u ? sg_cosine(r) : sg_sine(r);
    return quarter == 0u || quarter == 3u ? y : -y;
}
float sg_portable_tan(const float x) { return sin(x) / cos(x); }

// x * 2^e for results in the range of normal numbers; 0 below it, infinity above it. x is in [1/2, 2].
float sg_scaled(const float x, const int e) {
    if (e < -127) return 0.0;
    if (e > 128) return uintBitsToFloat(0x7f800000u);
    float y = x * uintBitsToFloat(uint(127 + e / 2) << 23u) * uintBitsToFloat(uint(127 + e - e / 2) << 23u);
    return sg_normal(floatBitsToUint(y));
}
float sg_portable_exp(const float x) {
    if (isnan(x)) return x;
    float c = clamp(x, -104.0, 104.0), n = floor(c * 1.44269504088896341 + 0.5);
    float r = c - n * 0.693359375 - n * -2.12194440e-4;
    float p = ((((1.9875691500e-4 * r + 1.3981999507e-3) * r + 8.3334519073e-3) * r + 4.1665795894e-2) * r
        + 1.6666665459e-1) * r + 5.0000001201e-1;
    return sg_scaled(p * r * r + r + 1.0, int(n));
}
float sg_portable_exp2(const float x) {
    if (isnan(x)) return x;
    float c = clamp(x, -150.0, 150.0), n = floor(c + 0.5), r = c - n;
    float p = ((((1.535336188319500e-4 * r + 1.339887440266574e-3) * r + 9.618437357674640e-3) * r
        + 5.550332471162809e-2) * r + 2.402264791363012e-1) * r + 6.931472028550421e-1;
    return sg_scaled(p * r + 1.0, int(n));
}
// The exponent of x, and its significand in [sqrt(1/2), sqrt(2)) less 1.
float sg_significand(const float x, out float e) {
    uint bits = floatBitsToUint(x);
    int whole = int(bits >> 23u) - 126;
    float m = uintBitsToFloat(bits & 0x7fffffu | 0x3f000000u);
    bool low = m < 0.707106781186547524;
    e = float(low ? whole - 1 : whole);
    return low ? m + m - 1.0 : m - 1.0;
}
float sg_logarithm(const float m) {
    float p = (((((((7.0376836292e-2 * m - 1.1514610310e-1) * m + 1.1676998740e-1) * m - 1.2420140846e-1) * m
        + 1.4249322787e-1) * m - 1.6668057665e-1) * m + 2.0000714765e-1) * m - 2.4999993993e-1) * m + 3.3333331174e-1;
    return p * m * m * m;
}
// Logarithms of 0 and below, of infinity and NaN; subnormal numbers count as 0.
bool sg_is_special(const float x, out float y) {
    uint bits = sg_flushed(floatBitsToUint(x));
    y = (bits & 0x7fffffffu) == 0u ? uintBitsToFloat(0xff800000u)
        : bits == 0x7f800000u ? x : uintBitsToFloat(0x7fc00000u);
    return (bits & 0x7fffffffu) == 0u || bits >= 0x7f800000u;
}
float sg_portable_log(const float x) {
    float e, y;
    if (sg_is_special(x, y)) return y;
    float m = sg_significand(x, e);
    return m + (sg_logarithm(m) - 2.12194440e-4 * e - 0.5 * m * m) + 0.693359375 * e;
}
float sg_portable_log2(const float x) {
    float e, y;
    if (sg_is_special(x, y)) return y;
    float m = sg_significand(x, e), rest = sg_logarithm(m) - 0.5 * m * m;
    return rest * 0.44269504088896340735992 + m * 0.44269504088896340735992 + rest + m + e;
}
float sg_portable_pow(const float x, const float y) { return y == 0.0 ? 1.0 : exp2(y * log2(x)); }
float sg_portable_sinh(const float x) {
    float z = x * x, e = exp(abs(x)), y = 0.5 * e - 0.5 / e;
    if (abs(x) < 1.0) return ((2.03721912945e-4 * z + 8.33028376239e-3) * z + 1.66667160211e-1) * z * x + x;
    return x < 0.0 ? -y : y;
}
float sg_portable_cosh(const float x) {
    float e = exp(abs(x));
    return 0.5 * e + 0.5 / e;
}
float sg_portable_tanh(const float x) {
    float z = x * x, y = 1.0 - 2.0 / (exp(2.0 * abs(x)) + 1.0);
    if (abs(x) < 0.625)
        return ((((-5.70498872745e-3 * z + 2.06390887954e-2) * z - 5.37397155531e-2) * z + 1.33314422036e-1) * z
            - 3.33332819422e-1) * z * x + x;
    return x < 0.0 ? -y : y;
}
float sg_portable_atan(const float x) {
    float a = abs(x), base = 0.0;
    if (a > 2.414213562373095) { base = 1.5707963267948966; a = -1.0 / a; }
    else if (a > 0.4142135623730950) { base = 0.7853981633974483; a = (a - 1.0) / (a + 1.0); }
    float z = a * a;
    float y = base + ((((8.05374449538e-2 * z - 1.38776856032e-1) * z + 1.99777106478e-1) * z - 3.33329491539e-1) * z * a + a);
    return x < 0.0 ? -y : y;
}
float sg_portable_atan(const float y, const float x) {
    const float PI = 3.1415926535897932;
    if (x == 0.0) return y == 0.0 ? 0.0 : y > 0.0 ? 0.5 * PI : -0.5 * PI;
    float angle = atan(y / x);
    return x > 0.0 ? angle : y < 0.0 ? angle - PI : angle + PI;
}
float sg_portable_asin(const float x) {
    float a = abs(x), z = a > 0.5 ? 0.5 * (1.0 - a) : a * a, s = a > 0.5 ? sqrt(z) : a;
    float y = ((((4.2163199048e-2 * z + 2.4181311049e-2) * z + 4.5470025998e-2) * z + 7.4953002686e-2) * z
        + 1.6666752422e-1) * z * s + s;
    if (a > 0.5) y = 1.5707963267948966 - (y + y);
    return x < 0.0 ? -y : y;
}
float sg_portable_acos(const float x) {
    if (x > 0.5) return 2.0 * asin(sqrt(0.5 * (1.0 - x)));
    if (x < -0.5) return 3.1415926535897932 - 2.0 * asin(sqrt(0.5 * (1.0 + x)));
    return 1.5707963267948966 - asin(x);
}

#define SG_ONE(f) \
    vec2 f(const vec2 x) { return vec2(f(x.x), f(x.y)); } \
    vec3 f(const vec3 x) { return vec3(f(x.x), f(x.y), f(x.z)); } \
    vec4 f(const vec4 x) { return vec4(f(x.x), f(x.y), f(x.z), f(x.w)); }
#define SG_TWO(f) \
    vec2 f(const vec2 a, const vec2 b) { return vec2(f(a.x, b.x), f(a.y, b.y)); } \
    vec3 f(const vec3 a, const vec3 b) { return vec3(f(a.x, b.x), f(a.y, b.y), f(a.z, b.z)); } \
    vec4 f(const vec4 a, const vec4 b) { return vec4(f(a.x, b.x), f(a.y, b.y), f(a.z, b.z), f(a.w, b.w)); }
#define SG_THREE(f) \
    vec2 f(const vec2 a, const vec2 b, const vec2 c) { return vec2(f(a.x, b.x, c.x), f(a.y, b.y, c.y)); } \
    vec3 f(const vec3 a, const vec3 b, const vec3 c) { return vec3(f(a.xy, b.xy, c.xy), f(a.z, b.z, c.z)); } \
    vec4 f(const vec4 a, const vec4 b, const vec4 c) { return vec4(f(a.xyz, b.xyz, c.xyz), f(a.w, b.w, c.w)); }
SG_ONE(sg_portable_store) SG_ONE(sg_portable_sqrt) SG_ONE(sg_portable_inversesqrt) SG_ONE(sg_portable_round) SG_ONE(sg_portable_radians)
SG_ONE(sg_portable_degrees) SG_ONE(sg_portable_sin) SG_ONE(sg_portable_cos) SG_ONE(sg_portable_tan)
SG_ONE(sg_portable_exp) SG_ONE(sg_portable_exp2) SG_ONE(sg_portable_log) SG_ONE(sg_portable_log2)
SG_ONE(sg_portable_sinh) SG_ONE(sg_portable_cosh) SG_ONE(sg_portable_tanh) SG_ONE(sg_portable_atan)
SG_ONE(sg_portable_asin) SG_ONE(sg_portable_acos)
SG_TWO(sg_portable_divide) SG_TWO(sg_portable_mod) SG_TWO(sg_portable_pow) SG_TWO(sg_portable_atan)
SG_THREE(sg_portable_fma) SG_THREE(sg_portable_mix) SG_THREE(sg_portable_smoothstep)

float sg_portable_dot(const vec2 a, const vec2 b) { return a.x * b.x + a.y * b.y; }
float sg_portable_dot(const vec3 a, const vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
float sg_portable_dot(const vec4 a, const vec4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
vec3 sg_portable_cross(const vec3 a, const vec3 b) {
    return vec3(a.y * b.z - b.y * a.z, a.z * b.x - b.z * a.x, a.x * b.y - b.x * a.y);
}
#define SG_GEOMETRY(V) \
    float sg_portable_length(const V v) { return sqrt(dot(v, v)); } \
    float sg_portable_distance(const V a, const V b) { return length(a - b); } \
    V sg_portable_normalize(const V v) { return v * (1.0 / length(v)); } \
    V sg_portable_reflect(const V i, const V n) { return i - n * (2.0 * dot(n, i)); } \
    V sg_portable_faceforward(const V n, const V i, const V base) { return dot(base, i) < 0.0 ? n : -n; } \
    V sg_portable_refract(const V i, const V n, const float eta) { \
        float d = dot(n, i), k = 1.0 - eta * eta * (1.0 - d * d); \
        return k < 0.0 ? V(0.0) : i * eta - n * (eta * d + sqrt(k)); \
    }
SG_GEOMETRY(vec2) SG_GEOMETRY(vec3) SG_GEOMETRY(vec4)
float sg_portable_length(const float x) { return abs(x); }
float sg_portable_distance(const float a, const float b) { return abs(a - b); }

vec2 sg_portable_times(const mat2 m, const vec2 v) { return m[0] * v.x + m[1] * v.y; }
vec3 sg_portable_times(const mat3 m, const vec3 v) { return m[0] * v.x + m[1] * v.y + m[2] * v.z; }
vec4 sg_portable_times(const mat4 m, const vec4 v) { return m[0] * v.x + m[1] * v.y + m[2] * v.z + m[3] * v.w; }
vec2 sg_portable_times(const vec2 v, const mat2 m) { return vec2(dot(v, m[0]), dot(v, m[1])); }
vec3 sg_portable_times(const vec3 v, const mat3 m) { return vec3(dot(v, m[0]), dot(v, m[1]), dot(v, m[2])); }
vec4 sg_portable_times(const vec4 v, const mat4 m) { return vec4(dot(v, m[0]), dot(v, m[1]), dot(v, m[2]), dot(v, m[3])); }
mat2 sg_portable_times(const mat2 a, const mat2 b) { return mat2(a * b[0], a * b[1]); }
mat3 sg_portable_times(const mat3 a, const mat3 b) { return mat3(a * b[0], a * b[1], a * b[2]); }
mat4 sg_portable_times(const mat4 a, const mat4 b) { return mat4(a * b[0], a * b[1], a * b[2], a * b[3]); }
float sg_portable_determinant(const mat2 m) { return m[0].x * m[1].y - m[1].x * m[0].y; }
float sg_portable_determinant(const mat3 m) { return dot(m[0], cross(m[1], m[2])); }

uint sg_portable_packUnorm4x8(const vec4 v) {
    uvec4 bytes = uvec4(floor(clamp(v, 0.0, 1.0) * 255.0 + 0.5));
    return bytes.x | bytes.y << 8u | bytes.z << 16u | bytes.w << 24u;
}
vec4 sg_portable_unpackUnorm4x8(const uint bits) {
    return vec4(bits & 255u, bits >> 8u & 255u, bits >> 16u & 255u, bits >> 24u) / 255.0;
}

// Compilers remove functions without a call. The engine redirects operations to these functions and removes this one.
#define SG_KEEP_ONE(f) f(a); f(v2); f(v3); f(v4);
#define SG_KEEP_TWO(f) f(a, a); f(v2, v2); f(v3, v3); f(v4, v4);
#define SG_KEEP_THREE(f) f(a, a, a); f(v2, v2, v2); f(v3, v3, v3); f(v4, v4, v4);
void sg_portable_keep() {
    float a = float(gl_LocalInvocationIndex);
    vec2 v2 = vec2(a);
    vec3 v3 = vec3(a);
    vec4 v4 = vec4(a);
    mat2 m2 = mat2(a);
    mat3 m3 = mat3(a);
    mat4 m4 = mat4(a);
    SG_KEEP_ONE(sg_portable_store) SG_KEEP_ONE(sg_portable_sqrt) SG_KEEP_ONE(sg_portable_inversesqrt) SG_KEEP_ONE(sg_portable_round)
    SG_KEEP_ONE(sg_portable_radians) SG_KEEP_ONE(sg_portable_degrees) SG_KEEP_ONE(sg_portable_sin)
    SG_KEEP_ONE(sg_portable_cos) SG_KEEP_ONE(sg_portable_tan) SG_KEEP_ONE(sg_portable_exp) SG_KEEP_ONE(sg_portable_exp2)
    SG_KEEP_ONE(sg_portable_log) SG_KEEP_ONE(sg_portable_log2) SG_KEEP_ONE(sg_portable_sinh) SG_KEEP_ONE(sg_portable_cosh)
    SG_KEEP_ONE(sg_portable_tanh) SG_KEEP_ONE(sg_portable_atan) SG_KEEP_ONE(sg_portable_asin) SG_KEEP_ONE(sg_portable_acos)
    SG_KEEP_TWO(sg_portable_divide) SG_KEEP_TWO(sg_portable_mod) SG_KEEP_TWO(sg_portable_pow) SG_KEEP_TWO(sg_portable_atan)
    SG_KEEP_THREE(sg_portable_fma) SG_KEEP_THREE(sg_portable_mix) SG_KEEP_THREE(sg_portable_smoothstep)
    sg_portable_dot(v2, v2); sg_portable_dot(v3, v3); sg_portable_dot(v4, v4); sg_portable_cross(v3, v3);
    SG_KEEP_ONE(sg_portable_length) SG_KEEP_TWO(sg_portable_distance)
    sg_portable_normalize(v2); sg_portable_normalize(v3); sg_portable_normalize(v4);
    sg_portable_reflect(v2, v2); sg_portable_reflect(v3, v3); sg_portable_reflect(v4, v4);
    sg_portable_faceforward(v2, v2, v2); sg_portable_faceforward(v3, v3, v3); sg_portable_faceforward(v4, v4, v4);
    sg_portable_refract(v2, v2, a); sg_portable_refract(v3, v3, a); sg_portable_refract(v4, v4, a);
    sg_portable_times(m2, v2); sg_portable_times(m3, v3); sg_portable_times(m4, v4);
    sg_portable_times(v2, m2); sg_portable_times(v3, m3); sg_portable_times(v4, m4);
    sg_portable_times(m2, m2); sg_portable_times(m3, m3); sg_portable_times(m4, m4);
    sg_portable_determinant(m2); sg_portable_determinant(m3);
    sg_portable_unpackUnorm4x8(sg_portable_packUnorm4x8(v4));
}
