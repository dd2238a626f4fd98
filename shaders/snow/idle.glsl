// Whether a stage skips loads of invocations that do not use them. On processors, whose subgroups are small, a branch costs less
// than the loads; on GPUs, loads that wait for a branch do not overlap.
#ifndef SNOW_IDLE
#define SNOW_IDLE

// The smallest subgroup of the device. The program sets it.
layout(constant_id = 1001) const uint sg_least_subgroup = 4u;
const bool SKIPS_LOADS = sg_least_subgroup < 32u;

#endif
