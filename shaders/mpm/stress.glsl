// One step of strain, and the resulting stress as a part of the matrix that P2G spreads: MLS-MPM (Hu et al. 2018, "A
// moving least squares material point method", equations 17 to 21). With C, the gradient of velocity that g2p left,
//     Q = C - dt 4 / dx^2 (tau / rho)
// rho is the density at rest: V0 / m of the paper is 1 / rho. With PIC, C is left out of Q. A material gives the
// function `kirchhoff(particle, gradient)`, included before; docs/mpm.md says how.
mat3 spread(uint particle) {
    mat3 affine = matter_affine(particle);
    mat3 stress = kirchhoff(particle, affine);
    return affine * arg.apic - (clock.dt * 4.0 / (nodes_dx * nodes_dx)) * stress;
}
