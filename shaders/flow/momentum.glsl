// The flux of momentum between two faces of one axis: convection minus viscous diffusion. Central
// differences (Harlow & Welch 1965) conserve momentum and, in a flow free of divergence, energy (Morinishi et al. 1998,
// "Fully conservative higher order finite difference schemes for incompressible flow").
//
// arg.curvature is the subtracted part of the upstream second difference: 0 for
// central differences, 1/8 for QUICK (Leonard 1979, "A stable and accurate convective modelling procedure based on
// quadratic upstream interpolation"). arg.upwind is the part of first-order upwind differences.
#include "flow/faces.glsl"

#pragma arguments viscosity scheme
#pragma reach grid_faces 2
#pragma reach grid_u 2
#pragma reach grid_v 2
#pragma reach grid_w 2

// Speed along `along` at the edge between a face of `axis` and the next one, from the two faces of `along` there.
float crossing(ivec3 face, int axis, int along, int way) {
    int cells = space_size(grid_cells)[axis];
    ivec3 high = face, low = face;
    if (way > 0) {
        high[along] += 1;
    }
    low = high;
    low[axis] = periodic(axis) ? (high[axis] + cells - 1) % cells : max(high[axis] - 1, 0);
    high[axis] = periodic(axis) ? high[axis] % cells : min(high[axis], cells - 1);
    return 0.5 * (velocity(along, low) + velocity(along, high));
}

// Flux of the momentum of `axis`, over the density, through the side `way` along `along` of the volume of a face, m^2/s^2;
// positive in the direction of the axis.
float momentum_flux(ivec3 face, int axis, int along, int way, float own) {
    Beside next = beside(face, axis, along, way, own);
    float low = way < 0 ? next.value : own, high = way < 0 ? own : next.value;
    float speed = along == axis ? 0.5 * (low + high) : crossing(face, axis, along, way);
    bool from_own = (speed > 0.0) == (way > 0);
    float upstream = from_own ? own : next.value, downstream = from_own ? next.value : own;
    float carried = 0.5 * (low + high);
    if (arg.curvature != 0.0 && (from_own || next.real)) {
        float far = from_own ? beside(face, axis, along, -way, own).value
                             : beside(next.face, axis, along, way, next.value).value;
        carried -= arg.curvature * (far - 2.0 * upstream + downstream);
    }
    carried += arg.upwind * (upstream - carried);
    return speed * carried - arg.viscosity / grid_dx * (high - low);
}
