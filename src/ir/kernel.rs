//! Kernels: shaders with the signatures that they are compiled against.
//!
//! A signature contains the kernel's own names and numbers, so that stages with different fields share one SPIR-V
//! module. The stage binds the names to fields.

use std::path::PathBuf;

use super::domain::Over;
use super::location::{Borders, Location};
use super::measures::Part;
use super::reach::Reach;
use super::reductions::LocalReduction;
use super::resource::Form;
use crate::element::Element;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Kernel {
    pub source: ShaderSource,
    pub signature: Signature,
    /// Whether a SPIR-V module may lack the hash of its interface.
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
    pub over: Over,
    /// What it runs over.
    pub domain: Option<usize>,
    /// Sparse grids of which it asks for blocks.
    pub requests: Vec<usize>,
    /// The sparse grid whose blocks the kernel processes as words instead of cell by cell.
    pub whole_blocks: Option<usize>,
    pub measured: Vec<LocalMeasured>,
    /// Results to which each element may give a value.
    pub reduces: Vec<LocalReduction>,
    /// It sets how long an iteration is.
    pub sets_length: bool,
    /// Accessors of optional fields that are not there.
    pub absent: Vec<String>,
    /// Accesses beyond the reach of a field are reported.
    pub checks_reach: bool,
    /// By field, whether accesses leave marks, by which data races are found; empty if none does.
    pub marks: Vec<Marks>,
    /// Workgroups run in a shuffled order.
    pub shuffled: bool,
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
        /// A level of a grid: its size and place are in the argument block, so that all levels share one pipeline.
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
    pub border: Option<Borders>,
    /// How far from the own element the kernel accesses it.
    pub reach: Reach,
}

/// Whether accesses to a local field leave marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Marks {
    None,
    /// They do.
    Own,
    /// They do, and another local field stands for the same field of the pipeline.
    Shared,
}

/// Where the elements of a local field are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LocalPlace {
    /// In a buffer, whose address is in the argument block.
    Buffer,
    /// In the blocks of a sparse grid, after `before` bytes per cell of other channels.
    Blocks { before: u32 },
}

/// Largest numbers of resources and of sparse grids of a kernel: the interface has constants for so many.
pub const MOST_RESOURCES: usize = 66;
pub const MOST_GRIDS: usize = 9;

/// The values that a measuring kernel takes from a field: see [`super::Measured`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LocalMeasured {
    pub field: usize,
    pub part: Part,
    /// One entry of an array alone.
    pub entry: Option<u32>,
    /// A single element instead of all: its number with x fastest, and its index.
    pub only: Option<(u64, [u64; 3])>,
    /// The domain that says how many elements there are, if it is not that of the field's resource.
    pub within: Option<(usize, Over)>,
}

impl Signature {
    /// The signature without what a run adds: that of modules which are compiled in advance.
    pub fn plain(&self) -> Signature {
        Signature {
            marks: Vec::new(),
            shuffled: false,
            checks_reach: false,
            ..self.clone()
        }
    }

    /// The fields whose cells a kernel with a `width` may read or write several at a time, with their numbers.
    pub fn joined(&self) -> impl Iterator<Item = (usize, &LocalField)> + Clone {
        let numbered = self.fields.iter().enumerate().filter(|_| self.width.is_some());
        numbered.filter(|(_, field)| field.is_joinable() && self.resources[field.resource].axes() > 1)
    }

    /// Whether accesses to some field leave marks.
    pub fn has_marks(&self) -> bool {
        self.marks.iter().any(|marks| *marks != Marks::None)
    }

    /// Whether it runs over a level of a grid, so that the size of the domain is in the argument block too.
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
    /// Where in their cells its values lie.
    pub fn location(&self) -> Location {
        self.at.unwrap_or_default()
    }

    /// Whether it has a type and a place in which consecutive cells can be read or written at once.
    fn is_joinable(&self) -> bool {
        self.place == LocalPlace::Buffer
            && self.location() == Location::Centre
            && self.border.is_none()
            && matches!(
                self.element,
                Element::Float | Element::Int | Element::Uint | Element::Half | Element::Uint8
            )
    }

    /// How many more values than cells it has along an axis of its grid.
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

    /// Whether it is a level of a grid, whose size and place are in the argument block.
    pub fn is_level(&self) -> bool {
        matches!(self.shape, LocalShape::Lattice { level: true, .. })
    }
}
