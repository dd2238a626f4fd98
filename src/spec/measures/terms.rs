//! The terms of an expression in a series: reductions of fields and single elements, among numbers and parameters.

use std::ops::Range;

/// Functions of a field, a set, a grid or a repeat. With two arguments, `min` and `max` are those of numbers.
const FUNCTIONS: [&str; 9] = [
    "min",
    "max",
    "sum",
    "mean",
    "nonfinite",
    "count",
    "blocks",
    "turns",
    "left",
];

/// Where the terms of a text stand, in order. None of them contains another.
pub(super) fn terms(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let name = name_length(rest);
        if name == 0 {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        }
        let is_number = rest.starts_with(|c: char| c.is_ascii_digit());
        let end = match is_number {
            true => None,
            false => call(rest, name).or_else(|| element(rest, name)),
        };
        if let Some(end) = end {
            found.push(at..at + end);
        }
        at += end.unwrap_or(name);
    }
    found
}

/// Length of a name with dots, or of a number.
fn name_length(text: &str) -> usize {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    text.find(|c| !is_part(c)).unwrap_or(text.len())
}

/// Length of a call of one of the functions with one argument, which starts with a name.
fn call(text: &str, name: usize) -> Option<usize> {
    let open = name + blank(&text[name..]);
    if !FUNCTIONS.contains(&&text[..name]) || !text[open..].starts_with('(') {
        return None;
    }
    let length = enclosed(&text[open..])?;
    (!has_comma(&text[open + 1..open + length - 1])).then_some(open + length)
}

/// Length of an element: a name with brackets, more names and brackets after it.
fn element(text: &str, name: usize) -> Option<usize> {
    let mut end = name;
    while text[end..].starts_with('[') {
        end += enclosed(&text[end..])?;
        if text[end..].starts_with('.') {
            end += name_length(&text[end..]);
        }
    }
    (end > name).then_some(end)
}

/// Length of a text in brackets.
fn enclosed(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + c.len_utf8());
        }
    }
    None
}

/// Whether a comma stands in a text, outside of brackets.
fn has_comma(text: &str) -> bool {
    let mut depth = 0;
    text.chars().any(|c| {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    })
}

fn blank(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::terms;

    fn texts(text: &str) -> Vec<&str> {
        terms(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn reductions_and_elements_are_found_among_numbers_and_names() {
        assert_eq!(texts("sum(a)"), ["sum(a)"]);
        assert_eq!(texts("max(a.u) - min(a.u)"), ["max(a.u)", "min(a.u)"]);
        assert_eq!(texts("sqrt(sum (a) / 2e-3) * rate.x"), ["sum (a)"]);
        assert_eq!(texts("max(length(p.v)) * dt"), ["max(length(p.v))"]);
        assert_eq!(
            texts("2*ledger[3]+air[1].u[4, 5].x"),
            ["ledger[3]", "air[1].u[4, 5].x"]
        );
        assert_eq!(texts("max(sum(a), b[0])"), ["sum(a)", "b[0]"]);
        assert_eq!(texts("max(a[1, 2])"), ["max(a[1, 2])"]);
        assert_eq!(texts("2 * rate"), [] as [&str; 0]);
        assert_eq!(texts("average(a)"), [] as [&str; 0]);
        assert_eq!(texts("sum(a"), [] as [&str; 0]);
        assert_eq!(texts("größe + sum(a)"), ["sum(a)"]);
        assert_eq!(texts("a[0"), [] as [&str; 0]);
    }
}
