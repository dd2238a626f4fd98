//! Texts for a terminal: names and titles of a pipeline may contain control characters, which a terminal would obey.

/// Replaces control characters except line breaks and tabs, each by a character of the same length in UTF-8, so that byte
/// offsets into the text stay valid.
pub(super) fn plain(text: &str) -> String {
    let replaced = |c: char| match c {
        '\n' | '\t' => c,
        '\r' => ' ',
        c if c.is_ascii_control() => '?',
        c if c.is_control() => '\u{b7}',
        c => c,
    };
    text.chars().map(replaced).collect()
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn control_characters_are_replaced_without_moving_offsets() {
        let text = "a\u{1b}[31m\u{9b}2J\r\n\tö";
        assert_eq!(plain(text), "a?[31m\u{b7}2J \n\tö");
        assert_eq!(plain(text).len(), text.len());
    }
}
