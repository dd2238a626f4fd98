//! Files that several processes write at the same time: each writes the elements of its box of a lattice to their places.
//!
//! The first process makes the hidden file and gives it its name when all have written. A format takes part if the places
//! follow from the indices of elements: [`Content::has_places`].

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::atomic_file::{PartFile, hidden};
use super::content::{Compression, Content, Geometry, Selection};
use super::formats::{Encoder, Section};
use super::select::{Values, View, select};
use super::{FileDigest, Job, OutputError};

/// The elements of a box of a lattice that a file contains.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selected {
    /// The smallest box of the lattice that contains them: its first element and its sides.
    pub low: [u64; 3],
    pub size: [u64; 3],
    /// The place of the first one among the elements of the file, and their number, along each axis.
    first: [u64; 3],
    count: [u64; 3],
}

/// The share of a process in a file.
#[derive(Debug)]
pub struct Share {
    /// The hidden file.
    file: PathBuf,
    /// `None` if the file contains no element of its box.
    elements: Option<Selected>,
    /// True for the first process, which also writes what depends on no element.
    is_first: bool,
}

impl Share {
    /// The share in the file `path`, which has these elements of the box of the process.
    pub fn new(path: &Path, stamp: &str, elements: Option<Selected>, is_first: bool) -> Share {
        Share {
            file: hidden(path, stamp),
            elements,
            is_first,
        }
    }
}

/// A hidden file by which processes find out that they see the same directory. It is removed if it is dropped.
pub struct Mark {
    _part: PartFile,
    /// Distinguishes the hidden files of these processes from those of others.
    pub stamp: String,
}

impl Mark {
    /// The name beside which the file is hidden.
    const NAME: &str = "ranks";

    pub fn create(directory: &Path) -> Result<Mark, OutputError> {
        let (part, _) = PartFile::create(&directory.join(Mark::NAME))?;
        let name = part.path().file_name().unwrap_or_default().to_string_lossy();
        let stamp = name.trim_end_matches(".part").rsplit('.').next();
        let stamp = stamp.unwrap_or_default().to_owned();
        Ok(Mark { _part: part, stamp })
    }

    /// Returns true if the mark of another process is visible in a directory.
    pub fn is_seen(directory: &Path, stamp: &str) -> bool {
        hidden(&directory.join(Mark::NAME), stamp).exists()
    }
}

/// A hidden file that several processes write, as the first of them made it. It is removed if it is dropped.
pub struct CommonFile {
    part: PartFile,
    bytes: u64,
}

impl CommonFile {
    /// Makes the file of a frame with its length. `stamp` distinguishes it from files of other runs.
    pub fn create(
        path: &Path,
        stamp: &str,
        content: &Content,
        frame: u64,
    ) -> Result<CommonFile, OutputError> {
        let create = || {
            let bytes = Places::of(content, frame)?.bytes;
            let hidden = hidden(path, stamp);
            // A killed process with this number may have left it.
            let _ = fs::remove_file(&hidden);
            let (part, file) = PartFile::open(hidden)?;
            file.set_len(bytes)?;
            Ok(CommonFile { part, bytes })
        };
        create().map_err(|error| OutputError::io("create", path, error))
    }

    /// Gives the file its name.
    pub(super) fn name(mut self, path: &Path) -> Result<FileDigest, OutputError> {
        self.part.rename_to(path)?;
        Ok(FileDigest {
            bytes: self.bytes,
            blake3: None,
        })
    }
}

impl Content {
    /// True if the places of elements in a file follow from their indices: a lattice without compression, whose numbers are
    /// written one by one.
    pub fn has_places(&self) -> bool {
        let is_plain = matches!(self.style.compression, None | Some(Compression::None)) && !self.style.half;
        let is_lattice = matches!(
            self.geometry,
            Geometry::Cells { .. } | Geometry::Vertices { .. } | Geometry::Image
        );
        let has_parts = self.live.is_some() || self.active.is_some() || self.identity.is_some();
        let is_whole = self.staggered.is_none() && self.faces.is_none() && !has_parts;
        let is_divided = matches!(self.format.descriptor().encoder, Encoder::Sections(_));
        is_divided && is_plain && is_lattice && is_whole
    }

    /// The elements of a box that the file contains; `None` if there are none.
    pub fn selected_in(&self, low: [u64; 3], size: [u64; 3]) -> Option<Selected> {
        let (all, mut found) = (self.selected(), Selected::default());
        for axis in 0..3 {
            let (start, stride) = (self.selection.first[axis], self.stride(axis));
            let number = |plane: u64| plane.saturating_sub(start).div_ceil(stride).min(all[axis]);
            let (first, end) = (number(low[axis]), number(low[axis] + size[axis]));
            let count = end.checked_sub(first).filter(|count| *count > 0)?;
            (found.first[axis], found.count[axis]) = (first, count);
            (found.low[axis], found.size[axis]) = (start + first * stride, (count - 1) * stride + 1);
        }
        Some(found)
    }

