//! Kernels: shaders with the signatures that they are compiled against.
//!
//! A signature contains the kernel's own names and numbers, so that stages with different fields share one SPIR-V
//! module. The stage binds the names to fields.

use std::path::PathBuf;

use super::domain::Over;
use super::location::{Borders, Location};
use super::measures::MeasuredPart;
use super::owners::Alternation;
use super::reach::Reaches;
use super::reductions::LocalReduction;
use super::resource::Form;
use crate::element::Element;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Kernel {
    pub source: ShaderSource,
    pub signature: Signature,
    /// A SPIR-V module may lack the hash of its interface.
    pub unchecked: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ShaderSource {
    /// A path in a pipeline file, and the directory of that file, where the search begins.
    Named { path: String, directory: PathBuf },
    /// A built-in shader of the engine.
    BuiltIn(&'static str),
    /// A shader that the engine has written for one purpose, by a name for messages.
    Written { name: String, text: String },
    /// A path from the current directory.
    File(PathBuf),
}

/// A kernel's own names for resources, fields and arguments. The generated interface depends on nothing else, so equal
/// signatures have equal interfaces.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Signature {
    pub resources: Vec<LocalResource>,
    pub fields: Vec<LocalField>,
    pub arguments: Vec<(String, Element)>,
    /// Axes that the stage function sees: 1, 2 or 3.
    pub axes: u32,
    /// Cells in x that an invocation may process at once.
    pub width: Option<u32>,
    /// The tile that a workgroup processes.
    pub tile: Option<LocalTile>,
    pub over: Over,
    /// The local resource that it runs over.
    pub domain: Option<usize>,
    /// The local set whose particles its workgroups divide among them.
    pub shares: Option<usize>,
    /// Sparse grids whose blocks it requests.
    pub requests: Vec<usize>,
    /// The sparse grid whose blocks the kernel processes as words instead of cell by cell.
    pub whole_blocks: Option<usize>,
    pub measured: Vec<LocalMeasured>,
    /// Reductions to which each element may contribute a value.
    pub reduces: Vec<LocalReduction>,
    /// It sets the length of an iteration.
    pub sets_length: bool,
    /// Accessors of optional fields that the pipeline does not bind.
    pub absent: Vec<String>,
    /// Accesses beyond the reach of a field are reported.
    pub checks_reach: bool,
    /// The marks of accesses by field, which reveal data races; empty if there are none.
    pub marks: Vec<Marks>,
    /// Workgroups run in a shuffled order.
    pub shuffled: bool,
    /// It runs over a box of its domain, which is in the argument block.
    pub cut: bool,
    /// The local fields to which it adds for particles of this rank alone, not for copies of those of others.
    pub owned_sums: Vec<usize>,
}

/// A tile of a dense grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LocalTile {
    /// The local resource of the grid, if the kernel names it.
    pub grid: Option<usize>,
    /// Cells along each axis.
    pub per: [u32; 3],
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LocalResource {
    pub name: String,
    pub shape: LocalShape,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum LocalShape {
    Lattice {
        form: &'static Form,
        /// A sparse grid, if the kernel sees its pages.
        pages: Option<LocalPages>,
        /// A level of a grid: its size and position are in the argument block, so that all levels share one pipeline.
        level: bool,
    },
    Set {
        /// The local field with the live count, for a dynamic set.
        live: Option<usize>,
    },
}

/// The pages of a sparse grid in a kernel: local fields, and the channels of blocks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct LocalPages {
    pub axes: Option<usize>,
    pub table: Option<usize>,
    pub list: Option<usize>,
    /// Channels in the order of the layout.
    pub channels: Vec<LocalChannel>,
}

/// A channel, for kernels that fill blocks.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LocalChannel {
    /// Bytes of a cell, all entries together.
    pub bytes: u32,
    /// Bytes of a component, and the bits of its background.
    pub component_bytes: u32,
    pub background: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LocalField {
    /// The name of its accessor.
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
    /// The location of its values in their cells, if the file states it.
    pub at: Option<Location>,
    pub border: Option<Borders>,
    /// The reaches of accesses to it.
    pub reach: Reaches,
    /// Its entries alternate between elements.
    pub alternation: Option<Alternation>,
    /// The accessor of the field that decides which of its elements other elements read: stages with the same one write
    /// none of these.
    pub keeps: Option<String>,
    /// The kernel only adds to it.
    pub adds: bool,
    /// Each second element counts the overflows of the one before.
    pub carries: bool,
}

/// Marks that accesses to a local field leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Marks {
    None,
    /// Accesses leave marks.
    Own,
    /// Accesses leave marks, and another local field is bound to the same field of the pipeline.
    Shared,
}

