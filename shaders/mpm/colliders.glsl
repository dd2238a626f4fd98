// Solids, and the velocity at a point inside one: Stomakhin et al. 2013, section 8. The buffer `colliders` has three
// entries a solid, or four where it moves:
//     (shape, contact, friction, moves), (centre, radius), (normal or half sides, 0), and with moves = 1 (velocity, 0)
// Lengths in m, velocities in m/s; friction is the ratio of tangential to normal force. mpm/move_colliders.comp moves
// them. Without the buffer there are no solids.

const float SHAPE_PLANE = 0.0;   // solid against the normal of the plane through the centre
const float SHAPE_SPHERE = 1.0;
const float SHAPE_BOX = 2.0;
const float SHAPE_ROOM = 3.0;    // solid outside the box

const float CONTACT_STICK = 0.0;
const float CONTACT_SLIP = 1.0;      // no normal velocity, no friction
const float CONTACT_SEPARATE = 2.0;  // may leave; friction where it presses

// `velocity` is relative to the solid, `normal` points out of it.
vec3 in_contact(vec3 velocity, vec3 normal, float contact, float friction) {
    if (contact == CONTACT_STICK) {
        return vec3(0.0);
    }
    float across = dot(velocity, normal);
    vec3 along = velocity - across * normal;
    if (contact == CONTACT_SLIP) {
        return along;
    }
    if (across >= 0.0) {
        return velocity;
    }
    float speed = sqrt(dot(along, along));
    float lost = -friction * across;
    return speed <= lost ? vec3(0.0) : along * (1.0 - lost / speed);
}

#if HAS_colliders
// Entries of the solid that begins at entry `i`.
uint collider_entries(uint i) {
    return colliders(i).w == 0.0 ? 3u : 4u;
}
#endif

vec3 beside_colliders(vec3 place, vec3 velocity) {
#if HAS_colliders
    uint entries = 3u;
    for (uint i = 0u; i + 2u < colliders_length; i += entries) {
        vec4 kind = colliders(i);
        entries = collider_entries(i);
        vec3 own = vec3(0.0);
        if (entries == 4u && i + 3u < colliders_length) {
            own = colliders(i + 3u).xyz;
        }
        vec4 middle = colliders(i + 1u);
        vec3 size = colliders(i + 2u).xyz;
        vec3 from = place - middle.xyz;
        if (kind.x == SHAPE_PLANE) {
            vec3 normal = size / sqrt(dot(size, size));
            if (dot(from, normal) < 0.0) {
                velocity = own + in_contact(velocity - own, normal, kind.y, kind.z);
            }
        } else if (kind.x == SHAPE_SPHERE) {
            float distance_to = sqrt(dot(from, from));
            if (distance_to < middle.w && distance_to > 0.0) {
                velocity = own + in_contact(velocity - own, from / distance_to, kind.y, kind.z);
            }
        } else if (kind.x == SHAPE_BOX) {
            vec3 inside = size - abs(from);
            if (inside.x > 0.0 && inside.y > 0.0 && inside.z > 0.0) {
                // Out by the nearest side.
                int axis = inside.x <= inside.y ? (inside.x <= inside.z ? 0 : 2) : (inside.y <= inside.z ? 1 : 2);
                vec3 normal = vec3(0.0);
                normal[axis] = from[axis] < 0.0 ? -1.0 : 1.0;
                velocity = own + in_contact(velocity - own, normal, kind.y, kind.z);
            }
        } else {
            for (int axis = 0; axis < 3; axis++) {
                if (abs(from[axis]) > size[axis]) {
                    vec3 normal = vec3(0.0);
                    normal[axis] = from[axis] < 0.0 ? 1.0 : -1.0;
                    velocity = own + in_contact(velocity - own, normal, kind.y, kind.z);
                }
            }
        }
    }
#endif
    return velocity;
}