    /// The content of a file with these elements alone.
    fn of_elements(&self, elements: &Selected) -> Content {
        let axes = self.shape.len();
        Content {
            shape: elements.size[..axes].iter().rev().copied().collect(),
            selection: Selection {
                stride: self.selection.stride,
                ..Selection::default()
            },
            ..self.clone()
        }
    }
}

/// The places of everything in a file.
struct Places {
    /// Bytes that depend on no element.
    fixed: Vec<(u64, Vec<u8>)>,
    /// The first byte of each column.
    columns: Vec<u64>,
    /// Bytes of the file.
    bytes: u64,
}

impl Places {
    fn of(content: &Content, frame: u64) -> io::Result<Places> {
        let Encoder::Sections(divide) = content.format.descriptor().encoder else {
            return Err(io::ErrorKind::Unsupported.into());
        };
        let empty = |column| Values {
            column,
            bytes: Default::default(),
        };
        let axes = content.shape.len();
        let view = View {
            content,
            frame,
            columns: content.columns.iter().map(empty).collect(),
            shape: content.selected()[..axes].iter().rev().copied().collect(),
            active: None,
            triangles: None,
        };
        let mut places = Places {
            fixed: Vec::new(),
            columns: vec![0; content.columns.len()],
            bytes: 0,
        };
        for section in divide(&view)? {
            let at = places.bytes;
            places.bytes += match &section {
                Section::Bytes(bytes) => bytes.len() as u64,
                Section::Column(number) => view.elements() as u64 * content.columns[*number].file_bytes(),
            };
            match section {
                Section::Bytes(bytes) => places.fixed.push((at, bytes)),
                Section::Column(number) => places.columns[number] = at,
            }
        }
        Ok(places)
    }
}

/// Writes the share of a process, and waits until it is on disk.
pub(super) fn write(job: Job, share: &Share) -> Result<(), OutputError> {
    let path = job.path.clone();
    let file = OpenOptions::new().write(true).open(&share.file);
    let mut file = file.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => OutputError::Unseen { path: path.clone() },
        _ => OutputError::io("open the hidden file of", &path, error),
    })?;
    let content = Arc::clone(&job.content);
    let of_share = share
        .elements
        .as_ref()
        .map(|elements| content.of_elements(elements));
    if let Some(of_share) = &of_share {
        job.check_parts(of_share)?;
    }
    let mut write = || {
        let places = Places::of(&content, job.frame)?;
        for (at, bytes) in places.fixed.iter().filter(|_| share.is_first) {
            file.seek(SeekFrom::Start(*at))?;
            file.write_all(bytes)?;
        }
        if let (Some(elements), Some(of_share)) = (&share.elements, &of_share) {
            let view = select(of_share, job.frame, &*job.payload)?;
            for (values, place) in view.columns.iter().zip(&places.columns) {
                write_rows(&mut file, values, *place, (elements, content.selected()))?;
            }
        }
        Ok(())
    };
    write().map_err(|error| OutputError::io("write", &path, error))?;
    // The buffers are free again before the wait for the disk.
    drop(job);
    file.sync_all()
        .map_err(|error| OutputError::io("write", &path, error))
}

/// Writes elements of a column, which starts at the byte `place` of the file, to their places among `all` elements.
fn write_rows(
    file: &mut File,
    values: &Values,
    place: u64,
    (elements, all): (&Selected, [u64; 3]),
) -> io::Result<()> {
    let Selected { first, count, .. } = *elements;
    let element = values.column.file_bytes();
    // Rows that follow each other are written together.
    let run = match (count[0] == all[0], count[1] == all[1]) {
        (true, true) => count,
        (true, false) => [count[0], count[1], 1],
        (false, _) => [count[0], 1, 1],
    };
    let mut runs = values
        .bytes
        .chunks_exact((run.iter().product::<u64>() * element) as usize);
    for z in (0..count[2]).step_by(run[2] as usize) {
        for y in (0..count[1]).step_by(run[1] as usize) {
            let index = ((first[2] + z) * all[1] + first[1] + y) * all[0] + first[0];
            if let Some(bytes) = runs.next() {
                file.seek(SeekFrom::Start(place + index * element))?;
                file.write_all(bytes)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
