//! GeoTIFF (OGC 19-008r4): one band of heights, and the tags that georeference it.

mod encode;
mod keys;
mod tags;

use std::fs::File;
use std::io::BufReader;

use tiff::ColorType;
use tiff::decoder::{Decoder, DecodingResult, Limits};
use tiff::tags::Tag;

use super::georeference::GeoKeys;
use super::model::{Header, check_size};
use tags::Tags;

pub use encode::{Effort, encode};
pub use keys::from_wkt;

/// Maximum size of a decoded image, bytes.
const MAX_IMAGE_BYTES: usize = 1 << 30;
/// Pixels for each byte of a file, above what the compressions of TIFF reach: the size in a header is not believed, because
/// memory is allocated for it.
const MAX_PIXELS_PER_BYTE: u64 = 4096;
/// GDAL's own items, as XML.
const GDAL_METADATA: Tag = Tag::Unknown(42112);
/// The value of voids in 16-bit models of the Shuttle mission, which have no tag for it.
const VOID: f64 = -32768.0;

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
    let no_data = reader.get_tag_ascii_string(Tag::GdalNodata).ok();
    let tags = Tags {
        size,
        scale: numbers(&mut reader, Tag::ModelPixelScaleTag),
        tie: numbers(&mut reader, Tag::ModelTiepointTag),
        matrix: numbers(&mut reader, Tag::ModelTransformationTag),
        keys: GeoKeys::read(
            &reader
                .get_tag_u16_vec(Tag::GeoKeyDirectoryTag)
                .unwrap_or_default(),
            numbers(&mut reader, Tag::GeoDoubleParamsTag),
            reader
                .get_tag_ascii_string(Tag::GeoAsciiParamsTag)
                .unwrap_or_default(),
        ),
        no_data: no_data.map(|text| text.trim_matches(['\0', ' ']).to_owned()),
    };
    let unit = gdal_item(&mut reader, "unittype");
    let header = Header {
        size,
        metres_per_pixel: tags.metres_per_pixel()?,
        metres_per_level: Some(tags.metres_per_level(unit.as_deref())?),
        georeference: tags.georeference()?,
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

#[cfg(test)]
mod tests;
