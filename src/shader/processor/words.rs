//! Loads and stores of bytes, halves and vectors as words of 32 and 64 bits: llvmpipe accesses each component by itself,
//! and bytes and halves lane by lane even on processors that gather words.

use std::collections::HashMap;

use super::body::Body;
use crate::shader::opcodes as op;
use crate::shader::spirv::instructions;

/// The only memory operand is the alignment. Accesses through addresses have it.
const ALIGNED: u32 = 2;
const WORD_BYTES: u32 = 4;
const PAIR_BYTES: u32 = 8;

/// Three components rarely have aligned pairs. This processor accesses 64 bits at any address.
pub(super) const HAS_LOOSE_PAIRS: bool = cfg!(target_arch = "x86_64");

/// True if pairs replace accesses to a vector with so many components, aligned to so many bytes.
fn has_pairs(count: u32, bytes: u32) -> bool {
    bytes >= PAIR_BYTES || (HAS_LOOSE_PAIRS && count == 3 && bytes >= WORD_BYTES)
}

/// The types that words replace.
#[derive(Default)]
pub(super) struct Types {
    /// Integers of 8 and 16 bits, with the opcode that makes them of a word.
    small: HashMap<u32, u16>,
    /// Vectors of two to four components of 32 bits, with the type of these and their number.
    vectors: HashMap<u32, (u32, u32)>,
    /// The types of values that are such vectors.
    values: HashMap<u32, u32>,
}

impl Types {
    pub(super) fn of(words: &[u32]) -> Types {
        let mut types = Types::default();
        let mut scalars = Vec::new();
        for (opcode, operands) in instructions(words) {
            match (opcode, operands) {
                (op::TYPE_FLOAT, [id, 32, ..]) | (op::TYPE_INT, [id, 32, ..]) => scalars.push(*id),
                (op::TYPE_INT, [id, 8 | 16, 0]) => drop(types.small.insert(*id, op::UINT_CONVERT)),
                (op::TYPE_INT, [id, 8 | 16, 1]) => drop(types.small.insert(*id, op::INT_CONVERT)),
                (op::TYPE_VECTOR, [id, of, count @ 2..=4]) if scalars.contains(of) => {
                    types.vectors.insert(*id, (*of, *count));
                }
                // Instructions without a result do not start with a type.
                (op::EXT_INST | op::CONSTANT_TRUE.., [of, id, ..]) if types.vectors.contains_key(of) => {
                    types.values.insert(*id, *of);
                }
                _ => {}
            }
        }
        types
    }

    /// Loads a value by words; does nothing if it is not of such a type, or less aligned.
    pub(super) fn load(&self, body: &mut Body, of: u32, id: u32, from: u32, memory: &[u32]) -> bool {
        let [ALIGNED, bytes] = *memory else {
            return false;
        };
        if let Some(opcode) = self.small.get(&of).copied() {
            load_small(body, of, id, from, opcode);
            return true;
        }
        let vector = self.vectors.get(&of).copied();
        let Some((scalar, count)) = vector.filter(|(_, count)| has_pairs(*count, bytes)) else {
            return false;
        };
        let long = body.globals.long();
        let first = body.result(op::POINTER_TO_UINT, long, &[from]);
        if count == 2 {
            let pair = load_at(body, long, first, bytes);
            body.emit(op::BITCAST, &[of, id, pair]);
            return true;
        }
        let pair_type = body.globals.defined(op::TYPE_VECTOR, &[scalar, 2]);
        let second = behind(body, first);
        if count == 3 {
            let pair = load_at(body, long, first, bytes);
            let pair = body.result(op::BITCAST, pair_type, &[pair]);
            let third = load_at(body, scalar, second, WORD_BYTES);
            body.emit(op::COMPOSITE_CONSTRUCT, &[of, id, pair, third]);
            return true;
        }
        let [low, high] = [first, second].map(|address| {
            let pair = load_at(body, long, address, PAIR_BYTES);
            body.result(op::BITCAST, pair_type, &[pair])
        });
        body.emit(op::VECTOR_SHUFFLE, &[of, id, low, high, 0, 1, 2, 3]);
        true
    }

    /// Stores a vector by words of 64 bits; does nothing for other types, or less aligned ones.
    pub(super) fn store(&self, body: &mut Body, to: u32, value: u32, memory: &[u32]) -> bool {
        let [ALIGNED, bytes] = *memory else {
            return false;
        };
        let of = self.values.get(&value);
        let vector = of.and_then(|of| self.vectors.get(of)).copied();
        let Some((scalar, count)) = vector.filter(|(_, count)| has_pairs(*count, bytes)) else {
            return false;
        };
        let long = body.globals.long();
        let first = body.result(op::POINTER_TO_UINT, long, &[to]);
        if count == 2 {
            store_at(body, first, value, bytes);
            return true;
        }
        let pair_type = body.globals.defined(op::TYPE_VECTOR, &[scalar, 2]);
        let low = body.result(op::VECTOR_SHUFFLE, pair_type, &[value, value, 0, 1]);
        store_at(body, first, low, bytes);
        let second = behind(body, first);
        if count == 3 {
            let third = body.result(op::COMPOSITE_EXTRACT, scalar, &[value, 2]);
            let pointer = body.globals.memory_pointer(scalar);
            let pointer = body.result(op::UINT_TO_POINTER, pointer, &[second]);
            body.emit(op::STORE, &[pointer, third, ALIGNED, WORD_BYTES]);
            return true;
        }
        let high = body.result(op::VECTOR_SHUFFLE, pair_type, &[value, value, 2, 3]);
        store_at(body, second, high, bytes);
        true
    }
}

/// Loads the word that contains a byte or a half. Memory consists of whole words.
fn load_small(body: &mut Body, of: u32, id: u32, from: u32, opcode: u16) {
    let (uint, long) = (body.globals.uint(), body.globals.long());
    let address = body.result(op::POINTER_TO_UINT, long, &[from]);
    let mask = body.globals.long_constant(!u64::from(WORD_BYTES - 1));
    let start = body.result(op::BITWISE_AND, long, &[address, mask]);
    let word = load_at(body, uint, start, WORD_BYTES);
    let low = body.result(op::UINT_CONVERT, uint, &[address]);
    let [mask, three] = [WORD_BYTES - 1, 3].map(|value| body.globals.uint_constant(value));
    let byte = body.result(op::BITWISE_AND, uint, &[low, mask]);
    let bits = body.result(op::SHIFT_LEFT, uint, &[byte, three]);
    let value = body.result(op::SHIFT_RIGHT, uint, &[word, bits]);
    body.emit(opcode, &[of, id, value]);
}

/// The address of the next pair.
fn behind(body: &mut Body, address: u32) -> u32 {
    let (long, bytes) = (body.globals.long(), body.globals.long_constant(PAIR_BYTES.into()));
    body.result(op::INT_ADD, long, &[address, bytes])
}

fn load_at(body: &mut Body, of: u32, address: u32, bytes: u32) -> u32 {
    let pointer = body.globals.memory_pointer(of);
    let pointer = body.result(op::UINT_TO_POINTER, pointer, &[address]);
    body.result(op::LOAD, of, &[pointer, ALIGNED, bytes])
}

fn store_at(body: &mut Body, address: u32, pair: u32, bytes: u32) {
    let long = body.globals.long();
    let pointer = body.globals.memory_pointer(long);
    let pointer = body.result(op::UINT_TO_POINTER, pointer, &[address]);
    let pair = body.result(op::BITCAST, long, &[pair]);
    body.emit(op::STORE, &[pointer, pair, ALIGNED, bytes]);
}
