// Matrices of a particle, and the length of a step.

mat3 outer(vec3 a, vec3 b) {
    return mat3(a * b.x, a * b.y, a * b.z);
}

float trace(mat3 m) {
    return m[0].x + m[1].y + m[2].z;
}

// s. The buffer `pace` holds it: all of a run has one, or stages choose it (mpm/choose_step.comp).
float step_length() {
    return pace(0u);
}
