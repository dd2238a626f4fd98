//! Sparse grids in the interface: from cells to blocks, pages and addresses, and the functions that ask about them.
//!
//! One module serves every paging mode: whether a block's page is its own number or stands in the table is a
//! specialization constant.

use crate::spec::{Home, Kind, Over, ResourceId, SparseGrid, Update};

use super::{Generator, IN_TABLE, PAGES, PER_GRID, Slot, line};

const MORTON: &str = include_str!("../../../shaders/lib/morton.glsl");

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
            if field.home != Home::Pages {
                continue;
            }
            if !types.contains(&element) {
                types.push(element);
                line!(
                    self,
                    "layout(buffer_reference, scalar, buffer_reference_align = 4) buffer sg_e_{element} {{ {element} v; }};"
                );
            }
        }
    }

    /// Constants and functions of one sparse grid.
    pub(super) fn pages(&mut self, id: ResourceId, position: u32) {
        let pipeline = self.pipeline;
        let resource = &pipeline.resources[id];
        let (Some(grid), Kind::Grid) = (resource.sparse.as_deref(), &resource.kind) else {
            return;
        };
        let g = &resource.name;
        let first = PAGES + PER_GRID * position;
        if position == 0 {
            self.text.push_str(MORTON);
            line!(self, "const uint sg_no_page = 0xffffffffu;");
        }
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
        self.constant(
            first + 9,
            "uint",
            &format!("sg_{g}_bytes"),
            "0u",
            layout.block_bytes as u32,
        );
        // Its value depends on the device: the program sets it when it creates the pipeline.
        let table = first + IN_TABLE;
        self.in_table.push((table, id));
        line!(
            self,
            "layout(constant_id = {table}) const bool sg_{g}_in_table = false;"
        );
        // Variables, as in `resource`: vector operations on specialization constants trip older validation layers.
        for letter in ["b", "u", "k"] {
            line!(
                self,
                "ivec3 sg_{g}_{letter} = ivec3(sg_{g}_{letter}0, sg_{g}_{letter}1, sg_{g}_{letter}2);"
            );
        }
        line!(self, "uint64_t sg_base_{g};");
        line!(self, "ivec3 {g}_block_cells = ivec3(1) << sg_{g}_b;");
        line!(self, "ivec3 {g}_sub_cells = ivec3(1) << sg_{g}_u;");
        line!(
            self,
            "ivec3 {g}_blocks = ({g}_cells + {g}_block_cells - 1) >> sg_{g}_b;"
        );
        line!(self, "ivec3 {g}_block(ivec3 cell) {{ return cell >> sg_{g}_b; }}");
        line!(
            self,
            "uint sg_{g}_number(ivec3 block) {{ return sg_morton(uvec3(block), uvec3(sg_{g}_k)); }}"
        );
        line!(
            self,
            "ivec3 sg_{g}_block_at(uint number) {{ return ivec3(sg_unmorton(number, uvec3(sg_{g}_k))); }}"
        );
        line!(
            self,
            "bool sg_{g}_has(ivec3 block) {{ return all(lessThan(uvec3(block), uvec3({g}_blocks))); }}"
        );
        let fields = self.fields();
        if fields.contains(&grid.fields.active)
            && fields.contains(&grid.fields.table)
            && self.stage.reads.contains(&grid.fields.table)
        {
            self.find(g);
        }
        if self.stage.requests.contains(&id) {
            self.requests(g);
        }
    }

    /// Which page holds a cell, and where in it the cell lies.
    fn find(&mut self, g: &str) {
        let over_blocks = self.over_blocks_of(g);
        line!(self, "uint sg_{g}_find(ivec3 block) {{");
        line!(self, "    uint number = sg_{g}_number(block);");
        line!(self, "    if (sg_{g}_in_table) return sg_p_{g}_table.at[number];");
        line!(
            self,
            "    return (sg_p_{g}_active.at[number >> 5] >> (number & 31u) & 1u) != 0u ? number : sg_no_page;"
        );
        line!(self, "}}");
        if over_blocks {
            // The block that the invocation is in, its page, and the active blocks around it.
            line!(self, "ivec3 sg_{g}_here;");
            line!(self, "uint sg_{g}_here_page;");
            line!(self, "uint sg_{g}_near;");
            line!(self, "void sg_{g}_enter(uint entry) {{");
            line!(self, "    uint number = sg_p_{g}_list.at[entry];");
            line!(self, "    sg_{g}_here = sg_{g}_block_at(number);");
            line!(
                self,
                "    sg_{g}_here_page = sg_{g}_in_table ? sg_p_{g}_table.at[number] : number;"
            );
            line!(self, "    sg_{g}_near = sg_p_{g}_near.at[entry];");
            line!(self, "}}");
            line!(self, "uint {g}_active_count() {{ return sg_p_{g}_pages.at[1]; }}");
        }
        line!(self, "uint sg_{g}_page(ivec3 cell) {{");
        line!(self, "    ivec3 block = {g}_block(cell);");
        if over_blocks {
            line!(self, "    ivec3 step = block - sg_{g}_here;");
            line!(self, "    if (step == ivec3(0)) return sg_{g}_here_page;");
            line!(self, "    if (all(lessThanEqual(abs(step), ivec3(1)))) {{");
            line!(
                self,
                "        if ((sg_{g}_near >> (13 + step.x + 3 * step.y + 9 * step.z) & 1u) == 0u) return sg_no_page;"
            );
            line!(self, "        uint number = sg_{g}_number(block);");
            line!(
                self,
                "        return sg_{g}_in_table ? sg_p_{g}_table.at[number] : number;"
            );
            line!(self, "    }}");
        }
        line!(
            self,
            "    return sg_{g}_has(block) ? sg_{g}_find(block) : sg_no_page;"
        );
        line!(self, "}}");
        // Sub-blocks in Morton order, cells within one by rows. At most 8 sub-blocks along an axis take the short form.
        line!(self, "uint sg_{g}_inner(ivec3 cell) {{");
        line!(self, "    ivec3 log2 = sg_{g}_u;");
        line!(self, "    ivec3 sub = (cell & ({g}_block_cells - 1)) >> log2;");
        line!(self, "    ivec3 low = cell & ({g}_sub_cells - 1);");
        line!(
            self,
            "    uint at = uint(low.z << (log2.x + log2.y) | low.y << log2.x | low.x);"
        );
        line!(
            self,
            "    return sg_morton(uvec3(sub), uvec3(sg_{g}_b - sg_{g}_u)) << (log2.x + log2.y + log2.z) | at;"
        );
        line!(self, "}}");
        line!(
            self,
            "uint64_t sg_{g}_at(uint page, uint before, ivec3 cell, uint bytes) {{"
        );
        line!(
            self,
            "    uint inside = (before << (sg_{g}_b0 + sg_{g}_b1 + sg_{g}_b2)) + sg_{g}_inner(cell) * bytes;"
        );
        line!(
            self,
            "    return sg_base_{g} + uint64_t(page) * sg_{g}_bytes + inside;"
        );
        line!(self, "}}");
        line!(
            self,
            "// Whether the block of a cell is active; false outside the grid."
        );
        line!(
            self,
            "bool {g}_is_active(ivec3 cell) {{ return sg_{g}_page(cell) != sg_no_page; }}"
        );
    }

    fn requests(&mut self, g: &str) {
        line!(
            self,
            "// Asks for a block, or the block of a cell; what lies outside the grid is ignored."
        );
        line!(self, "void request_{g}_block(ivec3 block) {{");
        line!(self, "    if (!sg_{g}_has(block)) return;");
        line!(self, "    uint number = sg_{g}_number(block);");
        line!(self, "    uint bit = 1u << (number & 31u);");
        // Most requests are repeats: look before the atomic.
        line!(
            self,
            "    if ((sg_q_{g}_requests.at[number >> 5] & bit) == 0u) or_{g}_requests(number >> 5, bit);"
        );
        line!(self, "}}");
        line!(
            self,
            "void request_{g}(ivec3 cell) {{ request_{g}_block({g}_block(cell)); }}"
        );
    }

    fn over_blocks_of(&self, g: &str) -> bool {
        let domain = &self.stage.domain;
        let own = domain
            .resource
            .is_some_and(|id| self.pipeline.resources[id].name == g);
        own && matches!(
            domain.over,
            Over::ActiveCells | Over::ActiveBlocks | Over::SubBlocks
        )
    }

    /// `main` over the active blocks of a sparse grid.
    pub(super) fn main_over_blocks(&mut self) {
        let (pipeline, domain) = (self.pipeline, &self.stage.domain);
        let Some(resource) = domain.resource.map(|id| &pipeline.resources[id]) else {
            return;
        };
        let g = &resource.name;
        let bits = format!("uint(sg_{g}_b0 + sg_{g}_b1 + sg_{g}_b2 - sg_{g}_u0 - sg_{g}_u1 - sg_{g}_u2)");
        let subs = format!("uvec3(sg_{g}_b - sg_{g}_u)");
        line!(self, "// Enters active sub-block `i`: its first cell.");
        line!(self, "ivec3 {g}_enter_sub_block(uint i) {{");
        line!(self, "    sg_{g}_enter(i >> {bits});");
        line!(
            self,
            "    ivec3 sub = ivec3(sg_unmorton(i & ((1u << {bits}) - 1u), {subs}));"
        );
        line!(
            self,
            "    return sg_{g}_here * {g}_block_cells + sub * {g}_sub_cells;"
        );
        line!(self, "}}");
        line!(
            self,
            "uint {g}_sub_blocks() {{ return {g}_active_count() << {bits}; }}"
        );
        line!(self, "#ifndef OWN_MAIN");
        match domain.over {
            Over::ActiveCells => {
                line!(self, "void stage(ivec3 i);");
                line!(self, "void main() {{");
                line!(self, "    stage_begin();");
                line!(
                    self,
                    "    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;"
                );
                line!(self, "    if (group >= {g}_sub_blocks()) return;");
                line!(
                    self,
                    "    ivec3 i = {g}_enter_sub_block(group) + ivec3(gl_LocalInvocationID) * ivec3(1, 1, sg_march);"
                );
                line!(self, "    if (i.x >= {g}_cells.x || i.y >= {g}_cells.y) return;");
                line!(self, "    int last = min(i.z + sg_march, {g}_cells.z);");
                line!(
                    self,
                    "    for (int z = i.z; z < last; ++z) stage(ivec3(i.xy, z));"
                );
                line!(self, "}}");
            }
            Over::ActiveBlocks => {
                line!(self, "void stage(uint i, ivec3 first_cell);");
                line!(self, "void main() {{");
                line!(self, "    stage_begin();");
                line!(self, "    uint i = stage_linear();");
                line!(self, "    if (i >= {g}_active_count()) return;");
                line!(self, "    sg_{g}_enter(i);");
                line!(self, "    stage(i, sg_{g}_here * {g}_block_cells);");
                line!(self, "}}");
            }
            _ => {
                line!(self, "void stage(uint i, ivec3 first_cell);");
                line!(self, "void main() {{");
                line!(self, "    stage_begin();");
                line!(self, "    uint i = stage_linear();");
                line!(self, "    if (i >= {g}_sub_blocks()) return;");
                line!(self, "    stage(i, {g}_enter_sub_block(i));");
                line!(self, "}}");
            }
        }
        line!(self, "#endif");
    }

    /// Other names for what the interface holds, for the engine's shaders, which serve any grid.
    pub(super) fn aliases(&mut self) {
        let (pipeline, stage) = (self.pipeline, self.stage);
        for (alias, name) in &stage.aliases {
            if self.text.contains(&format!(" {name}(")) {
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
        line!(self, "#define grid_block_at(number) sg_{g}_block_at(number)");
        line!(self, "#define grid_number(block) sg_{g}_number(block)");
        line!(self, "#define grid_has(block) sg_{g}_has(block)");
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
