//! The functions of a module in progress.

use crate::shader::globals::Globals;
use crate::shader::spirv::push;

pub(super) struct Body<'a> {
    pub globals: Globals<'a>,
    pub out: Vec<u32>,
}

impl Body<'_> {
    /// Adds an instruction with a new result.
    pub(super) fn result(&mut self, opcode: u16, of: u32, operands: &[u32]) -> u32 {
        let id = self.globals.new_id();
        self.emit(opcode, &[&[of, id], operands].concat());
        id
    }

    pub(super) fn emit(&mut self, opcode: u16, operands: &[u32]) {
        push(&mut self.out, opcode, operands);
    }
}
