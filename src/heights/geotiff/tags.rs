//! The tags that georeference an image.

use super::keys::key;
use crate::heights::earth::{metres_of_unit, metres_per_degree, on_globe, web_mercator_scale};
use crate::heights::georeference::{GeoKeys, Georeference, Projection, north_up};

const WEB_MERCATOR: u16 = 3857;

pub(super) struct Tags {
    pub size: [u64; 2],
    pub scale: Vec<f64>,
    pub tie: Vec<f64>,
    pub matrix: Vec<f64>,
    pub keys: GeoKeys,
    pub no_data: Option<String>,
}

/// Ways on the map from a pixel to its neighbours in the row and in the column, and position of the outer corner of the
/// first one.
type AxesAndCorner = ([[f64; 2]; 2], [f64; 2]);

/// Largest slope of rows and columns that counts as rounding.
const STRAIGHT: f64 = 1e-6;
/// Largest cosine of the angle between rows and columns on the ground. Ellipsoids and middle latitudes cost less.
const SQUARE: f64 = 1e-3;

impl Tags {
    /// The position of the image on a map, if it has one.
    pub(super) fn georeference(&self) -> Result<Option<Georeference>, String> {
        let Some((axes, tie)) = self.axes_and_corner()? else {
            return Ok(None);
        };
        let is_known = tie.iter().all(|coordinate| coordinate.is_finite());
        Ok(is_known.then(|| Georeference {
            tie,
            is_point: self.keys.value(key::RASTER_TYPE) == Some(key::IS_POINT),
            axes,
            projection: match self.keys.value(key::MODEL_TYPE) {
                None => Projection::Unknown,
                Some(key::USER_DEFINED) if self.keys.wkt().is_none() => Projection::Local,
                Some(_) => Projection::Keys(self.keys.clone()),
            },
            no_data: self.no_data.clone(),
        }))
    }

    /// Axes and corner in units of the map; none in a plain TIFF.
    fn axes_and_corner(&self) -> Result<Option<AxesAndCorner>, String> {
        let (axes, corner) = match (&self.matrix[..], &self.scale[..], &self.tie[..]) {
            ([a, b, _, x, c, d, _, y, ..], ..) => {
                let clean = |way: [f64; 2]| {
                    let length = way[0].hypot(way[1]);
                    way.map(|part| if part.abs() > STRAIGHT * length { part } else { 0.0 })
                };
                ([clean([*a, *c]), clean([*b, *d])], [*x, *y])
            }
            (_, [width, height, ..], [column, row, _, x, y, ..]) => (
                north_up([*width, *height]),
                [x - column * width, y + row * height],
            ),
            (_, [width, height, ..], _) => (north_up([*width, *height]), [f64::NAN; 2]),
            _ => return Ok(None),
        };
        let [row, column] = axes;
        // In a raster that is rotated but not mirrored, the next row is to the right of the way along a row.
        let area = row[1] * column[0] - row[0] * column[1];
        if area > 0.0 && area.is_finite() {
            Ok(Some((axes, corner)))
        } else {
            Err("it is mirrored, or its pixels have no size: north must be up and east to the right".into())
        }
    }

    pub(super) fn metres_per_pixel(&self) -> Result<Option<[f64; 2]>, String> {
        let Some((axes, corner)) = self.axes_and_corner()? else {
            return Ok(None);
        };
        let range = |axis: usize| {
            let [row, column] = [0, 1].map(|way: usize| axes[way][axis] * self.size[way] as f64);
            let corners = [0.0, row, column, row + column].map(|way| corner[axis] + way);
            let low = corners.iter().copied().reduce(f64::min).unwrap_or(f64::NAN);
            [low, corners.iter().copied().reduce(f64::max).unwrap_or(f64::NAN)]
        };
        let (x, y) = (range(0), range(1));
        let side = |axis: usize| axes[axis][0].hypot(axes[axis][1]);
        let middle = 0.5 * (y[0] + y[1]);
        let geographic = match self.keys.value(key::MODEL_TYPE) {
            Some(key::GEOGRAPHIC) => true,
            Some(3) => return Err("its coordinates are geocentric, not those of a map".into()),
            None | Some(key::USER_DEFINED) => side(0) < 0.1 && on_globe(x, y),
            Some(_) => false,
        };
        let metres = if geographic {
            if !on_globe(x, y) {
                return Err("it is in degrees, but does not say where on the globe".into());
            }
            match self.keys.value(key::ANGULAR_UNIT) {
                None | Some(9102) => metres_per_degree(middle),
                Some(code) => return Err(format!("its angles have unit {code} (EPSG), not degrees")),
            }
        } else if self.keys.value(key::PROJECTED_SYSTEM) == Some(WEB_MERCATOR) && middle.is_finite() {
            [web_mercator_scale(middle); 2]
        } else {
            [unit(self.keys.value(key::LINEAR_UNIT))?; 2]
        };
        let [row, column] = axes.map(|way| [way[0] * metres[0], way[1] * metres[1]]);
        let [width, height] = [row, column].map(|way| way[0].hypot(way[1]));
        if (row[0] * column[0] + row[1] * column[1]).abs() > SQUARE * width * height {
            return Err("it is sheared: its rows and columns are not perpendicular".into());
        }
        Ok(Some([width, height]))
    }

    /// Metres per unit of height, from a key or from GDAL's metadata.
    pub(super) fn metres_per_level(&self, name: Option<&str>) -> Result<f64, String> {
        match (self.keys.value(key::VERTICAL_UNIT), name) {
            (None, Some("ft" | "foot" | "feet")) => unit(Some(9002)),
            (None, Some("us-ft" | "us survey foot" | "ftus")) => unit(Some(9003)),
            (code, _) => unit(code),
        }
    }
}

/// Metres of a unit; without one, maps are in metres.
fn unit(code: Option<u16>) -> Result<f64, String> {
    let code = code.unwrap_or(9001);
    metres_of_unit(code).ok_or(format!(
        "it has lengths in unit {code} (EPSG): convert it to metres"
    ))
}
