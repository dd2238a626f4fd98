//! Pipelines and dispatches through addresses.

use sastrugi::gpu::{Access, Buffer, BufferKind, ComputePipeline, ComputePipelineInfo, Gpu, Queue};
use sastrugi::shader::specialize::specialize;

use super::common::{TestGpu, contents, gpu, run_on, spirv, words};

/// Adds `FACTOR * (linear index + 1)` to every word of `data`; groups may be split over x and y.
const ADD: &str = r"
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x_id = 1000) in;
layout(constant_id = 3) const uint FACTOR = 1;
layout(buffer_reference, scalar) buffer Words { uint word[]; };
layout(buffer_reference, scalar) readonly buffer Arguments { Words data; uint count; };
layout(push_constant) uniform Push { Arguments arguments; };
void main() {
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint i = group * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    if (i < arguments.count) arguments.data.word[i] += FACTOR * (i + 1);
}
";

fn add_pipeline(gpu: &Gpu, group: u32, factor: u32) -> ComputePipeline {
    let constants = [(1000, group), (3, factor)];
    gpu.pipeline(&ComputePipelineInfo {
        name: "add",
        spirv: &spirv(ADD),
        constants: &constants,
    })
    .unwrap()
}

/// The argument block of `ADD`.
fn arguments(gpu: &Gpu, data: &Buffer, count: u32) -> Buffer {
    let block = gpu.buffer("arguments", 12, BufferKind::Upload).unwrap();
    block.write(0, &data.address().to_ne_bytes()).unwrap();
    block.write(8, &count.to_ne_bytes()).unwrap();
    block
}

fn word_buffer(gpu: &Gpu, count: u32) -> Buffer {
    gpu.buffer("data", u64::from(count) * 4, BufferKind::Device)
        .unwrap()
}

#[test]
fn dispatch_covers_exactly_its_elements() {
    let Some(gpu) = gpu() else { return };
    const SPARE: u32 = 70;
    for (count, group, groups) in [
        (0, 64, [0, 1, 1]),
        (0, 64, [1, 1, 1]),
        (1, 64, [1, 1, 1]),
        (63, 64, [1, 1, 1]),
        (65, 64, [2, 1, 1]),
        (777, 32, [25, 1, 1]),
        // More groups than one dimension holds everywhere, split over two.
        (70_001, 1, [35_001, 2, 1]),
        (65_535 * 2 + 3, 1, [65_535, 3, 1]),
    ] {
        let data = word_buffer(&gpu, count + SPARE);
        let block = arguments(&gpu, &data, count);
        let pipeline = add_pipeline(&gpu, group, 1);
        run_on(&gpu, Queue::Compute, |r| {
            r.fill(&data, 5)?;
            r.barrier(
                &[Access::TransferWrite],
                &[Access::ShaderRead, Access::ShaderWrite],
            )?;
            r.dispatch(&pipeline, block.address(), groups)
        });
        let found = words(&contents(&gpu, &data));
        let expected: Vec<u32> = (0..count).map(|i| 5 + i + 1).chain([5; SPARE as usize]).collect();
        assert!(found == expected, "{count} elements in groups of {group}");
    }
}

#[test]
fn output_queue_runs_kernels() {
    let Some(gpu) = gpu() else { return };
    let data = word_buffer(&gpu, 100);
    let block = arguments(&gpu, &data, 100);
    let pipeline = add_pipeline(&gpu, 64, 2);
    run_on(&gpu, Queue::Output, |r| {
        r.fill(&data, 0)?;
        r.barrier(
            &[Access::TransferWrite],
            &[Access::ShaderRead, Access::ShaderWrite],
        )?;
        r.dispatch(&pipeline, block.address(), [2, 1, 1])
    });
    assert_eq!(
        words(&contents(&gpu, &data)),
        (1..=100).map(|i| 2 * i).collect::<Vec<u32>>()
    );
}

#[test]
fn barriers_make_writes_visible_to_the_next_dispatch() {
    let Some(gpu) = gpu() else { return };
    let data = word_buffer(&gpu, 1000);
    let block = arguments(&gpu, &data, 1000);
    let (once, thrice) = (add_pipeline(&gpu, 64, 1), add_pipeline(&gpu, 64, 3));
    run_on(&gpu, Queue::Compute, |r| {
        r.fill(&data, 0)?;
        r.barrier(
            &[Access::TransferWrite],
            &[Access::ShaderRead, Access::ShaderWrite],
        )?;
        for pipeline in [&once, &thrice, &once, &thrice] {
            r.dispatch(pipeline, block.address(), [16, 1, 1])?;
            r.barrier(
                &[Access::ShaderRead, Access::ShaderWrite],
                &[Access::ShaderRead, Access::ShaderWrite],
            )?;
        }
        Ok(())
    });
    assert_eq!(
        words(&contents(&gpu, &data)),
        (1..=1000).map(|i| 8 * i).collect::<Vec<u32>>()
    );
}

