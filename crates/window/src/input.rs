//! Pointer and keys as inputs of the pipeline.

use std::collections::{BTreeMap, BTreeSet};

use sastrugi::Parameter;

/// The input of a parameter, and the parameter's name.
pub(super) type Wanted = (sastrugi::Input, String);

/// Parameters with an input.
pub(super) fn wanted(parameters: &[Parameter]) -> Vec<Wanted> {
    let set = parameters
        .iter()
        .filter_map(|parameter| Some((parameter.input.clone()?, parameter.name.clone())));
    set.collect()
}

/// A pointer or key event over the picture.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum InputEvent {
    /// Position of the pointer, from (0, 0) at the lower left corner of the picture to (1, 1).
    At([f64; 2]),
    /// True while the left button is held.
    Left(bool),
    Right(bool),
    /// A key, by its name in the pipeline file; true while it is held.
    Key(String, bool),
}

/// State of the pointer and the keys.
#[derive(Default)]
pub(super) struct Input {
    at: Option<[f64; 2]>,
    /// Position of the pointer at the previous frame.
    before: Option<[f64; 2]>,
    left: bool,
    right: bool,
    keys: BTreeSet<String>,
    /// Last reported value of each parameter.
    reported: BTreeMap<String, String>,
    /// Position in the scene under the pointer, m.
    pub(super) scene: Option<[f64; 3]>,
}

impl Input {
    pub(super) fn add(&mut self, event: InputEvent) {
        match event {
            InputEvent::At(at) => self.at = Some(at),
            InputEvent::Left(held) => self.left = held,
            InputEvent::Right(held) => self.right = held,
            InputEvent::Key(key, true) => {
                self.keys.insert(key);
            }
            InputEvent::Key(key, false) => {
                self.keys.remove(&key);
            }
        }
    }

    /// Position of the pointer in the picture.
    pub(super) fn at(&self) -> Option<[f64; 2]> {
        self.at
    }

    /// Forgets the reported values, so that all are reported again.
    pub(super) fn forget(&mut self) {
        self.reported.clear();
    }

    /// Parameters that have changed since the previous call, with their values in the syntax of `--set`.
    pub(super) fn changes(&mut self, wanted: &[Wanted]) -> Vec<(String, String)> {
        let moved = match (self.at, self.before) {
            (Some(at), Some(before)) => [at[0] - before[0], at[1] - before[1]],
            _ => [0.0, 0.0],
        };
        self.before = self.at;
        let vector = |[x, y]: [f64; 2]| format!("[{x:.5}, {y:.5}]");
        let held = |held: bool| Some(if held { "1".to_string() } else { "0".to_string() });
        let mut changes = Vec::new();
        for (input, name) in wanted {
            let value = match input {
                sastrugi::Input::PointerAt => self.at.map(vector),
                sastrugi::Input::PointerMoved => self.at.map(|_| vector(moved)),
                sastrugi::Input::Scene(_) => self.scene.map(|[x, y, z]| format!("[{x:.6}, {y:.6}, {z:.6}]")),
                sastrugi::Input::PointerLeft => held(self.left),
                sastrugi::Input::PointerRight => held(self.right),
                sastrugi::Input::Key(key) => held(self.keys.contains(key)),
            };
            let Some(value) = value else { continue };
            if self.reported.get(name) != Some(&value) {
                self.reported.insert(name.clone(), value.clone());
                changes.push((name.clone(), value));
            }
        }
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted() -> Vec<Wanted> {
        [
            (sastrugi::Input::PointerAt, "at"),
            (sastrugi::Input::PointerMoved, "moved"),
            (sastrugi::Input::PointerLeft, "left"),
            (sastrugi::Input::Key("b".into()), "b"),
        ]
        .map(|(input, name)| (input, format!("p.{name}")))
        .to_vec()
    }

    #[test]
    fn pointer_motion_is_relative_to_the_previous_frame() {
        let mut input = Input::default();
        input.changes(&wanted());
        input.add(InputEvent::At([0.25, 0.5]));
        input.add(InputEvent::Left(true));
        let text = |name: &str, value: &str| (name.to_string(), value.to_string());
        assert_eq!(
            input.changes(&wanted()),
            [
                text("p.at", "[0.25000, 0.50000]"),
                text("p.moved", "[0.00000, 0.00000]"),
                text("p.left", "1")
            ]
        );
        input.add(InputEvent::At([0.5, 0.5]));
        input.add(InputEvent::At([0.75, 0.25]));
        let moved = text("p.moved", "[0.50000, -0.25000]");
        assert_eq!(input.changes(&wanted())[1], moved);
        // A pointer at rest changes only the motion.
        assert_eq!(input.changes(&wanted()), [text("p.moved", "[0.00000, 0.00000]")]);
        assert_eq!(input.changes(&wanted()), []);
    }

    #[test]
    fn key_press_and_release_set_the_parameter() {
        let mut input = Input::default();
        input.changes(&wanted());
        input.add(InputEvent::Key("b".into(), true));
        assert_eq!(input.changes(&wanted()), [("p.b".to_string(), "1".to_string())]);
        input.add(InputEvent::Key("b".into(), false));
        assert_eq!(input.changes(&wanted()), [("p.b".to_string(), "0".to_string())]);
        input.forget();
        assert_eq!(input.changes(&wanted()).len(), 2);
    }
}
