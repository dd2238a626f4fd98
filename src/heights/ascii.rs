//! ESRI ASCII grids: a few lines with a key and a value, then heights as text, north row first.
//!
//! The format has no units. A `.prj` file beside it may state them; without it, coordinates on the globe with cells
//! below a tenth of a unit are degrees, and all others are metres.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::earth::{metres_per_degree, on_globe};
use super::georeference::{Georeference, Projection, north_up};
use super::model::{Header, check_size};
use crate::input_file;

/// Maximum length of a line with a key.
const MAX_HEADER_BYTES: u64 = 4096;
/// Default value of pixels without data.
pub const DEFAULT_NO_DATA: f64 = -9999.0;

pub(super) struct Grid {
    pub header: Header,
    no_data: f64,
    /// The byte at which the heights begin.
    heights: usize,
}

/// True if a file with these first bytes is an ASCII grid.
pub(super) fn begins(bytes: &[u8]) -> bool {
    bytes.len() >= 5 && [&b"ncols"[..], b"nrows"].contains(&bytes[..5].to_ascii_lowercase().as_slice())
}

pub(super) fn examine(file: File, path: &Path) -> Result<Grid, String> {
    let mut bytes = Vec::new();
    file.take(MAX_HEADER_BYTES)
        .read_to_end(&mut bytes)
        .map_err(|error| error.to_string())?;
    let projection = input_file::open(&path.with_extension("prj"))
        .ok()
        .map(|(file, _)| {
            let mut text = Vec::new();
            // An unreadable .prj is treated as absent.
            let _ = file.take(1 << 16).read_to_end(&mut text);
            String::from_utf8_lossy(&text).into_owned()
        });
    parse(&String::from_utf8_lossy(&bytes), projection.as_deref())
}

pub(super) fn read(mut file: File, path: &Path) -> Result<(Header, Vec<f64>), String> {
    let again = file.try_clone().map_err(|error| error.to_string())?;
    let grid = examine(again, path)?;
    std::io::Seek::rewind(&mut file).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    // The header counts characters that replace bytes which are no text.
    let text = String::from_utf8_lossy(&bytes);
    let text = text.get(grid.heights..).ok_or("its first lines are not text")?;
    let mut levels = Vec::new();
    for word in text.split_ascii_whitespace() {
        let level: f64 = word.parse().map_err(|_| format!("`{word}` is not a height"))?;
        let known = level != grid.no_data && level.abs() < 1e30;
        levels.push(if known { level } else { f64::NAN });
    }
    let [columns, rows] = grid.header.size;
    if levels.len() as u64 == columns * rows {
        Ok((grid.header, levels))
    } else {
        Err(format!("it has {} heights, not {columns} x {rows}", levels.len()))
    }
}

fn parse(text: &str, projection: Option<&str>) -> Result<Grid, String> {
    let mut values: Vec<(String, &str, f64)> = Vec::new();
    let mut heights = 0;
    for line in text.split_inclusive('\n') {
        let mut words = line.split_ascii_whitespace();
        let key = words.next().unwrap_or_default().to_ascii_lowercase();
        if !key.starts_with(|c: char| c.is_ascii_alphabetic()) || key == "nan" {
            break;
        }
        let value = words.next().unwrap_or_default();
        let number = value
            .parse()
            .map_err(|_| format!("`{key}` is `{value}`, not a number"))?;
        values.push((key, value, number));
        heights += line.len();
    }
    let find = |key: &str| {
        values
            .iter()
            .find(|(other, ..)| other == key)
            .map(|(.., value)| *value)
    };
    let need = |key: &str| find(key).ok_or(format!("its first lines have no `{key}`"));
    let size = check_size(need("ncols")? as u64, need("nrows")? as u64)?;
    let spacing = match (find("dx"), find("dy")) {
        (Some(dx), Some(dy)) => [dx, dy],
        _ => [need("cellsize")?; 2],
    };
    if spacing.iter().any(|side| !(*side > 0.0 && side.is_finite())) {
        return Err(format!("cells of {} x {} have no size", spacing[0], spacing[1]));
    }
    let corner = |axis: &str, side: f64| {
        let centre = find(&format!("{axis}llcenter")).map(|centre| centre - 0.5 * side);
        find(&format!("{axis}llcorner")).or(centre)
    };
    let edges = |low: Option<f64>, side: f64, count: u64| low.map(|low| [low, low + side * count as f64]);
    let x = edges(corner("x", spacing[0]), spacing[0], size[0]);
    let y = edges(corner("y", spacing[1]), spacing[1], size[1]);
    let metres = match (unit(projection), x, y) {
        (Some(Unit::Metres(metres)), ..) => spacing.map(|side| side * metres),
        (Some(Unit::Degrees), _, Some(y)) => degrees(spacing, y),
        (Some(Unit::Degrees), _, None) => return Err("in degrees, but without `yllcorner`".into()),
        (None, Some(x), Some(y)) if on_globe(x, y) && spacing[0] < 0.1 => degrees(spacing, y),
        (None, ..) => spacing,
    };
    let no_data = values.iter().find(|(key, ..)| key == "nodata_value");
    // Of points, the tie is a centre.
    let is_point = find("xllcenter").is_some() && find("yllcenter").is_some();
    let inside = if is_point { 0.5 } else { 0.0 };
    let georeference = x.zip(y).map(|(x, y)| Georeference {
        tie: [x[0] + inside * spacing[0], y[1] - inside * spacing[1]],
        is_point,
        axes: north_up(spacing),
        projection: projection.map_or(Projection::Unknown, |text| Projection::Text(text.to_owned())),
        no_data: no_data.map(|(_, text, _)| (*text).to_owned()),
    });
    Ok(Grid {
        header: Header {
            size,
            metres_per_pixel: Some(metres),
            metres_per_level: Some(1.0),
            georeference,
        },
        no_data: find("nodata_value").unwrap_or(DEFAULT_NO_DATA),
        heights,
    })
}

