//! Elevation models in a frame along the wind.

use rayon::prelude::*;

use super::georeference::Georeference;
use super::model::{Header, Model};

/// The pixel of a raster of `size` pixels that is at `at` after quarter turns of its axes, counterclockwise.
pub fn source(quarters: usize, size: [usize; 2], [column, row]: [usize; 2]) -> [usize; 2] {
    let last = size.map(|side| side - 1);
    match quarters % 4 {
        0 => [column, row],
        1 => [row, last[1] - column],
        2 => [last[0] - column, last[1] - row],
        _ => [last[0] - row, column],
    }
}

/// The sides of a raster after quarter turns.
pub fn swapped<T: Copy>(quarters: usize, sides: [T; 2]) -> [T; 2] {
    if quarters % 2 == 1 {
        [sides[1], sides[0]]
    } else {
        sides
    }
}

/// The model in a frame whose x axis is along a wind that comes `from` degrees clockwise from the north of the map. Multiples
/// of 90 degrees only reorder pixels; else the frame is the largest rectangle in the model, and heights are interpolated
/// bilinearly, with the smaller side of a pixel. `metres` are the sides of a pixel.
pub fn along_wind(model: &Model, metres: [f64; 2], from: f64) -> Result<Model, String> {
    let reference = model.header.georeference.clone().unwrap_or_else(|| {
        let north = (model.header.size[1] - 1) as f64 * metres[1];
        Georeference::local().of_raster([0.0, -north], metres, true)
    });
    if reference.sides().is_none() {
        return Err(
            "it is rotated already: `gdalwarp FILE.tif NORTH_UP.tif` makes a model with north up of it"
                .into(),
        );
    }
    // Counterclockwise from the east, as the way of the wind.
    let quarters = (270.0 - from) / 90.0;
    if quarters.fract() == 0.0 {
        return Ok(turned(
            model,
            metres,
            &reference,
            quarters.rem_euclid(4.0) as usize,
        ));
    }
    rotated(model, metres, &reference, (270.0 - from).to_radians())
}

fn turned(model: &Model, metres: [f64; 2], reference: &Georeference, quarters: usize) -> Model {
    let size = model.header.size.map(|side| side as usize);
    let [width, height] = swapped(quarters, size);
    let level = |at: usize| {
        let [column, row] = source(quarters, size, [at % width, at / width]);
        model.levels[row * size[0] + column]
    };
    Model {
        header: Header {
            size: [width as u64, height as u64],
            metres_per_pixel: Some(swapped(quarters, metres)),
            metres_per_level: model.header.metres_per_level,
            georeference: Some(reference.turned(quarters, size)),
        },
        levels: (0..width * height).map(level).collect(),
        filled: model.filled,
    }
}

/// The largest rectangle at this angle in one with these sides: of all with two corners on opposite sides, that with
/// the largest area, or if this is too long, the one with a corner on every side.
fn inside([width, height]: [f64; 2], angle: f64) -> [f64; 2] {
    let (sine, cosine) = (angle.sin().abs(), angle.cos().abs());
    let both = 2.0 * sine * cosine;
    if width <= both * height {
        [0.5 * width / cosine, 0.5 * width / sine]
    } else if height <= both * width {
        [0.5 * height / sine, 0.5 * height / cosine]
    } else {
        let double = cosine * cosine - sine * sine;
        [
            (width * cosine - height * sine) / double,
            (height * cosine - width * sine) / double,
        ]
    }
}

