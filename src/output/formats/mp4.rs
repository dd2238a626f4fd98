//! H.264 films: the pixels in the form that ffmpeg requires. `movie` passes them to it.

use std::io::{self, Write};

use super::super::content::{Column, Compression, Content, Scalar};
use super::super::select::View;
use super::descriptor::{Descriptor, FormatKind, Setting, words};
use super::fit;
use super::png::{numbers, share};

pub(super) const MP4: Descriptor = Descriptor {
    note: "rgba8, or a number in colours; requires ffmpeg",
    settings: &[Setting::Rate, Setting::Range, Setting::Colormap],
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
        if content.style.colormap.is_some() {
            return fit::colours(content);
        }
        if content.style.range.is_some() {
            return Some(
                "a `range` is for numbers in colours: add a `colormap`, or remove `range`".to_owned(),
            );
        }
        let rendered = is_rgba(&content.columns[0]);
        let reason =
            "a film requires rgba8 pixels, or a number per pixel with a `colormap`: add one, or choose png";
        (!rendered).then(|| reason.to_owned())
    })
}

fn write(view: &View, out: &mut dyn Write) -> io::Result<()> {
    let values = &view.columns[0];
    let style = &view.content.style;
    let (Some(colormap), Some(range), Some(picture)) = (style.colormap, style.range, view.picture()) else {
        return out.write_all(&values.bytes);
    };
    let colours = numbers(values, &picture).map(|value| colormap.bytes(share(value, range)));
    let pixels: Vec<u8> = colours
        .flat_map(|[red, green, blue]| [red, green, blue, 255])
        .collect();
    out.write_all(&pixels)
}
