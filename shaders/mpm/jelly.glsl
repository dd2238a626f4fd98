// Fixed corotated elasticity: Stomakhin et al. 2012, "Energetically consistent invertible elasticity", equation 6,
//     tau = P F^T = 2 mu (F - R) F^T + lambda (J - 1) J I
#include "lib/svd3.glsl"
#include "mpm/matter.glsl"
#include "mpm/lame.glsl"

mat3 kirchhoff(uint particle, mat3 gradient) {
    mat3 deform = matter_deform(particle);
    deform += clock.dt * gradient * deform;
    set_matter_deform(particle, deform);
    vec2 stiff = lame(arg.young, arg.poisson, arg.density);
    mat3 rotation = svd_rotation(svd3(deform));
    float j = determinant(deform);
    return 2.0 * stiff.x * (deform - rotation) * transpose(deform) + mat3(stiff.y * (j - 1.0) * j);
}
