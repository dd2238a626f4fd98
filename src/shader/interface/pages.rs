//! Sparse grids in the interface: functions from cells to blocks, pages and addresses.
//!
//! The functions are in `pages/*.glsl`, with `@` for the name of the grid. One module serves every type of paging: a
//! specialization constant says whether the page of a block is its own number or is in the table.

use crate::grid::{MARGIN, OUTSIDE};
use crate::ir::{Border, LocalChannel, LocalField, LocalPages, LocalPlace, LocalShape, Over, Reach};
use crate::shader::library::built_in_shader;

use super::constant_kind::ConstantKind;
use super::{Generator, IN_TABLE, PAGES, PER_GRID, PER_GROUP, line};

/// The kind of a constant of a grid, by resource and axis.
type KindOf = fn(usize, usize) -> ConstantKind;

const GRID: &str = include_str!("pages/grid.glsl");
const NUMBER: &str = include_str!("pages/number.glsl");
const FIND: &str = include_str!("pages/find.glsl");
const NEAR: &str = include_str!("pages/near.glsl");
const OWN: &str = include_str!("pages/own.glsl");
const GO_NEAR: &str = include_str!("pages/go_near.glsl");
const LIST: &str = include_str!("pages/list.glsl");
const REQUEST: &str = include_str!("pages/request.glsl");

impl LocalChannel {
    /// The GLSL expression of its background in word `word` of a block.
    fn word(&self) -> String {
        let low = self.background as u32;
        match self.component_bytes {
            1 => format!("{}u", low * 0x0101_0101),
            2 => format!("{}u", low * 0x0001_0001),
            8 if self.background != 0 => {
                let high = (self.background >> 32) as u32;
                format!("(word & 1u) == 0u ? {low}u : {high}u")
            }
            _ => format!("{low}u"),
        }
    }
}

