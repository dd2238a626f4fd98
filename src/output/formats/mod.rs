//! Arrays into bytes of a file format. The same arrays always give the same bytes: no time stamps, no names.

mod bgeo;
mod exr;
mod numpy;
mod ply;
mod png;
mod vdb;
mod vtk;

use std::io::{self, Write};

use super::content::{Content, Format};
use super::job::Payload;
use super::select::{View, select};

pub(super) use vtk::collection;

/// Writes what `content` says of `payload`. The caller has checked that it fits the format and that every column has
/// as many bytes as it should.
pub(super) fn encode(content: &Content, payload: &dyn Payload, out: &mut dyn Write) -> io::Result<()> {
    let view = select(content, payload)?;
    match content.format {
        Format::Png => png::write(&view, out),
        Format::Exr => exr::write(&view, out),
        Format::Npy => numpy::npy(&view.columns[0], &view.shape, content.style.half, out),
        Format::Npz => numpy::npz(&view, out),
        Format::Ply => ply::write(&view, out),
        Format::Bgeo => bgeo::write(&view, out),
        Format::Vti => vtk::image_data(&view, out),
        Format::Vtp => vtk::poly_data(&view, out),
        Format::Vdb => vdb::write(&view, out),
        Format::Mp4 => pixels(&view, out),
    }
}

/// The pixels of an image as ffmpeg takes them.
fn pixels(view: &View, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(&view.columns[0].bytes)
}

/// Elements that are turned around, or interleaved, at a time.
const CHUNK: usize = 1 << 14;

fn invalid(message: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message.into())
}
