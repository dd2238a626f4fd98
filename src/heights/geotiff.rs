//! GeoTIFF (OGC 19-008r4): one band of heights, and the tags that georeference it.

use std::fs::File;
use std::io::BufReader;

use tiff::ColorType;
use tiff::decoder::{Decoder, DecodingResult, Limits};
use tiff::tags::Tag;

use super::earth::{metres_of_unit, metres_per_degree, on_globe, web_mercator_scale};
use super::model::{Header, check_size};

/// Maximum size of a decoded image, bytes.
const MAX_IMAGE_BYTES: usize = 1 << 30;
/// Pixels for each byte of a file, above what the compressions of TIFF reach: the size in a header is not believed, because
/// memory is allocated for it.
const MAX_PIXELS_PER_BYTE: u64 = 4096;
/// GDAL's own items, as XML.
const GDAL_METADATA: Tag = Tag::Unknown(42112);
/// The value of voids in 16-bit models of the Shuttle mission, which have no tag for it.
const VOID: f64 = -32768.0;
const WEB_MERCATOR: u64 = 3857;

/// Keys of the GeoKey directory.
mod key {
    pub(super) const MODEL_TYPE: u64 = 1024;
    pub(super) const ANGULAR_UNIT: u64 = 2054;
    pub(super) const PROJECTED_SYSTEM: u64 = 3072;
    pub(super) const LINEAR_UNIT: u64 = 3076;
    pub(super) const VERTICAL_UNIT: u64 = 4099;
}

type Reader = Decoder<BufReader<File>>;

pub(super) fn examine(file: File) -> Result<Header, String> {
    Ok(open(file)?.1)
}

fn open(file: File) -> Result<(Reader, Header), String> {
    let fail = |error: tiff::TiffError| format!("not a readable TIFF file: {error}");
    let bytes = file.metadata().map_err(|error| error.to_string())?.len();
    let mut limits = Limits::default();
    let most = bytes.saturating_mul(MAX_PIXELS_PER_BYTE).saturating_mul(8);
    limits.decoding_buffer_size =
        usize::try_from(most).map_or(MAX_IMAGE_BYTES, |most| most.min(MAX_IMAGE_BYTES));
    limits.intermediate_buffer_size = limits.intermediate_buffer_size.min(limits.decoding_buffer_size);
    // The values of a tag are in the file.
    limits.ifd_value_size =
        usize::try_from(bytes).map_or(limits.ifd_value_size, |most| most.min(limits.ifd_value_size));
    let mut reader = Decoder::new(BufReader::new(file))
        .map_err(fail)?
        .with_limits(limits);
    let color = reader.colortype().map_err(fail)?;
    if !matches!(color, ColorType::Gray(_)) {
        return Err(format!("its pixels are {color:?}, not one band of heights"));
    }
    let (width, height) = reader.dimensions().map_err(fail)?;
    let size = check_size(u64::from(width), u64::from(height))?;
    if size[0] * size[1] > bytes.saturating_mul(MAX_PIXELS_PER_BYTE) {
        return Err(format!(
            "a file of {bytes} bytes cannot hold {width} x {height} pixels"
        ));
    }
    let keys: Vec<u64> = numbers(&mut reader, Tag::GeoKeyDirectoryTag)
        .iter()
        .map(|number| *number as u64)
        .collect();
    let tags = Georeference {
        size,
        scale: numbers(&mut reader, Tag::ModelPixelScaleTag),
        tie: numbers(&mut reader, Tag::ModelTiepointTag),
        matrix: numbers(&mut reader, Tag::ModelTransformationTag),
        keys,
    };
    let unit = gdal_item(&mut reader, "unittype");
    let header = Header {
        size,
        metres_per_pixel: tags.metres_per_pixel()?,
        metres_per_level: Some(tags.metres_per_level(unit.as_deref())?),
    };
    Ok((reader, header))
}

pub(super) fn read(file: File) -> Result<(Header, Vec<f64>), String> {
    let (mut reader, header) = open(file)?;
    let no_data = reader.get_tag_ascii_string(Tag::GdalNodata).ok();
    let no_data: Option<f64> = no_data.and_then(|text| text.trim_matches(['\0', ' ']).parse().ok());
    let item = |reader: &mut Reader, role| gdal_item(reader, role).and_then(|text| text.parse::<f64>().ok());
    let scale = item(&mut reader, "scale").unwrap_or(1.0);
    let offset = item(&mut reader, "offset").unwrap_or(0.0);
    let image = reader
        .read_image()
        .map_err(|error| format!("cannot decode it: {error}"))?;
    let sixteen = matches!(image, DecodingResult::I16(_));
    let mut levels = levels(image);
    for level in &mut levels {
        // The tag is decimal text, the level may be a float of 32 bits.
        let missing = match no_data {
            Some(value) => *level == value || *level as f32 == value as f32,
            None => sixteen && *level == VOID,
        };
        let known = !missing && level.abs() < 1e30;
        *level = if known { *level * scale + offset } else { f64::NAN };
    }
    if levels.len() as u64 == header.size[0] * header.size[1] {
        Ok((header, levels))
    } else {
        Err("the number of pixels does not match its size".into())
    }
}

