//! Warns if a disk lacks room for the outputs of a run.

use std::path::Path;

use crate::ir::{Output, Pipeline};
use crate::output::Format;

/// A warning if the outputs of the frames after `after`, before compression, need more space than the disk of the directory
/// has. Films and series are not counted.
pub(super) fn shortage(pipeline: &Pipeline, directory: &Path, after: u64) -> Option<String> {
    let free = free(directory)?;
    let text = lacking(pipeline, free, after)?;
    Some(format!(
        "{text}, but the disk of {} has {} left",
        directory.display(),
        size(free)
    ))
}

fn lacking(pipeline: &Pipeline, free: u64, after: u64) -> Option<String> {
    let mut needs: Vec<(u64, String)> = Vec::new();
    let is_film = |output: &&Output| output.content.format.descriptor().is_film();
    for output in pipeline.outputs.iter().filter(|output| !is_film(output)) {
        let initial = u64::from(output.initial && after == 0);
        let files = pipeline.frames / output.every - after.min(pipeline.frames) / output.every + initial;
        let each = file_bytes(output);
        let text = format!("`{}` {files} x {}", output.name, size(each));
        needs.push((files.saturating_mul(each), text));
    }
    let total = needs
        .iter()
        .fold(0u64, |sum, (bytes, _)| sum.saturating_add(*bytes));
    needs.sort_by_key(|(bytes, _)| std::cmp::Reverse(*bytes));
    let largest: Vec<&str> = needs.iter().take(3).map(|(_, text)| text.as_str()).collect();
    let more = if needs.len() > 3 { " and others" } else { "" };
    (total > free).then(|| {
        format!(
            "the files of the outputs take up to {} before compression ({}{more})",
            size(total),
            largest.join(", ")
        )
    })
}

/// Bytes of the numbers in a file, at most: all particles of a dynamic set or of a region may be written.
fn file_bytes(output: &Output) -> u64 {
    let content = &output.content;
    let selected = content.selected().into_iter();
    let elements = selected.fold(1u64, |product, side| product.saturating_mul(side));
    let element = content.columns.iter().map(|column| {
        let size = column.scalar.size();
        let bytes = match content.format {
            // The longest text of a number, such as -1.1754944e-38, and a space.
            Format::Asc | Format::Usda | Format::Obj => 5 * size,
            _ if content.style.half => size.min(2),
            _ => size,
        };
        bytes.saturating_mul(u64::from(column.components))
    });
    // A triangle of a text has up to 54 digits and signs, of others up to 32 bytes.
    let triangles = content
        .faces
        .as_ref()
        .map_or(0, |faces| faces.capacity.saturating_mul(60));
    elements.saturating_mul(element.sum()).saturating_add(triangles)
}

/// Bytes that the disk of a directory has left for this user.
#[cfg(unix)]
fn free(directory: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(directory).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

#[cfg(not(unix))]
fn free(_: &Path) -> Option<u64> {
    None
}

/// Bytes with a binary prefix.
pub fn size(bytes: u64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 {
        format!("{bytes} B")
    } else {
        format!("{value:.2} {}", units[unit])
    }
}
