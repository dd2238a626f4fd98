//! Kinds of specialization constants of an interface.

/// The value that a constant holds; resources are given by their local numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConstantKind {
    Workgroup(usize),
    March,
    Width,
    Domain(usize),
    Size(usize, usize),
    Origin(usize, usize),
    Spacing(usize, usize),
    /// Indices of the components need 64 bits.
    Wide(usize),
    /// Logarithms of the sides of a sparse grid's blocks and sub-blocks, bits of block coordinates.
    BlockLog2(usize, usize),
    SubBlockLog2(usize, usize),
    BlockBits(usize, usize),
    BlockBytes(usize),
}
