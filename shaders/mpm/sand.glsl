// Sand: Hencky strain with a Drucker-Prager cone, Klar et al. 2016, "Drucker-Prager elastoplasticity for sand
// animation", sections 4.2 and 7: with e = ln S of F = U S V^T,
//     tau = U (2 mu e + lambda tr(e)) U^T
// and e returned to |dev e| <= -(3 lambda + 2 mu) / (2 mu) alpha tr(e), alpha = sqrt(2/3) 2 sin phi / (3 - sin phi).
// Separated sand has no stress. `volume` keeps the volume that it gained (Tampubolon et al. 2017, section 4.3.4), which
// must be lost before the sand resists again.
#include "lib/svd3.glsl"
#include "mpm/matter.glsl"
#include "mpm/lame.glsl"

mat3 kirchhoff(uint particle, mat3 gradient) {
    mat3 trial = matter_deform(particle);
    trial += clock.dt * gradient * trial;
    Svd d = svd3(trial);
    vec2 stiff = lame(arg.young, arg.poisson, arg.density);
    float gained = matter_volume(particle);
    vec3 e = log(max(abs(d.sigma), vec3(0.05))) + gained / 3.0;
    float sum = e.x + e.y + e.z;
    vec3 shear = e - sum / 3.0;
    float size = sqrt(dot(shear, shear));
    float sine = sin(radians(arg.friction_angle));
    float alpha = sqrt(2.0 / 3.0) * 2.0 * sine / (3.0 - sine);
    vec3 kept;
    if (sum >= 0.0) {
        kept = vec3(0.0);
        gained = sum;
    } else {
        float bound = -(3.0 * stiff.y + 2.0 * stiff.x) / (2.0 * stiff.x) * sum * alpha;
        kept = size <= bound ? e : vec3(sum / 3.0) + shear * (bound / size);
        gained = 0.0;
    }
    set_matter_volume(particle, gained);
    set_matter_deform(particle, d.u * svd_diagonal(exp(kept)) * transpose(d.v));
    vec3 principal = 2.0 * stiff.x * kept + stiff.y * (kept.x + kept.y + kept.z);
    return d.u * svd_diagonal(principal) * transpose(d.u);
}
