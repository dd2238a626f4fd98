//! Values that are computed at their first use.

use std::cell::OnceCell;

use super::ids::ParameterId;

/// A value that is computed at its first use. `None` after a reported mistake.
pub struct Lazy<T>(OnceCell<Option<T>>);

impl<T> Default for Lazy<T> {
    fn default() -> Self {
        Lazy(OnceCell::new())
    }
}

impl<T> Lazy<T> {
    pub fn get(&self, find: impl FnOnce() -> Option<T>) -> Option<&T> {
        if self.0.get().is_none() {
            let found = find();
            // In a cycle, the inner call has already set the value.
            let _ = self.0.set(found);
        }
        self.0.get().and_then(Option::as_ref)
    }
}

/// A value under evaluation.
#[derive(Debug, Clone, PartialEq)]
pub struct Open {
    pub name: String,
    pub parameter: Option<ParameterId>,
}
