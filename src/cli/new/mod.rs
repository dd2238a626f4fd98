//! `sastrugi new`: a small commented pipeline that runs as it is.

use std::path::{Path, PathBuf};

/// Writes a small commented pipeline to start from.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Directory to create; if it exists, it must be empty.
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

const FILES: [(&str, &str); 2] = [
    ("pipeline.json", include_str!("pipeline.json")),
    ("ripples.comp", include_str!("ripples.comp")),
];

pub(super) fn main(arguments: &Arguments) -> u8 {
    match write(&arguments.directory) {
        Ok(()) => {
            let directory = arguments.directory.display();
            super::print(&format!(
                "wrote {directory}/pipeline.json and {directory}/ripples.comp; next:\n  sastrugi run {directory}/pipeline.json\n"
            ))
        }
        Err((code, message)) => {
            crate::cli::say!("error: {message}");
            code
        }
    }
}

fn write(directory: &Path) -> Result<(), (u8, String)> {
    let name = directory.display();
    let failed = |error: std::io::Error| (1, format!("cannot write into {name}: {error}"));
    std::fs::create_dir_all(directory).map_err(failed)?;
    if std::fs::read_dir(directory).map_err(failed)?.next().is_some() {
        return Err((
            2,
            format!("{name} is not empty\n  help: name a directory that does not exist yet"),
        ));
    }
    FILES
        .iter()
        .try_for_each(|(file, text)| std::fs::write(directory.join(file), text).map_err(failed))
}
