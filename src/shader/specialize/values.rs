//! Values of the constants of a module.

use std::collections::HashMap;

use super::instruction::Instruction;
use super::op;

const SPEC_ID: u32 = 1;
const COMPOSITE_EXTRACT: u32 = op::COMPOSITE_EXTRACT as u32;

/// An integer type, or `bool` with one bit.
#[derive(Debug, Clone, Copy)]
struct Scalar {
    bits: u32,
}

impl Scalar {
    fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits.clamp(1, 64))
    }

    /// The value with its sign.
    fn signed(self, value: u64) -> i64 {
        let unused = 64 - self.bits.clamp(1, 64);
        ((value << unused) as i64) >> unused
    }
}

/// The known values of a module.
#[derive(Default)]
pub(super) struct Values {
    /// The values that replace those of specialization constants, by the numbers of these.
    wanted: HashMap<u32, u32>,
    /// The numbers of specialization constants.
    numbers: HashMap<u32, u32>,
    /// Integer types and `bool`.
    scalars: HashMap<u32, Scalar>,
    /// Widths of float types.
    floats: HashMap<u32, u32>,
    /// The types of known values.
    kinds: HashMap<u32, Scalar>,
    values: HashMap<u32, u64>,
    /// The parts of composite constants.
    parts: HashMap<u32, Vec<u32>>,
    /// Specialization constants that remain, because their operation is unknown.
    remaining: Vec<u32>,
}

impl Values {
    pub(super) fn of(wanted: &[(u32, u32)]) -> Values {
        Values {
            wanted: wanted.iter().copied().collect(),
            ..Values::default()
        }
    }

    /// The value of an integer or a `bool`.
    pub(super) fn get(&self, id: u32) -> Option<u64> {
        self.values.get(&id).copied()
    }

    /// Sets the value of `id` to that of another id.
    pub(super) fn copy(&mut self, id: u32, from: u32) {
        if let (Some(kind), Some(value)) = (self.kinds.get(&from).copied(), self.get(from)) {
            self.kinds.insert(id, kind);
            self.values.insert(id, value);
        }
    }

    /// An instruction before the functions, without specialization. `None` if nothing remains of it.
    pub(super) fn replace(&mut self, opcode: u16, operands: &[u32]) -> Option<Instruction> {
        match (opcode, operands) {
            (op::DECORATE, [id, SPEC_ID, number, ..]) => {
                self.numbers.insert(*id, *number);
                return None;
            }
            (op::TYPE_BOOL, [id, ..]) => drop(self.scalars.insert(*id, Scalar { bits: 1 })),
            (op::TYPE_INT, [id, bits, ..]) => drop(self.scalars.insert(*id, Scalar { bits: *bits })),
            (op::TYPE_FLOAT, [id, bits, ..]) => drop(self.floats.insert(*id, *bits)),
            (op::CONSTANT_TRUE | op::CONSTANT_FALSE | op::CONSTANT_NULL, [kind, id, ..]) => {
                self.set(*kind, *id, u64::from(opcode == op::CONSTANT_TRUE));
            }
            (op::CONSTANT, [kind, id, value @ ..]) => self.set(*kind, *id, literal(value)),
            (op::SPEC_CONSTANT_TRUE | op::SPEC_CONSTANT_FALSE, [kind, id, ..]) => {
                let default = u32::from(opcode == op::SPEC_CONSTANT_TRUE);
                let value = self.wanted(*id).unwrap_or(default);
                return Some(self.constant(*kind, *id, u64::from(value != 0)));
            }
            (op::SPEC_CONSTANT, [kind, id, default @ ..]) => {
                let is_word = self.scalars.get(kind).is_some_and(|scalar| scalar.bits == 32)
                    || self.floats.get(kind) == Some(&32);
                let wanted = self.wanted(*id).filter(|_| is_word).map(|word| vec![word]);
                let value = wanted.unwrap_or_else(|| default.to_vec());
                self.set(*kind, *id, literal(&value));
                return Some((op::CONSTANT, [&[*kind, *id], &value[..]].concat()));
            }
            (op::CONSTANT_COMPOSITE | op::SPEC_CONSTANT_COMPOSITE, [_, id, parts @ ..]) => {
                self.parts.insert(*id, parts.to_vec());
                if !parts.iter().any(|part| self.remaining.contains(part)) {
                    return Some((op::CONSTANT_COMPOSITE, operands.to_vec()));
                }
                self.remaining.push(*id);
            }
            (op::SPEC_CONSTANT_OP, [kind, id, operation, of @ ..]) => {
                if let (COMPOSITE_EXTRACT, [composite, index]) = (*operation, of) {
                    let part = self.parts.get(composite).and_then(|p| p.get(*index as usize));
                    if let Some(value) = part.and_then(|part| self.get(*part)) {
                        return Some(self.constant(*kind, *id, value));
                    }
                } else if let Some(value) = self.operation(*kind, *operation as u16, of) {
                    return Some(self.constant(*kind, *id, value));
                }
                self.remaining.push(*id);
            }
            _ => {}
        }
        Some((opcode, operands.to_vec()))
    }

