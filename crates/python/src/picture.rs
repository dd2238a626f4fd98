//! Pictures as files.

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
    match encoded {
        Ok(bytes) => Ok(PyBytes::new(py, &bytes)),
        Err(error) => Err(of_kind(
            py,
            "failed",
            &format!("cannot encode the picture: {error}"),
        )),
    }
}
