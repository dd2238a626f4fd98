// Parts of faces that a solid leaves open (Batty, Bertails & Bridson 2007, "A fast variational framework for accurate solid-fluid
// coupling", section 3), from values at the corners which are positive outside the solid and nearly linear.

// The part of a triangle where a linear function is positive, from its values at the corners.
float positive_part(vec3 at) {
    int outside = int(at.x > 0.0) + int(at.y > 0.0) + int(at.z > 0.0);
    if (outside == 0 || outside == 3) {
        return float(outside) / 3.0;
    }
    // The corner that differs from the other two comes first.
    bool alone = outside == 1;
    vec3 turned = (at.x > 0.0) == alone ? at.xyz : (at.y > 0.0) == alone ? at.yzx : at.zxy;
    float cut = turned.x / (turned.x - turned.y) * (turned.x / (turned.x - turned.z));
    return alone ? cut : 1.0 - cut;
}

// The fraction of a square, from its corners in order: four triangles that meet in the middle.
float open_part_of_square(vec4 at) {
    float middle = 0.25 * (at.x + at.y + (at.z + at.w));
    return 0.25 * (positive_part(vec3(middle, at.xy)) + positive_part(vec3(middle, at.yz))
                   + (positive_part(vec3(middle, at.zw)) + positive_part(vec3(middle, at.wx))));
}
