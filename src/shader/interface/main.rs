//! The code before the stage function, and the `main` that calls the stage function for every element of the domain.

use crate::ir::{BlockMember, GROUP_COUNTS, Over};

use super::{Generator, line};

const MAIN_BLOCKS: &str = include_str!("pages/main_blocks.glsl");
const PART: &str = include_str!("pages/part.glsl");
const MAIN_CELLS: &str = include_str!("pages/main_cells.glsl");
const MAIN_CELLS_REDUCED: &str = include_str!("pages/main_cells_reduced.glsl");
const MAIN_ACTIVE: &str = include_str!("pages/main_active.glsl");
const MAIN_SUB_BLOCKS: &str = include_str!("pages/main_sub_blocks.glsl");

/// The number of a cell of grid `@`, all cells of the grid counted.
fn linear(cell: &str) -> String {
    format!("((uint64_t({cell}.z) * @_cells.y + {cell}.y) * @_cells.x + {cell}.x)")
}

impl Generator<'_> {
    /// Variables for the part of the domain that a rank runs over.
    pub(super) fn part(&mut self) {
        if self.signature.cut {
            line!(
                self,
                "// The box of the domain that this rank runs over. It may wrap around. For particles: first, first own \
                 and first new one, and the ends."
            );
            line!(self, "#define STAGE_IS_CUT");
            line!(self, "ivec3 sg_low;");
            line!(self, "ivec3 sg_part;");
            if !self.signature.owned_sums.is_empty() {
                line!(self, "// The particle is no copy of one of another rank.");
                line!(self, "bool sg_is_own = true;");
            }
        }
    }

    pub(super) fn begin(&mut self) {
        line!(
            self,
            "// Leaves word that the stage began and loads the pointers; a module compiled against no interface (hash 0) does \
             nothing."
        );
        line!(self, "void stage_begin() {{");
        line!(self, "    if ((sg_hash_low | sg_hash_high) == 0u) return;");
        line!(
            self,
            "    if (gl_WorkGroupID == uvec3(0) && gl_LocalInvocationIndex == 0u) arg.sg_fault.started = arg.sg_stage + 1u;"
        );
        let signature = self.signature;
        for slot in signature.block_members() {
            match slot {
                BlockMember::Pages(grid) => {
                    let name = &signature.resources[grid].name;
                    line!(self, "    sg_base_{name} = arg.sg_base_{name};");
                }
                BlockMember::Read(field) => {
                    let name = &signature.fields[field].name;
                    line!(self, "    sg_p_{name} = arg.sg_r_{name};");
                }
                BlockMember::Write(field) => {
                    let name = &signature.fields[field].name;
                    line!(self, "    sg_q_{name} = arg.sg_w_{name};");
                }
                BlockMember::Domain => line!(self, "    sg_domain = arg.sg_size_of_domain;"),
                BlockMember::Box => {
                    line!(self, "    sg_low = ivec3(arg.sg_low_of_part);");
                    line!(self, "    sg_part = ivec3(arg.sg_size_of_part);");
                }
                BlockMember::Level(resource) => self.load_level(resource),
                BlockMember::Fault
                | BlockMember::Clock
                | BlockMember::Stage
                | BlockMember::Argument(_)
                | BlockMember::Shuffle
                | BlockMember::Shadows => {}
            }
        }
        self.begin_marks();
        line!(self, "}}");
        line!(
            self,
            "// Number of this invocation; groups of a list are spread over x and y."
        );
        line!(self, "uint stage_linear() {{");
        line!(
            self,
            "    return (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * gl_WorkGroupSize.x + gl_LocalInvocationID.x;"
        );
        line!(self, "}}");
    }

    /// The factor from the number of an invocation to the first of the cells that it processes.
    fn first_of_width(&self, kind: &str) -> String {
        let ones = if kind == "uvec2" { ", 1" } else { ", 1, 1" };
        match self.signature.width {
            Some(_) => format!(" * {kind}(stage_width{ones})"),
            None => String::new(),
        }
    }

    /// Every invocation of a group calls the stage function, from uniform control flow. `count` is the number of groups
    /// of a list.
    fn groups(&mut self, count: &str) {
        if self.signature.axes == 1 {
            line!(self, "#define stage_groups ({count})");
        } else {
            line!(self, "// The number of a group, and of its tile; x runs fastest.");
            line!(self, "uint stage_number(uvec3 group) {{");
            line!(
                self,
                "    return (group.z * sg_domain_y + group.y) * sg_domain_x + group.x;"
            );
            line!(self, "}}");
        }
        line!(self, "#ifndef OWN_MAIN");
        line!(self, "void stage(uvec3 group, uint local);");
        line!(self, "void main() {{");
        line!(self, "    stage_begin();");
        match self.signature.axes {
            1 => {
                line!(
                    self,
                    "    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;"
                );
                line!(
                    self,
                    "    if (group < {count}) stage(uvec3(group, 0u, 0u), gl_LocalInvocationIndex);"
                );
            }
            _ => {
                line!(self, "    uvec3 group = gl_WorkGroupID;");
                if self.signature.cut {
                    line!(self, "    group += uvec3(sg_low);");
                    line!(self, "    if (group.x >= sg_domain_x) group.x -= sg_domain_x;");
                    line!(self, "    if (group.y >= sg_domain_y) group.y -= sg_domain_y;");
                    line!(self, "    if (group.z >= sg_domain_z) group.z -= sg_domain_z;");
                }
                let own = self.own_tile();
                line!(self, "    {own}stage(group, gl_LocalInvocationIndex);");
            }
        }
        line!(self, "}}");
        line!(self, "#endif");
    }

    pub(super) fn main(&mut self) {
        let resource = self
            .signature
            .domain
            .map(|number| &self.signature.resources[number]);
        let name = resource.map_or("", |resource| &resource.name);
        match self.signature.over {
            Over::ActiveCells if !self.signature.reduces.is_empty() => {
                let call = self.in_part("i", &self.marked_call("i", &linear("i")));
                return self.main_of_blocks(&MAIN_CELLS_REDUCED.replace("CALL", &call), name);
            }
            Over::ActiveCells => {
                let call = self.marked_call("ivec3(i.xy, z)", &linear("ivec3(i.xy, z)"));
                let width = self.signature.width.map_or("1", |_| "stage_width");
                let main = MAIN_CELLS
                    .replace("CALL", &self.in_part("ivec3(i.xy, z)", &call))
                    .replace("SG_WIDTH", width);
                return self.main_of_blocks(&main, name);
            }
            Over::ActiveBlocks => {
                let call = self.call("i, sg_@_block_corner(i)", "i");
                return self.template(&MAIN_ACTIVE.replace("CALL", &call), name);
            }
            Over::SubBlocks => {
                let mut call = self.call("i, @_sub_block(i)", "i");
                if self.signature.cut {
                    self.template(PART, name);
                    // Sub-blocks beyond the grid have values as well.
                    call = format!(
                        "ivec3 first = @_sub_block(i);\n    \
                         if (sg_@_is_in_part(first) || any(greaterThanEqual(first, @_cells))) {call}"
                    );
                }
                return self.template(&MAIN_SUB_BLOCKS.replace("CALL", &call), name);
            }
            Over::Groups => return self.groups("sg_domain_x"),
            Over::CountedGroups(_) => return self.groups(&format!("{GROUP_COUNTS}(3u)")),
            Over::Elements | Over::Header(_) | Over::Live | Over::Newborn => {}
        }
        line!(self, "#ifndef OWN_MAIN");
        match self.signature.axes {
            1 => self.main_of_list(name),
            2 if self.signature.cut => self.main_of_part_of_plane(),
            _ if self.signature.cut => self.main_of_part(),
            2 => self.main_of_plane(),
            _ => self.main_of_box(),
        }
        line!(self, "}}");
        line!(self, "#endif");
    }

    /// A main function over the cells of active blocks, from `stages`, a function for the sub-blocks of a workgroup. A kernel
    /// that accesses cells nearby contains it twice, so that the compiler knows how addresses are found.
    fn main_of_blocks(&mut self, stages: &str, name: &str) {
        let once = "sg_@_stages(entry, first);";
        let twice = "if (sg_@_surrounded) {
        sg_@_surrounded = true;
        sg_@_stages(entry, first);
    } else {
        sg_@_surrounded = false;
        sg_@_stages(entry, first);
    }";
        let run = if self.is_near_own_blocks() { twice } else { once };
        let enters = if self.signature.cut {
            self.template(PART, name);
            "if (!sg_@_has_part(sg_@_block_corner(entry))) return;\n    sg_@_enter(entry);"
        } else {
            "sg_@_enter(entry);"
        };
        self.template(stages, name);
        let main = MAIN_BLOCKS.replace("RUN", run).replace("ENTER", enters);
        self.template(&main, name);
    }

    /// A call for a cell of an active block, if that cell is in the part of this rank.
    fn in_part(&self, cell: &str, call: &str) -> String {
        if self.signature.cut {
            format!("if (sg_@_is_in_part({cell})) {call}")
        } else {
            call.to_string()
        }
    }

    fn main_of_list(&mut self, name: &str) {
        line!(self, "void stage(uint i);");
        line!(self, "void main() {{");
        line!(self, "    stage_begin();");
        line!(self, "    uint i = stage_linear();");
        match self.signature.over {
            Over::Elements | Over::Live if self.signature.cut => {
                let call = self.call("i", "i");
                line!(self, "    if (i >= {name}_held_count) return;");
                line!(self, "    i = sg_{name}_held_at(i);");
                if !self.signature.owned_sums.is_empty() {
                    line!(self, "    sg_is_own = {name}_is_own(i);");
                }
                line!(self, "    {call}");
            }
            Over::Elements => line!(self, "    if (i < sg_domain_x) {}", self.call("i", "i")),
            Over::Live => line!(self, "    if (i < {name}_count) {}", self.call("i", "i")),
            Over::Newborn => {
                let index = format!("{name}_count + i");
                let call = self.marked_call(&index, &index);
                line!(self, "    if (i < {name}_born) {call}");
            }
            _ => line!(self, "    {}", self.marked_call("i", "i")),
        }
    }

    fn main_of_plane(&mut self) {
        line!(self, "void stage(ivec2 i);");
        line!(self, "void main() {{");
        line!(self, "    stage_begin();");
        line!(
            self,
            "    uvec2 i = gl_GlobalInvocationID.xy{};",
            self.first_of_width("uvec2")
        );
        line!(self, "    if (i.x >= sg_domain_x) return;");
        let call = self.call("ivec2(i.x, y)", "uint64_t(y) * sg_domain_x + i.x");
        self.lines("i.y", "sg_domain_y", &format!("uint y = line; {call}"));
    }

    /// The lines of a plane that an invocation visits: `body` is the code for `line`. `turn` is the number of the invocation.
    fn lines(&mut self, turn: &str, count: &str, body: &str) {
        // On GPUs a loop of one turn cost a kernel with many registers 11 %.
        line!(
            self,
            "    if (sg_march == 1) {{ uint line = {turn}; if (line < {count}) {{ {body} }} return; }}"
        );
        line!(self, "    uint first = {turn} * uint(sg_march);");
        line!(self, "    uint last = min(first + uint(sg_march), {count});");
        line!(
            self,
            "    for (uint line = first; line < last; ++line) {{ {body} }}"
        );
    }

    fn main_of_box(&mut self) {
        line!(self, "void stage(ivec3 i);");
        line!(self, "void main() {{");
        line!(self, "    stage_begin();");
        line!(
            self,
            "    ivec3 i = ivec3(gl_GlobalInvocationID){};",
            self.first_of_width("ivec3")
        );
        line!(
            self,
            "    if (i.x >= int(sg_domain_x) || i.y >= int(sg_domain_y)) return;"
        );
        line!(self, "    int first = i.z * sg_march;");
        line!(self, "    int last = min(first + sg_march, int(sg_domain_z));");
        line!(
            self,
            "    for (int z = first; z < last; ++z) {}",
            self.call(
                "ivec3(i.xy, z)",
                "(uint64_t(z) * sg_domain_y + uint(i.y)) * sg_domain_x + uint(i.x)"
            )
        );
    }

    /// A main over a box of a plane, which may wrap around the ends of the domain.
    fn main_of_part_of_plane(&mut self) {
        line!(self, "void stage(ivec2 i);");
        line!(self, "void main() {{");
        line!(self, "    stage_begin();");
        self.index_in_part(&["x"]);
        let call = self.call("ivec2(i.x, y)", "uint64_t(y) * sg_domain_x + uint(i.x)");
        let wrapped = "int y = int(line) + sg_low.y; if (y >= int(sg_domain_y)) y -= int(sg_domain_y);";
        self.lines("uint(sg_k.y)", "uint(sg_part.y)", &format!("{wrapped} {call}"));
    }

    /// A main over a box in space, which may wrap around the ends of the domain.
    fn main_of_part(&mut self) {
        line!(self, "void stage(ivec3 i);");
        line!(self, "void main() {{");
        line!(self, "    stage_begin();");
        self.index_in_part(&["x", "y"]);
        let call = self.call(
            "ivec3(i.xy, z)",
            "(uint64_t(z) * sg_domain_y + uint(i.y)) * sg_domain_x + uint(i.x)",
        );
        // Inside the loop over cells, the wrap made a kernel a third slower.
        for text in [
            "    int left = min(sg_march, sg_part.z - sg_k.z * sg_march);",
            "    int first = sg_k.z * sg_march + sg_low.z;",
            "    if (first >= int(sg_domain_z)) first -= int(sg_domain_z);",
            "    while (left > 0) {",
            "        int last = min(min(first + sg_march, first + left), int(sg_domain_z));",
        ] {
            line!(self, "{text}");
        }
        line!(self, "        for (int z = first; z < last; ++z) {call}");
        line!(self, "        left -= last - first;");
        line!(self, "        first = 0;");
        line!(self, "    }}");
    }

    /// The index `i` in the domain of an invocation of a box, valid along some axes.
    fn index_in_part(&mut self, axes: &[&str]) {
        line!(
            self,
            "    ivec3 sg_k = ivec3(gl_GlobalInvocationID){};",
            self.first_of_width("ivec3")
        );
        for axis in axes {
            line!(self, "    if (sg_k.{axis} >= sg_part.{axis}) return;");
        }
        line!(self, "    ivec3 i = sg_k + sg_low;");
        for axis in axes {
            line!(
                self,
                "    if (i.{axis} >= int(sg_domain_{axis})) i.{axis} -= int(sg_domain_{axis});"
            );
        }
    }
}
