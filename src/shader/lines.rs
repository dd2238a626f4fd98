//! Lines of kernels in fault records.
//!
//! A kernel of a checked run has a variable for the line of its last call. A pass over SPIR-V sets it before each call from
//! a file of the user to any function, such as an accessor, and removes what the compiler adds for debuggers.

use std::collections::{HashMap, HashSet};

use super::opcodes as op;
use super::spirv::{BOUND, header, instructions, push, text};

/// The declaration of the variable in the interface.
pub const DECLARATION: &str = "uint sg_line = 0u;";

const VARIABLE: &str = "sg_line";
/// Bits of a number of a line; the number of the file, from 1, is above them.
const LINE_BITS: u32 = 20;

/// Returns true if kernels with this interface record lines, for which the compiler must state them.
pub fn are_recorded(interface: &str) -> bool {
    interface.contains(DECLARATION)
}

/// The file and the line of a number in a fault record; `None` if the kernel has not recorded one.
pub fn place(number: u32, files: &[(String, blake3::Hash)]) -> Option<String> {
    let file = (number >> LINE_BITS).checked_sub(1)?;
    let (name, _) = files.get(file as usize)?;
    Some(format!("{name}:{}", number & ((1 << LINE_BITS) - 1)))
}

/// The module of a kernel that records lines of these files; another one unchanged.
pub fn record(words: &[u32], files: &[(String, blake3::Hash)]) -> Vec<u32> {
    let Some((variable, of)) = variable(words) else {
        return words.to_vec();
    };
    let calls = calls(words, files);
    let first = words[BOUND];
    let mut ids: HashMap<u32, u32> = HashMap::new();
    for number in calls.iter().flatten() {
        let next = first + ids.len() as u32;
        ids.entry(*number).or_insert(next);
    }
    let mut out = header(words).to_vec();
    out[BOUND] += ids.len() as u32;
    let mut constants: Vec<(u32, u32)> = ids.iter().map(|(number, id)| (*id, *number)).collect();
    constants.sort_unstable();
    let mut calls = calls.into_iter();
    let mut in_functions = false;
    for (opcode, operands) in instructions(words) {
        match opcode {
            op::SOURCE_CONTINUED
            | op::SOURCE
            | op::STRING
            | op::LINE
            | op::NO_LINE
            | op::MODULE_PROCESSED => continue,
            op::FUNCTION if !in_functions => {
                in_functions = true;
                for (id, number) in &constants {
                    push(&mut out, op::CONSTANT, &[of, *id, *number]);
                }
            }
            op::FUNCTION_CALL => {
                if let Some(Some(number)) = calls.next() {
                    push(&mut out, op::STORE, &[variable, ids[&number]]);
                }
            }
            _ => {}
        }
        push(&mut out, opcode, operands);
    }
    out
}

/// The variable and the type of its value.
fn variable(words: &[u32]) -> Option<(u32, u32)> {
    let mut named = HashSet::new();
    let mut pointees = HashMap::new();
    for (opcode, operands) in instructions(words) {
        match (opcode, operands) {
            (op::NAME, [id, name @ ..]) if text(name) == VARIABLE => drop(named.insert(*id)),
            (op::TYPE_POINTER, [id, _, pointee]) => drop(pointees.insert(*id, *pointee)),
            (op::VARIABLE, [pointer, id, ..]) if named.contains(id) => {
                return Some((*id, *pointees.get(pointer)?));
            }
            _ => {}
        }
    }
    None
}

/// For each call of a function in turn, the number of its file and line; `None` for calls in the interface.
fn calls(words: &[u32], files: &[(String, blake3::Hash)]) -> Vec<Option<u32>> {
    let mut numbers: HashMap<u32, u32> = HashMap::new();
    let mut line = None;
    let mut calls = Vec::new();
    for (opcode, operands) in instructions(words) {
        match (opcode, operands) {
            (op::STRING, [id, name @ ..]) => {
                let name = text(name);
                // The interface is not one of the files.
                if let Some(file) = files.iter().position(|(file, _)| *file == name) {
                    numbers.insert(*id, file as u32 + 1);
                }
            }
            (op::LINE, [file, number, ..]) => {
                let fits = *number < 1 << LINE_BITS;
                let file = numbers.get(file).filter(|_| fits);
                line = file.map(|file| file << LINE_BITS | number);
            }
            (op::NO_LINE | op::FUNCTION | op::LABEL, _) => line = None,
            (op::FUNCTION_CALL, _) => calls.push(line),
            _ => {}
        }
    }
    calls
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_name_a_file_and_a_line() {
        let files = ["a.comp", "b.glsl"].map(|name| (name.to_string(), blake3::hash(b"")));
        assert_eq!(place(1 << LINE_BITS | 12, &files).as_deref(), Some("a.comp:12"));
        assert_eq!(place(2 << LINE_BITS | 1, &files).as_deref(), Some("b.glsl:1"));
        assert_eq!(place(0, &files), None);
        assert_eq!(place(3 << LINE_BITS | 1, &files), None);
    }
}
