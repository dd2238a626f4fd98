//! Arrays into bytes of a file format. The same array always gives the same bytes: no time stamps, no names.

use std::io::{self, Write};

use npyz::{DType, Endianness, WriterBuilder};

use super::{Array, Format, Scalar};

/// Writes `array`, whose elements are `data`, in `format`. The caller has checked that it fits the format.
pub(super) fn encode(format: Format, array: &Array, data: &[u8], out: &mut dyn Write) -> io::Result<()> {
    match format {
        Format::Png => png(array, data, out),
        Format::Npy => npy(array, data, out),
    }
}

fn png(array: &Array, data: &[u8], out: &mut dyn Write) -> io::Result<()> {
    let [height, width] = array.shape[..] else {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "an image has a height and a width",
        ));
    };
    let side = |length: u64| u32::try_from(length).map_err(io::Error::other);
    let mut encoder = png::Encoder::new(out, side(width)?, side(height)?);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    // A rendered frame of 1280x720 takes 18 ms and 1.4 MB this way, 660 ms and 1.2 MB with the crate's default.
    encoder.set_compression(png::Compression::Fast);
    let mut writer = encoder.write_header().map_err(as_io)?;
    writer.write_image_data(data).map_err(as_io)?;
    writer.finish().map_err(as_io)
}

/// Keeps the kind (disk full, say), which the crate's own conversion drops.
fn as_io(error: png::EncodingError) -> io::Error {
    match error {
        png::EncodingError::IoError(e) => e,
        other => io::Error::other(other),
    }
}

fn npy(array: &Array, data: &[u8], out: &mut dyn Write) -> io::Result<()> {
    let mut shape = array.shape.clone();
    if array.components > 1 {
        shape.push(u64::from(array.components));
    }
    let out = npyz::WriteOptions::new_header_only()
        .dtype(dtype(array.scalar)?)
        .shape(&shape)
        .writer(out)
        .write_header_only()?;
    out.write_all(data)
}

fn dtype(scalar: Scalar) -> io::Result<DType> {
    let order = Endianness::of_machine().to_str();
    let name = match scalar {
        Scalar::F32 => format!("{order}f4"),
        Scalar::I32 => format!("{order}i4"),
        Scalar::U32 => format!("{order}u4"),
        Scalar::U8 => "|u1".to_owned(),
    };
    name.parse().map(DType::new_scalar).map_err(io::Error::other)
}
