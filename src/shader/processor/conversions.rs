//! Conversions of floats to integers, by sums of floats.

use std::collections::{HashMap, HashSet};

use super::body::Body;
use crate::shader::opcodes as op;
use crate::shader::spirv::{instructions, text};

const INSTRUCTION_SET: &str = "GLSL.std.450";
const TRUNC: u32 = 3;
const MAX: u32 = 40;
const NO_CONTRACTION: u32 = 42;

/// 1.5 * 2^23: the bits of this number plus an integer of up to 22 bits are those of this number, plus the integer.
const SHIFTER: f32 = 12_582_912.0;
const HALF_BITS: u32 = 16;
const HALF: f32 = 65_536.0;

/// The parts of a module that conversions refer to.
#[derive(Default)]
pub(super) struct Conversions {
    instruction_set: Option<u32>,
    /// The 32-bit types of floats and of their vectors, with the number of components.
    floats: HashMap<u32, u32>,
    /// Types of 32-bit integers and of their vectors.
    integers: HashSet<u32>,
    /// The types of values with such types.
    values: HashMap<u32, u32>,
}

impl Conversions {
    pub(super) fn of(words: &[u32]) -> Conversions {
        let mut known = Conversions::default();
        for (opcode, operands) in instructions(words) {
            match (opcode, operands) {
                (op::EXT_INST_IMPORT, [id, name @ ..]) if text(name) == INSTRUCTION_SET => {
                    known.instruction_set = Some(*id);
                }
                (op::TYPE_FLOAT, [id, 32, ..]) => drop(known.floats.insert(*id, 1)),
                (op::TYPE_INT, [id, 32, ..]) => drop(known.integers.insert(*id)),
                (op::TYPE_VECTOR, [id, of, components @ 2..=4]) => {
                    if known.floats.contains_key(of) {
                        known.floats.insert(*id, *components);
                    } else if known.integers.contains(of) {
                        known.integers.insert(*id);
                    }
                }
                // Instructions without a result do not start with a type.
                (op::EXT_INST | op::CONSTANT_TRUE.., [of, id, ..]) if known.floats.contains_key(of) => {
                    known.values.insert(*id, *of);
                }
                _ => {}
            }
        }
        known
    }
}

/// The numbers that a type of integers holds.
struct Range {
    lowest: f32,
    /// The first float above all of them.
    end: f32,
    highest: u32,
}

impl Range {
    fn of(opcode: u16) -> Range {
        match opcode {
            op::FLOAT_TO_INT => Range {
                lowest: -2_147_483_648.0,
                end: 2_147_483_648.0,
                highest: i32::MAX as u32,
            },
            _ => Range {
                lowest: 0.0,
                end: 4_294_967_296.0,
                highest: u32::MAX,
            },
        }
    }
}

impl Conversions {
    /// Converts a float toward zero, or does nothing if the types are unknown. As llvmpipe does, it takes the nearest number
    /// of the range, and zero for NaN. The high and the low half are converted one by one; all sums are exact.
    pub(super) fn convert(&self, body: &mut Body, opcode: u16, of: u32, id: u32, value: u32) -> bool {
        let (Some(set), Some(float)) = (self.instruction_set, self.values.get(&value).copied()) else {
            return false;
        };
        if !self.integers.contains(&of) {
            return false;
        }
        let count = self.floats[&float];
        let range = Range::of(opcode);
        let lowest = self.float(body, float, range.lowest);
        let bounded = body.result(op::EXT_INST, float, &[set, MAX, value, lowest]);
        let whole = body.result(op::EXT_INST, float, &[set, TRUNC, bounded]);
        let [shrink, grow, shifter] =
            [1.0 / HALF, HALF, SHIFTER].map(|number| self.float(body, float, number));
        let shrunk = exact(body, op::FLOAT_MULTIPLY, float, [whole, shrink]);
        let high = body.result(op::EXT_INST, float, &[set, TRUNC, shrunk]);
        let grown = exact(body, op::FLOAT_MULTIPLY, float, [high, grow]);
        let low = exact(body, op::FLOAT_SUBTRACT, float, [whole, grown]);
        let [high, low] = [high, low].map(|half| {
            let shifted = exact(body, op::FLOAT_ADD, float, [half, shifter]);
            body.result(op::BITCAST, of, &[shifted])
        });
        let bits = integer(body, of, count, HALF_BITS);
        // The bits of the shifter leave the high half.
        let high = body.result(op::SHIFT_LEFT, of, &[high, bits]);
        let back = integer(body, of, count, SHIFTER.to_bits().wrapping_neg());
        let low = body.result(op::INT_ADD, of, &[low, back]);
        let sum = body.result(op::INT_ADD, of, &[high, low]);

        let scalar = body.globals.defined(op::TYPE_BOOL, &[]);
        let condition = vector(body, scalar, count);
        let end = self.float(body, float, range.end);
        let [highest, zero] = [range.highest, 0].map(|number| integer(body, of, count, number));
        let is_above = body.result(op::ORDERED_GREATER_EQUAL, condition, &[value, end]);
        let sum = body.result(op::SELECT, of, &[is_above, highest, sum]);
        let is_nan = body.result(op::IS_NAN, condition, &[value]);
        body.emit(op::SELECT, &[of, id, is_nan, zero, sum]);
        true
    }

    fn float(&self, body: &mut Body, of: u32, number: f32) -> u32 {
        let count = self.floats[&of];
        let scalar = body.globals.defined(op::TYPE_FLOAT, &[32]);
        constant(body, of, count, scalar, number.to_bits())
    }
}

/// An operation on floats that drivers may not replace by another one.
fn exact(body: &mut Body, opcode: u16, of: u32, operands: [u32; 2]) -> u32 {
    let id = body.result(opcode, of, &operands);
    body.globals.decorate(id, NO_CONTRACTION);
    id
}

/// A type with several components, or the type of one.
fn vector(body: &mut Body, scalar: u32, count: u32) -> u32 {
    match count {
        1 => scalar,
        _ => body.globals.defined(op::TYPE_VECTOR, &[scalar, count]),
    }
}

/// A constant with equal components.
fn constant(body: &mut Body, of: u32, count: u32, scalar: u32, bits: u32) -> u32 {
    let one = body.globals.defined(op::CONSTANT, &[scalar, bits]);
    match count {
        1 => one,
        _ => {
            let parts = vec![one; count as usize];
            body.globals
                .defined(op::CONSTANT_COMPOSITE, &[&[of], &parts[..]].concat())
        }
    }
}

fn integer(body: &mut Body, of: u32, count: u32, bits: u32) -> u32 {
    let scalar = if count == 1 {
        of
    } else {
        body.globals.component(of)
    };
    constant(body, of, count, scalar, bits)
}
