//! Kernels: shaders with the signatures that they are compiled against.
//!
//! A signature speaks in the kernel's own names and numbers, so that uses on different fields share one SPIR-V module.
//! Which fields stand behind the names is a stage's business.

use std::path::PathBuf;

use super::domain::Over;
use super::location::{Border, Location};
use super::measures::Part;
use super::reductions::LocalReduction;
use super::resource::Form;
use crate::element::Element;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Kernel {
    pub source: ShaderSource,
    pub signature: Signature,
    /// It may come without the hash of its interface.
    pub unchecked: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum ShaderSource {
    /// As a pipeline file names it, with the directory of that file, where the search begins.
    Named { path: String, directory: PathBuf },
    /// A file of the engine's, in the shaders that are built into the program.
    BuiltIn(&'static str),
    /// A path from the current directory.
    File(PathBuf),
}

/// What a kernel sees: its own names for resources, fields and arguments. Everything that the generated interface
/// depends on is here, so that equal signatures mean equal interfaces.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct Signature {
    pub resources: Vec<LocalResource>,
    pub fields: Vec<LocalField>,
    pub arguments: Vec<(String, Element)>,
    /// Axes that the stage function sees: 1, 2 or 3.
    pub axes: u32,
    pub over: Over,
    /// What it runs over.
    pub domain: Option<usize>,
    /// Sparse grids of which it asks for blocks.
    pub requests: Vec<usize>,
    /// The sparse grid whose blocks it handles as a whole, as words, instead of cell by cell.
    pub whole_blocks: Option<usize>,
    pub measured: Vec<LocalMeasured>,
    /// Results to which each element may give a value.
    pub reduces: Vec<LocalReduction>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct LocalResource {
    pub name: String,
    pub shape: LocalShape,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum LocalShape {
    Lattice {
        form: &'static Form,
        /// A sparse grid, if the kernel sees its pages.
        pages: Option<LocalPages>,
        /// A level of a grid: its size and place are in the argument block, so that all levels share one pipeline.
        level: bool,
    },
    Set {
        /// Its local field with the live count, where particles come and go.
        live: Option<usize>,
    },
}

/// What a kernel sees of the pages of a sparse grid: local fields, and the channels of its blocks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct LocalPages {
    pub axes: Option<usize>,
    pub table: Option<usize>,
    pub list: Option<usize>,
    /// Channels in the order of the layout.
    pub channels: Vec<LocalChannel>,
}

/// What a kernel that fills blocks knows of a channel.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct LocalChannel {
    /// Bytes of a cell, all entries together.
    pub bytes: u32,
    /// Bytes of a component, and the bits of its background.
    pub component_bytes: u32,
    pub background: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct LocalField {
    /// Its accessor is called so.
    pub name: String,
    pub resource: usize,
    pub element: Element,
    /// Entries of an array.
    pub count: Option<u32>,
    /// Bits of a component of its background.
    pub background: u64,
    pub reads: bool,
    pub writes: bool,
    pub place: LocalPlace,
    /// Where in their cells its values lie, if the file says so.
    pub at: Option<Location>,
    pub border: Option<Border>,
}

/// Where the elements of a local field are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum LocalPlace {
    /// In a buffer, at an address of its own in the argument block.
    Buffer,
    /// In the blocks of its sparse grid, behind so many bytes of other channels in each cell.
    Blocks { before: u32 },
}

/// Most resources of one kernel, and most sparse grids: its interface has constants for no more.
pub(crate) const MOST_RESOURCES: usize = 66;
pub(crate) const MOST_GRIDS: usize = 9;

/// What a measuring kernel takes from a field: see [`super::Measured`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct LocalMeasured {
    pub field: usize,
    pub part: Part,
    /// One entry of an array alone.
    pub entry: Option<u32>,
    /// One element alone: its number with x fastest, and its index.
    pub only: Option<(u64, [u64; 3])>,
    /// The resource that says how many elements there are, if it is another one than the field's.
    pub within: Option<usize>,
}

impl Signature {
    /// Whether it runs over a level of a grid, so that the size of the domain is in the argument block too.
    pub(crate) fn is_over_level(&self) -> bool {
        self.domain
            .is_some_and(|domain| self.resources[domain].is_level())
    }

    /// The sparse grids that it sees the pages of, by their local numbers.
    pub(crate) fn paged(&self) -> impl Iterator<Item = (usize, &str, &LocalPages)> {
        let numbered = self.resources.iter().enumerate();
        numbered.filter_map(|(number, resource)| match &resource.shape {
            LocalShape::Lattice {
                pages: Some(pages), ..
            } => Some((number, resource.name.as_str(), pages)),
            _ => None,
        })
    }
}

impl LocalField {
    /// Where in their cells its values lie.
    pub(crate) fn location(&self) -> Location {
        self.at.unwrap_or_default()
    }
}

impl LocalResource {
    /// The form of a lattice.
    pub(crate) fn form(&self) -> Option<&'static Form> {
        match &self.shape {
            LocalShape::Lattice { form, .. } => Some(form),
            LocalShape::Set { .. } => None,
        }
    }

    /// Axes of an index into it.
    pub(crate) fn axes(&self) -> u32 {
        self.form().map_or(1, |form| form.axes)
    }

    /// Whether it is a level of a grid, whose size and place are in the argument block.
    pub(crate) fn is_level(&self) -> bool {
        matches!(self.shape, LocalShape::Lattice { level: true, .. })
    }
}
