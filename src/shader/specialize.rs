//! Replaces the specialization constants of a module by their values, and removes the branches that are then never taken.
//!
//! Kernels contain checks, paging and other variants behind such constants. Drivers and the validation layer would process
//! all of them for each pipeline.
//!
//! Accepts any words without panicking. Control flow of unknown form stays as it is.

mod blocks;
mod instruction;
mod values;

use std::collections::HashSet;

use super::opcodes as op;
use super::spirv::{header, instructions, push};
use instruction::{Instruction, result};
use values::Values;

/// The module with these values of its specialization constants, by their ids. Others keep their defaults.
pub fn specialize(words: &[u32], values: &[(u32, u32)]) -> Vec<u32> {
    let all: Vec<(u16, &[u32])> = instructions(words).collect();
    let first = all.iter().position(|(opcode, _)| *opcode == op::FUNCTION);
    let (globals, code) = all.split_at(first.unwrap_or(all.len()));
    let mut known = Values::of(values);
    let mut kept: Vec<Instruction> = (globals.iter())
        .filter_map(|(opcode, operands)| known.replace(*opcode, operands))
        .collect();
    let mut removed = HashSet::new();
    for function in code.split_inclusive(|(opcode, _)| *opcode == op::FUNCTION_END) {
        match blocks::without_dead_branches(function, &mut known) {
            Some(live) => {
                kept.extend(live.kept);
                removed.extend(live.removed);
            }
            None => kept.extend(
                function
                    .iter()
                    .map(|(opcode, operands)| (*opcode, operands.to_vec())),
            ),
        }
    }
    for (opcode, operands) in &kept {
        if let Some(id) = result(*opcode, operands) {
            removed.remove(&id);
        }
    }
    let mut out = header(words).to_vec();
    for (opcode, operands) in &kept {
        let describes = matches!(
            *opcode,
            op::NAME | op::DECORATE | op::DECORATE_ID | op::DECORATE_STRING
        );
        if !(describes && operands.first().is_some_and(|id| removed.contains(id))) {
            push(&mut out, *opcode, operands);
        }
    }
    out
}

#[cfg(test)]
mod tests;
