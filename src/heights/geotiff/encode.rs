//! Writes GeoTIFF files.

use std::io::{Cursor, Seek, Write};

use tiff::TiffResult;
use tiff::encoder::colortype::ColorType;
use tiff::encoder::compression::DeflateLevel;
use tiff::encoder::{Compression, ImageEncoder, Predictor, TiffEncoder, TiffKind, TiffValue};
use tiff::tags::{SampleFormat, Tag};

use super::keys::from_wkt;
use crate::heights::georeference::{GeoKeys, Georeference, Projection};

/// Effort to make the file small.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    None,
    Fast,
    Best,
}

/// Bytes of values above which a file has offsets of 64 bits (BigTIFF). Tags and incompressible data take some more.
const MAX_CLASSIC_BYTES: usize = 0xf000_0000;

/// The bytes of a file with one band of values, the north row first.
pub fn encode<C: ColorType>(
    size: [u32; 2],
    values: &[C::Inner],
    reference: &Georeference,
    effort: Effort,
) -> Result<Vec<u8>, String>
where
    C::Inner: bytemuck::Pod,
    [C::Inner]: TiffValue,
{
    let mut file = Cursor::new(Vec::new());
    let written = if size_of_val(values) > MAX_CLASSIC_BYTES {
        TiffEncoder::new_big(&mut file)
            .and_then(|encoder| write::<C, _, _>(encoder, size, values, reference, effort))
    } else {
        TiffEncoder::new(&mut file)
            .and_then(|encoder| write::<C, _, _>(encoder, size, values, reference, effort))
    };
    written.map_err(|error| format!("cannot encode the TIFF file: {error}"))?;
    Ok(file.into_inner())
}

fn write<C: ColorType, W: Write + Seek, K: TiffKind>(
    encoder: TiffEncoder<W, K>,
    size: [u32; 2],
    values: &[C::Inner],
    reference: &Georeference,
    effort: Effort,
) -> TiffResult<()>
where
    C::Inner: bytemuck::Pod,
    [C::Inner]: TiffValue,
{
    let compression = match effort {
        Effort::None => Compression::Uncompressed,
        Effort::Fast => Compression::Deflate(DeflateLevel::Fast),
        Effort::Best => Compression::Deflate(DeflateLevel::Best),
    };
    let is_float = C::SAMPLE_FORMAT.contains(&SampleFormat::IEEEFP);
    let predictor = match effort {
        Effort::None => Predictor::None,
        _ if is_float => Predictor::FloatingPoint,
        _ => Predictor::Horizontal,
    };
    let by_crate = match predictor {
        Predictor::FloatingPoint => Predictor::None,
        other => other,
    };
    let mut encoder = encoder.with_compression(compression).with_predictor(by_crate);
    let mut image = encoder.new_image::<C>(size[0], size[1])?;
    tags(&mut image, reference)?;
    if predictor == Predictor::FloatingPoint {
        image.encoder().write_tag(Tag::Predictor, predictor.to_u16())?;
        return image.write_data(&differences(values, size[0] as usize));
    }
    image.write_data(values)
}

/// The floating-point predictor, which the crate reads but does not write: each row is the first bytes of its values,
/// most significant ones first, then the second ones and so on, and of all bytes the differences to those before (Adobe
/// Photoshop TIFF Technical Note 3, 2005). The bytes are in numbers of the type of the values.
fn differences<T: bytemuck::Pod>(values: &[T], width: usize) -> Vec<T> {
    let size = size_of::<T>();
    let mut written = Vec::with_capacity(values.len());
    let mut planes = vec![0u8; width * size];
    for row in values.chunks_exact(width) {
        for (column, value) in row.iter().enumerate() {
            for (byte, found) in bytemuck::bytes_of(value).iter().enumerate() {
                let significance = if cfg!(target_endian = "little") {
                    size - 1 - byte
                } else {
                    byte
                };
                planes[significance * width + column] = *found;
            }
        }
        for at in (1..planes.len()).rev() {
            planes[at] = planes[at].wrapping_sub(planes[at - 1]);
        }
        written.extend(planes.chunks_exact(size).map(bytemuck::pod_read_unaligned::<T>));
    }
    written
}

fn tags<C: ColorType, W: Write + Seek, K: TiffKind>(
    image: &mut ImageEncoder<W, C, K>,
    reference: &Georeference,
) -> TiffResult<()> {
    let directory = image.encoder();
    let ([x, y], [row, column]) = (reference.tie, reference.axes);
    if let Some([width, height]) = reference.sides() {
        directory.write_tag(Tag::ModelPixelScaleTag, &[width, height, 0.0][..])?;
        directory.write_tag(Tag::ModelTiepointTag, &[0.0, 0.0, 0.0, x, y, 0.0][..])?;
    } else {
        let lines = [
            [row[0], column[0], 0.0, x],
            [row[1], column[1], 0.0, y],
            [0.0; 4],
            [0.0, 0.0, 0.0, 1.0],
        ];
        directory.write_tag(Tag::ModelTransformationTag, lines.as_flattened())?;
    }
    let keys = keys(&reference.projection).for_values(reference.is_point);
    if !keys.entries.is_empty() {
        directory.write_tag(Tag::GeoKeyDirectoryTag, &keys.directory()[..])?;
    }
    if !keys.doubles.is_empty() {
        directory.write_tag(Tag::GeoDoubleParamsTag, &keys.doubles[..])?;
    }
    if !keys.text.is_empty() {
        directory.write_tag(Tag::GeoAsciiParamsTag, keys.text.as_str())?;
    }
    if let Some(no_data) = &reference.no_data {
        directory.write_tag(Tag::GdalNodata, no_data.as_str())?;
    }
    Ok(())
}

fn keys(projection: &Projection) -> GeoKeys {
    match projection {
        Projection::Keys(keys) => keys.clone(),
        Projection::Local => GeoKeys::local(),
        Projection::Text(text) => from_wkt(text).unwrap_or_else(GeoKeys::new),
        Projection::Unknown => GeoKeys::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floating_point_predictor_matches_the_note() {
        // Bytes 3f 80 00 00, 40 00 00 00: planes 3f 40, 80 00, 00 00, 00 00.
        let written = differences(&[1.0f32, 2.0], 2);
        let bytes: Vec<u8> = written.iter().flat_map(|value| value.to_ne_bytes()).collect();
        assert_eq!(bytes, [0x3f, 0x01, 0x40, 0x80, 0x00, 0x00, 0x00, 0x00]);
    }
}
