//! Checked mode: every access checks its index, and the run keeps the first fault.

use crate::ir::LocalField;
use crate::shader::lines;

use super::{Generator, line};

/// The type of a fault, as numbered in the fault record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FaultCause {
    Read = 0,
    Write = 1,
    WriteInactive = 2,
    ReadEntry = 3,
    WriteEntry = 4,
    // The engine uses the numbers in between.
    ReadUnaligned = 8,
    WriteUnaligned = 9,
    ReadBeyond = 10,
    WriteBeyond = 11,
}

/// The function that reports an access to an entry that an array does not have.
const ENTRY: &str = "\
// Kind 3 reads, kind 4 writes an entry that an array does not have.
void sg_report_entry(uint field, uint kind, ivec3 index, int entry) {
    if (atomicCompSwap(arg.sg_fault.claimed, 0u, 1u) == 0u) {
        arg.sg_fault.stage = arg.sg_stage;
        arg.sg_fault.field = field;
        arg.sg_fault.kind = kind;
        arg.sg_fault.index = index;
        arg.sg_fault.invocation = gl_GlobalInvocationID;
        arg.sg_fault.entry = entry;
    }
}
";
/// The functions of checked runs. An access that is a fault only sets variables: drivers take longer to compile a kernel that
/// writes a record at each access.
const KEPT: &str = include_str!("kept_fault.glsl");

impl Generator<'_> {
    pub(super) fn fault(&mut self) {
        if self.signature.records_lines() {
            self.text.push_str(&KEPT.replace("LINE", lines::DECLARATION));
            return;
        }
        line!(
            self,
            "// The first fault of a run is kept; kind 0 is a read, 1 a write, 2 a write to a block that is not active."
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
        if self.has_arrays() {
            self.text.push_str(ENTRY);
        }
    }

    /// Makes an access outside the field return `result`.
    pub(super) fn check(&mut self, number: usize, wrong: FaultCause, result: &str) {
        self.check_index(number, wrong, result, "i");
    }

    /// [`Generator::check`] for an index that has another name in the function.
    pub(super) fn check_index(&mut self, number: usize, wrong: FaultCause, result: &str, written: &str) {
        let result = if result.is_empty() {
            String::new()
        } else {
            format!(" {result}")
        };
        self.check_inside(number, wrong, &result, written);
        self.check_entry(number, wrong, &result, written);
    }

    /// Makes an access outside the field return `result`, which begins with a space.
    pub(super) fn check_inside(&mut self, number: usize, wrong: FaultCause, result: &str, written: &str) {
        let field = &self.signature.fields[number];
        let outside = self.outside(field);
        let report = self.report(number, field, wrong, written);
        line!(
            self,
            "    if (sg_checked && {outside}) {{ {report} return{result}; }}"
        );
    }

    /// Makes an access to an entry that an array does not have return `result`, which begins with a space.
    pub(super) fn check_entry(&mut self, number: usize, wrong: FaultCause, result: &str, written: &str) {
        let field = &self.signature.fields[number];
        let Some(count) = field.count else { return };
        let index = self.reported_index(field, written);
        let kind = match wrong {
            FaultCause::Read => FaultCause::ReadEntry,
            _ => FaultCause::WriteEntry,
        } as u32;
        line!(
            self,
            "    if (sg_checked && k >= {count}u) {{ sg_report_entry({number}u, {kind}u, {index}, int(k)); return{result}; }}"
        );
    }

    /// The statement that reports a fault at an index.
    pub(super) fn report(&self, number: usize, field: &LocalField, wrong: FaultCause, index: &str) -> String {
        let index = self.reported_index(field, index);
        format!("sg_report({number}u, {}u, {index});", wrong as u32)
    }
}
