//! Compiles the stages of a pipeline to checked SPIR-V modules with their constants, without a device.

mod bounds;
mod cache;
pub mod compile;
mod contract;
pub mod demands;
mod diagnostics;
pub mod facts;
mod globals;
mod idle_marks;
pub mod interface;
pub mod library;
pub mod lines;
mod opcodes;
pub mod portable;
pub mod processor;
mod prototypes;
pub mod specialize;
pub mod spirv;
#[allow(
    unsafe_code,
    reason = "calls the C library that validates SPIR-V; every block argues its safety"
)]
pub mod validate;
#[allow(
    unsafe_code,
    reason = "asks the C++ libraries of the GLSL compiler for their versions; every block argues its safety"
)]
mod versions;
pub mod worlds;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

use crate::cache::Cache;
use crate::input_file;
use crate::ir::{Kernel, Marks, Pipeline, ShaderSource, Signature, Stage};
use crate::problem::{Problem, Problems};
use crate::workgroups::{DeviceClass, Shape};

pub use cache::CachedCompiler;
use contract::{Mismatch, check_entry, check_interface};
pub use interface::Interface;
use library::{Found, Library, MAX_SHADER_BYTES};
use spirv::ConstantType;

/// One stage, ready to become a GPU pipeline.
#[derive(Debug, Clone)]
pub struct Module {
    /// The stage's name.
    pub stage: String,
    /// Shared by all stages with the same kernel.
    pub kernel: Arc<CompiledKernel>,
    /// Values of the specialization constants by id, except those for checked mode and for pages.
    pub constants: Vec<(u32, u32)>,
    /// A hash of words and constants without the additions of checked or shuffled runs. Resumed runs compare it.
    pub hash: blake3::Hash,
}

/// A kernel as SPIR-V.
#[derive(Debug)]
pub struct CompiledKernel {
    pub interface: Interface,
    pub words: Vec<u32>,
    /// It was compiled against the generated interface, so `--checked` applies to it.
    pub covered: bool,
    /// The marks of each field for the detection of data races; empty without marks.
    pub marks: Vec<Marks>,
    /// Shader and includes with their hashes.
    pub sources: Vec<(String, blake3::Hash)>,
    reflection: spirv::Reflection,
    /// The kernel without the additions of a checked, shuffled or cut run, if there are any.
    plain: Option<Box<CompiledKernel>>,
}

/// One hash over a module's words and constants.
fn hash(words: &[u32], constants: &[(u32, u32)]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    for word in words {
        hasher.update(&word.to_le_bytes());
    }
    for (id, bits) in constants {
        hasher.update(&id.to_le_bytes());
        hasher.update(&bits.to_le_bytes());
    }
    hasher.finalize()
}

/// Compiles or loads the shader of every kernel once, and sets the constants of every stage; `swaps` replaces shaders
/// by stage name. Workgroups have the shapes of a class of devices. Takes modules from the cache if possible, and compiles
/// the others on all processor cores.
pub fn build(
    pipeline: &Pipeline,
    class: DeviceClass,
    swaps: &BTreeMap<String, String>,
    cache: &Cache,
) -> Result<Vec<Module>, Problems> {
    let mut problems = Problems::default();
    for name in swaps.keys() {
        if !pipeline.stages.iter().any(|stage| stage.name == *name) {
            let names = pipeline.stages.iter().map(|stage| stage.name.as_str());
            problems.push(
                Problem::without_place(format!("--stage {name}: no stage has that name"))
                    .suggest(name, names),
            );
        }
    }
    let library = Library::new(&pipeline.directory).with_texts(&pipeline.texts);
    let compiler = CachedCompiler::new(cache);
    let kernels: Vec<Kernel> = (pipeline.stages.iter())
        .map(|stage| kernel_of(pipeline, stage, swaps.get(&stage.name), &library))
        .collect();
    // Every kernel once, with the first stage that uses it.
    let mut users: Vec<(&Kernel, &Stage)> = Vec::new();
    let mut numbers: HashMap<&Kernel, usize> = HashMap::new();
    for (stage, kernel) in pipeline.stages.iter().zip(&kernels) {
        numbers.entry(kernel).or_insert_with(|| {
            users.push((kernel, stage));
            users.len() - 1
        });
    }
    let mut compiled: Vec<Result<Arc<CompiledKernel>, Vec<Problem>>> = (users.par_iter())
        .map(|(kernel, stage)| compile(pipeline, kernel, stage, &library, &compiler))
        .map(|compiled| compiled.map(Arc::new))
        .collect();
    let mut modules = Vec::new();
    for (stage, kernel) in pipeline.stages.iter().zip(&kernels) {
        match &mut compiled[numbers[kernel]] {
            Ok(kernel) => match module(pipeline, stage, Shape::of_stage(pipeline, stage, class), kernel) {
                Ok(module) => modules.push(module),
                Err(problem) => problems.push(problem),
            },
            // Already reported for the first stage that uses this kernel.
            Err(found) => problems.list.append(found),
        }
    }
    if problems.is_empty() {
        Ok(modules)
    } else {
        Err(problems)
    }
}

