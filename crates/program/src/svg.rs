//! Pictures as SVG: units, colors and fonts, and the texts of files.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use plotters::chart::MeshStyle;
use plotters::coord::Shift;
use plotters::coord::ranged1d::Ranged;
use plotters::prelude::*;
use sastrugi::{Colormap, Problem};

/// Units of the picture per pixel: the SVG backend has whole coordinates, and a curve needs finer ones.
pub const FINE: i32 = 10;
/// The first runs, in colors that people with color blindness tell apart (Okabe and Ito 2008).
const DISTINCT: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(60, 60, 60),
];

pub type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub type Failed<'a> = DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>;

/// The first line of every picture, by which a later one knows that it may replace it.
const MARK: &str = "<!-- drawn by sastrugi plot -->";

/// The text of an SVG file of this size in pixels, drawn in units of 1 / [`FINE`] pixels.
pub fn text(
    (width, height): (i32, i32),
    draw: impl for<'a> FnOnce(&Area<'a>) -> Result<(), Failed<'a>>,
) -> Result<String, String> {
    let mut text = String::new();
    let size = ((width * FINE) as u32, (height * FINE) as u32);
    draw(&SVGBackend::with_string(&mut text, size).into_drawing_area()).map_err(|error| error.to_string())?;
    let text = xml(&text);
    let fine = format!("width=\"{}\" height=\"{}\"", size.0, size.1);
    let text = text.replacen(&fine, &format!("width=\"{width}\" height=\"{height}\""), 1);
    Ok(format!("{MARK}\n{text}"))
}

/// The text without the characters that XML forbids, which names of columns and titles may contain.
fn xml(text: &str) -> String {
    let is_allowed = |c: char| !c.is_control() && c != '\u{fffe}' && c != '\u{ffff}' || "\n\t".contains(c);
    text.chars()
        .map(|c| if is_allowed(c) { c } else { '\u{fffd}' })
        .collect()
}

/// Refuses to replace a file that is no picture of this program.
pub fn check_target(path: &Path, command: &str, help: &str) -> Result<(), Problem> {
    let refuse = |cause: &str| {
        let message = format!("{} would be replaced, but {cause}", path.display());
        Err(Problem::without_place(message).help(help))
    };
    let Ok(metadata) = std::fs::metadata(path) else {
        return Ok(());
    };
    if !metadata.is_file() {
        return refuse("it is not a regular file");
    }
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MARK.len() as u64).read_to_end(&mut start));
    if read.is_err() || !start.is_empty() && start != MARK.as_bytes() {
        return refuse(&format!("`{command}` did not draw it"));
    }
    Ok(())
}

pub fn font<'a>(size: i32) -> TextStyle<'a> {
    TextStyle::from(("sans-serif", size * FINE).into_font()).color(&RGBColor(40, 40, 40))
}

/// Gives the axes and grid lines of a chart the style of all charts.
pub fn style<'m, 'a, 'b, X, Y, B: DrawingBackend>(
    mesh: &'m mut MeshStyle<'a, 'b, X, Y, B>,
) -> &'m mut MeshStyle<'a, 'b, X, Y, B>
where
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    mesh.bold_line_style(RGBColor(225, 225, 225).stroke_width(FINE as u32))
        .light_line_style(TRANSPARENT)
        .axis_style(RGBColor(120, 120, 120).stroke_width(FINE as u32))
        .label_style(font(11))
        .x_label_formatter(&|value| number(*value))
        .y_label_formatter(&|value| number(*value))
        .axis_desc_style(font(12))
}

/// Distinct colors for a few curves; for more, a scale that shows their order.
pub fn color(number: usize, of: usize) -> RGBColor {
    match of {
        0..=7 => DISTINCT[number % DISTINCT.len()],
        _ => {
            // The brightest part would not show on white.
            let [r, g, b] = Colormap::Viridis.bytes(0.92 * number as f64 / (of - 1) as f64);
            RGBColor(r, g, b)
        }
    }
}

/// A tick's value without the digits that rounding leaves.
pub fn number(value: f64) -> String {
    let short: f64 = format!("{value:.8e}").parse().unwrap_or(value);
    match short.abs() {
        size if size != 0.0 && !(1e-3..1e6).contains(&size) => format!("{short:e}"),
        // Not `-0`.
        _ => format!("{}", short + 0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_short() {
        let texts = [0.1 + 0.2, -0.0, 1e6, 12345.0, 2.5e-5, -3.0].map(number);
        assert_eq!(texts, ["0.3", "0", "1e6", "12345", "2.5e-5", "-3"]);
    }

    #[test]
    fn pictures_contain_no_characters_that_xml_forbids() {
        assert_eq!(xml("a\u{1}b\u{1b}\u{ffff}\nc"), "a\u{fffd}b\u{fffd}\u{fffd}\nc");
    }
}
