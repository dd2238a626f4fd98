//! Grids as they are written.

use schemars::JsonSchema;
use serde::Deserialize;

use super::values::{ChannelFile, Named, Number, Numbers};

/// A lattice of cells, 3-D or 2-D.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GridFile {
    /// Number of cells in x, y and z: `<grid>.nx`, `.ny` and `.nz` in expressions, `<grid>_cells` in shaders. Two numbers
    /// make a 2-D grid, whose indices and positions in shaders are `ivec2` and `vec2`.
    ///
    /// - Unit: cells
    /// - Range: 2 or 3 numbers, 1 to 2³¹ each, 2⁴⁰ together
    /// - Example: `[160, 170, 24]`
    #[schemars(length(min = 2, max = 3))]
    pub cells: Vec<Number>,
    /// Sides of a cell: one number for all, or one for each axis. `<grid>.dx`, `.dy` and `.dz` in expressions,
    /// `<grid>_spacing` (a vector) in shaders, also `<grid>_dx` if all sides are equal.
    ///
    /// - Unit: m
    /// - Range: above 0
    /// - Example: `7`
    pub cell_size: Numbers,
    /// World position of the low corner of the first cell: `<grid>_origin` in shaders.
    ///
    /// - Unit: m
    /// - Default: `[0, 0, 0]`
    /// - Range: as many numbers as in `cells`
    /// - Example: `[2.8, 5, -7]`
    #[serde(default)]
    #[schemars(length(min = 2, max = 3))]
    pub origin: Option<Vec<Number>>,
    /// Number of levels: `<grid>.levels` in expressions. Level 0 is the grid itself. Each further level is a dense grid with
    /// the same origin and channels, half the cells along each axis (rounded up), and cells twice as large. Stages, outputs
    /// and measures name it with its number or an expression in brackets: `air[1]`, `air[l + 1].p`. `"all"` halves the
    /// longest side down to 1 cell.
    ///
    /// - Default: `1`
    /// - Range: 1 to as many as `"all"` means; only for dense grids
    /// - Example: `"all"`
    #[serde(default)]
    pub levels: Option<Number>,
    /// `dense`: memory for every cell. `sparse`: memory for the blocks of cells that stages request (see
    /// `docs/sparse-grids.md`).
    ///
    /// - Default: `"dense"`
    /// - Range: `sparse` is for 3-D grids
    /// - Example: `"sparse"`
    #[serde(default)]
    pub storage: StorageFile,
    /// Where and how long the blocks of a sparse grid have memory.
    ///
    /// - Default: the default of each key
    /// - Example: `{"paging": "auto", "keep": 8, "budget": 2e9}`
    #[serde(default)]
    pub pages: Option<PagesFile>,
    /// Values per cell, by name.
    ///
    /// - Default: those that modules add
    /// - Range: at least one; `rgba8` is for images only
    /// - Example: `{"u": "float", "obstacle": {"type": "uint", "background": 1}}`
    #[serde(default)]
    pub channels: Named<ChannelFile>,
}

/// Whether a grid has memory for all its cells or only for requested blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum StorageFile {
    #[default]
    Dense,
    Sparse,
}

/// Where and how long the blocks of a sparse grid have memory. `latency` and `keep` count updates (executed
/// `update_grid` entries), never time, so slow devices and hosts compute the same result.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PagesFile {
    /// How blocks get memory. `sparse`: address space for the whole grid, with memory bound to its active blocks.
    /// `table`: a pool of blocks, found through a table. `dense`: memory for every block. `auto`: `sparse` if the
    /// device supports it, else `dense` if it fits, else `table`. All give the same results.
    ///
    /// - Default: `"auto"`
    /// - Example: `"table"`
    #[serde(default)]
    pub paging: PagingFile,
    /// Cells of a block in x, y and z.
    ///
    /// - Unit: cells
    /// - Default: the powers of two for which a block fills pages of 64 KiB best
    /// - Range: powers of two, 8 to 65 536 cells together
    /// - Example: `[16, 8, 8]`
    #[serde(default)]
    pub block: Option<[u32; 3]>,
    /// Number of updates until requests take effect. With 0, every update waits for the device; with 1 or more, pages
    /// are bound while the device computes.
    ///
    /// - Unit: updates
    /// - Default: `1`
    /// - Range: 0 to 8
    /// - Example: `0`
    #[serde(default)]
    pub latency: Option<u32>,
    /// Number of updates that a block stays active after its last request.
    ///
    /// - Unit: updates
    /// - Default: `4`
    /// - Range: 0 to 1 000 000
    /// - Example: `16`
    #[serde(default)]
    pub keep: Option<u32>,
    /// Whether active blocks stay active for the rest of the run.
    ///
    /// - Default: `false`
    /// - Example: `true`
    #[serde(default)]
    pub persistent: bool,
    /// Largest amount of memory for active blocks. It determines `<grid>.most_blocks` in expressions.
    ///
    /// - Unit: bytes
    /// - Default: enough for every block
    /// - Range: at least one block
    /// - Example: `2e9`
    #[serde(default)]
    pub budget: Option<Number>,
    /// What happens if stages request more blocks than the budget holds. `stop`: the run ends with an error and
    /// complete frames. `drop`: blocks that have gone unrequested for longest are deactivated first; then requests are
    /// ignored.
    ///
    /// - Default: `"stop"`
    /// - Example: `"drop"`
    #[serde(default)]
    pub when_full: WhenFullFile,
}

/// How the blocks of a sparse grid get memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PagingFile {
    #[default]
    Auto,
    Sparse,
    Table,
    Dense,
}

/// What happens when the budget of a sparse grid is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum WhenFullFile {
    #[default]
    Stop,
    Drop,
}
