//! Arithmetic with the same bits on every device (`run.portable`).
//!
//! Vulkan leaves devices some freedom in division, square roots, transcendental functions and products of vectors and
//! matrices. A pass over SPIR-V turns these operations into calls of functions of sums, products and integers, which the
//! interface of a portable pipeline contains. It finds the functions by their names and the types of their parameters.

use std::collections::{HashMap, HashSet};

use super::opcodes as op;
use super::spirv::{BOUND, header, instructions, push, text};

/// The functions: `sg_portable_NAME` replaces an operation, `sg_device_NAME` uses the device's own.
pub const ARITHMETIC: &str = include_str!("portable/arithmetic.glsl");

/// Specialization constant: the device's division and square root are exact.
pub const EXACT_DIVISION: u32 = 1013;

const PORTABLE: &str = "sg_portable_";
const DEVICE: &str = "sg_device_";
const KEEP: &str = "sg_portable_keep";
/// Memory that buffer references point to.
const STORAGE_MEMORY: u32 = 5349;
const INSTRUCTION_SET: &str = "GLSL.std.450";

/// The interface of a kernel with the functions in it, behind its extensions.
pub fn with_arithmetic(interface: &str) -> String {
    let start = interface.rfind("#extension").unwrap_or(0);
    let line = interface[start..]
        .find('\n')
        .map_or(interface.len(), |end| start + end + 1);
    let (extensions, rest) = interface.split_at(line);
    let begin = "void stage_begin() {\n";
    let rest = rest.replacen(begin, &format!("{begin}    {KEEP}();\n"), 1);
    format!(
        "{extensions}layout(constant_id = {EXACT_DIVISION}) const bool sg_exact_division = false;\n{ARITHMETIC}\n{rest}"
    )
}

/// The names of instructions of GLSL.std.450 that devices compute differently; none for exact ones.
fn function_of(instruction: u32) -> Option<&'static str> {
    Some(match instruction {
        1 => "round",
        11 => "radians",
        12 => "degrees",
        13 => "sin",
        14 => "cos",
        15 => "tan",
        16 => "asin",
        17 => "acos",
        18 | 25 => "atan",
        19 => "sinh",
        20 => "cosh",
        21 => "tanh",
        22 => "asinh",
        23 => "acosh",
        24 => "atanh",
        26 => "pow",
        27 => "exp",
        28 => "log",
        29 => "exp2",
        30 => "log2",
        31 => "sqrt",
        32 => "inversesqrt",
        33 => "determinant",
        34 => "inverse",
        46 => "mix",
        49 => "smoothstep",
        50 => "fma",
        54 => "packSnorm4x8",
        55 => "packUnorm4x8",
        56 => "packSnorm2x16",
        57 => "packUnorm2x16",
        60 => "unpackSnorm2x16",
        61 => "unpackUnorm2x16",
        63 => "unpackSnorm4x8",
        64 => "unpackUnorm4x8",
        66 => "length",
        67 => "distance",
        68 => "cross",
        69 => "normalize",
        70 => "faceforward",
        71 => "reflect",
        72 => "refract",
        _ => return None,
    })
}

/// The parts of a module that the pass refers to.
#[derive(Default)]
struct Known {
    names: HashMap<u32, String>,
    instruction_set: Option<u32>,
    /// All types.
    declared: HashSet<u32>,
    /// Types of single-precision numbers, vectors and matrices.
    floats: Vec<u32>,
    /// Parameters of function types.
    parameters: HashMap<u32, Vec<u32>>,
    /// Types of pointers into memory.
    pointers: HashSet<u32>,
    /// Functions by the operation that they replace and the types of their parameters.
    functions: HashMap<(String, Vec<u32>), u32>,
    keep: Option<u32>,
    /// The types of all values.
    types: HashMap<u32, u32>,
}

impl Known {
    fn of(words: &[u32]) -> Known {
        let mut known = Known::default();
        for (opcode, operands) in instructions(words) {
            if let (op::TYPE_VOID..=op::TYPE_FUNCTION, [id, ..]) = (opcode, operands) {
                known.declared.insert(*id);
            }
            match (opcode, operands) {
                (op::NAME, [id, name @ ..]) => drop(known.names.insert(*id, text(name))),
                (op::EXT_INST_IMPORT, [id, name @ ..]) if text(name) == INSTRUCTION_SET => {
                    known.instruction_set = Some(*id);
                }
                (op::TYPE_FLOAT, [id, 32, ..]) => known.floats.push(*id),
                (op::TYPE_VECTOR | op::TYPE_MATRIX, [id, of, ..]) if known.floats.contains(of) => {
                    known.floats.push(*id);
                }
                (op::TYPE_FUNCTION, [id, _, parameters @ ..]) => {
                    known.parameters.insert(*id, parameters.to_vec());
                }
                (op::TYPE_POINTER, [id, STORAGE_MEMORY, ..]) => drop(known.pointers.insert(*id)),
                (op::FUNCTION, [_, id, _, of]) => known.function(*id, *of),
                // Instructions without a result do not start with a type.
                (op::EXT_INST | op::CONSTANT_TRUE.., [of, id, ..]) if known.declared.contains(of) => {
                    known.types.insert(*id, *of);
                }
                _ => {}
            }
        }
        known
    }

