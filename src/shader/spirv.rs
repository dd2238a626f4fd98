//! SPIR-V modules as words: reads the properties that the engine needs, and adds decorations.
//!
//! Accepts any bytes without panicking, skips unknown instructions, and does not validate. Existing libraries do not
//! fit: spirq 1.3 takes 1.9 ms per module instead of 0.03 (mean of the 52 modules of snow.json), finds 1,649 of their
//! 1,807 specialization constants, and hangs on some damaged modules; rspirv 0.12 rejects workgroup sizes that are
//! specialization constants, which every kernel here has.

use std::collections::HashMap;

use super::opcodes as op;

const MAGIC: u32 = 0x0723_0203;
/// The word of a module's header that is above all ids.
pub(super) const BOUND: usize = 3;

const DECORATION_SPEC_ID: u32 = 1;
const DECORATION_NO_CONTRACTION: u32 = 42;
const EXECUTION_MODEL_COMPUTE: u32 = 5;
const STORAGE_UNIFORM_CONSTANT: u32 = 0;
const STORAGE_UNIFORM: u32 = 2;
const STORAGE_PUSH_CONSTANT: u32 = 9;
const STORAGE_BUFFER: u32 = 12;

/// The scalar type of a specialization constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConstantType {
    Bool,
    Int,
    Uint,
    Float,
    /// A width other than 32 bits.
    Other,
}

#[derive(Debug, Clone)]
pub struct SpecConstant {
    pub id: u32,
    /// Empty if the module was stripped.
    pub name: String,
    pub kind: ConstantType,
    pub default: u32,
}

/// The properties of a module that the engine uses.
#[derive(Debug, Clone, Default)]
pub struct Reflection {
    /// Names of the compute entry points.
    pub entry_points: Vec<String>,
    pub spec_constants: Vec<SpecConstant>,
    /// The push constant block, if there is one.
    pub push_constant: Option<PushConstant>,
    /// Uses descriptors (buffers, images), which the engine does not bind.
    pub descriptors: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PushConstant {
    pub members: usize,
    pub starts_with_address: bool,
}

/// Turns bytes into words. Checks the length, the magic number, and that instructions fill the module exactly.
pub fn words(bytes: &[u8]) -> Result<Vec<u32>, String> {
    if bytes.len() < 20 || !bytes.len().is_multiple_of(4) {
        return Err(format!("{} bytes are not a SPIR-V module", bytes.len()));
    }
    let words: Vec<u32> = bytes
        .chunks_exact(4)
        .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
        .collect();
    if words[0] != MAGIC {
        return Err("it does not start with the magic number of SPIR-V".into());
    }
    let mut position = 5;
    while position < words.len() {
        let length = (words[position] >> 16) as usize;
        if length == 0 || position + length > words.len() {
            return Err(format!(
                "the instruction at word {position} runs past the end of the module"
            ));
        }
        position += length;
    }
    Ok(words)
}

/// Instructions as (opcode, operands); stops at the first malformed one.
pub(super) fn instructions(words: &[u32]) -> impl Iterator<Item = (u16, &[u32])> {
    let mut position = 5;
    std::iter::from_fn(move || {
        let head = *words.get(position)?;
        let length = (head >> 16) as usize;
        let operands = words.get(position + 1..position + length)?;
        position += length;
        Some((head as u16, operands))
    })
}

/// The words before the first instruction.
pub(super) fn header(words: &[u32]) -> &[u32] {
    &words[..5.min(words.len())]
}

/// Appends an instruction.
pub(super) fn push(words: &mut Vec<u32>, opcode: u16, operands: &[u32]) {
    words.push((operands.len() as u32 + 1) << 16 | u32::from(opcode));
    words.extend_from_slice(operands);
}

pub(super) fn text(words: &[u32]) -> String {
    let bytes: Vec<u8> = words
        .iter()
        .flat_map(|w| w.to_le_bytes())
        .take_while(|b| *b != 0)
        .collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

pub fn reflect(words: &[u32]) -> Reflection {
    let mut reflection = Reflection::default();
    let mut types = Types::default();
    let mut names: HashMap<u32, String> = HashMap::new();
    let mut spec_ids: HashMap<u32, u32> = HashMap::new();
    for (opcode, operands) in instructions(words) {
        types.add(opcode, operands);
        match (opcode, operands) {
            (op::NAME, [id, name @ ..]) => drop(names.insert(*id, text(name))),
            (op::ENTRY_POINT, [EXECUTION_MODEL_COMPUTE, _, name @ ..]) => {
                reflection.entry_points.push(text(name));
            }
            (op::DECORATE, [id, DECORATION_SPEC_ID, value, ..]) => drop(spec_ids.insert(*id, *value)),
            (
                op::SPEC_CONSTANT_TRUE | op::SPEC_CONSTANT_FALSE | op::SPEC_CONSTANT,
                [kind, id, value @ ..],
            ) => {
                let Some(spec_id) = spec_ids.get(id) else { continue };
                let default = match opcode {
                    op::SPEC_CONSTANT_TRUE => 1,
                    op::SPEC_CONSTANT_FALSE => 0,
                    _ => value.first().copied().unwrap_or(0),
                };
                reflection.spec_constants.push(SpecConstant {
                    id: *spec_id,
                    name: names.get(id).cloned().unwrap_or_default(),
                    kind: types.scalars.get(kind).copied().unwrap_or(ConstantType::Other),
                    default,
                });
            }
            (op::VARIABLE, [kind, _, STORAGE_PUSH_CONSTANT, ..]) => {
                reflection.push_constant = Some(types.push_constant(*kind));
            }
            (
                op::VARIABLE,
                [
                    _,
                    _,
                    STORAGE_UNIFORM_CONSTANT | STORAGE_UNIFORM | STORAGE_BUFFER,
                    ..,
                ],
            ) => reflection.descriptors = true,
            _ => {}
        }
    }
    reflection
}

/// The types of a module by id.
#[derive(Default)]
struct Types<'a> {
    scalars: HashMap<u32, ConstantType>,
    /// Types that contain a 64-bit address.
    addresses: Vec<u32>,
    structs: HashMap<u32, &'a [u32]>,
    /// The types that pointers point to.
    pointers: HashMap<u32, u32>,
}

impl<'a> Types<'a> {
    fn add(&mut self, opcode: u16, operands: &'a [u32]) {
        match (opcode, operands) {
            (op::TYPE_BOOL, [id, ..]) => drop(self.scalars.insert(*id, ConstantType::Bool)),
            (op::TYPE_INT, [id, width, signed, ..]) => {
                if *width == 64 {
                    self.addresses.push(*id);
                }
                let kind = match (width, signed) {
                    (32, 0) => ConstantType::Uint,
                    (32, _) => ConstantType::Int,
                    _ => ConstantType::Other,
                };
                self.scalars.insert(*id, kind);
            }
            (op::TYPE_FLOAT, [id, 32, ..]) => drop(self.scalars.insert(*id, ConstantType::Float)),
            (op::TYPE_FLOAT, [id, ..]) => drop(self.scalars.insert(*id, ConstantType::Other)),
            // A pair of 32-bit words may also contain an address.
            (op::TYPE_VECTOR, [id, of, 2, ..]) if self.scalars.get(of) == Some(&ConstantType::Uint) => {
                self.addresses.push(*id)
            }
            (op::TYPE_STRUCT, [id, members @ ..]) => drop(self.structs.insert(*id, members)),
            (op::TYPE_POINTER, [id, _, pointee, ..]) => {
                self.addresses.push(*id);
                self.pointers.insert(*id, *pointee);
            }
            (op::TYPE_FORWARD_POINTER, [id, ..]) => self.addresses.push(*id),
            _ => {}
        }
    }

