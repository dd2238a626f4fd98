#version 460
#include "stage.glsl"

void stage(uint i) {
    set_ledger(i, 1u);
}
