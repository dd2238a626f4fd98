// Waves of the transform of real values in a periodic box of side 2 pi: n / 2 + 1 waves along x, n along y and z.
#include "spectral/waves.glsl"

ivec3 numbers_of(ivec3 wave) {
    return ivec3(wave.x, signed_number(wave.y, waves_cells.y), signed_number(wave.z, waves_cells.z));
}

// The 2/3 rule (Orszag 1971, "On the elimination of aliasing in finite-difference schemes"): products of waves with
// numbers below n / 3 along each axis are not aliased to such waves.
bool is_kept(ivec3 numbers) {
    return all(lessThan(3 * abs(numbers), ivec3(waves_cells.y)));
}

// Number of waves of the whole spectrum per stored wave: 2 with its mirror image, which is not stored, or 1 if it is its own.
float copies(ivec3 wave) {
    return wave.x == 0 || 2 * wave.x == waves_cells.y ? 1.0 : 2.0;
}
