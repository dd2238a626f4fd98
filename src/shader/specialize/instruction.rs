//! Instructions of a module that is rewritten.

use super::op;

/// Opcode and operands.
pub(super) type Instruction = (u16, Vec<u32>);

/// The id that an instruction defines. An unknown instruction may have none.
pub(super) fn result(opcode: u16, operands: &[u32]) -> Option<u32> {
    // Without names here: extensions (10), the memory model (14), copies of memory (63, 64), decorations of groups (72), writes
    // of images (99), barriers (224, 225), atomic stores (228), lifetimes (256, 257).
    let place = match opcode {
        op::STRING | op::EXT_INST_IMPORT | op::LABEL => 0,
        op::TYPE_VOID..=op::TYPE_FORWARD_POINTER => 0,
        0 | op::SOURCE_CONTINUED..=op::LINE | 10 | 14..=op::CAPABILITY => return None,
        op::FUNCTION_END | op::STORE..=64 | op::DECORATE..=72 | 99 | 224 | 225 | 228 => return None,
        op::LOOP_MERGE..=op::SELECTION_MERGE | op::BRANCH..=257 | op::NO_LINE => return None,
        op::MODULE_PROCESSED..=op::DECORATE_ID | op::TERMINATE_INVOCATION => return None,
        op::DECORATE_STRING..=5633 => return None,
        _ => 1,
    };
    operands.get(place).copied()
}
