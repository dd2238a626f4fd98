//! The parts of a module that the pass refers to.

use std::collections::HashMap;

use super::{INSTRUCTION_SET, op};
use crate::shader::spirv::{instructions, text};

const DECORATION_NON_WRITABLE: u32 = 24;
const STORAGE_PUSH_CONSTANT: u32 = 9;

/// The size of a value: 0 components for a scalar.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Float(u32),
    Int { components: u32, signed: bool },
}

/// The parts of a module that the pass refers to.
#[derive(Default)]
pub(super) struct Known {
    pub entry_point: u32,
    pub instruction_set: Option<u32>,
    pub float: Option<u32>,
    pub uint: Option<u32>,
    pub kinds: HashMap<u32, Kind>,
    pub constants: HashMap<u32, u32>,
    pub push_constant: Option<u32>,
    /// Pointer types by storage class and type, and the types that they point to.
    pub pointers: HashMap<(u32, u32), u32>,
    pub pointees: HashMap<u32, u32>,
    /// Members of structures, and how many of them are read-only.
    pub members: HashMap<u32, usize>,
    pub read_only: HashMap<u32, usize>,
}

impl Known {
    pub(super) fn of(words: &[u32]) -> Known {
        let mut known = Known::default();
        for (opcode, operands) in instructions(words) {
            match (opcode, operands) {
                (op::FUNCTION, _) => break,
                (op::ENTRY_POINT, [_, id, ..]) => known.entry_point = *id,
                (op::EXT_INST_IMPORT, [id, name @ ..]) if text(name) == INSTRUCTION_SET => {
                    known.instruction_set = Some(*id);
                }
                (op::TYPE_FLOAT, [id, 32, ..]) => {
                    known.float = Some(*id);
                    known.kinds.insert(*id, Kind::Float(0));
                }
                (op::TYPE_INT, [id, 32, signed, ..]) => {
                    let signed = *signed != 0;
                    if !signed {
                        known.uint = Some(*id);
                    }
                    known.kinds.insert(
                        *id,
                        Kind::Int {
                            components: 0,
                            signed,
                        },
                    );
                }
                (op::TYPE_VECTOR, [id, of, components, ..]) => {
                    let kind = match known.kinds.get(of) {
                        Some(Kind::Float(0)) => Kind::Float(*components),
                        Some(Kind::Int {
                            components: 0,
                            signed,
                        }) => Kind::Int {
                            components: *components,
                            signed: *signed,
                        },
                        _ => continue,
                    };
                    known.kinds.insert(*id, kind);
                }
                (op::TYPE_POINTER, [id, storage, pointee]) => {
                    known.pointers.entry((*storage, *pointee)).or_insert(*id);
                    known.pointees.insert(*id, *pointee);
                }
                (op::TYPE_STRUCT, [id, members @ ..]) => drop(known.members.insert(*id, members.len())),
                (op::MEMBER_DECORATE, [id, _, DECORATION_NON_WRITABLE]) => {
                    *known.read_only.entry(*id).or_default() += 1;
                }
                (op::CONSTANT, [_, id, value]) => drop(known.constants.insert(*id, *value)),
                (op::VARIABLE, [_, id, STORAGE_PUSH_CONSTANT, ..]) => known.push_constant = Some(*id),
                _ => {}
            }
        }
        known
    }

    /// True for a pointer to the argument block or the clock: to several members, all of which are read-only. The blocks of
    /// fields have one member.
    pub(super) fn is_constant_block(&self, pointer: u32) -> bool {
        let members = |block| Some((self.members.get(block)?, self.read_only.get(block)?));
        let block = self.pointees.get(&pointer).and_then(members);
        block.is_some_and(|(members, read_only)| *members > 1 && members == read_only)
    }
}
