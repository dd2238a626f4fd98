//! A chart as SVG: panels below each other, or in two columns if there are many, and the legend to their right.

use plotters::coord::Shift;
use plotters::coord::ranged1d::{AsRangedCoord, Ranged, ValueFormatter};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use sastrugi::{Colormap, Problem};

pub(super) struct Chart {
    pub title: String,
    pub x: &'static str,
    pub log: bool,
    pub panels: Vec<Panel>,
    /// The texts of the colors.
    pub legend: Vec<String>,
}

pub(super) struct Panel {
    pub title: String,
    pub curves: Vec<Curve>,
}

pub(super) struct Curve {
    /// The number of its entry in the legend.
    pub color: usize,
    pub points: Vec<(f64, f64)>,
}

/// Units of the picture per pixel: the SVG backend has whole coordinates, and a curve needs finer ones.
pub(crate) const FINE: i32 = 10;
const PANEL: (i32, i32) = (560, 230);
const TITLE: i32 = 40;
const ENTRY: i32 = 20;
/// Mean width of a character of the legend.
const CHARACTER: i32 = 7;
/// More panels than this stand in two columns.
const MAX_IN_COLUMN: usize = 4;
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

pub(crate) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub(crate) type Failed<'a> = DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>;

/// The first line of every picture, by which a later plot knows that it may replace it.
pub(super) const MARK: &str = "<!-- drawn by sastrugi plot -->";

/// The text of an SVG file.
pub(super) fn svg(chart: &Chart) -> Result<String, Problem> {
    let columns = if chart.panels.len() > MAX_IN_COLUMN { 2 } else { 1 };
    let rows = chart.panels.len().div_ceil(columns) as i32;
    let longest = chart.legend.iter().map(|entry| entry.chars().count()).max();
    let legend = longest.map_or(0, |longest| 60 + CHARACTER * longest as i32);
    let entries = ENTRY * (chart.legend.len() as i32 + 1);
    let width = PANEL.0 * columns as i32 + legend;
    let height = TITLE + (PANEL.1 * rows + 10).max(entries);
    fine_svg((width, height), |area| draw(chart, columns, area))
        .map_err(|error| Problem::without_place(format!("cannot draw {}: {error}", chart.title)))
}

/// The text of an SVG file of this size in pixels, drawn in units of 1 / [`FINE`] pixels.
pub(crate) fn fine_svg(
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

fn draw<'a>(chart: &Chart, columns: usize, area: &Area<'a>) -> Result<(), Failed<'a>> {
    area.fill(&WHITE)?;
    let heading = font(16).pos(Pos::new(HPos::Left, VPos::Center));
    area.draw(&Text::new(
        chart.title.clone(),
        (20 * FINE, TITLE / 2 * FINE),
        heading,
    ))?;
    for (number, panel) in chart.panels.iter().enumerate() {
        let (column, row) = ((number % columns) as i32, (number / columns) as i32);
        let corner = (column * PANEL.0 * FINE, (TITLE + row * PANEL.1) * FINE);
        let part = area
            .clone()
            .shrink(corner, ((PANEL.0 * FINE) as u32, (PANEL.1 * FINE) as u32));
        let colors = chart.legend.len();
        let positive = |(_, y): &(f64, f64)| !chart.log || *y > 0.0;
        let points = || {
            let all = panel.curves.iter().flat_map(|curve| &curve.points);
            all.filter(|(x, y)| x.is_finite() && y.is_finite())
                .copied()
                .filter(positive)
        };
        let x = range(
            panel
                .curves
                .iter()
                .flat_map(|curve| curve.points.iter().map(|(x, _)| *x)),
            0.0,
        );
        if chart.log {
            let logs = range(points().map(|(_, y)| y.log10()), 0.05);
            let y = (10f64.powf(logs.start)..10f64.powf(logs.end)).log_scale();
            draw_panel(panel, chart.x, colors, positive, &part, x, y)?;
        } else {
            let y = range(points().map(|(_, y)| y), 0.05);
            draw_panel(panel, chart.x, colors, positive, &part, x, y)?;
        }
    }
    for (number, entry) in chart.legend.iter().enumerate() {
        let x = PANEL.0 * columns as i32 + 10;
        let y = TITLE + ENTRY * number as i32 + ENTRY;
        let line = [(x * FINE, y * FINE), ((x + 22) * FINE, y * FINE)];
        let style = color(number, chart.legend.len()).stroke_width(2 * FINE as u32);
        area.draw(&PathElement::new(line, style))?;
        let text = font(12).pos(Pos::new(HPos::Left, VPos::Center));
        area.draw(&Text::new(entry.clone(), ((x + 30) * FINE, y * FINE), text))?;
    }
    area.present()
}