    fn wanted(&self, id: u32) -> Option<u32> {
        self.wanted.get(self.numbers.get(&id)?).copied()
    }

    fn set(&mut self, kind: u32, id: u32, value: u64) {
        if let Some(scalar) = self.scalars.get(&kind) {
            self.kinds.insert(id, *scalar);
            self.values.insert(id, value & scalar.mask());
        }
    }

    /// The instruction that defines a constant.
    fn constant(&mut self, kind: u32, id: u32, value: u64) -> Instruction {
        self.set(kind, id, value);
        match self.scalars.get(&kind).map_or(32, |scalar| scalar.bits) {
            1 if value & 1 == 1 => (op::CONSTANT_TRUE, vec![kind, id]),
            1 => (op::CONSTANT_FALSE, vec![kind, id]),
            64 => (op::CONSTANT, vec![kind, id, value as u32, (value >> 32) as u32]),
            _ => (op::CONSTANT, vec![kind, id, value as u32]),
        }
    }

    /// Notes the result of an instruction of a function, if it is known.
    pub(super) fn compute(&mut self, opcode: u16, operands: &[u32]) {
        if let [kind, id, of @ ..] = operands
            && let Some(value) = self.operation(*kind, opcode, of)
        {
            self.set(*kind, *id, value);
        }
    }

    /// The result of an operation on integers of 32 and 64 bits, and on `bool`.
    fn operation(&self, kind: u32, opcode: u16, operands: &[u32]) -> Option<u64> {
        let result = self.scalars.get(&kind)?;
        let known = |id: &u32| self.get(*id);
        match (opcode, operands) {
            (op::LOGICAL_OR, [a, b]) if known(a) == Some(1) || known(b) == Some(1) => return Some(1),
            (op::LOGICAL_AND, [a, b]) if known(a) == Some(0) || known(b) == Some(0) => return Some(0),
            // Select.
            (169, [condition, a, b]) => return known(if known(condition)? == 1 { a } else { b }),
            _ => {}
        }
        let of = *self.kinds.get(operands.first()?)?;
        if !matches!(of.bits, 1 | 32 | 64) || !matches!(result.bits, 1 | 32 | 64) {
            return None;
        }
        let values: Vec<u64> = operands.iter().map(known).collect::<Option<_>>()?;
        let value = match *values {
            [a] => unary(opcode, a, of)?,
            [a, b] => binary(opcode, a, b, of)?,
            _ => return None,
        };
        Some(value & result.mask())
    }
}

/// The words of a literal, the low one first.
fn literal(words: &[u32]) -> u64 {
    let word = |place| u64::from(words.get(place).copied().unwrap_or(0));
    word(1) << 32 | word(0)
}

fn unary(opcode: u16, a: u64, of: Scalar) -> Option<u64> {
    Some(match opcode {
        op::UINT_CONVERT | op::BITCAST | op::COPY_OBJECT => a,
        // SConvert, SNegate, LogicalNot, Not.
        114 => of.signed(a) as u64,
        126 => a.wrapping_neg(),
        168 => u64::from(a == 0),
        200 => !a,
        _ => return None,
    })
}

/// `a` and `b` have the type `of`, but for the number of bits of a shift.
fn binary(opcode: u16, a: u64, b: u64, of: Scalar) -> Option<u64> {
    let (p, q) = (of.signed(a), of.signed(b));
    let shift = u32::try_from(b).ok().filter(|shift| *shift < of.bits);
    Some(match opcode {
        op::INT_ADD => a.wrapping_add(b),
        op::INT_SUBTRACT => a.wrapping_sub(b),
        op::INT_MULTIPLY => a.wrapping_mul(b),
        op::UINT_DIVIDE => a.checked_div(b)?,
        // SDiv, UMod, SRem, SMod.
        135 => p.checked_div(q)? as u64,
        137 => a.checked_rem(b)?,
        138 => p.checked_rem(q)? as u64,
        139 => {
            let rest = p.checked_rem(q)?;
            (if rest != 0 && (rest < 0) != (q < 0) {
                rest + q
            } else {
                rest
            }) as u64
        }
        // Equal and unequal, of bool and integers.
        164 | 170 => u64::from(a == b),
        165 | 171 => u64::from(a != b),
        op::LOGICAL_OR | 197 => a | b,
        op::LOGICAL_AND | 199 => a & b,
        198 => a ^ b,
        172 => u64::from(a > b),
        173 => u64::from(p > q),
        174 => u64::from(a >= b),
        175 => u64::from(p >= q),
        176 => u64::from(a < b),
        177 => u64::from(p < q),
        178 => u64::from(a <= b),
        179 => u64::from(p <= q),
        // Shifts: right with zeros, right with the sign, left.
        194 => a >> shift?,
        195 => (p >> shift?) as u64,
        196 => a << shift?,
        _ => return None,
    })
}
