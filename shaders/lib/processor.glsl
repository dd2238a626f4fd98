// For kernels that work in another way on processors: there, a branch costs less than the loads that it skips, while on GPUs loads
// that wait for a branch do not overlap; and atomics are done one by one.
#ifndef LIB_PROCESSOR
#define LIB_PROCESSOR

// The fewest invocations that run together on the device, which are few on processors. The program sets it.
layout(constant_id = 1001) const uint least_together = 4u;
// True on processors, and on GPUs that run few invocations together.
const bool ON_PROCESSOR = least_together < 32u;

#endif
