// The floor under balls. Include after camera.glsl; the stage has an argument `height` (m).

// Depth (m) of the ray's hit on the floor, or 0.
float floor_depth(Camera camera, vec3 ray) {
    float run = (arg.height - camera.eye.z) / ray.z;
    return ray.z < -1e-4 && run > 0.0 ? run * dot(ray, camera.forward) : 0.0;
}
