//! What the program knows of a format besides its name: each has one of these in its file.

use std::io::{self, Write};

use super::super::content::{Column, Compression, Content, Scalar};
use super::super::select::View;

pub(crate) struct Descriptor {
    pub kind: FormatKind,
    /// A few words for the reference, such as who reads it.
    pub note: &'static str,
    /// The keys of an output, of those that not every format has, that it understands.
    pub settings: &'static [Setting],
    /// How hard its encoder tries where nothing is said; `None` where files are not compressed.
    pub compression: Option<Compression>,
    /// Whether a `<output>.pvd` lists its files with their times.
    pub has_series: bool,
    /// Whether it tells active blocks of a sparse grid from others.
    pub has_active: bool,
    /// Whether the frames of an output become one file.
    pub is_film: bool,
    /// As what it holds numbers of a type; `None` where it does not.
    pub numbers: fn(Scalar) -> Option<Scalar>,
    /// Whether a column of a whole resource belongs into it; others are left out.
    pub takes: fn(&Column) -> bool,
    /// Why it cannot hold a content, if so, and after a colon what to do.
    pub unfit: fn(&Content) -> Option<String>,
    pub(in crate::output) write: fn(&View, &mut dyn Write) -> io::Result<()>,
}

/// What a format is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FormatKind {
    Pictures,
    Arrays,
    Particles,
    Grids,
}

/// A key that some formats have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Setting {
    Precision,
    Bits,
    Range,
    Rate,
}

/// Numbers of formats without halves.
pub(super) fn without_halves(scalar: Scalar) -> Option<Scalar> {
    match scalar {
        Scalar::F16 => Some(Scalar::F32),
        other => Some(other),
    }
}

/// Numbers of formats that hold 32 bits each; colours stay what they are.
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
    /// A format that takes every column of every content, as it is.
    pub(super) const fn new(
        kind: FormatKind,
        write: fn(&View, &mut dyn Write) -> io::Result<()>,
    ) -> Descriptor {
        Descriptor {
            kind,
            note: "",
            settings: &[],
            compression: None,
            has_series: false,
            has_active: false,
            is_film: false,
            numbers: Some,
            takes: |_| true,
            unfit: |_| None,
            write,
        }
    }
}