/// Axes and curves. A curve has gaps where its values are not finite or not `drawable`.
fn draw_panel<'a, Y>(
    panel: &Panel,
    x_title: &str,
    colors: usize,
    drawable: impl Fn(&(f64, f64)) -> bool,
    area: &Area<'a>,
    x: std::ops::Range<f64>,
    y: Y,
) -> Result<(), Failed<'a>>
where
    Y: AsRangedCoord<Value = f64>,
    Y::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    let mut chart = ChartBuilder::on(area)
        .caption(&panel.title, font(13))
        .margin(8 * FINE)
        .x_label_area_size(36 * FINE)
        .y_label_area_size(70 * FINE)
        .build_cartesian_2d(x, y)?;
    let grid = RGBColor(225, 225, 225).stroke_width(FINE as u32);
    chart
        .configure_mesh()
        .bold_line_style(grid)
        .light_line_style(TRANSPARENT)
        .axis_style(RGBColor(120, 120, 120).stroke_width(FINE as u32))
        .set_all_tick_mark_size(4 * FINE)
        .x_labels(8)
        .y_labels(6)
        .label_style(font(11))
        .x_label_formatter(&|value| number(*value))
        .y_label_formatter(&|value| number(*value))
        .x_desc(x_title)
        .axis_desc_style(font(12))
        .draw()?;
    for curve in &panel.curves {
        let color = color(curve.color, colors);
        let good = |point: &(f64, f64)| point.0.is_finite() && point.1.is_finite() && drawable(point);
        for part in curve.points.split(|point| !good(point)) {
            match part {
                [] => {}
                // A line of one point would not show.
                [alone] => chart
                    .plotting_area()
                    .draw(&Circle::new(*alone, 2 * FINE, color.filled()))?,
                _ => {
                    let style = color.stroke_width(3 * FINE as u32 / 2);
                    chart.plotting_area().draw(&PathElement::new(part, style))?;
                }
            }
        }
    }
    Ok(())
}

pub(crate) fn font<'a>(size: i32) -> TextStyle<'a> {
    TextStyle::from(("sans-serif", size * FINE).into_font()).color(&RGBColor(40, 40, 40))
}

/// Distinct colors for a few curves; for more, a scale that shows their order.
pub(crate) fn color(number: usize, of: usize) -> RGBColor {
    match of {
        0..=7 => DISTINCT[number % DISTINCT.len()],
        _ => {
            // The brightest part would not show on white.
            let [r, g, b] = Colormap::Viridis.bytes(0.92 * number as f64 / (of - 1) as f64);
            RGBColor(r, g, b)
        }
    }
}

/// From the lowest to the highest value, and a part of that more on both sides. A range that rounding could not resolve is
/// widened.
fn range(values: impl Iterator<Item = f64>, margin: f64) -> std::ops::Range<f64> {
    let ends = values
        .filter(|value| value.is_finite())
        .map(|value| value.clamp(-1e300, 1e300))
        .fold(None, |ends: Option<(f64, f64)>, value| match ends {
            Some((low, high)) => Some((low.min(value), high.max(value))),
            None => Some((value, value)),
        });
    let (low, high) = ends.unwrap_or((0.0, 1.0));
    let largest = low.abs().max(high.abs());
    let pad = if high - low > 1e-9 * largest {
        margin * (high - low)
    } else if largest == 0.0 {
        1.0
    } else {
        0.1 * largest
    };
    low - pad..high + pad
}

/// A tick's value without the digits that rounding leaves.
pub(crate) fn number(value: f64) -> String {
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
    fn pictures_contain_no_characters_that_xml_forbids() {
        assert_eq!(xml("a\u{1}b\u{1b}\u{ffff}\nc"), "a\u{fffd}b\u{fffd}\u{fffd}\nc");
    }

    #[test]
    fn ticks_are_short() {
        let texts = [0.1 + 0.2, -0.0, 1e6, 12345.0, 2.5e-5, -3.0].map(number);
        assert_eq!(texts, ["0.3", "0", "1e6", "12345", "2.5e-5", "-3"]);
    }

    #[test]
    fn axis_ranges_are_never_empty() {
        let wide = |values: &[f64]| {
            let range = range(values.iter().copied(), 0.05);
            assert!(
                range.end - range.start > 1e-9 * range.end.abs(),
                "{values:?}: {range:?}"
            );
            assert!(range.end - range.start < f64::INFINITY, "{values:?}");
        };
        wide(&[]);
        wide(&[f64::NAN]);
        wide(&[0.0]);
        wide(&[5.0, 5.0]);
        wide(&[1.0, 1.0 + 1e-15]);
        wide(&[-f64::MAX, f64::MAX]);
        assert_eq!(range([0.0, 10.0].into_iter(), 0.1), -1.0..11.0);
    }
}
