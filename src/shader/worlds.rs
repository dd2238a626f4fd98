//! Worlds: independent copies of a pipeline that run in the same dispatches.
//!
//! A dispatch has the workgroups of one world once for each world, one after the other along an axis. A pass over SPIR-V lets
//! an invocation find its world from the number of its workgroup along this axis, gives the built-in variables the values that
//! they have in a run of one world, and moves the address of the argument block to the block of its world.

use std::collections::HashMap;

use super::globals::{BuiltIn, Globals, Known, WorkgroupSize};
use super::opcodes as op;
use super::spirv::{header, instructions, push};

/// Bytes before the argument block of world 0: the address of a list of worlds (8 bytes), and the distance of the blocks
/// of two worlds (4 bytes). The list has the number of worlds that run, then their numbers, each 4 bytes.
pub const HEAD_BYTES: u64 = 16;

const MEMORY_ALIGNED: u32 = 2;

/// The axis along which the workgroups of worlds follow one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorldAxis {
    X,
    Z,
}

impl WorldAxis {
    /// Its number, from 0.
    pub fn number(self) -> usize {
        match self {
            WorldAxis::X => 0,
            WorldAxis::Z => 2,
        }
    }
}

/// The module for several worlds. It is an error if it reads the push constant or a built-in variable in a way that the pass
/// does not know.
pub fn stack(words: &[u32], axis: WorldAxis) -> Result<Vec<u32>, String> {
    let known = Known::of(words);
    // A kernel that accesses nothing.
    let Some(push_constant) = known.push_constant else {
        return Ok(words.to_vec());
    };
    let mut globals = Globals::new(&known, words);
    let own = OwnVariables::new(&mut globals);
    let mut body = Body {
        known: &known,
        push_constant,
        axis: axis.number() as u32,
        chains: HashMap::new(),
        own,
        globals,
        out: Vec::new(),
        prologue: Prologue::Ahead,
    };
    let mut functions_begin = false;
    for (opcode, operands) in instructions(words) {
        functions_begin |= opcode == op::FUNCTION;
        if functions_begin {
            body.instruction(opcode, operands)?;
        }
    }
    let Body { globals, out, .. } = body;
    let mut module = header(words).to_vec();
    globals.write(words, &mut module);
    module.extend(out);
    Ok(module)
}

/// Private variables with the values of the invocation's world.
struct OwnVariables {
    /// Bytes from the blocks of world 0 to those of the world.
    offset: u32,
    /// Components of the built-in variables along the axis.
    group: u32,
    groups: u32,
    invocation: u32,
}

impl OwnVariables {
    fn new(globals: &mut Globals) -> OwnVariables {
        let (uint, long) = (globals.uint(), globals.long());
        OwnVariables {
            offset: globals.private(long),
            group: globals.private(uint),
            groups: globals.private(uint),
            invocation: globals.private(uint),
        }
    }

    fn of(&self, built_in: BuiltIn) -> u32 {
        match built_in {
            BuiltIn::WorkgroupId => self.group,
            BuiltIn::NumWorkgroups => self.groups,
            BuiltIn::GlobalInvocationId => self.invocation,
        }
    }
}

/// A pointer into a variable that the pass changes.
#[derive(Clone, Copy)]
enum Chain {
    /// The address in the push constant.
    Address,
    /// A component of a built-in variable.
    Component(BuiltIn, u32),
}

/// Where the code that finds the world goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Prologue {
    Ahead,
    /// Behind the variables of the entry point.
    InEntryPoint,
    Done,
}

/// The functions of a module in progress.
struct Body<'a> {
    known: &'a Known,
    push_constant: u32,
    axis: u32,
    chains: HashMap<u32, Chain>,
    own: OwnVariables,
    globals: Globals<'a>,
    out: Vec<u32>,
    prologue: Prologue,
}

