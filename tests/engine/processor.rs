//! Kernels as they are rewritten for processors, on the device.

use sastrugi::gpu::{BufferKind, ComputePipelineInfo, Gpu, Queue};
use sastrugi::shader::processor::rewrite;

use super::common;
use common::{bytes, contents, gpu, run_on, spirv, words};

/// Converts each number as a scalar and as a component of a vector, to signed and unsigned integers.
const CONVERT: &str = r"#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64) in;
layout(buffer_reference, scalar) readonly buffer Numbers { float number[]; };
layout(buffer_reference, scalar) buffer Results { ivec4 result[]; };
layout(buffer_reference, scalar) readonly buffer Block { Numbers numbers; Results results; uint count; };
layout(push_constant) uniform Push { Block block; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= block.count) return;
    float x = block.numbers.number[i];
    vec2 pair = vec2(-x, x);
    block.results.result[i] = ivec4(int(x), int(uint(x)), ivec2(pair).y, int(uvec2(pair).y));
}
";

/// Numbers at the borders of every range, and many bits.
fn numbers() -> Vec<f32> {
    let mut numbers = vec![
        0.0,
        0.5,
        1.0,
        f32::MIN_POSITIVE,
        f32::MAX,
        f32::INFINITY,
        f32::NAN,
    ];
    for exponent in 0..33 {
        let power = (1u64 << exponent) as f32;
        let near = [
            power,
            f32::from_bits(power.to_bits() - 1),
            f32::from_bits(power.to_bits() + 1),
        ];
        numbers.extend(
            near.into_iter()
                .flat_map(|number| [number, number + 0.5, number - 0.5]),
        );
    }
    let mut bits = 1u32;
    for _ in 0..20_000 {
        bits = bits.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        numbers.push(f32::from_bits(bits));
        numbers.push(bits as f32 * 0.75);
        numbers.push((bits >> 12) as f32 / 64.0);
    }
    numbers.iter().flat_map(|number| [*number, -number]).collect()
}

/// Runs a kernel with four words of results for each of `numbers`.
fn results(gpu: &Gpu, spirv: &[u32], numbers: &[u32]) -> Vec<u32> {
    let info = ComputePipelineInfo {
        name: "numbers",
        spirv,
        constants: &[],
    };
    let pipeline = gpu.pipeline(&info).unwrap();
    let size = 4 * numbers.len() as u64;
    let given = gpu.buffer("numbers", size, BufferKind::Upload).unwrap();
    given.write(0, &bytes(numbers)).unwrap();
    let results = gpu.buffer("results", 4 * size, BufferKind::Device).unwrap();
    let block = gpu.buffer("block", 20, BufferKind::Upload).unwrap();
    block.write(0, &given.address().to_ne_bytes()).unwrap();
    block.write(8, &results.address().to_ne_bytes()).unwrap();
    block.write(16, &(numbers.len() as u32).to_ne_bytes()).unwrap();
    let groups = (numbers.len() as u32).div_ceil(64);
    run_on(gpu, Queue::Compute, |r| {
        r.dispatch(&pipeline, block.address(), [groups, 1, 1])
    });
    words(&contents(gpu, &results))
}

#[test]
fn rewritten_conversions_saturate_as_llvmpipe_does() {
    let Some(gpu) = gpu() else { return };
    let numbers = numbers();
    let module = spirv(CONVERT);
    let expected: Vec<u32> = (numbers.iter())
        .flat_map(|number| [*number as i32 as u32, *number as u32].repeat(2))
        .collect();
    let differences = |results: &[u32]| {
        let pairs = results.iter().zip(&expected).enumerate();
        let wrong = pairs.filter(|(_, (result, expected))| result != expected);
        wrong
            .map(|(place, (result, expected))| (numbers[place / 4], *result, *expected))
            .take(9)
            .collect::<Vec<_>>()
    };
    let bits: Vec<u32> = numbers.iter().map(|number| number.to_bits()).collect();
    assert_eq!(differences(&results(&gpu, &rewrite(&module), &bits)), []);
    if gpu.report().name.contains("llvmpipe") {
        assert_eq!(differences(&results(&gpu, &module, &bits)), []);
    }
}

/// Adds bytes and halves at every place in a word to a row, and stores the row.
const ACCESS: &str = r"#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 64) in;
layout(buffer_reference, scalar) buffer Unsigned { uint8_t at[]; };
layout(buffer_reference, scalar) buffer Signed { int8_t at[]; };
layout(buffer_reference, scalar) buffer Halves { uint16_t at[]; };
layout(buffer_reference, scalar) buffer SignedHalves { int16_t at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Row { ivec4 at; };
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Pair { ivec2 at; };
layout(buffer_reference, scalar) readonly buffer Block { uint64_t numbers; uint64_t results; uint count; };
layout(push_constant) uniform Push { Block block; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= block.count) return;
    int a = int(Unsigned(block.numbers).at[i]), b = int(Signed(block.numbers).at[i]);
    int c = int(Halves(block.numbers).at[i]), d = int(SignedHalves(block.numbers).at[i]);
    Row row = Row(block.results + 16ul * i);
    row.at = ivec4(a, b, 0, 0);
    Pair(uint64_t(row) + 8ul).at = ivec2(c, d);
    row.at = row.at + Row(block.numbers + 16ul * (i / 4u)).at;
}
";

#[test]
fn rewritten_accesses_reach_every_byte() {
    let Some(gpu) = gpu() else { return };
    let numbers: Vec<u32> = (0..1024u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
    let memory = bytes(&numbers);
    let half = |i: usize| u16::from_le_bytes([memory[2 * i], memory[2 * i + 1]]);
    let expected: Vec<u32> = (0..numbers.len())
        .flat_map(|i| {
            let small = [
                u32::from(memory[i]),
                memory[i] as i8 as u32,
                u32::from(half(i)),
                half(i) as i16 as u32,
            ];
            std::array::from_fn::<u32, 4, _>(|k| small[k].wrapping_add(numbers[4 * (i / 4) + k]))
        })
        .collect();
    let module = spirv(ACCESS);
    let rewritten = rewrite(&module);
    assert_ne!(rewritten, module);
    assert_eq!(results(&gpu, &rewritten, &numbers), expected);
    // Control: the kernel itself does the same.
    assert_eq!(results(&gpu, &module, &numbers), expected);
}
