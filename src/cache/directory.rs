//! The directory of a user's caches.

use std::ffi::OsString;
use std::path::PathBuf;

/// The directory of this user's caches, if there is one.
pub fn user_directory() -> Option<PathBuf> {
    directory(|name| std::env::var_os(name))
}

/// `$SASTRUGI_CACHE_DIR`, or else a directory by the XDG base directory specification.
fn directory(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = |name| {
        variable(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    // The specification ignores relative paths.
    let base = |name| set(name).filter(|path| path.is_absolute());
    set("SASTRUGI_CACHE_DIR")
        .or_else(|| Some(base("XDG_CACHE_HOME")?.join("sastrugi")))
        .or_else(|| Some(base("HOME")?.join(".cache/sastrugi")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Option<PathBuf> {
        directory(|name| {
            let found = variables.iter().find(|(other, _)| *other == name);
            found.map(|(_, value)| value.into())
        })
    }

    #[test]
    fn first_set_variable_gives_the_directory() {
        let all = [
            ("SASTRUGI_CACHE_DIR", "s"),
            ("XDG_CACHE_HOME", "/x"),
            ("HOME", "/h"),
        ];
        assert_eq!(of(&all), Some("s".into()));
        assert_eq!(of(&all[1..]), Some("/x/sastrugi".into()));
        assert_eq!(of(&all[2..]), Some("/h/.cache/sastrugi".into()));
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn empty_and_relative_directories_are_ignored() {
        let home = ("HOME", "/h");
        for other in [
            ("SASTRUGI_CACHE_DIR", ""),
            ("XDG_CACHE_HOME", ""),
            ("XDG_CACHE_HOME", "x"),
        ] {
            assert_eq!(of(&[other, home]), Some("/h/.cache/sastrugi".into()), "{other:?}");
        }
        assert_eq!(of(&[("HOME", "")]), None);
    }
}
