#version 460
// Writes the number of an exchange where the devices of other ranks look for it: the messages are in memory.
#include "engine/signals.glsl"

layout(local_size_x = 1) in;

layout(push_constant, scalar) uniform Push { Signals signals; };

void main() {
    signals.own.value = signals.exchanges;
}
