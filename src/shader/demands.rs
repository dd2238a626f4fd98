//! Demands of a module on a device: memory of its workgroups and invocations, a workgroup size, and features. Drivers need
//! not check any of them.
//!
//! Sizes follow the values of specialization constants. Accepts any words without panicking; a length that depends on an
//! unknown operation counts as one.

use std::collections::HashMap;

use super::opcodes as op;
use super::spirv::instructions;

/// The demands of a module with its specialization constants.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Demands {
    pub workgroup: [u64; 3],
    /// Bytes of the variables that a workgroup shares.
    pub shared_bytes: u64,
    /// Bytes of the variables of one invocation.
    pub local_bytes: u64,
    /// Optional features, by their Vulkan names.
    pub features: Vec<&'static str>,
    /// Numbers of capabilities whose features and extensions the program does not enable on any device.
    pub unknown: Vec<u32>,
}

const LOCAL_SIZE: u32 = 17;
const LOCAL_SIZE_ID: u32 = 38;
const SPEC_ID: u32 = 1;
const BUILT_IN: u32 = 11;
const WORKGROUP_SIZE: u32 = 25;
const WORKGROUP: u32 = 4;
const PRIVATE: u32 = 6;
const FUNCTION: u32 = 7;

/// Capabilities that every device of this program has: basic ones, subgroup operations, addresses, 64-bit integers, and
/// modes of float arithmetic.
fn is_basic(capability: u32) -> bool {
    matches!(
        capability,
        0 | 1 | 11 | 40 | 43 | 44 | 46 | 47 | 50 | 51 | 61..=68 | 4423 | 4431 | 4437 | 4464..=4468 | 5347
    )
}

/// The optional feature that a capability requires, by its Vulkan name.
fn feature(capability: u32) -> Option<&'static str> {
    Some(match capability {
        9 => "shaderFloat16",
        10 => "shaderFloat64",
        12 => "shaderBufferInt64Atomics",
        22 => "shaderInt16",
        39 => "shaderInt8",
        4433 => "storageBuffer16BitAccess",
        4441 => "variablePointersStorageBuffer",
        4442 => "variablePointers",
        4448 => "storageBuffer8BitAccess",
        5345 => "vulkanMemoryModel",
        5346 => "vulkanMemoryModelDeviceScope",
        6016..=6019 => "shaderIntegerDotProduct",
        _ => return None,
    })
}

/// Reads the demands of a module; `values` are those of its specialization constants, by their ids.
pub fn demands(words: &[u32], values: &[(u32, u32)]) -> Demands {
    let mut found = Demands {
        workgroup: [1; 3],
        ..Demands::default()
    };
    let mut sizes = Sizes::default();
    let mut spec_ids: HashMap<u32, u32> = HashMap::new();
    let mut workgroup: Option<u32> = None;
    for (opcode, operands) in instructions(words) {
        match (opcode, operands) {
            (op::CAPABILITY, [capability, ..]) if !is_basic(*capability) => match feature(*capability) {
                Some(name) => found.features.push(name),
                None => found.unknown.push(*capability),
            },
            (op::EXECUTION_MODE, [_, LOCAL_SIZE, x, y, z, ..]) => {
                found.workgroup = [x, y, z].map(|n| u64::from(*n));
            }
            (op::DECORATE, [id, SPEC_ID, value, ..]) => drop(spec_ids.insert(*id, *value)),
            (op::DECORATE, [id, BUILT_IN, WORKGROUP_SIZE, ..]) => workgroup = Some(*id),
            (op::SPEC_CONSTANT_TRUE | op::SPEC_CONSTANT_FALSE | op::SPEC_CONSTANT, [_, id, rest @ ..]) => {
                let default = match opcode {
                    op::SPEC_CONSTANT => rest.first().copied().unwrap_or(0),
                    _ => u32::from(opcode == op::SPEC_CONSTANT_TRUE),
                };
                let set = |id: &u32| {
                    values
                        .iter()
                        .find(|(known, _)| known == id)
                        .map(|(_, bits)| *bits)
                };
                let value = spec_ids.get(id).and_then(set).unwrap_or(default);
                sizes.values.insert(*id, u64::from(value));
            }
            (op::VARIABLE, [kind, _, WORKGROUP, ..]) => {
                found.shared_bytes = found.shared_bytes.saturating_add(sizes.pointee(*kind));
            }
            (op::VARIABLE, [kind, _, PRIVATE | FUNCTION, ..]) => {
                found.local_bytes = found.local_bytes.saturating_add(sizes.pointee(*kind));
            }
            _ => sizes.add(opcode, operands),
        }
    }
    // This mode comes before the constants that it names.
    let modes = instructions(words).find_map(|found| match found {
        (op::EXECUTION_MODE_ID, [_, LOCAL_SIZE_ID, x, y, z, ..]) => Some(vec![*x, *y, *z]),
        _ => None,
    });
    let parts = workgroup.and_then(|id| sizes.parts.get(&id).cloned()).or(modes);
    if let Some([x, y, z]) = parts.as_deref() {
        found.workgroup = [x, y, z].map(|id| sizes.value(*id));
    }
    found
}

