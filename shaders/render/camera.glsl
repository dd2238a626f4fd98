// Pinhole camera: rays through pixel centres and the projection of world points. Distances in metres, pixel
// coordinates in pixels (x to the right, y down, centre of pixel (i, j) at (i + 0.5, j + 0.5)).

struct Camera {
    vec3 eye;      // m
    vec3 right;    // unit, one pixel step to the right
    vec3 down;     // unit, one pixel step down
    vec3 forward;  // unit
    vec2 centre;   // principal point, pixels
    float focal;   // focal length, pixels
};

// `fov` is the vertical angle in degrees, so that a change of resolution alone keeps the framing. `eye_offset` (m) moves the eye to
// the right: two eyes look ahead in parallel (render/view_stereo.comp).
Camera camera_towards(vec3 eye, vec3 target, vec3 up, float fov, float eye_offset, ivec2 size) {
    Camera c;
    c.forward = normalize(target - eye);
    c.right = normalize(cross(c.forward, up));
    c.down = cross(c.forward, c.right);
    c.eye = eye + eye_offset * c.right;
    c.centre = 0.5 * vec2(size);
    c.focal = c.centre.y / tan(radians(0.5 * fov));
    return c;
}

Camera camera_towards(vec3 eye, vec3 target, vec3 up, float fov, ivec2 size) {
    return camera_towards(eye, target, up, fov, 0.0, size);
}

// Unit direction of the ray through the centre of a pixel.
vec3 camera_ray(Camera c, ivec2 pixel) {
    vec2 p = (vec2(pixel) + 0.5 - c.centre) / c.focal;
    return normalize(c.forward + p.x * c.right + p.y * c.down);
}

// Coordinates along right, down, forward; z is the depth that divides in a projection.
vec3 camera_view(Camera c, vec3 world) {
    vec3 p = world - c.eye;
    return vec3(dot(p, c.right), dot(p, c.down), dot(p, c.forward));
}

vec2 camera_project(Camera c, vec3 view) {
    return c.centre + c.focal * view.xy / view.z;
}
