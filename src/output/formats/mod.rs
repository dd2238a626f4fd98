//! The file formats. Equal arrays always give equal bytes: no time stamps, no names.
//!
//! A format has a file here with its [`Descriptor`], a name in `format.rs` and a line in [`Format::descriptor`].

mod asc;
mod bgeo;
mod descriptor;
mod exr;
mod fit;
mod geotiff;
mod grids;
pub(super) mod mp4;
mod nrrd;
mod numpy;
mod obj;
mod ply;
mod png;
mod raster;
mod rows;
mod sections;
mod usd;
mod vdb;
mod vtk;

use std::io::{self, Write};

use half::f16;

use super::content::{Column, Content, Scalar};
use super::format::Format;
use super::payload::Payload;
use super::select::{Values, select};
use rows::invalid;

pub use descriptor::{Descriptor, FormatKind, Setting};
pub(super) use descriptor::{Encoder, Rows, Section, Series, SeriesFile, SeriesFiles};
pub(super) use usd::{scene, scene_outputs};

impl Format {
    pub fn descriptor(self) -> &'static Descriptor {
        match self {
            Format::Png => &png::PNG,
            Format::Exr => &exr::EXR,
            Format::Npy => &numpy::NPY,
            Format::Npz => &numpy::NPZ,
            Format::Ply => &ply::PLY,
            Format::Obj => &obj::OBJ,
            Format::Bgeo => &bgeo::BGEO,
            Format::Vti => &vtk::VTI,
            Format::Vtp => &vtk::VTP,
            Format::Vtkhdf => &vtk::VTKHDF,
            Format::Nrrd => &nrrd::NRRD,
            Format::Vdb => &vdb::VDB,
            Format::Usda => &usd::USDA,
            Format::Geotiff => &geotiff::GEOTIFF,
            Format::Asc => &asc::ASC,
            Format::Mp4 => &mp4::MP4,
        }
    }

    pub fn has(self, setting: Setting) -> bool {
        self.descriptor().settings.contains(&setting)
    }
}

/// The largest 16-bit float.
const HALF_END: f64 = 65504.0;

/// The reason why a format cannot contain this content, with the remedy after a colon; `None` if it can.
pub fn unfit(content: &Content) -> Option<String> {
    if content.columns.is_empty() || content.columns.iter().any(|column| column.components == 0) {
        return Some("its elements have no components".to_owned());
    }
    if content.format.has(Setting::Precision) && content.style.half {
        let whole = |column: &&Column| {
            !matches!(column.scalar, Scalar::F16 | Scalar::F32) && !is_linear(content, column)
        };
        if let Some(column) = content.columns.iter().find(whole) {
            return Some(format!(
                "`{}` is not a float field, so `precision` does not apply: remove it",
                column.name
            ));
        }
        let too_large = |column: &&Column| {
            let background = column.background;
            column.scalar == Scalar::F32 && background.is_finite() && background.abs() > HALF_END
        };
        let has_background = content.format.descriptor().has_background;
        if let Some(column) = (content.columns.iter().find(too_large)).filter(|_| has_background) {
            return Some(format!(
                "the background of `{}` is {}, but 16-bit floats end at {HALF_END}: remove `precision`, or choose a \
                 `scale`",
                column.name, column.background
            ));
        }
    }
    let descriptor = content.format.descriptor();
    let too_long = |column: &&Column| (descriptor.numbers)(column.unadapted()).is_none();
    (descriptor.unfit)(content).or_else(|| {
        let column = content.columns.iter().find(too_long)?;
        let format = content.format.name();
        Some(format!(
            "`{}` contains 64-bit numbers, but {format} supports only 32 bits: choose npz, vti or vtp, or \
             another type",
            column.name
        ))
    })
}

/// Colours become floats in an EXR.
fn is_linear(content: &Content, column: &Column) -> bool {
    content.format == Format::Exr && column.scalar == Scalar::Colour
}

/// Refuses finite numbers that exceed the range of 16-bit floats, since they would become infinite.
fn fits_half(values: &Values) -> io::Result<()> {
    if values.column.scalar != Scalar::F32 {
        return Ok(());
    }
    let numbers = values
        .bytes
        .chunks_exact(4)
        .map(|b| f32::from_ne_bytes([b[0], b[1], b[2], b[3]]));
    let too_large = |number: &f32| number.is_finite() && !f16::from_f32(*number).is_finite();
    match numbers.enumerate().find(|(_, number)| too_large(number)) {
        None => Ok(()),
        Some((at, number)) => Err(io::Error::new(
            io::ErrorKind::InvalidData,
            format!(
                "`{}` of element {} is {number:?}, but 16-bit floats end at {HALF_END}",
                values.column.name,
                at / values.column.components as usize
            ),
        )),
    }
}

/// Writes a payload as `content` describes it. The caller has checked that it fits the format and that every column has
/// the right number of bytes.
pub(super) fn encode(
    content: &Content,
    frame: u64,
    payload: &dyn Payload,
    out: &mut dyn Write,
) -> io::Result<()> {
    let view = select(content, frame, payload)?;
    if content.style.half {
        view.columns.iter().try_for_each(fits_half)?;
    }
    match content.format.descriptor().encoder {
        Encoder::Frame(write) | Encoder::Film(write) => write(&view, out),
        Encoder::Sections(divide) => sections::write(&view, divide(&view)?, out),
        Encoder::Rows(_) => Err(invalid("its frames are parts of one file")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_beyond_half_floats_are_reported_by_element() {
        let content = Content::array(Format::Npy, Scalar::F32, 3, &[4]);
        let mut numbers = [
            0.0_f32,
            f32::INFINITY,
            f32::NAN,
            65504.0,
            -65504.0,
            1.0,
            2.0,
            70000.0,
            3.0,
            0.0,
            0.0,
            0.0,
        ];
        let check = |numbers: &[f32]| {
            let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
            fits_half(&Values {
                column: &content.columns[0],
                bytes: bytes.into(),
            })
        };
        let refused = check(&numbers).unwrap_err().to_string();
        assert!(refused.contains("of element 2 is 70000.0"), "{refused}");
        numbers[7] = 65504.0;
        assert!(check(&numbers).is_ok());
    }
}
