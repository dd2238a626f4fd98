//! The tags that georeference an image.

use super::keys::key;
use crate::heights::earth::{metres_of_unit, metres_per_degree, on_globe, web_mercator_scale};
use crate::heights::georeference::{GeoKeys, Georeference, Projection};

const WEB_MERCATOR: u16 = 3857;

pub(super) struct Tags {
    pub size: [u64; 2],
    pub scale: Vec<f64>,
    pub tie: Vec<f64>,
    pub matrix: Vec<f64>,
    pub keys: GeoKeys,
    pub no_data: Option<String>,
}

/// Size of a pixel, and position of the outer corner of the first one.
type PixelAndCorner = ([f64; 2], [f64; 2]);

impl Tags {
    /// The position of the image on a map, if it has one.
    pub(super) fn georeference(&self) -> Result<Option<Georeference>, String> {
        let Some((pixel, tie)) = self.pixel_and_corner()? else {
            return Ok(None);
        };
        let is_known = tie.iter().all(|coordinate| coordinate.is_finite());
        Ok(is_known.then(|| Georeference {
            tie,
            is_point: self.keys.value(key::RASTER_TYPE) == Some(key::IS_POINT),
            pixel,
            projection: match self.keys.value(key::MODEL_TYPE) {
                None => Projection::Unknown,
                Some(key::USER_DEFINED) if self.keys.wkt().is_none() => Projection::Local,
                Some(_) => Projection::Keys(self.keys.clone()),
            },
            no_data: self.no_data.clone(),
        }))
    }

    /// Size of a pixel and position of the outer corner of the first one, in units of the map; none in a plain TIFF.
    fn pixel_and_corner(&self) -> Result<Option<PixelAndCorner>, String> {
        let (size, corner) = match (&self.matrix[..], &self.scale[..], &self.tie[..]) {
            ([a, b, _, x, c, d, _, y, ..], ..) => {
                if b.abs() > 1e-6 * a.abs() || c.abs() > 1e-6 * d.abs() {
                    return Err("it is rotated: its rows do not run from west to east".into());
                }
                ([*a, -*d], [*x, *y])
            }
            (_, [width, height, ..], [column, row, _, x, y, ..]) => {
                ([*width, *height], [x - column * width, y + row * height])
            }
            (_, [width, height, ..], _) => ([*width, *height], [f64::NAN; 2]),
            _ => return Ok(None),
        };
        if size.iter().all(|side| *side > 0.0 && side.is_finite()) {
            Ok(Some((size, corner)))
        } else {
            Err("it is mirrored, or its pixels have no size: north must be up and east to the right".into())
        }
    }

    pub(super) fn metres_per_pixel(&self) -> Result<Option<[f64; 2]>, String> {
        let Some((size, corner)) = self.pixel_and_corner()? else {
            return Ok(None);
        };
        let x = [corner[0], corner[0] + size[0] * self.size[0] as f64];
        let y = [corner[1] - size[1] * self.size[1] as f64, corner[1]];
        let middle = 0.5 * (y[0] + y[1]);
        let geographic = match self.keys.value(key::MODEL_TYPE) {
            Some(key::GEOGRAPHIC) => true,
            Some(3) => return Err("its coordinates are geocentric, not those of a map".into()),
            None | Some(key::USER_DEFINED) => size[0] < 0.1 && on_globe(x, y),
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
        Ok(Some([size[0] * metres[0], size[1] * metres[1]]))
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
