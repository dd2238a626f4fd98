//! Resources: lattices of one to three axes, and particle sets.
//!
//! Grids of cells, vertices or pixels, and buffers are lattices. Their differences are data, in [`Form`], so that code tests
//! the property that matters and not the kind.

use super::field::{Field, symbol};
use super::ids::{FieldId, ResourceId};
use super::location::Location;
use super::sources::ParticleSource;
use super::sparse::SparseGrid;

/// A lattice or a particle set.
#[derive(Debug, Clone)]
pub struct Resource {
    pub name: String,
    /// Elements per axis; unused axes are 1. For a dynamic set, its capacity.
    pub size: [u64; 3],
    pub kind: ResourceKind,
    /// JSON pointer of its declaration; empty for resources of the engine.
    pub pointer: String,
}

#[derive(Debug, Clone)]
pub enum ResourceKind {
    Lattice(Lattice),
    Set(ParticleSet),
}

#[derive(Debug, Clone)]
pub struct Lattice {
    pub form: &'static Form,
    /// World position of the corner of the first cell, or of the first vertex, m.
    pub origin: [f64; 3],
    /// Distance of neighbouring elements, m.
    pub spacing: [f64; 3],
    /// `None` for dense lattices.
    pub sparse: Option<Box<SparseGrid>>,
    /// Its level, if the grid has several.
    pub level: Option<Level>,
}

/// A level of a grid. Level 0 is the grid itself; each further one has half the cells per axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Level {
    /// The resource of level 0.
    pub of: ResourceId,
    pub number: u32,
}

#[derive(Debug, Clone)]
pub struct ParticleSet {
    /// Sources of its particles in order; empty if all particles start with the background.
    pub from: Vec<ParticleSource>,
    /// For a dynamic set, the field whose first word is the number of live particles.
    pub live: Option<FieldId>,
    /// Set if an output writes every n-th particle although particles move in the set.
    pub identity: Option<ParticleIdentity>,
}

/// The identities of particles, which sorts and removals move.
#[derive(Debug, Clone, Copy)]
pub struct ParticleIdentity {
    /// The attribute with the number of each particle: its index at the start, or the number of earlier births.
    pub field: FieldId,
    /// For a dynamic set, a buffer with the number of the next particle.
    pub next: Option<FieldId>,
}

/// The properties of all lattices of one kind.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Form {
    /// Axes of an index.
    pub axes: u32,
    /// The name of an element in messages.
    pub element: &'static str,
    /// Its size in shaders: `<name>_<extent>`.
    pub extent: &'static str,
    /// The positions of elements.
    pub placement: Placement,
    /// The spacing is equal along all axes.
    pub cubes: bool,
    /// Channels may hold colours (`rgba8`).
    pub colours: bool,
    /// Names that the interface defines besides accessors: `<name>_<constant>`.
    pub constants: &'static [&'static str],
}

/// Positions of the elements of a lattice in world space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Placement {
    /// Values of cells, at their centres unless a channel states another location.
    Centres,
    /// Values of vertices, spaced differently along each axis.
    Vertices,
    /// Pixels of a picture.
    Pixels,
    /// Without positions.
    Nowhere,
}

pub static GRID: Form = grid(3, true);
static GRID_OF_BOXES: Form = grid(3, false);
static PLANE_GRID: Form = grid(2, true);
static PLANE_GRID_OF_BOXES: Form = grid(2, false);

const fn grid(axes: u32, cubes: bool) -> Form {
    Form {
        axes,
        element: "cell",
        extent: "cells",
        placement: Placement::Centres,
        cubes,
        colours: false,
        constants: &[
            "cells",
            "dx",
            "spacing",
            "origin",
            "position",
            "coordinates",
            "is_active",
        ],
    }
}

pub static HEIGHTS: Form = Form {
    axes: 2,
    element: "vertex",
    extent: "vertices",
    placement: Placement::Vertices,
    cubes: false,
    colours: false,
    constants: &["vertices", "spacing", "origin", "position", "coordinates"],
};

pub static IMAGE: Form = Form {
    axes: 2,
    element: "pixel",
    extent: "size",
    placement: Placement::Pixels,
    cubes: true,
    colours: true,
    constants: &["size"],
};

/// A buffer is its own only channel.
pub static BUFFER: Form = Form {
    axes: 1,
    element: "element",
    extent: "length",
    placement: Placement::Nowhere,
    cubes: true,
    colours: false,
    constants: &["length"],
};

