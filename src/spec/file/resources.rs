//! Resources before evaluation: grids, particles and buffers.

use serde_json::{Value, json};

use super::channels::ChannelFile;
use super::sources::SourceFile;
use super::values::{Number, Numbers, Pair};
use crate::element::Element;
use crate::grid::WhenFull;
use crate::ir::Paging;
use crate::spec::definitions::Definitions;
use crate::spec::node::{Content, Node};
use crate::spec::read::{Named, Read, Reader, object, words};

object! {
    /// A lattice: `cells` in space, `vertices` of a terrain, or `pixels` of a picture. It has one of these keys;
    /// without any, it has the vertices of the elevation model in the `values` of a channel.
    "Grid" GridFile {
        /// Number of cells in x, y and z: `<grid>.nx`, `.ny` and `.nz` in expressions, `<grid>_cells` in shaders. Two
        /// numbers make a 2-D grid, whose indices and positions in shaders are `ivec2` and `vec2`.
        ///
        /// - Unit: cells
        /// - Default: none
        /// - Range: 2 or 3 numbers, 1 to 2³¹ each, 2⁴⁰ together
        /// - Example: `[160, 170, 24]`
        may cells: Numbers,
        /// Number of vertices in x and y, to which an elevation model is resampled (bicubic); the extent does not
        /// change: `<grid>.nx` and `.ny` in expressions, `<grid>_vertices` in shaders.
        ///
        /// - Unit: vertices
        /// - Default: one per pixel of the elevation model
        /// - Range: 2 numbers, 2 to 2³¹ each
        /// - Example: `[512, 512]`
        may vertices: Numbers,
        /// Width and height of a picture: `<grid>.nx` and `.ny` in expressions, `<grid>_size` in shaders.
        ///
        /// - Unit: pixels
        /// - Default: none
        /// - Range: 2 numbers, 1 to 2³¹ each
        /// - Example: `[1280, 720]`
        may pixels: Numbers,
        /// Side lengths of a cell, or distances of vertices: one number for all axes, or one for each axis.
        /// `<grid>.dx`, `.dy` and `.dz` in expressions, `<grid>_spacing` (a vector) in shaders, also `<grid>_dx` if all
        /// sides of cells are equal.
        ///
        /// - Unit: m
        /// - Default: for vertices, the value of the elevation model; required for cells; not for pixels
        /// - Range: above 0
        /// - Example: `7`
        may cell_size: Numbers,
        /// World position of the low corner of the first cell, or of the first vertex: `<grid>_origin` in shaders.
        ///
        /// - Unit: m
        /// - Default: 0 along each axis
        /// - Range: a number for each axis; not for pixels
        /// - Example: `[2.8, 5, -7]`
        may origin: Numbers,
        /// Number of levels: `<grid>.levels` in expressions. Level 0 is the grid itself. Each further level is a dense
        /// grid with the same origin and channels, half the cells along each axis (rounded up), and cells twice as
        /// large. Stages, outputs and series name a level by a number or an expression in brackets: `air[1]`, `air[l +
        /// 1].p`. `"all"` halves the longest side down to 1 cell.
        ///
        /// - Default: `1`
        /// - Range: 1 to the number of `"all"`; only for dense grids of cells
        /// - Example: `"all"`
        may levels: Number,
        /// Allocates only the blocks of cells that stages request (see `docs/sparse-grids.md`); `{}` for the defaults.
        ///
        /// - Default: none: memory for every cell
        /// - Range: for 3-D grids of cells
        /// - Example: `{"paging": "auto", "keep": 8, "budget": 2e9}`
        may sparse: SparseFile,
        /// Values per element, by name.
        ///
        /// - Default: the ones that modules add
        /// - Range: at least one; `rgba8` is for pixels only
        /// - Example: `{"u": "float", "obstacle": {"type": "uint", "background": 1}}`
        all channels: Named<ChannelFile>,
    }
}

