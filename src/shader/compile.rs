//! GLSL to SPIR-V through shaderc: Vulkan 1.3, warnings as errors, includes resolved and recorded.

use std::cell::{Cell, RefCell};
use std::path::Path;
use std::sync::LazyLock;
use std::thread::Builder;
use std::time::Duration;

use crossbeam::channel::bounded;
use serde::{Deserialize, Serialize};
use shaderc::{
    CompileOptions, Compiler, EnvVersion, IncludeType, ResolvedInclude, ShaderKind, SpirvVersion, TargetEnv,
};

use super::library::{Found, Library};
use super::lines;

/// Name under which shaders include their generated interface.
pub const INTERFACE_NAME: &str = "stage.glsl";
/// Maximum nesting depth of includes.
pub(super) const MAX_INCLUDE_DEPTH: usize = 32;
/// Maximum number of includes of a kernel, counting each time a file is included, and their maximum size in bytes.
const MAX_INCLUDES: usize = 1000;
const MAX_INCLUDED_BYTES: usize = 16 << 20;
/// Stack of the compiler, of which it uses as much as it requires: some 2 KiB for each of the operators that `bounds` allows
/// in a statement.
const STACK_BYTES: usize = 256 << 20;
/// Maximum time of a compilation, which usually takes a few milliseconds.
const MAX_TIME: Duration = Duration::from_secs(60);

/// Errors passed to the compiler: an include that is not found, includes that include themselves, and too many.
pub(super) const NO_FILE: &str = "no such file";
pub(super) const TOO_DEEP: &str = "nested too deep";
pub(super) const TOO_MANY: &str = "too many includes";
/// The start of the error of a kernel that the compiler would take too much time, memory or stack for.
pub(super) const OUT_OF_BOUNDS: &str = "too large for the compiler: ";
/// The error of a shader without `#version`.
const NO_VERSION: &str = "missing; write `#version 460` in the first line";

/// The options below as text: part of the key of cached compilations.
pub const OPTIONS: &str = "vulkan1.3 spirv1.6 compute main warnings-as-errors";

/// A compiled shader and the files it came from.
#[derive(Debug)]
pub struct Compiled {
    pub words: Vec<u32>,
    /// Included files, in the order of first inclusion.
    pub includes: Vec<Found>,
    /// Every `#include` in order, except that of the interface.
    pub inclusions: Vec<Inclusion>,
}

/// A compilation that failed.
#[derive(Debug, Clone)]
pub struct Failure {
    /// The compiler's own text, with file and line.
    pub text: String,
    /// The files included before the failure.
    pub files: Vec<Found>,
    pub inclusions: Vec<Inclusion>,
}

impl Failure {
    /// A failure that does not depend on includes.
    pub fn of(text: String) -> Failure {
        Failure {
            text,
            files: Vec::new(),
            inclusions: Vec::new(),
        }
    }
}

/// One compiler for all stages and threads: the first compilation of a process costs a hundred times a later one.
pub struct GlslCompiler {
    compiler: &'static Compiler,
}

/// A process keeps one compiler: when its last compiler ends, the next one takes a tenth of a second to initialise.
static KEPT: LazyLock<Result<Compiler, String>> =
    LazyLock::new(|| Compiler::new().map_err(|error| format!("cannot start the GLSL compiler: {error}")));

impl GlslCompiler {
    pub fn new() -> Result<GlslCompiler, String> {
        let compiler = KEPT.as_ref().map_err(String::clone)?;
        Ok(GlslCompiler { compiler })
    }

    /// Compiles on a thread of its own: the compiler recurses as deep as expressions are nested, and nothing can stop it.
    /// A compilation that takes too long is left behind.
    pub fn compile(&self, source: &Found, interface: &str, library: &Library) -> Result<Compiled, Failure> {
        check_text(source)?;
        let (say, result) = bounded(1);
        let compiler = self.compiler;
        let (source, interface, library) = (source.clone(), interface.to_string(), library.clone());
        let name = source.name.clone();
        let work = move || drop(say.send(compile(compiler, &source, &interface, &library)));
        let thread = Builder::new()
            .name("GLSL compiler".into())
            .stack_size(STACK_BYTES);
        if let Err(error) = thread.spawn(work) {
            return Err(Failure::of(format!(
                "{name}: cannot start a thread with a stack of {} MiB to compile it: {error}; allow more threads \
                 (`ulimit -u`) and address space (`ulimit -v`)",
                STACK_BYTES >> 20
            )));
        }
        result.recv_timeout(MAX_TIME).unwrap_or_else(|_| {
            let seconds = MAX_TIME.as_secs();
            Err(Failure::of(format!(
                "{name}:1: error: '' : {OUT_OF_BOUNDS}the compiler did not finish it within {seconds} s"
            )))
        })
    }
}

