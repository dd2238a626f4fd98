//! A device for tests: validation is on, and any validation message fails the test that caused it.

pub mod simulation;
mod skip;
mod sweep;

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use sastrugi::cache::Cache;
use sastrugi::gpu::{
    Access, Batch, Buffer, BufferKind, Gpu, GpuError, MessageLog, OpenOptions, Queue, Recorder, Validation,
};
use serde_json::Value;

pub use skip::skip;
pub use sweep::sweep;

/// An open device that checks, when it is dropped, that the validation layer had nothing to say, the closing of the
/// device included.
pub(crate) struct TestGpu {
    gpu: Option<Gpu>,
    log: MessageLog,
}

impl Deref for TestGpu {
    type Target = Gpu;

    fn deref(&self) -> &Gpu {
        self.gpu.as_ref().expect("there until drop")
    }
}

impl TestGpu {
    /// Closes the device and returns what the layer said since the last look at it: for tests that provoke it.
    pub fn close(mut self) -> Vec<String> {
        self.gpu = None;
        self.log.take()
    }
}

impl Drop for TestGpu {
    fn drop(&mut self) {
        self.gpu = None;
        let messages = self.log.take();
        if !messages.is_empty() && !std::thread::panicking() {
            panic!("validation messages:\n{}", messages.join("\n"));
        }
    }
}

/// A device with validation, or `None`, with the reason printed, where there is no Vulkan device. Everything else
/// that keeps it from opening, the lack of the validation layer included, fails the test.
///
/// With SASTRUGI_REQUIRE_GPU set, the lack of a device fails the test too: where one is known to be there, a broken
/// driver must not pass for success.
pub fn gpu() -> Option<TestGpu> {
    gpu_with(OpenOptions::default())
}

/// The cache of compiled kernels: in the target directory of cargo, so that tests do not change the cache of the user.
pub const CACHE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/target/test-cache");

/// Kernels of the tests of the library, which share it: most of them use the same. It holds those of every test, which are
/// more than a user's cache holds.
pub fn cache() -> Cache {
    Cache::with_limit(Path::new(CACHE).join("engine"), 1 << 30)
}

pub fn gpu_with(options: OpenOptions) -> Option<TestGpu> {
    let mut options = OpenOptions {
        validation: Validation::On,
        ..options
    };
    if options.cache.directory().is_none() {
        options.cache = cache();
    }
    match Gpu::open(&options) {
        Ok(gpu) => {
            assert!(
                gpu.validation_layer_loaded(),
                "the validation layer was asked for and is not there"
            );
            let log = gpu.message_log();
            Some(TestGpu { gpu: Some(gpu), log })
        }
        Err(error) if is_lack_of_a_device(&error) && std::env::var_os("SASTRUGI_REQUIRE_GPU").is_none() => {
            skip(&error);
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn is_lack_of_a_device(error: &GpuError) -> bool {
    matches!(
        error,
        GpuError::NoLoader { .. } | GpuError::NoDevice { .. } | GpuError::NoUsableDevice { .. }
    )
}

/// The program, which cargo builds for the tests of `tests/program` and puts in the folder above that of the tests.
pub fn program() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let name = format!("sastrugi{}", std::env::consts::EXE_SUFFIX);
    let program = tests.parent().and_then(|deps| deps.parent()).unwrap().join(name);
    assert!(
        program.is_file(),
        "{} is not there: build the program too (`cargo build`), in the profile of the tests",
        program.display()
    );
    program
}

/// A command that starts the program.
pub fn start() -> Command {
    let mut command = Command::new(program());
    command.env("SASTRUGI_CACHE_DIR", CACHE);
    command
}

/// Runs tests of this binary, by path, in a process in which llvmpipe has subgroups of four: they are as long as the
/// vectors that it may use. Other devices have subgroups of one size.
pub fn run_with_subgroups_of_four(gpu: TestGpu, tests: &[&str]) {
    if !gpu.report().name.contains("llvmpipe") {
        return skip(format_args!("{} has subgroups of one size", gpu.report().name));
    }
    drop(gpu);
    let names = tests.iter().map(|path| path.split_once("::").expect("a crate").1);
    let child = Command::new(std::env::current_exe().unwrap())
        .arg("--exact")
        .args(names)
        .env("LP_NATIVE_VECTOR_WIDTH", "128")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&child.stdout);
    let passed = format!("{} passed", tests.len());
    assert!(child.status.success() && text.contains(&passed), "{text}");
}

/// Sets the paths of shaders in a directory for the stages in the lists of a pipeline.
pub fn take_shaders(directory: &Path, file: &mut Value) {
    for list in ["init", "step", "frame"] {
        take_shaders_of(directory, file.get_mut(list));
    }
}

fn take_shaders_of(directory: &Path, entries: Option<&mut Value>) {
    for entry in entries.and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(stage) = entry.get("stage").and_then(Value::as_str) {
            let stated = entry.get("shader").and_then(Value::as_str);
            let path = directory.join(stated.unwrap_or(&format!("{stage}.comp")));
            if path.is_file() {
                entry["shader"] = path.to_str().unwrap().into();
            }
        }
        take_shaders_of(directory, entry.get_mut("stages"));
    }
}

/// Compiles GLSL that the test itself brings.
pub fn spirv(source: &str) -> Vec<u32> {
    let compiler = shaderc::Compiler::new().expect("the GLSL compiler starts");
    let mut options = shaderc::CompileOptions::new().expect("the GLSL compiler has options");
    options.set_target_env(shaderc::TargetEnv::Vulkan, shaderc::EnvVersion::Vulkan1_3 as u32);
    options.set_warnings_as_errors();
    compiler
        .compile_into_spirv(
            source,
            shaderc::ShaderKind::Compute,
            "test.comp",
            "main",
            Some(&options),
        )
        .unwrap_or_else(|error| panic!("{error}"))
        .as_binary()
        .to_vec()
}

/// Little-endian words of a byte slice.
pub fn words(bytes: &[u8]) -> Vec<u32> {
    bytes
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes(word.try_into().expect("four bytes")))
        .collect()
}

/// Little-endian floats of a byte slice.
pub fn floats(bytes: &[u8]) -> Vec<f32> {
    words(bytes).into_iter().map(f32::from_bits).collect()
}

pub fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Longer than any test's work on the slowest device.
pub const LIMIT: Duration = Duration::from_secs(60);

/// Records, submits and waits.
pub fn run_on(gpu: &Gpu, queue: Queue, commands: impl FnOnce(&mut Recorder) -> Result<(), GpuError>) {
    let recording = gpu.record("test", queue, commands).unwrap();
    let done = gpu.timeline("done").unwrap();
    let batch = Batch {
        recordings: vec![&recording],
        signals: vec![(done.clone(), 1)],
        ..Batch::default()
    };
    gpu.submit(queue, &[batch]).unwrap();
    assert!(
        done.wait(1, LIMIT).unwrap(),
        "the device is not done after {LIMIT:?}"
    );
}

/// Downloads a buffer on the compute queue, after everything submitted to it.
pub fn contents(gpu: &Gpu, buffer: &Buffer) -> Vec<u8> {
    let download = gpu
        .buffer("download", buffer.size(), BufferKind::Download)
        .unwrap();
    run_on(gpu, Queue::Compute, |r| {
        r.full_barrier();
        r.copy(buffer, 0, &download, 0, buffer.size())?;
        r.barrier(&[Access::TransferWrite], &[Access::HostRead])
    });
    download.bytes().unwrap().to_vec()
}
