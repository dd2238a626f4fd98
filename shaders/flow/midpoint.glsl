// The position of a fluid parcel after a time, which may be negative: the midpoint rule, of second order. The stage defines
// `vec3 flow_at(vec3 place)` (m/s) before it includes this.
vec3 trace(vec3 place, float time) {
    vec3 half_way = place + 0.5 * time * flow_at(place);
    return place + time * flow_at(half_way);
}
