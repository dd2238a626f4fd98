#version 460
#extension GL_EXT_control_flow_attributes : require
#include "stage.glsl"
#include "render/camera.glsl"
#include "render/colormaps.glsl"
#include "render/isosurface.glsl"
#include "render/scene.glsl"

#pragma reads grid.value grid.tint cubes.crossed cubes.bits cases sky.radiance body.shape body_cubes.crossed body_cubes.bits
#pragma writes view.radiance view.depth
#pragma arguments camera surface.level surface.side look water sun sky.ambient ground
#pragma constant SHADING surface.shading
#pragma constant BOUNCES surface.bounces
#pragma constant SAMPLES surface.samples
#pragma workgroup 8 8 1

// A surface in a grid, straight from its values (docs/views.md): opaque, as water, or its normals.

layout(constant_id = 1) const int BOUNCES = 2;
layout(constant_id = 2) const int SAMPLES = 1;

#if !HAS_grid_tint
#define grid_tint grid_value
#endif

// Fresnel's share of unpolarized light that is reflected; `index` is that beyond the surface over that before it.
float reflected(float cosine, float index) {
    float inner = 1.0 - (1.0 - cosine * cosine) / (index * index);
    if (inner <= 0.0) {
        return 1.0;
    }
    inner = sqrt(inner);
    float across = (cosine - index * inner) / (cosine + index * inner);
    float along = (index * cosine - inner) / (index * cosine + inner);
    return 0.5 * (across * across + along * along);
}

// A direction on this side of a plane.
vec3 beside(vec3 direction, vec3 normal) {
    return normalize(direction - min(dot(direction, normal) - 1e-3, 0.0) * normal);
}

vec3 color_at(vec3 place) {
    if (arg.range.y <= arg.range.x) {
        return arg.color;
    }
    ivec3 cell = clamp(ivec3(floor(place)) - 1, ivec3(0), grid_cells - 2);
    vec3 f = clamp(place - 1.0 - vec3(cell), 0.0, 1.0);
    float sum = 0.0;
    for (int k = 0; k < 8; k++) {
        ivec3 c = ivec3(k & 1, k >> 1 & 1, k >> 2);
        vec3 w = mix(1.0 - f, f, vec3(c));
        sum += w.x * w.y * w.z * float(grid_tint(cell + c));
    }
    return viridis_light((sum - arg.range.x) / (arg.range.y - arg.range.x));
}

// Light along a ray, and the distance of its first hit. At its first hit on water the ray splits; afterwards it follows
// only the brighter branch, and the other branch sees only the surroundings.
vec3 light_along(vec3 eye, vec3 ray, out float distance) {
    vec3 light = vec3(0.0), weight = vec3(1.0);
    vec3 later_eye = vec3(0.0), later_ray = vec3(0.0), later_weight = vec3(0.0);
    bool outside = SHADING != WATER || depth_between(LIQUID, to_cubes(LIQUID, eye)) <= 0.0;
    // Water on the ground has no lower face.
    float hair = 0.01 * min(grid_spacing.x, min(grid_spacing.y, grid_spacing.z));
    int met = 0;
    [[dont_unroll]] for (int k = 0; k <= 2 * BOUNCES; k++) {
        float under = ground_run(eye, ray);
        Meeting solid = meet_body(eye, ray, under);
        Meeting here = meet(LIQUID, eye, ray, outside, min(under, solid.run) - hair);
        float run = min(here.run, min(solid.run, under));
        vec3 place = eye + run * ray;
        distance = k == 0 ? run : distance;
        if (!outside && run < NO_HIT) {
            vec3 passed = exp(-arg.absorption * run);
            light += weight * (1.0 - passed) * arg.deep;
            weight *= passed;
        }
        bool on_water = SHADING == WATER && here.run < NO_HIT;
        if (on_water) {
            vec3 flat_normal = (outside ? 1.0 : -1.0) * normalize(here.normal / grid_spacing);
            vec3 normal = (outside ? 1.0 : -1.0) * normal_at(LIQUID, here);
            normal = dot(normal, ray) < 0.0 ? normal : flat_normal;
            float index = outside ? arg.index : 1.0 / arg.index;
            float share = reflected(-dot(normal, ray), index);
            vec3 mirror = beside(reflect(ray, normal), flat_normal);
            vec3 bent = share < 1.0 ? -beside(-refract(ray, normal, 1.0 / index), flat_normal) : mirror;
            met++;
            eye = place;
            if (met > BOUNCES) {
                light += weight * (share * surroundings(place, mirror) + (1.0 - share) * surroundings(place, bent));
            } else {
                bool divides = met == 1 && outside;
                bool through = divides || share < 0.5;
                vec3 other = through ? mirror : bent;
                vec3 other_weight = weight * (through ? share : 1.0 - share);
                if (divides) {
                    later_eye = place;
                    later_ray = other;
                    later_weight = other_weight;
                } else {
                    light += other_weight * surroundings(place, other);
                }
                weight -= other_weight;
                ray = through ? bent : mirror;
                outside = outside != through;
                continue;
            }
        } else if (run == NO_HIT) {
            light += weight * (SHADING == NORMALS ? vec3(0.0) : sky_light(ray));
        } else {
            bool on_ground = here.run == NO_HIT && solid.run >= under, on_body = here.run == NO_HIT && !on_ground;
            vec3 normal = vec3(0.0, 0.0, 1.0);
            if (on_body) {
                normal = normal_at(SOLID, solid);
            } else if (!on_ground) {
                normal = normal_at(LIQUID, here);
            }
            if (SHADING == NORMALS) {
                return normal;
            }
            vec3 sunny = sunlight(place + hair * normal, outside);
            vec3 color = on_body ? arg.body_color : color_at(here.place);
            light += weight * (on_ground ? ground_light(place, ray, sunny) : matt_light(color, normal, ray, sunny));
        }
        if (later_weight == vec3(0.0)) {
            break;
        }
        eye = later_eye;
        ray = later_ray;
        weight = later_weight;
        later_weight = vec3(0.0);
        outside = true;
        met = 1;
    }
    return light;
}

void stage(ivec2 pixel) {
    Camera camera = camera_towards(arg.eye, arg.target, arg.up, arg.fov, arg.eye_offset, SAMPLES * view_size);
    vec3 sum = vec3(0.0);
    float nearest = NO_HIT;
    [[dont_unroll]] for (int k = 0; k < SAMPLES * SAMPLES; k++) {
        float distance;
        vec3 light = light_along(camera.eye, camera_ray(camera, SAMPLES * pixel + ivec2(k % SAMPLES, k / SAMPLES)), distance);
        // A mirrored sun must not outshine the pixels beside it.
        sum += min(light, vec3(8.0));
        nearest = min(nearest, distance);
    }
    set_view_radiance(pixel, sum / float(SAMPLES * SAMPLES));
    set_view_depth(pixel, nearest);
}
