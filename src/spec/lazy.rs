//! Values that are found at their first use.

use std::cell::OnceCell;

use super::ids::ParameterId;

/// A value that is found at its first use; none if that fails, which is reported.
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
            // A circle has set it already.
            let _ = self.0.set(found);
        }
        self.0.get().and_then(Option::as_ref)
    }
}

/// A value that is being found.
#[derive(Debug, Clone, PartialEq)]
pub struct Open {
    pub name: String,
    pub parameter: Option<ParameterId>,
}
