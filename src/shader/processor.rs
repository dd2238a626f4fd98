//! Forms of instructions that drivers on processors compile to fewer machine instructions.
//!
//! llvmpipe (Mesa 25) runs 8 invocations at a time, but
//!
//! - loads memory invocation by invocation, unless the address comes from push constants outside all control flow. So
//!   arguments and numbers of the clock are loaded at the start of the entry point;
//! - converts floats to integers invocation by invocation, because it saturates. So conversions become sums of floats,
//!   which are exact for all numbers that the integer can hold.
//!
//! Accepts any words without panicking. Loads of unknown form stay where they are.

mod conversion;
mod known;

use std::collections::HashMap;

use super::opcodes as op;
use super::spirv::{BOUND, header, instructions, push};
use known::Known;

const VERSION: usize = 1;
/// From here on, the entry point lists all variables of the module.
const SPIRV_1_4: u32 = 0x0001_0400;
const INSTRUCTION_SET: &str = "GLSL.std.450";
const STORAGE_PRIVATE: u32 = 6;

/// A place that the argument block, or a block that it points to, has at the same address in every invocation.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Place(Vec<u32>);

/// The module for a driver that runs kernels on the processor.
pub fn adapt(words: &[u32]) -> Vec<u32> {
    let known = Known::of(words);
    let mut pass = Pass {
        next_id: words.get(BOUND).copied().unwrap_or_default(),
        lists_all: words.get(VERSION).is_some_and(|version| *version >= SPIRV_1_4),
        known: &known,
        instruction_set: None,
        globals: Vec::new(),
        added: HashMap::new(),
        places: HashMap::new(),
        types: HashMap::new(),
        hoisted: HashMap::new(),
        variables: Vec::new(),
        prologue: Vec::new(),
        out: Vec::new(),
    };
    pass.find(words);
    let start = pass.functions(words);
    pass.write(words, start)
}

struct Pass<'a> {
    known: &'a Known,
    next_id: u32,
    lists_all: bool,
    /// The set of instructions, if the pass imports it.
    instruction_set: Option<u32>,
    /// Types, constants and variables that the pass adds.
    globals: Vec<u32>,
    added: HashMap<(u16, Vec<u32>), u32>,
    /// The places of pointers and of pointers loaded from there.
    places: HashMap<u32, Place>,
    /// Types of values in functions.
    types: HashMap<u32, u32>,
    /// Variables with the values of places, by the load that they replace.
    hoisted: HashMap<u32, u32>,
    variables: Vec<u32>,
    /// Loads at the start of the entry point.
    prologue: Vec<u32>,
    out: Vec<u32>,
}

