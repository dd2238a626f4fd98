//! Names that become GLSL identifiers: their form, and that no two of them collide.

use std::collections::{HashMap, HashSet};

use super::resolver::Resolver;
use crate::ir::{Resource, SPARSE_CONSTANTS};
use crate::problem::{Problem, Problems};

/// Words that GLSL keeps for itself or that the generated interface uses.
const RESERVED: &[&str] = &[
    "arg",
    "attribute",
    "barrier",
    "bool",
    "break",
    "buffer",
    "case",
    "centroid",
    "clock",
    "coherent",
    "const",
    "continue",
    "default",
    "discard",
    "do",
    "double",
    "else",
    "false",
    "flat",
    "float",
    "for",
    "if",
    "in",
    "inout",
    "input",
    "int",
    "invariant",
    "layout",
    "main",
    "mat2",
    "mat3",
    "mat4",
    "out",
    "output",
    "patch",
    "precise",
    "readonly",
    "resource",
    "restrict",
    "return",
    "sample",
    "sampler",
    "shared",
    "smooth",
    "stage",
    "stage_begin",
    "stage_linear",
    "struct",
    "subroutine",
    "switch",
    "true",
    "uint",
    "uniform",
    "varying",
    "vec2",
    "vec3",
    "vec4",
    "void",
    "volatile",
    "while",
    "writeonly",
];

/// Reports a name that cannot be a GLSL identifier.
pub(super) fn check_name(name: &str, pointer: &str, problems: &mut Problems) {
    check(name, RESERVED, pointer, problems);
}

/// Reports a name that a stage cannot have. Shaders do not contain it, so it may be a keyword of GLSL.
pub(super) fn check_stage_name(name: &str, pointer: &str, problems: &mut Problems) {
    check(name, &[], pointer, problems);
}

fn check(name: &str, reserved: &[&str], pointer: &str, problems: &mut Problems) {
    let form = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        && !name.contains("__")
        && name.len() <= 64;
    if !form {
        problems.push(
            Problem::on_key(pointer, format!("`{name}` is not a valid name in shaders"))
                .help("use at most 64 lower-case letters, digits and single underscores, a letter first"),
        );
    } else if reserved.contains(&name) || name.starts_with("sg_") || name.starts_with("gl_") {
        problems.push(
            Problem::on_key(pointer, format!("`{name}` is reserved in shaders")).help("choose another name"),
        );
    }
}

/// Reports fields whose accessors would have the name of another accessor or constant.
pub(super) fn check_symbols(resolver: &mut Resolver) {
    let mut taken: HashMap<String, String> = HashMap::new();
    let mut clashes = Vec::new();
    let mut reported = HashSet::new();
    let mut claim = |symbol: String, owner: &str, pointer: &str| {
        if let Some(other) = taken.insert(symbol.clone(), owner.to_string())
            && reported.insert((owner.to_string(), other.clone()))
        {
            let message = format!("`{owner}` and `{other}` would both be called `{symbol}` in shaders");
            clashes.push(Problem::on_key(pointer, message).help("rename one of them"));
        }
    };
    // In kernels that bind no names, all levels have those of level 0.
    let is_further = |resource: &Resource| resource.level().is_some_and(|level| level.number > 0);
    for resource in resolver
        .pipeline
        .resources
        .iter()
        .filter(|resource| !is_further(resource))
    {
        let constants: &[&[&str]] = match (resource.form(), resource.sparse(), resource.live()) {
            (Some(form), Some(_), _) => &[form.constants, SPARSE_CONSTANTS],
            (Some(form), None, _) => &[form.constants],
            (None, _, Some(_)) => &[&["count", "capacity", "born"]],
            (None, _, None) => &[&["count"]],
        };
        let pointer = resource.pointer();
        for constant in constants.iter().copied().flatten() {
            claim(format!("{}_{constant}", resource.name), &resource.name, &pointer);
        }
        if resource.sparse().is_some() {
            claim(format!("request_{}", resource.name), &resource.name, &pointer);
            claim(
                format!("request_{}_block", resource.name),
                &resource.name,
                &pointer,
            );
        }
    }
    for field in &resolver.pipeline.fields {
        let resource = &resolver.pipeline.resources[field.resource];
        if is_further(resource) {
            continue;
        }
        let pointer = resource.pointer_of_channel(field.channel());
        let symbol = field.symbol();
        if field.count.is_some() {
            claim(format!("{symbol}_entries"), &field.name, &pointer);
        }
        for prefix in ["", "set_", "add_", "min_", "max_", "or_"] {
            claim(format!("{prefix}{symbol}"), &field.name, &pointer);
        }
        if resource.is_placed() && (field.at.is_some() || field.border.is_some()) {
            claim(format!("sample_{symbol}"), &field.name, &pointer);
            claim(format!("{symbol}_position"), &field.name, &pointer);
        }
    }
    clashes
        .into_iter()
        .for_each(|problem| resolver.problems.push(problem));
}