/// A kernel with the constants of a stage.
fn module(
    pipeline: &Pipeline,
    stage: &Stage,
    shape: Shape,
    kernel: &Arc<CompiledKernel>,
) -> Result<Module, Problem> {
    let plain = kernel.plain.as_deref().unwrap_or(kernel);
    Ok(Module {
        stage: stage.name.clone(),
        kernel: kernel.clone(),
        constants: constants(pipeline, stage, shape, kernel)?,
        hash: hash(&plain.words, &constants(pipeline, stage, shape, plain)?),
    })
}

/// The kernel of a stage, with the shader that `--stage` names instead of its own.
fn kernel_of(pipeline: &Pipeline, stage: &Stage, swap: Option<&String>, library: &Library) -> Kernel {
    let mut kernel = pipeline.kernel_of(stage).clone();
    if let Some(path) = swap {
        // The other kernel has the same interface, but may state how far it reaches.
        let found = library.find_shader(path, Path::new(""));
        let facts = found
            .map(|found| facts::facts_of(library, found))
            .unwrap_or_default();
        for field in &mut kernel.signature.fields {
            field.reach = facts.reaches.get(&field.name).copied().unwrap_or(field.reach);
            field.keeps = facts.keeps.get(&field.name).cloned();
            field.alternation = facts.alternation(&field.name, field.count);
        }
        kernel.source = ShaderSource::File(PathBuf::from(path));
    }
    kernel
}

/// Compiles the kernel of a stage, with the additions of a checked or shuffled run; problems name the stage.
fn compile(
    pipeline: &Pipeline,
    kernel: &Kernel,
    stage: &Stage,
    library: &Library,
    compiler: &CachedCompiler,
) -> Result<CompiledKernel, Vec<Problem>> {
    let mut signature = kernel.signature.plain();
    let (plain, texts) = compile_as(&signature, pipeline, kernel, stage, library, compiler)?;
    // A run cannot add anything to a precompiled module.
    if texts.is_empty() || signature == kernel.signature {
        return Ok(plain);
    }
    signature = kernel.signature.clone();
    idle_marks::drop_idle_marks(&mut signature, &plain.interface, &texts);
    if !signature.has_marks() && !signature.shuffled && !signature.records_lines() && !signature.cut {
        return Ok(plain);
    }
    let (instrumented, _) = compile_as(&signature, pipeline, kernel, stage, library, compiler)?;
    Ok(CompiledKernel {
        plain: Some(Box::new(plain)),
        ..instrumented
    })
}

/// Compiles the kernel of a stage against the interface of a signature. Also returns the texts, except for a
/// precompiled module.
fn compile_as(
    signature: &Signature,
    pipeline: &Pipeline,
    kernel: &Kernel,
    stage: &Stage,
    library: &Library,
    compiler: &CachedCompiler,
) -> Result<(CompiledKernel, Vec<Found>), Vec<Problem>> {
    let pointer = format!("{}/shader", stage.pointer);
    let problem = |message: String| Problem::new(&pointer, format!("stage `{}`: {message}", stage.name));
    let mut interface = interface::generate(signature);
    if pipeline.portable {
        interface.text = portable::with_arithmetic(&interface.text);
    }
    let source =
        find(&kernel.source, library).map_err(|(message, help)| vec![problem(message).help(help)])?;
    let shader = diagnostics::Shader {
        pipeline,
        stage,
        signature,
        interface: &interface.text,
        source: &source,
        library,
    };
    let mut files = Vec::new();
    let precompiled = compile::is_spirv(&source.name);
    let words = if precompiled {
        let damaged = |cause: String| {
            let message = format!("{} is not a valid SPIR-V module: {cause}", source.name);
            vec![problem(message).help(
                "compile it again for Vulkan 1.3; `spirv-val --target-env vulkan1.3 \
                       --scalar-block-layout` checks it",
            )]
        };
        let words = spirv::words(&source.bytes).map_err(damaged)?;
        // Drivers may crash on invalid modules.
        validate::validate(&words).map_err(damaged)?;
        words
    } else {
        let compiled = compiler.compile(&source, &interface.text, library);
        let compiled = compiled.map_err(|failure| diagnostics::problems(&shader, &failure))?;
        files = compiled.includes;
        compiled.words
    };
    let not_portable = |name: String| {
        problem(format!("{}: `{name}` has no portable form", source.name)).help(
            "compute it by other functions (docs/portable.md lists them), include \"stage.glsl\", or remove \
                 `run.portable`",
        )
    };
    let mismatch = |(cause, help): Mismatch| {
        let lacking = (!precompiled).then(|| diagnostics::without_interface(&shader, &files));
        let problem = || problem(format!("{}: {cause}", source.name)).help(help);
        vec![lacking.flatten().unwrap_or_else(problem)]
    };
    let reflection = spirv::reflect(&words);
    check_entry(&reflection).map_err(mismatch)?;
    let covered = check_interface(&reflection, &interface, kernel.unchecked).map_err(mismatch)?;
    let sources = [&source].into_iter().chain(&files);
    let sources: Vec<_> = sources
        .map(|file| (file.name.clone(), blake3::hash(&file.bytes)))
        .collect();
    let words = lines::record(&words, &sources);
    let words = if pipeline.portable {
        portable::redirect(&words).map_err(|name| vec![not_portable(name)])?
    } else {
        words
    };
    let kernel = CompiledKernel {
        words: spirv::no_contraction(&words),
        interface,
        covered,
        marks: if signature.has_marks() {
            signature.marks.clone()
        } else {
            Vec::new()
        },
        sources,
        reflection,
        plain: None,
    };
    let texts = if precompiled {
        Vec::new()
    } else {
        [source].into_iter().chain(files).collect()
    };
    Ok((kernel, texts))
}

