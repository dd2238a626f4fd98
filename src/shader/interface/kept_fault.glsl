// The file and the line of the last call, which a pass over the module sets.
LINE
// The first fault of this invocation: its kind, from 1. Kind 1 is a read, 2 a write, 3 a write to a block that is not active,
// 4 reads and 5 writes an entry that an array does not have.
uint sg_kept = 0u;
uint sg_kept_field;
ivec3 sg_kept_index;
int sg_kept_entry;
uint sg_kept_line;
void sg_report_entry(uint field, uint kind, ivec3 index, int entry) {
    if (sg_kept != 0u) return;
    sg_kept = kind + 1u;
    sg_kept_field = field;
    sg_kept_index = index;
    sg_kept_entry = entry;
    sg_kept_line = sg_line;
}
void sg_report(uint field, uint kind, ivec3 index) { sg_report_entry(field, kind, index, 0); }
// The kernel comes as `main` and is called sg_main. The first invocation that ends with a fault writes the record of the run.
void sg_main();
void main() {
    sg_main();
    if (sg_kept == 0u) return;
    sg_fault_block fault = arg.sg_fault;
    if (atomicCompSwap(fault.claimed, 0u, 1u) != 0u) return;
    fault.stage = arg.sg_stage;
    fault.field = sg_kept_field;
    fault.kind = sg_kept - 1u;
    fault.index = sg_kept_index;
    fault.invocation = gl_GlobalInvocationID;
    fault.entry = sg_kept_entry;
    fault.line = sg_kept_line;
}
#define main sg_main
