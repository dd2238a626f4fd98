//! The Morton codes of `shaders/lib/morton.glsl` on the device against their CPU twin.

use sastrugi::gpu::{BufferKind, ComputePipelineInfo, Queue};
use sastrugi::grid::morton;
use sastrugi::shader::library::built_in_shader;

use super::common;
use common::{contents, gpu, run_on, spirv, words};

/// Writes the code of the coordinates of each entry, and what the code decodes to.
const CODES: &str = r"
layout(local_size_x = 64) in;
layout(buffer_reference, scalar) readonly buffer Entries { uvec3 entry[]; };
layout(buffer_reference, scalar) buffer Results { uvec4 result[]; };
layout(buffer_reference, scalar) readonly buffer Block { Entries entries; Results results; uint count; };
layout(push_constant) uniform Push { Block block; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= block.count) return;
    uvec3 v = block.entries.entry[2 * i];
    uvec3 bits = block.entries.entry[2 * i + 1];
    uint code = sg_morton(v, bits);
    block.results.result[i] = uvec4(code, sg_unmorton(code, bits));
}
";

#[test]
fn device_morton_codes_match_the_host() {
    let Some(gpu) = gpu() else { return };
    // Every triple of few bits, and those that use all 32; first, last and scattered coordinates of each.
    let mut triples: Vec<[u32; 3]> = (0..12 * 12 * 12)
        .map(|n| [n % 12, n / 12 % 12, n / 144])
        .collect();
    triples.retain(|bits| bits.iter().sum::<u32>() <= 32);
    let long = [
        [32, 0, 0],
        [16, 16, 0],
        [31, 1, 0],
        [12, 10, 10],
        [20, 6, 6],
        [15, 2, 15],
        [17, 0, 15],
    ];
    for mut bits in long {
        for _ in 0..3 {
            bits.rotate_left(1);
            triples.push(bits);
        }
    }
    let mut entries: Vec<[[u32; 3]; 2]> = Vec::new();
    for bits in triples {
        for seed in [0u64, u64::MAX, 0x9e37_79b9_7f4a_7c15, 0x1234_5678_9abc_def1] {
            let v = std::array::from_fn(|axis| {
                let random = seed.rotate_left(13 * axis as u32 + 5) & 0xffff_ffff;
                (random & ((1 << bits[axis]) - 1)) as u32
            });
            entries.push([v, bits]);
        }
    }
    let source = format!(
        "#version 460\n#extension GL_EXT_buffer_reference : require\n\
         #extension GL_EXT_scalar_block_layout : require\n{}{CODES}",
        String::from_utf8(built_in_shader("lib/morton.glsl").unwrap().bytes).unwrap()
    );
    let pipeline = gpu
        .pipeline(&ComputePipelineInfo {
            name: "codes",
            spirv: &spirv(&source),
            constants: &[],
        })
        .unwrap();
    let bytes: Vec<u8> = entries
        .as_flattened()
        .as_flattened()
        .iter()
        .flat_map(|word| word.to_ne_bytes())
        .collect();
    let given = gpu
        .buffer("entries", bytes.len() as u64, BufferKind::Upload)
        .unwrap();
    given.write(0, &bytes).unwrap();
    let results = gpu
        .buffer("results", 16 * entries.len() as u64, BufferKind::Device)
        .unwrap();
    let block = gpu.buffer("block", 20, BufferKind::Upload).unwrap();
    block.write(0, &given.address().to_ne_bytes()).unwrap();
    block.write(8, &results.address().to_ne_bytes()).unwrap();
    block.write(16, &(entries.len() as u32).to_ne_bytes()).unwrap();
    let groups = (entries.len() as u32).div_ceil(64);
    run_on(&gpu, Queue::Compute, |r| {
        r.dispatch(&pipeline, block.address(), [groups, 1, 1])
    });
    let results = words(&contents(&gpu, &results));
    for ([v, bits], result) in entries.iter().zip(results.chunks(4)) {
        assert_eq!(
            result[0],
            morton::encode(*v, *bits),
            "code of {v:?} with {bits:?} bits"
        );
        assert_eq!(result[1..], *v, "coordinates of that code, with {bits:?} bits");
    }
}