    /// The push constant that a pointer of this type points to.
    fn push_constant(&self, pointer: u32) -> PushConstant {
        let pointee = self.pointers.get(&pointer).and_then(|id| self.structs.get(id));
        let members = pointee.copied().unwrap_or(&[]);
        PushConstant {
            members: members.len(),
            starts_with_address: members.first().is_some_and(|id| self.addresses.contains(id)),
        }
    }
}

/// Opcodes of float arithmetic whose results can have NoContraction: negate, add, subtract, multiply, divide,
/// remainder, modulo, and the vector and matrix products.
fn is_float_arithmetic(opcode: u16) -> bool {
    matches!(opcode, 127 | 129 | 131 | 133 | 136 | 140 | 141 | 142..=148)
}

/// The module with every float operation decorated NoContraction, so that no driver fuses a multiply and an
/// add: variants of one kernel then agree bit for bit.
pub fn no_contraction(words: &[u32]) -> Vec<u32> {
    let mut results = Vec::new();
    let mut decorated = Vec::new();
    for (opcode, operands) in instructions(words) {
        match (opcode, operands) {
            (op::DECORATE, [id, DECORATION_NO_CONTRACTION, ..]) => decorated.push(*id),
            (opcode, [_, result, ..]) if is_float_arithmetic(opcode) => results.push(*result),
            _ => {}
        }
    }
    decorated.sort_unstable();
    results.retain(|id| decorated.binary_search(id).is_err());
    let mut out = header(words).to_vec();
    let mut added = false;
    for (opcode, operands) in instructions(words) {
        // Decorations end where types, constants and global variables begin.
        let past_annotations = (op::TYPE_VOID..=op::TYPE_FORWARD_POINTER).contains(&opcode)
            || (op::CONSTANT_TRUE..=op::SPEC_CONSTANT_OP).contains(&opcode)
            || matches!(opcode, op::FUNCTION | op::VARIABLE);
        if past_annotations && !added {
            for id in &results {
                push(&mut out, op::DECORATE, &[*id, DECORATION_NO_CONTRACTION]);
            }
            added = true;
        }
        push(&mut out, opcode, operands);
    }
    out
}
