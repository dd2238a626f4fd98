//! Operations that give particles other indices, before evaluation.

use super::values::{Number, Numbers, Reference};
use crate::spec::read::{object, words};

object! {
    /// Removes the particles whose attribute `where` is not 0. The others keep their order and close the gaps, with all
    /// their attributes; the live count decreases.
    "Removal of particles" RemoveFile {
        /// Name of the set; it requires a `capacity`.
        ///
        /// - Example: `"sparks"`
        must remove: Reference,
        /// The `uint` attribute of the set that marks particles.
        ///
        /// - Example: `"sparks.dead"`
        must marked as "where": Reference,
    }
}

object! {
    /// Sorts the particles of a set by a key, with all their attributes. Particles with the same key keep their order.
    "Sort of particles" SortFile {
        /// Name of the set.
        ///
        /// - Range: at most 2³¹ particles
        /// - Example: `"water"`
        must sort: Reference,
        /// The key: a `uint` attribute of the set.
        ///
        /// - Example: `"water.block"`
        must by: Reference,
        /// Number of bits of the key that are compared, from the lowest; or the first bit and the number of bits. The
        /// cost grows with every 8 bits.
        ///
        /// - Unit: bits
        /// - Default: `32`; with `cells`, as many as their numbers have
        /// - Range: 1 to 32, and with a first bit, 0 to 31, at most 32 together
        /// - Example: `24`
        may bits: Numbers,
        /// A `uint` buffer. Element k becomes the number of particles with a key below k, which is the index of the
        /// first particle with key k. With one element more than there are keys, element k + 1 is the end of the
        /// particles with key k.
        ///
        /// - Default: none
        /// - Example: `"block_starts"`
        may offsets: Reference,
        /// The grid whose cells the key numbers, x fastest, then y, then z. Ranks divide the particles like its cells if it
        /// is dense, or `ghosts` is `false`: see docs/ranks.md.
        ///
        /// - Default: none
        /// - Example: `"air"`
        may cells: Box<Reference>,
        /// The cells along each axis of a block: the key numbers blocks of the grid instead of cells.
        ///
        /// - Unit: cells
        /// - Default: `1`
        /// - Range: 1 to 1024 each; one number, or one for each axis; other than 1 only if `ghosts` is `false`
        /// - Example: `[8, 8, 4]`
        may blocks: Box<Numbers>,
        /// The axis along which cells or blocks are numbered last: with `"y"`, their numbers grow along x, then along z,
        /// then along y. Ranks cut the grid along this axis.
        ///
        /// - Default: the last axis of the grid
        /// - Range: another axis only if `ghosts` is `false`
        /// - Example: `"y"`
        may slowest: Axis,
        /// The largest number of cells along an axis that a particle moves from one sort to the next. On several ranks, a
        /// run ends with an error if one moves farther. Without `ghosts`, the largest number of cells between a particle and
        /// the block in which it was sorted where it reads fields of the grid; its kernels must see to that.
        ///
        /// - Unit: cells
        /// - Default: `2`
        /// - Range: 1 to 1024
        /// - Example: `4`
        may drift: Box<Number>,
        /// `false`: particles may be anywhere at the next sort. Ranks have no copies of the particles of others, and
        /// exchange those that have changed parts at each sort. Stages over the set may only add integers to other fields.
        ///
        /// - Default: `true`
        /// - Example: `false`
        may ghosts: bool,
    }
}

words! {
    /// An axis of a grid.
    "Axis" Axis { "x" => Self(0), "y" => Self(1), "z" => Self(2), }
}

/// An axis of a grid, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Axis(pub usize);