fn rotated(model: &Model, metres: [f64; 2], reference: &Georeference, angle: f64) -> Result<Model, String> {
    let size = model.header.size.map(|side| side as usize);
    let last = size.map(|side| (side - 1) as f64);
    let side = metres[0].min(metres[1]);
    let whole = [last[0] * metres[0], last[1] * metres[1]];
    let found = inside(whole, angle).map(|length| (length / side + 1e-9).floor() as usize + 1);
    if found.iter().any(|side| *side < 2) {
        let [width, height] = found;
        return Err(format!(
            "only {width} x {height} of its pixels are in a rectangle along the wind"
        ));
    }
    // Ways to the next pixel of a row and of a column, in pixels of the model.
    let (sine, cosine) = angle.sin_cos();
    let along = [cosine * side / metres[0], -sine * side / metres[1]];
    let down = [sine * side / metres[0], cosine * side / metres[1]];
    let at = |column: f64, row: f64| [0, 1].map(|axis| column * along[axis] + row * down[axis]);
    let middle = at(0.5 * (found[0] - 1) as f64, 0.5 * (found[1] - 1) as f64);
    let first = [0, 1].map(|axis| 0.5 * last[axis] - middle[axis]);
    let rows = (0..found[1]).into_par_iter().map(|row| {
        let level = |column: usize| {
            let from_first = at(column as f64, row as f64);
            bilinear(model, [0, 1].map(|axis| first[axis] + from_first[axis]))
        };
        (0..found[0]).map(level).collect::<Vec<f64>>()
    });
    let levels = rows.collect::<Vec<_>>().concat();
    // The tie is the corner of a pixel, or its centre.
    let (inside, corner) = if reference.is_point {
        (0.0, [0.0; 2])
    } else {
        (0.5, at(0.5, 0.5))
    };
    let way = |pixels: [f64; 2]| {
        let [row, column] = reference.axes;
        [0, 1].map(|axis| pixels[0] * row[axis] + pixels[1] * column[axis])
    };
    let tie = reference.moved([0, 1].map(|axis| first[axis] + inside - corner[axis]));
    Ok(Model {
        header: Header {
            size: found.map(|side| side as u64),
            metres_per_pixel: Some([side; 2]),
            metres_per_level: model.header.metres_per_level,
            georeference: Some(Georeference {
                tie,
                axes: [way(along), way(down)],
                ..reference.clone()
            }),
        },
        levels,
        filled: model.filled,
    })
}

/// The level at a position in pixels from the first one.
fn bilinear(model: &Model, position: [f64; 2]) -> f64 {
    let size = model.header.size.map(|side| side as usize);
    let low = [0, 1].map(|axis| (position[axis].max(0.0) as usize).min(size[axis] - 2));
    let part = [0, 1].map(|axis| (position[axis] - low[axis] as f64).clamp(0.0, 1.0));
    let level = |column: usize, row: usize| model.levels[(low[1] + row) * size[0] + low[0] + column];
    let row = |row: usize| (1.0 - part[0]) * level(0, row) + part[0] * level(1, row);
    (1.0 - part[1]) * row(0) + part[1] * row(1)
}

#[cfg(test)]
mod tests {
    use super::super::georeference::{Projection, north_up};
    use super::*;

    /// 61 x 41 pixels of 10 m x 12 m: a plane with a peak at the column 20 and the row 30.
    fn model(is_point: bool) -> Model {
        let level = |at: usize| {
            let [x, y] = [(at % 61) as f64 - 20.0, (at / 61) as f64 - 30.0];
            100.0 * (-(x * x * 100.0 + y * y * 144.0) / 1800.0).exp()
        };
        Model {
            header: Header {
                size: [61, 41],
                metres_per_pixel: Some([10.0, 12.0]),
                metres_per_level: Some(1.0),
                georeference: Some(Georeference {
                    tie: [4e5, 5e6],
                    is_point,
                    axes: north_up([10.0, 12.0]),
                    projection: Projection::Unknown,
                    no_data: None,
                }),
            },
            levels: (0..61 * 41).map(level).collect(),
            filled: 0,
        }
    }

    /// The place of the highest pixel on the map.
    fn summit(model: &Model) -> [f64; 2] {
        let highest = (0..model.levels.len()).max_by(|a, b| model.levels[*a].total_cmp(&model.levels[*b]));
        let width = model.header.size[0] as usize;
        let at = highest
            .map(|at| [(at % width) as f64, (at / width) as f64])
            .unwrap();
        let reference = model.header.georeference.as_ref().unwrap();
        reference.of_raster(at, [1.0; 2], true).tie
    }

