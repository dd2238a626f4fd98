//! The pipelines that the driver compiled, kept for the next process.

use super::*;

/// Opens a device, makes a pipeline, keeps it. The result of running it is what counts.
fn run(cache: &Cache) -> Option<Vec<u32>> {
    use sastrugi::gpu::{BufferKind, ComputePipelineInfo};
    let gpu = common::gpu_with(OpenOptions {
        cache: cache.clone(),
        ..OpenOptions::default()
    })?;
    let source = "#version 460\n#extension GL_EXT_buffer_reference : require\n\
        layout(local_size_x = 8) in;\n\
        layout(buffer_reference, std430) buffer Words { uint word[]; };\n\
        layout(push_constant) uniform Push { Words words; };\n\
        void main() { words.word[gl_GlobalInvocationID.x] = 3 * gl_GlobalInvocationID.x + 1; }";
    let pipeline = gpu
        .pipeline(&ComputePipelineInfo {
            name: "threes",
            spirv: &common::spirv(source),
            constants: &[],
        })
        .unwrap();
    gpu.save_pipelines();
    let buffer = gpu.buffer("words", 64 * 4, BufferKind::Device).unwrap();
    common::run_on(&gpu, sastrugi::gpu::Queue::Compute, |recorder| {
        recorder.dispatch(&pipeline, buffer.address(), [8, 1, 1])
    });
    Some(common::words(&common::contents(&gpu, &buffer)))
}

#[test]
fn damaged_pipeline_cache_is_ignored_where_possible() {
    let directory = tempfile::tempdir().unwrap();
    let cache = Cache::at(directory.path());
    let wanted: Vec<u32> = (0..64).map(|number| 3 * number + 1).collect();
    let Some(result) = run(&cache) else { return };
    assert_eq!(result, wanted);
    let entry = entries(directory.path()).pop().unwrap();
    let whole = fs::read(&entry).unwrap();
    for damage in 0..8 {
        let mut bytes = whole.clone();
        match damage {
            0 => bytes.clear(),
            1 => bytes.truncate(whole.len() / 2),
            2 => bytes = b"foreign".repeat(50),
            _ => bytes[whole.len() * (damage - 2) / 6 - 1] ^= 0x10,
        }
        fs::write(&entry, &bytes).unwrap();
        assert_eq!(run(&cache), Some(wanted.clone()), "damage {damage}");
        let name = entry.file_stem().unwrap().to_str().unwrap();
        assert!(cache.get(name).is_some(), "damage {damage}: whole again");
    }
}
