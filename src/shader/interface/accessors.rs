//! The functions that read and write fields, composed of parts from `border`, `address`, `check` and `conversion`.

use crate::ir::{Border, LocalField, LocalPlace, LocalShape, Location, Placement};

use super::address::{before_entry, pointer_type};
use super::check::FaultCause;
use super::conversion::{background, has_atomics, seen, stored};
use super::marks::Use;
use super::{Generator, line};

/// Atomics on integers: the prefix of the accessor and the end of the GLSL function.
const ATOMICS: [(&str, &str); 4] = [("add", "Add"), ("min", "Min"), ("max", "Max"), ("or", "Or")];

impl Generator<'_> {
    pub(super) fn accessors_of_buffers(&mut self) {
        self.pointers();
        for (number, field) in self.signature.fields.iter().enumerate() {
            if field.place != LocalPlace::Buffer {
                continue;
            }
            if field.reads {
                self.read(number, field);
            }
            if field.writes {
                self.write(number, field);
            }
        }
    }

    /// Accessors of channels of sparse grids. A read outside the active blocks returns the background, or a value of
    /// the caller; a write there is ignored, and is a fault in a checked run.
    pub(super) fn accessors_of_blocks(&mut self) {
        for (number, field) in self.signature.fields.iter().enumerate() {
            let LocalPlace::Blocks { before } = field.place else {
                continue;
            };
            if field.reads {
                self.read_block(number, field, before);
            }
            if field.writes {
                self.write_block(number, field, before);
            }
        }
    }

    /// The variables with addresses. They come first because some accessors use other fields, such as the live count.
    fn pointers(&mut self) {
        for field in &self.signature.fields {
            for (wanted, write, letter) in [(field.reads, false, "p"), (field.writes, true, "q")] {
                if wanted && field.place == LocalPlace::Buffer {
                    let kind = pointer_type(field.element, write);
                    line!(self, "{kind} sg_{letter}_{};", field.name);
                }
            }
        }
    }

    fn read(&mut self, number: usize, field: &LocalField) {
        let resource = &self.signature.resources[field.resource];
        let (name, at) = (&field.name, self.place(field, self.index_of_read(field)));
        let kind = field.element.accessor_type();
        let [narrow, wide] = self
            .element(field, false)
            .map(|element| self.with_sign(field, &seen(field.element, &element)));
        let background = background(field);
        line!(self, "{kind} {name}({at}) {{");
        self.cross_border(number, &background, &background);
        self.mark(number, Use::Read);
        line!(self, "    if (sg_{}_wide) return {wide};", resource.name);
        line!(self, "    return {narrow};");
        line!(self, "}}");
        let of_cells = matches!(&resource.shape, LocalShape::Lattice { form, .. } if form.placement == Placement::Centres);
        if of_cells {
            let given = names(field);
            let value = match (field.border, field.location()) {
                (Some(borders), _) if borders.same() != Some(Border::Background) => {
                    match self.beyond_background(field, borders) {
                        Some(beyond) => format!("{beyond} ? otherwise : {name}({given})"),
                        None => format!("{name}({given})"),
                    }
                }
                (_, Location::Centre) => {
                    format!("{}_is_active(i) ? {name}({given}) : otherwise", resource.name)
                }
                _ => format!("{} ? otherwise : {name}({given})", self.outside(field)),
            };
            let at = self.place(field, "i");
            line!(
                self,
                "{kind} {name}({at}, {kind} otherwise) {{ return {value}; }}"
            );
        }
    }

    fn write(&mut self, number: usize, field: &LocalField) {
        let resource = &self.signature.resources[field.resource].name;
        let (name, at) = (&field.name, self.place(field, "i"));
        let (kind, memory) = (field.element.accessor_type(), field.element.glsl());
        let [narrow, wide] = self.element(field, true);
        let value = stored(field.element, "value");
        if !field.adds {
            line!(self, "void set_{name}({at}, {kind} value) {{");
            self.check(number, FaultCause::Write, "");
            self.check_reach(number, FaultCause::WriteBeyond, "i");
            self.mark(number, Use::Write);
            line!(self, "    if (sg_{resource}_wide) {wide} = {value};");
            line!(self, "    else {narrow} = {value};");
            line!(self, "}}");
        }
        if !has_atomics(field.element) {
            return;
        }
        let all = if field.adds { &ATOMICS[..1] } else { &ATOMICS };
        for (prefix, operation) in all {
            line!(self, "{memory} {prefix}_{name}({at}, {memory} value) {{");
            if self.signature.owned_sums.contains(&number) {
                line!(self, "    if (!sg_is_own) return {};", background(field));
            }
            self.check(number, FaultCause::Write, &background(field));
            self.check_reach(number, FaultCause::WriteBeyond, "i");
            self.mark(number, Use::Atomic);
            line!(
                self,
                "    if (sg_{resource}_wide) return atomic{operation}({wide}, value);"
            );
            line!(self, "    return atomic{operation}({narrow}, value);");
            line!(self, "}}");
        }
    }

    fn read_block(&mut self, number: usize, field: &LocalField, before: u32) {
        let g = &self.signature.resources[field.resource].name;
        let (name, memory, bytes) = (&field.name, field.element.glsl(), field.element.bytes());
        let kind = field.element.accessor_type();
        let background = background(field);
        let (find, _) = self.element_in_block(field, before, field.reach.all);
        let at = self.place(field, self.index_of_read(field));
        line!(self, "{kind} {name}({at}, {kind} otherwise) {{");
        self.cross_border(number, "otherwise", &background);
        let before = before_entry(field, before);
        if let (Some(reach @ 1..), false) = (self.reach_in_blocks(field), self.signature.has_marks()) {
            self.read_near(field, &before, reach);
        }
        line!(self, "{find}");
        self.mark_in_block(number, Use::Read);
        // Loads without a branch, from a dummy address if necessary: branches would serialise the loads.
        line!(
            self,
            "    uint64_t at = sg_{g}_at(block, {before}, place.y, {bytes}u);"
        );
        line!(self, "    uint64_t anywhere = uint64_t(sg_p_{g}_axes);");
        let value = seen(
            field.element,
            &format!("sg_e_{memory}(is_there ? at : anywhere).v"),
        );
        line!(self, "    {kind} value = {value};");
        let value = self.with_sign(field, "value");
        line!(self, "    return is_there ? ({value}) : otherwise;");
        line!(self, "}}");
        let (at, given) = (self.place(field, "i"), names(field));
        line!(
            self,
            "{kind} {name}({at}) {{ return {name}({given}, {background}); }}"
        );
    }

    /// The lines of a read up to `reach` cells from the own one, or from the cell of `g_near`, without a search for the block.
    fn read_near(&mut self, field: &LocalField, before: &str, reach: u32) {
        let g = &self.signature.resources[field.resource].name;
        let (memory, bytes) = (field.element.glsl(), field.element.bytes());
        let kind = field.element.accessor_type();
        let near = format!("sg_{g}_near(i, {reach}, {before}, {bytes}u)");
        let load = |address: &str| {
            let value = seen(field.element, &format!("sg_e_{memory}({address}).v"));
            self.with_sign(field, &value)
        };
        if self.has_own_block(field) {
            let value = load(&format!("is_there ? {near} : uint64_t(sg_p_{g}_axes)"));
            line!(self, "    if (sg_{g}_is_near({reach})) {{");
            line!(self, "        bool is_there = sg_{g}_is_active_near(i);");
            line!(self, "        {kind} value = {value};");
            line!(self, "        return is_there ? value : otherwise;");
            line!(self, "    }}");
        } else {
            let value = load(&near);
            line!(
                self,
                "    if (sg_{g}_surrounded && sg_{g}_is_near({reach})) return {value};"
            );
        }
    }

    fn write_block(&mut self, number: usize, field: &LocalField, before: u32) {
        let (name, memory, at) = (&field.name, field.element.glsl(), self.place(field, "i"));
        let kind = field.element.accessor_type();
        let (find, element) = self.element_in_block(field, before, field.reach.writes);
        let inactive = self.report(number, field, FaultCause::WriteInactive, "i");
        let guard = |generator: &mut Self, result: &str| {
            generator.check(number, FaultCause::Write, result);
            generator.check_reach(number, FaultCause::WriteBeyond, "i");
            line!(generator, "{find}");
            line!(generator, "    if (!is_there) {{");
            line!(generator, "        if (sg_checked) {inactive}");
            line!(
                generator,
                "        return{}{result};",
                if result.is_empty() { "" } else { " " }
            );
            line!(generator, "    }}");
        };
        line!(self, "void set_{name}({at}, {kind} value) {{");
        guard(self, "");
        self.mark_in_block(number, Use::Write);
        line!(self, "    {element} = {};", stored(field.element, "value"));
        line!(self, "}}");
        if !has_atomics(field.element) {
            return;
        }
        for (prefix, operation) in ATOMICS {
            line!(self, "{memory} {prefix}_{name}({at}, {memory} value) {{");
            guard(self, &background(field));
            self.mark_in_block(number, Use::Atomic);
            line!(self, "    return atomic{operation}({element}, value);");
            line!(self, "}}");
        }
    }

    /// The parameters of an access: the index and, for an array, the entry.
    fn place(&self, field: &LocalField, name: &str) -> String {
        let index = self.index_type(field);
        match field.count {
            None => format!("{index} {name}"),
            Some(_) => format!("{index} {name}, uint k"),
        }
    }
}

/// The parameter names of an access.
fn names(field: &LocalField) -> &'static str {
    match field.count {
        None => "i",
        Some(_) => "i, k",
    }
}
