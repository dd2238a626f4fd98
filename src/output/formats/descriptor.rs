//! Properties of a format besides its name: each format has one of these in its file.

use std::io::{self, Write};

use super::super::content::{Column, Compression, Content, Geometry, Scalar};
use super::super::hdf::{File, Form, Members};
use super::super::select::View;

pub struct Descriptor {
    pub kind: FormatKind,
    /// A short note for the reference, such as programs that read it.
    pub note: &'static str,
    /// The optional keys of an output that the format supports.
    pub settings: &'static [Setting],
    /// Default effort of the encoder; `None` if files are not compressed.
    pub compression: Option<Compression>,
    /// A file beside those of an output that lists them with their times; not for particles in a format of grids.
    pub(in crate::output) series: Option<Series>,
    /// It contains the points of particles, besides its own kind of data.
    pub has_points: bool,
    /// It distinguishes active blocks of a sparse grid from others.
    pub has_active: bool,
    /// Its files have a background, the value of cells that are not stored.
    pub has_background: bool,
    /// Its files have a position on a map.
    pub has_map: bool,
    /// A file of text beside each of its files.
    pub(in crate::output) beside: fn(&Content) -> Option<Beside>,
    /// Names in its files by convention: those of fields, and what they become where no other field has that name.
    pub conventions: &'static [(&'static str, &'static str)],
    /// The type in which it stores numbers of a type; `None` if it does not support them.
    pub numbers: fn(Scalar) -> Option<Scalar>,
    /// Selects the columns that it contains when an output names a whole resource.
    pub takes: fn(&Column) -> bool,
    /// The reason why it cannot contain this content, with the remedy after a colon; `None` if it can.
    pub unfit: fn(&Content) -> Option<String>,
    pub(in crate::output) encoder: Encoder,
}

/// A section of a file.
pub(in crate::output) enum Section {
    Bytes(Vec<u8>),
    /// The numbers of the column with this number, element by element. Only here a file depends on them.
    Column(usize),
}

/// How the frames of an output become files.
pub(in crate::output) enum Encoder {
    /// A file each.
    Frame(fn(&View, &mut dyn Write) -> io::Result<()>),
    /// A file each, in sections.
    Sections(fn(&View) -> io::Result<Vec<Section>>),
    /// The input of a film.
    Film(fn(&View, &mut dyn Write) -> io::Result<()>),
    /// Rows of the datasets of one file.
    Rows(Rows),
}

/// One file for the frames of an output, each of which is a state of it.
#[derive(Clone, Copy)]
pub(in crate::output) struct Rows {
    pub forms: fn(&Content) -> Vec<Form>,
    /// Adds a frame. Returns the members of the root.
    pub append: fn(&View, &mut File) -> io::Result<Members>,
}

/// A file `<output>.<extension>` that lists the files of an output.
#[derive(Clone, Copy)]
pub(in crate::output) struct Series {
    pub extension: &'static str,
    pub text: fn(&SeriesFiles) -> String,
}

/// The files of an output, in the order of their frames.
pub(in crate::output) struct SeriesFiles<'a> {
    pub output: &'a str,
    pub content: &'a Content,
    pub files: Vec<SeriesFile>,
}

pub(in crate::output) struct SeriesFile {
    pub frame: u64,
    pub name: String,
}

/// A file with the name of another and its own extension.
pub(in crate::output) struct Beside {
    pub extension: &'static str,
    pub text: String,
}

/// The kind of data that a format is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormatKind {
    Pictures,
    Arrays,
    Particles,
    Grids,
}

/// A key that some formats have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    Precision,
    Bits,
    Range,
    Colormap,
    Rate,
    Names,
    Prune,
    Faces,
    Units,
    Class,
}

/// Numbers of formats without halves.
pub(super) fn without_halves(scalar: Scalar) -> Option<Scalar> {
    match scalar {
        Scalar::F16 => Some(Scalar::F32),
        other => Some(other),
    }
}

/// Number types of formats with 32 bits per number; colours stay colours.
pub(super) fn words(scalar: Scalar) -> Option<Scalar> {
    match scalar {
        Scalar::F16 | Scalar::F32 => Some(Scalar::F32),
        Scalar::I8 | Scalar::I16 | Scalar::I32 => Some(Scalar::I32),
        Scalar::U8 | Scalar::U16 | Scalar::U32 => Some(Scalar::U32),
        Scalar::Colour => Some(Scalar::Colour),
        Scalar::F64 | Scalar::I64 | Scalar::U64 => None,
    }
}

impl Descriptor {
    /// True if it contains particles by their positions.
    pub fn takes_points(&self) -> bool {
        self.has_points || self.kind == FormatKind::Particles
    }

    /// True if each frame of an output becomes a file.
    pub(in crate::output) fn is_frame(&self) -> bool {
        matches!(self.encoder, Encoder::Frame(_) | Encoder::Sections(_))
    }

    /// True if the frames of an output become one film.
    pub fn is_film(&self) -> bool {
        matches!(self.encoder, Encoder::Film(_))
    }

    /// True if the frames of an output become one file, `<output>.<extension>`, that has every frame once it is written.
    pub fn grows(&self) -> bool {
        matches!(self.encoder, Encoder::Rows(_))
    }

    /// The extension of the file that lists those of an output, if it has one.
    pub fn list(&self, content: &Content) -> Option<&'static str> {
        self.list_of(content).map(|series| series.extension)
    }

    /// The list of the files of a content.
    pub(in crate::output) fn list_of(&self, content: &Content) -> Option<Series> {
        let are_particles = matches!(content.geometry, Geometry::Particles { .. });
        self.series
            .filter(|_| !are_particles || self.kind == FormatKind::Particles)
    }

    /// A format that supports every column of every content unchanged.
    pub(super) const fn new(
        kind: FormatKind,
        write: fn(&View, &mut dyn Write) -> io::Result<()>,
    ) -> Descriptor {
        Descriptor::of(kind, Encoder::Frame(write))
    }

    pub(super) const fn of(kind: FormatKind, encoder: Encoder) -> Descriptor {
        Descriptor {
            kind,
            note: "",
            settings: &[],
            compression: None,
            series: None,
            has_points: false,
            has_active: false,
            has_background: false,
            has_map: false,
            beside: |_| None,
            conventions: &[],
            numbers: Some,
            takes: |_| true,
            unfit: |_| None,
            encoder,
        }
    }
}
