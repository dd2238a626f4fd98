//! Pictures as files.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::error::of_kind;

/// A picture as PNG: `pixels` are rows of RGB.
#[pyfunction]
pub fn png_of<'py>(
    py: Python<'py>,
    pixels: PyBuffer<u8>,
    width: u32,
    height: u32,
) -> PyResult<Bound<'py, PyBytes>> {
    let pixels = pixels.to_vec(py)?;
    let encoded = py.detach(|| -> Result<Vec<u8>, png::EncodingError> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.write_header()?.write_image_data(&pixels)?;
        Ok(bytes)
    });
    given(py, encoded.map_err(|error| error.to_string()))
}

/// Pictures in PNG files as an animated PNG, with a rate in pictures per second. All have the size of the first one.
#[pyfunction]
pub fn film_of<'py>(py: Python<'py>, files: Vec<PathBuf>, rate: f64) -> PyResult<Bound<'py, PyBytes>> {
    given(py, py.detach(|| film(&files, rate)))
}

fn given(py: Python<'_>, encoded: Result<Vec<u8>, String>) -> PyResult<Bound<'_, PyBytes>> {
    match encoded {
        Ok(bytes) => Ok(PyBytes::new(py, &bytes)),
        Err(cause) => Err(of_kind(
            py,
            "failed",
            &format!("cannot encode the picture: {cause}"),
        )),
    }
}

fn film(files: &[PathBuf], rate: f64) -> Result<Vec<u8>, String> {
    let count = u32::try_from(files.len()).map_err(|error| error.to_string())?;
    let first = files.first().ok_or("there are no frames")?;
    let head = read(first)?;
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, head.width, head.height);
    encoder.set_color(head.color);
    let encode = |error: png::EncodingError| error.to_string();
    encoder.set_animated(count, 0).map_err(encode)?;
    // Milliseconds for each frame.
    let delay = (1e3 / rate).round().clamp(1.0, f64::from(u16::MAX)) as u16;
    encoder.set_frame_delay(delay, 1000).map_err(encode)?;
    let mut writer = encoder.write_header().map_err(encode)?;
    for file in files {
        let picture = read(file)?;
        if (picture.width, picture.height, picture.color) != (head.width, head.height, head.color) {
            return Err(format!(
                "{} has another size than {}",
                file.display(),
                first.display()
            ));
        }
        writer.write_image_data(&picture.pixels).map_err(encode)?;
    }
    writer.finish().map_err(encode)?;
    Ok(bytes)
}

struct Picture {
    width: u32,
    height: u32,
    color: png::ColorType,
    /// 8 bits each.
    pixels: Vec<u8>,
}

fn read(file: &Path) -> Result<Picture, String> {
    let wrong = |cause: String| format!("{}: {cause}", file.display());
    let opened = File::open(file).map_err(|error| wrong(error.to_string()))?;
    let mut decoder = png::Decoder::new(BufReader::new(opened));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let decoding = |error: png::DecodingError| wrong(error.to_string());
    let mut reader = decoder.read_info().map_err(decoding)?;
    let size = reader
        .output_buffer_size()
        .ok_or_else(|| wrong("it is too large".into()))?;
    let mut pixels = vec![0; size];
    let info = reader.next_frame(&mut pixels).map_err(decoding)?;
    pixels.truncate(info.buffer_size());
    Ok(Picture {
        width: info.width,
        height: info.height,
        color: info.color_type,
        pixels,
    })
}
