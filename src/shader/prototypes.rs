//! The functions that a GLSL text defines, by their heads.

/// The head of a function that starts at the beginning of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prototype {
    pub returns: String,
    pub name: String,
    /// Types and names, as they are written.
    pub parameters: String,
}

impl Prototype {
    /// The types of its parameters.
    pub fn types(&self) -> Vec<&str> {
        let qualifiers = ["const", "in", "highp", "mediump", "lowp"];
        let parameters = self.parameters.split(',');
        parameters
            .filter_map(|parameter| (parameter.split_whitespace()).find(|word| !qualifiers.contains(word)))
            .collect()
    }

    /// `float box_heat(ivec3 i)`.
    pub fn text(&self) -> String {
        format!("{} {}({})", self.returns, self.name, self.parameters)
    }
}

/// All functions that a text defines or declares, except the engine's internal ones (`sg_...`).
pub fn prototypes(text: &str) -> Vec<Prototype> {
    text.lines().filter_map(prototype).collect()
}

/// Parses a line that is the head of a function.
pub(super) fn prototype(line: &str) -> Option<Prototype> {
    let (head, rest) = line.split_once('(')?;
    let (parameters, after) = rest.split_once(')')?;
    let (returns, name) = head.split_once(' ')?;
    let is_head = after.trim_start().starts_with(['{', ';']) && is_word(returns) && is_word(name);
    let is_of_engine = name.starts_with("sg_") || matches!(returns, "return" | "else" | "layout");
    (is_head && !is_of_engine).then(|| Prototype {
        returns: returns.into(),
        name: name.into(),
        parameters: parameters.into(),
    })
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The byte range of a whole word in a line.
pub(super) fn word_in(line: &str, word: &str) -> Option<std::ops::Range<usize>> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut found = line.match_indices(word).filter(|_| !word.is_empty());
    found
        .find(|(at, _)| !line[..*at].ends_with(is_part) && !line[at + word.len()..].starts_with(is_part))
        .map(|(at, _)| at..at + word.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_function_prototypes_are_found() {
        let text = "float a(ivec3 i) {\n    return b(i);\nvoid set_a(ivec3 i, float v);\nuint sg_c(uint k) {\n#define d(x) x\nint e = f(1);\n";
        let found: Vec<String> = prototypes(text).iter().map(Prototype::text).collect();
        assert_eq!(found, ["float a(ivec3 i)", "void set_a(ivec3 i, float v)"]);
    }

    #[test]
    fn word_search_matches_whole_words() {
        assert_eq!(word_in("set_a(a, 1)", "a"), Some(6..7));
        assert_eq!(word_in("set_a(b, 1)", "a"), None);
    }
}