/// The spacing in metres at the middle latitude.
fn degrees(spacing: [f64; 2], y: [f64; 2]) -> [f64; 2] {
    let [east, north] = metres_per_degree(0.5 * (y[0] + y[1]));
    [spacing[0] * east, spacing[1] * north]
}

#[derive(Debug, PartialEq)]
enum Unit {
    Degrees,
    /// A length in metres.
    Metres(f64),
}

/// The unit of coordinates in a projection (WKT, or the older lines of keys).
fn unit(projection: Option<&str>) -> Option<Unit> {
    let text = projection?.trim_start().to_ascii_uppercase();
    if text.starts_with("GEOG")
        || text
            .split_ascii_whitespace()
            .take(2)
            .eq(["PROJECTION", "GEOGRAPHIC"])
    {
        return Some(Unit::Degrees);
    }
    // The last unit is that of the map, the one before it that of its angles.
    let last = text.rsplit_once("UNIT[").map(|(_, rest)| rest)?;
    let number = last.split([',', ']']).nth(1)?;
    number.trim().parse().ok().map(Unit::Metres)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: &str = "NCOLS 3\nnrows 2\nxllcorner 500000\nyllcorner 4100000\ncellsize 25\nNODATA_value -1\n1 2 3\n4 -1 6\n";

    fn spacing(text: &str, projection: Option<&str>) -> [f64; 2] {
        parse(text, projection).unwrap().header.metres_per_pixel.unwrap()
    }

    #[test]
    fn ascii_grid_heights_and_gaps_are_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.asc");
        std::fs::write(&path, PLAIN).unwrap();
        let (header, levels) = read(File::open(&path).unwrap(), &path).unwrap();
        assert_eq!((header.size, header.metres_per_pixel), ([3, 2], Some([25.0; 2])));
        assert_eq!(levels[..4], [1.0, 2.0, 3.0, 4.0]);
        assert!(levels[4].is_nan() && levels[5] == 6.0);
        std::fs::write(&path, PLAIN.replace("4 -1 6", "4 x")).unwrap();
        let read = || read(File::open(&path).unwrap(), &path).unwrap_err();
        assert_eq!(read(), "`x` is not a height");
        std::fs::write(&path, PLAIN.replace("4 -1 6", "4")).unwrap();
        assert_eq!(read(), "it has 4 heights, not 3 x 2");
    }

    #[test]
    fn ascii_grid_units_come_from_projection_or_coordinates() {
        assert_eq!(spacing(PLAIN, None), [25.0; 2]);
        let two = PLAIN.replace("cellsize 25", "dx 25\ndy 30");
        assert_eq!(spacing(&two, None), [25.0, 30.0]);
        let feet = "PROJCS[\"x\",GEOGCS[\"y\",UNIT[\"Degree\",0.017453292519943295]],UNIT[\"Foot_US\",0.3048006096012192]]";
        assert_eq!(spacing(PLAIN, Some(feet)), [25.0 * 0.3048006096012192; 2]);
        let degrees = PLAIN
            .replace("500000", "-84.4")
            .replace("4100000", "36.4")
            .replace("25", "0.001");
        let [x, y] = spacing(&degrees, None);
        assert!((x - 89.7).abs() < 0.2 && (y - 111.0).abs() < 0.1, "{x} {y}");
        assert_eq!(
            spacing(&degrees, Some("PROJCS[..,UNIT[\"Meter\",1.0]]")),
            [0.001; 2]
        );
        assert_eq!(spacing(&degrees, Some("GEOGCS[...]")), [x, y]);
        assert_eq!(
            unit(Some("Projection    GEOGRAPHIC\nUnits DD")),
            Some(Unit::Degrees)
        );
    }

    #[test]
    fn invalid_ascii_grid_headers_are_refused() {
        let refused = |from: &str, to: &str| parse(&PLAIN.replace(from, to), None).err().unwrap();
        assert_eq!(refused("nrows 2\n", ""), "its first lines have no `nrows`");
        assert_eq!(refused("nrows 2", "nrows x"), "`nrows` is `x`, not a number");
        assert_eq!(
            refused("cellsize 25", "cellsize 0"),
            "cells of 0 x 0 have no size"
        );
        assert!(refused("nrows 2", "nrows 1").contains("each side must have"));
    }
}
