//! Loads of arguments and of the clock.

use std::collections::{HashMap, HashSet};

use crate::shader::globals::{Globals, Known};
use crate::shader::opcodes as op;
use crate::shader::spirv::{instructions, text};

/// The name of the clock's block in the generated interface.
const CLOCK: &str = "sg_clock_block";
/// Memory that addresses point to.
const STORAGE_MEMORY: u32 = 5349;
/// A memory operand: other invocations may change the value.
const VOLATILE: u32 = 1;
const ALIASED_POINTER: u32 = 5356;

/// Memory that does not change during a dispatch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Block {
    Arguments,
    Clock,
}

/// A place in a block that the module loads.
#[derive(Debug)]
pub(super) struct Place {
    pub block: Block,
    /// Constants.
    pub indices: Vec<u32>,
    /// The type of a pointer to it.
    pub pointer: u32,
    /// Its type.
    pub of: u32,
    /// The memory operands of the first load.
    pub memory: Vec<u32>,
    /// A private variable for its value.
    pub variable: u32,
    /// Its value is the address of the clock.
    pub is_clock: bool,
}

/// The type of a pointer, and the place that it points to.
#[derive(Debug, Clone)]
struct Chain {
    pointer: u32,
    block: Block,
    indices: Vec<u32>,
}

/// The types that variables may have, and those of pointers to the clock.
#[derive(Default)]
struct Types {
    plain: HashSet<u32>,
    pointers: HashSet<u32>,
    clocks: HashSet<u32>,
}

impl Types {
    fn of(words: &[u32]) -> Types {
        let mut types = Types::default();
        let mut clock_blocks = HashSet::new();
        for (opcode, operands) in instructions(words) {
            match (opcode, operands) {
                (op::FUNCTION, _) => break,
                (op::NAME, [id, name @ ..]) if text(name) == CLOCK => drop(clock_blocks.insert(*id)),
                (op::TYPE_INT, [id, 32 | 64, ..]) | (op::TYPE_FLOAT, [id, 32, ..]) => {
                    types.plain.insert(*id);
                }
                (op::TYPE_VECTOR, [id, of, ..]) if types.plain.contains(of) => drop(types.plain.insert(*id)),
                (op::TYPE_POINTER, [id, STORAGE_MEMORY, to]) => {
                    types.pointers.insert(*id);
                    if clock_blocks.contains(to) {
                        types.clocks.insert(*id);
                    }
                }
                _ => {}
            }
        }
        types
    }
}

/// The places that a module loads, with the ids of pointers to them.
#[derive(Default)]
pub(super) struct Arguments {
    places: Vec<Place>,
    /// Pointers to members of the blocks.
    chains: HashMap<u32, Chain>,
}

impl Arguments {
    pub(super) fn of(words: &[u32], known: &Known, globals: &mut Globals) -> Arguments {
        let types = Types::of(words);
        let mut arguments = Arguments::default();
        // Pointers to the push constant's member, and loaded addresses of blocks.
        let mut members = HashSet::new();
        let mut blocks: HashMap<u32, Block> = HashMap::new();
        let mut is_clock_changed = false;
        for (opcode, operands) in instructions(words) {
            match (opcode, operands) {
                (op::ACCESS_CHAIN | op::IN_BOUNDS_ACCESS_CHAIN, [pointer, id, base, indices @ ..]) => {
                    if Some(*base) == known.push_constant {
                        members.insert(*id);
                    } else if let Some(block) = blocks.get(base)
                        && indices.iter().all(|index| known.constants.contains_key(index))
                    {
                        let chain = Chain {
                            pointer: *pointer,
                            block: *block,
                            indices: indices.to_vec(),
                        };
                        arguments.chains.insert(*id, chain);
                    }
                }
                (op::LOAD, [_, id, from, ..]) if members.contains(from) => {
                    blocks.insert(*id, Block::Arguments);
                }
                (op::LOAD, [of, id, from, memory @ ..]) => {
                    let is_clock = types.clocks.contains(of);
                    if arguments.note(*of, *from, memory, &types, globals) && is_clock {
                        blocks.insert(*id, Block::Clock);
                    }
                }
                // A stage that sets the length of an iteration writes to this address.
                (op::POINTER_TO_UINT | op::BITCAST, [_, _, from]) => {
                    is_clock_changed |= blocks.get(from) == Some(&Block::Clock);
                }
                _ => {}
            }
        }
        if is_clock_changed {
            arguments.places.retain(|place| place.block != Block::Clock);
        }
        // The address of the clock comes before its members.
        arguments.places.sort_by_key(|place| place.block == Block::Clock);
        arguments
    }

    /// Adds the place that a load reads; false if there is none.
    fn note(&mut self, of: u32, from: u32, memory: &[u32], types: &Types, globals: &mut Globals) -> bool {
        let Some(chain) = self.chains.get(&from) else {
            return false;
        };
        let is_plain = types.plain.contains(&of) || types.pointers.contains(&of);
        let is_volatile = memory.first().is_some_and(|operand| operand & VOLATILE != 0);
        if !is_plain || is_volatile {
            return false;
        }
        if self.variable(of, from).is_none() {
            let variable = globals.private(of);
            if types.pointers.contains(&of) {
                globals.decorate(variable, ALIASED_POINTER);
            }
            self.places.push(Place {
                block: chain.block,
                indices: chain.indices.clone(),
                pointer: chain.pointer,
                of,
                memory: memory.to_vec(),
                variable,
                is_clock: chain.block == Block::Arguments && types.clocks.contains(&of),
            });
        }
        true
    }

    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// In the order in which they can be loaded.
    pub(super) fn places(&self) -> &[Place] {
        &self.places
    }

    /// The variable with the value at a pointer.
    pub(super) fn variable(&self, of: u32, pointer: u32) -> Option<u32> {
        let chain = self.chains.get(&pointer)?;
        let mut places = self.places.iter();
        let place = places
            .find(|place| place.of == of && place.block == chain.block && place.indices == chain.indices)?;
        Some(place.variable)
    }
}
