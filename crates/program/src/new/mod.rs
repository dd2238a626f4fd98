//! `sastrugi new`: a pipeline to start from, which runs as it is.

mod terrain;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use sastrugi::{Problem, shipped};

/// Writes a pipeline to start from: a small commented one, or a copy of one that comes with the program.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  sastrugi new my && sastrugi run my/pipeline.json
  sastrugi new my --from snow && sastrugi run my/snow.json
  sastrugi new my --from snow --terrain dem.tif && sastrugi run my/dem.json
  sastrugi new my --from snow --terrain hills.png --extent 5000,4000 --scale 0.1
  sastrugi new my --from drift_ridge --terrain dem.tif --wind 12,270 && sastrugi run my/dem.json")]
pub(super) struct Arguments {
    /// Directory to create; if it exists, it must be empty.
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Copies this pipeline (see `sastrugi list`) with its meshes and images; its modules and shaders stay built in.
    #[arg(long, value_name = "NAME")]
    from: Option<String>,
    #[command(flatten)]
    terrain: terrain::Options,
}

const FILES: [(&str, &str); 2] = [
    ("pipeline.json", include_str!("pipeline.json")),
    ("ripples.comp", include_str!("ripples.comp")),
];

/// A file by its path in the directory.
type File = (PathBuf, Cow<'static, [u8]>);

pub(super) fn main(arguments: &Arguments) -> u8 {
    let files = match files(arguments) {
        Ok(files) => files,
        Err(problem) => {
            super::complain(&problem.into());
            return 2;
        }
    };
    match write(&arguments.directory, &files) {
        Ok(()) => {
            let paths: Vec<String> = (files.iter())
                .map(|(file, _)| arguments.directory.join(file).display().to_string())
                .collect();
            super::print(&format!(
                "wrote {}; next:\n  sastrugi run {}\n",
                paths.join(", "),
                paths[0]
            ))
        }
        Err((code, message)) => {
            crate::say!("error: {message}");
            code
        }
    }
}

fn files(arguments: &Arguments) -> Result<Vec<File>, Problem> {
    let Some(name) = &arguments.from else {
        return Ok(FILES
            .map(|(file, text)| (file.into(), Cow::Borrowed(text.as_bytes())))
            .into());
    };
    let shipped = copied(name)?;
    let own = terrain::files(&arguments.terrain, name)?;
    let own = own
        .into_iter()
        .map(|(file, contents)| (file, Cow::Owned(contents)));
    Ok(own.chain(shipped).collect())
}

/// The files of a shipped pipeline, itself first.
fn copied(name: &str) -> Result<Vec<File>, Problem> {
    let files = shipped::parts(name);
    if files.is_empty() {
        return Err(shipped::unknown(
            name,
            format!("no pipeline `{name}` comes with the program"),
        ));
    }
    Ok(files
        .iter()
        .map(|(path, contents)| (path.into(), Cow::Borrowed(*contents)))
        .collect())
}

fn write(directory: &Path, files: &[File]) -> Result<(), (u8, String)> {
    let name = directory.display();
    let failed = |error: std::io::Error| (1, format!("cannot write into {name}: {error}"));
    std::fs::create_dir_all(directory).map_err(failed)?;
    if std::fs::read_dir(directory).map_err(failed)?.next().is_some() {
        return Err((
            2,
            format!("{name} is not empty\n  help: name a directory that does not exist yet"),
        ));
    }
    for (file, contents) in files {
        let path = directory.join(file);
        path.parent()
            .map_or(Ok(()), std::fs::create_dir_all)
            .map_err(failed)?;
        std::fs::write(path, contents).map_err(failed)?;
    }
    Ok(())
}
