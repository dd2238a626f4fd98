#version 460
#include "stage.glsl"
#include "lib/random.glsl"
#include "drift/saltation.glsl"

#pragma reads ground.friction ground.age ground.snow ground.salt ground.built
#pragma writes ground.age ground.snow ground.salt
#pragma arguments unit fetch drop speed_up crust

const uint PURPOSE_EXCHANGE = 40u;

// Snow between the ground and the saltation layer. With its mass m and speed v, saltation approaches its saturated flux Q over
// a length:
//     dm/dt = (Q - m v) / arg.fetch    where more can move (Sauermann et al. 2001, linear; Naaim et al. 1998), else / arg.drop
// in whole units of arg.unit kg/m^2: the fraction of a unit is the chance of one more. No more leaves than there is.
// arg.crust is the mass of fresh snow that makes the surface fresh, kg/m^2. Nothing moves below obstacles.
void stage(ivec2 vertex) {
#if HAS_ground_built
    if (ground_built(vertex) != 0u) {
        return;
    }
#endif
    float least = threshold(vertex), speed = speed_of_snow(least);
    uint snow = ground_snow(vertex), salt = ground_salt(vertex);
    float excess = saturated(length(ground_friction(vertex)), least) / arg.unit - float(salt) * speed;
    float units = clock.dt * abs(excess) / (excess > 0.0 ? arg.fetch : arg.drop);
    uint element = uint(vertex.y * ground_vertices.x + vertex.x);
    uint moved = uint(units + random4(element, clock.step, PURPOSE_EXCHANGE, clock.seed).x);
    float age = ground_age(vertex) + clock.dt * arg.speed_up;
    if (excess > 0.0) {
        moved = min(moved, snow);
        set_ground_snow(vertex, snow - moved);
        set_ground_salt(vertex, salt + moved);
    } else {
        moved = min(moved, salt);
        set_ground_snow(vertex, snow + moved);
        set_ground_salt(vertex, salt - moved);
        age *= max(1.0 - float(moved) * arg.unit * arg.speed_up / arg.crust, 0.0);
    }
    set_ground_age(vertex, age);
}
