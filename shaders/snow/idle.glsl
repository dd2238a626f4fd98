// On processors, a branch costs less than the loads that it skips. On GPUs, loads that wait for a branch do not overlap.
#ifndef SNOW_IDLE
#define SNOW_IDLE

// The fewest invocations that run together on the device, which are few on processors. The program sets it.
layout(constant_id = 1001) const uint least_together = 4u;
// True if stages skip loads of values that a cell does not use.
const bool SKIPS_LOADS = least_together < 32u;

#endif