fn levels(image: DecodingResult) -> Vec<f64> {
    fn of<T: Copy>(values: Vec<T>, level: impl Fn(T) -> f64) -> Vec<f64> {
        values.into_iter().map(level).collect()
    }
    match image {
        DecodingResult::U8(values) => of(values, f64::from),
        DecodingResult::U16(values) => of(values, f64::from),
        DecodingResult::U32(values) => of(values, f64::from),
        DecodingResult::U64(values) => of(values, |value| value as f64),
        DecodingResult::I8(values) => of(values, f64::from),
        DecodingResult::I16(values) => of(values, f64::from),
        DecodingResult::I32(values) => of(values, f64::from),
        DecodingResult::I64(values) => of(values, |value| value as f64),
        DecodingResult::F16(values) => of(values, |value| value.to_f64()),
        DecodingResult::F32(values) => of(values, f64::from),
        DecodingResult::F64(values) => values,
    }
}

/// The numbers of a tag; none if it is absent.
fn numbers(reader: &mut Reader, tag: Tag) -> Vec<f64> {
    let whole = |numbers: Vec<u64>| numbers.into_iter().map(|number| number as f64).collect();
    match reader.get_tag_f64_vec(tag) {
        Ok(numbers) => numbers,
        Err(_) => reader.get_tag_u64_vec(tag).map(whole).unwrap_or_default(),
    }
}

/// The text of an item of GDAL's metadata, by its role.
fn gdal_item(reader: &mut Reader, role: &str) -> Option<String> {
    let text = reader.get_tag_ascii_string(GDAL_METADATA).ok()?;
    let (_, rest) = text.split_once(&format!("role=\"{role}\">"))?;
    Some(rest.split('<').next()?.trim().to_ascii_lowercase())
}

/// The tags that georeference the image.
struct Georeference {
    size: [u64; 2],
    scale: Vec<f64>,
    tie: Vec<f64>,
    matrix: Vec<f64>,
    keys: Vec<u64>,
}

/// Size of a pixel, and position of the outer corner of the first one.
type PixelAndCorner = ([f64; 2], [f64; 2]);

impl Georeference {
    /// The value of a key that the directory itself holds.
    fn key(&self, wanted: u64) -> Option<u64> {
        let entries = self.keys.get(4..)?.chunks_exact(4);
        entries
            .filter(|entry| entry[1] == 0)
            .find(|entry| entry[0] == wanted)
            .map(|entry| entry[3])
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

    fn metres_per_pixel(&self) -> Result<Option<[f64; 2]>, String> {
        let Some((size, corner)) = self.pixel_and_corner()? else {
            return Ok(None);
        };
        let x = [corner[0], corner[0] + size[0] * self.size[0] as f64];
        let y = [corner[1] - size[1] * self.size[1] as f64, corner[1]];
        let middle = 0.5 * (y[0] + y[1]);
        let geographic = match self.key(key::MODEL_TYPE) {
            Some(2) => true,
            Some(3) => return Err("its coordinates are geocentric, not those of a map".into()),
            Some(_) => false,
            None => size[0] < 0.1 && on_globe(x, y),
        };
        let metres = if geographic {
            if !on_globe(x, y) {
                return Err("it is in degrees, but does not say where on the globe".into());
            }
            match self.key(key::ANGULAR_UNIT) {
                None | Some(9102) => metres_per_degree(middle),
                Some(code) => return Err(format!("its angles have unit {code} (EPSG), not degrees")),
            }
        } else if self.key(key::PROJECTED_SYSTEM) == Some(WEB_MERCATOR) && middle.is_finite() {
            [web_mercator_scale(middle); 2]
        } else {
            [unit(self.key(key::LINEAR_UNIT))?; 2]
        };
        Ok(Some([size[0] * metres[0], size[1] * metres[1]]))
    }

    /// Metres per unit of height, from a key or from GDAL's metadata.
    fn metres_per_level(&self, name: Option<&str>) -> Result<f64, String> {
        match (self.key(key::VERTICAL_UNIT), name) {
            (None, Some("ft" | "foot" | "feet")) => unit(Some(9002)),
            (None, Some("us-ft" | "us survey foot" | "ftus")) => unit(Some(9003)),
            (code, _) => unit(code),
        }
    }
}

/// Metres of a unit; without one, maps are in metres.
fn unit(code: Option<u64>) -> Result<f64, String> {
    let code = code.unwrap_or(9001);
    metres_of_unit(code).ok_or(format!(
        "it has lengths in unit {code} (EPSG): convert it to metres"
    ))
}

#[cfg(test)]
mod tests;
