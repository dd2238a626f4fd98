//! The types, constants and variables of a module that passes refer to, and those that they add.

use std::collections::HashMap;

use super::opcodes as op;
use super::spirv::{BOUND, instructions, push};

const VERSION: usize = 1;
/// From here on, the entry point lists all variables of the module, not only inputs.
const SPIRV_1_4: u32 = 0x0001_0400;

const CAPABILITY_INT64: u32 = 11;
const DECORATION_BUILT_IN: u32 = 11;
const BUILT_IN_WORKGROUP_SIZE: u32 = 25;
const MODE_LOCAL_SIZE: u32 = 17;
const MODE_LOCAL_SIZE_ID: u32 = 38;
const STORAGE_INPUT: u32 = 1;
const STORAGE_PRIVATE: u32 = 6;
const STORAGE_PUSH_CONSTANT: u32 = 9;
/// Memory that addresses point to.
const STORAGE_MEMORY: u32 = 5349;

/// A built-in variable of which a component depends on the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum BuiltIn {
    NumWorkgroups = 24,
    WorkgroupId = 26,
    GlobalInvocationId = 28,
}

const BUILT_INS: [BuiltIn; 3] = [
    BuiltIn::NumWorkgroups,
    BuiltIn::WorkgroupId,
    BuiltIn::GlobalInvocationId,
];

/// The numbers of invocations of a workgroup along x, y and z.
pub(super) enum WorkgroupSize {
    /// The components of a constant.
    Constant(u32),
    /// Constants.
    Sides([u32; 3]),
    Literal([u32; 3]),
}

/// A type that is not a pointer, or a constant, by its instruction and its operands without the result.
type Definition = (u16, Vec<u32>);

/// The parts of a module that the pass refers to.
pub(super) struct Known {
    pub entry_point: u32,
    pub push_constant: Option<u32>,
    /// The type of the first member of the push constant.
    pub address_type: u32,
    pub workgroup_size: WorkgroupSize,
    /// The values of 32-bit constants.
    pub constants: HashMap<u32, u32>,
    built_ins: HashMap<BuiltIn, u32>,
    definitions: HashMap<Definition, u32>,
    memory_pointers: Vec<u32>,
    has_int64: bool,
}

impl Known {
    pub(super) fn of(words: &[u32]) -> Known {
        let mut known = Known {
            entry_point: 0,
            push_constant: None,
            address_type: 0,
            workgroup_size: WorkgroupSize::Literal([1; 3]),
            constants: HashMap::new(),
            built_ins: HashMap::new(),
            definitions: HashMap::new(),
            memory_pointers: Vec::new(),
            has_int64: false,
        };
        let mut structs: HashMap<u32, u32> = HashMap::new();
        let mut pointees: HashMap<u32, u32> = HashMap::new();
        for (opcode, operands) in instructions(words) {
            match (opcode, operands) {
                (op::FUNCTION, _) => break,
                (op::CAPABILITY, [CAPABILITY_INT64]) => known.has_int64 = true,
                (op::ENTRY_POINT, [_, id, ..]) => known.entry_point = *id,
                (op::EXECUTION_MODE, [_, MODE_LOCAL_SIZE, x, y, z]) => {
                    known.set_size(WorkgroupSize::Literal([*x, *y, *z]));
                }
                (op::EXECUTION_MODE_ID, [_, MODE_LOCAL_SIZE_ID, x, y, z]) => {
                    known.set_size(WorkgroupSize::Sides([*x, *y, *z]));
                }
                (op::DECORATE, [id, DECORATION_BUILT_IN, BUILT_IN_WORKGROUP_SIZE]) => {
                    known.workgroup_size = WorkgroupSize::Constant(*id);
                }
                (op::DECORATE, [id, DECORATION_BUILT_IN, number]) => {
                    let built_in = BUILT_INS.into_iter().find(|of| *of as u32 == *number);
                    known.built_ins.extend(built_in.map(|of| (of, *id)));
                }
                (op::TYPE_STRUCT, [id, first, ..]) => drop(structs.insert(*id, *first)),
                (op::TYPE_POINTER, [id, storage, pointee]) => {
                    pointees.insert(*id, *pointee);
                    if *storage == STORAGE_MEMORY {
                        known.memory_pointers.push(*id);
                    }
                    known.defined(opcode, *id, &[*storage, *pointee]);
                }
                (op::TYPE_BOOL | op::TYPE_INT | op::TYPE_FLOAT | op::TYPE_VECTOR, [id, rest @ ..]) => {
                    known.defined(opcode, *id, rest)
                }
                (op::CONSTANT, [of, id, value @ ..]) => {
                    if let [value] = value {
                        known.constants.insert(*id, *value);
                    }
                    known.defined(opcode, *id, &[&[*of], value].concat());
                }
                (op::VARIABLE, [of, id, STORAGE_PUSH_CONSTANT, ..]) => {
                    let member = pointees.get(of).and_then(|block| structs.get(block));
                    known.push_constant = Some(*id);
                    known.address_type = member.copied().unwrap_or_default();
                }
                _ => {}
            }
        }
        known
    }

