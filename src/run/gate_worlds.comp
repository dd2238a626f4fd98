#version 460
// Lists the worlds in which conditional dispatches run: those where no condition is 0. One workgroup for each dispatch.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

const uint THREADS = 256u;
layout(local_size_x = THREADS) in;

// The depth to which repeats nest.
const uint MAX_WORDS = 8u;

layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Word { uint value; };
layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly buffer Counts { uvec3 at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly buffer Worlds { uint at[]; };

// The words of a condition.
struct Condition {
    uint64_t first;     // address of the word of world 0
    uint64_t distance;  // bytes between the words of two worlds
};

struct Row {
    uvec3 groups;  // workgroups of one world
    uint conditions;
    Condition condition[MAX_WORDS];
};

layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer Gate {
    Counts counts;
    Worlds lists;  // one for each row: the number of worlds, then the worlds
    uint worlds;
    uint axis;  // along which the workgroups of worlds follow one another
    Row row[];
};

layout(push_constant, scalar) uniform Push { Gate gate; };

shared uint running[THREADS];

bool runs(uint row, uint world) {
    bool all_hold = world < gate.worlds;
    for (uint i = 0u; all_hold && i < gate.row[row].conditions; i++) {
        Condition condition = gate.row[row].condition[i];
        all_hold = Word(condition.first + condition.distance * world).value != 0u;
    }
    return all_hold;
}

void main() {
    uint row = gl_WorkGroupID.x, thread = gl_LocalInvocationID.x;
    uint list = row * (gate.worlds + 1u);
    uint before = 0u;
    for (uint first = 0u; first < gate.worlds; first += THREADS) {
        bool is_running = runs(row, first + thread);
        running[thread] = uint(is_running);
        barrier();
        // Inclusive prefix sums.
        for (uint distance = 1u; distance < THREADS; distance *= 2u) {
            uint other = thread >= distance ? running[thread - distance] : 0u;
            barrier();
            running[thread] += other;
            barrier();
        }
        if (is_running) {
            gate.lists.at[list + before + running[thread]] = first + thread;
        }
        before += running[THREADS - 1u];
        barrier();
    }
    if (thread == 0u) {
        gate.lists.at[list] = before;
        uvec3 groups = before == 0u ? uvec3(0u) : gate.row[row].groups;
        groups[gate.axis] *= before;
        gate.counts.at[row] = groups;
    }
}
