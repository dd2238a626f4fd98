// Of materials that keep a deformation gradient: three columns `deform_x`, `deform_y`, `deform_z`.

mat3 matter_deform(uint particle) {
    return mat3(matter_deform_x(particle), matter_deform_y(particle), matter_deform_z(particle));
}

void set_matter_deform(uint particle, mat3 deform) {
    set_matter_deform_x(particle, deform[0]);
    set_matter_deform_y(particle, deform[1]);
    set_matter_deform_z(particle, deform[2]);
}