impl Generator<'_> {
    pub(super) fn template(&mut self, template: &str, grid: &str) {
        self.text.push_str(&template.replace('@', grid));
    }

    pub(super) fn local_pages(&self, resource: usize) -> Option<&LocalPages> {
        match &self.signature.resources[resource].shape {
            LocalShape::Lattice { pages, .. } => pages.as_ref(),
            LocalShape::Set { .. } => None,
        }
    }

    /// Constants and functions of one sparse grid.
    pub(super) fn pages(&mut self, resource: usize, position: u32) {
        let signature = self.signature;
        let g = &signature.resources[resource].name;
        let LocalShape::Lattice {
            pages: Some(pages), ..
        } = &signature.resources[resource].shape
        else {
            return;
        };
        if position == 0 {
            if let Some(morton) = built_in_shader("lib/morton.glsl") {
                self.text.push_str(&String::from_utf8_lossy(&morton.bytes));
            }
            line!(self, "const uint sg_no_page = 0xffffffffu;");
            line!(self, "const uint sg_outside = {OUTSIDE}u;");
            line!(self, "const int sg_margin = {MARGIN};");
            line!(
                self,
                "layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer sg_axis_tables {{ uvec2 at[]; }};"
            );
            line!(
                self,
                "layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer sg_offset_tables {{ uint at[]; }};"
            );
        }
        self.page_constants(resource, g, PAGES + PER_GRID * position);
        let reads = |field: Option<usize>| field.is_some_and(|field| signature.fields[field].reads);
        self.template(GRID, g);
        self.marks_of_blocks(g);
        for (wanted, template) in [
            (reads(pages.axes), NUMBER),
            (reads(pages.table), FIND),
            (reads(pages.list), LIST),
            (signature.requests.contains(&resource), REQUEST),
        ] {
            if wanted {
                self.template(template, g);
            }
        }
        let mut fields = signature.fields.iter().filter(|field| field.resource == resource);
        let is_own = self.own_blocks() == Some(resource);
        if is_own || fields.any(|field| self.is_of_a_list_near(field)) {
            self.template(NEAR, g);
            self.template(if is_own { OWN } else { GO_NEAR }, g);
        }
    }

    /// The sparse grid whose active cells are the domain of the kernel.
    fn own_blocks(&self) -> Option<usize> {
        let domain = self.signature.domain?;
        (self.signature.over == Over::ActiveCells && self.local_pages(domain).is_some()).then_some(domain)
    }

    /// True for a channel of the sparse grid whose active cells are the domain.
    pub(super) fn has_own_block(&self, field: &LocalField) -> bool {
        self.own_blocks() == Some(field.resource)
    }

    /// The reach of a field of the sparse grid whose active cells are the domain, or, in a kernel over a list, of any sparse
    /// grid; unless an access may wrap round to blocks far away.
    pub(super) fn reach_in_blocks(&self, field: &LocalField) -> Option<u32> {
        let wraps = field
            .border
            .is_some_and(|borders| borders.axes_with(Border::Repeat, 3).next().is_some());
        match field.reach.all {
            Reach::Cells(reach) if self.has_own_block(field) && !wraps => Some(reach),
            Reach::Cells(reach @ 1..) if self.is_of_a_list_near(field) && !wraps => Some(reach),
            _ => None,
        }
    }

    /// True for a channel of a sparse grid in a kernel over a list that may say from which cell its accesses reach.
    fn is_of_a_list_near(&self, field: &LocalField) -> bool {
        let is_list = matches!(self.signature.over, Over::Elements | Over::Live | Over::Newborn);
        is_list && self.signature.axes == 1 && matches!(field.place, LocalPlace::Blocks { .. })
    }

    /// True if the kernel accesses cells near its own one, in a sparse grid.
    pub(super) fn is_near_own_blocks(&self) -> bool {
        let mut fields = self.signature.fields.iter();
        fields.any(|field| self.has_own_block(field) && matches!(self.reach_in_blocks(field), Some(1..)))
    }

    fn page_constants(&mut self, resource: usize, g: &str, first: u32) {
        let meanings: [(&str, KindOf); 3] = [
            ("b", ConstantKind::BlockLog2),
            ("u", ConstantKind::SubBlockLog2),
            ("k", ConstantKind::BlockBits),
        ];
        for (group, (letter, meaning)) in meanings.into_iter().enumerate() {
            for axis in 0..3 {
                let id = first + 3 * group as u32 + axis as u32;
                let name = format!("sg_{g}_{letter}{axis}");
                self.constant(id, "int", &name, "0", meaning(resource, axis));
            }
        }
        let bytes = format!("sg_{g}_bytes");
        self.constant(
            first + 9,
            "uint",
            &bytes,
            "0u",
            ConstantKind::BlockBytes(resource),
        );
        // Their values depend on the device: the program sets them when it creates the pipeline.
        self.paging.push((first, resource));
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

    /// The functions for kernels that fill whole blocks with their background, word by word.
    pub(super) fn whole_blocks(&mut self, resource: usize) {
        let g = &self.signature.resources[resource].name;
        let Some(pages) = self.local_pages(resource) else {
            return;
        };
        let mut end = 0;
        let mut lines = Vec::new();
        let whole = pages.channels.iter().all(|channel| channel.bytes % 4 == 0);
        for channel in &pages.channels {
            end += channel.bytes;
            let background = channel.word();
            // A block has at least eight cells, so channels begin and end at whole words, and those of 64-bit types at
            // even ones.
            lines.push(if whole {
                format!(
                    "    if (word < {}u << (sg_{g}_b0 + sg_{g}_b1 + sg_{g}_b2)) return {background};",
                    end / 4
                )
            } else {
                format!(
                    "    if (word < {end}u << (sg_{g}_b0 + sg_{g}_b1 + sg_{g}_b2 - 2)) return {background};"
                )
            });
        }
        line!(self, "#define {g}_base sg_base_{g}");
        line!(self, "#define {g}_block_bytes sg_{g}_bytes");
        line!(self, "// The background at one word of a block.");
        line!(self, "uint {g}_background(uint word) {{");
        lines.into_iter().for_each(|text| line!(self, "{text}"));
        line!(self, "    return 0u;");
        line!(self, "}}");
    }
}
