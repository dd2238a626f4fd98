#version 460
#include "stage.glsl"
#include "lib/svd3.glsl"

// Three entries a matrix, its columns, to ten: u, sigma, v and the nearest rotation.
void stage(uint i) {
    Svd d = svd3(mat3(matrices(3u * i), matrices(3u * i + 1u), matrices(3u * i + 2u)));
    mat3 rotation = svd_rotation(d);
    for (int column = 0; column < 3; column++) {
        uint at = 10u * i + uint(column);
        set_factors(at, d.u[column]);
        set_factors(at + 4u, d.v[column]);
        set_factors(at + 7u, rotation[column]);
    }
    set_factors(10u * i + 3u, d.sigma);
}
