//! Key bindings of a window. One table serves the window and its help.

use winit::keyboard::{Key, NamedKey};

/// An action of the window, bound to keys and buttons of the panel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Action {
    Pause,
    Step,
    Faster,
    Slower,
    Restart,
    Screenshot,
    Record,
    NextPicture,
    Home,
    Panel,
    Fly([f64; 2]),
    Quit,
}

struct Binding {
    key: Key<&'static str>,
    name: &'static str,
    does: &'static str,
    action: Action,
}

const fn letter(key: &'static str, does: &'static str, action: Action) -> Binding {
    binding(Key::Character(key), key, does, action)
}

const fn named(key: NamedKey, name: &'static str, does: &'static str, action: Action) -> Binding {
    binding(Key::Named(key), name, does, action)
}

const fn binding(key: Key<&'static str>, name: &'static str, does: &'static str, action: Action) -> Binding {
    Binding {
        key,
        name,
        does,
        action,
    }
}

static BINDINGS: [Binding; 16] = [
    named(NamedKey::Space, "space", "pause, go on", Action::Pause),
    letter(".", "one frame, then pause", Action::Step),
    letter("+", "faster", Action::Faster),
    letter(
        "-",
        "slower: at most 60, 30, 15, ... frames a second",
        Action::Slower,
    ),
    letter("r", "restart, with the changed files and values", Action::Restart),
    letter("p", "write the picture as PNG", Action::Screenshot),
    letter(
        "o",
        "write the outputs of all frames from here on, or stop that",
        Action::Record,
    ),
    named(
        NamedKey::Tab,
        "tab",
        "the next image of the pipeline",
        Action::NextPicture,
    ),
    letter(
        "h",
        "the camera, or the whole picture, as at the start",
        Action::Home,
    ),
    named(NamedKey::F1, "F1", "open or close the panel", Action::Panel),
    letter("w", "fly ahead", Action::Fly([0.05, 0.0])),
    letter("s", "fly back", Action::Fly([-0.05, 0.0])),
    letter("a", "fly to the left", Action::Fly([0.0, -0.05])),
    letter("d", "fly to the right", Action::Fly([0.0, 0.05])),
    letter("q", "quit", Action::Quit),
    named(NamedKey::Escape, "esc", "quit", Action::Quit),
];

/// The action that is bound to a key.
pub(super) fn action(key: &Key) -> Option<Action> {
    let pressed = match key {
        // Ignore shift: on many keyboards `+` is the shifted `=`.
        Key::Character(text) => match text.as_str() {
            "=" => "+".to_string(),
            text => text.to_lowercase(),
        },
        _ => String::new(),
    };
    let found = BINDINGS.iter().find(|binding| match (&binding.key, key) {
        (Key::Character(ours), Key::Character(_)) => *ours == pressed,
        (Key::Named(ours), Key::Named(theirs)) => ours == theirs,
        _ => false,
    });
    found.map(|binding| binding.action)
}

/// Name in pipeline files of a key that `input` can read.
pub(super) fn name(key: &Key) -> Option<String> {
    match key {
        Key::Character(text) => Some(text.to_lowercase()),
        Key::Named(NamedKey::ArrowUp) => Some("up".into()),
        Key::Named(NamedKey::ArrowDown) => Some("down".into()),
        Key::Named(NamedKey::ArrowLeft) => Some("left".into()),
        Key::Named(NamedKey::ArrowRight) => Some("right".into()),
        _ => None,
    }
}

/// The key bindings as text.
pub fn help() -> String {
    let lines = BINDINGS
        .iter()
        .map(|binding| format!("  {:6} {}\n", binding.name, binding.does));
    lines.collect::<String>()
        + "  Left button turns the camera, right button moves it, the wheel zooms. In a picture without a camera\n  \
           they move and enlarge the picture."
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_bindings_ignore_shift() {
        assert_eq!(action(&Key::Character("R".into())), Some(Action::Restart));
        assert_eq!(action(&Key::Character("=".into())), Some(Action::Faster));
        assert_eq!(action(&Key::Named(NamedKey::Space)), Some(Action::Pause));
        assert_eq!(action(&Key::Character("x".into())), None);
    }

    #[test]
    fn keys_have_one_action_each() {
        for (number, binding) in BINDINGS.iter().enumerate() {
            assert!(
                BINDINGS[..number].iter().all(|other| other.key != binding.key),
                "{}",
                binding.name
            );
        }
    }
}
