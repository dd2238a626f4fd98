//! Names that become identifiers in shaders: checks of their form and of collisions.

use std::collections::{HashMap, HashSet};

use crate::ir::{Pipeline, Resource, SPARSE_CONSTANTS};
use crate::problem::{Place, Problem};

/// Reserved words of GLSL and of the generated interface.
#[rustfmt::skip]
const RESERVED: &[&str] = &[
    "arg", "attribute", "barrier", "bool", "break", "buffer", "case", "centroid", "clock", "coherent",
    "const", "continue", "default", "discard", "do", "double", "else", "false", "flat", "float", "for",
    "if", "in", "inout", "input", "int", "invariant", "layout", "main", "mat2", "mat3", "mat4", "out",
    "output", "patch", "precise", "readonly", "resource", "restrict", "return", "sample", "sampler",
    "shared", "smooth", "stage", "stage_begin", "stage_linear", "struct", "subroutine", "switch", "true",
    "uint", "uniform", "varying", "vec2", "vec3", "vec4", "void", "volatile", "while", "writeonly",
];

/// The problem of a name that is invalid in shaders.
pub fn wrong_name(name: &str, place: &Place) -> Option<Problem> {
    wrong(name, RESERVED, place)
}

/// The problem of an invalid name of a stage. Shaders do not contain it, so it may be a keyword of GLSL.
pub fn wrong_stage_name(name: &str, place: &Place) -> Option<Problem> {
    wrong(name, &[], place)
}

fn wrong(name: &str, reserved: &[&str], place: &Place) -> Option<Problem> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let has_form = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(is_plain)
        && !name.contains("__")
        && name.len() <= 64;
    if !has_form {
        let message = format!("`{name}` is not a valid name in shaders");
        let help = "use at most 64 lower-case letters, digits and single underscores, a letter first";
        return Some(Problem::at(place, message, help));
    }
    let is_reserved = reserved.contains(&name) || name.starts_with("sg_") || name.starts_with("gl_");
    let message = || format!("`{name}` is reserved in shaders");
    is_reserved.then(|| Problem::at(place, message(), "choose another name"))
}

/// Problems of resources and fields whose accessors would have the name of another accessor or constant. `place`
/// returns the place of a declaration in the file itself.
pub fn clashes<'p>(pipeline: &Pipeline, place: impl Fn(&str) -> Option<&'p Place>) -> Vec<Problem> {
    let mut taken: HashMap<String, String> = HashMap::new();
    let mut clashes = Vec::new();
    let mut reported = HashSet::new();
    let mut claim = |symbol: String, owner: &str| {
        if let Some(other) = taken.insert(symbol.clone(), owner.to_string())
            && reported.insert((owner.to_string(), other.clone()))
            && let Some(place) = place(owner).or_else(|| place(&other))
        {
            let message = format!("`{owner}` and `{other}` would both be called `{symbol}` in shaders");
            clashes.push(Problem::at(place, message, "rename one of them"));
        }
    };
    // In kernels without `bind`, all levels have the names of level 0. Resources of modules have the names of the
    // module.
    let is_named = |resource: &Resource| {
        resource.level().is_none_or(|level| level.number == 0) && place(&resource.name).is_some()
    };
    for resource in pipeline.resources.iter().filter(|resource| is_named(resource)) {
        let constants: &[&[&str]] = match (resource.form(), resource.sparse(), resource.live()) {
            (Some(form), Some(_), _) => &[form.constants, SPARSE_CONSTANTS],
            (Some(form), None, _) => &[form.constants],
            (None, _, Some(_)) => &[&["count", "capacity", "born"]],
            (None, _, None) => &[&["count"]],
        };
        for constant in constants.iter().copied().flatten() {
            claim(format!("{}_{constant}", resource.name), &resource.name);
        }
        if resource.sparse().is_some() {
            claim(format!("request_{}", resource.name), &resource.name);
            claim(format!("request_{}_block", resource.name), &resource.name);
        }
    }
    for field in &pipeline.fields {
        if place(&field.name).is_none() || !is_named(&pipeline.resources[field.resource]) {
            continue;
        }
        let symbol = field.symbol();
        if field.count.is_some() {
            claim(format!("{symbol}_entries"), &field.name);
        }
        for prefix in ["", "set_", "add_", "min_", "max_", "or_"] {
            claim(format!("{prefix}{symbol}"), &field.name);
        }
        if pipeline.resources[field.resource].is_placed() && (field.at.is_some() || field.border.is_some()) {
            claim(format!("sample_{symbol}"), &field.name);
            claim(format!("{symbol}_position"), &field.name);
        }
    }
    clashes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::SourceText;

    #[test]
    fn names_have_at_most_64_letters() {
        let place = Place::new(&SourceText::new("t.json", "{}", std::path::Path::new("")), 0..2);
        assert!(wrong_name(&"a".repeat(64), &place).is_none());
        let problem = wrong_name(&"a".repeat(65), &place).unwrap();
        assert!(
            problem.message.contains("is not a valid name"),
            "{}",
            problem.message
        );
    }
}
