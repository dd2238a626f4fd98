// Turbulent wind without divergence, as a sum of random Fourier modes that drift with the mean wind: kinematic simulation,
// Fung, Hunt, Malik & Perkins 1992, "Kinematic simulation of homogeneous turbulence by unsteady random Fourier modes",
// after Kraichnan 1970, "Diffusion by a random velocity field". The buffer `modes` has three entries a mode:
//     (wave vector k in 1/m, turnover rate in 1/s), (a, 0), (b, 0) with a and b in m/s, across k
// and u(x, t) = mean + sum of a cos(phase) + b sin(phase) with phase = k (x - mean t) + rate t.

vec3 turbulent_wind(vec3 place, float time, vec3 mean) {
    vec3 along = place - mean * time;
    vec3 wind = mean;
    for (uint i = 0u; i + 2u < modes_length; i += 3u) {
        vec4 wave = modes(i);
        float phase = dot(wave.xyz, along) + wave.w * time;
        wind += modes(i + 1u).xyz * cos(phase) + modes(i + 2u).xyz * sin(phase);
    }
    return wind;
}
