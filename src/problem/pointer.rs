//! JSON pointers (RFC 6901).

/// Escapes a name as a part of a JSON pointer.
pub fn pointer_part(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// The JSON pointer of a path of names.
pub fn pointer(path: &[&str]) -> String {
    path.iter()
        .map(|part| format!("/{}", pointer_part(part)))
        .collect()
}

/// Splits a JSON pointer (RFC 6901) into its unescaped parts.
pub fn pointer_parts(pointer: &str) -> Vec<String> {
    pointer
        .split('/')
        .skip(1)
        .map(|part| part.replace("~1", "/").replace("~0", "~"))
        .collect()
}