/// The text of the shader, or the problem with its remedy.
fn find(source: &ShaderSource, library: &Library) -> Result<Found, (String, String)> {
    let missing = |path: &str| {
        let places = library.places();
        (
            format!("there is no shader `{path}`"),
            format!("put it in one of {places}"),
        )
    };
    match source {
        ShaderSource::Named { path, directory } => {
            library.find_shader(path, directory).ok_or_else(|| missing(path))
        }
        ShaderSource::BuiltIn(path) => library::built_in_shader(path).ok_or_else(|| missing(path)),
        ShaderSource::Written { name, text } => Ok(library::written_shader(name, text)),
        ShaderSource::File(path) => {
            let name = path.display().to_string();
            match input_file::read(path, MAX_SHADER_BYTES) {
                Ok(bytes) => Ok(Found { name, bytes }),
                Err(error) => Err((
                    format!("--stage: cannot read {name}: {error}"),
                    "the path of --stage NAME=PATH is relative to the current directory".to_string(),
                )),
            }
        }
    }
}

/// The values of a stage's specialization constants.
fn constants(
    pipeline: &Pipeline,
    stage: &Stage,
    shape: Shape,
    kernel: &CompiledKernel,
) -> Result<Vec<(u32, u32)>, Problem> {
    let declared = &kernel.reflection.spec_constants;
    let mut values = kernel.interface.constants(pipeline, stage, shape);
    // In some modules, the constants of the workgroup size have no name, but they always have an id.
    values.retain(|(id, _)| declared.iter().any(|constant| constant.id == *id));
    let own: Vec<&spirv::SpecConstant> = declared
        .iter()
        .filter(|constant| constant.id < interface::FIRST_RESERVED)
        .collect();
    for (name, value) in &stage.constants {
        let pointer = format!("{}/constants/{name}", stage.pointer);
        let Some(constant) = own.iter().find(|c| c.name == *name || c.id.to_string() == *name) else {
            let message = format!(
                "stage `{}`: the shader has no specialization constant `{name}`",
                stage.name
            );
            return Err(Problem::on_key(pointer, message)
                .help("declare it: layout(constant_id = 0) const int NAME = 1;")
                .suggest(name, own.iter().map(|c| c.name.as_str())));
        };
        let whole = value.fract() == 0.0;
        let bits = match constant.kind {
            ConstantType::Float if (*value as f32).is_finite() => Some((*value as f32).to_bits()),
            ConstantType::Int if whole && value.abs() <= 2147483647.0 => Some(*value as i32 as u32),
            ConstantType::Uint if whole && (0.0..=4294967295.0).contains(value) => Some(*value as u32),
            ConstantType::Bool if *value == 0.0 || *value == 1.0 => Some(*value as u32),
            _ => None,
        };
        let Some(bits) = bits else {
            let (kind, help) = match constant.kind {
                ConstantType::Bool => ("a bool", "write 0 or 1"),
                ConstantType::Int => ("an int", "write a whole number from -2147483647 to 2147483647"),
                ConstantType::Uint => ("a uint", "write a whole number from 0 to 4294967295"),
                ConstantType::Float => ("a float", "write a number from -3.4028235e38 to 3.4028235e38"),
                ConstantType::Other => (
                    "not 32 bits wide",
                    "only 32-bit constants can be set: declare it with 32 bits",
                ),
            };
            let message = format!(
                "stage `{}`: {} does not fit constant `{name}`, which is {kind}",
                stage.name,
                crate::element::shown(*value)
            );
            return Err(Problem::new(pointer, message).help(help));
        };
        values.push((constant.id, bits));
    }
    Ok(values)
}
