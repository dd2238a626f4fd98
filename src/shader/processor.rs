//! Kernels for drivers that run them on the processor.
//!
//! llvmpipe runs the invocations of a subgroup as the lanes of vectors, but it loads memory lane by lane, except from an
//! address that comes from the push constant, outside of all control flow. It also converts floats to integers lane by
//! lane. A pass over SPIR-V loads arguments and the clock where the entry point starts, and converts by sums of floats.
//! Results keep their bits.

mod arguments;
mod body;
mod conversions;
mod words;

use super::globals::{Globals, Known};
use super::opcodes as op;
use super::spirv::{header, instructions};
use arguments::{Arguments, Block};
use body::Body;
use conversions::Conversions;
use words::Types;

/// The module as such drivers run it faster. It was compiled against the generated interface.
pub fn rewrite(words: &[u32]) -> Vec<u32> {
    let known = Known::of(words);
    let mut globals = Globals::new(&known, words);
    let arguments = Arguments::of(words, &known, &mut globals);
    let (conversions, types) = (Conversions::of(words), Types::of(words));
    let mut body = Body {
        globals,
        out: Vec::new(),
    };
    let (mut functions_begin, mut entry_begins) = (false, false);
    for (opcode, operands) in instructions(words) {
        functions_begin |= opcode == op::FUNCTION;
        if !functions_begin {
            continue;
        }
        let declares = matches!(opcode, op::LABEL | op::VARIABLE | op::LINE | op::NO_LINE);
        if entry_begins && !declares {
            load(&mut body, &arguments, &known);
            entry_begins = false;
        }
        let is_replaced = match (opcode, operands) {
            (op::FUNCTION, [_, id, ..]) => {
                entry_begins = *id == known.entry_point;
                false
            }
            (op::LOAD, [of, id, from, memory @ ..]) => match arguments.variable(*of, *from) {
                Some(variable) => {
                    body.emit(op::LOAD, &[*of, *id, variable]);
                    true
                }
                None => types.load(&mut body, *of, *id, *from, memory),
            },
            (op::STORE, [to, value, memory @ ..]) => types.store(&mut body, *to, *value, memory),
            (op::FLOAT_TO_INT | op::FLOAT_TO_UINT, [of, id, value]) => {
                conversions.convert(&mut body, opcode, *of, *id, *value)
            }
            _ => false,
        };
        if !is_replaced {
            body.emit(opcode, operands);
        }
    }
    let Body { globals, out } = body;
    let mut module = header(words).to_vec();
    globals.write(words, &mut module);
    module.extend(out);
    module
}

/// Loads arguments and clock into their variables.
fn load(body: &mut Body, arguments: &Arguments, known: &Known) {
    let Some(push_constant) = known.push_constant.filter(|_| !arguments.is_empty()) else {
        return;
    };
    let pointer = body.globals.push_constant_pointer(known.address_type);
    let zero = body.globals.uint_constant(0);
    let chain = body.result(op::ACCESS_CHAIN, pointer, &[push_constant, zero]);
    let block = body.result(op::LOAD, known.address_type, &[chain]);
    let mut clock = None;
    for place in arguments.places() {
        let Some(block) = (match place.block {
            Block::Arguments => Some(block),
            Block::Clock => clock,
        }) else {
            continue;
        };
        let operands = [&[block], &place.indices[..]].concat();
        let chain = body.result(op::ACCESS_CHAIN, place.pointer, &operands);
        let operands = [&[chain], &place.memory[..]].concat();
        let value = body.result(op::LOAD, place.of, &operands);
        body.emit(op::STORE, &[place.variable, value]);
        if place.is_clock {
            clock = Some(value);
        }
    }
}

#[cfg(test)]
mod tests;
