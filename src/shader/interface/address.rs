//! Addresses of elements: the pointers of the argument block, and the element at an index.

use crate::element::Element;
use crate::ir::{BlockMember, LocalField, LocalPlace, Reach};

use super::{ABI_VERSION, CHECKED, Generator, HASH_HIGH, HASH_LOW, line};

/// The GLSL name of a pointer type.
pub(super) fn pointer_type(element: Element, write: bool) -> String {
    format!("sg_{}_{}", if write { "w" } else { "r" }, element.glsl())
}

/// The parts of an index, the slowest varying first.
const AXES: [&[&str]; 3] = [&["i"], &["i.y", "i.x"], &["i.z", "i.y", "i.x"]];

/// Bytes of each cell before a channel of a block, or before entry `k` of an array.
pub(super) fn before_entry(field: &LocalField, before: u32) -> String {
    match field.count {
        None => format!("{before}u"),
        Some(_) => format!("{before}u + k * {}u", field.element.bytes()),
    }
}

impl Generator<'_> {
    /// True if one of the fields is an array.
    pub(super) fn has_arrays(&self) -> bool {
        self.signature.fields.iter().any(|field| field.count.is_some())
    }

    pub(super) fn head(&mut self) {
        line!(self, "// Generated from the pipeline file; ABI {ABI_VERSION}.");
        for extension in [
            "GL_EXT_buffer_reference",
            "GL_EXT_buffer_reference2",
            "GL_EXT_scalar_block_layout",
            "GL_EXT_shader_explicit_arithmetic_types_int64",
        ] {
            line!(self, "#extension {extension} : require");
        }
        let bytes = |field: &LocalField| field.element.scalar().bytes();
        for (size, extension) in [
            (1, "GL_EXT_shader_8bit_storage"),
            (2, "GL_EXT_shader_16bit_storage"),
        ] {
            if self.signature.fields.iter().any(|field| bytes(field) == size)
                || size == 2
                    && self.signature.width.is_some()
                    && self.signature.fields.iter().any(|field| bytes(field) == 1)
            {
                line!(self, "#extension {extension} : require");
            }
        }
        if self.signature.has_marks() {
            line!(self, "#extension GL_EXT_shader_atomic_int64 : require");
        }
        line!(
            self,
            "layout(constant_id = {CHECKED}) const bool sg_checked = false;"
        );
        line!(
            self,
            "layout(constant_id = {HASH_LOW}) const uint sg_hash_low = SG_HASH_LOW;"
        );
        line!(
            self,
            "layout(constant_id = {HASH_HIGH}) const uint sg_hash_high = SG_HASH_HIGH;"
        );
        self.domain_constants();
    }

    /// Pointer types, and the argument block.
    pub(super) fn arguments(&mut self) {
        // Fields of the engine are in no kernel of a user.
        for field in self
            .signature
            .fields
            .iter()
            .filter(|field| !field.name.starts_with("sg_"))
        {
            line!(self, "#define HAS_{} 1", field.name);
        }
        for name in &self.signature.absent {
            line!(self, "#define HAS_{name} 0");
        }
        self.pointer_types();
        self.clock();
        self.shadows();
        line!(
            self,
            "layout(buffer_reference, scalar, buffer_reference_align = 4) buffer sg_fault_block {{ uint claimed; uint \
             stage; uint field; uint kind; ivec3 index; uvec3 invocation; uint started; {}}};",
            match (self.has_arrays(), self.signature.records_lines()) {
                (_, true) => "int entry; uint line; ",
                (true, false) => "int entry; ",
                (false, false) => "",
            }
        );
        line!(
            self,
            "layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer sg_argument_block {{"
        );
        let signature = self.signature;
        let pointer = |local: usize, write: bool| {
            let field = &signature.fields[local];
            (pointer_type(field.element, write), &field.name)
        };
        for slot in signature.block_members() {
            match slot {
                BlockMember::Fault => line!(self, "    sg_fault_block sg_fault;"),
                BlockMember::Clock => line!(self, "    sg_clock_block clock;"),
                BlockMember::Stage => line!(self, "    uint sg_stage;\n    uint sg_padding;"),
                BlockMember::Pages(grid) => {
                    line!(self, "    uint64_t sg_base_{};", signature.resources[grid].name)
                }
                BlockMember::Read(field) => {
                    let (kind, name) = pointer(field, false);
                    line!(self, "    {kind} sg_r_{name};");
                }
                BlockMember::Write(field) => {
                    let (kind, name) = pointer(field, true);
                    line!(self, "    {kind} sg_w_{name};");
                }
                BlockMember::Domain => line!(self, "    uvec3 sg_size_of_domain;"),
                BlockMember::Box => line!(self, "    uvec3 sg_low_of_part;\n    uvec3 sg_size_of_part;"),
                BlockMember::Level(resource) => self.level_members(resource),
                BlockMember::Argument(argument) => {
                    let (name, element) = &signature.arguments[argument];
                    line!(self, "    {} {name};", element.glsl());
                }
                BlockMember::Shuffle => line!(self, "    uint sg_shuffle_seed;"),
                BlockMember::Shadows => line!(self, "    sg_shadow_block sg_shadows;"),
            }
        }
        line!(self, "}};");
        line!(
            self,
            "layout(push_constant, scalar) uniform sg_push {{ sg_argument_block arg; }};"
        );
        line!(self, "#define clock (arg.clock)");
    }

    /// One pointer type for each element type that is read, written, or found block by block.
    fn pointer_types(&mut self) {
        let mut known: Vec<String> = Vec::new();
        let mut add = |generator: &mut Self, align: u64, name: String, text: String| {
            if !known.contains(&name) {
                line!(
                    generator,
                    "layout(buffer_reference, scalar, buffer_reference_align = {align}) {text}"
                );
                known.push(name);
            }
        };
        for field in &self.signature.fields {
            let (element, scalar) = (field.element.glsl(), field.element.scalar().bytes());
            if field.place != LocalPlace::Buffer {
                let name = format!("sg_e_{element}");
                add(
                    self,
                    scalar,
                    name.clone(),
                    format!("buffer {name} {{ {element} v; }};"),
                );
                continue;
            }
            // Elements of buffers of vectors with two or four components are aligned, so that one access takes them.
            let bytes = field.element.bytes();
            let align = if bytes.is_power_of_two() && bytes <= 16 {
                bytes
            } else {
                scalar
            };
            for (wanted, write, qualifier) in [(field.reads, false, "readonly "), (field.writes, true, "")] {
                if wanted {
                    let name = pointer_type(field.element, write);
                    add(
                        self,
                        align,
                        name.clone(),
                        format!("{qualifier}buffer {name} {{ {element} at[]; }};"),
                    );
                }
            }
        }
    }

    /// The number of the shadow of element `i` of a buffer, and of entry `k` of an array, as an expression of 64 bits:
    /// all elements of an entry before those of the next.
    pub(super) fn flat(&self, field: &LocalField) -> String {
        let entry = field.count.map(|_| "int(k)");
        self.number(field, entry, true)
    }

    /// The number of element `i` of a buffer, or of one entry of an array, as an expression of 32 or of 64 bits.
    fn number(&self, field: &LocalField, entry: Option<&str>, wide: bool) -> String {
        let axes = self.signature.resources[field.resource].axes() as usize;
        let mut terms = entry.into_iter().chain(AXES[axes - 1].iter().copied());
        let outermost = terms.next().unwrap_or_default();
        let mut index = if wide {
            format!("int64_t({outermost})")
        } else {
            outermost.to_string()
        };
        let first = axes - usize::from(entry.is_none());
        for (axis, term) in (0..first).rev().zip(terms) {
            let inner = if index.contains(' ') {
                format!("({index})")
            } else {
                index
            };
            index = format!("{inner} * {} + {term}", self.side(field, axis));
        }
        index
    }

    /// The element of a buffer at index `i`: with a 32-bit index, which lets compilers keep addresses cheap, and with a
    /// 64-bit address for fields of 2^31 components and more.
    pub(super) fn element(&self, field: &LocalField, write: bool) -> [String; 2] {
        if field.count.is_none() {
            let [narrow, wide] = [false, true].map(|wide| self.number(field, None, wide));
            let pointer = format!("sg_{}_{}", if write { "q" } else { "p" }, field.name);
            return [
                format!("{pointer}.at[{narrow}]"),
                self.wide_element(field, write, &wide),
            ];
        }
        let kind = pointer_type(field.element, write);
        self.addresses(field, write)
            .map(|address| format!("{kind}({address}).at[0]"))
    }

    /// The address of the element of a buffer at index `i`, with an index of 32 and of 64 bits. Of entry `k` of an
    /// array, plane by plane in z; its offsets always have 64 bits.
    pub(super) fn addresses(&self, field: &LocalField, write: bool) -> [String; 2] {
        let pointer = format!("uint64_t(sg_{}_{})", if write { "q" } else { "p" }, field.name);
        let bytes = field.element.bytes();
        let Some(count) = field.count else {
            let [narrow, wide] = [false, true].map(|wide| self.number(field, None, wide));
            return [format!("uint({narrow})"), wide]
                .map(|index| format!("{pointer} + uint64_t({index}) * {bytes}ul"));
        };
        let axes = self.signature.resources[field.resource].axes() as usize;
        let sides = (0..axes.min(2)).map(|axis| format!("uint64_t({})", self.side(field, axis)));
        let plane = sides
            .chain([format!("{bytes}ul")])
            .collect::<Vec<_>>()
            .join(" * ");
        let entry = format!("uint64_t(k) * ({plane})");
        let planes = match axes {
            3 => format!(" + uint64_t(uint(i.z)) * ({count}ul * {plane})"),
            _ => String::new(),
        };
        let within = match axes {
            1 => "i".to_string(),
            _ => format!("i.y * {} + i.x", self.side(field, 0)),
        };
        let wide = match axes {
            1 => "int64_t(i)".to_string(),
            _ => format!("int64_t(i.y) * {} + i.x", self.side(field, 0)),
        };
        [format!("uint({within})"), wide]
            .map(|index| format!("({pointer}{planes} + uint64_t({index}) * {bytes}ul) + {entry}"))
    }

    /// The element of a buffer at a 64-bit index.
    pub(super) fn wide_element(&self, field: &LocalField, write: bool, index: &str) -> String {
        let pointer = format!("sg_{}_{}", if write { "q" } else { "p" }, field.name);
        let kind = pointer_type(field.element, write);
        let bytes = field.element.bytes();
        format!("{kind}(uint64_t({pointer}) + uint64_t({index}) * {bytes}ul).at[0]")
    }

    /// Lines that find the block of cell `i`, at most `reach` from the own one, and the element of a channel there.
    pub(super) fn element_in_block(&self, field: &LocalField, before: u32, reach: Reach) -> (String, String) {
        let g = &self.signature.resources[field.resource].name;
        let (memory, bytes) = (field.element.glsl(), field.element.bytes());
        let before = before_entry(field, before);
        let find = match self.reach_in_blocks(field) {
            Some(reach) if self.has_own_block(field) => format!("sg_{g}_find_near(place.x, {reach})"),
            _ => format!("sg_{g}_find(place.x)"),
        };
        let search = format!(
            "    uvec2 place = sg_{g}_where(i);\n    uint64_t block = {find};\n    bool is_there = block != 0ul;"
        );
        let is_own = reach == Reach::Cells(0) && self.has_own_block(field);
        let find = match (is_own, self.signature.width) {
            (false, _) => search,
            // A main function of the kernel's own does not set the place.
            (true, width) => {
                let along = match width {
                    Some(_) => " + uvec2(0u, uint(i.x & (stage_width - 1)))",
                    None => "",
                };
                format!(
                    "#ifdef OWN_MAIN\n{search}\n#else\n    uvec2 place = sg_own_place{along};\n    uint64_t block = \
                     sg_own_block;\n    const bool is_there = true;\n#endif"
                )
            }
        };
        (
            find,
            format!("sg_e_{memory}(sg_{g}_at(block, {before}, place.y, {bytes}u)).v"),
        )
    }
}