    /// The constant with the size, which may come first, has precedence over execution modes.
    fn set_size(&mut self, size: WorkgroupSize) {
        if !matches!(self.workgroup_size, WorkgroupSize::Constant(_)) {
            self.workgroup_size = size;
        }
    }

    fn defined(&mut self, opcode: u16, id: u32, operands: &[u32]) {
        self.definitions.entry((opcode, operands.to_vec())).or_insert(id);
    }

    /// The built-in variable of an id.
    pub(super) fn built_in(&self, id: u32) -> Option<BuiltIn> {
        let mut known = self.built_ins.iter();
        known.find_map(|(of, variable)| (*variable == id).then_some(*of))
    }

    pub(super) fn is_memory_pointer(&self, id: u32) -> bool {
        self.memory_pointers.contains(&id)
    }

    pub(super) fn is_uint_pair(&self, id: u32) -> bool {
        let uint = self.definitions.get(&(op::TYPE_INT, vec![32, 0]));
        uint.is_some_and(|uint| self.definitions.get(&(op::TYPE_VECTOR, vec![*uint, 2])) == Some(&id))
    }
}

/// Types, constants and variables of a module, with those that are added.
pub(super) struct Globals<'a> {
    known: &'a Known,
    next_id: u32,
    lists_all: bool,
    definitions: HashMap<Definition, u32>,
    built_ins: HashMap<BuiltIn, u32>,
    uses_int64: bool,
    /// Instructions to add before the functions.
    added: Vec<u32>,
    decorations: Vec<u32>,
    /// Added variables for the entry point.
    inputs: Vec<u32>,
    privates: Vec<u32>,
}

