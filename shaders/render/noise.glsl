// Value noise over the plane and in space, with its gradient.
#include "render/hash.glsl"

// x: value noise in [0, 1]; yzw: its gradient (trilinear in smoothed coordinates).
vec4 value_noise(vec3 p, uint key) {
    ivec3 i = ivec3(floor(p));
    vec3 f = p - vec3(i);
    vec3 s = f * f * (3.0 - 2.0 * f);
    vec3 ds = 6.0 * f * (1.0 - f);
    // Differences along x on the four edges, then between those along y, then along z.
    vec4 at = vec4(hash_unit(i, key), hash_unit(i + ivec3(0, 1, 0), key), hash_unit(i + ivec3(0, 0, 1), key),
                   hash_unit(i + ivec3(0, 1, 1), key));
    vec4 dx = vec4(hash_unit(i + ivec3(1, 0, 0), key), hash_unit(i + ivec3(1, 1, 0), key),
                   hash_unit(i + ivec3(1, 0, 1), key), hash_unit(i + ivec3(1, 1, 1), key)) - at;
    at += dx * s.x;
    vec2 along_y = at.xz + (at.yw - at.xz) * s.y;
    vec2 dx_y = dx.xz + (dx.yw - dx.xz) * s.y;
    vec2 dy = at.yw - at.xz;
    return vec4(mix(along_y.x, along_y.y, s.z),
                ds * vec3(mix(dx_y.x, dx_y.y, s.z), mix(dy.x, dy.y, s.z), along_y.y - along_y.x));
}

// Sum of octaves about a mean of 0.5 (x) and its gradient per metre (yzw). Each octave is turned about two axes so that
// the lattices do not line up. `wavelength` is that of the first octave and `footprint` the width of a pixel on the
// ground (both m): octaves finer than two pixels fade out to their mean instead of flickering.
vec4 fractal_noise(vec3 p, float wavelength, float footprint, int octaves, float gain, uint key) {
    const mat3 TURN = mat3(0.0, 0.8, 0.6, -0.8, 0.36, -0.48, -0.6, -0.48, 0.64);
    vec4 sum = vec4(0.5, 0.0, 0.0, 0.0);
    float weight = 0.5;  // of the first octave; each further one has `gain` times the last
    mat3 to_lattice = mat3(1.0 / wavelength);
    [[dont_unroll]] for (int k = 0; k < octaves; ++k) {
        float kept = 1.0 - smoothstep(0.25, 0.5, footprint / wavelength);
        if (kept <= 0.0) {
            break;
        }
        vec4 n = value_noise(to_lattice * p, key + uint(k));
        sum += weight * kept * vec4(n.x - 0.5, n.yzw * to_lattice);
        weight *= gain;
        wavelength *= 0.5;
        to_lattice = 2.0 * (TURN * to_lattice);
    }
    return sum;
}
