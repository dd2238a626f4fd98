//! `sastrugi fields`: lists the fields that stages, outputs and the library read and write by name.

use std::path::PathBuf;

use sastrugi::Problems;

/// Lists the fields of a pipeline: name, type, elements, copies and bytes.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  sastrugi fields pipelines/snow.json
  sastrugi fields my.json --set grid.n=256     the same pipeline with another size")]
pub(super) struct Arguments {
    #[arg(value_name = "SPEC")]
    spec: PathBuf,
    /// Sets a value, as for `run`.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
}

pub(super) fn main(arguments: &Arguments) -> u8 {
    super::print_or_complain(text(arguments))
}

fn text(arguments: &Arguments) -> Result<String, Problems> {
    let fields = super::pipeline(&arguments.spec, &arguments.set)?
        .build()?
        .fields();
    let longest = fields.iter().map(|field| field.name.len()).max();
    let width = longest.unwrap_or(0).max("field".len());
    let mut text = row(width, ["field", "type", "elements", "copies", "bytes"]);
    for field in &fields {
        let sides: Vec<String> = field.size.iter().map(u64::to_string).collect();
        let (ring, bytes) = (field.ring.to_string(), field.bytes.to_string());
        let element = match field.count {
            None => field.element.name().to_string(),
            Some(count) => format!("{}[{count}]", field.element.name()),
        };
        text.push_str(&row(
            width,
            [&field.name, &element, &sides.join(" x "), &ring, &bytes],
        ));
    }
    Ok(text)
}

fn row(width: usize, [name, element, size, copies, bytes]: [&str; 5]) -> String {
    format!("{name:<width$}  {element:<6}  {size:>20}  {copies:>6}  {bytes:>14}\n")
}