/// The kinds of grids, by the keys with their sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GridKind {
    Cells,
    Vertices,
    Pixels,
}

impl GridKind {
    pub fn key(self) -> &'static str {
        match self {
            GridKind::Cells => "cells",
            GridKind::Vertices => "vertices",
            GridKind::Pixels => "pixels",
        }
    }
}

impl GridFile {
    /// Its kind. Several keys are a mistake, which its size reports.
    pub fn kind(&self) -> GridKind {
        match (&self.pixels, &self.cells) {
            (Some(_), _) => GridKind::Pixels,
            (None, Some(_)) => GridKind::Cells,
            // Without any key, an elevation model states the vertices.
            (None, None) => GridKind::Vertices,
        }
    }
}

object! {
    /// The paging of a sparse grid. `latency` and `keep` count updates (executed `update_grid` entries) and not time,
    /// so slow devices and hosts compute the same result.
    "Sparse grid" SparseFile {
        /// How blocks are mapped to memory. `sparse`: address space for the whole grid, with memory bound to its active
        /// blocks. `table`: a pool of blocks, found through a table. `dense`: memory for every block. `auto`: `sparse`
        /// if the device supports it, else `dense` if it fits, else `table`. All of them compute the same results.
        ///
        /// - Default: `"auto"`
        /// - Example: `"table"`
        may paging: Paging,
        /// Cells of a block in x, y and z.
        ///
        /// - Unit: cells
        /// - Default: the powers of two for which blocks use pages of 64 KiB best
        /// - Range: powers of two, 8 to 65 536 cells together
        /// - Example: `[16, 8, 8]`
        may block: Numbers,
        /// Number of updates until requests take effect. With 0, every update waits for the device; with 1 or more,
        /// pages are bound while the device computes.
        ///
        /// - Unit: updates
        /// - Default: `1`
        /// - Range: 0 to 8
        /// - Example: `0`
        may latency: Number,
        /// Number of updates that a block stays active after its last request, or `"always"`.
        ///
        /// - Unit: updates
        /// - Default: `4`
        /// - Range: 0 to 1 000 000
        /// - Example: `16`
        may keep: Number,
        /// Maximum memory for active blocks. It determines `<grid>.most_blocks` in expressions.
        ///
        /// - Unit: bytes
        /// - Default: enough for every block
        /// - Range: at least one block
        /// - Example: `2e9`
        may budget: Number,
        /// What happens if stages request more blocks than the budget holds. `stop`: the run ends with an error and
        /// complete frames. `drop`: the blocks whose last request is oldest are deactivated first; after that, requests
        /// are ignored.
        ///
        /// - Default: `"stop"`
        /// - Example: `"drop"`
        may when_full: WhenFull,
    }
}

words! {
    /// How blocks of a sparse grid are mapped to memory.
    "Paging" Paging {
        "auto" => Self::Auto, "sparse" => Self::Sparse, "table" => Self::Table, "dense" => Self::Dense,
    }
}

words! {
    /// What happens when the budget of a sparse grid is exhausted.
    "When full" WhenFull { "stop" => Self::Stop, "drop" => Self::Drop, }
}