impl Pass<'_> {
    fn new_id(&mut self) -> u32 {
        self.next_id += 1;
        self.next_id - 1
    }

    fn defined(&mut self, opcode: u16, operands: &[u32], result_at: usize) -> u32 {
        if let Some(id) = self.added.get(&(opcode, operands.to_vec())) {
            return *id;
        }
        let id = self.new_id();
        let (before, after) = operands.split_at(result_at);
        push(&mut self.globals, opcode, &[before, &[id], after].concat());
        self.added.insert((opcode, operands.to_vec()), id);
        id
    }

    /// Finds the loads from places that every invocation knows, and loads each place once in the prologue.
    fn find(&mut self, words: &[u32]) {
        // The instructions that lead to a place, with their results, so that the prologue can repeat them.
        let mut chains: HashMap<u32, (u32, u32, Vec<u32>)> = HashMap::new();
        let mut variables: HashMap<(Place, u32), u32> = HashMap::new();
        let mut pointers: HashMap<Place, u32> = HashMap::new();
        for (opcode, operands) in instructions(words) {
            match (opcode, operands) {
                (op::ACCESS_CHAIN | op::IN_BOUNDS_ACCESS_CHAIN, [of, id, base, indices @ ..]) => {
                    let before = match self.places.get(base) {
                        _ if Some(*base) == self.known.push_constant => Place(Vec::new()),
                        Some(place) => place.clone(),
                        None => continue,
                    };
                    let numbers: Option<Vec<u32>> = indices
                        .iter()
                        .map(|index| self.known.constants.get(index).copied())
                        .collect();
                    let Some(numbers) = numbers else { continue };
                    // The distance of levels: a chain ends.
                    let place = Place([&before.0[..], &numbers, &[u32::MAX]].concat());
                    self.places.insert(*id, place);
                    chains.insert(*id, (*of, *base, indices.to_vec()));
                }
                (op::LOAD, [of, id, from, access @ ..]) => {
                    let (Some(place), Some((pointer, base, indices))) =
                        (self.places.get(from).cloned(), chains.get(from).cloned())
                    else {
                        continue;
                    };
                    let is_number = self.known.kinds.contains_key(of);
                    if !is_number && !self.known.is_constant_block(*of) {
                        continue;
                    }
                    let base =
                        match pointers.get(&Place(self.places.get(&base).map_or(vec![], |p| p.0.clone()))) {
                            Some(loaded) => *loaded,
                            None if Some(base) == self.known.push_constant => base,
                            None => continue,
                        };
                    let key = (place.clone(), *of);
                    let known = if is_number {
                        variables.get(&key).copied()
                    } else {
                        pointers.get(&place).copied()
                    };
                    let known = known.unwrap_or_else(|| {
                        let (at, value) = (self.new_id(), self.new_id());
                        push(
                            &mut self.prologue,
                            op::ACCESS_CHAIN,
                            &[&[pointer, at, base], &indices[..]].concat(),
                        );
                        push(
                            &mut self.prologue,
                            op::LOAD,
                            &[&[*of, value, at], access].concat(),
                        );
                        if !is_number {
                            pointers.insert(place.clone(), value);
                            return value;
                        }
                        let variable = self.variable(*of);
                        push(&mut self.prologue, op::STORE, &[variable, value]);
                        variables.insert(key, variable);
                        variable
                    });
                    if is_number {
                        self.hoisted.insert(*id, known);
                    } else {
                        self.places.insert(*id, place);
                    }
                }
                _ => {}
            }
        }
    }

    fn variable(&mut self, of: u32) -> u32 {
        let pointer = match self.known.pointers.get(&(STORAGE_PRIVATE, of)) {
            Some(pointer) => *pointer,
            None => self.defined(op::TYPE_POINTER, &[STORAGE_PRIVATE, of], 0),
        };
        let id = self.new_id();
        push(&mut self.globals, op::VARIABLE, &[pointer, id, STORAGE_PRIVATE]);
        self.variables.push(id);
        id
    }

    /// Rewrites the functions; returns the number of instructions before them.
    fn functions(&mut self, words: &[u32]) -> usize {
        let mut start = usize::MAX;
        let mut waits = false;
        for (number, (opcode, operands)) in instructions(words).enumerate() {
            if opcode == op::FUNCTION {
                start = start.min(number);
                waits = operands.get(1) == Some(&self.known.entry_point);
            }
            if start == usize::MAX {
                continue;
            }
            let declares = matches!(
                opcode,
                op::FUNCTION | op::FUNCTION_PARAMETER | op::LABEL | op::VARIABLE | op::LINE | op::NO_LINE
            );
            if waits && !declares {
                let prologue = std::mem::take(&mut self.prologue);
                self.out.extend(prologue);
                waits = false;
            }
            if let [of, id, ..] = operands
                && self.known.kinds.contains_key(of)
            {
                self.types.insert(*id, *of);
            }
            match (opcode, operands) {
                (op::LOAD, [of, id, ..]) if self.hoisted.contains_key(id) => {
                    push(&mut self.out, op::LOAD, &[*of, *id, self.hoisted[id]]);
                }
                (op::CONVERT_F_TO_U | op::CONVERT_F_TO_S, [of, id, value]) => {
                    if !self.convert(*of, *id, *value) {
                        push(&mut self.out, opcode, operands);
                    }
                }
                _ => push(&mut self.out, opcode, operands),
            }
        }
        start
    }

    fn write(self, words: &[u32], start: usize) -> Vec<u32> {
        let mut module = header(words).to_vec();
        if let Some(bound) = module.get_mut(BOUND) {
            *bound = self.next_id;
        }
        for (opcode, operands) in instructions(words).take(start) {
            match (opcode, self.instruction_set) {
                (op::MEMORY_MODEL, Some(set)) => {
                    let mut name: Vec<u32> = Vec::new();
                    for bytes in format!("{INSTRUCTION_SET}\0\0\0\0").as_bytes().chunks_exact(4) {
                        name.push(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
                    }
                    push(&mut module, op::EXT_INST_IMPORT, &[&[set], &name[..]].concat());
                }
                (op::ENTRY_POINT, _) if self.lists_all => {
                    push(&mut module, opcode, &[operands, &self.variables].concat());
                    continue;
                }
                _ => {}
            }
            push(&mut module, opcode, operands);
        }
        module.extend(self.globals);
        module.extend(self.out);
        module
    }
}

#[cfg(test)]
mod tests;
