//! Resources: lattices of one to three axes, and particle sets.
//!
//! Grids, height fields, images and buffers are lattices. What tells them apart is data, their [`Form`], so that code
//! asks for the property that matters and not for the kind.

use super::ids::FieldId;
use super::sources::Source;
use super::sparse::SparseGrid;

/// A lattice or a particle set.
#[derive(Debug, Clone)]
pub(crate) struct Resource {
    pub name: String,
    /// Elements per axis; unused axes are 1. For a set whose particles come and go, the most that it holds.
    pub size: [u64; 3],
    pub kind: Kind,
}

#[derive(Debug, Clone)]
pub(crate) enum Kind {
    Lattice(Lattice),
    Set(Set),
}

#[derive(Debug, Clone)]
pub(crate) struct Lattice {
    pub form: &'static Form,
    /// World position of the corner of the first cell, or of the first vertex, m.
    pub origin: [f64; 3],
    /// Distance of neighbouring elements, m.
    pub spacing: [f64; 3],
    /// A grid that holds only blocks that stages ask for.
    pub sparse: Option<Box<SparseGrid>>,
}

#[derive(Debug, Clone)]
pub(crate) struct Set {
    /// Where its particles come from, in their order; empty where they start as backgrounds.
    pub from: Vec<Source>,
    /// The field whose first word is the number of live particles, where it changes.
    pub live: Option<FieldId>,
}

/// What all lattices of one section of the pipeline file have in common.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Form {
    /// Its section of the pipeline file.
    pub section: &'static str,
    /// Axes of an index.
    pub axes: u32,
    /// What one element is called.
    pub element: &'static str,
    /// Its size in shaders: `<name>_<extent>`.
    pub extent: &'static str,
    /// Where an element's place is.
    pub placement: Placement,
    /// Whether channels may hold colours (`rgba8`).
    pub colours: bool,
    /// Names that the interface defines besides accessors: `<name>_<constant>`.
    pub constants: &'static [&'static str],
}

/// Where the elements of a lattice are in the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Placement {
    /// Values of cubic cells, at their centres.
    Centres,
    /// Values of vertices, spaced differently along each axis.
    Vertices,
    /// Pixels of a picture.
    Pixels,
    /// In no place.
    Nowhere,
}

pub(crate) static GRID: Form = Form {
    section: "grids",
    axes: 3,
    element: "cell",
    extent: "cells",
    placement: Placement::Centres,
    colours: false,
    constants: &["cells", "dx", "origin", "position", "coordinates", "is_active"],
};

pub(crate) static HEIGHTS: Form = Form {
    section: "heights",
    axes: 2,
    element: "vertex",
    extent: "vertices",
    placement: Placement::Vertices,
    colours: false,
    constants: &["vertices", "spacing", "origin", "position", "coordinates"],
};

pub(crate) static IMAGE: Form = Form {
    section: "images",
    axes: 2,
    element: "pixel",
    extent: "size",
    placement: Placement::Pixels,
    colours: true,
    constants: &["size"],
};

/// A buffer is its own only channel.
pub(crate) static BUFFER: Form = Form {
    section: "buffers",
    axes: 1,
    element: "element",
    extent: "length",
    placement: Placement::Nowhere,
    colours: false,
    constants: &["length"],
};

/// A list with several channels.
pub(crate) static TABLE: Form = Form {
    section: "tables",
    axes: 1,
    element: "row",
    extent: "length",
    placement: Placement::Nowhere,
    colours: false,
    constants: &["length"],
};

/// Section of particle sets in the pipeline file.
pub(crate) const SET_SECTION: &str = "particles";

impl Placement {
    /// Where in an element its place is, in spacings; none where it has no place in the world.
    pub(crate) fn offset(self) -> Option<f64> {
        match self {
            Placement::Centres => Some(0.5),
            Placement::Vertices => Some(0.0),
            Placement::Pixels | Placement::Nowhere => None,
        }
    }
}

impl Lattice {
    /// A lattice at no place.
    pub(crate) fn of(form: &'static Form) -> Lattice {
        Lattice {
            form,
            origin: [0.0; 3],
            spacing: [1.0; 3],
            sparse: None,
        }
    }
}

impl Resource {
    /// A buffer of so many elements.
    pub(crate) fn buffer(name: impl Into<String>, length: u64) -> Resource {
        Resource {
            name: name.into(),
            size: [length, 1, 1],
            kind: Kind::Lattice(Lattice::of(&BUFFER)),
        }
    }

    pub(crate) fn lattice(&self) -> Option<&Lattice> {
        match &self.kind {
            Kind::Lattice(lattice) => Some(lattice),
            Kind::Set(_) => None,
        }
    }

    pub(crate) fn set(&self) -> Option<&Set> {
        match &self.kind {
            Kind::Lattice(_) => None,
            Kind::Set(set) => Some(set),
        }
    }

    /// The form of a lattice.
    pub(crate) fn form(&self) -> Option<&'static Form> {
        self.lattice().map(|lattice| lattice.form)
    }

    pub(crate) fn is_buffer(&self) -> bool {
        self.form() == Some(&BUFFER)
    }

    /// What is particular to a sparse grid.
    pub(crate) fn sparse(&self) -> Option<&SparseGrid> {
        self.lattice()?.sparse.as_deref()
    }

    /// The field with the live count of a set whose particles come and go.
    pub(crate) fn live(&self) -> Option<FieldId> {
        self.set()?.live
    }

    /// Where its particles come from; nothing for lattices.
    pub(crate) fn sources(&self) -> &[Source] {
        self.set().map_or(&[], |set| &set.from)
    }

    /// Axes of an index into it.
    pub(crate) fn axes(&self) -> u32 {
        self.form().map_or(1, |form| form.axes)
    }

    pub(crate) fn elements(&self) -> u64 {
        self.size.iter().product()
    }

    /// What one of its elements is called.
    pub(crate) fn element_name(&self) -> &'static str {
        self.form().map_or("particle", |form| form.element)
    }

    /// Its section of the pipeline file.
    pub(crate) fn section(&self) -> &'static str {
        self.form().map_or(SET_SECTION, |form| form.section)
    }

    /// Its place in the pipeline file, as a JSON pointer.
    pub(crate) fn pointer(&self) -> String {
        format!("/{}/{}", self.section(), self.name)
    }

    /// The place of one of its channels or attributes in the pipeline file.
    pub(crate) fn pointer_of_channel(&self, channel: &str) -> String {
        let pointer = self.pointer();
        match &self.kind {
            Kind::Set(_) => format!("{pointer}/attributes/{channel}"),
            Kind::Lattice(lattice) if lattice.form == &BUFFER => pointer,
            Kind::Lattice(_) => format!("{pointer}/channels/{channel}"),
        }
    }
}
