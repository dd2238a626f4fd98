//! Entries of stage lists.

use serde_json::Value;

use super::keys::Keys;

/// An entry of a stage list: a stage, a repeat of entries, or an operation of the engine.
///
/// ```
/// use sastrugi::{Entry, json};
///
/// let spread = Entry::stage("spread", "box")
///     .reads(["box.heat"])
///     .writes(["box.next"])
///     .argument("rate", 0.1)
///     .glsl("
///         #version 460
///         #include \"stage.glsl\"
///         void stage(ivec3 cell) { set_box_next(cell, (1.0 - arg.rate) * box_heat(cell)); }
///     ");
/// let often = Entry::repeat("k", 10, [spread]);
/// // Whatever a pipeline file may say can be said as JSON.
/// let sorted = Entry::json(json!({"sort": "dots", "by": "dots.key", "bits": 16}));
/// ```
#[derive(Debug, Clone)]
pub struct Entry {
    keys: Keys,
    /// Entries inside, for the key `stages`.
    inner: Vec<Entry>,
    /// A value that was given instead of an object; the checks of the pipeline report it.
    wrong: Option<Value>,
    texts: Vec<(String, String)>,
}

impl Entry {
    fn new(keys: Keys) -> Entry {
        Entry {
            keys,
            inner: Vec::new(),
            wrong: None,
            texts: Vec::new(),
        }
    }

    /// A compute shader that runs once for each element of `over`: a resource by name, or a number of invocations. The
    /// name is unique in the pipeline.
    pub fn stage(name: &str, over: impl Into<Value>) -> Entry {
        Entry::new(Keys::default().key("stage", name).key("over", over))
    }

    /// Runs entries once per value of a list, or `over` times; expressions can use the value as `name`.
    pub fn repeat(name: &str, over: impl Into<Value>, entries: impl IntoIterator<Item = Entry>) -> Entry {
        Entry {
            inner: entries.into_iter().collect(),
            ..Entry::new(Keys::default().key("repeat", name).key("over", over))
        }
    }

    /// An entry as in a pipeline file: `set`, `sort`, `remove`, `update_grid`, or any other.
    pub fn json(entry: impl Into<Value>) -> Entry {
        match entry.into() {
            Value::Object(members) => Entry::new(Keys::of(members)),
            other => Entry {
                wrong: Some(other),
                ..Entry::new(Keys::default())
            },
        }
    }

    /// The fields that a stage reads: `<resource>.<channel>`, or the name of a buffer.
    pub fn reads<'a>(self, fields: impl IntoIterator<Item = &'a str>) -> Entry {
        let fields: Vec<&str> = fields.into_iter().collect();
        self.key("reads", fields)
    }

    /// The fields that a stage writes, in the same form.
    pub fn writes<'a>(self, fields: impl IntoIterator<Item = &'a str>) -> Entry {
        let fields: Vec<&str> = fields.into_iter().collect();
        self.key("writes", fields)
    }

    /// An argument, `arg.<name>` in the shader: a number, an expression such as `uint(n)`, or a list of 2 to 4.
    pub fn argument(self, name: &str, value: impl Into<Value>) -> Entry {
        Entry {
            keys: self.keys.within("arguments", name, value.into()),
            ..self
        }
    }

    /// Runs only in every n-th step (every n-th frame, for frame stages), starting with the first one.
    pub fn every(self, steps: u32) -> Entry {
        self.key("every", steps)
    }

    /// The stage's shader as GLSL text. Without this the shader is that of the key `shader`, or `<stage>.comp`.
    pub fn glsl(mut self, text: impl Into<String>) -> Entry {
        let stage = Value::from(self.keys.clone())["stage"].clone();
        let path = format!("{}.comp", stage.as_str().unwrap_or_default());
        self.texts.push((path, text.into()));
        self
    }

    /// Sets any other key of a stage, such as `shader`, `constants`, `tuning` or `requests`.
    pub fn key(self, name: &str, value: impl Into<Value>) -> Entry {
        Entry {
            keys: self.keys.key(name, value),
            ..self
        }
    }

    /// The entry as JSON, and the shaders in it.
    pub(super) fn into_parts(self) -> (Value, Vec<(String, String)>) {
        let mut texts = self.texts;
        if let Some(wrong) = self.wrong {
            return (wrong, texts);
        }
        let is_repeat = self.keys.has("repeat") && !self.keys.has("stages");
        let mut stages = Vec::new();
        for entry in self.inner {
            let (value, more) = entry.into_parts();
            stages.push(value);
            texts.extend(more);
        }
        let keys = if is_repeat {
            self.keys.key("stages", stages)
        } else {
            self.keys
        };
        (keys.into(), texts)
    }
}
