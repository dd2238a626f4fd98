//! A picture of the cost of an element against the number of elements: a line for the step, and one for each of the stages
//! that take longest.

use std::ops::Range;

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use sastrugi::{BenchSweep, CostLine, Error};

use crate::svg::{self, Area, FINE, Failed, color, font};

const CHART: (i32, i32) = (620, 420);
const ENTRY: i32 = 20;
/// Mean width of a character of the legend.
const CHARACTER: i32 = 7;
/// Part of the picture's range that stays free on each side, as a factor.
const MARGIN: f64 = 1.4;

/// The text of an SVG file.
pub(super) fn text(sweep: &BenchSweep) -> Result<String, Error> {
    let costs = sweep.costs();
    let entries: Vec<String> = costs.iter().map(entry).collect();
    let longest = entries
        .iter()
        .map(|entry| entry.chars().count())
        .max()
        .unwrap_or(0);
    let size = (CHART.0 + 60 + CHARACTER * longest as i32, CHART.1);
    let bench = sweep.cases.first().map(|case| &case.bench);
    let title = bench.map_or_else(String::new, |bench| {
        format!("{} on {}", bench.pipeline, bench.device)
    });
    let picture = svg::text(size, |area| draw(&title, &costs, &entries, area));
    picture.map_err(|error| Error::failed(format!("cannot draw the costs of {title}: {error}")))
}

fn entry(line: &CostLine) -> String {
    format!(
        "{} per {} of {}",
        line.stage.as_deref().unwrap_or("step"),
        line.element,
        line.domain
    )
}

fn draw<'a>(title: &str, costs: &[CostLine], entries: &[String], area: &Area<'a>) -> Result<(), Failed<'a>> {
    area.fill(&WHITE)?;
    let points = || costs.iter().flat_map(|line| line.points.iter().flatten());
    let x = range(points().map(|point| point.elements as f64));
    let y = range(points().map(|point| point.ns));
    let part = area
        .clone()
        .shrink((0, 0), ((CHART.0 * FINE) as u32, (CHART.1 * FINE) as u32));
    let mut chart = ChartBuilder::on(&part)
        .caption(title, font(14))
        .margin(10 * FINE)
        .x_label_area_size(40 * FINE)
        .y_label_area_size(70 * FINE)
        .build_cartesian_2d(x.log_scale(), y.log_scale())?;
    svg::style(&mut chart.configure_mesh())
        .y_labels(6)
        .x_desc("elements")
        .y_desc("ns per element; open circles: launches take over a third")
        .draw()?;
    let plot = chart.plotting_area();
    for (place, line) in costs.iter().enumerate() {
        let color = color(place, costs.len());
        // Cases may be in any order.
        let mut points: Vec<_> = line.points.iter().flatten().copied().collect();
        points.sort_by_key(|point| point.elements);
        let at: Vec<(f64, f64)> = points
            .iter()
            .map(|point| (point.elements as f64, point.ns))
            .collect();
        let width = if line.stage.is_none() { 3 } else { 2 };
        plot.draw(&PathElement::new(
            at.clone(),
            color.stroke_width((width * FINE) as u32),
        ))?;
        for (point, at) in points.iter().zip(at) {
            plot.draw(&Circle::new(
                at,
                4 * FINE,
                if point.is_overhead { WHITE } else { color }.filled(),
            ))?;
            plot.draw(&Circle::new(at, 4 * FINE, color.stroke_width(FINE as u32)))?;
        }
    }
    for (place, entry) in entries.iter().enumerate() {
        let (x, y) = (CHART.0 + 10, 50 + ENTRY * place as i32);
        let line = [(x * FINE, y * FINE), ((x + 22) * FINE, y * FINE)];
        area.draw(&PathElement::new(
            line,
            color(place, costs.len()).stroke_width(2 * FINE as u32),
        ))?;
        let beside = font(12).pos(Pos::new(HPos::Left, VPos::Center));
        area.draw(&Text::new(entry.clone(), ((x + 30) * FINE, y * FINE), beside))?;
    }
    area.present()
}

/// From below the lowest to above the highest value.
fn range(values: impl Iterator<Item = f64>) -> Range<f64> {
    let values = values.filter(|value| *value > 0.0 && value.is_finite());
    let (low, high) = values.fold((f64::INFINITY, 0.0_f64), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    if low <= high {
        low / MARGIN..high * MARGIN
    } else {
        1.0..10.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sastrugi::CostPoint;

    #[test]
    fn picture_has_a_line_for_each_cost_and_open_circles_for_overhead() {
        let point = |elements, ns, is_overhead| {
            Some(CostPoint {
                elements,
                ns,
                is_overhead,
            })
        };
        let line = |stage: Option<&str>| CostLine {
            stage: stage.map(str::to_string),
            domain: "air".into(),
            element: "cell".into(),
            points: vec![point(4000, 2.0, false), point(1000, 9.0, true), None],
        };
        let costs = [line(None), line(Some("advect"))];
        let entries: Vec<String> = costs.iter().map(entry).collect();
        let svg = svg::text((900, 420), |area| draw("snow", &costs, &entries, area)).unwrap();
        assert_eq!(
            svg.matches("<circle").count(),
            2 * 2 * 2,
            "an area and an edge for each point"
        );
        let open = svg
            .lines()
            .filter(|line| line.starts_with("<circle") && line.contains("fill=\"#FFFFFF\""));
        assert_eq!(open.count(), 2);
        assert!(svg.contains("step per cell of air") && svg.contains("advect per cell of air"));
    }

    #[test]
    fn ranges_are_never_empty() {
        assert_eq!(range([f64::NAN, 0.0].into_iter()), 1.0..10.0);
        let range = range([5.0].into_iter());
        assert!(range.start < 5.0 && range.end > 5.0);
    }
}
