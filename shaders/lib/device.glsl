// The class of the device, for kernels that do on processors what would be slow on GPUs, or the other way round.
#ifndef LIB_DEVICE
#define LIB_DEVICE

// The fewest invocations that run together on the device, which are few on processors. The program sets it.
layout(constant_id = 1001) const uint least_together = 4u;
const bool ON_PROCESSOR = least_together < 32u;

#endif