    fn function(&mut self, id: u32, of: u32) {
        let name = self.function_name(id);
        if name == KEEP {
            self.keep = Some(id);
        } else if let Some(operation) = name.strip_prefix(PORTABLE) {
            let parameters = self.parameters.get(&of).cloned().unwrap_or_default();
            self.functions.insert((operation.to_string(), parameters), id);
        }
    }

    /// The name of a function without its parameters.
    fn function_name(&self, id: u32) -> &str {
        let name = self.names.get(&id).map_or("", String::as_str);
        name.split('(').next().unwrap_or(name)
    }

    /// The type of a float that is stored in memory, and the function that rounds small numbers.
    fn stored(&self, pointer: u32, value: u32) -> Option<(u32, u32)> {
        let of = *self.types.get(&value)?;
        let is_memory = self.pointers.contains(self.types.get(&pointer)?);
        let function = self.functions.get(&("store".to_string(), vec![of]));
        function.filter(|_| is_memory).map(|function| (of, *function))
    }

    /// The operation and the operands of an instruction that devices may compute differently.
    fn operation<'w>(&self, opcode: u16, operands: &'w [u32]) -> Option<(&'static str, &'w [u32])> {
        let (name, arguments) = match (opcode, operands) {
            (op::FLOAT_DIVIDE, [_, _, arguments @ ..]) => ("divide", arguments),
            (op::FLOAT_REMAINDER, [_, _, arguments @ ..]) => ("remainder", arguments),
            (op::FLOAT_MODULO, [_, _, arguments @ ..]) => ("mod", arguments),
            (op::DOT, [_, _, arguments @ ..]) => ("dot", arguments),
            (
                op::VECTOR_TIMES_MATRIX | op::MATRIX_TIMES_VECTOR | op::MATRIX_TIMES_MATRIX,
                [_, _, arguments @ ..],
            ) => ("times", arguments),
            (op::EXT_INST, [_, _, set, instruction, arguments @ ..])
                if Some(*set) == self.instruction_set =>
            {
                (function_of(*instruction)?, arguments)
            }
            _ => return None,
        };
        let is_float = |id: &u32| self.types.get(id).is_some_and(|of| self.floats.contains(of));
        // Functions between integers and floats are those of bytes.
        let is_of_floats = is_float(operands.get(1)?) || arguments.iter().any(is_float);
        is_of_floats.then_some((name, arguments))
    }
}

/// The module with calls of portable functions instead of operations that devices compute differently. It is an error if
/// there is no function for an operation: its name, as in GLSL.
pub fn redirect(words: &[u32]) -> Result<Vec<u32>, String> {
    let known = Known::of(words);
    let mut out = header(words).to_vec();
    let mut uses_device = false;
    for (opcode, operands) in instructions(words) {
        if let (op::FUNCTION, [_, id, ..]) = (opcode, operands) {
            uses_device = known.function_name(*id).starts_with(DEVICE);
        }
        if let (op::FUNCTION_CALL, [_, _, of, ..]) = (opcode, operands)
            && Some(*of) == known.keep
        {
            continue;
        }
        if let (op::STORE, [pointer, value, rest @ ..]) = (opcode, operands)
            && let Some((of, function)) = known.stored(*pointer, *value)
        {
            let stored = out[BOUND];
            out[BOUND] += 1;
            push(&mut out, op::FUNCTION_CALL, &[of, stored, function, *value]);
            push(&mut out, op::STORE, &[&[*pointer, stored], rest].concat());
            continue;
        }
        let Some((name, arguments)) = known.operation(opcode, operands).filter(|_| !uses_device) else {
            push(&mut out, opcode, operands);
            continue;
        };
        let types: Option<Vec<u32>> = (arguments.iter())
            .map(|argument| known.types.get(argument).copied())
            .collect();
        let function = types.and_then(|types| known.functions.get(&(name.to_string(), types)));
        let function = *function.ok_or(name)?;
        let call = [&operands[..2], &[function], arguments].concat();
        push(&mut out, op::FUNCTION_CALL, &call);
    }
    Ok(out)
}
