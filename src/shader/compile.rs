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
pub(crate) const INTERFACE_NAME: &str = "stage.glsl";
/// Deepest nesting of includes.
const DEEPEST_INCLUDE: usize = 32;

/// The options below as text: part of the key of cached compilations.
pub(crate) const OPTIONS: &str = "vulkan1.3 spirv1.6 compute main warnings-as-errors";

/// A compiled shader and the files it came from.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub words: Vec<u32>,
    /// Included files, in the order of first inclusion.
    pub includes: Vec<Found>,
    /// Every `#include` in order, except that of the interface.
    pub inclusions: Vec<Inclusion>,
}

/// One compiler for all stages and threads: the first compilation of a process costs a hundred times a later one.
pub(crate) struct GlslCompiler {
    compiler: Compiler,
}

/// A process keeps one compiler: when its last compiler ends, the next one takes a tenth of a second to initialise.
static KEPT: LazyLock<Option<Compiler>> = LazyLock::new(|| Compiler::new().ok());

impl GlslCompiler {
    pub(crate) fn new() -> Result<GlslCompiler, String> {
        LazyLock::force(&KEPT);
        let compiler = Compiler::new().map_err(|error| format!("cannot start the GLSL compiler: {error}"))?;
        Ok(GlslCompiler { compiler })
    }

    /// Compiles `source`; the error is the compiler's own text, with file and line.
    pub(crate) fn compile(
        &self,
        source: &Found,
        interface: &str,
        library: &Library,
    ) -> Result<Compiled, String> {
        let text =
            std::str::from_utf8(&source.bytes).map_err(|_| format!("{}: not UTF-8 text", source.name))?;
        let includes: RefCell<Vec<Found>> = RefCell::new(Vec::new());
        let inclusions: RefCell<Vec<Inclusion>> = RefCell::new(Vec::new());
        let mut options = CompileOptions::new().map_err(|error| error.to_string())?;
        options.set_target_env(TargetEnv::Vulkan, EnvVersion::Vulkan1_3 as u32);
        options.set_target_spirv(SpirvVersion::V1_6);
        options.set_warnings_as_errors();
        options.set_include_callback(|wanted, kind, from, depth| {
            if depth > DEEPEST_INCLUDE {
                return Err(format!("includes are nested more than {DEEPEST_INCLUDE} deep"));
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
                return Err(format!("no file `{wanted}` in {}", library.places()));
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
            return Err(format!("{}: contains a zero byte", source.name));
        }
        let artifact = self
            .compiler
            .compile_into_spirv(text, ShaderKind::Compute, &source.name, "main", Some(&options))
            .map_err(|error| {
                let files = includes.borrow();
                with_chain(message(&error), source, &files, &inclusions.borrow())
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
pub(crate) struct Inclusion {
    /// The path as it is written.
    pub wanted: String,
    /// Written with quotes, so that the including file's directory is searched first.
    pub relative: bool,
    /// The name of the file that was found.
    pub name: String,
    /// The name of the including file.
    pub includer: String,
}

/// The text of the compiler, followed by the chain of includes of the first file in it.
fn with_chain(mut text: String, source: &Found, files: &[Found], inclusions: &[Inclusion]) -> String {
    let first = text.lines().next().unwrap_or_default();
    let mut file = inclusions
        .iter()
        .map(|inclusion| inclusion.name.clone())
        .find(|name| {
            first
                .strip_prefix(name.as_str())
                .is_some_and(|rest| rest.starts_with(':'))
        });
    for _ in 0..DEEPEST_INCLUDE {
        let Some(inclusion) = inclusions
            .iter()
            .find(|inclusion| Some(&inclusion.name) == file.as_ref())
        else {
            break;
        };
        let includer = [source]
            .into_iter()
            .chain(files)
            .find(|file| file.name == inclusion.includer);
        let bytes = includer.map_or(&[][..], |file| &file.bytes);
        let is_it = |line: &str| line.trim_start().starts_with('#') && line.contains(&inclusion.wanted);
        let line = String::from_utf8_lossy(bytes)
            .lines()
            .position(is_it)
            .map_or(0, |line| line + 1);
        text.push_str(&format!("\nincluded from {}:{line}", inclusion.includer));
        if inclusion.includer == source.name || inclusion.includer == inclusion.name {
            break;
        }
        file = Some(inclusion.includer.clone());
    }
    text
}

fn message(error: &shaderc::Error) -> String {
    match error {
        shaderc::Error::CompilationError(_, text) => text.trim_end().to_string(),
        other => other.to_string(),
    }
}

/// Whether a path names a SPIR-V module rather than GLSL.
pub(crate) fn is_spirv(path: &str) -> bool {
    Path::new(path)
        .extension()
        .is_some_and(|extension| extension == "spv")
}
