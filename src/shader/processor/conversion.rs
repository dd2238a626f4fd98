//! Conversions of floats to integers as sums of floats.

use super::known::Kind;
use super::{Pass, op, push};

/// Instructions of GLSL.std.450.
pub(super) const TRUNC: u32 = 3;
pub(super) const FLOOR: u32 = 8;
pub(super) const NMIN: u32 = 79;
pub(super) const NMAX: u32 = 80;

impl Pass<'_> {
    fn emit(&mut self, opcode: u16, of: u32, operands: &[u32]) -> u32 {
        let id = self.new_id();
        push(&mut self.out, opcode, &[&[of, id], operands].concat());
        id
    }

    /// A constant of a type with a number of components.
    fn constant(&mut self, scalar: u32, vector: u32, components: u32, bits: u32) -> u32 {
        let one = self.defined(op::CONSTANT, &[scalar, bits], 1);
        match components {
            0 => one,
            n => self.defined(
                op::CONSTANT_COMPOSITE,
                &[&[vector], &vec![one; n as usize][..]].concat(),
                1,
            ),
        }
    }

    /// The set of instructions, which the module may have to import.
    fn instruction_set(&mut self) -> u32 {
        if let Some(set) = self.known.instruction_set.or(self.instruction_set) {
            return set;
        }
        let set = self.new_id();
        self.instruction_set = Some(set);
        set
    }

    /// The type of unsigned integers, or of vectors of them.
    fn unsigned(&mut self, uint: u32, components: u32) -> u32 {
        let wanted = Kind::Int {
            components,
            signed: false,
        };
        let known = self.known.kinds.iter().find(|(_, kind)| **kind == wanted);
        match known {
            Some((known, _)) => *known,
            None => self.defined(op::TYPE_VECTOR, &[uint, components], 0),
        }
    }

    /// A conversion to 32-bit integers: the upper and the lower 16 bits as floats, whose last bits become those of integers
    /// by adding 1.5 * 2^23.
    pub(super) fn convert(&mut self, of: u32, id: u32, original: u32) -> bool {
        let from = self.types.get(&original).copied();
        let (Some(from), Some(float), Some(uint)) = (from, self.known.float, self.known.uint) else {
            return false;
        };
        let (Some(Kind::Int { components, signed }), Some(Kind::Float(_))) =
            (self.known.kinds.get(&of).copied(), self.known.kinds.get(&from))
        else {
            return false;
        };
        let set = self.instruction_set();
        let bits = self.unsigned(uint, components);
        let number = |pass: &mut Self, value: f32| pass.constant(float, from, components, value.to_bits());
        let zero = number(self, 0.0);
        let largest = number(self, if signed { 2147483520.0 } else { 4294967040.0 });
        let (down, up) = (number(self, 1.0 / 65536.0), number(self, 65536.0));
        let shift = number(self, 12582912.0);
        let sixteen = self.constant(uint, bits, components, 16);
        let bias = self.constant(uint, bits, components, 0x4b40_0000);
        // As before, numbers beyond the integers become the nearest one that is a float, and NaN becomes 0.
        let positive = self.emit(op::EXT_INST, from, &[set, NMAX, original, zero]);
        let mut value = self.emit(op::EXT_INST, from, &[set, NMIN, positive, largest]);
        if signed {
            let least = number(self, -2147483648.0);
            let negative = self.emit(op::EXT_INST, from, &[set, NMIN, original, zero]);
            let negative = self.emit(op::EXT_INST, from, &[set, NMAX, negative, least]);
            value = self.emit(op::FLOAT_ADD, from, &[value, negative]);
        }
        let whole = self.emit(op::EXT_INST, from, &[set, TRUNC, value]);
        let scaled = self.emit(op::FLOAT_MULTIPLY, from, &[whole, down]);
        let upper = self.emit(op::EXT_INST, from, &[set, FLOOR, scaled]);
        let above = self.emit(op::FLOAT_MULTIPLY, from, &[upper, up]);
        let lower = self.emit(op::FLOAT_SUBTRACT, from, &[whole, above]);
        let upper = self.emit(op::FLOAT_ADD, from, &[upper, shift]);
        let lower = self.emit(op::FLOAT_ADD, from, &[lower, shift]);
        let upper = self.emit(op::BITCAST, bits, &[upper]);
        let lower = self.emit(op::BITCAST, bits, &[lower]);
        let upper = self.emit(op::SHIFT_LEFT, bits, &[upper, sixteen]);
        let lower = self.emit(op::INT_SUBTRACT, bits, &[lower, bias]);
        let sum = self.emit(op::INT_ADD, bits, &[upper, lower]);
        let opcode = if bits == of { op::COPY_OBJECT } else { op::BITCAST };
        push(&mut self.out, opcode, &[of, id, sum]);
        true
    }
}
