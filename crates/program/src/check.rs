//! `sastrugi check`: every mistake at once, without a GPU or a Vulkan loader.

use std::path::{Path, PathBuf};

use sastrugi::{Device, DeviceInfo, DeviceOptions, Lowered, Problems};

/// Finds every mistake in pipeline files and their shaders, without a GPU.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  sastrugi check pipelines/*.json
  sastrugi check my.json --device          the memory that it requires, and whether it fits the device
  sastrugi check my.json --format json     for editors

Exit codes: 0 no mistakes, 2 mistakes were found.")]
pub(super) struct Arguments {
    /// Pipeline files.
    #[arg(required = true, value_name = "SPEC")]
    specs: Vec<PathBuf>,
    /// Sets a value, as for `run`.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// Compiles every shader again and does not use the cache.
    #[arg(long)]
    no_cache: bool,
    /// Checks only the files, not the shaders.
    #[arg(long)]
    no_shaders: bool,
    /// Also checks against a device (the best one, or by number or name) and prints the memory plan.
    #[arg(long, value_name = "N|NAME", num_args = 0..=1, default_missing_value = "")]
    device: Option<String>,
    /// Checks against a device with lower limits, or without features and extensions, by their names in Vulkan, with
    /// commas between them: "maxBufferSize=134217728,shaderFloat16" (docs/devices.md).
    #[arg(long, value_name = "LIST", requires = "device")]
    lower: Option<Lowered>,
    /// Format of the report.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
enum Format {
    Text,
    /// One JSON array of {file, line, column, length, pointer, message, help}; lines and columns count from 1.
    Json,
}

pub(super) fn main(arguments: &Arguments) -> u8 {
    let found = arguments.device.as_ref().map(|device| {
        Device::find(&DeviceOptions {
            device: Some(device.clone()).filter(|device| !device.is_empty()),
            lowered: arguments.lower.clone().unwrap_or_default(),
            ..DeviceOptions::default()
        })
    });
    let device = match found.transpose() {
        Ok(device) => device,
        Err(error) => {
            crate::say!("error: {error}");
            return 1;
        }
    };
    let mut found = Problems::default();
    let mut printed = 0;
    for path in &arguments.specs {
        match check(arguments, path, device.as_ref()) {
            Ok(summary) if arguments.format == Format::Text => {
                printed = printed.max(super::print(&format!("{}: {summary}\n", path.display())));
            }
            Ok(_) => {}
            Err(problems) => {
                if arguments.format == Format::Text {
                    super::complain(&problems);
                    crate::say!(
                        "{}: {}",
                        path.display(),
                        counted(problems.list.len() as u64, "problem")
                    );
                }
                found.list.extend(problems.list);
            }
        }
    }
    if arguments.format == Format::Json {
        printed = super::print(&format!("{:#}\n", found.json()));
    }
    if found.is_empty() { printed } else { 2 }
}

fn check(arguments: &Arguments, path: &Path, device: Option<&DeviceInfo>) -> Result<String, Problems> {
    let mut builder = super::cached(super::pipeline(path, &arguments.set)?, !arguments.no_cache);
    if !arguments.no_shaders {
        builder = builder.report_shaders();
    }
    let pipeline = builder.build()?;
    if !arguments.no_shaders {
        match device {
            Some(device) => pipeline.check_shaders_on(device)?,
            None => pipeline.check_shaders()?,
        }
    }
    let numbers = pipeline.summary();
    let own = match numbers.stages_of_engine {
        0 => String::new(),
        own => format!(" ({own} of the engine)"),
    };
    let mut summary = format!(
        "ok: {}{own}, {} per step, {}",
        counted(numbers.stages as u64, "stage"),
        counted(numbers.dispatches as u64, "dispatch"),
        counted(numbers.outputs as u64, "output")
    );
    for set in numbers.particles.iter().filter(|set| set.sources > 0) {
        summary.push_str(&format!(
            ", {} in `{}`",
            counted(set.sources, "particle"),
            set.name
        ));
    }
    for text in pipeline.notes() {
        summary.push_str(&format!("\n{text}"));
    }
    for text in pipeline.proposals() {
        summary.push_str(&format!("\nproposal: {text}"));
    }
    if let Some(device) = device {
        summary.push_str(&format!("\n{}", pipeline.memory_on(device)?));
    }
    Ok(summary)
}

/// "1 stage", "2 dispatches".
fn counted(count: u64, noun: &str) -> String {
    let ending = match (count, noun.ends_with("ch")) {
        (1, _) => "",
        (_, true) => "es",
        (_, false) => "s",
    };
    format!("{count} {noun}{ending}")
}
