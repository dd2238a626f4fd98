#version 460
// Advances a clock by one pass, at the end of the pass. The commands are recorded once and replayed, so values that change
// between steps are in memory.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require

layout(local_size_x = 1) in;

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Clock {
    float left;      // s: all of the step
    uint iteration;  // none
    uint step;   // steps done
    uint frame;  // frames done; in the frame stages' clock, the number of the frame
    float time;  // s
    float dt;    // s
    uint seed;
};

layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer Pass {
    Clock clock;
    uint steps;   // steps of a pass
    uint frames;  // frames of a pass
};

layout(push_constant, scalar) uniform Push { Pass pass; };

void main() {
    uint step = pass.clock.step + pass.steps;
    pass.clock.step = step;
    pass.clock.frame += pass.frames;
    pass.clock.time = float(step) * pass.clock.dt;
}
