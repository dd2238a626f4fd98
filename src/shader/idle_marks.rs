//! Removes race-detection marks that a kernel does not need.

use crate::ir::{Marks, Signature};

use super::Interface;
use super::library::Found;

/// Removes the marks of fields that a kernel changes only with atomics, which do not race with each other. Marks
/// dominate the time of compiling and running a kernel.
pub(super) fn drop_idle_marks(signature: &mut Signature, interface: &Interface, texts: &[Found]) {
    let texts: Vec<String> = (texts.iter())
        .map(|text| String::from_utf8_lossy(&text.bytes).into_owned())
        .collect();
    // Macros may paste names together.
    if texts.iter().any(|text| text.contains("##")) {
        return;
    }
    for (field, marks) in signature.fields.iter().zip(&mut signature.marks) {
        let setter = format!("set_{}", field.name);
        let is_called = texts.iter().any(|text| mentions(text, &setter) > 0)
// The definition is one mention.
            || mentions(&interface.text, &setter) > 1;
        if *marks == Marks::Own && !field.reads && !is_called {
            *marks = Marks::None;
        }
    }
}

/// Number of occurrences of an identifier in a text.
fn mentions(text: &str, identifier: &str) -> usize {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| *word == identifier)
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifier_search_matches_whole_words() {
        let text = "set_a(i, set_ab(set_a)); // set_a.";
        assert_eq!(mentions(text, "set_a"), 3);
        assert_eq!(mentions(text, "set_ab"), 1);
        assert_eq!(mentions(text, "a"), 0);
    }
}
