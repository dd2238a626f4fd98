// The sum of one value per invocation of a workgroup, as a tree of fixed shape: the same values give the same
// bits on every run, which float atomics would not. Every invocation must call it (it holds barriers), from
// uniform control flow; the workgroup is one row of at most 1024 invocations, a power of two. Define
// REDUCE_TYPE before the include for anything but float. CPU twin: tests/reference/reduce.rs.

#ifndef REDUCE_TYPE
#define REDUCE_TYPE float
#endif

shared REDUCE_TYPE reduce_values[1024];

REDUCE_TYPE reduce_sum(REDUCE_TYPE value) {
    uint lane = gl_LocalInvocationID.x;
    reduce_values[lane] = value;
    barrier();
    for (uint half_width = gl_WorkGroupSize.x / 2u; half_width > 0u; half_width /= 2u) {
        if (lane < half_width) {
            reduce_values[lane] += reduce_values[lane + half_width];
        }
        barrier();
    }
    REDUCE_TYPE sum = reduce_values[0];
    barrier();  // nobody may start the next reduction while others still read this sum
    return sum;
}
