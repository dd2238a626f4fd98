//! The argument block, and the functions that read and write fields through its pointers.

use crate::spec::{Element, Field, FieldId, Home, Kind, Scalar};

use super::{Generator, Slot, line};

impl Generator<'_> {
    /// The GLSL name of the pointer type to a field.
    pub(super) fn pointer_type(&self, field: FieldId, write: bool) -> String {
        let element = self.pipeline.fields[field].element.glsl();
        format!("sg_{}_{element}", if write { "w" } else { "r" })
    }

    pub(super) fn symbol(&self, field: FieldId) -> String {
        self.pipeline.fields[field].name.replace('.', "_")
    }

    pub(super) fn arguments(&mut self) {
        let fields = self.fields();
        let mut types: Vec<(bool, &str)> = Vec::new();
        for field in &fields {
            if self.pipeline.fields[*field].home == Home::Pages {
                continue;
            }
            let element = self.pipeline.fields[*field].element.glsl();
            for (write, list) in [(false, &self.stage.reads), (true, &self.stage.writes)] {
                if list.contains(field) && !types.contains(&(write, element)) {
                    types.push((write, element));
                }
            }
        }
        for (write, element) in types {
            let (prefix, qualifier) = if write { ("w", "") } else { ("r", "readonly ") };
            line!(
                self,
                "layout(buffer_reference, scalar, buffer_reference_align = 4) {qualifier}buffer sg_{prefix}_{element} \
                 {{ {element} at[]; }};"
            );
        }
        self.element_pointers();
        line!(
            self,
            "layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer sg_clock_block {{ uint step; \
             uint frame; float time; float dt; uint seed; }};"
        );
        line!(
            self,
            "layout(buffer_reference, scalar, buffer_reference_align = 4) buffer sg_fault_block {{ uint claimed; uint \
             stage; uint field; uint kind; ivec3 index; uvec3 invocation; uint started; }};"
        );
        line!(
            self,
            "layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer sg_argument_block {{"
        );
        line!(self, "    sg_fault_block sg_fault;");
        line!(self, "    sg_clock_block clock;");
        line!(self, "    uint sg_stage;");
        line!(self, "    uint sg_padding;");
        self.page_slots();
        for field in &fields {
            if self.pipeline.fields[*field].home == Home::Pages {
                continue;
            }
            let symbol = self.symbol(*field);
            if self.stage.reads.contains(field) {
                line!(self, "    {} sg_r_{symbol};", self.pointer_type(*field, false));
                self.slots.push(Slot::Read(*field));
            }
            if self.stage.writes.contains(field) {
                line!(self, "    {} sg_w_{symbol};", self.pointer_type(*field, true));
                self.slots.push(Slot::Write(*field));
            }
        }
        for (position, (name, element)) in self.stage.arguments.iter().enumerate() {
            line!(self, "    {} {name};", element.glsl());
            self.slots.push(Slot::Argument(position));
        }
        line!(self, "}};");
        line!(
            self,
            "layout(push_constant, scalar) uniform sg_push {{ sg_argument_block arg; }};"
        );
        line!(self, "#define clock (arg.clock)");
    }

    pub(super) fn fault(&mut self) {
        line!(
            self,
            "// The first fault of a run is kept; kind 0 is a read, 1 a write."
        );
        line!(self, "void sg_report(uint field, uint kind, ivec3 index) {{");
        line!(
            self,
            "    if (atomicCompSwap(arg.sg_fault.claimed, 0u, 1u) == 0u) {{"
        );
        line!(self, "        arg.sg_fault.stage = arg.sg_stage;");
        line!(self, "        arg.sg_fault.field = field;");
        line!(self, "        arg.sg_fault.kind = kind;");
        line!(self, "        arg.sg_fault.index = index;");
        line!(self, "        arg.sg_fault.invocation = gl_GlobalInvocationID;");
        line!(self, "    }}");
        line!(self, "}}");
    }

    pub(super) fn accessors(&mut self, id: FieldId) {
        let field = &self.pipeline.fields[id];
        let resource = &self.pipeline.resources[field.resource];
        let name = &resource.name;
        let symbol = self.symbol(id);
        // Element indices up to 2^31 stay in 32 bits, which lets compilers keep addresses cheap.
        let large = resource.elements() * u64::from(field.element.components()) >= 1 << 31;
        let wide = |text: &str| {
            if large {
                format!("int64_t({text})")
            } else {
                text.to_string()
            }
        };
        let (index_type, index, outside, position) = match resource.axes() {
            3 => (
                "ivec3",
                format!("({} * sg_{name}_n1 + i.y) * sg_{name}_n0 + i.x", wide("i.z")),
                format!("any(greaterThanEqual(uvec3(i), uvec3({name}_cells)))"),
                "i".to_string(),
            ),
            2 => {
                let size = if matches!(resource.kind, Kind::Image) {
                    "size"
                } else {
                    "vertices"
                };
                (
                    "ivec2",
                    format!("{} * sg_{name}_n0 + i.x", wide("i.y")),
                    format!("any(greaterThanEqual(uvec2(i), uvec2({name}_{size})))"),
                    "ivec3(i, 0)".to_string(),
                )
            }
            _ => (
                "uint",
                wide("i"),
                match resource.live {
                    Some(_) => format!("i >= {name}_count + {name}_born"),
                    None => format!("i >= sg_{name}_n0"),
                },
                "ivec3(int(i), 0, 0)".to_string(),
            ),
        };
        let (memory, seen) = (field.element.glsl(), field.element.accessor_type());
        let packed = field.element == Element::Rgba8;
        let background = background(field);
        if self.stage.reads.contains(&id) {
            let (wrap, unwrap) = if packed {
                ("unpackUnorm4x8(", ")")
            } else {
                ("", "")
            };
            line!(self, "{} sg_p_{symbol};", self.pointer_type(id, false));
            line!(self, "{seen} {symbol}({index_type} i) {{");
            line!(
                self,
                "    if (sg_checked && {outside}) {{ sg_report({id}u, 0u, {position}); return {wrap}{background}{unwrap}; }}"
            );
            line!(self, "    return {wrap}sg_p_{symbol}.at[{index}]{unwrap};");
            line!(self, "}}");
            if matches!(resource.kind, Kind::Grid) {
                line!(
                    self,
                    "{seen} {symbol}(ivec3 i, {seen} otherwise) {{ return {name}_is_active(i) ? {symbol}(i) : otherwise; }}"
                );
            }
        }
        if self.stage.writes.contains(&id) {
            let value = if packed { "packUnorm4x8(value)" } else { "value" };
            line!(self, "{} sg_q_{symbol};", self.pointer_type(id, true));
            line!(self, "void set_{symbol}({index_type} i, {seen} value) {{");
            line!(
                self,
                "    if (sg_checked && {outside}) {{ sg_report({id}u, 1u, {position}); return; }}"
            );
            line!(self, "    sg_q_{symbol}.at[{index}] = {value};");
            line!(self, "}}");
            if field.element.components() == 1 && field.element.scalar() != Scalar::Float && !packed {
                for (prefix, operation) in ATOMICS {
                    line!(
                        self,
                        "{memory} {prefix}_{symbol}({index_type} i, {memory} value) {{"
                    );
                    line!(
                        self,
                        "    if (sg_checked && {outside}) {{ sg_report({id}u, 1u, {position}); return {background}; }}"
                    );
                    line!(
                        self,
                        "    return atomic{operation}(sg_q_{symbol}.at[{index}], value);"
                    );
                    line!(self, "}}");
                }
            }
        }
    }

    /// Accessors of a channel of a sparse grid. A read outside the active blocks gives the background, or what the
    /// caller names; a write there is dropped, and is a fault of a checked run.
    pub(super) fn block_accessors(&mut self, id: FieldId) {
        let pipeline = self.pipeline;
        let field = &pipeline.fields[id];
        let resource = &pipeline.resources[field.resource];
        let Some(grid) = resource.sparse.as_deref() else {
            return;
        };
        let g = &resource.name;
        let symbol = self.symbol(id);
        let memory = field.element.glsl();
        let background = background(field);
        let channels = grid.channels.iter().take_while(|channel| **channel != id);
        let before: u64 = channels
            .map(|channel| pipeline.fields[*channel].element.bytes())
            .sum();
        let bytes = field.element.bytes();
        let outside = format!("any(greaterThanEqual(uvec3(i), uvec3({g}_cells)))");
        let element = format!("sg_e_{memory}(sg_{g}_at(block, {before}u, place.y, {bytes}u)).v");
        if self.stage.reads.contains(&id) {
            line!(self, "{memory} {symbol}(ivec3 i, {memory} otherwise) {{");
            line!(
                self,
                "    if (sg_checked && {outside}) {{ sg_report({id}u, 0u, i); return {background}; }}"
            );
            // Loads from somewhere in any case: a branch round each load would make them wait for one another.
            line!(self, "    uvec2 place = sg_{g}_where(i);");
            line!(self, "    uint64_t block = sg_{g}_find(place.x);");
            line!(
                self,
                "    uint64_t at = sg_{g}_at(block, {before}u, place.y, {bytes}u);"
            );
            line!(self, "    uint64_t anywhere = uint64_t(sg_p_{g}_axes);");
            line!(
                self,
                "    {memory} value = sg_e_{memory}(block == 0ul ? anywhere : at).v;"
            );
            line!(self, "    return block == 0ul ? otherwise : value;");
            line!(self, "}}");
            line!(
                self,
                "{memory} {symbol}(ivec3 i) {{ return {symbol}(i, {background}); }}"
            );
        }
        if !self.stage.writes.contains(&id) {
            return;
        }
        let guard = |generator: &mut Generator, result: &str| {
            line!(
                generator,
                "    if (sg_checked && {outside}) {{ sg_report({id}u, 1u, i); return{result}; }}"
            );
            line!(generator, "    uvec2 place = sg_{g}_where(i);");
            line!(generator, "    uint64_t block = sg_{g}_find(place.x);");
            line!(generator, "    if (block == 0ul) {{");
            line!(generator, "        if (sg_checked) sg_report({id}u, 2u, i);");
            line!(generator, "        return{result};");
            line!(generator, "    }}");
        };
        line!(self, "void set_{symbol}(ivec3 i, {memory} value) {{");
        guard(self, "");
        line!(self, "    {element} = value;");
        line!(self, "}}");
        if field.element.components() == 1 && field.element.scalar() != Scalar::Float {
            for (prefix, operation) in ATOMICS {
                line!(self, "{memory} {prefix}_{symbol}(ivec3 i, {memory} value) {{");
                guard(self, &format!(" {background}"));
                line!(self, "    return atomic{operation}({element}, value);");
                line!(self, "}}");
            }
        }
    }
}

/// Atomics on integers: the prefix of the accessor and the end of the GLSL function.
const ATOMICS: [(&str, &str); 4] = [("add", "Add"), ("min", "Min"), ("max", "Max"), ("or", "Or")];

/// The background of a field in GLSL.
fn background(field: &Field) -> String {
    let memory = field.element.glsl();
    match field.element.scalar() {
        Scalar::Float => format!("{memory}({:?})", field.background as f32),
        Scalar::Int => format!("{memory}({})", field.background as i64),
        Scalar::Uint => format!("{memory}({}u)", field.background as u64),
    }
}
