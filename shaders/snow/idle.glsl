// On processors, a branch costs less than the loads that it skips. On GPUs, loads that wait for a branch do not overlap.
#ifndef SNOW_IDLE
#define SNOW_IDLE

#include "lib/processor.glsl"

// True if stages skip loads of values that a cell does not use.
const bool SKIPS_LOADS = ON_PROCESSOR;

#endif
