//! A chart as SVG: panels below each other, or in two columns if there are many, and the legend to their right.

use plotters::coord::ranged1d::{AsRangedCoord, Ranged, ValueFormatter};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use sastrugi::Problem;

use crate::svg::{self, Area, FINE, Failed, color, font, number, style};

pub(super) struct Chart {
    pub title: String,
    pub x: String,
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

const PANEL: (i32, i32) = (560, 230);
const TITLE: i32 = 40;
const ENTRY: i32 = 20;
/// Mean width of a character of the legend.
const CHARACTER: i32 = 7;
/// More panels than this stand in two columns.
const MAX_IN_COLUMN: usize = 4;
/// The text of an SVG file.
pub(super) fn text(chart: &Chart) -> Result<String, Problem> {
    let columns = if chart.panels.len() > MAX_IN_COLUMN { 2 } else { 1 };
    let rows = chart.panels.len().div_ceil(columns) as i32;
    let longest = chart.legend.iter().map(|entry| entry.chars().count()).max();
    let legend = longest.map_or(0, |longest| 60 + CHARACTER * longest as i32);
    let entries = ENTRY * (chart.legend.len() as i32 + 1);
    let width = PANEL.0 * columns as i32 + legend;
    let height = TITLE + (PANEL.1 * rows + 10).max(entries);
    svg::text((width, height), |area| draw(chart, columns, area))
        .map_err(|error| Problem::without_place(format!("cannot draw {}: {error}", chart.title)))
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
            draw_panel(panel, &chart.x, colors, positive, &part, x, y)?;
        } else {
            let y = range(points().map(|(_, y)| y), 0.05);
            draw_panel(panel, &chart.x, colors, positive, &part, x, y)?;
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
    let (x, y) = (chart.x_range(), chart.y_range());
    style(&mut chart.configure_mesh())
        .set_all_tick_mark_size(4 * FINE)
        .x_labels(8)
        .y_labels(6)
        .x_label_formatter(&|value| tick(*value, &x))
        .y_label_formatter(&|value| tick(*value, &y))
        .x_desc(x_title)
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

/// The text of a tick. On an axis through 0, rounding may leave a tiny number of the 0.
fn tick(value: f64, axis: &std::ops::Range<f64>) -> String {
    let is_zero = axis.contains(&0.0) && value.abs() < 1e-9 * (axis.end - axis.start);
    number(if is_zero { 0.0 } else { value })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_zero_on_axes_through_zero() {
        assert_eq!(tick(6.8e-20, &(-3e-4..3e-4)), "0");
        assert_eq!(tick(1e-4, &(-3e-4..3e-4)), "1e-4");
        assert_eq!(tick(1e-12, &(1e-20..1.0)), "1e-12");
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