impl<'a> Globals<'a> {
    pub(super) fn new(known: &'a Known, words: &[u32]) -> Globals<'a> {
        Globals {
            known,
            next_id: words[BOUND],
            lists_all: words[VERSION] >= SPIRV_1_4,
            uses_int64: false,
            definitions: known.definitions.clone(),
            built_ins: known.built_ins.clone(),
            added: Vec::new(),
            decorations: Vec::new(),
            inputs: Vec::new(),
            privates: Vec::new(),
        }
    }

    pub(super) fn new_id(&mut self) -> u32 {
        self.next_id += 1;
        self.next_id - 1
    }

    pub(super) fn uint(&mut self) -> u32 {
        self.defined(op::TYPE_INT, &[32, 0])
    }

    pub(super) fn long(&mut self) -> u32 {
        self.uses_int64 = true;
        self.defined(op::TYPE_INT, &[64, 0])
    }

    pub(super) fn triple(&mut self) -> u32 {
        let uint = self.uint();
        self.defined(op::TYPE_VECTOR, &[uint, 3])
    }

    pub(super) fn memory_pointer(&mut self, to: u32) -> u32 {
        self.defined(op::TYPE_POINTER, &[STORAGE_MEMORY, to])
    }

    pub(super) fn push_constant_pointer(&mut self, to: u32) -> u32 {
        self.defined(op::TYPE_POINTER, &[STORAGE_PUSH_CONSTANT, to])
    }

    pub(super) fn uint_constant(&mut self, value: u32) -> u32 {
        let uint = self.uint();
        self.defined(op::CONSTANT, &[uint, value])
    }

    pub(super) fn long_constant(&mut self, value: u64) -> u32 {
        let long = self.long();
        self.defined(op::CONSTANT, &[long, value as u32, (value >> 32) as u32])
    }

    /// A new variable of the invocation.
    pub(super) fn private(&mut self, of: u32) -> u32 {
        let variable = self.variable(STORAGE_PRIVATE, of);
        self.privates.push(variable);
        variable
    }

    pub(super) fn built_in(&mut self, built_in: BuiltIn) -> u32 {
        if let Some(known) = self.built_ins.get(&built_in) {
            return *known;
        }
        let triple = self.triple();
        let variable = self.variable(STORAGE_INPUT, triple);
        self.inputs.push(variable);
        let decoration = [variable, DECORATION_BUILT_IN, built_in as u32];
        push(&mut self.decorations, op::DECORATE, &decoration);
        self.built_ins.insert(built_in, variable);
        variable
    }

    fn variable(&mut self, storage: u32, of: u32) -> u32 {
        let pointer = self.defined(op::TYPE_POINTER, &[storage, of]);
        let variable = self.new_id();
        push(&mut self.added, op::VARIABLE, &[pointer, variable, storage]);
        variable
    }

    /// The type of the components of a vector type; the type itself if it is none.
    pub(super) fn component(&self, of: u32) -> u32 {
        let mut known = self.definitions.iter();
        let found = known.find_map(|((opcode, operands), id)| match operands[..] {
            [scalar, _] if *opcode == op::TYPE_VECTOR && *id == of => Some(scalar),
            _ => None,
        });
        found.unwrap_or(of)
    }

    pub(super) fn decorate(&mut self, id: u32, decoration: u32) {
        push(&mut self.decorations, op::DECORATE, &[id, decoration]);
    }

    /// A type or a constant, which is added if the module lacks it.
    pub(super) fn defined(&mut self, opcode: u16, operands: &[u32]) -> u32 {
        let definition = (opcode, operands.to_vec());
        if let Some(known) = self.definitions.get(&definition) {
            return *known;
        }
        let id = self.new_id();
        // The result of a constant follows its type.
        let is_constant = matches!(opcode, op::CONSTANT | op::CONSTANT_COMPOSITE);
        let (before, after) = operands.split_at(usize::from(is_constant));
        push(&mut self.added, opcode, &[before, &[id], after].concat());
        self.definitions.insert(definition, id);
        id
    }

    /// Writes the module as far as its functions, with all that is added.
    pub(super) fn write(self, words: &[u32], module: &mut Vec<u32>) {
        module[BOUND] = self.next_id;
        if self.uses_int64 && !self.known.has_int64 {
            push(module, op::CAPABILITY, &[CAPABILITY_INT64]);
        }
        let mut are_decorations_written = false;
        for (opcode, operands) in instructions(words) {
            if opcode == op::FUNCTION {
                break;
            }
            let is_past_annotations = (op::TYPE_VOID..=op::TYPE_FORWARD_POINTER).contains(&opcode);
            if is_past_annotations && !are_decorations_written {
                module.extend_from_slice(&self.decorations);
                are_decorations_written = true;
            }
            if opcode == op::ENTRY_POINT {
                let listed: &[u32] = if self.lists_all { &self.privates } else { &[] };
                push(module, opcode, &[operands, &self.inputs, listed].concat());
            } else {
                push(module, opcode, operands);
            }
        }
        module.extend(self.added);
    }
}
