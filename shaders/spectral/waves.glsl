// Wave numbers of a discrete Fourier transform over n points that are h apart.

const float TURN = 6.28318530718;

// The signed number of a wave by its index: 0, 1, ..., n / 2, 1 - n / 2, ..., -1.
int signed_number(int index, int n) {
    return 2 * index > n ? index - n : index;
}

// In 1/m.
float wave_number(int index, int n, float h) {
    return TURN * float(signed_number(index, n)) / (float(n) * h);
}

// The wave number of a first derivative: the wave with two points has none, since its sine is 0 at all points.
float slope_number(int index, int n, float h) {
    return 2 * index == n ? 0.0 : wave_number(index, n, h);
}

// i z.
vec2 turned(vec2 z) {
    return vec2(-z.y, z.x);
}
