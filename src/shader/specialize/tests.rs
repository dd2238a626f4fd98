use std::path::Path;

use super::super::compile::GlslCompiler;
use super::super::library::{Found, Library};
use super::super::spirv::reflect;
use super::super::validate::validate;
use super::*;

/// Selections, loops, switches and early returns behind constants, which also size a workgroup and an array.
const KERNEL: &str = r#"#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x_id = 1) in;
layout(constant_id = 2) const bool checked = false;
layout(constant_id = 3) const int mode = 2;
layout(constant_id = 4) const uint count = 5;
layout(constant_id = 6) const float scale = 0.5;
const int64_t far = int64_t(mode) * 3l;
layout(buffer_reference, std430) buffer Words { float word[]; };
layout(push_constant) uniform Push { Words to; };
float values[count * 2u + 1u];

bool outside(uint i) {
    if (checked && (i >= count || i * 3u > 100u)) {
        return true;
    }
    return false;
}

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (outside(i)) {
        to.word[0] = -1.0;
        return;
    }
    float sum = 0.0;
    for (uint k = 0u; k < count; ++k) {
        if (mode == 7) {
            break;
        }
        if (mode < 0 || !checked) {
            sum += scale * float(k);
            continue;
        }
        values[k] = sum;
    }
    while (mode == 2) {
        if (far != 6l) {
            return;
        } else {
            sum += 1.0;
        }
        if (sum > 3.0) {
            break;
        }
    }
    switch (mode) {
    case 0:
        sum += values[i];
    case 1:
        if (checked) {
            break;
        }
        sum *= 2.0;
    default:
        sum -= 1.0;
    }
    to.word[i] = sum;
}
"#;

fn compile(text: &str) -> Vec<u32> {
    let source = Found {
        name: "a.comp".into(),
        bytes: text.into(),
    };
    let compiled = GlslCompiler::new()
        .unwrap()
        .compile(&source, "", &Library::new(Path::new("")));
    compiled.unwrap().words
}

fn branches(words: &[u32]) -> usize {
    instructions(words)
        .filter(|(opcode, _)| *opcode == op::BRANCH_CONDITIONAL)
        .count()
}

#[test]
fn specialized_modules_are_valid_and_have_no_constants_left() {
    let words = compile(KERNEL);
    assert!(!reflect(&words).spec_constants.is_empty());
    for mode in [-1i32, 0, 1, 2, 7] {
        for checked in [0, 1] {
            let values = [(1, 32), (2, checked), (3, mode as u32), (4, 9), (99, 1)];
            let specialized = specialize(&words, &values);
            validate(&specialized).unwrap_or_else(|cause| panic!("{mode}, {checked}: {cause}"));
            let left = instructions(&specialized)
                .filter(|(opcode, _)| (op::SPEC_CONSTANT_TRUE..=op::SPEC_CONSTANT_OP).contains(opcode));
            assert_eq!(left.count(), 0);
            assert!(branches(&specialized) < branches(&words), "{mode}, {checked}");
        }
    }
    // Control: the module itself is valid too, and what `checked` guards is there with it.
    validate(&words).unwrap();
    let [plain, checked] = [0, 1].map(|value| branches(&specialize(&words, &[(2, value)])));
    assert!(plain < checked, "{plain}, {checked}");
}

#[test]
fn unknown_operations_and_damaged_words_stay() {
    let words = compile(KERNEL);
    for length in (0..words.len()).step_by(7) {
        specialize(&words[..length], &[(2, 1)]);
    }
    let mut damaged = words.clone();
    for place in (5..words.len()).step_by(3) {
        for value in [0, 1, u32::MAX, words[place] ^ 1, words[place] ^ 1 << 16] {
            damaged[place] = value;
            specialize(&damaged, &[(2, 1)]);
        }
        damaged[place] = words[place];
    }
    // FDiv is no operation on integers.
    let operation = instructions(&words).find(|(opcode, _)| *opcode == op::SPEC_CONSTANT_OP);
    let (_, operands) = operation.unwrap();
    let place = words
        .windows(operands.len())
        .position(|found| found == operands)
        .unwrap();
    damaged[place + 2] = 136;
    let kept = specialize(&damaged, &[]);
    assert!(
        instructions(&kept)
            .any(|found| found == (op::SPEC_CONSTANT_OP, &damaged[place..place + operands.len()]))
    );
}