/// Types and constants of a module by their ids.
#[derive(Default)]
struct Sizes {
    bytes: HashMap<u32, u64>,
    pointees: HashMap<u32, u32>,
    values: HashMap<u32, u64>,
    /// The parts of composite constants.
    parts: HashMap<u32, Vec<u32>>,
}

impl Sizes {
    fn value(&self, id: u32) -> u64 {
        self.values.get(&id).copied().unwrap_or(1)
    }

    fn bytes(&self, id: u32) -> u64 {
        self.bytes.get(&id).copied().unwrap_or(0)
    }

    fn pointee(&self, pointer: u32) -> u64 {
        self.pointees.get(&pointer).map_or(0, |id| self.bytes(*id))
    }

    fn add(&mut self, opcode: u16, operands: &[u32]) {
        match (opcode, operands) {
            (op::TYPE_BOOL, [id, ..]) => drop(self.bytes.insert(*id, 4)),
            (op::TYPE_INT | op::TYPE_FLOAT, [id, width, ..]) => {
                self.bytes.insert(*id, u64::from(*width) / 8);
            }
            (op::TYPE_VECTOR | op::TYPE_MATRIX, [id, of, count, ..]) => {
                let bytes = self.bytes(*of).saturating_mul(u64::from(*count));
                self.bytes.insert(*id, bytes);
            }
            (op::TYPE_ARRAY, [id, of, length, ..]) => {
                let bytes = self.bytes(*of).saturating_mul(self.value(*length));
                self.bytes.insert(*id, bytes);
            }
            (op::TYPE_STRUCT, [id, members @ ..]) => {
                let sizes = members.iter().map(|member| self.bytes(*member));
                let bytes = sizes.fold(0, u64::saturating_add);
                self.bytes.insert(*id, bytes);
            }
            (op::TYPE_POINTER, [id, _, pointee, ..]) => {
                self.bytes.insert(*id, 8);
                self.pointees.insert(*id, *pointee);
            }
            (op::CONSTANT_TRUE | op::CONSTANT_FALSE, [_, id, ..]) => {
                self.values.insert(*id, u64::from(opcode == op::CONSTANT_TRUE));
            }
            (op::CONSTANT, [_, id, low, rest @ ..]) => {
                let high = rest.first().copied().unwrap_or(0);
                self.values.insert(*id, u64::from(high) << 32 | u64::from(*low));
            }
            (op::CONSTANT_COMPOSITE | op::SPEC_CONSTANT_COMPOSITE, [_, id, parts @ ..]) => {
                self.parts.insert(*id, parts.to_vec());
            }
            (op::SPEC_CONSTANT_OP, [_, id, operation, operands @ ..]) => {
                if let Some(value) = self.operation(*operation, operands) {
                    self.values.insert(*id, value);
                }
            }
            _ => {}
        }
    }

    /// The value of an operation on 32-bit constants, if it is one that lengths use.
    fn operation(&self, operation: u32, operands: &[u32]) -> Option<u64> {
        const COMPOSITE_EXTRACT: u32 = 81;
        if let (COMPOSITE_EXTRACT, [composite, index, ..]) = (operation, operands) {
            let part = self.parts.get(composite)?.get(*index as usize)?;
            return self.values.get(part).copied();
        }
        let values: Option<Vec<u32>> = (operands.iter())
            .map(|id| self.values.get(id).map(|value| *value as u32))
            .collect();
        let value = match (operation, &values?[..]) {
            // Conversions.
            (113 | 114 | 124, [a]) => *a,
            (128, [a, b]) => a.wrapping_add(*b),
            (130, [a, b]) => a.wrapping_sub(*b),
            (132, [a, b]) => a.wrapping_mul(*b),
            (134 | 135, [a, b]) => a.checked_div(*b)?,
            (137..=139, [a, b]) => a.checked_rem(*b)?,
            (166 | 197, [a, b]) => a | b,
            (167 | 199, [a, b]) => a & b,
            (168, [a]) => u32::from(*a == 0),
            (169, [a, b, c]) => *if *a != 0 { b } else { c },
            (170, [a, b]) => u32::from(a == b),
            (171, [a, b]) => u32::from(a != b),
            (172 | 173, [a, b]) => u32::from(a > b),
            (174 | 175, [a, b]) => u32::from(a >= b),
            (176 | 177, [a, b]) => u32::from(a < b),
            (178 | 179, [a, b]) => u32::from(a <= b),
            (194 | 195, [a, b]) => a.checked_shr(*b)?,
            (196, [a, b]) => a.checked_shl(*b)?,
            (198, [a, b]) => a ^ b,
            _ => return None,
        };
        Some(u64::from(value))
    }
}