/// Refuses what the compiler cannot read, or reports in its internal headers.
fn check_text(source: &Found) -> Result<(), Failure> {
    let name = &source.name;
    let text =
        std::str::from_utf8(&source.bytes).map_err(|_| Failure::of(format!("{name}: not UTF-8 text")))?;
    if text.contains('\0') {
        return Err(Failure::of(format!("{name}: contains a zero byte")));
    }
    if !text.lines().any(|line| line.trim_start().starts_with("#version")) {
        return Err(Failure::of(format!("{name}:1: error: '#version' : {NO_VERSION}")));
    }
    Ok(())
}

fn compile(
    compiler: &Compiler,
    source: &Found,
    interface: &str,
    library: &Library,
) -> Result<Compiled, Failure> {
    let includes = Includes {
        interface,
        library,
        files: RefCell::default(),
        inclusions: RefCell::default(),
        asked: Cell::new(0),
        bytes: Cell::new(0),
    };
    let mut options = CompileOptions::new().map_err(|error| Failure::of(error.to_string()))?;
    options.set_target_env(TargetEnv::Vulkan, EnvVersion::Vulkan1_3 as u32);
    options.set_target_spirv(SpirvVersion::V1_6);
    options.set_warnings_as_errors();
    if lines::are_recorded(interface) {
        options.set_generate_debug_info();
    }
    options.set_include_callback(|wanted, kind, from, depth| includes.resolve(wanted, kind, from, depth));
    let text = String::from_utf8_lossy(&source.bytes);
    let compiled =
        compiler.compile_into_spirv(&text, ShaderKind::Compute, &source.name, "main", Some(&options));
    let words = compiled.map(|artifact| artifact.as_binary().to_vec());
    drop(options);
    let (files, inclusions) = (includes.files.into_inner(), includes.inclusions.into_inner());
    match words {
        Ok(words) => Ok(Compiled {
            words,
            includes: files,
            inclusions,
        }),
        Err(error) => Err(Failure {
            text: message(&error),
            files,
            inclusions,
        }),
    }
}

/// The includes of a compilation.
struct Includes<'a> {
    interface: &'a str,
    library: &'a Library,
    files: RefCell<Vec<Found>>,
    inclusions: RefCell<Vec<Inclusion>>,
    /// Includes that the compiler has asked for, and their bytes.
    asked: Cell<usize>,
    bytes: Cell<usize>,
}

impl Includes<'_> {
    fn resolve(
        &self,
        wanted: &str,
        kind: IncludeType,
        includer: &str,
        depth: usize,
    ) -> Result<ResolvedInclude, String> {
        if depth > MAX_INCLUDE_DEPTH {
            return Err(TOO_DEEP.into());
        }
        self.asked.set(self.asked.get() + 1);
        if self.asked.get() > MAX_INCLUDES || self.bytes.get() > MAX_INCLUDED_BYTES {
            return Err(TOO_MANY.into());
        }
        if wanted == INTERFACE_NAME {
            return Ok(ResolvedInclude {
                resolved_name: INTERFACE_NAME.into(),
                content: self.interface.into(),
            });
        }
        let from = (kind == IncludeType::Relative).then_some(includer);
        let Some(found) = self.library.find(wanted, from) else {
            return Err(NO_FILE.into());
        };
        self.bytes.set(self.bytes.get() + found.bytes.len());
        let content =
            String::from_utf8(found.bytes.clone()).map_err(|_| format!("{wanted}: not UTF-8 text"))?;
        let resolved_name = found.name.clone();
        self.inclusions.borrow_mut().push(Inclusion {
            wanted: wanted.into(),
            relative: kind == IncludeType::Relative,
            name: found.name.clone(),
            includer: includer.into(),
        });
        let mut files = self.files.borrow_mut();
        if !files.iter().any(|other| other.name == found.name) {
            files.push(found);
        }
        Ok(ResolvedInclude {
            resolved_name,
            content,
        })
    }
}

/// One `#include` that was followed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inclusion {
    /// The path as it is written.
    pub wanted: String,
    /// Written with quotes: the including file's directory is searched first.
    pub relative: bool,
    /// The name of the file that was found.
    pub name: String,
    /// The name of the including file.
    pub includer: String,
}

fn message(error: &shaderc::Error) -> String {
    match error {
        shaderc::Error::CompilationError(_, text) => text.trim_end().to_string(),
        other => other.to_string(),
    }
}

/// True for SPIR-V modules, false for GLSL.
pub fn is_spirv(path: &str) -> bool {
    Path::new(path)
        .extension()
        .is_some_and(|extension| extension == "spv")
}
