//! H.264 films: the pixels in the form that ffmpeg requires. `movie` passes them to it.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::super::content::{Column, Compression, Content, Scalar};
use super::super::select::View;
use super::descriptor::{Descriptor, Encoder, FormatKind, Setting, words};
use super::fit;
use super::png::{numbers, share};

pub(super) const MP4: Descriptor = Descriptor {
    note: "rgba8, or a number in colours; requires ffmpeg",
    settings: &[Setting::Rate, Setting::Range, Setting::Colormap],
    compression: Some(Compression::Fast),
    takes: is_rgba,
    unfit,
    numbers: words,
    ..Descriptor::of(FormatKind::Pictures, Encoder::Film(write))
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

/// Checks that a file is a whole MP4: boxes to its end, among them the type of the file, the index and the media. The error is
/// the cause.
pub(in crate::output) fn check_file(path: &Path) -> Result<(), String> {
    let mut file = File::open(path).map_err(|error| error.to_string())?;
    let length = file.metadata().map_err(|error| error.to_string())?.len();
    if length == 0 {
        return Err("it is empty".into());
    }
    let kinds = boxes(&mut file, length).map_err(|_| "it is truncated or is not an MP4 file".to_string())?;
    let is_complete = [*b"ftyp", *b"moov", *b"mdat"]
        .iter()
        .all(|kind| kinds.contains(kind));
    if is_complete {
        Ok(())
    } else {
        Err("it lacks its index or its frames".into())
    }
}

/// The kinds of the boxes of a file.
fn boxes(file: &mut File, length: u64) -> io::Result<Vec<[u8; 4]>> {
    let mut kinds = Vec::new();
    let mut at = 0;
    while at < length {
        let mut header = [0; 16];
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(&mut header[..8])?;
        let [a, b, c, d, kind @ ..] = header;
        let size = match u32::from_be_bytes([a, b, c, d]) {
            // The box extends to the end of the file.
            0 => length - at,
            // A 64-bit size follows.
            1 => {
                file.read_exact(&mut header[8..])?;
                header[8..]
                    .iter()
                    .fold(0, |size, byte| size << 8 | u64::from(*byte))
            }
            size => size.into(),
        };
        if size < 8 || size > length - at {
            return Err(io::ErrorKind::InvalidData.into());
        }
        kinds.extend(kind.first_chunk::<4>());
        at += size;
    }
    Ok(kinds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_films_are_detected() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("film.mp4");
        let check = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            check_file(&path)
        };
        let whole = b"\0\0\0\x09ftypx\0\0\0\x08moov\0\0\0\x01mdat\0\0\0\0\0\0\0\x11y";
        assert_eq!(check(whole), Ok(()));
        assert_eq!(check(b""), Err("it is empty".into()));
        for length in 1..whole.len() {
            assert!(check(&whole[..length]).is_err(), "cut to {length} bytes");
        }
        assert!(check(b"\0\0\0\0ftyp").unwrap_err().contains("lacks its index"));
        assert!(check(b"\0\0\0\x07ftyp").is_err());
        assert!(check(b"Not a film at all").is_err());
    }
}
