//! Positions of elevation models on maps, which files of results get back.

/// Position of the pixels of a raster on a map.
#[derive(Debug, Clone, PartialEq)]
pub struct Georeference {
    /// Map coordinates of the outer corner of the first pixel (north-west), or of its centre, in units of the map.
    pub tie: [f64; 2],
    /// True if `tie` is the centre of the first pixel: values are those of points, not of areas.
    pub is_point: bool,
    /// The ways on the map from a pixel to the next one in its row, and to the one in the next row.
    pub axes: [[f64; 2]; 2],
    /// Its coordinate system.
    pub projection: Projection,
    /// The value of pixels without data, as the file states it.
    pub no_data: Option<String>,
}

/// The coordinate system of a map.
#[derive(Debug, Clone, PartialEq)]
pub enum Projection {
    /// The file has none.
    Unknown,
    /// Metres from the origin of a pipeline.
    Local,
    /// The GeoKeys of a GeoTIFF.
    Keys(GeoKeys),
    /// The contents of a `.prj` file.
    Text(String),
}

/// The tags with the GeoKeys of a GeoTIFF (OGC 19-008r4, chapter 7).
#[derive(Debug, Clone, PartialEq)]
pub struct GeoKeys {
    /// Version of the directory and its revision.
    pub version: [u16; 3],
    /// Key, tag with its values (0 if `value` is the value), number of values, value or index of the first one.
    pub entries: Vec<[u16; 4]>,
    /// The values of keys that are doubles.
    pub doubles: Vec<f64>,
    /// The values of keys that are texts.
    pub text: String,
}

impl Projection {
    /// The contents of a `.prj`, if the system is text.
    pub fn text(&self) -> Option<&str> {
        match self {
            Projection::Text(text) => Some(text),
            Projection::Keys(keys) => keys.wkt(),
            Projection::Unknown | Projection::Local => None,
        }
    }
}

/// Axes of a raster with the north row first, whose pixels have these sides in units of the map.
pub fn north_up([width, height]: [f64; 2]) -> [[f64; 2]; 2] {
    [[width, 0.0], [0.0, -height]]
}

impl Georeference {
    /// Metres from the origin of a pipeline: the raster coordinate (x, -y) is the map position (x, y).
    pub fn local() -> Georeference {
        Georeference {
            tie: [0.0; 2],
            is_point: true,
            axes: north_up([1.0; 2]),
            projection: Projection::Local,
            no_data: None,
        }
    }

    /// The georeference of another raster on the same map. Its first pixel has its centre at `first`, and its sides are
    /// `sides`, both in pixels of this raster, from the centre of the first pixel along rows and along columns.
    ///
    /// Exact for the raster itself: the tie of a raster with the same pixels has the same bits.
    pub fn of_raster(&self, first: [f64; 2], sides: [f64; 2], is_point: bool) -> Georeference {
        let inside = |is_point: bool| if is_point { 0.0 } else { 0.5 };
        let from_tie =
            [0, 1].map(|axis| first[axis] + (inside(self.is_point) - inside(is_point) * sides[axis]));
        Georeference {
            tie: self.moved(from_tie),
            is_point,
            axes: [0, 1].map(|axis| self.axes[axis].map(|way| way * sides[axis])),
            projection: self.projection.clone(),
            no_data: self.no_data.clone(),
        }
    }

    /// The position on the map some pixels from the tie, along rows and along columns.
    pub(super) fn moved(&self, pixels: [f64; 2]) -> [f64; 2] {
        let [row, column] = self.axes;
        [0, 1].map(|axis| self.tie[axis] + (pixels[0] * row[axis] + pixels[1] * column[axis]))
    }

    /// Pixels along rows and along columns from the centre of the first pixel, by a position on the map.
    pub fn pixel_at(&self, map: [f64; 2]) -> [f64; 2] {
        let inside = if self.is_point { 0.0 } else { 0.5 };
        let [x, y] = [0, 1].map(|axis| map[axis] - self.tie[axis]);
        let [row, column] = self.axes;
        // Elimination by the larger part, which is exact where rows run along an axis of the map.
        let pixels = if row[0].abs() >= row[1].abs() {
            let part = row[1] / row[0];
            let down = (y - part * x) / (column[1] - part * column[0]);
            [(x - down * column[0]) / row[0], down]
        } else {
            let part = row[0] / row[1];
            let down = (x - part * y) / (column[0] - part * column[1]);
            [(y - down * column[1]) / row[1], down]
        };
        pixels.map(|pixels| pixels - inside)
    }

    /// Sides of a pixel, in units of the map, if the north row is first.
    pub fn sides(&self) -> Option<[f64; 2]> {
        let [[width, skew], [other, down]] = self.axes;
        (skew == 0.0 && other == 0.0 && width > 0.0 && down < 0.0).then_some([width, -down])
    }

    /// The quarter turns, counterclockwise, after which rows of a north-up raster run as those of this one; `None` if
    /// they run along no axis of the map.
    pub fn quarters(&self) -> Option<usize> {
        let [row, column] = self.axes;
        match (row.map(|way| way == 0.0), column.map(|way| way == 0.0)) {
            ([_, true], [true, _]) => Some(if row[0] > 0.0 { 0 } else { 2 }),
            ([true, _], [_, true]) => Some(if row[1] > 0.0 { 1 } else { 3 }),
            _ => None,
        }
    }

