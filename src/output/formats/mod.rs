//! The file formats. The same arrays always give the same bytes: no time stamps, no names.
//!
//! A format has a file here with its [`Descriptor`], a name in `format.rs` and a line in [`Format::descriptor`].

mod bgeo;
mod descriptor;
mod exr;
mod fit;
mod mp4;
mod nrrd;
mod numpy;
mod ply;
mod png;
mod rows;
mod vdb;
mod vtk;

use std::io::{self, Write};

use super::content::{Column, Content, Scalar};
use super::format::Format;
use super::payload::Payload;
use super::select::select;

pub(crate) use descriptor::{Descriptor, FormatKind, Setting};
pub(super) use vtk::collection;

impl Format {
    pub(crate) fn descriptor(self) -> &'static Descriptor {
        match self {
            Format::Png => &png::PNG,
            Format::Exr => &exr::EXR,
            Format::Npy => &numpy::NPY,
            Format::Npz => &numpy::NPZ,
            Format::Ply => &ply::PLY,
            Format::Bgeo => &bgeo::BGEO,
            Format::Vti => &vtk::VTI,
            Format::Vtp => &vtk::VTP,
            Format::Nrrd => &nrrd::NRRD,
            Format::Vdb => &vdb::VDB,
            Format::Mp4 => &mp4::MP4,
        }
    }

    pub(crate) fn has(self, setting: Setting) -> bool {
        self.descriptor().settings.contains(&setting)
    }
}

/// Why the format cannot contain this content, with the remedy after a colon; `None` if it can.
pub(crate) fn unfit(content: &Content) -> Option<String> {
    if content.columns.is_empty() || content.columns.iter().any(|column| column.components == 0) {
        return Some("its elements have no components".to_owned());
    }
    if content.format.has(Setting::Precision) && content.style.half {
        let whole = |column: &&Column| !matches!(column.scalar, Scalar::F16 | Scalar::F32);
        if let Some(column) = content.columns.iter().find(whole) {
            return Some(format!(
                "`{}` is not a float field, so `precision` does not apply: remove it",
                column.name
            ));
        }
    }
    let descriptor = content.format.descriptor();
    let too_long = |column: &&Column| (descriptor.numbers)(column.stored).is_none();
    (descriptor.unfit)(content).or_else(|| {
        let column = content.columns.iter().find(too_long)?;
        let format = content.format.extension();
        Some(format!(
            "`{}` contains 64-bit numbers, but {format} supports only 32 bits: choose npz, vti or vtp, or \
             another type",
            column.name
        ))
    })
}

/// Writes a payload as `content` describes it. The caller has checked that it fits the format and that every column has
/// the right number of bytes.
pub(super) fn encode(content: &Content, payload: &dyn Payload, out: &mut dyn Write) -> io::Result<()> {
    let view = select(content, payload)?;
    (content.format.descriptor().write)(&view, out)
}
