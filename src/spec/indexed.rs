//! The form of names of levels: `air[l + 1].p`.

/// A name with an index: the grid, the index as it is written, and what follows, such as `.p`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Indexed<'a> {
    pub grid: &'a str,
    pub index: &'a str,
    pub rest: &'a str,
}

/// Takes a name with an index apart; `None` for any other text.
pub(super) fn indexed(text: &str) -> Option<Indexed<'_>> {
    let (grid, after) = text.split_once('[')?;
    let (index, rest) = after.split_once(']')?;
    let is_name = !grid.is_empty() && grid.chars().all(|c| c.is_alphanumeric() || c == '_');
    (is_name && (rest.is_empty() || rest.starts_with('.'))).then_some(Indexed { grid, index, rest })
}

/// A name without its index: `air.p` for `air[l + 1].p`.
pub(super) fn without_index(text: &str) -> String {
    indexed(text).map_or(text.to_string(), |found| format!("{}{}", found.grid, found.rest))
}

/// The resource that a name begins with.
pub(super) fn head_of(name: &str) -> &str {
    name.split(['.', '[']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_an_index_are_taken_apart() {
        let parts = |text| indexed(text).map(|found| (found.grid, found.index, found.rest));
        assert_eq!(parts("air[l + 1].p"), Some(("air", "l + 1", ".p")));
        assert_eq!(parts("air[floor(l / 2)]"), Some(("air", "floor(l / 2)", "")));
        for other in ["air.p", "air.f[3]", "air[1", "[1].p", "air[1]p", "2 * a[1]", ""] {
            assert_eq!(parts(other), None, "{other}");
        }
        assert_eq!(without_index("air[0].p"), "air.p");
        assert_eq!(without_index("air.f[3]"), "air.f[3]");
    }
}
