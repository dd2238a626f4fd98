//! GLSL to SPIR-V through shaderc: Vulkan 1.3, warnings as errors, includes resolved and recorded.

use std::cell::RefCell;
use std::path::Path;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use shaderc::{
    CompileOptions, Compiler, EnvVersion, IncludeType, ResolvedInclude, ShaderKind, SpirvVersion, TargetEnv,
};

use super::library::{Found, Library};

/// Name under which shaders include their generated interface.
pub const INTERFACE_NAME: &str = "stage.glsl";
/// Maximum nesting depth of includes.
pub(super) const MAX_INCLUDE_DEPTH: usize = 32;

/// Errors passed to the compiler: an include that is not found, and includes that include themselves.
pub(super) const NO_FILE: &str = "no such file";
pub(super) const TOO_DEEP: &str = "nested too deep";
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
    compiler: Compiler,
}

/// A process keeps one compiler: when its last compiler ends, the next one takes a tenth of a second to initialise.
static KEPT: LazyLock<Option<Compiler>> = LazyLock::new(|| Compiler::new().ok());

impl GlslCompiler {
    pub fn new() -> Result<GlslCompiler, String> {
        LazyLock::force(&KEPT);
        let compiler = Compiler::new().map_err(|error| format!("cannot start the GLSL compiler: {error}"))?;
        Ok(GlslCompiler { compiler })
    }

    pub fn compile(&self, source: &Found, interface: &str, library: &Library) -> Result<Compiled, Failure> {
        let text = std::str::from_utf8(&source.bytes)
            .map_err(|_| Failure::of(format!("{}: not UTF-8 text", source.name)))?;
        let includes: RefCell<Vec<Found>> = RefCell::new(Vec::new());
        let inclusions: RefCell<Vec<Inclusion>> = RefCell::new(Vec::new());
        let mut options = CompileOptions::new().map_err(|error| Failure::of(error.to_string()))?;
        options.set_target_env(TargetEnv::Vulkan, EnvVersion::Vulkan1_3 as u32);
        options.set_target_spirv(SpirvVersion::V1_6);
        options.set_warnings_as_errors();
        options.set_include_callback(|wanted, kind, from, depth| {
            if depth > MAX_INCLUDE_DEPTH {
                return Err(TOO_DEEP.into());
            }
            let includer = from;
            if wanted == INTERFACE_NAME {
                return Ok(ResolvedInclude {
                    resolved_name: INTERFACE_NAME.into(),
                    content: interface.into(),
                });
            }
            let from = (kind == IncludeType::Relative).then_some(from);
            let Some(found) = library.find(wanted, from) else {
                return Err(NO_FILE.into());
            };
            let content =
                String::from_utf8(found.bytes.clone()).map_err(|_| format!("{wanted}: not UTF-8 text"))?;
            let resolved_name = found.name.clone();
            inclusions.borrow_mut().push(Inclusion {
                wanted: wanted.into(),
                relative: kind == IncludeType::Relative,
                name: found.name.clone(),
                includer: includer.into(),
            });
            let mut includes = includes.borrow_mut();
            if !includes.iter().any(|other| other.name == found.name) {
                includes.push(found);
            }
            Ok(ResolvedInclude {
                resolved_name,
                content,
            })
        });
        if text.contains('\0') {
            return Err(Failure::of(format!("{}: contains a zero byte", source.name)));
        }
        // Without it, the compiler reports errors in its internal headers.
        if !text.lines().any(|line| line.trim_start().starts_with("#version")) {
            return Err(Failure::of(format!(
                "{}:1: error: '#version' : {NO_VERSION}",
                source.name
            )));
        }
        let artifact = self
            .compiler
            .compile_into_spirv(text, ShaderKind::Compute, &source.name, "main", Some(&options))
            .map_err(|error| Failure {
                text: message(&error),
                files: includes.borrow().clone(),
                inclusions: inclusions.borrow().clone(),
            })?;
        let words = artifact.as_binary().to_vec();
        drop(options);
        Ok(Compiled {
            words,
            includes: includes.into_inner(),
            inclusions: inclusions.into_inner(),
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
