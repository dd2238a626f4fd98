#version 460
#include "stage.glsl"
// Where there is matter besides flakes, `ledger` is that of the matter.
#define add_ledger add_flakes_ledger
#include "snow/deposit.glsl"