    #[test]
    fn wind_from_an_axis_of_the_map_reorders_pixels() {
        let model = model(false);
        let of = |from: f64| along_wind(&model, [10.0, 12.0], from).unwrap();
        let level = |found: &Model, column: usize, row: usize| {
            found.levels[row * found.header.size[0] as usize + column]
        };
        let same = of(270.0);
        assert_eq!((&same.levels, &same.header), (&model.levels, &model.header));
        // The first pixel along the wind is on the side that it comes from; the first row is to the left of its way.
        for (from, size, first, next) in [
            (90.0, [61, 41], [60, 40], [59, 40]),
            (0.0, [41, 61], [60, 0], [60, 1]),
            (360.0, [41, 61], [60, 0], [60, 1]),
            (180.0, [41, 61], [0, 40], [0, 39]),
        ] {
            let found = of(from);
            assert_eq!(found.header.size, size, "{from}");
            assert_eq!(level(&found, 0, 0), level(&model, first[0], first[1]), "{from}");
            assert_eq!(level(&found, 1, 0), level(&model, next[0], next[1]), "{from}");
            let [found, wanted] = [summit(&found), summit(&model)];
            assert!(
                (found[0] - wanted[0]).abs() < 1e-6 && (found[1] - wanted[1]).abs() < 1e-6,
                "{from}"
            );
        }
    }

    #[test]
    fn wind_from_between_keeps_a_peak_at_its_place() {
        for is_point in [false, true] {
            let model = model(is_point);
            let wanted = summit(&model);
            for from in [225.0, 280.0, 10.0, 110.0] {
                let found = along_wind(&model, [10.0, 12.0], from).unwrap();
                let off = |[x, y]: [f64; 2]| (x - wanted[0]).hypot(y - wanted[1]);
                assert!(off(summit(&found)) < 10.0, "{from}: {}", off(summit(&found)));
                // The way of a row on the map is that of the wind.
                let [row, column] = found.header.georeference.as_ref().unwrap().axes;
                let way = [row[0] / 10.0, row[1] / 10.0];
                let angle = f64::to_radians(from);
                assert!((way[0] + angle.sin()).abs() < 1e-12 && (way[1] + angle.cos()).abs() < 1e-12);
                assert!((row[0] * column[0] + row[1] * column[1]).abs() < 1e-9);
                // Control: heights turned the other way, at the same place.
                let mut other = along_wind(
                    &model,
                    [10.0, 12.0],
                    180.0 - from + 360.0 * f64::from(from > 180.0),
                )
                .unwrap();
                other.header.georeference = found.header.georeference;
                assert!(off(summit(&other)) > 30.0, "{from}: {}", off(summit(&other)));
            }
        }
    }

    #[test]
    fn rectangles_along_the_wind_are_in_the_model() {
        for sides in [[600.0, 480.0], [100.0, 900.0], [500.0, 500.0]] {
            for degrees in [1.0, 20.0, 45.0, 70.0, 89.0, 135.0, 200.0] {
                let angle = f64::to_radians(degrees);
                let (sine, cosine) = (angle.sin().abs(), angle.cos().abs());
                let fits = |[a, b]: [f64; 2]| {
                    a * cosine + b * sine <= sides[0] * (1.0 + 1e-12)
                        && a * sine + b * cosine <= sides[1] * (1.0 + 1e-12)
                };
                let found = inside(sides, angle);
                assert!(fits(found), "{degrees}");
                let area = found[0] * found[1];
                for change in [0.99, 1.01] {
                    // No other shape has more area.
                    assert!(
                        !fits([found[0] * change, area / (found[0] * change) * 1.001]),
                        "{degrees}"
                    );
                }
            }
        }
    }
}