#[test]
fn indirect_dispatch_reads_counts_from_memory() {
    let Some(gpu) = gpu() else { return };
    let data = word_buffer(&gpu, 200);
    let block = arguments(&gpu, &data, 200);
    let pipeline = add_pipeline(&gpu, 64, 1);
    let counts = gpu.buffer("counts", 32, BufferKind::Upload).unwrap();
    let device_counts = gpu.buffer("device counts", 32, BufferKind::Device).unwrap();
    // The second triple is empty: nothing may run for it.
    for (offset, word) in [(4, 2u32), (8, 1), (12, 1), (16, 0), (20, 1), (24, 1)] {
        counts.write(offset, &word.to_ne_bytes()).unwrap();
    }
    run_on(&gpu, Queue::Compute, |r| {
        r.fill(&data, 0)?;
        r.copy(&counts, 0, &device_counts, 0, 32)?;
        r.barrier(
            &[Access::TransferWrite],
            &[Access::ShaderRead, Access::ShaderWrite, Access::IndirectRead],
        )?;
        r.dispatch_indirect(&pipeline, block.address(), &device_counts, 4)?;
        r.barrier(&[Access::ShaderWrite], &[Access::ShaderRead, Access::ShaderWrite])?;
        r.dispatch_indirect(&pipeline, block.address(), &device_counts, 16)
    });
    let expected: Vec<u32> = (0..200).map(|i| if i < 128 { i + 1 } else { 0 }).collect();
    assert_eq!(words(&contents(&gpu, &data)), expected);
}

/// Copies words from the first address to the second.
const COPY: &str = r"
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 32) in;
layout(buffer_reference, scalar) buffer Words { uint word[]; };
layout(buffer_reference, scalar) readonly buffer Arguments { Words from; Words to; };
layout(push_constant) uniform Push { Arguments arguments; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    arguments.to.word[i] = arguments.from.word[i];
}
";

#[test]
fn kernels_access_upload_and_download_buffers() {
    let Some(gpu) = gpu() else { return };
    let upload = gpu.buffer("upload", 256, BufferKind::Upload).unwrap();
    let download = gpu.buffer("download", 256, BufferKind::Download).unwrap();
    let block = gpu.buffer("arguments", 16, BufferKind::Upload).unwrap();
    let data: Vec<u8> = (0..=255).collect();
    upload.write(0, &data).unwrap();
    block.write(0, &upload.address().to_ne_bytes()).unwrap();
    block.write(8, &download.address().to_ne_bytes()).unwrap();
    let pipeline = gpu
        .pipeline(&ComputePipelineInfo {
            name: "copy",
            spirv: &spirv(COPY),
            constants: &[],
        })
        .unwrap();
    run_on(&gpu, Queue::Compute, |r| {
        r.dispatch(&pipeline, block.address(), [2, 1, 1])?;
        r.barrier(&[Access::ShaderWrite], &[Access::HostRead])
    });
    assert_eq!(download.bytes().unwrap(), data);
}

/// Writes its constants, in every type that 32 bits can hold.
const CONSTANTS: &str = r"
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 1) in;
layout(constant_id = 0) const int COUNT = -7;
layout(constant_id = 1) const float RATE = 0.5;
layout(constant_id = 2) const bool CHECKED = false;
layout(constant_id = 900) const uint MASK = 9u;
layout(buffer_reference, scalar) buffer Words { uint word[]; };
layout(push_constant) uniform Push { Words data; };
void main() {
    data.word[0] = uint(COUNT);
    data.word[1] = floatBitsToUint(RATE);
    data.word[2] = CHECKED ? 77u : 66u;
    data.word[3] = MASK;
}
";

/// The words that one workgroup of a kernel writes.
fn results(gpu: &TestGpu, spirv: &[u32], constants: &[(u32, u32)], count: u32) -> Vec<u32> {
    let info = ComputePipelineInfo {
        name: "constants",
        spirv,
        constants,
    };
    let pipeline = gpu.pipeline(&info).unwrap();
    let data = word_buffer(gpu, count);
    run_on(gpu, Queue::Compute, |recorder| {
        recorder.dispatch(&pipeline, data.address(), [1, 1, 1])
    });
    words(&contents(gpu, &data))
}

