//! A JSON object as it is built.

use serde_json::{Map, Value};

use crate::element::Element;

/// The keys of a grid, a particle set or another resource, which [`Builder`](crate::Builder) passes to a closure.
///
/// The keys are those of a pipeline file. [`Builder::build`](crate::Builder::build) reports mistakes in them.
///
/// ```
/// use sastrugi::{Builder, Element, json};
///
/// let builder = Builder::new("box").grid("air", [16, 16, 8], 0.5, |air| {
///     air.channel("u", Element::Float)
///         .channel("obstacle", json!({"type": "uint", "background": 1}))
///         .key("origin", [0, 0, -2])
/// });
/// ```
#[derive(Debug, Clone, Default)]
pub struct Keys {
    members: Map<String, Value>,
}

impl Keys {
    /// Sets a key. Numbers may be expressions, such as `"2 * cells"`.
    pub fn key(mut self, name: &str, value: impl Into<Value>) -> Keys {
        self.members.insert(name.to_string(), value.into());
        self
    }

    /// Adds a channel: its element type, or an object with `type`, `background` and `bounds`.
    pub fn channel(self, name: &str, element: impl Into<Value>) -> Keys {
        self.within("channels", name, element.into())
    }

    /// Adds an attribute of particles: its element type, or an object with `type`, `background` and `bounds`.
    pub fn attribute(self, name: &str, element: impl Into<Value>) -> Keys {
        self.within("attributes", name, element.into())
    }

    /// Sets a key of an object that is a key itself.
    pub(super) fn within(mut self, key: &str, name: &str, value: Value) -> Keys {
        let inner = self.members.entry(key).or_insert_with(|| Map::new().into());
        if !inner.is_object() {
            *inner = Map::new().into();
        }
        inner[name] = value;
        self
    }

    pub(super) fn of(members: Map<String, Value>) -> Keys {
        Keys { members }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.members.contains_key(name)
    }
}

impl From<Keys> for Value {
    fn from(keys: Keys) -> Value {
        Value::Object(keys.members)
    }
}

impl From<Element> for Value {
    fn from(element: Element) -> Value {
        // A unit variant is a string; nothing can fail.
        serde_json::to_value(element).unwrap_or_default()
    }
}
