// Words by which the devices of a host wait for each other: src/run/exchange/signals.rs.
#ifndef ENGINE_SIGNALS
#define ENGINE_SIGNALS
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

layout(buffer_reference, scalar, buffer_reference_align = 4) coherent buffer Signal { volatile uint value; };

layout(buffer_reference, scalar, buffer_reference_align = 8) coherent buffer Signals {
    volatile uint exchanges;  // so far
    volatile uint copied;     // exchanges whose messages the host has copied
    volatile uint ended;      // not 0 if the run has ended
    uint count;               // of signals to await
    Signal own;               // that other devices read
    Signal awaited[];         // the numbers of the exchanges whose messages are there
};

// Waits until the messages of an exchange are there, or until the host ends the run. All invocations of a workgroup must call it.
void await_messages(Signals signals) {
    uint number = signals.exchanges;
    for (uint n = gl_LocalInvocationIndex; n < signals.count; n += gl_WorkGroupSize.x) {
        // Numbers may wrap around.
        while (int(signals.awaited[n].value - number) < 0) {
            if (signals.ended != 0u) break;
        }
    }
    memoryBarrierBuffer();
    barrier();
}
#endif