    /// That of a raster of `size` pixels after quarter turns of its axes, counterclockwise.
    pub fn turned(&self, quarters: usize, size: [usize; 2]) -> Georeference {
        let [row, column] = self.axes;
        let back = |way: [f64; 2]| way.map(|part| 0.0 - part);
        let [right, bottom] = size.map(|side| (side - usize::from(self.is_point)) as f64);
        let (first, axes) = match quarters % 4 {
            0 => ([0.0; 2], self.axes),
            1 => ([0.0, bottom], [back(column), row]),
            2 => ([right, bottom], [back(row), back(column)]),
            _ => ([right, 0.0], [column, back(row)]),
        };
        Georeference {
            tie: self.moved(first),
            axes,
            ..self.clone()
        }
    }

    /// That of the means of blocks of `times` pixels.
    pub(super) fn of_blocks(&self, times: [usize; 2]) -> Georeference {
        let sides = times.map(|times| times as f64);
        self.of_raster(sides.map(|side| 0.5 * (side - 1.0)), sides, self.is_point)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(is_point: bool) -> Georeference {
        Georeference {
            // A third has no exact representation, so that sums round.
            tie: [400_000.0 + 1.0 / 3.0, 5_000_000.0 - 1.0 / 3.0],
            is_point,
            axes: north_up([10.0 / 3.0, 7.0 / 3.0]),
            projection: Projection::Unknown,
            no_data: None,
        }
    }

    #[test]
    fn the_same_raster_has_the_same_georeference_bit_for_bit() {
        for is_point in [false, true] {
            let model = model(is_point);
            assert_eq!(model.of_raster([0.0; 2], [1.0; 2], is_point), model);
            assert_ne!(model.of_raster([1.0, 0.0], [1.0; 2], is_point), model, "control");
        }
    }

    #[test]
    fn points_and_areas_of_one_pixel_have_the_same_centre() {
        let area = model(false);
        let point = area.of_raster([0.0; 2], [1.0; 2], true);
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} {b}");
        near(point.tie[0], area.tie[0] + 5.0 / 3.0);
        near(point.tie[1], area.tie[1] - 3.5 / 3.0);
        let back = point.of_raster([0.0; 2], [1.0; 2], false);
        near(back.tie[0], area.tie[0]);
        near(back.tie[1], area.tie[1]);
    }

    #[test]
    fn positions_on_the_map_give_pixels() {
        for is_point in [false, true] {
            let model = model(is_point);
            // The tie of an area is half a pixel before the centre of the first pixel.
            let centre = model.of_raster([2.0, 3.0], [1.0; 2], true).tie;
            let [x, y] = model.pixel_at(centre);
            assert!((x - 2.0).abs() < 1e-6 && (y - 3.0).abs() < 1e-6, "{x} {y}");
        }
    }

    #[test]
    fn blocks_of_pixels_keep_the_outer_corner() {
        let area = model(false);
        let blocks = area.of_blocks([3, 4]);
        assert_eq!(blocks.tie, area.tie);
        assert_eq!(blocks.sides(), Some([3.0 * (10.0 / 3.0), 4.0 * (7.0 / 3.0)]));
        let point = model(true);
        let centre = point.of_blocks([3, 1]).tie;
        assert!((centre[0] - point.tie[0] - 10.0 / 3.0).abs() < 1e-9);
        assert_eq!(centre[1], point.tie[1]);
    }

    #[test]
    fn local_positions_are_metres_from_the_origin() {
        let raster = Georeference::local().of_raster([30.0, -80.0], [2.0, 4.0], true);
        assert_eq!((raster.tie, raster.sides()), ([30.0, 80.0], Some([2.0, 4.0])));
        let cells = Georeference::local().of_raster([30.0, -80.0], [2.0, 4.0], false);
        assert_eq!(cells.tie, [29.0, 82.0]);
    }

    #[test]
    fn pixels_of_turned_rasters_have_their_places() {
        let size = [5, 4];
        for is_point in [false, true] {
            let model = model(is_point);
            let centre = |reference: &Georeference, at: [usize; 2]| {
                let at = at.map(|pixel| pixel as f64);
                reference.of_raster(at, [1.0; 2], true).tie
            };
            for quarters in 0..4 {
                let turned = model.turned(quarters, size);
                assert_eq!(turned.quarters(), Some(quarters));
                assert_eq!(turned.sides().is_some(), quarters == 0);
                for at in [[0, 0], [2, 1], [3, 3]] {
                    let from = super::super::turn::source(quarters, size, at);
                    let [found, wanted] = [centre(&turned, at), centre(&model, from)];
                    let near = |axis: usize| (found[axis] - wanted[axis]).abs() < 1e-8;
                    assert!(near(0) && near(1), "{quarters}: {found:?}, not {wanted:?}");
                    let pixel = turned.pixel_at(wanted);
                    let near = |axis: usize| (pixel[axis] - at[axis] as f64).abs() < 1e-6;
                    assert!(near(0) && near(1), "{quarters}: {pixel:?}, not {at:?}");
                }
            }
        }
    }
}