impl Body<'_> {
    fn instruction(&mut self, opcode: u16, operands: &[u32]) -> Result<(), String> {
        let declares = matches!(
            opcode,
            op::FUNCTION | op::LABEL | op::VARIABLE | op::LINE | op::NO_LINE
        ) || opcode == op::FUNCTION_PARAMETER;
        if self.prologue == Prologue::InEntryPoint && !declares {
            self.find_world()?;
            self.prologue = Prologue::Done;
        }
        match (opcode, operands) {
            (op::FUNCTION, [_, id, ..]) if *id == self.known.entry_point => {
                self.prologue = Prologue::InEntryPoint;
            }
            (op::ACCESS_CHAIN | op::IN_BOUNDS_ACCESS_CHAIN, [_, id, base, indices @ ..]) => {
                if let Some(chain) = self.chain(*base, indices)? {
                    self.chains.insert(*id, chain);
                }
            }
            (op::LOAD, [of, id, from, ..]) => return self.load(*of, *id, *from, operands),
            (op::FUNCTION_CALL, [_, _, _, passed @ ..]) if passed.iter().any(|id| self.is_changed(*id)) => {
                return Err(
                    "it passes a built-in variable or the push constant to a function by reference".into(),
                );
            }
            (op::COPY_MEMORY, [_, from, ..]) | (op::COPY_OBJECT, [_, _, from]) if self.is_changed(*from) => {
                return Err("it copies a built-in variable or the push constant as a whole".into());
            }
            _ => {}
        }
        self.emit(opcode, operands);
        Ok(())
    }

    fn is_changed(&self, id: u32) -> bool {
        id == self.push_constant || self.known.built_in(id).is_some() || self.chains.contains_key(&id)
    }

    fn chain(&self, base: u32, indices: &[u32]) -> Result<Option<Chain>, String> {
        let index = |number: usize| {
            indices
                .get(number)
                .and_then(|id| self.known.constants.get(id))
                .copied()
        };
        if base == self.push_constant {
            return match (indices.len(), index(0)) {
                (1, Some(0)) => Ok(Some(Chain::Address)),
                _ => Err("it reads more than the address in the push constant, or parts of it".into()),
            };
        }
        match self.known.built_in(base) {
            None => Ok(None),
            Some(built_in) => match index(0) {
                Some(component) => Ok(Some(Chain::Component(built_in, component))),
                None => Err(
                    "it selects a component of a built-in variable by a number that is not constant".into(),
                ),
            },
        }
    }

    /// A load, with what the world changes.
    fn load(&mut self, of: u32, id: u32, from: u32, operands: &[u32]) -> Result<(), String> {
        match self.chains.get(&from) {
            Some(Chain::Component(built_in, axis)) if *axis == self.axis => {
                let own = self.own.of(*built_in);
                self.emit(op::LOAD, &[of, id, own]);
                return Ok(());
            }
            Some(Chain::Address) => {
                let first = self.result(op::LOAD, of, &operands[2..]);
                return self.shift(of, id, first);
            }
            _ => {}
        }
        if from == self.push_constant {
            return Err("it reads the push constant as a whole".into());
        }
        let Some(built_in) = self.known.built_in(from) else {
            self.emit(op::LOAD, operands);
            return Ok(());
        };
        let whole = self.result(op::LOAD, of, &operands[2..]);
        let uint = self.globals.uint();
        let own = self.result(op::LOAD, uint, &[self.own.of(built_in)]);
        self.emit(op::COMPOSITE_INSERT, &[of, id, own, whole, self.axis]);
        Ok(())
    }

    /// The address of the world's block, as `id`, from the address of the block of world 0.
    fn shift(&mut self, of: u32, id: u32, first: u32) -> Result<(), String> {
        let long = self.globals.long();
        let (into, from) = self.conversions(of)?;
        let first = into.map_or(first, |opcode| self.result(opcode, long, &[first]));
        let offset = self.result(op::LOAD, long, &[self.own.offset]);
        match from {
            None => self.emit(op::INT_ADD, &[long, id, first, offset]),
            Some(opcode) => {
                let sum = self.result(op::INT_ADD, long, &[first, offset]);
                self.emit(opcode, &[of, id, sum]);
            }
        }
        Ok(())
    }

    /// The instructions that turn an address of a type into a number, and back.
    fn conversions(&mut self, of: u32) -> Result<(Option<u16>, Option<u16>), String> {
        if of == self.globals.long() {
            Ok((None, None))
        } else if self.known.is_memory_pointer(of) {
            Ok((Some(op::POINTER_TO_UINT), Some(op::UINT_TO_POINTER)))
        } else if self.known.is_uint_pair(of) {
            Ok((Some(op::BITCAST), Some(op::BITCAST)))
        } else {
            Err("the address in its push constant has an unknown type".into())
        }
    }

    /// Finds the world of the invocation at the start of the entry point.
    fn find_world(&mut self) -> Result<(), String> {
        let (uint, long) = (self.globals.uint(), self.globals.long());
        let group = self.component(BuiltIn::WorkgroupId);
        let groups = self.component(BuiltIn::NumWorkgroups);
        let address = self.address()?;
        let at = |body: &mut Self, address: u32, bytes: u64| {
            let bytes = body.globals.long_constant(bytes);
            body.result(op::INT_ADD, long, &[address, bytes])
        };
        let before = self.globals.long_constant(HEAD_BYTES);
        let head = self.result(op::INT_SUBTRACT, long, &[address, before]);
        let list = self.read(long, head, 8);
        let distance_at = at(self, head, 8);
        let distance = self.read(uint, distance_at, 4);
        let running = self.read(uint, list, 4);
        // Workgroups of one world, and the place of this world among those that run.
        let own_groups = self.result(op::UINT_DIVIDE, uint, &[groups, running]);
        let place = self.result(op::UINT_DIVIDE, uint, &[group, own_groups]);
        let before = self.result(op::INT_MULTIPLY, uint, &[place, own_groups]);
        let own_group = self.result(op::INT_SUBTRACT, uint, &[group, before]);
        let place = self.result(op::UINT_CONVERT, long, &[place]);
        let four = self.globals.long_constant(4);
        let bytes = self.result(op::INT_MULTIPLY, long, &[place, four]);
        let entries = at(self, list, 4);
        let entry = self.result(op::INT_ADD, long, &[entries, bytes]);
        let world = self.read(uint, entry, 4);
        let world = self.result(op::UINT_CONVERT, long, &[world]);
        let distance = self.result(op::UINT_CONVERT, long, &[distance]);
        let offset = self.result(op::INT_MULTIPLY, long, &[world, distance]);
        self.emit(op::STORE, &[self.own.offset, offset]);
        self.emit(op::STORE, &[self.own.group, own_group]);
        self.emit(op::STORE, &[self.own.groups, own_groups]);
        let side = self.side();
        let skipped = self.result(op::INT_MULTIPLY, uint, &[before, side]);
        let invocation = self.component(BuiltIn::GlobalInvocationId);
        let own_invocation = self.result(op::INT_SUBTRACT, uint, &[invocation, skipped]);
        self.emit(op::STORE, &[self.own.invocation, own_invocation]);
        Ok(())
    }

    /// The device's component of a built-in variable along the axis.
    fn component(&mut self, built_in: BuiltIn) -> u32 {
        let (uint, triple) = (self.globals.uint(), self.globals.triple());
        let variable = self.globals.built_in(built_in);
        let whole = self.result(op::LOAD, triple, &[variable]);
        self.result(op::COMPOSITE_EXTRACT, uint, &[whole, self.axis])
    }

    /// Invocations of a workgroup along the axis.
    fn side(&mut self) -> u32 {
        let (uint, axis) = (self.globals.uint(), self.axis as usize);
        match self.known.workgroup_size {
            WorkgroupSize::Constant(size) => self.result(op::COMPOSITE_EXTRACT, uint, &[size, self.axis]),
            WorkgroupSize::Sides(sides) => sides[axis],
            WorkgroupSize::Literal(sides) => self.globals.uint_constant(sides[axis]),
        }
    }

    /// The address in the push constant as a number.
    fn address(&mut self) -> Result<u32, String> {
        let (long, of) = (self.globals.long(), self.known.address_type);
        let (into, _) = self.conversions(of)?;
        let pointer = self.globals.push_constant_pointer(of);
        let zero = self.globals.uint_constant(0);
        let chain = self.result(op::ACCESS_CHAIN, pointer, &[self.push_constant, zero]);
        let address = self.result(op::LOAD, of, &[chain]);
        Ok(into.map_or(address, |opcode| self.result(opcode, long, &[address])))
    }

    /// A number in memory, at an address that is a multiple of `bytes`.
    fn read(&mut self, of: u32, address: u32, bytes: u32) -> u32 {
        let pointer = self.globals.memory_pointer(of);
        let pointer = self.result(op::UINT_TO_POINTER, pointer, &[address]);
        self.result(op::LOAD, of, &[pointer, MEMORY_ALIGNED, bytes])
    }

    /// Adds an instruction with a new result.
    fn result(&mut self, opcode: u16, of: u32, operands: &[u32]) -> u32 {
        let id = self.globals.new_id();
        self.emit(opcode, &[&[of, id], operands].concat());
        id
    }

    fn emit(&mut self, opcode: u16, operands: &[u32]) {
        push(&mut self.out, opcode, operands);
    }
}
