//! H.264 films: the pixels in the form that ffmpeg requires. `movie` passes them to it.

use std::io::{self, Write};

use super::super::content::{Column, Compression, Content, Scalar};
use super::super::select::View;
use super::descriptor::{Descriptor, FormatKind, Setting, words};
use super::fit;

pub(super) const MP4: Descriptor = Descriptor {
    note: "rgba8; requires ffmpeg",
    settings: &[Setting::Rate],
    compression: Some(Compression::Fast),
    is_film: true,
    takes: is_rgba,
    unfit,
    numbers: words,
    ..Descriptor::new(FormatKind::Pictures, write)
};

fn is_rgba(column: &Column) -> bool {
    column.scalar == Scalar::Colour && column.components == 4
}

fn unfit(content: &Content) -> Option<String> {
    fit::single_picture(content).or_else(|| {
        let rendered = is_rgba(&content.columns[0]);
        (!rendered).then(|| "a film requires rgba8 pixels: render an rgba8 image, or choose png".to_owned())
    })
}

fn write(view: &View, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(&view.columns[0].bytes)
}
