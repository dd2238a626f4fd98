//! A picture of the rates of stages against the bytes of a dispatch, below the rate of a copy.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use sastrugi::{Bench, Error, StageBench};

use crate::svg::{self, Area, FINE, Failed, color, font};

const SIZE: (i32, i32) = (760, 460);
/// Stages with a smaller share of their list have no name: many of them are close together.
const NAMED_SHARE: f64 = 0.02;

/// The text of an SVG file.
pub(super) fn text(bench: &Bench) -> Result<String, Error> {
    let picture = svg::text(SIZE, |area| draw(bench, area));
    picture.map_err(|error| Error::failed(format!("cannot draw the rates of {}: {error}", bench.pipeline)))
}

/// Bytes of a dispatch and rate of each stage that has bytes.
fn points(bench: &Bench) -> Vec<(&StageBench, f64, f64)> {
    let stages = bench
        .step
        .stages
        .iter()
        .chain(bench.frame.iter().flat_map(|frame| &frame.stages));
    let points = stages.filter_map(|stage| {
        let bytes = stage.bytes? as f64 / f64::from(stage.dispatches.max(1));
        let rate = stage.gb_per_s()?;
        (bytes > 0.0 && rate > 0.0 && rate.is_finite()).then_some((stage, bytes, rate))
    });
    points.collect()
}

fn draw<'a>(bench: &Bench, area: &Area<'a>) -> Result<(), Failed<'a>> {
    area.fill(&WHITE)?;
    let points = points(bench);
    let copy = bench.copy_gb_per_s;
    let ends = |values: &mut dyn Iterator<Item = f64>| {
        let (low, high) = values.fold((f64::INFINITY, 0.0_f64), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        if low <= high {
            low / 2.0..high * 2.0
        } else {
            1.0..10.0
        }
    };
    let x = ends(&mut points.iter().map(|(_, bytes, _)| *bytes));
    let y = ends(&mut points.iter().map(|(.., rate)| *rate).chain([copy]));
    let mut chart = ChartBuilder::on(area)
        .caption(format!("{} on {}", bench.pipeline, bench.device), font(14))
        .margin(10 * FINE)
        .x_label_area_size(40 * FINE)
        .y_label_area_size(70 * FINE)
        .build_cartesian_2d(x.clone().log_scale(), y.log_scale())?;
    svg::style(&mut chart.configure_mesh())
        .x_desc("bytes of a dispatch")
        .y_desc("GB/s")
        .draw()?;
    let plot = chart.plotting_area();
    let roof = color(1, 2).stroke_width(2 * FINE as u32);
    plot.draw(&PathElement::new(vec![(x.start, copy), (x.end, copy)], roof))?;
    let above = font(11).pos(Pos::new(HPos::Left, VPos::Bottom));
    let text = format!("a copy: {copy:.0} GB/s");
    plot.draw(&Text::new(text, (x.start * 1.1, copy * 1.05), above))?;
    for (stage, bytes, rate) in points {
        // The area shows the share of the list.
        let radius = (3.0 + 12.0 * stage.share.sqrt()) * f64::from(FINE);
        plot.draw(&Circle::new(
            (bytes, rate),
            radius as i32,
            color(0, 2).mix(0.45).filled(),
        ))?;
        if stage.share >= NAMED_SHARE {
            // Names stay inside the picture.
            let (at, side) = if bytes < (x.start * x.end).sqrt() {
                (bytes * 1.15, HPos::Left)
            } else {
                (bytes / 1.15, HPos::Right)
            };
            let style = font(10).pos(Pos::new(side, VPos::Center));
            plot.draw(&Text::new(stage.stage.clone(), (at, rate), style))?;
        }
    }
    area.present()
}
