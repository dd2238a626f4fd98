use std::path::Path;

use super::super::compile::GlslCompiler;
use super::super::library::{Found, Library};
use super::super::validate::validate;
use super::*;

/// Loads arguments and the clock in a loop, in a function and as components, and converts. `LENGTH` stands for a call.
const KERNEL: &str = r#"#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 8) in;
layout(buffer_reference, scalar) buffer Words { float word[]; };
layout(buffer_reference, scalar) readonly buffer sg_clock_block { float left; uint step; float dt; };
layout(buffer_reference, scalar) buffer Length { float dt; };
layout(buffer_reference, scalar) buffer Bytes { uint8_t byte[]; };
layout(buffer_reference, scalar) buffer Halves { int16_t half_word[]; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Rows { vec4 row; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Loose { vec4 row; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Triples { vec3 triple; };
layout(buffer_reference, scalar) readonly buffer Block {
    Words to;
    sg_clock_block clock;
    vec3 scale;
    float table[4];
};
layout(push_constant, scalar) uniform Push { Block arg; };

void set_length(float length) {
    Length(uint64_t(arg.clock) + 8ul).dt = length;
}

float scaled(uint i) {
    return arg.scale.y * arg.clock.dt + arg.table[2] + arg.table[i];
}

void main() {
    uint i = gl_GlobalInvocationID.x;
    for (uint k = 0u; k < arg.clock.step; k++) {
        arg.to.word[i] += scaled(k & 3u) * float(k);
    }
    ivec3 whole = ivec3(arg.scale * float(i));
    arg.to.word[i] = float(whole.x + whole.y + int(uint(arg.scale.z)) + int(arg.clock.dt));
    LENGTH
}
"#;

/// Bytes, halves, and rows of four that are aligned or not, and of three.
const ACCESSES: &str = "uint64_t at = uint64_t(arg.to);
    uint sum = uint(Bytes(at).byte[i]) + uint(int(Halves(at).half_word[i]));
    Rows(at + 16ul * i).row = Rows(at).row + float(sum);
    Loose(at).row = Loose(at + 4ul).row;
    Triples(at + 4ul).triple = Triples(at + 16ul).triple;";

fn compile(length: &str) -> Vec<u32> {
    let source = Found {
        name: "a.comp".into(),
        bytes: KERNEL.replace("LENGTH", length).into(),
    };
    let compiled = GlslCompiler::new()
        .unwrap()
        .compile(&source, "", &Library::new(Path::new("")));
    let words = compiled.unwrap().words;
    validate(&words).unwrap();
    words
}

fn count(words: &[u32], wanted: &[u16]) -> usize {
    instructions(words)
        .filter(|(opcode, _)| wanted.contains(opcode))
        .count()
}

/// Loads with memory operands: all others are of variables.
fn memory_loads(words: &[u32]) -> usize {
    instructions(words)
        .filter(|(opcode, operands)| *opcode == op::LOAD && operands.len() > 3)
        .count()
}

#[test]
fn arguments_and_clock_are_loaded_once_in_rewritten_modules() {
    let words = compile("");
    let rewritten = rewrite(&words);
    validate(&rewritten).unwrap();
    // Addresses of words and clock, scale and two of its components, an element of the table; step and dt. What remains are
    // the element of the table with a number that is not constant, and the word that the loop adds to.
    assert_eq!(memory_loads(&rewritten), 8 + 2);
    assert!(memory_loads(&words) > 10, "{}", memory_loads(&words));
    // Nothing is left to do.
    assert_eq!(memory_loads(&rewrite(&rewritten)), 8 + 2);
}

#[test]
fn clock_that_a_kernel_changes_is_loaded_each_time() {
    let words = rewrite(&compile("set_length(0.5);"));
    validate(&words).unwrap();
    // The clock is read at three places.
    assert_eq!(memory_loads(&words), 6 + 2 + 3);
}

#[test]
fn conversions_become_exact_sums() {
    let conversions = [op::FLOAT_TO_INT, op::FLOAT_TO_UINT];
    let words = compile("");
    assert_eq!(count(&words, &conversions), 3);
    let rewritten = rewrite(&words);
    assert_eq!(count(&rewritten, &conversions), 0);
    // Three conversions of five sums and products each, which drivers must not reorder.
    let exact = instructions(&rewritten)
        .filter(|(opcode, operands)| *opcode == op::DECORATE && operands.get(1) == Some(&42))
        .count();
    assert_eq!(exact, 3 * 5);
}

/// Types of loaded and stored values.
fn accessed(words: &[u32], accesses: u16) -> Vec<u32> {
    let found = instructions(words).filter(|(opcode, operands)| *opcode == accesses && operands.len() > 3);
    found.map(|(_, operands)| operands[0]).collect()
}

#[test]
fn bytes_halves_and_aligned_rows_are_accessed_as_words() {
    let words = compile(ACCESSES);
    let rewritten = rewrite(&words);
    validate(&rewritten).unwrap();
    let types_of = |words: &[u32]| -> Vec<(u16, u32)> {
        let loaded = accessed(words, op::LOAD);
        let types =
            instructions(words).filter(|(_, operands)| operands.len() > 1 && loaded.contains(&operands[0]));
        types
            .filter(|(opcode, _)| (op::TYPE_INT..=op::TYPE_VECTOR).contains(opcode))
            .map(|(opcode, operands)| {
                (
                    opcode,
                    if opcode == op::TYPE_VECTOR {
                        operands[2]
                    } else {
                        operands[1]
                    },
                )
            })
            .collect()
    };
    let small = |types: &[(u16, u32)]| {
        types
            .iter()
            .filter(|of| matches!(of, (op::TYPE_INT, 8 | 16)))
            .count()
    };
    let (before, after) = (types_of(&words), types_of(&rewritten));
    assert_eq!((small(&before), small(&after)), (2, 0));
    // The row that is not aligned keeps its type.
    let is_row = |of: &(u16, u32)| *of == (op::TYPE_VECTOR, 4);
    assert!(before.iter().any(is_row) && after.iter().any(is_row));
    // Two pairs are loaded instead of the aligned row.
    let is_pair = |of: &(u16, u32)| *of == (op::TYPE_INT, 64);
    assert!(!before.iter().any(is_pair) && after.iter().any(is_pair));
    let stores = |words: &[u32]| {
        let aligned =
            instructions(words).filter(|(opcode, operands)| *opcode == op::STORE && operands.len() > 2);
        aligned.count()
    };
    // Two stores instead of one for the aligned row, and for the one of three where this processor allows it.
    assert_eq!(
        stores(&rewritten),
        stores(&words) + 1 + usize::from(words::HAS_LOOSE_PAIRS)
    );
}

#[test]
fn damaged_words_are_rewritten_without_panic() {
    let words = compile("");
    for length in (5..words.len()).step_by(7) {
        rewrite(&words[..length]);
    }
    let mut damaged = words.clone();
    for place in (5..words.len()).step_by(7) {
        for value in [0, u32::MAX, words[place] ^ 1, words[place] ^ 1 << 16] {
            damaged[place] = value;
            rewrite(&damaged);
        }
        damaged[place] = words[place];
    }
}