object! {
    /// A set of particles: a fixed number, or a changing number of live particles up to a capacity.
    "Particles" ParticlesFile {
        /// Number of particles: `<set>.count` in expressions, `<set>_count` in shaders. With a `capacity` it is the
        /// initial number of live particles, and expressions cannot use it.
        ///
        /// - Unit: particles
        /// - Default: the number of particles in `from`; without `from`, `0` with a `capacity`, and else it is required
        /// - Range: 1 to 2³² - 1; with a `capacity`, 0 to the capacity; not together with `from`
        /// - Example: `"flakes.count"`
        may count: Number,
        /// Makes the set dynamic: the maximum number of live particles, `<set>.capacity` in expressions and
        /// `<set>_capacity` in shaders. Stages with `emits` add particles, `remove` entries remove them.
        ///
        /// - Unit: particles
        /// - Default: none: the number of particles never changes
        /// - Range: 1 to 2³¹
        /// - Example: `100000`
        may capacity: Number,
        /// The sources of the particles, in order. Entries of `init` run later and may change the attributes. Without
        /// `from`, every attribute is initially its background.
        ///
        /// - Default: none
        /// - Range: at least one; requires a `vec3` attribute `position`
        /// - Example: `[{"sphere": [0, 0, 1], "radius": 0.2, "spacing": 0.01}]`
        may from: Vec<SourceFile>,
        /// Number of copies of the attributes that steps write. Step n reads copy n and writes copy n + 1, so frames of
        /// earlier steps can still be read while steps continue.
        ///
        /// - Unit: copies
        /// - Default: `2`
        /// - Range: 1 to 16; the least common multiple of the rings of all sets is at most 240
        /// - Example: `3`
        may ring: Number,
        /// Values per particle.
        ///
        /// - Default: the ones that modules add
        /// - Range: at least one
        /// - Example: `{"position": "vec3", "age": {"type": "float", "background": 1}}`
        all attributes: Named<ChannelFile>,
    }
}

object! {
    /// A plain array. Its number of elements is `<buffer>.count` in expressions and `<buffer>_length` in shaders. With
    /// `channels` it is a table: each row has one value per channel.
    "Buffer" BufferFile {
        /// Type of an element.
        ///
        /// - Default: none; required without `channels`
        /// - Range: not `rgba8`
        /// - Example: `"vec3"`
        may element as "type": Element,
        /// Number of elements.
        ///
        /// - Unit: elements
        /// - Default: the number of `values`; without values, 1
        /// - Range: 1 to 2³²; not with `values`
        /// - Example: `"2 * air.nx"`
        may length: Number,
        /// Initial values, one item per element: a number, or a list with one number per component.
        ///
        /// - Unit: yours
        /// - Default: every component is the background
        /// - Range: at least one item; not with `channels`
        /// - Example: `[[8, 0, 0], [5, 6, 0]]`
        may values: Vec<Numbers>,
        /// Initial value of every component; a faulting read also returns it.
        ///
        /// - Unit: yours
        /// - Default: `0`
        /// - Range: a value of the type
        /// - Example: `-1`
        may background: Number,
        /// Smallest and largest allowed value of every component, which the watch checks.
        ///
        /// - Unit: yours
        /// - Default: every finite number is allowed
        /// - Range: numbers of the type, the smaller first; not for `int64` and `uint64`
        /// - Example: `[-100, 100]`
        may bounds: Pair,
        /// Values per row, by name: `<buffer>.<channel>` is a field.
        ///
        /// - Default: none
        /// - Range: not with `type`, `values`, `background` or `bounds`
        /// - Example: `{"energy": "float", "modes": "uint"}`
        may channels: Named<ChannelFile>,
    }
}

/// A buffer. A type alone means a buffer of one element.
#[derive(Debug, Clone)]
pub struct BufferForm(pub BufferFile);

impl Read for BufferForm {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        if node.text().is_some() {
            let member = ("type".to_string(), node.place.clone(), node.clone());
            let whole = Node {
                place: node.place.clone(),
                content: Content::Object(vec![member]),
            };
            return BufferFile::read(&whole, reader).map(BufferForm);
        }
        let is_object = matches!(node.content, Content::Object(_));
        if is_object && node.get("type").is_none() && node.get("channels").is_none() {
            let message = "a buffer requires a `type` or `channels`";
            reader.wrong(&node.place, message, "for example \"type\": \"float\"");
        }
        BufferFile::read(node, reader).map(BufferForm)
    }

    fn schema(definitions: &mut Definitions) -> Value {
        json!({"anyOf": [Element::schema(definitions), BufferFile::schema(definitions)]})
    }
}
