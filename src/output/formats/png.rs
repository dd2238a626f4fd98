//! PNG: rgba8 images unchanged, numbers as grey.

use std::io::{self, Write};

use png::{BitDepth, ColorType};

use super::super::content::{Column, Compression, Content, Scalar};
use super::super::picture::Picture;
use super::super::select::{Values, View};
use super::descriptor::{Descriptor, FormatKind, Setting, words};
use super::fit;
use super::rows::invalid;

pub(super) const PNG: Descriptor = Descriptor {
    note: "rgba8, or a number as grey or in colours",
    settings: &[Setting::Bits, Setting::Range, Setting::Colormap],
    compression: Some(Compression::Fast),
    takes: is_rgba,
    unfit,
    numbers: words,
    ..Descriptor::new(FormatKind::Pictures, write)
};

fn is_rgba(column: &Column) -> bool {
    column.scalar == Scalar::Colour && column.components == 4
}

fn unfit(content: &Content) -> Option<String> {
    if let Some(reason) = fit::single_picture(content) {
        return Some(reason);
    }
    let (column, style) = (&content.columns[0], &content.style);
    if style.colormap.is_some() {
        return fit::colours(content);
    }
    let reason = match style.range {
        _ if is_rgba(column) && style.bits == 8 => return None,
        _ if is_rgba(column) => "an rgba8 image has 8 bits per channel: remove `bits`",
        _ if column.components != 1 || column.scalar == Scalar::Colour => {
            "a PNG contains rgba8 pixels, or one number per pixel as grey: choose exr or npy"
        }
        Some([low, high]) if low >= high => "the range of grey levels must ascend: swap its ends",
        None => "grey pixels require a `range` [black, white]: add one, or choose exr or npy",
        Some(_) => return None,
    };
    Some(reason.to_owned())
}

fn write(view: &View, out: &mut dyn Write) -> io::Result<()> {
    let (Some(picture), [values]) = (view.picture(), &view.columns[..]) else {
        return Err(invalid("an image has a height and a width"));
    };
    let side = |length: usize| u32::try_from(length).map_err(io::Error::other);
    let mut encoder = png::Encoder::new(out, side(picture.width)?, side(picture.height)?);
    // A rendered frame of 1280x720 takes 18 ms and 1.4 MB with `Fast`, 660 ms and 1.2 MB with the crate's default.
    encoder.set_compression(match view.content.style.compression {
        Some(Compression::None) => png::Compression::NoCompression,
        Some(Compression::Best) => png::Compression::High,
        Some(Compression::Fast) | None => png::Compression::Fast,
    });
    let data = match (view.content.style.range, view.content.style.colormap) {
        (Some(range), Some(colormap)) => {
            encoder.set_color(ColorType::Rgb);
            encoder.set_depth(BitDepth::Eight);
            encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
            let pixels = numbers(values, &picture).map(|value| colormap.bytes(share(value, range)));
            pixels.flatten().collect::<Vec<u8>>().into()
        }
        (Some(range), None) if values.column.components == 1 => {
            encoder.set_color(ColorType::Grayscale);
            encoder.set_depth(match view.content.style.bits {
                16 => BitDepth::Sixteen,
                _ => BitDepth::Eight,
            });
            grey(values, &picture, range, view.content.style.bits)
        }
        _ => {
            encoder.set_color(ColorType::Rgba);
            encoder.set_depth(BitDepth::Eight);
            encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
            rgba(values, &picture)
        }
    };
    let mut writer = encoder.write_header().map_err(as_io)?;
    writer.write_image_data(&data).map_err(as_io)?;
    writer.finish().map_err(as_io)
}

fn rgba<'a>(values: &'a Values, picture: &Picture) -> std::borrow::Cow<'a, [u8]> {
    if picture.is_in_order() {
        return (&*values.bytes).into();
    }
    let mut data = Vec::with_capacity(values.bytes.len());
    for row in 0..picture.height {
        (0..picture.width).for_each(|x| data.extend(values.word(picture.element(x, row), 0)));
    }
    data.into()
}

/// The numbers of a picture, pixel by pixel.
pub(super) fn numbers<'a>(values: &'a Values, picture: &'a Picture) -> impl Iterator<Item = f64> + 'a {
    let elements =
        (0..picture.height).flat_map(move |row| (0..picture.width).map(move |x| picture.element(x, row)));
    elements.map(move |element| {
        let word = values.word(element, 0);
        match values.column.scalar {
            Scalar::F32 => f64::from(f32::from_ne_bytes(word)),
            Scalar::I32 => f64::from(i32::from_ne_bytes(word)),
            _ => f64::from(u32::from_ne_bytes(word)),
        }
    })
}

/// The position of a number in a range, from 0 to 1.
pub(super) fn share(value: f64, [low, high]: [f64; 2]) -> f64 {
    (value - low) / (high - low)
}

/// Grey levels, most significant byte first. NaN is black.
fn grey(values: &Values, picture: &Picture, range: [f64; 2], bits: u32) -> std::borrow::Cow<'static, [u8]> {
    let most = f64::from((1u32 << bits) - 1);
    let mut data = Vec::with_capacity(picture.width * picture.height * bits as usize / 8);
    for value in numbers(values, picture) {
        let level = (share(value, range) * most).round();
        // A cast converts negative numbers and NaN to 0.
        let level = if level > most { most as u16 } else { level as u16 };
        match bits {
            16 => data.extend(level.to_be_bytes()),
            _ => data.push(level as u8),
        }
    }
    data.into()
}

/// Keeps the kind of the error (such as a full disk), which the conversion of the crate loses.
fn as_io(error: png::EncodingError) -> io::Error {
    match error {
        png::EncodingError::IoError(e) => e,
        other => io::Error::other(other),
    }
}
