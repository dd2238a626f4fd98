//! Sparse grids in the interface: from cells to blocks, pages and addresses, and the functions that ask about them.
//!
//! The functions stand in `pages/*.glsl` with `@` for the grid's name. One module serves every paging mode: whether a
//! block's page is its own number or stands in the table is a specialization constant.

use crate::grid::OUTSIDE;
use crate::spec::{Home, Over, ResourceId, SparseGrid, Update};

use super::{Generator, IN_TABLE, PAGES, PER_GRID, PER_GROUP, Slot, line};

const MORTON: &str = include_str!("../../../shaders/lib/morton.glsl");
const GRID: &str = include_str!("pages/grid.glsl");
const NUMBER: &str = include_str!("pages/number.glsl");
const FIND: &str = include_str!("pages/find.glsl");
const LIST: &str = include_str!("pages/list.glsl");
const REQUEST: &str = include_str!("pages/request.glsl");
const MAIN_CELLS: &str = include_str!("pages/main_cells.glsl");
const MAIN_ACTIVE: &str = include_str!("pages/main_active.glsl");
const MAIN_SUB_BLOCKS: &str = include_str!("pages/main_sub_blocks.glsl");

impl Generator<'_> {
    /// The sparse grids that the stage touches, by their pages.
    pub(super) fn sparse_grids(&self) -> Vec<ResourceId> {
        let fields = self.fields();
        let pages = |grid: &SparseGrid| [grid.fields.active, grid.fields.requests, grid.fields.header];
        let touched = |grid: &SparseGrid| pages(grid).iter().any(|field| fields.contains(field));
        let grids = self.pipeline.sparse_grids();
        grids
            .filter(|(_, grid)| touched(grid))
            .map(|(id, _)| id)
            .collect()
    }

    /// The slots of the argument block that hold where the blocks of the touched grids begin.
    pub(super) fn page_slots(&mut self) {
        let pipeline = self.pipeline;
        for grid in self.sparse_grids() {
            let name = &pipeline.resources[grid].name;
            line!(self, "    uint64_t sg_base_{name};");
            self.slots.push(Slot::Pages(grid));
        }
    }

    /// Pointers to single elements, for fields whose elements are found block by block.
    pub(super) fn element_pointers(&mut self) {
        let mut types: Vec<&str> = Vec::new();
        let pipeline = self.pipeline;
        for field in self.fields() {
            let field = &pipeline.fields[field];
            let element = field.element.glsl();
            if field.home != Home::Pages || types.contains(&element) {
                continue;
            }
            types.push(element);
            line!(
                self,
                "layout(buffer_reference, scalar, buffer_reference_align = 4) buffer sg_e_{element} {{ {element} v; }};"
            );
        }
    }

    fn template(&mut self, template: &str, grid: &str) {
        self.text.push_str(&template.replace('@', grid));
    }

    /// Constants and functions of one sparse grid.
    pub(super) fn pages(&mut self, id: ResourceId, position: u32) {
        let (pipeline, stage) = (self.pipeline, self.stage);
        let resource = &pipeline.resources[id];
        let Some(grid) = resource.sparse.as_deref() else {
            return;
        };
        let g = &resource.name;
        if position == 0 {
            self.text.push_str(MORTON);
            line!(self, "const uint sg_no_page = 0xffffffffu;");
            line!(self, "const uint sg_outside = {OUTSIDE}u;");
            line!(
                self,
                "layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer sg_axis_tables {{ uvec2 at[]; }};"
            );
        }
        self.page_constants(id, g, grid, PAGES + PER_GRID * position);
        self.template(GRID, g);
        if stage.reads.contains(&grid.fields.axes) {
            self.template(NUMBER, g);
        }
        if stage.reads.contains(&grid.fields.table) {
            self.template(FIND, g);
        }
        if stage.reads.contains(&grid.fields.list) {
            self.template(LIST, g);
        }
        if stage.requests.contains(&id) {
            self.template(REQUEST, g);
        }
    }

    fn page_constants(&mut self, id: ResourceId, g: &str, grid: &SparseGrid, first: u32) {
        let layout = &grid.layout;
        let numbers = [
            ("b", layout.block_log2),
            ("u", layout.sub_log2),
            ("k", layout.block_bits),
        ];
        for (group, (letter, values)) in numbers.into_iter().enumerate() {
            for axis in 0..3u32 {
                let id = first + 3 * group as u32 + axis;
                let name = format!("sg_{g}_{letter}{axis}");
                self.constant(id, "int", &name, "0", values[axis as usize]);
            }
        }
        let bytes = layout.block_bytes as u32;
        self.constant(first + 9, "uint", &format!("sg_{g}_bytes"), "0u", bytes);
        // Their values depend on the device: the program sets them when it creates the pipeline.
        self.paging.push((first, id));
        for (offset, declaration) in [
            (IN_TABLE, "bool sg_@_in_table = false"),
            (PER_GROUP, "uint sg_@_per_group = 0u"),
        ] {
            let declaration = declaration.replace('@', g);
            line!(
                self,
                "layout(constant_id = {}) const {declaration};",
                first + offset
            );
        }
    }

    /// `main` over the active blocks of a sparse grid.
    pub(super) fn main_over_blocks(&mut self) {
        let (pipeline, domain) = (self.pipeline, &self.stage.domain);
        let Some(resource) = domain.resource.map(|id| &pipeline.resources[id]) else {
            return;
        };
        let main = match domain.over {
            Over::ActiveCells => MAIN_CELLS,
            Over::ActiveBlocks => MAIN_ACTIVE,
            _ => MAIN_SUB_BLOCKS,
        };
        self.template(main, &resource.name);
    }

    /// Other names for what the interface holds, for the engine's shaders, which serve any grid.
    pub(super) fn aliases(&mut self) {
        let (pipeline, stage) = (self.pipeline, self.stage);
        for (alias, name) in &stage.aliases {
            let has = |text: String| self.text.contains(&text);
            if has(format!(" {name}(")) || has(format!("#define {name} ")) || has(format!(" {name};")) {
                line!(self, "#define {alias} {name}");
            }
        }
        let Some(Update::Continues(id)) = stage.update else {
            return;
        };
        let resource = &pipeline.resources[id];
        let Some(grid) = resource.sparse.as_deref() else {
            return;
        };
        let g = &resource.name;
        if !stage.writes.contains(&grid.channels[0]) {
            return;
        }
        line!(self, "#define grid_base arg.sg_base_{g}");
        line!(self, "#define grid_block_bytes sg_{g}_bytes");
        line!(self, "// The background at one word of a block.");
        line!(self, "uint grid_background(uint word) {{");
        let mut end = 0;
        for channel in &grid.channels {
            let field = &pipeline.fields[*channel];
            end += field.element.bytes() / 4;
            let bits = field.element.component_bits(field.background).unwrap_or(0);
            line!(
                self,
                "    if (word < {end}u << (sg_{g}_b0 + sg_{g}_b1 + sg_{g}_b2)) return {bits}u;"
            );
        }
        line!(self, "    return 0u;");
        line!(self, "}}");
    }
}