#[test]
fn specialization_constants_replace_defaults_by_id() {
    let Some(gpu) = gpu() else { return };
    let code = spirv(CONSTANTS);
    let run = |constants: &[(u32, u32)]| results(&gpu, &code, constants, 4);
    assert_eq!(run(&[]), [(-7i32).cast_unsigned(), 0.5f32.to_bits(), 66, 9]);
    assert_eq!(
        run(&[(2, 1), (1, 2.25f32.to_bits())]),
        [(-7i32).cast_unsigned(), 2.25f32.to_bits(), 77, 9]
    );
    // An id that the module does not have changes nothing.
    assert_eq!(
        run(&[(900, 0xffff_fff0), (0, 12), (555, 1)]),
        [12, 0.5f32.to_bits(), 66, 0xffff_fff0]
    );
}

/// Writes results of operations on its constants, and takes branches that depend on them.
const OPERATIONS: &str = r"
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 1) in;
layout(constant_id = 0) const int A = -7;
layout(constant_id = 1) const int B = 3;
layout(constant_id = 2) const bool C = false;
layout(constant_id = 3) const uint U = 9u;
const int SUM = A + B, DIFFERENCE = A - B, PRODUCT = A * B, QUOTIENT = A / (B | 1), NEGATED = -A;
const uint REST = U % (uint(B) | 1u), SHARE = U / (uint(B) | 1u), BITS = (U ^ uint(A)) & ~uint(B);
const int RIGHT = A >> 3;
const uint LEFT = U << 5, DOWN = uint(A) >> 4;
const int64_t WIDE = int64_t(A) * 1000000007l - int64_t(B);
const uint64_t FAR = uint64_t(U) << 33;
const bool LESS = A < B, BELOW = uint(A) < uint(B), BOTH = C && A != B, EITHER = C || U >= 9u;
const int CHOSEN = LESS ? A : B;
layout(buffer_reference, scalar) buffer Words { uint word[]; };
layout(push_constant) uniform Push { Words data; };
uint sum() {
    uint total = 0u;
    for (int i = 0; i < 12; ++i) {
        if (C && i == B) return total;
        if (B < 0) break;
        if (BELOW || i > B) continue;
        switch (A) {
        case -7: total += uint(i); break;
        case 12: total += 5u;
        default: if (C) break; total += 100u;
        }
    }
    return BOTH ? total + 1u : total;
}
void main() {
    uint values[20] = uint[](uint(SUM), uint(DIFFERENCE), uint(PRODUCT), uint(QUOTIENT), uint(NEGATED), REST, SHARE, BITS,
        uint(RIGHT), LEFT, DOWN, uint(WIDE), uint(WIDE >> 32), uint(FAR >> 32), uint(LESS), uint(BELOW), uint(BOTH),
        uint(EITHER), uint(CHOSEN), sum());
    for (uint i = 0u; i < 20u; ++i) data.word[i] = values[i];
}
";

#[test]
fn specialized_modules_compute_what_the_driver_does_with_constants() {
    let Some(gpu) = gpu() else { return };
    let code = spirv(OPERATIONS);
    let run = |code: &[u32], constants: &[(u32, u32)]| results(&gpu, code, constants, 20);
    let mut all = Vec::new();
    for [a, b, c, u] in [
        [-7, 3, 0, 9],
        [12, -5, 1, 8],
        [i32::MIN, 1, 1, -1],
        [3, 3, 0, 0],
        [12, 4, 1, 1 << 30],
    ] {
        let constants = [a, b, c, u].map(i32::cast_unsigned);
        let constants: Vec<(u32, u32)> = (0..).zip(constants).collect();
        let expected = run(&code, &constants);
        assert_eq!(
            run(&specialize(&code, &constants), &[]),
            expected,
            "{constants:?}"
        );
        all.push(expected);
    }
    assert_eq!(run(&specialize(&code, &[]), &[]), all[0], "the defaults");
    // Control: each other set of constants has other results.
    assert!(all[1..].iter().all(|other| *other != all[0]));
}

#[test]
fn pipelines_can_be_created_concurrently() {
    let Some(gpu) = gpu() else { return };
    let factors = [2, 3, 5, 7, 11, 13];
    let pipelines: Vec<ComputePipeline> = std::thread::scope(|scope| {
        let gpu: &Gpu = &gpu;
        let making: Vec<_> = factors
            .iter()
            .map(|&factor| scope.spawn(move || add_pipeline(gpu, 64, factor)))
            .collect();
        making.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for (factor, pipeline) in factors.into_iter().zip(pipelines) {
        let data = word_buffer(&gpu, 10);
        let block = arguments(&gpu, &data, 10);
        run_on(&gpu, Queue::Compute, |r| {
            r.fill(&data, 0)?;
            r.barrier(
                &[Access::TransferWrite],
                &[Access::ShaderRead, Access::ShaderWrite],
            )?;
            r.dispatch(&pipeline, block.address(), [1, 1, 1])
        });
        assert_eq!(
            words(&contents(&gpu, &data)),
            (1..=10).map(|i| factor * i).collect::<Vec<u32>>()
        );
    }
}
