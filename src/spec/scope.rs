//! The scope of a name or an expression.

use std::borrow::Cow;
use std::rc::Rc;

use super::ids::InstanceId;
use crate::expr::Value;

/// The instance whose names are used, and the names that enclosing blocks define.
#[derive(Debug, Clone)]
pub struct Scope {
    pub instance: InstanceId,
    locals: Option<Rc<Local>>,
}

#[derive(Debug)]
struct Local {
    name: String,
    value: LocalValue,
    outer: Option<Rc<Local>>,
}

/// The value of a name of a block.
#[derive(Debug, Clone, PartialEq)]
pub enum LocalValue {
    Value(Value),
    /// A letter, for placeholders such as `{c}`.
    Letter(String),
    /// A mistake that has been reported.
    Failed,
}

impl Scope {
    pub fn of(instance: InstanceId) -> Scope {
        Scope {
            instance,
            locals: None,
        }
    }

    pub fn with(&self, name: impl Into<String>, value: LocalValue) -> Scope {
        let local = Local {
            name: name.into(),
            value,
            outer: self.locals.clone(),
        };
        Scope {
            locals: Some(Rc::new(local)),
            ..*self
        }
    }

    /// Adds the number of an iteration or a letter, `<name>.index`.
    pub fn with_index(&self, name: &str, index: usize) -> Scope {
        self.with(
            format!("{name}.index"),
            LocalValue::Value(Value::Number(index as f64)),
        )
    }

    pub fn local(&self, name: &str) -> Option<&LocalValue> {
        self.locals()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value)
    }

    /// Names and values from the innermost block to the outermost.
    pub fn locals(&self) -> impl Iterator<Item = (&str, &LocalValue)> {
        let all = std::iter::successors(self.locals.as_deref(), |local| local.outer.as_deref());
        all.map(|local| (local.name.as_str(), &local.value))
    }

    /// Substitutes letters for the placeholders of a text. The error is a placeholder without a letter.
    pub fn text<'t>(&self, text: &'t str) -> Result<Cow<'t, str>, String> {
        if !text.contains('{') {
            return Ok(Cow::Borrowed(text));
        }
        let (mut filled, mut rest) = (String::new(), text);
        while let Some((before, hole, after)) = rest.split_once('{').and_then(|(before, rest)| {
            let (hole, after) = rest.split_once('}')?;
            Some((before, hole, after))
        }) {
            let Some(LocalValue::Letter(letter)) = self.local(hole) else {
                return Err(hole.to_string());
            };
            filled.push_str(before);
            filled.push_str(letter);
            rest = after;
        }
        filled.push_str(rest);
        Ok(Cow::Owned(filled))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_take_the_innermost_letter() {
        let scope = Scope::of(0).with("c", LocalValue::Letter("u".into()));
        let inner = scope.with("c", LocalValue::Letter("v".into())).with_index("c", 1);
        assert_eq!(scope.text("air.{c}_next").unwrap(), "air.u_next");
        assert_eq!(inner.text("{c}{c}").unwrap(), "vv");
        assert_eq!(
            inner.local("c.index"),
            Some(&LocalValue::Value(Value::Number(1.0)))
        );
        assert_eq!(inner.text("plain").unwrap(), "plain");
        assert_eq!(inner.text("{d}"), Err("d".into()));
    }
}
