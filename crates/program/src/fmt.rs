//! `sastrugi fmt`: the layout of pipeline files.

use std::fs;
use std::path::{Path, PathBuf};

use sastrugi::{Problem, Problems};

/// Brings pipeline files into their layout: indentation, spaces, and lines of at most 130 characters. Comments, and the line
/// breaks of the author, stay.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  sastrugi fmt my.json modules/*.json
  sastrugi fmt --check my.json                 says whether the file has this layout, and exits with 1 if not")]
pub(super) struct Arguments {
    /// Pipeline or module files.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Changes nothing; lists the files that would change.
    #[arg(long)]
    check: bool,
}

pub(super) fn main(arguments: &Arguments) -> u8 {
    let (mut problems, mut would_change) = (Problems::default(), false);
    for path in &arguments.files {
        match format(path, arguments.check) {
            Ok(false) => {}
            Ok(true) if arguments.check => {
                would_change = true;
                super::show!("{}", path.display());
            }
            Ok(true) => super::say!("{}: formatted", path.display()),
            Err(mut wrong) => problems.list.append(&mut wrong.list),
        }
    }
    if !problems.is_empty() {
        super::complain(&problems);
        return 2;
    }
    u8::from(would_change)
}

/// Formats a file, unless `is_check`; returns true if its layout differs from the standard one.
fn format(path: &Path, is_check: bool) -> Result<bool, Problems> {
    let name = path.display().to_string();
    let failed = |cause: std::io::Error, what: &str, help: &str| {
        Problem::without_place(format!("cannot {what} {name}: {cause}")).help(help.to_string())
    };
    let text = fs::read_to_string(path).map_err(|cause| {
        failed(
            cause,
            "read",
            "name an existing pipeline file, such as pipelines/snow.json",
        )
    })?;
    let formatted = sastrugi::format(&name, &text)?;
    if formatted == text {
        return Ok(false);
    }
    if !is_check {
        sastrugi::write_file(path, formatted.as_bytes())
            .map_err(|cause| Problem::without_place(format!("cannot write {name}: {cause}")))?;
    }
    Ok(true)
}
