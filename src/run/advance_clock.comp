#version 460
// Moves a clock on by one pass, at the end of the pass. Recorded once and replayed, so that what changes from step
// to step lives in memory.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require

layout(local_size_x = 1) in;

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Clock {
    float left;  // s: all of the step
    uint iteration;   // none
    uint step;   // steps done
    uint frame;  // frames done; in the frame stages' clock, the number of the frame
    float time;  // s
    float dt;    // s
    uint seed;
};

layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer Turn {
    Clock clock;
    uint steps;   // steps of a pass
    uint frames;  // frames of a pass
};

layout(push_constant, scalar) uniform Push { Turn turn; };

void main() {
    uint step = turn.clock.step + turn.steps;
    turn.clock.step = step;
    turn.clock.frame += turn.frames;
    turn.clock.time = float(step) * turn.clock.dt;
}
