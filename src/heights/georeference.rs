//! Positions of elevation models on maps, which files of results get back.

/// Position of the pixels of a raster on a map.
#[derive(Debug, Clone, PartialEq)]
pub struct Georeference {
    /// Map coordinates of the outer corner of the first pixel (north-west), or of its centre, in units of the map.
    pub tie: [f64; 2],
    /// True if `tie` is the centre of the first pixel: values are those of points, not of areas.
    pub is_point: bool,
    /// Sides of a pixel, in units of the map.
    pub pixel: [f64; 2],
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

impl Georeference {
    /// Metres from the origin of a pipeline: the raster coordinate (x, -y) is the map position (x, y).
    pub fn local() -> Georeference {
        Georeference {
            tie: [0.0; 2],
            is_point: true,
            pixel: [1.0; 2],
            projection: Projection::Local,
            no_data: None,
        }
    }

    /// The georeference of another raster on the same map. Its first pixel has its centre at `first`, and its sides are
    /// `sides`, both in pixels of this raster, from the centre of the first pixel to the east and to the south.
    ///
    /// Exact for the raster itself: the tie of a raster with the same pixels has the same bits.
    pub fn of_raster(&self, first: [f64; 2], sides: [f64; 2], is_point: bool) -> Georeference {
        let inside = |is_point: bool| if is_point { 0.0 } else { 0.5 };
        let tie = |axis: usize, direction: f64| {
            let from_tie = first[axis] + (inside(self.is_point) - inside(is_point) * sides[axis]);
            self.tie[axis] + direction * from_tie * self.pixel[axis]
        };
        Georeference {
            tie: [tie(0, 1.0), tie(1, -1.0)],
            is_point,
            pixel: [self.pixel[0] * sides[0], self.pixel[1] * sides[1]],
            projection: self.projection.clone(),
            no_data: self.no_data.clone(),
        }
    }

    /// Pixels to the east and to the south from the centre of the first pixel, by a position on the map.
    pub fn pixel_at(&self, map: [f64; 2]) -> [f64; 2] {
        let inside = if self.is_point { 0.0 } else { 0.5 };
        [
            (map[0] - self.tie[0]) / self.pixel[0] - inside,
            (self.tie[1] - map[1]) / self.pixel[1] - inside,
        ]
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
            pixel: [10.0 / 3.0, 7.0 / 3.0],
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
        near(point.tie[0], area.tie[0] + 0.5 * area.pixel[0]);
        near(point.tie[1], area.tie[1] - 0.5 * area.pixel[1]);
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
        assert_eq!(blocks.pixel, [3.0 * area.pixel[0], 4.0 * area.pixel[1]]);
        let point = model(true);
        let centre = point.of_blocks([3, 1]).tie;
        assert!((centre[0] - point.tie[0] - point.pixel[0]).abs() < 1e-9);
        assert_eq!(centre[1], point.tie[1]);
    }

    #[test]
    fn local_positions_are_metres_from_the_origin() {
        let raster = Georeference::local().of_raster([30.0, -80.0], [2.0, 4.0], true);
        assert_eq!((raster.tie, raster.pixel), ([30.0, 80.0], [2.0, 4.0]));
        let cells = Georeference::local().of_raster([30.0, -80.0], [2.0, 4.0], false);
        assert_eq!(cells.tie, [29.0, 82.0]);
    }
}
