//! The interface that each kernel sees: the text of `stage.glsl`, and the values of the constants in it.
//!
//! It contains only the declarations of the kernel's signature: accessors of the fields that it reads and writes,
//! constants of its resources, its arguments and the clock. The text depends on the signature alone: names, numbers and
//! sizes of the pipeline are specialization constants or in the argument block, so one compiled module serves every
//! use.

mod accesses;
mod accessors;
mod address;
mod border;
mod check;
mod clock;
mod constant_kind;
mod constants;
mod conversion;
mod levels;
mod locations;
mod main;
mod marks;
mod measured;
mod pages;
mod reach;
mod reduced;
mod resources;
mod vector_access;

use crate::ir::{MAX_GRIDS, MAX_RESOURCES, Signature};

use constant_kind::ConstantKind;

pub use accesses::accesses;

/// Version of the binary interface, described in docs/abi.md. It is part of every interface's hash.
pub const ABI_VERSION: u32 = 4;

/// Specialization constant ids from here on belong to the interface.
pub const FIRST_RESERVED: u32 = 1000;
pub const CHECKED: u32 = 1000;
/// Invocations of the device's smallest subgroups.
pub const MIN_SUBGROUP: u32 = 1001;
/// Use the device's own half conversions instead of the integer ones.
pub const NATIVE_HALVES: u32 = 1002;
/// The interface hash a module was compiled against, as its constants' default values.
pub const HASH_LOW: u32 = 1003;
pub const HASH_HIGH: u32 = 1004;
/// Workgroup size, three ids.
pub const LOCAL_SIZE: u32 = 1005;
pub const MARCH: u32 = 1008;
/// Domain size, three ids.
pub const DOMAIN: u32 = 1009;
pub const WIDTH: u32 = 1012;
/// Twelve ids per local resource: size x 3, origin x 3, spacing x 3, whether indices need 64 bits.
const RESOURCES: u32 = 1100;
const PER_RESOURCE: u32 = 12;
/// Sixteen ids per sparse grid: logarithms of block and sub-block sides, bits of block coordinates, bytes of a
/// block, and the two below. (GLSL compilers take no ids above 2047.)
const PAGES: u32 = 1900;
const PER_GRID: u32 = 16;
/// Depends on the device: pages are in the table.
pub const IN_TABLE: u32 = 10;
/// Depends on the device: the logarithm of the number of sub-blocks that a workgroup processes in turn.
pub const PER_GROUP: u32 = 11;
const _: () = assert!(RESOURCES + PER_RESOURCE * MAX_RESOURCES as u32 <= PAGES);
const _: () = assert!(PAGES + PER_GRID * MAX_GRIDS as u32 <= 2048);

/// The generated interface of one kernel.
#[derive(Debug, Clone)]
pub struct Interface {
    /// `stage.glsl`.
    pub text: String,
    /// Hash of the text; a module contains it as the defaults of two constants.
    pub hash: u64,
    constants: Vec<(u32, ConstantKind)>,
    /// Per sparse grid that the kernel sees, the first of its constants and the local resource: some of them depend on
    /// the device.
    pub paging: Vec<(u32, usize)>,
}

/// Generates the interface of a signature.
pub fn generate(signature: &Signature) -> Interface {
    let mut generator = Generator {
        signature,
        text: String::new(),
        constants: Vec::new(),
        paging: Vec::new(),
    };
    generator.everything();
    let hash = u64::from_le_bytes(first_eight(blake3::hash(generator.text.as_bytes()).as_bytes()));
    let text = generator
        .text
        .replace("SG_HASH_LOW", &format!("{}u", hash as u32))
        .replace("SG_HASH_HIGH", &format!("{}u", (hash >> 32) as u32));
    Interface {
        text,
        hash,
        constants: generator.constants,
        paging: generator.paging,
    }
}

fn first_eight(bytes: &[u8; 32]) -> [u8; 8] {
    let mut eight = [0; 8];
    eight.copy_from_slice(&bytes[..8]);
    eight
}

/// Appends a line to the text; writing to a `String` cannot fail.
macro_rules! line {
    ($generator:expr, $($arguments:tt)*) => { { use std::fmt::Write; let _ = writeln!($generator.text, $($arguments)*); } };
}
use line;

struct Generator<'a> {
    signature: &'a Signature,
    text: String,
    constants: Vec<(u32, ConstantKind)>,
    paging: Vec<(u32, usize)>,
}

impl Generator<'_> {
    fn everything(&mut self) {
        self.head();
        self.part();
        for number in 0..self.signature.resources.len() {
            self.resource(number, RESOURCES + PER_RESOURCE * number as u32);
        }
        self.entries();
        self.arguments();
        self.shuffle();
        self.fault();
        self.reach();
        self.marks();
        self.clock_length();
        self.conversions();
        // The functions that find pages read buffers, and channels call them.
        self.accessors_of_buffers();
        let paged: Vec<usize> = self.signature.paged().map(|(resource, ..)| resource).collect();
        for (position, resource) in paged.into_iter().enumerate() {
            self.pages(resource, position as u32);
        }
        match self.signature.whole_blocks {
            Some(resource) => self.whole_blocks(resource),
            None => self.accessors_of_blocks(),
        }
        self.vector_accessors();
        self.locations();
        self.measured();
        self.reduced();
        self.begin();
        self.main();
    }
}

#[cfg(test)]
mod tests;