/// The memory of the elements of a local field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LocalPlace {
    /// In a buffer, whose address is in the argument block.
    Buffer,
    /// In the blocks of a sparse grid, after `before` bytes per cell of other channels.
    Blocks { before: u32 },
}

/// Largest numbers of resources and of sparse grids of a kernel: the interface reserves constants for them.
pub const MAX_RESOURCES: usize = 66;
pub const MAX_GRIDS: usize = 9;

/// The values that a measuring kernel takes from a field: see [`super::Measured`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LocalMeasured {
    pub field: usize,
    pub part: MeasuredPart,
    pub is_squared: bool,
    /// A single entry of an array.
    pub entry: Option<u32>,
    /// A single element instead of all: its number with x fastest, and its index.
    pub only: Option<(u64, [u64; 3])>,
    /// The domain that determines the number of elements, if it is not that of the field's resource.
    pub within: Option<(usize, Over)>,
}

impl Signature {
    /// The signature without instrumentation and of a run that is not cut, for modules that are compiled in advance.
    pub fn plain(&self) -> Signature {
        Signature {
            marks: Vec::new(),
            shuffled: false,
            checks_reach: false,
            cut: false,
            owned_sums: Vec::new(),
            ..self.clone()
        }
    }

    /// The fields whose cells a kernel with a `width` may read or write several at a time, with their numbers.
    pub fn joined(&self) -> impl Iterator<Item = (usize, &LocalField)> + Clone {
        let numbered = self.fields.iter().enumerate().filter(|_| self.width.is_some());
        numbered.filter(|(_, field)| field.is_joinable() && self.resources[field.resource].axes() > 1)
    }

    /// Returns true if a fault record gets the line of the access: in all checked runs.
    pub fn records_lines(&self) -> bool {
        self.checks_reach
    }

    /// Returns true if accesses to any field leave marks.
    pub fn has_marks(&self) -> bool {
        self.marks.iter().any(|marks| *marks != Marks::None)
    }

    /// Returns true if it runs over a level of a grid. Then the size of the domain is in the argument block.
    pub fn is_over_level(&self) -> bool {
        self.domain
            .is_some_and(|domain| self.resources[domain].is_level())
    }

    /// The local numbers of sparse grids whose pages the kernel uses.
    pub fn paged(&self) -> impl Iterator<Item = (usize, &str, &LocalPages)> {
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
    /// The location of its values in their cells.
    pub fn location(&self) -> Location {
        self.at.unwrap_or_default()
    }

    /// Returns true if consecutive cells can be read or written at once.
    fn is_joinable(&self) -> bool {
        matches!(self.place, LocalPlace::Buffer | LocalPlace::Blocks { .. })
            && self.location() == Location::Centre
            && self.border.is_none()
            && matches!(
                self.element,
                Element::Float
                    | Element::Int
                    | Element::Uint
                    | Element::Half
                    | Element::Uint8
                    | Element::Uint16
            )
    }

    /// Number of values minus number of cells along an axis of its grid.
    pub fn more(&self, axis: usize) -> u64 {
        self.location().more(self.border, axis)
    }
}

impl LocalResource {
    /// The form of a lattice.
    pub fn form(&self) -> Option<&'static Form> {
        match &self.shape {
            LocalShape::Lattice { form, .. } => Some(form),
            LocalShape::Set { .. } => None,
        }
    }

    /// Axes of an index into it.
    pub fn axes(&self) -> u32 {
        self.form().map_or(1, |form| form.axes)
    }

    /// Returns true for a level of a grid, whose size and position are in the argument block.
    pub fn is_level(&self) -> bool {
        matches!(self.shape, LocalShape::Lattice { level: true, .. })
    }
}
