#version 460
#include "stage.glsl"

#pragma reads box.u box.v box.w box.x box.y box.z
#pragma writes box.x box.y box.z

// u x vorticity at the points, in the place of the vorticity.
void stage(ivec3 cell) {
    vec3 u = vec3(box_u(cell), box_v(cell), box_w(cell));
    vec3 force = cross(u, vec3(box_x(cell), box_y(cell), box_z(cell)));
    set_box_x(cell, force.x);
    set_box_y(cell, force.y);
    set_box_z(cell, force.z);
}
