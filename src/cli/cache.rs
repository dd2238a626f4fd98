//! Where the program keeps what it has compiled.

use crate::cache::{Cache, user_directory};

/// The cache of this user, or none if the user does not want one or has no directory for it.
pub(super) fn cache(wanted: bool) -> Cache {
    match user_directory().filter(|_| wanted) {
        Some(directory) => Cache::at(directory),
        None => Cache::off(),
    }
}
