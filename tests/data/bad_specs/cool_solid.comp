#version 460
#include "stage.glsl"

#pragma reads room.heat room.solid
#pragma writes room.heat
#pragma reach room_solid 1

void stage(ivec3 cell) {
    set_room_heat(cell, room_solid(cell) * room_heat(cell));
}
