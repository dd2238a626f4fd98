//! Grids as they are written.

use schemars::JsonSchema;
use serde::Deserialize;

use super::values::{ChannelFile, Named, Number, Numbers};

/// A lattice of cells, 3-D or 2-D.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GridFile {
    /// Cells in x, y and z: `<grid>.nx`, `.ny` and `.nz` in expressions, `<grid>_cells` in shaders. Two numbers make a 2-D
    /// grid, whose indices and positions in shaders are `ivec2` and `vec2`.
    ///
    /// - Unit: cells
    /// - Range: 2 or 3 numbers, 1 to 2³¹ each, 2⁴⁰ together
    /// - Example: `[160, 170, 24]`
    #[schemars(length(min = 2, max = 3))]
    pub cells: Vec<Number>,
    /// Sides of a cell: one number for all, or one for each axis. `<grid>.dx`, `.dy` and `.dz` in expressions,
    /// `<grid>_spacing` (a vector) in shaders; `<grid>_dx` where all are equal.
    ///
    /// - Unit: m
    /// - Range: above 0
    /// - Example: `7`
    pub cell_size: Numbers,
    /// World position of the low corner of the first cell: `<grid>_origin` in shaders.
    ///
    /// - Unit: m
    /// - Default: `[0, 0, 0]`
    /// - Range: as many numbers as `cells` has
    /// - Example: `[2.8, 5, -7]`
    #[serde(default)]
    #[schemars(length(min = 2, max = 3))]
    pub origin: Option<Vec<Number>>,
    /// `dense`: every cell is there. `sparse`: blocks of cells that stages ask for (see `docs/sparse-grids.md`).
    ///
    /// - Default: `"dense"`
    /// - Range: `sparse` is for 3-D grids
    /// - Example: `"sparse"`
    #[serde(default)]
    pub storage: StorageFile,
    /// How the blocks of a sparse grid are kept.
    ///
    /// - Default: the pages' own
    /// - Example: `{"paging": "auto", "keep": 8, "budget": 2e9}`
    #[serde(default)]
    pub pages: Option<PagesFile>,
    /// Values per cell, by name.
    ///
    /// - Range: at least one; `rgba8` is for images only
    /// - Example: `{"u": "float", "obstacle": {"type": "uint", "background": 1}}`
    pub channels: Named<ChannelFile>,
}

/// Whether a grid holds all its cells or only blocks that stages ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum StorageFile {
    #[default]
    Dense,
    Sparse,
}

/// How the blocks of a sparse grid are kept. Every number counts updates (entries `update_grid` that ran), never
/// time, so that slow devices and slow hosts compute the same.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PagesFile {
    /// Where blocks are put. `sparse`: address space for the whole grid, memory bound to its active blocks.
    /// `table`: a pool of blocks, found through a table. `dense`: memory for every block. `auto`: sparse where the
    /// device can, else dense where it fits, else table. All give the same results.
    ///
    /// - Default: `"auto"`
    /// - Example: `"table"`
    #[serde(default)]
    pub paging: PagingFile,
    /// Cells of a block in x, y and z.
    ///
    /// - Unit: cells
    /// - Default: the power of two for which a block fills pages of 64 KiB best
    /// - Range: powers of two, 8 to 65 536 cells together
    /// - Example: `[16, 8, 8]`
    #[serde(default)]
    pub block: Option<[u32; 3]>,
    /// Updates until requests take effect. 0 waits for the device in every update; from 1 on pages are bound while
    /// the device computes.
    ///
    /// - Unit: updates
    /// - Default: `1`
    /// - Range: 0 to 8
    /// - Example: `0`
    #[serde(default)]
    pub latency: Option<u32>,
    /// Updates that a block stays active after the last one that asked for it.
    ///
    /// - Unit: updates
    /// - Default: `4`
    /// - Range: 0 to 1 000 000
    /// - Example: `16`
    #[serde(default)]
    pub keep: Option<u32>,
    /// Blocks stay for good once they are active.
    ///
    /// - Default: `false`
    /// - Example: `true`
    #[serde(default)]
    pub persistent: bool,
    /// Most bytes of memory that active blocks take: `<grid>.most_blocks` in expressions follows from it.
    ///
    /// - Unit: bytes
    /// - Default: enough for every block
    /// - Range: at least one block
    /// - Example: `2e9`
    #[serde(default)]
    pub budget: Option<Number>,
    /// What happens when more blocks are asked for than the budget holds. `stop`: the run ends with an error, its
    /// frames whole. `drop`: blocks that were not asked for longest go first, then requests stay unserved.
    ///
    /// - Default: `"stop"`
    /// - Example: `"drop"`
    #[serde(default)]
    pub when_full: WhenFullFile,
}

/// Where the blocks of a sparse grid are put.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PagingFile {
    #[default]
    Auto,
    Sparse,
    Table,
    Dense,
}

/// What to do when the budget of a sparse grid is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum WhenFullFile {
    #[default]
    Stop,
    Drop,
}
