// Matrices of a particle.

mat3 outer(vec3 a, vec3 b) {
    return mat3(a * b.x, a * b.y, a * b.z);
}

float trace(mat3 m) {
    return m[0].x + m[1].y + m[2].z;
}
