// Snow: Stomakhin et al. 2013, "A material point method for snow simulation". Stretches outside [1 - theta_c,
// 1 + theta_s] are plastic (equation 7 and section 7); compressed snow hardens and stretched snow softens,
//     mu = mu_0 e^(xi (1 - J_p)), lambda likewise (equations 3 and 4), J_p in `volume`
// with fixed corotated stress of the elastic part. The factor is kept below arg.hardest, so that sound, and with it the
// length of a step, has a bound.
#include "lib/svd3.glsl"
#include "mpm/matter.glsl"
#include "mpm/lame.glsl"

mat3 kirchhoff(uint particle, mat3 gradient) {
    mat3 trial = matter_deform(particle);
    trial += clock.dt * gradient * trial;
    Svd d = svd3(trial);
    vec3 kept = clamp(d.sigma, vec3(1.0 - arg.theta_c), vec3(1.0 + arg.theta_s));
    float plastic = matter_volume(particle) * (d.sigma.x * d.sigma.y * d.sigma.z) / (kept.x * kept.y * kept.z);
    plastic = clamp(plastic, 0.1, 10.0);
    mat3 u_kept = d.u * svd_diagonal(kept);
    set_matter_deform(particle, u_kept * transpose(d.v));
    set_matter_volume(particle, plastic);
    vec2 stiff = lame(arg.young, arg.poisson, arg.density) * min(exp(arg.hardening * (1.0 - plastic)), arg.hardest);
    // With F = U S V^T: (F - R) F^T = U (S - 1) S U^T.
    float j = kept.x * kept.y * kept.z;
    vec3 principal = 2.0 * stiff.x * (kept - 1.0) * kept + stiff.y * (j - 1.0) * j;
    return d.u * svd_diagonal(principal) * transpose(d.u);
}