/// A list with several channels.
pub static TABLE: Form = Form {
    axes: 1,
    element: "row",
    extent: "length",
    placement: Placement::Nowhere,
    cubes: true,
    colours: false,
    constants: &["length"],
};

impl Placement {
    pub fn is_in_the_world(self) -> bool {
        matches!(self, Placement::Centres | Placement::Vertices)
    }

    /// Offset of a value from the low end of its element along an axis, in spacings; `None` without a position in world
    /// space. `location` is the location of the channel's values.
    pub fn offset(self, location: Location, axis: usize) -> Option<f64> {
        match self {
            Placement::Centres => Some(location.offset(axis)),
            Placement::Vertices => Some(0.0),
            Placement::Pixels | Placement::Nowhere => None,
        }
    }
}

impl Form {
    /// The form of a grid with this number of axes and with cubic cells or others.
    pub fn of_grid(axes: usize, cubes: bool) -> &'static Form {
        match (axes, cubes) {
            (2, true) => &PLANE_GRID,
            (2, false) => &PLANE_GRID_OF_BOXES,
            (_, true) => &GRID,
            (_, false) => &GRID_OF_BOXES,
        }
    }
}

impl Lattice {
    /// A lattice without a position.
    pub fn of(form: &'static Form) -> Lattice {
        Lattice {
            form,
            origin: [0.0; 3],
            spacing: [1.0; 3],
            sparse: None,
            level: None,
        }
    }
}

impl Resource {
    /// A buffer of `length` elements.
    pub fn buffer(name: impl Into<String>, length: u64) -> Resource {
        Resource {
            name: name.into(),
            size: [length, 1, 1],
            kind: ResourceKind::Lattice(Lattice::of(&BUFFER)),
            pointer: String::new(),
        }
    }

    pub fn lattice(&self) -> Option<&Lattice> {
        match &self.kind {
            ResourceKind::Lattice(lattice) => Some(lattice),
            ResourceKind::Set(_) => None,
        }
    }

    pub fn set(&self) -> Option<&ParticleSet> {
        match &self.kind {
            ResourceKind::Lattice(_) => None,
            ResourceKind::Set(set) => Some(set),
        }
    }

    /// The form of a lattice.
    pub fn form(&self) -> Option<&'static Form> {
        self.lattice().map(|lattice| lattice.form)
    }

    pub fn is_grid(&self) -> bool {
        self.form()
            .is_some_and(|form| form.placement == Placement::Centres)
    }

    /// Returns true if its elements have positions in world space. (Positions of particles are in an attribute.)
    pub fn is_placed(&self) -> bool {
        self.form().is_some_and(|form| form.placement.is_in_the_world())
    }

    pub fn is_buffer(&self) -> bool {
        self.form() == Some(&BUFFER)
    }

    /// The properties of a sparse grid.
    pub fn sparse(&self) -> Option<&SparseGrid> {
        self.lattice()?.sparse.as_deref()
    }

    /// Its level, if the grid has several.
    pub fn level(&self) -> Option<Level> {
        self.lattice()?.level
    }

    /// Its name in kernels of the engine.
    pub fn symbol(&self) -> String {
        symbol(&self.name)
    }

    /// The field with the live count of a dynamic set.
    pub fn live(&self) -> Option<FieldId> {
        self.set()?.live
    }

    /// The identities of its particles, if they are needed.
    pub fn identity(&self) -> Option<ParticleIdentity> {
        self.set()?.identity
    }

    /// Sources of its particles; empty for lattices.
    pub fn sources(&self) -> &[ParticleSource] {
        self.set().map_or(&[], |set| &set.from)
    }

    /// Axes of an index into it.
    pub fn axes(&self) -> u32 {
        self.form().map_or(1, |form| form.axes)
    }

    pub fn elements(&self) -> u64 {
        self.size.iter().product()
    }

    /// Elements of one of its fields per axis: one more than cells if the values are at both ends of cells and the border
    /// does not repeat.
    pub fn size_of(&self, field: &Field) -> [u64; 3] {
        let axes = self.axes() as usize;
        let more = |axis: usize| if axis < axes { field.more(axis) } else { 0 };
        std::array::from_fn(|axis| self.size[axis] + more(axis))
    }

    /// The name of one of its elements in messages.
    pub fn element_name(&self) -> &'static str {
        self.form().map_or("particle", |form| form.element)
    }
}
